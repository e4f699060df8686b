# SPDX-License-Identifier: Apache-2.0
"""Proves that an emitted core behind the LWC interface computes its plan: keys, nonces, associated data, texts and tags are symbols, and
every word of DO is compared with the protocol and the machine of tokens.

::

    a message without a key, then messages of all lengths and directions, in one segment or several, under keys that follow each other
        one run without pauses
        one run with pauses at all pins

Instructions and headers are numbers.  Malformed ones are not sent here: ``verification.lwc`` does that in simulation.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from modeloom.equivalence import lanes
from modeloom.equivalence.circuit import CircuitError
from modeloom.equivalence.host import Host, Pace, Run
from modeloom.equivalence.lanes import constant
from modeloom.equivalence.proof import gaps
from modeloom.equivalence.stream.core import MessageHardware, SymbolicMessageCore
from modeloom.equivalence.stream.keys import InlineKeys, Loaded
from modeloom.equivalence.stream.messages import Planned, Symbols, behind, computed, given_tag
from modeloom.equivalence.stream.proof import MessagePlans
from modeloom.interfaces.lwc import HEADER_BITS, Header, Opcode, Segment, opcode_word
from modeloom.product.folder import read_as
from modeloom.product.message import LwcDescription
from modeloom.prove.execute import ProofError
from modeloom.streams.prove import Message

__all__ = ["LwcComparison", "LwcKeys", "LwcReport", "LwcWords", "SymbolicLwcCore", "Word", "WordHost", "prove_words"]

# -- traffic ---------------------------------------------------------------------------------------------------------------------------

# Runs messages through an emitted core behind the LWC interface, and compares every word of DO with the plan.

# An emitted core behind the LWC interface, for execution on symbols, and a host at its pins.

class WordHost(Host):
    """A host whose streams are PDI, SDI and DO."""

    VALID, READY, DATA = "valid", "ready", "data"


class SymbolicLwcCore(SymbolicMessageCore):
    """A core as a circuit on symbols.  Its parser, loader and writer are part of the circuit."""

    def host(self) -> WordHost:
        """A host of a new run, after its reset."""
        d = self.description
        host = WordHost(Run(self.circuit, lambda cell: self._makers[cell.type](cell)), d.beat_bytes, d.interfaces)
        host.reset(2 * d.erase_cycles)
        return host


# -- words -------------------------------------------------------------------------------------------------------------------------

# Segments of symbols: the words that a host sends on PDI and SDI for a message, and those that DO must give.
#
#     host      header │ data, symbols behind their end        core      header │ data, zeros behind their end
#               numbers   symbols                                        numbers   sums of symbols
#
# Byte 0 of a value is its lowest one, and byte 0 of a word is its upper one.

MANY = 0.5
"""Share of messages whose parts have several segments."""


@dataclass(frozen=True)
class Word:
    """A word that DO must give: its bits, whether ``do_last`` is high, and what it is."""

    data: int
    last: bool
    what: str


class LwcWords:
    """Makes words.

    Parameters
    ----------
    description : LwcDescription
    rng : random.Random
        For the lengths of segments.
    """

    def __init__(self, description: LwcDescription, rng: random.Random):
        self.rng, self.size = rng, description.word_bytes
        self.form = description.words

    def top(self, value: int) -> int:
        """A word with these 32 bits at its upper end."""
        return constant(value << (8 * self.size - HEADER_BITS), 8 * self.size)

    def swapped(self, word: int) -> int:
        """A word with its bytes in the opposite order."""
        byte = lanes.mask(8)
        return sum((word >> 8 * at * lanes.LANES & byte) << 8 * (self.size - 1 - at) * lanes.LANES for at in range(self.size))

    def data(self, value: int, nbytes: int) -> list[int]:
        """The words of a value of so many bytes."""
        bits = 8 * self.size
        return [self.swapped(value >> 8 * at * lanes.LANES & lanes.mask(bits)) for at in range(0, nbytes, self.size)]

    def sent(self, header: Header, value: int, name: str) -> list[int]:
        """A segment from the host: what is behind the end of its data is symbols."""
        held = -(-header.length // self.size) * self.size
        word = value & lanes.mask(8 * header.length) | behind(f"{name} {header.type}", 8 * held, 8 * header.length)
        return [self.top(header.value), *self.data(word, header.length)]

    def cuts(self, nbytes: int, least: int) -> list[tuple[int, int]]:
        """Places and lengths of the segments of a part.  All but the last one have whole words, and at least so many bytes."""
        if self.rng.random() >= MANY:
            return [(0, nbytes)]
        made, at = [], 0
        while nbytes - at > least:
            length = least + self.size * self.rng.randrange(4)
            if length >= nbytes - at:
                break
            made.append((at, length))
            at += length
        return [*made, (at, nbytes - at)]

    def part(self, kind: Segment, value: int, cuts: list[tuple[int, int]], name: str, *, last: bool) -> Iterator[int]:
        """The words of associated data or text."""
        for number, (at, length) in enumerate(cuts):
            end = number == len(cuts) - 1
            # Cores do not read EOI.
            header = Header(kind, length, self.rng.random() < 0.5, end, last and end)
            yield from self.sent(header, value >> 8 * at * lanes.LANES, f"{name} {number}")

    def key(self, packet: int, nbytes: int, name: str) -> list[int]:
        """What loads a key on SDI."""
        header = Header(Segment.KEY, nbytes, True, True, True)
        return [self.top(opcode_word(Opcode.LOAD_KEY)), *self.sent(header, packet, f"key {name}")]

    def activation(self) -> int:
        """The instruction before the first message of a key."""
        return self.top(opcode_word(Opcode.ACTIVATE_KEY))

    def message(self, planned: Planned, symbols: Symbols, tag: int, texts: list[tuple[int, int]], name: str) -> Iterator[int]:
        """The words of a message on PDI.  ``texts`` are the segments of its text, and ``tag`` is its tag if it is to be opened."""
        m = planned.message
        opens = m.direction == "decrypt"
        yield self.top(opcode_word(Opcode.DECRYPT if opens else Opcode.ENCRYPT))
        for header, lengths in self.form.stated(m.associated, m.text):
            yield from self.sent(header, constant(int.from_bytes(lengths, "little"), 8 * len(lengths)), name)
        yield from self.sent(Header(Segment.NPUB, m.nonce), symbols.nonce, name)
        if m.associated or self.rng.random() < 0.5:
            yield from self.part(Segment.AD, symbols.associated, self.cuts(m.associated, self.size), name, last=False)
        kind = Segment.CIPHERTEXT if opens else Segment.PLAINTEXT
        yield from self.part(kind, symbols.text, texts, name, last=not opens)
        if opens:
            yield from self.sent(Header(Segment.TAG, planned.tag_bytes, False, True, True), tag, name)

    def answer(self, planned: Planned, text: int | None, tag: int, texts: list[tuple[int, int]], right: bool) -> Iterator[Word]:
        """The words of a message on DO.  ``text`` is None if none leaves."""
        m = planned.message
        opens = m.direction == "decrypt"
        if text is not None or not m.text:
            kind = Segment.PLAINTEXT if opens else Segment.CIPHERTEXT
            for number, (at, length) in enumerate(texts):
                end = number == len(texts) - 1
                yield Word(self.top(Header(kind, length, False, end, opens and end).value), False, f"header {number} of the text")
                value = (text or 0) >> 8 * at * lanes.LANES & lanes.mask(8 * length)
                for count, word in enumerate(self.data(value, length)):
                    yield Word(word, False, f"the word at byte {at + count * self.size} of the text")
        if right and not opens:
            header = Header(Segment.TAG, planned.tag_bytes, False, True, True)
            yield Word(self.top(header.value), False, "the header of the tag")
            for word in self.data(tag & lanes.mask(8 * planned.tag_bytes), planned.tag_bytes):
                yield Word(word, False, "the tag")
        yield Word(self.top(opcode_word(Opcode.SUCCESS if right else Opcode.FAILURE)), True, "the status")

PATIENCE = 2000
"""A word counts as lost after eight latencies and this number of cycles without one."""

FIRST_SLOT = 1
"""The slot of the first key behind a reset."""

AHEAD = 40
"""Number of words that wait at PDI, so that no cycle is lost."""


KEYS = 5
"""Keys that follow each other.  The two slots have another one each time."""


class LwcKeys(InlineKeys):
    """Keys for a core with PDI and SDI, each loaded alone behind a reset."""

    def __init__(self, core: SymbolicLwcCore, description: LwcDescription):
        super().__init__(core)
        self.form = LwcWords(description, random.Random(0))

    @property
    def numbers(self) -> list[int]:
        """The numbers of keys."""
        return list(range(KEYS))

    def make(self, wanted: Sequence[tuple[str, int]]) -> list[Loaded]:
        """Keys with these names and numbers of bytes.  A key is there when a message under it has its status.

        The message to open has a wrong length of its nonce, because the verdict on a tag of symbols depends on data.
        """
        made = []
        for name, size in wanted:
            host = self.core.host()
            packet, nbytes = self.packet(name, f"other {name}", size)
            host.waiting["sdi"].extend({"data": word} for word in self.form.key(packet, nbytes, f"other {name}"))
            host.waiting["pdi"].append({"data": self.form.activation()})
            probe = Planned(_probe(self.core), self.description.tag_bytes[0])
            symbols = Symbols.of(f"probe {name}", probe.message, self.core.plan, 0)
            words = self.form.message(probe, symbols, lanes.atom(f"probe tag {name}", 8 * probe.tag_bytes), [(0, 0)], f"probe {name}")
            host.waiting["pdi"].extend({"data": word} for word in words)
            if not host.until(partial(_done, host), self.most):
                raise ProofError(f"a message under key {name} has no status after {self.most} cycles")
            made.append((name, size, self.core.round_keys(host.run, FIRST_SLOT)))
        return [Loaded(name, *self.packet(name, name, size), self.words(names, self._raw(name))) for name, size, names in made]

    def _raw(self, name: str) -> dict[str, int]:
        parts = self.description.key_layout
        return {part.name: self.part(name, part.name, part.bytes) for part in parts if not self._is_cipher(part.name)}


def _done(host: Host) -> bool:
    """Whether a status has left."""
    return any(beat.words["last"] for beat in host.taken["do"])


def _probe(core: SymbolicMessageCore) -> Message:
    """An empty message."""
    d = core.description
    return Message(0, 0, d.step_of(d.ways[0]), d.nonces[0], 0, 0, tag=d.tag_bytes[0])


class LwcComparison:
    """Runs of a core that are compared with the plan.

    Parameters
    ----------
    core : SymbolicLwcCore
    description : LwcDescription

    Attributes
    ----------
    messages, cycles, words : int
        Totals of all runs so far: messages, cycles, and words of DO.
    """

    def __init__(self, core: SymbolicLwcCore, description: LwcDescription):
        self.core, self.description = core, description
        self.keys = LwcKeys(core, description)
        self.messages = self.cycles = self.words = 0

    def run(
        self, name: str, keys: Mapping[int, Loaded], before: Sequence[Planned], planned: Sequence[Planned], pace: Pace, seed: int = 0
    ) -> None:
        """One run.

        Parameters
        ----------
        keys : mapping
            The keys that messages bring, by their numbers.
        before : sequence of Planned
            Messages without a key, which fail.  The others come when these are done: what the core knows of the last message of a slot
            has no value after a reset.
        """
        host, rng = self.core.host(), random.Random(seed)
        host.pace = pace
        form = LwcWords(self.description, rng)
        wanted: deque[tuple[str, Word]] = deque()
        current: int | None = None

        def step() -> bool:
            host.step()
            beats = host.take("do")
            for beat in beats:
                if not wanted:
                    raise ProofError(f"cycle {beat.cycle}: a word of DO that belongs to no message")
                self._compare(f"cycle {beat.cycle}: {wanted[0][0]}", wanted.popleft()[1], beat.words)
            return bool(beats)

        def go(while_: Callable[[], bool]) -> None:
            most, waited = 8 * self.description.latency + self.keys.most + PATIENCE, 0
            while while_():
                waited = 0 if step() else waited + 1
                if waited > most:
                    of = f" of {wanted[0][0]}" if wanted else ""
                    raise ProofError(f"cycle {host.run.cycle}: no word{of} has come out for {most} cycles")

        for number, each in enumerate([*before, *planned]):
            if number == len(before):
                go(lambda: bool(wanted))
            label = f"{name} {number}"
            if each.new_key:
                current = each.message.slot
                key = keys[current]
                nbytes = key.nbytes - (each.fault == "key")
                host.waiting["sdi"].extend({"data": word} for word in form.key(key.packet, nbytes, label))
                host.waiting["pdi"].append({"data": form.activation()})
            # The key that was activated last is that of the message.
            # The last block of associated data has entered when the header of the text says that there is none.
            message = replace(each.message, slot=0 if current is None else current, apart=not each.message.text)
            each = replace(each, message=message)
            symbols = Symbols.of(label, message, self.core.plan, number)
            refused = current is None or each.fault == "key"
            expected = computed(self.core.plan, {message.slot: keys[message.slot].words}, message, symbols, 0)
            tag = given_tag(each, expected, label)
            texts = form.cuts(message.text, self.description.block_bytes)
            host.waiting["pdi"].extend({"data": word} for word in form.message(each, symbols, tag, texts, label))
            way = self.description.way_of(message.direction)
            right = not refused and each.wrong is None and not self.description.overflows(way, message.associated, message.text)
            text = expected.text if right or not (refused or self.description.held(way)) else None
            shown = f"message {number} {each}"
            wanted.extend((shown, word) for word in form.answer(each, text, expected.tag, texts, right))
            go(lambda: len(host.waiting["pdi"]) > AHEAD)
        go(lambda: bool(wanted))
        for _ in range(2 * self.description.latency + 20):
            step()
        self.messages += len(before) + len(planned)
        self.cycles += host.run.cycle

    def _compare(self, where: str, word: Word, came: Mapping[str, int]) -> None:
        """Raises ``ProofError`` unless a word of DO is the one that must come."""
        if came["last"] != constant(word.last, 1):
            why = "a word comes that is not the last one, in the place of" if word.last else "a status comes in the place of"
            raise ProofError(f"{where}: {why} {word.what}")
        if came["data"] != word.data:
            shown, expected = lanes.number(came["data"]), lanes.number(word.data)
            if expected is None:
                zero = ": it is zero" if shown == 0 else ""
                raise ProofError(f"{where}: {word.what} is not what the definition says{zero}")
            if shown is None:
                why = "; the tag that is compared is not what the definition says" if word.last else ""
                raise ProofError(f"{where}: {word.what} depends on data{why}")
            raise ProofError(f"{where}: {word.what} is {shown:#x}, not {expected:#x}")
        self.words += 1


# -- proof -----------------------------------------------------------------------------------------------------------------------------

GAPPED = 30
"""Messages of the run with pauses."""

SHARES = dict.fromkeys(("pdi", "sdi", "do"), (1.0, 0.6, 0.2))
"""For each stream, the shares of cycles in which it is offered or taken, by phase."""


@dataclass(frozen=True)
class LwcReport:
    """A record of the execution on symbols.

    Attributes
    ----------
    messages, cycles, words : int
        Number of messages and cycles of the runs, and number of compared words of DO.
    cores : int
        The ciphers and multipliers that were executed as a whole.
    """

    messages: int
    cycles: int
    words: int
    cores: int


def prove_words(directory: str | Path, make: Callable[[], MessageHardware]) -> LwcReport:
    """Executes an emitted core on symbols and compares all words of DO.

    Parameters
    ----------
    directory : path
        What ``modeloom build`` made.
    make : callable
        Makes the hardware of the compiled core.

    Raises
    ------
    ProofError
        A word differs or is missing, or control depends on data.  The message is one line with cycle, message and word.
    """
    description = read_as(LwcDescription, directory, "a core behind the LWC interface")
    try:
        core = SymbolicLwcCore(Path(directory) / description.files.verilog, description, make)
        proof = LwcComparison(core, description)
        sizes = description.key_lengths
        keys = dict(enumerate(proof.keys.make([(f"{n}", sizes[n % len(sizes)]) for n in proof.keys.numbers])))
        # The interface has tags of the default length only.
        described = replace(description, tag_bytes=description.tag_bytes[:1])
        plans = MessagePlans(described, core.plan, proof.keys, 1)
        before = [replace(plans.message(way, 3, 5), new_key=False) for way in plans.steps]
        whole = [*plans.lengths(), *plans.nonces(), *plans.tags(), *_wrong_keys(plans), *_short(plans, description.word_bytes)]
        whole += plans.some(4)
        proof.run("whole", keys, before, _begun(whole), Pace())
        rng, period = random.Random(len(whole)), max(20, description.latency)
        proof.run("gaps", keys, before, _begun([*plans.some(GAPPED)]), gaps(rng, period, SHARES), seed=1)
    except CircuitError as error:
        raise ProofError(str(error)) from error
    return LwcReport(proof.messages, proof.cycles, proof.words, len(core.circuit.instances))


def _begun(planned: Sequence[Planned]) -> list[Planned]:
    """The same messages, of which the first one brings its key."""
    return [replace(each, new_key=True) if not number else each for number, each in enumerate(planned)]


def _wrong_keys(plans: MessagePlans) -> Iterator[Planned]:
    """A key that is too short, a message behind it without a key, and a message with a right key."""
    for direction in plans.steps:
        yield plans.message(direction, 3, 20, fault="key")
        yield plans.message(direction, 20, 0, fault="key")
        yield plans.message(direction, 5, 17)


def _short(plans: MessagePlans, word: int) -> Iterator[Planned]:
    """Messages that are on PDI as a whole while their key is loaded, each before one of the other direction under the same key.

    They come several times, since half of them have a segment for associated data, which waits for the command.
    """
    for text in (0, 1, word) * 4:
        first, second = (plans.message(way, 0, text) for way in (plans.steps[0], plans.steps[-1]))
        yield replace(first, new_key=True)
        yield replace(second, new_key=False)
