# SPDX-License-Identifier: Apache-2.0
"""Keys of symbols for a core for messages, and the words that set-up and key schedule must make of them.

The function of the key schedule is not checked here.  It is only checked that it does the same for each slot and after every key, and that
nothing else in the key packet affects it.  The round keys of a reference are the expected ones everywhere: another run, in which all keys
go to the first slot, in the opposite order, and with other words beside the cipher key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modeloom.equivalence import lanes
from modeloom.equivalence.circuit import CircuitError
from modeloom.equivalence.host import Host
from modeloom.equivalence.stream.core import SymbolicMessageCore
from modeloom.equivalence.stream.messages import Planned, Symbols
from modeloom.equivalence.stream.words import KeyWords, key_words
from modeloom.interfaces.shared import KEY_BEAT_BYTES

__all__ = ["Loaded", "MessageKeys"]


@dataclass(frozen=True)
class Loaded:
    """A key: its name, its packet as a word with its number of bytes, and what the core makes of it."""

    name: str
    packet: int
    nbytes: int
    words: KeyWords


class MessageKeys:
    """Makes keys for a core.

    Parameters
    ----------
    core : SymbolicMessageCore
    """

    def __init__(self, core: SymbolicMessageCore):
        self.core, self.description = core, core.description
        self.most = 4 * (core.description.key_erase_cycles + 60 * core.rounds + len(core.plan.words) * core.plan.placed.depth) + 400

    def packet(self, name: str, others: str, size: int) -> tuple[int, int]:
        """A key packet as a word, and its bytes, for a key of ``size`` bytes.

        The cipher key is named by ``name``.  The other parts, and what is sent behind the end, are named by ``others``.
        """
        d = self.description
        if d.packet_bytes is None:
            word, end = 0, size
            for part in d.key_layout:
                nbytes = min(part.bytes, size - part.offset)
                word |= self.part(name if self._is_cipher(part.name) else others, part.name, nbytes) << 8 * part.offset * lanes.LANES
        else:
            word, end = 0, 0
            for part in d.key_layout:
                keyed = self._is_cipher(part.name)
                each = self.core.round_key_bytes if keyed else part.bytes
                for n in range(self.core.rounds if keyed else 1):
                    text = self.part(f"{name} round key {n}" if keyed else others, part.name, each)
                    word |= text << 8 * end * lanes.LANES
                    beyond = -each % KEY_BEAT_BYTES
                    word |= lanes.atom(f"beyond {others} {part.name} {n}", 8 * beyond) << 8 * (end + each) * lanes.LANES
                    end += each + beyond
        behind = lanes.atom(f"behind {others}", 8 * KEY_BEAT_BYTES)
        return word | behind << 8 * end * lanes.LANES, end

    def part(self, name: str, part: str, nbytes: int) -> int:
        """The symbols of a part of a key."""
        return lanes.atom(f"key {name} {part}", 8 * nbytes)

    def _is_cipher(self, part: str) -> bool:
        return part in self.core.plan.mode.cipher_keys

    def make(self, wanted: Sequence[tuple[str, int]]) -> list[Loaded]:
        """Keys with these names and numbers of bytes."""
        host = self.core.host()
        names: dict[str, dict[str, int]] = {}
        for name, size in reversed(wanted):
            if names and self.description.inline:
                # A key that comes with messages has the first slot behind a reset.
                host = self.core.host()
            self.load(host, *self.packet(name, f"other {name}", size), 0)
            names[name] = self.held(host, 0)
        result = []
        for name, size in wanted:
            raw = {
                part.name: self.part(name, part.name, part.bytes) for part in self.description.key_layout
                if not self._is_cipher(part.name)
            }  # fmt: skip
            result.append(Loaded(name, *self.packet(name, name, size), self.words(names[name], raw)))
        return result

    def held(self, host: Host, slot: int) -> dict[str, int]:
        """Names of the round keys of a slot."""
        return self.core.round_keys(host.run, slot)

    def words(self, names: dict[str, int], raw: dict[str, int]) -> KeyWords:
        """What set-up makes of a key: of the names of its round keys, and of its other parts."""
        return key_words(self.core.plan, names, raw)

    def named(self, symbols: Symbols, number: int) -> Symbols:
        """The symbols of the message with this number, with another nonce if keys depend on it."""
        return symbols

    def of_message(self, key: Loaded, planned: Planned, symbols: Symbols) -> KeyWords:
        """The key of a message: that of its slot."""
        return key.words

    def send(self, host: Host, packet: int, nbytes: int, slot: int) -> None:
        """Queues a key packet.  Keys that come with messages have no slot."""
        fields = {} if self.description.inline else {"tdest": slot}
        host.packet("s_axis_key", packet, nbytes, KEY_BEAT_BYTES, tuser=0, **fields)

    def drop(self, host: Host) -> None:
        """Queues a packet that drops the key that came last, and waits until it is done."""
        host.packet("s_axis_key", lanes.atom("drop", 8 * KEY_BEAT_BYTES), 1, KEY_BEAT_BYTES, tuser=1)
        host.step()
        if not host.until(lambda: not host.waiting["s_axis_key"] and not host.run.flag("key_busy"), self.most):
            raise CircuitError(f"a key is not dropped after {self.most} cycles")

    def load(self, host: Host, packet: int, nbytes: int, slot: int) -> None:
        """Loads a key and waits until it is ready."""
        self.send(host, packet, nbytes, slot)
        if not host.until(lambda: self.loaded(host, slot), self.most):
            raise CircuitError(f"slot {slot} is not loaded after {self.most} cycles")

    def loaded(self, host: Host, slot: int) -> bool:
        """Whether all key packets have been taken and a slot has a key."""
        return not host.waiting["s_axis_key"] and host.has_key(slot)

    def check(self, host: Host, key: Loaded, slot: int) -> None:
        """Raises ``CircuitError`` unless the ciphers hold the round keys of this key."""
        if self.held(host, slot) != key.words.round_keys:
            raise CircuitError(f"key slot {slot}: the round keys are not those of its key")
