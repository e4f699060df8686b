# SPDX-License-Identifier: Apache-2.0
"""A round of Deoxys-BC on the layers of AES, with its subtweakey at the end, so that each direction takes subtweakeys in its own order.

::

    encrypt    state ──▶ S-boxes ──A──▶ MixColumns, first sums ──B──▶ MixColumns (+) subtweakey ──C──▶
    decrypt    state ──▶ InvMixColumns ──D──▶ inverse S-boxes ──A──▶ (+) subtweakey ──C──▶
    both       state ──┬────────────────────▶ 0 ┐
                       └──▶ InvMixColumns ──D─▶ 1 ┴─▶ inversion in GF(2^8) ──A──┬──▶ affine map, MixColumns ──B──▶ 0 ┐
                                                                               └───────────────────────────B──▶ 1 ┴─▶(+)──▶

The inverse cipher is the straight one (Deoxys v1.41, section 2.2): a subtweakey has a tweak in it, and its form for the equivalent inverse
cipher would take an InvMixColumns of its own in each round.  So a round for both directions shares the inversion, and not MixColumns.

Letters are places of registers::

    registers    encrypt    decrypt    both          a round in a pipeline has one more behind it, and a round core its state
    0
    1            A          D          A
    2            A B        D A        D A
    3            A B C      D A C      D A B

With both directions, D registers the state beside InvMixColumns, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out

from modeloom.rtl.aes.key_schedule import read_round_key, slotted_ports
from modeloom.rtl.aes.layers import (
    add_in_luts,
    affine_in_luts,
    inv_shift_rows,
    invert_bytes,
    keyed_forward_network,
    lower_columns,
    map_before_in_luts,
    plain_network,
    shift_rows,
)
from modeloom.rtl.aes.parameters import BLOCK_BITS, Direction, check_count, choose, columns, named
from modeloom.rtl.aes.rounds import register
from modeloom.rtl.aes.sbox import inv_sub_bytes, sub_bytes

__all__ = [
    "CONSTANTS", "CUTS", "KEY_BITS", "ORDER", "ROUNDS", "DeoxysBCPipeline", "DeoxysKeySchedule", "H", "deoxys_round", "key_lead",
    "lfsr_2", "next_constant", "permute", "round_constant", "step", "tweaked_ports",
]  # fmt: skip


# -- rounds ----------------------------------------------------------------------------------------------------------------------------

# The tweakey schedule of Deoxys-BC-256 (Deoxys v1.41, section 2.3) as layers: a permutation of bytes, an LFSR, round constants.
#
# With key K and tweak T, subtweakey i is h^i(T) + key part i, and key part i is (h after LFSR_2)^i (K) + round constant i.  Byte 0 is bits
# [7:0]:
#
#     h        byte n of the result is byte H[n] of the argument: wires.  Eight times h changes nothing.
#     LFSR_2   x7 x6 x5 x4 x3 x2 x1 x0  ->  x6 x5 x4 x3 x2 x1 x0 (x7 + x5), in each byte: 16 XORs
#     h after LFSR_2 is linear, so that subtweakey i + 1 = h(subtweakey i) + step i + 1, with steps that depend on the key alone
#
# A tweak needs no logic of its own, and a key's part is the same for all tweaks.

KEY_BITS = 128

ROUNDS = 14

H = (1, 6, 11, 12, 5, 10, 15, 0, 9, 14, 3, 4, 13, 2, 7, 8)

ORDER = 8
"""The order of h."""

FIRST_CONSTANT = 0x2F


def _constants() -> tuple[int, ...]:
    values = [FIRST_CONSTANT]
    while len(values) <= ROUNDS:
        values.append(values[-1] << 1 ^ (0x11B if values[-1] & 0x80 else 0))
    return tuple(values)


CONSTANTS = _constants()
"""rcon_0 to rcon_14: each is twice the one before, in the field of AES."""


def permute(word: Value, times: int = 1) -> Value:
    """h, so many times.  A negative number stands for the inverse of h."""
    order = list(range(16))
    for _ in range(times % ORDER):
        order = [order[source] for source in H]
    return Cat(word.word_select(source, 8) for source in order)


def lfsr_2(m: Module, word: Value) -> Value:
    """LFSR_2 of each byte of a word of 128 bits."""
    result = []
    for column in columns(word):
        column = named(m, "lfsr", column)
        bits = [column[low : low + 8] for low in range(0, 32, 8)]
        result.append(named(m, "stepped", Cat(Cat(byte[7] ^ byte[5], byte[:7]) for byte in bits)))
    return Cat(result)


def next_constant(rcon: Value) -> Value:
    """The constant after *rcon*, of 8 bits."""
    return (Cat(rcon[7], rcon[:7]) ^ Cat(0, rcon[7], 0, rcon[7], rcon[7], 0, 0, 0))[:8]


def round_constant(rcon: Value) -> Value:
    """The round constant with *rcon*, of 8 bits, in 128 bits: column 0 is 1, 2, 4, 8, and column 1 is *rcon* four times."""
    return Cat(Const(0x08040201, 32), rcon, rcon, rcon, rcon, Const(0, 64))


def step(m: Module, word: Value, rcon: Value) -> tuple[Value, Value]:
    """The following word of the key, and what subtweakey i + 1 has besides h(subtweakey i).

    Parameters
    ----------
    m : Module
        Receives the logic.
    word : Value
        (h after LFSR_2)^i of the key, without round constant.
    rcon : Value
        rcon_i.
    """
    following = permute(lfsr_2(m, word))
    own = named(m, "own", word ^ round_constant(rcon))
    constant = round_constant(next_constant(rcon))
    return following, named(m, "step", following ^ constant ^ permute(own))

CUTS = {"encrypt": ("", "A", "AB", "ABC"), "decrypt": ("", "D", "DA", "DAC"), "both": ("", "A", "DA", "DAB")}
"""Places of the registers of a round, for each direction and number of them."""


def key_lead(direction: str, registers: int) -> int:
    """How many registers of a round are behind its subtweakey: 0 or 1."""
    return int("C" in CUTS[direction][registers])


def deoxys_round(
    m: Module, state: Value, subtweakey: Value, direction: Direction, registers: int, way: Callable[[int], Value], name: str = "",
    whole_sboxes: bool = True,
) -> Value:
    """A round, added to *m*.

    Parameters
    ----------
    m : Module
        Receives logic and registers.
    state : Value
        128 bits.
    subtweakey : Value
        For the end of this round, in the cycle of the result, or a cycle before (:func:`key_lead`).
    direction : Direction
    registers : int
        0 to 3.
    way : callable
        ``way(n)``: whether the block that entered the round n cycles ago is decrypted.  It is used with "both".
    name : str
        Prefix of the names of registers.
    whole_sboxes : bool
        Asks tools to map each table by itself (see ``sub_bytes``).

    Returns
    -------
    Value
        The next state, *registers* cycles later.
    """
    return _ROUNDS[direction](_Cuts(m, CUTS[direction][registers], name), state, subtweakey, way, whole_sboxes)


@dataclass(frozen=True)
class _Cuts:
    """The registers of a round, at the places with these letters."""

    m: Module
    places: str
    name: str

    def register(self, value: Value, what: str) -> Value:
        """A value, a cycle later."""
        return register(self.m, value, self.name + what)

    def at(self, place: str, value: Value, what: str) -> Value:
        """A value, a cycle later if there is a register at a place."""
        return self.register(value, what) if place in self.places else value


def _encrypt(cuts: _Cuts, state: Value, subtweakey: Value, way: Callable[[int], Value], whole: bool) -> Value:
    m = cuts.m
    state = cuts.at("A", shift_rows(sub_bytes(m, state, whole=whole)), "substituted")
    state = lower_columns(m, keyed_forward_network(), state, subtweakey, register=cuts.register if "B" in cuts.places else None)
    return cuts.at("C", state, "added")


def _decrypt(cuts: _Cuts, state: Value, subtweakey: Value, way: Callable[[int], Value], whole: bool) -> Value:
    m = cuts.m
    unmixed = cuts.at("D", lower_columns(m, plain_network("decrypt"), state), "unmixed")
    state = cuts.at("A", inv_sub_bytes(m, inv_shift_rows(unmixed), whole=whole), "substituted")
    return cuts.at("C", add_in_luts(m, state, subtweakey), "added")


def _both(cuts: _Cuts, state: Value, subtweakey: Value, way: Callable[[int], Value], whole: bool) -> Value:
    m = cuts.m
    unmixed = cuts.at("D", lower_columns(m, plain_network("decrypt"), state), "unmixed")
    state = cuts.at("D", state, "beside")
    chosen = map_before_in_luts(m, shift_rows(state), inv_shift_rows(unmixed), way(int("D" in cuts.places)))
    inverted = cuts.at("A", invert_bytes(m, chosen, whole=whole), "inverted")
    mixed = cuts.at("B", lower_columns(m, plain_network("encrypt"), affine_in_luts(m, inverted)), "mixed")
    return _after_mix_columns(m, mixed, cuts.at("B", inverted, "waiting"), subtweakey, way(len(cuts.places)))


_ROUNDS = {"encrypt": _encrypt, "decrypt": _decrypt, "both": _both}


def _after_mix_columns(m: Module, mixed: Value, waiting: Value, subtweakey: Value, decrypt: Value) -> Value:
    """*mixed*, or *waiting* if *decrypt*, and the subtweakey.  Each bit is one LUT."""
    result = []
    for parts in zip(columns(mixed), columns(waiting), columns(subtweakey), strict=True):
        m_c, w_c, k_c = (named(m, what, part) for what, part in zip(("mixed", "waiting", "key"), parts, strict=True))
        sums = [Signal(name=f"result_{n}", attrs={"keep": 1}) for n in range(32)]
        m.d.comb += [bit.eq(Mux(decrypt, w_c[n], m_c[n]) ^ k_c[n]) for n, bit in enumerate(sums)]
        result.append(named(m, "results", Cat(sums)))
    return Cat(result)


# The ports of the cores of Deoxys-BC that hold the round keys of several slots: the pipeline, and the round for several blocks.

def tweaked_ports(slots: int, direction: Direction) -> dict[str, Member]:
    """Block, tweak and slot in, result out, and the port that writes the part of a subtweakey that comes of the key.

    There is ``decrypt`` if the direction is "both".
    """
    ports = {"i": In(BLOCK_BITS), "tweak": In(BLOCK_BITS)}
    return ports | slotted_ports(slots, range(ROUNDS + 1)) | direction.ports(decrypt=In(1))


# -- key schedule ------------------------------------------------------------------------------------------------------------------

# The key's part of the subtweakeys, one in each cycle.
#
#               ┌───────────────────────────────┐
#               ▼                               │
#     key ──▶ word_reg ──┬──▶ LFSR_2, h ────────┘
#                        └──▶(+) round constant ──▶ data
#
#     cycle     t        t + 1          t + 2     ...   t + 15
#               start    key part 0     1               14, done

class DeoxysKeySchedule(wiring.Component):
    """Expands a key into writes of its 15 parts, or writes zeros over all of them.

    Attributes
    ----------
    latency : int
        15 cycles from ``start`` to the last write.  Part r is written r + 1 cycles after ``start``.
    interval : int
        16 cycles from one start to the earliest next start.
    erase_latency : int
        15 cycles from ``erase`` to the last write.

    Members
    -------
    start, key
        Expands ``key`` (128 bits), which is read only in this cycle.
    erase
        Writes zeros to all parts.  It takes precedence over ``start`` in the same cycle.
    we, round, data, data_dec
        A write: number of the part, 0 to 14, and its 128 bits, which are the same on both outputs.
    busy
        High from the cycle after a request to its last write, which ``done`` marks.  Meanwhile, requests are ignored.
    done
        High in the cycle of the last write.

    The component keeps no part of a key after ``done`` or a reset.
    """

    def __init__(self) -> None:
        self.latency, self.interval, self.erase_latency = ROUNDS + 1, ROUNDS + 2, ROUNDS + 1
        self.rounds = ROUNDS
        super().__init__({
            "start": In(1),
            "erase": In(1),
            "key": In(KEY_BITS),
            "we": Out(1),
            "round": Out(range(ROUNDS + 1)),
            "data": Out(BLOCK_BITS),
            "data_dec": Out(BLOCK_BITS),
            "busy": Out(1),
            "done": Out(1),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        word_reg = [Signal(32, name=f"word_{n}_reg") for n in range(4)]
        rcon_reg = Signal(8)
        busy_reg = Signal()
        erasing_reg = Signal()
        round_reg = Signal(range(ROUNDS + 1))
        constant = columns(round_constant(rcon_reg))
        # An erasure keeps the registers at zero, and it leaves out the constant, which has ones.
        data = [named(m, "part", word ^ Mux(erasing_reg, 0, each)) for word, each in zip(word_reg, constant, strict=True)]
        m.d.comb += [
            self.busy.eq(busy_reg),
            self.we.eq(busy_reg),
            self.done.eq(busy_reg & (round_reg == ROUNDS)),
            self.round.eq(round_reg),
            *[port[32 * n : 32 * n + 32].eq(each) for port in (self.data, self.data_dec) for n, each in enumerate(data)],
        ]
        following = columns(permute(lfsr_2(m, Cat(word_reg))))
        with m.If(self.done):
            m.d.sync += [reg.eq(0) for reg in (*word_reg, rcon_reg, busy_reg, erasing_reg, round_reg)]
        with m.Elif(busy_reg):
            m.d.sync += round_reg.eq(round_reg + 1)
            with m.If(~erasing_reg):
                m.d.sync += [reg.eq(word) for reg, word in zip(word_reg, following, strict=True)]
                m.d.sync += rcon_reg.eq(next_constant(rcon_reg))
        with m.Elif(self.erase):
            m.d.sync += [busy_reg.eq(1), erasing_reg.eq(1)]
        with m.Elif(self.start):
            m.d.sync += [busy_reg.eq(1), rcon_reg.eq(FIRST_CONSTANT)]
            m.d.sync += [reg.eq(word) for reg, word in zip(word_reg, columns(self.key), strict=True)]
        return m


# -- pipeline --------------------------------------------------------------------------------------------------------------------------

# The pipeline of Deoxys-BC-256: a block with its tweak in each cycle, fixed latency, keys of several slots.
#
# The tweak travels with its block, and rounds take it with permuted bytes.  What the key adds to each subtweakey lies in a memory for each
# round, with a word for each slot.  The sum of both is made a cycle ahead, so that a round has one operand more than its state::
#
#     cycle      0                   1        ...            latency - 1    latency
#     i, slot ──▶(+)──▶ w. reg ──▶ round 1 ──▶ ... ──▶ ... ──▶ round 14 ──▶ reg ──▶ o
#                 ▲                  ▲                            ▲
#                 │                 reg                          reg         subtweakeys 0, 1, ..., 14 (of a block that is decrypted:
#     keys ──────(+)      keys ─────(+)        keys ─────────────(+)         14, 13, ..., 0)
#                 ▲                  ▲                            ▲
#     tweak ──────┴──▶ reg ─────────h(T)──▶ reg ... ─────────────h^14(T)
#
# The pipeline never stalls: no register of the data path has a clock enable or a reset.  ``rounds`` has the places of its registers.

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
