# SPDX-License-Identifier: Apache-2.0
"""One round of Deoxys-BC-256 for several blocks of any key slots, each with a tweak of its own: the cipher of a core for messages.

::

    i (+) key part 0 (+) tweak ──▶ reg ──▶ mux ──▶ state reg ──▶ round, with N - 1 registers (``rounds``) ──┬──▶ o
                                            ▲                        ▲                                      │
                                            └────────────────────────┼──────────────────────────────────────┘
                                                                     │
    tweak ──▶ mux ──▶ N registers ──▶ h ──┬──▶(+ key part r)──▶ reg ─┘    subtweakey r
               ▲                          │
               └──────────────────────────┘

    cycle      0      2 ... N + 1     3 ... N + 2     14 N + 2 ... 14 N + N + 1
    batch      high
    i, tweak          blocks                          blocks of the next batch
    mux                               enter           round 14 of one batch ends, and the next batch enters a cycle later

The tweak goes round beside its block, and the part of the key is in a memory, which is read once a cycle.  A tweak is a step ahead of its
block, so that the sum with the key part has a register of its own.  What the first subtweakey takes of the key has a memory of its own, as
blocks enter while others take their last subtweakey.  A block that is decrypted begins with h^14 of its tweak and goes back.

A round core of one mode with one key is ``multistream``, which stands in the catalogue of circuits.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In

from modeloom.rtl.aes.keys.round_keys import LUT_MEMORY, read_round_key
from modeloom.rtl.aes.parameters import BLOCK_BITS, check_count, columns, named
from modeloom.rtl.aes.rounds.round_stages import register
from modeloom.rtl.batch_places import count_places
from modeloom.rtl.deoxys.multistream import STREAMS
from modeloom.rtl.deoxys.ports import slotted_ports
from modeloom.rtl.deoxys.rounds import deoxys_round, key_lead
from modeloom.rtl.deoxys.tweakey import ROUNDS, permute
from modeloom.spec.directions import DIRECTIONS

__all__ = ["DeoxysBCStreams"]

ENTERS = 1
"""Cycles from a block to its place in the loop."""

PLACES = 16
"""Parts of a key for which a slot has a place."""


class DeoxysBCStreams(wiring.Component):
    """Deoxys-BC-256 (Deoxys v1.41, section 2) for batches of 1, 2 or 4 blocks, in the architecture of luts2017, section 2.3.

    Parameters
    ----------
    streams : int
        1, 2 or 4: blocks of a batch, and cycles of a round.
    slots : int
        Number of key slots, at least 1.
    direction : str
        "encrypt", "decrypt" or "both".
    whole_sboxes : bool
        Asks tools to map each table by itself, into 32 LUTs of six inputs.

    Attributes
    ----------
    rounds : int
        14.
    interval : int
        14 * *streams* cycles from a batch to the earliest next one.
    latency : int
        Cycles from a block to its result: ``interval`` + 2, or + 1 if a round has a register behind its subtweakey.

    Members
    -------
    batch
        High two cycles before the first block of a batch.
    i, tweak, slot, decrypt
        A block of a batch and its tweak (128 bits each), its key slot, and its direction (only with "both"), in *streams* successive
        cycles.
    o
        The result (128 bits).  It has another value in the next cycle.
    key_we, key_slot, key_round, key_data
        Writes part ``key_round`` (0 to 14) of the key of a slot, as ``DeoxysKeySchedule`` gives it.  Keys of a block at work must not
        change.

    Raises
    ------
    TypeError
        A number is not an integer.
    ValueError
        A parameter has none of its possible values.
    """

    def __init__(self, streams: int = 4, slots: int = 1, direction: str = "encrypt", *, whole_sboxes: bool = False):
        if streams not in STREAMS or isinstance(streams, bool):
            raise ValueError(f"streams must be one of {', '.join(map(str, STREAMS))}, not {streams!r}")
        if direction not in DIRECTIONS:
            raise ValueError(f"direction must be one of {', '.join(DIRECTIONS)}, not {direction!r}")
        self.streams, self.slots = streams, check_count("slots", slots)
        self.direction, self.whole_sboxes = direction, whole_sboxes
        self.rounds, self.interval = ROUNDS, ROUNDS * streams
        self._lead = key_lead(direction, streams - 1)
        self.latency = self.interval + ENTERS + 1 - self._lead
        super().__init__({"batch": In(1), **slotted_ports(slots, direction)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        streams, ahead = self.streams, 1 + self._lead
        places, windows = count_places(m, self.batch, streams=streams, rounds=ROUNDS, enters=ENTERS, ahead=ahead)

        # The slot and the direction of the block in each stage.  Item n of ``coming`` belongs to the block that ends its round in n cycles.
        arrives = Cat(self.slot, self.decrypt if self.direction == "both" else Signal(name="way"))
        arrived_reg = Signal(len(arrives), reset_less=True)
        ring = [Signal(len(arrives), name=f"ring_{n}_reg", reset_less=True) for n in range(streams)]
        enters = Signal(len(arrives), name="ring_next")
        m.d.comb += enters.eq(Mux(windows[0], arrived_reg, ring[-1]))
        m.d.sync += [arrived_reg.eq(arrives), *(after.eq(before) for after, before in zip(ring, (enters, *ring), strict=False))]
        coming = [*reversed(ring), enters]

        subtweakey = self._subtweakey(m, places[ahead], windows[1], coming, ahead)
        state = [Signal(32, name=f"state_{n}_reg", reset_less=True) for n in range(4)]
        going = deoxys_round(
            m, Cat(state), subtweakey, self.direction, streams - 1, lambda n: ring[n][-1], whole_sboxes=self.whole_sboxes
        )
        for n, (reg, new, old) in enumerate(zip(state, columns(self._whitened(m)), columns(going), strict=True)):
            following = Signal(32, name=f"following_{n}")
            m.d.comb += following.eq(Mux(windows[0], new, old))
            m.d.sync += reg.eq(following)
        m.d.comb += self.o.eq(going if self._lead else register(m, going, "o"))
        return m

    # -- tweaks -------------------------------------------------------------------------------------------------------------------

    def _chosen(self, way: Value, encrypt: Value, decrypt: Value) -> Value:
        """One of two values: that of the direction of the core, or of a block of the direction *way*."""
        if self.direction == "both":
            return Cat(Mux(way, b, f) for b, f in zip(columns(decrypt), columns(encrypt), strict=True))
        return encrypt if self.direction == "encrypt" else decrypt

    def _whitened(self, m: Module) -> Value:
        """The sum of a block with its first subtweakey, a cycle after it has come."""
        form = self._chosen(self._way, self.tweak, permute(self.tweak, ROUNDS))
        return register(m, named(m, "whitened", self.i ^ form ^ self._first_part(m)), "whitened")

    @property
    def _way(self) -> Value:
        return self.decrypt if self.direction == "both" else Signal(name="way")

    def _subtweakey(self, m: Module, place: Value, window: Value, coming: list[Value], ahead: int) -> Value:
        """The subtweakey for the end of the round of the block in the last stage, ``ahead`` - 1 cycles before it ends.

        A tweak enters its loop with its block, which is a cycle before this block enters its own.  ``window`` is high in this cycle.
        """
        tweak = Signal(BLOCK_BITS, name="tweak_next")
        shifted: list[Value] = [tweak]
        for n in range(self.streams):
            shifted.append(register(m, shifted[-1], f"tweak_{n}"))

        def stepped(value: Value, way: Value) -> Value:
            return self._chosen(way, permute(value), permute(value, -1))

        last = shifted[-1]
        # One bit selects for the tweaks that enter, too, so that each bit is a function of six others.
        way = Signal(name="tweak_way")
        m.d.comb += way.eq(Mux(window, self._way, coming[1][-1]))
        backward = Cat(Mux(window, a, b) for a, b in zip(columns(permute(self.tweak, ROUNDS)), columns(permute(last, -1)), strict=True))
        forward = Cat(Mux(window, a, b) for a, b in zip(columns(self.tweak), columns(permute(last)), strict=True))
        m.d.comb += tweak.eq(self._chosen(way, forward, backward))
        before = shifted[self.streams + 1 - ahead]
        total = stepped(before, coming[ahead][-1]) ^ self._part(m, place, coming[ahead])
        return register(m, named(m, "sum", total), "subtweakey")

    # -- parts of keys ------------------------------------------------------------------------------------------------------------

    def _part(self, m: Module, place: Value, block: Value) -> Value:
        """What the key of a block adds to its subtweakey at the end of a round."""
        m.submodules.keys = keys = memory.Memory(shape=BLOCK_BITS, depth=PLACES * self.slots, init=[], attrs=LUT_MEMORY)
        write, read = keys.write_port(), keys.read_port(domain="comb")
        # A sum in the address of a memory is wider in some simulators of Verilog than in others, so it has a name.
        number, backward = Signal(4, name="key_number"), Signal(4, name="key_number_back")
        m.d.comb += backward.eq(ROUNDS - place)
        m.d.comb += number.eq({"encrypt": place, "decrypt": backward}.get(self.direction, Mux(block[-1], backward, place)))
        m.d.comb += [
            write.addr.eq(Cat(self.key_round, self.key_slot)), write.data.eq(self.key_data), write.en.eq(self.key_we),
            read.addr.eq(Cat(number, block[:-1])),
        ]  # fmt: skip
        return read.data

    def _first_part(self, m: Module) -> Value:
        """Part 0 of the key of a block that comes, or part 14 if it is decrypted."""
        numbers = {"encrypt": (0,), "decrypt": (ROUNDS,)}.get(self.direction, (0, ROUNDS))
        write = Signal(name="write_first")
        m.d.comb += write.eq(self.key_we & sum(self.key_round == number for number in numbers))
        if len(numbers) == 1:
            return read_round_key(m, write, self.key_slot, self.key_data, slots=self.slots, travel=[self.slot], cycle=0, index="first")
        m.submodules.first_keys = keys = memory.Memory(shape=BLOCK_BITS, depth=2 * self.slots, init=[], attrs=LUT_MEMORY)
        write_port, read_port = keys.write_port(), keys.read_port(domain="comb")
        m.d.comb += [
            write_port.addr.eq(Cat(self.key_round != 0, self.key_slot)), write_port.data.eq(self.key_data), write_port.en.eq(write),
            read_port.addr.eq(Cat(self.decrypt, self.slot)),
        ]  # fmt: skip
        return read_port.data
