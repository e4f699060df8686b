# SPDX-License-Identifier: Apache-2.0
"""Proves that an emitted core for messages computes its plan: keys, nonces, associated data and texts are symbols, and every output beat
and status is compared with the machine of tokens.

::

    keys in some slots, then messages of all lengths, directions, slots and channels mixed
        one run without gaps
        one run with gaps at all pins, back-pressure, and a key that is replaced while others are in use

Keys that come with messages come before their messages in the first run, and with them in the second.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from modeloom.equivalence import lanes
from modeloom.equivalence.circuit import CircuitError
from modeloom.equivalence.host import Beat, Pace
from modeloom.equivalence.lanes import constant
from modeloom.equivalence.proof import gaps
from modeloom.equivalence.stream.core import MessageHardware, SymbolicMessageCore
from modeloom.equivalence.stream.keys import Loaded, MessageKeys, keys_of
from modeloom.equivalence.stream.messages import Expected, Packets, Planned, Sent, Symbols, computed, given_tag, id_of, opened
from modeloom.product.folder import read_messages
from modeloom.product.messages import StreamDescription
from modeloom.prove.execute import ProofError
from modeloom.streams.plan import StreamPlan
from modeloom.streams.prove import Message

__all__ = ["MessageComparison", "MessagePlans", "MessageReport", "MessageTraffic", "prove_messages"]


# -- traffic ---------------------------------------------------------------------------------------------------------------------------

# Runs messages through an emitted core, and compares every beat of text and every status with the plan.

PATIENCE = 2000
"""A message counts as lost after eight latencies and this number of cycles without a beat or a status."""

AHEAD = 8
"""Number of beats that wait at the pins, so that no cycle is lost."""


class MessageComparison:
    """Runs of a core that are compared with the plan.

    Parameters
    ----------
    core : SymbolicMessageCore

    Attributes
    ----------
    messages, cycles, blocks : int
        Totals of all runs so far.
    """

    def __init__(self, core: SymbolicMessageCore):
        self.core, self.description = core, core.description
        self.keys = keys_of(core)
        self.messages = self.cycles = self.blocks = 0

    def run(
        self, name: str, keys: Mapping[int, Loaded], planned: Sequence[Planned], pace: Pace, *, seed: int = 0,
        reload: tuple[int, int, Loaded] | None = None, early: bool = False, before: Sequence[Planned] = (),
    ) -> None:  # fmt: skip
        """One run.

        Parameters
        ----------
        keys : mapping
            The key of each slot that has one, or the keys that come with messages by their numbers.
        reload : (int, int, Loaded), optional
            Before the message with this number, this slot gets this key.  Messages of other slots may be in flight.  A key that came with
            messages is dropped when all of them are done, and the next message brings this key.
        early : bool
            Whether keys that come with messages wait at the pins before their messages do.
        before : sequence of Planned
            Messages that come first, without gaps.
        """
        # There is no key before the first message, and behind a key that was dropped.
        planned = self.keys.begun(planned, {0, *([reload[0]] if reload else [])})
        traffic = MessageTraffic(self, name, keys, Pace() if before else pace, seed, early)
        traffic.send(before)
        traffic.host.pace = pace
        place = reload[0] if reload else len(planned)
        traffic.send(planned[:place])
        if reload:
            traffic.reload(*reload[1:])
            traffic.send(planned[place:])
        traffic.end()
        self.messages += len(before) + len(planned)
        self.cycles += traffic.host.run.cycle


class MessageTraffic:
    """The traffic through a core in a run.

    Parameters
    ----------
    comparison : MessageComparison
    name : str
        For the names of symbols.
    keys : mapping
    pace : Pace
    seed : int
        Of the order in which channels take turns.
    early : bool
        Whether keys wait at the pins before their messages do.
    """

    def __init__(
        self, comparison: MessageComparison, name: str, keys: Mapping[int, Loaded], pace: Pace, seed: int = 0, early: bool = False
    ):
        self.comparison, self.name, self.description = comparison, name, comparison.description
        self.core, self.plan = comparison.core, comparison.core.plan
        self.width, self.beat = self.core.width, self.description.beat_bytes
        self.loaded, self.early = dict(keys), early
        self.host = self.core.host()
        comparison.keys.start(self.host, self.loaded)
        self.host.pace = pace
        self.rng = random.Random(seed)
        self.packets = Packets(self.description)
        self.status = self.packets.packing("m_axis_status")
        self.inside: dict[int, deque[Sent]] = {}
        self.given: dict[int, int] = {}
        self.sent = 0

    # -- what goes in ----------------------------------------------------------------------------------------------------

    def send(self, planned: Iterable[Planned]) -> None:
        """Sends messages and compares what comes back.  Channels take turns beat by beat."""
        queues: dict[int, deque[Planned]] = {}
        for each in planned:
            if self.early:
                self._bring(each)
            queues.setdefault(each.channel, deque()).append(each)
        beats: dict[int, deque[dict[str, int]]] = {}
        while queues or beats:
            channel = self.rng.choice(sorted(queues.keys() | beats.keys()))
            if channel not in beats:
                beats[channel] = deque(self._begin(queues[channel].popleft()))
                if not queues[channel]:
                    del queues[channel]
            self.host.waiting["s_axis"].append(beats[channel].popleft())
            if not beats[channel]:
                del beats[channel]
            self.go(lambda: len(self.host.waiting["s_axis"]) > AHEAD)

    def _bring(self, planned: Planned) -> None:
        """Queues the key of a message, if it brings one.  A key with a fault lacks its last byte."""
        if planned.new_key:
            key = self.loaded[planned.message.slot]
            self.comparison.keys.send(self.host, key.packet, key.nbytes - (planned.fault == "key"), 0)

    def reload(self, slot: int, key: Loaded) -> None:
        """Loads another key into a slot, when no message of it is in flight."""
        keys = self.comparison.keys
        self.go(lambda: keys.in_use({sent.planned.message.slot for queue in self.inside.values() for sent in queue}, slot))
        self.loaded[slot] = key
        for waits in keys.replace(self.host, key, slot):
            self.go(waits)

    def _begin(self, planned: Planned) -> list[dict[str, int]]:
        """Queues the command of a message.  Returns its beats."""
        number, message = self.sent, planned.message
        name = f"{self.name} {number}"
        self.sent += 1
        symbols = self.comparison.keys.named(Symbols.of(name, message, self.plan, number), number)
        keys = {message.slot: self.comparison.keys.of_message(self.loaded[message.slot], planned, symbols)}
        *passes, _ = self.plan.mode.sealing()
        # What comes before the last pass makes the tag.
        first = replace(message, direction=next(iter(passes), message.direction))
        expected = computed(self.plan, keys, first, symbols, 0)
        given = given_tag(planned, expected, name)
        if first != message:
            symbols, expected = opened(self.plan, keys, message, symbols, given)
        found = self.packets.judged(planned)
        if found.out and found.out == found.works < message.text:
            # The text before the fault is all of the text, and its last block may be partial.
            cut = replace(symbols, text=symbols.text & lanes.mask(8 * found.text))
            expected = computed(self.plan, keys, replace(message, text=found.text), cut, 0)
        if not self.early:
            self._bring(planned)
        self.host.waiting["s_axis_cmd"].append(self.packets.command(number, planned, symbols, given, name))
        self.inside.setdefault(planned.channel, deque()).append(self.packets.sent(number, planned, expected, symbols))
        return self.packets.beats(planned, symbols, given, name)

    # -- what comes out --------------------------------------------------------------------------------------------------

    def end(self) -> None:
        """Waits for all outputs, and checks that nothing follows."""
        self.go(lambda: any(self.inside.values()))
        for _ in range(2 * self.description.latency + 20):
            self.host.step()
            if self.host.taken["m_axis"] or self.host.taken["m_axis_status"]:
                raise ProofError(f"cycle {self.host.run.cycle}: something comes out after the last message")

    def go(self, while_: Callable[[], bool]) -> None:
        """Runs while a condition holds, and compares the outputs."""
        most = 8 * self.description.latency + self.comparison.keys.most + PATIENCE
        waited = 0
        while while_():
            waited = 0 if self.step() else waited + 1
            if waited > most:
                first = next((str(queue[0]) for queue in self.inside.values() if queue), "")
                raise ProofError(f"cycle {self.host.run.cycle}: nothing {f'of {first} ' if first else ''}has come out for {most} cycles")

    def step(self) -> bool:
        """Runs one cycle, and returns whether an output came."""
        self.host.step()
        beats, statuses = self.host.take("m_axis"), self.host.take("m_axis_status")
        for beat in beats:
            self._compare(beat)
        for beat in statuses:
            self._status(beat)
        return bool(beats or statuses)

    def _channel(self, beat: Beat, word: int) -> int:
        found = lanes.number(word)
        if found is None:
            raise ProofError(f"cycle {beat.cycle}: the channel of an output depends on data")
        return found

    def _compare(self, beat: Beat) -> None:
        # A core with one channel has no port for it.
        channel = self._channel(beat, beat.words.get("tid", 0))
        # A status follows the last beat, so a beat belongs to the first message whose beats are not complete.
        sent, at = None, self.given.get(channel, 0)
        for candidate in self.inside.get(channel, ()):
            if at < len(candidate.held):
                sent = candidate
                break
            at -= len(candidate.held)
        if sent is None:
            raise ProofError(f"cycle {beat.cycle}: a beat leaves that belongs to no message")
        self.given[channel] = self.given.get(channel, 0) + 1
        where = f"cycle {beat.cycle}: {sent}"
        held, last = sent.held[at], at == len(sent.held) - 1
        for port, value, width in (
            ("tkeep", (1 << held) - 1, self.beat), ("tlast", int(last), 1), ("tuser", int(sent.marked and last), 1),
        ):  # fmt: skip
            if beat.words[port] != constant(value, width):
                shown = lanes.number(beat.words[port])
                raise ProofError(f"{where}: {port} of beat {at} is {'data' if shown is None else f'{shown:#x}'}, not {value:#x}")
        blocks, what = self.beat * 8 // self.width, self.description.form.what
        for lane in range(blocks):
            number = at * blocks + lane
            word = beat.words["tdata"] >> lane * self.width * lanes.LANES & lanes.mask(self.width)
            expected = sent.packet >> number * self.width * lanes.LANES & lanes.mask(self.width)
            inside = max(0, min(self.width // 8, held - lane * self.width // 8))
            if word != expected:
                why = self._why(word, expected, sent, inside)
                raise ProofError(f"{where}: block {number} of the {what} is not what the definition says{why}")
            self.comparison.blocks += inside > 0

    def _status(self, beat: Beat) -> None:
        packing, word = self.status, beat.words["tdata"]

        def field(name: str) -> int:
            return word >> packing.offset(name) * lanes.LANES & lanes.mask(packing.field(name).bits)

        several = self.description.channels > 1
        channel = self._channel(beat, field("channel")) if several else 0
        if not self.inside.get(channel):
            raise ProofError(f"cycle {beat.cycle}: a status that belongs to no command")
        sent = self.inside[channel].popleft()
        where = f"cycle {beat.cycle}: {sent}"
        for name, value in (("id", id_of(sent.number)), ("code", int(sent.code)), *([] if several else [("channel", 0)])):
            if field(name) != constant(value, packing.field(name).bits):
                shown = lanes.number(field(name))
                if shown is None and name == "code":
                    raise ProofError(f"{where}: the verdict depends on data; the tag that is compared is not what the definition says")
                raise ProofError(f"{where}: the {name} of the status {'depends on data' if shown is None else f'is {shown}'}, not {value}")
        if field("tag") != sent.tag:
            why = self._why(field("tag"), sent.tag, sent, sent.planned.tag_bytes)
            raise ProofError(f"{where}: the tag is not what the definition says{why}")
        if self.given.get(channel, 0) < len(sent.held):
            raise ProofError(f"{where}: the status comes before the last beat")
        self.given[channel] = self.given.get(channel, 0) - len(sent.held)

    def _why(self, word: int, expected: int, sent: Sent, nbytes: int) -> str:
        """What is known of a wrong block of a message, of which ``nbytes`` bytes count."""
        if not word:
            return ": it is zero"
        message, counting = sent.planned.message, lanes.mask(8 * nbytes)
        for other in (sent, *(other for queue in self.inside.values() for other in queue)):
            for n, block in enumerate(self._blocks(other.expected, other.planned.message.text)):
                if word == block & counting:
                    return f": it is block {n} of message {other.number}"
        symbols = Symbols.of(f"{self.name} {sent.number}", message, self.plan, sent.number)
        for slot, words in self.comparison.keys.others(self.loaded, message.slot).items():
            moved = computed(self.plan, {message.slot: words}, message, symbols, 0)
            if word in (block & counting for block in (moved.tag, *self._blocks(moved, message.text))):
                return f": it belongs to the key of slot {slot}"
        differ = [a != b for a, b in zip(lanes.bits_of(word, self.width), lanes.bits_of(expected, self.width))]
        wrong = [at for at in range(self.width // 8) if any(differ[8 * at : 8 * at + 8])]
        if len(wrong) < nbytes:
            return f": wrong in byte{'s' if len(wrong) > 1 else ''} {', '.join(map(str, wrong))}"
        return ""

    def _blocks(self, expected: Expected, nbytes: int) -> Iterator[int]:
        """The blocks of a text of so many bytes."""
        for at in range(0, 8 * nbytes, self.width):
            yield expected.text >> at * lanes.LANES & lanes.mask(self.width)


# -- proof -----------------------------------------------------------------------------------------------------------------------------

# The messages that run through an emitted core on symbols.
#
#     lengths     every number of blocks that the proof of the pipeline has, both directions, all slots in turn, partial last blocks
#     nonces      every length of nonces
#     tags        messages without data: every length of tags, right, and wrong in every bit of the longest and every byte of the others
#     faults      commands and packets with faults, with other messages between them

MOST_BLOCKS = 48
"""Messages with more blocks than this have only some of the numbers of blocks."""


class MessagePlans:
    """Makes messages for a core.

    Parameters
    ----------
    description : StreamDescription
    plan : StreamPlan
    keys : MessageKeys
        Which keys they have.
    seed : int
    """

    def __init__(self, description: StreamDescription, plan: StreamPlan, keys: MessageKeys, seed: int):
        self.description, self.plan, self.keys = description, plan, keys
        self.rng = random.Random(seed)
        self.count = self.wrongs = 0
        self.steps = tuple(map(description.step_of, description.ways))
        # A core that stores messages to seal compares the tags of both passes, but no tag of the host.
        self.compared = [description.step_of(way) for way in description.ways if way]

    def message(
        self, step: str, associated: int, text: int, *, tag_bytes: int | None = None, nonce: int | None = None,
        wrong: int | None = None, fault: str = "",
    ) -> Planned:  # fmt: skip
        """A message.  Slots, channels and lengths of tags follow each other."""
        d, number = self.description, self.count
        self.count += 1
        nonce = d.nonces[0] if nonce is None else nonce
        group = next(place for place, lengths in enumerate(d.nonce_bytes) if nonce in lengths)
        tag_bytes = d.tag_bytes[number % len(d.tag_bytes)] if tag_bytes is None else tag_bytes
        slot, new_key = self.keys.next(number, fault in self.keys.faults, self.rng)
        channels = min(d.channels, CHANNELS)
        channel = (number % channels) * (d.channels - 1) // max(1, channels - 1)
        return Planned(Message(slot, group, step, nonce, associated, text, tag=tag_bytes), tag_bytes, channel, wrong, fault, new_key)

    def judged(self, step: str, associated: int, text: int, nonce: int | None = None) -> Planned:
        """A message whose tag is wrong in every second case, if it is opened: in the next bit each time."""
        made = self.message(step, associated, text, nonce=nonce)
        if step not in self.compared or self.rng.random() < 0.5:
            return made
        self.wrongs += 1
        return replace(made, wrong=self.wrongs * 11 % (8 * made.tag_bytes))

    def lengths(self) -> Iterator[Planned]:
        """Messages of all lengths, in random order."""
        size = self.plan.mode.block_bytes
        most = 3 * self.plan.chains + 3
        totals = [*range(min(most, MOST_BLOCKS) + 1), *range(MOST_BLOCKS + 1, most + 1, 5)]
        made = []
        for total in totals:
            for associated in {0, total, self.rng.randrange(total + 1)}:
                cut = [self.rng.randrange(size) if blocks and self.rng.random() < 0.5 else 0 for blocks in (associated, total - associated)]
                made.append((self.rng.choice(self.steps), associated * size - cut[0], (total - associated) * size - cut[1]))
        made += [(step, first, size - first) for step in self.steps for first in range(1, size)]
        self.rng.shuffle(made)
        for step, associated, text in made:
            yield self.judged(step, associated, text)

    def nonces(self) -> Iterator[Planned]:
        """Messages with nonces of every length, one after another and after messages with usual ones."""
        d, size = self.description, self.plan.mode.block_bytes
        for nonce in d.nonces:
            yield self.judged(self.rng.choice(self.steps), self.rng.randrange(2 * size), self.rng.randrange(4 * size), nonce)
            if self.rng.random() < 0.3:
                yield self.judged(self.rng.choice(self.steps), 0, self.rng.randrange(2 * size))

    def tags(self) -> Iterator[Planned]:
        """Messages with tags of every length, and wrong ones if the core opens messages."""
        d = self.description
        longest = max(d.tag_bytes)
        for tag_bytes in d.tag_bytes:
            for step in self.steps:
                yield self.message(step, 0, 0, tag_bytes=tag_bytes)
            for bit in range(8 * tag_bytes) if self.compared else ():
                # Each bit where a tag takes a cycle, as for GCM.
                if (tag_bytes == longest and d.cycles.tag == 1) or bit % 8 == (bit // 8 + tag_bytes) % 8:
                    yield self.message(self.compared[0], 0, 0, tag_bytes=tag_bytes, wrong=bit)

    def faults(self) -> Iterator[Planned]:
        """Messages with faults, each before messages without."""
        d, size = self.description, self.description.beat_bytes
        lead = {"text": (3, 3 * size), "associated": (3 * size, 0)}[d.form.first]
        kinds: list[tuple[str, tuple[tuple[int, int], ...]]] = [
            ("nonce", ((5, 20),)), ("tag", ((20, 3),)), ("short", (lead,)), ("hole", ((3, size),)), ("hole", ((0, 3 * size),)),
        ]  # fmt: skip
        # Behind a message without a key comes another one, which has none, either.
        for fault in self.keys.faults:
            kinds += [(fault, ((3, size), (size, 3))), (fault, ((0, 0), (0, 0)))]
        for fault, shapes in kinds:
            for step in self.steps:
                for associated, text in shapes:
                    yield self.message(step, associated, text, fault=fault)
                yield self.judged(self.rng.choice(self.steps), self.rng.randrange(2 * size), self.rng.randrange(3 * size))

    def empty(self, count: int) -> Iterator[Planned]:
        """Messages without data."""
        for number in range(count):
            yield self.message(self.steps[number % len(self.steps)], 0, 0)

    def some(self, count: int) -> Iterator[Planned]:
        """Random messages."""
        d, size = self.description, self.plan.mode.block_bytes
        most = (self.plan.chains + self.plan.lanes) * size
        for _ in range(count):
            associated, text = (self.rng.choice((0, self.rng.randrange(2 * size), self.rng.randrange(most))) for _ in range(2))
            nonce = self.rng.choice(d.nonces) if self.rng.random() < 0.2 else None
            yield self.judged(self.rng.choice(self.steps), associated, text, nonce)


CHANNELS = 4
"""Largest number of channels that are used."""

GAPPED = 40
"""Messages of the run with gaps."""


@dataclass(frozen=True)
class MessageReport:
    """A record of the execution on symbols.

    Attributes
    ----------
    messages, cycles, blocks : int
        Number of messages and cycles of the runs, and number of compared blocks of text.
    cores : int
        The ciphers and multipliers that were executed as a whole.
    """

    messages: int
    cycles: int
    blocks: int
    cores: int


def prove_messages(directory: str | Path, make: Callable[[], MessageHardware]) -> MessageReport:
    """Executes an emitted core on symbols and compares all its outputs with its plan.

    Parameters
    ----------
    directory : path
        What ``modeloom build`` made.
    make : callable
        Makes the hardware of the compiled core.

    Raises
    ------
    ProofError
        A block, a tag or a status differs or is missing, or control depends on data.  The message is one line with cycle, message and
        block.
    """
    description = read_messages(directory)
    try:
        core = SymbolicMessageCore(Path(directory) / description.files.verilog, description, make)
        proof = MessageComparison(core)
        slots, sizes = proof.keys.numbers, description.key_lengths
        *keys, other = proof.keys.make([(f"{n}", sizes[n % len(sizes)]) for n in range(len(slots) + 1)])
        plans = MessagePlans(description, core.plan, proof.keys, 1)
        # A key that no message has lies in a place of the ring.  It is dropped at once if the place has had messages that are done.
        first = [*plans.empty(proof.keys.places)]
        planned = [*plans.lengths(), *plans.nonces(), *plans.tags()]
        # By now each slot of the ring has had messages, so it is known whether they are done.
        places = {"whole": len(planned), "gaps": GAPPED // 2}
        reloads = {proof.keys.replaced: (places[proof.keys.replaced], slots[0], other)}
        planned += [*plans.faults(), *plans.some(4)]
        loaded = dict(zip(slots, keys, strict=True))
        proof.run("whole", loaded, planned, Pace(), early=True, reload=reloads.get("whole"), before=first)
        rng = random.Random(len(planned))
        planned = [*plans.some(GAPPED)]
        # The slots have other keys than before.
        loaded = dict(zip(slots, reversed(keys), strict=True))
        pace = gaps(rng, max(20, description.latency))
        proof.run("gaps", loaded, planned, pace, seed=1, reload=reloads.get("gaps"), before=first)
    except CircuitError as error:
        raise ProofError(str(error)) from error
    return MessageReport(proof.messages, proof.cycles, proof.blocks, len(core.circuit.instances))
