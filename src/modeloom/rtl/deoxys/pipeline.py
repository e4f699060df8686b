# SPDX-License-Identifier: Apache-2.0
"""The pipeline of Deoxys-BC-256: a block with its tweak in each cycle, fixed latency, keys of several slots.

The tweak travels with its block, and rounds take it with permuted bytes.  What the key adds to each subtweakey lies in a memory for each
round, with a word for each slot.  The sum of both is made a cycle ahead, so that a round has one operand more than its state::

    cycle      0                   1        ...            latency - 1    latency
    i, slot ──▶(+)──▶ w. reg ──▶ round 1 ──▶ ... ──▶ ... ──▶ round 14 ──▶ reg ──▶ o
                ▲                  ▲                            ▲
                │                 reg                          reg         subtweakeys 0, 1, ..., 14 (of a block that is decrypted:
    keys ──────(+)      keys ─────(+)        keys ─────────────(+)         14, 13, ..., 0)
                ▲                  ▲                            ▲
    tweak ──────┴──▶ reg ─────────h(T)──▶ reg ... ─────────────h^14(T)

The pipeline never stalls: no register of the data path has a clock enable or a reset.  ``rounds`` has the places of its registers.
"""

from __future__ import annotations

from functools import partial

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import wiring

from modeloom.rtl.aes.direction import Direction, choose
from modeloom.rtl.aes.keys.round_keys import read_round_key
from modeloom.rtl.aes.parameters import check_count, named
from modeloom.rtl.aes.rounds.round_stages import register
from modeloom.rtl.deoxys.rounds import ROUNDS, deoxys_round, key_lead, permute, tweaked_ports

__all__ = ["DeoxysBCPipeline"]

MOST_REGISTERS = 4


class _Delayed:
    """A value that travels with a block: item n belongs to the block of n cycles ago."""

    def __init__(self, m: Module, value: Value, name: str) -> None:
        self._m, self._values, self._name = m, [value], name

    def __getitem__(self, cycle: int) -> Value:
        while len(self._values) <= cycle:
            self._values.append(register(self._m, self._values[-1], f"{self._name}_{len(self._values)}"))
        return self._values[cycle]


def _at(values: _Delayed, begin: int, cycles: int) -> Value:
    return values[begin + cycles]


class DeoxysBCPipeline(wiring.Component):
    """Deoxys-BC-256, one block per cycle.

    Parameters
    ----------
    registers_per_round : int
        1 to 4.  ``rounds`` has their places.
    slots : int
        Number of key slots, at least 1.  One slot is in registers.  Several slots are in LUT memories, one for each round.
    direction : str
        "encrypt", "decrypt" or "both".
    whole_sboxes : bool
        Asks tools to map each table by itself, into 32 LUTs of six inputs.

    Attributes
    ----------
    rounds : int
        14.
    latency : int
        14 * registers_per_round + 1: the result of a block given in cycle t is at ``o`` in cycle t + latency.
    interval : int
        1: one block in every cycle.

    Members
    -------
    i, tweak, slot, decrypt
        Block and tweak (128 bits each), key slot, and direction (only with "both"), in every cycle.
    o
        Result (128 bits).
    key_we, key_slot, key_round, key_data
        Writes part ``key_round`` (0 to 14) of the key of a slot, as ``DeoxysKeySchedule`` gives it.  A block in a later cycle uses the new
        key.  The key of a slot must not change while its blocks are in flight.

    Raises
    ------
    TypeError
        A number is not an integer.
    ValueError
        A parameter is out of range.
    """

    def __init__(self, registers_per_round: int = 1, slots: int = 1, direction: str = "encrypt", *, whole_sboxes: bool = False):
        self.whole_sboxes = whole_sboxes
        self.registers_per_round = check_count("registers_per_round", registers_per_round, 1, MOST_REGISTERS)
        self.slots = check_count("slots", slots)
        self.direction = Direction.of(direction)
        self.rounds = ROUNDS
        self.latency, self.interval = ROUNDS * registers_per_round + 1, 1
        super().__init__(tweaked_ports(slots, self.direction))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        tweak, slot = _Delayed(m, self.tweak, "tweak"), _Delayed(m, self.slot, "slot")
        decrypt = _Delayed(m, self.direction.bit(self), "decrypt")

        def key_part(number: int, cycle: int, name: str) -> Value:
            write = Signal(name=f"write_{name}{number}")
            m.d.comb += write.eq(self.key_we & (self.key_round == number))
            return read_round_key(
                m, write, self.key_slot, self.key_data, slots=self.slots, travel=[slot[cycle]], cycle=0, index=f"{name}{number}"
            )

        def sums(place: int, cycle: int) -> Value:
            """The subtweakey of place 0, ..., 14 for the block that entered *cycle* cycles ago."""
            numbers = [ROUNDS - place if backward else place for backward in self.direction.ways]
            forms = [(key_part(n, cycle, "inverse_" * k), permute(tweak[cycle], n)) for k, n in enumerate(numbers)]
            first, *second = (named(m, f"subtweakey_{place}_{k}", key ^ form) for k, (key, form) in enumerate(forms))
            return choose(decrypt[cycle], second[0], first) if second else first

        stages = self.registers_per_round
        state = register(m, named(m, "whitened", self.i ^ sums(0, 0)), "whitened")
        for number in range(1, ROUNDS + 1):
            start = 1 + (number - 1) * stages
            used = start + stages - 1 - key_lead(self.direction, stages - 1)
            key = register(m, sums(number, used - 1), f"subtweakey_{number}")
            way = partial(_at, decrypt, start)
            state = deoxys_round(m, state, key, self.direction, stages - 1, way, f"round_{number}_", self.whole_sboxes)
            state = register(m, state, f"round_{number}")
        m.d.comb += self.o.eq(state)
        return m
