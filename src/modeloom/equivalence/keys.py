# SPDX-License-Identifier: Apache-2.0
"""Keys of symbols: the key packets of the host, and the expected results of set-up and key schedule.

The function of the key schedule is not checked here.  It is only checked that it does the same for each cipher key of each slot, and that
nothing else in the key packet affects it.  Each cipher key is loaded into a separate core, as the first key of its length in the first slot
and with other words beside it.  The round keys of this core are the expected round keys everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from modeloom.equivalence import lanes
from modeloom.equivalence.circuit import CircuitError
from modeloom.equivalence.core import SymbolicCore
from modeloom.equivalence.expected import Words, outputs
from modeloom.equivalence.host import Host
from modeloom.product.description import KeyPart

__all__ = ["Keys", "Loaded"]

@dataclass
class Loaded:
    """A key: the packet as a word, the names of the round keys of each cipher key, and the key words by name for each sector size."""

    packet: int
    ciphers: list[Mapping[str, int]]
    words: list[dict[str, int]]


class Keys:
    """Makes keys for a core.

    Parameters
    ----------
    core : SymbolicCore
    layout : sequence of KeyPart
        The parts of a key packet (``core.json``).
    """

    def __init__(self, core: SymbolicCore, layout: Sequence[KeyPart]):
        self.core, self.layout = core, layout
        self.compiled = core.compiled
        self.bytes = max(part.offset + part.bytes for part in layout)
        program = self.compiled.core_program
        self.cipher_names, self.derived = list(program.cipher_keys), self.compiled.setup_graph.derived
        self.hosts = self.cipher_names[: len(self.cipher_names) - len(self.derived)]
        # Loading a key takes the time of the erasure, of the expansion of each cipher key, and of the set-ups.
        erasure, expansions = core.made.key_erase_cycles, 200 * len(self.cipher_names)
        self.most = 4 * (erasure + expansions + sum(one.setup_schedule.latency for one in self.compiled.sizes) + 100)
        self._known: dict[int, Mapping[str, int]] = {}

    def packet(self, parts: Mapping[str, int]) -> int:
        """A key packet, from its parts."""
        return sum(parts[part.name] << 8 * part.offset * lanes.LANES for part in self.layout)

    def make(self, name: str) -> Loaded:
        """A key of new symbols, with all values derived from it."""
        parts = {part.name: lanes.atom(f"{name} {part.name}", 8 * part.bytes) for part in self.layout}
        raw = {key: word for key, word in parts.items() if key not in self.hosts}
        lengths = self.compiled.core_program.cipher_bits
        ciphers = [self.round_keys(parts[key], lengths[number]) for number, key in enumerate(self.hosts)]
        words: list[dict[str, int]] = []
        for compiled in self.compiled.sizes:
            values = Words(compiled.mode.field, ciphers, {})
            words.append(raw | outputs(compiled.setup_graph, "setup", 0, values, raw))
        bits = self.compiled.options.key_bits or 0
        for names in self.derived:
            joined = sum(words[0][word] << n * self.core.width * lanes.LANES for n, word in enumerate(names))
            ciphers.append(self.round_keys(joined & lanes.mask(bits), 0))
        return Loaded(self.packet(parts), ciphers, words)

    def round_keys(self, key: int, length: int) -> Mapping[str, int]:
        """Names of the round keys of a cipher key, from a core in which it is the first key of its length (``Program.cipher_bits``)."""
        if key not in self._known:
            parts = {part.name: lanes.atom(f"other {part.name}", 8 * part.bytes) for part in self.layout}
            first = self.compiled.core_program.cipher_bits.index(length)
            parts[self.hosts[first]] = key
            host = self.core.host(1)
            self.load(host, self.packet(parts), 0)
            self._known[key] = self.core.cipher_keys(host.run, 0, first)
        return self._known[key]

    def load(self, host: Host, packet: int, slot: int) -> None:
        """Loads a key and waits until it is ready."""
        host.key(packet, self.bytes, slot)
        if not host.until(lambda: not host.waiting["s_axis_key"] and self.loaded(host, slot), self.most):
            raise CircuitError(f"slot {slot} is not loaded after {self.most} cycles")

    @staticmethod
    def loaded(host: Host, slot: int) -> bool:
        """Whether a slot has a key and the core is idle."""
        return host.has_key(slot)

    def check(self, host: Host, key: Loaded, slot: int) -> None:
        """Raises ``CircuitError`` unless the cipher cores hold the round keys of this key."""
        for number, name in enumerate(self.cipher_names):
            for core, held in self.core.cipher_keys(host.run, slot, number).items():
                if key.ciphers[number].get(core, held) != held:
                    which = name or f"cipher key {number}"
                    raise CircuitError(f"key slot {slot}: the round keys of {which} ({core}) are not those of its key")
