# SPDX-License-Identifier: Apache-2.0
"""AES pipelines: one block per cycle, fixed latency, round keys of several slots.

Byte 0 of a block is bits [7:0] of the signal; byte r + 4c is row r, column c of the state. With n rounds::

    cycle      0                   1        ...            latency - 1    latency
    i, slot ──▶(+)──▶ w. reg ──▶ round 1 ──▶ ... ──▶ ... ──▶ round n ──▶ reg ──▶ o
                ▲                  ▲                           ▲
              key 0              key 1                       key n           (a decrypter: n, n - 1, ..., 0)

``round_stages`` describes a round and its registers.

The pipeline never stalls: no register of the data path has a clock enable or a reset.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.aes.keys.round_keys import read_round_key
from modeloom.rtl.aes.parameters import BLOCK_BITS, ROUNDS, check_count, check_key_bits, columns, slot_shape
from modeloom.rtl.aes.rounds.round_stages import SBOXES, RoundStages, add, register

__all__ = ["SBOXES", "AESPipeline"]


class _Travel:
    """A value that travels with a block.  Item n is the value of the block that entered n cycles ago."""

    def __init__(self, m: Module, value: Value, name: str) -> None:
        self._m, self._values, self._name = m, [value], name

    def __getitem__(self, cycle: int) -> Value:
        while len(self._values) <= cycle:
            value = self._values[-1]
            late = Signal(len(value), name=f"{self._name}_{len(self._values)}_reg", reset_less=True)
            self._m.d.sync += late.eq(value)
            self._values.append(late)
        return self._values[cycle]

    def later(self, value: Value) -> Value:
        """The register after one of the values."""
        return self[next(n for n, known in enumerate(self._values) if known is value) + 1]


class AESPipeline(wiring.Component):
    """AES (FIPS 197, 5.1; decryption: 5.3.5, the equivalent inverse cipher), one block per cycle.

    In a pipeline for both directions, one inversion and one MixColumns serve both (``layers.both``).  Decryption reads the round keys in
    the opposite order and in another form, so each round holds two round keys.

    Parameters
    ----------
    key_bits : int
        128, 192 or 256.
    registers_per_round : int
        1 to 4.  ``round_stages`` has their places.
    slots : int
        Number of key slots, at least 1. One slot is in registers. Several slots are in LUT memories, one for each round.
    direction : str
        "encrypt", "decrypt" or "both".
    whitening_register : bool
        Registers the sum of the input and the first round key, which takes one more cycle. Without this register, the first round has an
        XOR (and a key memory) before its S-boxes in one cycle. This is then the longest path, and abc uses the slack in the other rounds
        badly: on xc7, with two registers in a round, the pipeline takes a quarter more LUTs.
    sbox : str
        "lut": tables in logic; "bram": eight block memories with two ports in each round, 256 x 8 bits each; "composite", "bdd" or
        "compact": gates, see ``sboxes``.
    mixcolumns : str
        "plain", or "lut6": partitioned by hand into LUTs of six inputs, together with the round key.

    Attributes
    ----------
    rounds : int
        10, 12 or 14.
    latency : int
        rounds * registers_per_round, plus 1 with the whitening register. The result of a block given in cycle t is at ``o`` in cycle
        t + latency. The input has no register before the whitening, and the output has one.
    interval : int
        1: one block in every cycle.

    Members
    -------
    i, slot, decrypt
        Block (128 bits), its key slot, and its direction (only with "both"), in every cycle.
    o
        Result (128 bits).
    key_we, key_slot, key_round, key_data, key_data_dec
        Writes round key ``key_round`` (0 is the first block of the cipher key, as in FIPS 197) of a slot. ``key_data`` takes
        ``KeySchedule.data`` in an encrypter and ``data_dec`` in a decrypter. A pipeline for both directions takes both. A block in a later
        cycle uses the new key. The keys of a slot must not change while its blocks are in flight.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter is out of range.
    """

    # In the straight inverse cipher, the round key is in the input of InvMixColumns, so the XOR needs separate LUTs after the S-box.  The
    # equivalent inverse cipher adds the key in the last LUT of InvMixColumns.  On xc7, a round with two registers takes 860 LUTs, and 950
    # to 1070 with the straight inverse cipher.

    def __init__(
        self, key_bits: int = 128, registers_per_round: int = 1, slots: int = 1, *, direction: str = "encrypt",
        whitening_register: bool = True, sbox: str = "lut", mixcolumns: str = "plain",
    ):
        self.key_bits = check_key_bits(key_bits)
        self._stages = RoundStages(direction, registers_per_round, sbox, mixcolumns)
        self.registers_per_round, self.direction, self.sbox = registers_per_round, direction, sbox
        self.slots = check_count("slots", slots)
        if not isinstance(whitening_register, bool):
            raise TypeError(f"whitening_register must be True or False, not {whitening_register!r}")
        if sbox == "bram" and not whitening_register:
            raise ValueError("a block memory registers its address: sbox 'bram' needs whitening_register")
        self.whitening_register = whitening_register
        self.rounds = ROUNDS[key_bits]
        self.latency = self.rounds * registers_per_round + whitening_register
        self.interval = 1
        ports: dict[str, Any] = {
            "i": In(BLOCK_BITS),
            "slot": In(slot_shape(slots)),
            "o": Out(BLOCK_BITS),
            "key_we": In(1),
            "key_slot": In(slot_shape(slots)),
            "key_round": In(4),
            "key_data": In(BLOCK_BITS),
        }
        if self.direction == "both":
            ports |= {"decrypt": In(1), "key_data_dec": In(BLOCK_BITS)}
        super().__init__(ports)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        both = self.direction == "both"
        slot = _Travel(m, self.slot, "slot")
        decrypt = _Travel(m, self.decrypt if both else Signal(), "decrypt")

        def stored_key(index: int, data: Value, form: str = "", **when: Any) -> Value:
            write = Signal(name=f"write_{form}{index}")
            m.d.comb += write.eq(self.key_we & (self.key_round == index))
            return read_round_key(m, write, self.key_slot, data, slots=self.slots, index=f"{form}{index}", **when)

        def round_key(place: int, cycle: int) -> Value:
            """The round key for a place (0 is the whitening) and for the block that entered *cycle* cycles ago."""
            if not both:
                index = self.rounds - place if self.direction == "decrypt" else place
                return stored_key(index, self.key_data, travel=slot, cycle=cycle)
            # The key is selected a cycle ahead, so the logic of a round has no multiplexer.
            ahead = max(0, cycle - 1)
            encrypting = stored_key(place, self.key_data, travel=[slot[ahead]], cycle=0)
            decrypting = stored_key(self.rounds - place, self.key_data_dec, "dec_", travel=[slot[ahead]], cycle=0)
            pairs = zip(columns(decrypting), columns(encrypting), strict=True)
            key = Cat(Mux(decrypt[ahead], d, e) for d, e in pairs)
            return register(m, key, f"chosen_key_{place}") if cycle else key

        state = add(self.i, round_key(0, 0))
        if self.whitening_register and self._stages.registers_sums:
            state = self._stages.hold(m, state, decrypt[0], "whitened")
        for number in range(1, self.rounds + 1):
            end = number * self.registers_per_round + self.whitening_register
            begin = end - self.registers_per_round - (not self._stages.registers_sums)
            name = f"round_{number}_"
            state, way = self._stages.substitute(m, state, decrypt[begin], name, decrypt.later)
            last = number == self.rounds
            key = round_key(number, end - 1)
            state = self._stages.finish(m, state, key, name) if last else self._stages.mix(m, state, way, key, name)
            if last:
                state = register(m, state, f"round_{number}")
            elif self._stages.registers_sums:
                state = self._stages.hold(m, state, decrypt[end - 1], f"round_{number}")
        m.d.comb += self.o.eq(state)
        return m
