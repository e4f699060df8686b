# SPDX-License-Identifier: Apache-2.0
"""Runs messages through an emitted core behind the LWC interface, and compares every word of DO with the plan."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from modeloom.equivalence import lanes
from modeloom.equivalence.host import Host, Pace
from modeloom.equivalence.lwc.core import SymbolicLwcCore
from modeloom.equivalence.lwc.words import LwcWords, Word
from modeloom.equivalence.stream.core import SymbolicMessageCore
from modeloom.equivalence.stream.keys import Loaded, MessageKeys
from modeloom.equivalence.stream.messages import Planned, Symbols, computed
from modeloom.equivalence.stream.packets import given_tag
from modeloom.product.lwc import LwcDescription
from modeloom.prove.errors import ProofError
from modeloom.streams.prove import Message

__all__ = ["LwcComparison", "LwcKeys"]

PATIENCE = 2000
"""A word counts as lost after eight latencies and this number of cycles without one."""

FIRST_SLOT = 1
"""The slot of the first key behind a reset."""

AHEAD = 40
"""Number of words that wait at PDI, so that no cycle is lost."""


class LwcKeys(MessageKeys):
    """Keys for a core with PDI and SDI, each loaded alone behind a reset."""

    def __init__(self, core: SymbolicLwcCore, description: LwcDescription):
        super().__init__(core)
        self.form = LwcWords(description, random.Random(0))

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
            words = self.form.message(
                probe, symbols, lanes.atom(f"probe tag {name}", 8 * probe.tag_bytes), [(0, 0)], f"probe {name}"
            )
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
        self,
        name: str,
        keys: Mapping[int, Loaded],
        before: Sequence[Planned],
        planned: Sequence[Planned],
        pace: Pace,
        seed: int = 0,
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
            hold = self.description.hold if message.direction == "decrypt" else None
            right = not refused and each.wrong is None and (hold is None or message.text <= hold)
            text = expected.text if right or not (refused or hold is not None) else None
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
        if came["last"] != lanes.constant(word.last, 1):
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
