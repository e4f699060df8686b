# SPDX-License-Identifier: Apache-2.0
"""One round of Deoxys-BC-256 for several blocks at a time: the architecture of luts2017, sections 2.3 and 3.

::

                 ┌────────────────────────────────────────────────────────────────┐
                 ▼                                                                │
    i ──▶(+)──▶ mux ──▶ state reg ──▶ round, with N - 1 registers (``rounds``) ───┴──▶ o
          ▲                                 ▲
          first subtweakey                  subtweakey        from ``subtweakeys``

With s streams, a batch of s blocks enters in the cycles 0 ... s - 1.  Round r of stream n ends in cycle n + s r.  The next batch enters
while the last round of this batch ends, so that s blocks take 14 s cycles: 14 for each block and stream.  luts2017 prints 128 f / 15.
"""

from __future__ import annotations

from collections.abc import Callable

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Member, Out

from modeloom.rtl.aes.key_schedule import LUT_MEMORY, read_round_key, read_word
from modeloom.rtl.aes.parameters import BLOCK_BITS, CORES, Direction, check_count, choose, columns, named
from modeloom.rtl.aes.rounds import check_streams, register
from modeloom.rtl.counter import count_places, run_batches
from modeloom.rtl.deoxys.rounds import (
    CONSTANTS,
    FIRST_CONSTANT,
    KEY_BITS,
    ROUNDS,
    deoxys_round,
    key_lead,
    lfsr_2,
    next_constant,
    permute,
    round_constant,
    step,
    tweaked_ports,
)

__all__ = ["SCHEDULES", "DeoxysBCMultiStream", "DeoxysBCStreams", "ShiftedSubtweakeys", "StoredSubtweakeys"]


# Subtweakeys of a round core with N blocks in its round, each with a tweak of its own, in a loop of N registers.
#
# A round core adds a subtweakey of another block in each cycle.  So the schedule takes one stage, and is shifted for the other N - 1 cycles
# (luts2017, section 2.3).  Shift registers of three stages and more are LUTs.
#
# ``StoredSubtweakeys`` has a key for all blocks.  Its loop has the subtweakeys themselves, since they follow each other by wires and a sum
# that depends on the key alone, which a memory has for each round:
#
#     tweak ──▶(+ key part 0)──▶ mux ──▶ h ──▶(+ step r)──▶ reg ──┬──▶ subtweakey
#                                 ▲                               │
#                                 └── shift register, N - 1 ◀─────┘
#
# ``ShiftedSubtweakeys`` has a key for each block, and no memory: key and tweak have a loop each, as in luts2017:
#
#     key ───▶ mux ──▶ shift register ──▶ LFSR_2, h ──▶ shift register ──▶ back to mux        N registers in both
#     tweak ─▶ mux ──▶ shift register ─────────────▶ h ─▶ shift register ──▶ back to mux
#                                                       └──▶(+) round constant ──▶ reg ──▶ subtweakey

def _shifted(m: Module, value: Value, cycles: int, name: str) -> Value:
    for n in range(cycles):
        value = register(m, value, f"{name}_{n}")
    return value


def _sum(m: Module, name: str, *terms: Value) -> Value:
    first, *others = (columns(term) for term in terms)
    for other in others:
        first = [a ^ b for a, b in zip(first, other, strict=True)]
    return named(m, name, Cat(first))


class StoredSubtweakeys(wiring.Component):
    """Subtweakeys under one key, whose part is in memories.

    Parameters
    ----------
    streams : int
        Blocks in the round.
    direction : Direction

    Members
    -------
    load, key
        Computes the words of a key (128 bits), which is read only in this cycle.  No block may be in the core until they are there.
    tweak_first, decrypt_first
        The tweak and the direction of the block that enters now.
    first
        Its first subtweakey, in the same cycle.
    enter, tweak, decrypt, number
        Whether the subtweakey of a block is its first one here, and then its tweak.  Its direction, and the number of its round, 1 to 14.
    subtweakey
        The subtweakey of this round, in the next cycle.
    """

    def __init__(self, streams: int, direction: Direction):
        self.streams, self.direction = streams, direction
        super().__init__({
            "load": In(1),
            "key": In(KEY_BITS),
            "tweak_first": In(BLOCK_BITS),
            "decrypt_first": In(1),
            "first": Out(BLOCK_BITS),
            "enter": In(1),
            "tweak": In(BLOCK_BITS),
            "decrypt": In(1),
            "number": In(range(ROUNDS + 1)),
            "subtweakey": Out(BLOCK_BITS),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        ends, steps = self._words(m)
        m.d.comb += self.first.eq(self._first(m, "first", ends(self.decrypt_first), self.tweak_first, self.decrypt_first))
        again = self._first(m, "again", ends(self.decrypt), self.tweak, self.decrypt)
        subtweakey = [Signal(32, name=f"subtweakey_{n}_reg", reset_less=True) for n in range(4)]
        before = named(m, "before", choose(self.enter, again, _shifted(m, Cat(subtweakey), self.streams - 1, "shifted")))
        forward = _sum(m, "forward", permute(before), steps)
        backward = permute(_sum(m, "stepped", before, steps), -1)
        result = self.direction.chosen(m, "following", self.decrypt, forward, backward)
        m.d.sync += [reg.eq(word) for reg, word in zip(subtweakey, columns(result), strict=True)]
        m.d.comb += self.subtweakey.eq(Cat(subtweakey))
        return m

    def _first(self, m: Module, name: str, end: Value, tweak: Value, decrypt: Value) -> Value:
        """The subtweakey with which a block begins: number 0, or 14 if it is decrypted."""
        return _sum(m, name, end, self.direction.chosen(m, f"{name}_form", decrypt, tweak, permute(tweak, ROUNDS)))

    def _words(self, m: Module) -> tuple[Callable[[Value], Value], Value]:
        """What the key gives: its parts 0 and 14 by direction, and the step to the subtweakey of a round (or from it)."""
        word_reg = [Signal(32, name=f"word_{n}_reg") for n in range(4)]
        rcon_reg = Signal(8)
        number_reg = Signal(range(ROUNDS + 1))
        busy_reg = Signal()
        word = Cat(word_reg)
        following, following_step = step(m, word, rcon_reg)
        last = Signal()
        m.d.comb += last.eq(number_reg == ROUNDS)
        with m.If(self.load):
            m.d.sync += [busy_reg.eq(1), number_reg.eq(0), rcon_reg.eq(FIRST_CONSTANT)]
            m.d.sync += [reg.eq(each) for reg, each in zip(word_reg, columns(self.key), strict=True)]
        with m.Elif(busy_reg):
            m.d.sync += [busy_reg.eq(~last), number_reg.eq(number_reg + 1), rcon_reg.eq(next_constant(rcon_reg))]
            m.d.sync += [reg.eq(each) for reg, each in zip(word_reg, columns(following), strict=True)]
            with m.If(last):
                m.d.sync += [reg.eq(0) for reg in word_reg]

        # Step n leads from subtweakey n to n + 1, and back.
        backward = {"encrypt": Const(0, 1), "decrypt": Const(1, 1), "both": self.decrypt}[self.direction]
        m.submodules.steps = steps = memory.Memory(shape=BLOCK_BITS, depth=16, init=[], attrs=LUT_MEMORY)
        write, read = steps.write_port(), steps.read_port(domain="comb")
        m.d.comb += [write.addr.eq(number_reg), write.data.eq(following_step), write.en.eq(busy_reg)]
        m.d.comb += read.addr.eq(Mux(backward, ROUNDS - self.number, self.number - 1))

        part = _sum(m, "part", word, round_constant(rcon_reg))
        begins = number_reg == 0
        ends = {"encrypt": [begins], "decrypt": [last], "both": [last, begins]}[self.direction]
        if len(ends) == 1:
            end_reg = [Signal(32, name=f"end_{n}_reg", reset_less=True) for n in range(4)]
            with m.If(busy_reg & ends[0]):
                m.d.sync += [reg.eq(each) for reg, each in zip(end_reg, columns(part), strict=True)]
            return (lambda decrypt: Cat(end_reg)), read.data
        m.submodules.ends = both = memory.Memory(shape=BLOCK_BITS, depth=2, init=[], attrs=LUT_MEMORY)
        write_end = both.write_port()
        m.d.comb += [write_end.addr.eq(last), write_end.data.eq(part), write_end.en.eq(busy_reg & (ends[0] | ends[1]))]

        def end(decrypt: Value) -> Value:
            port = both.read_port(domain="comb")
            m.d.comb += port.addr.eq(decrypt)
            return port.data

        return end, read.data


class ShiftedSubtweakeys(wiring.Component):
    """Subtweakeys with a key for each block, computed as they are used, for a core that encrypts.

    Parameters
    ----------
    streams : int
        Blocks in the round.
    lead : int
        How many cycles before the end of a round its subtweakey is needed: 0 or 1.

    Attributes
    ----------
    ahead : int
        *lead*: cycles from ``key`` and ``tweak`` to their block.
    erase_latency : int
        *streams* + 1 cycles: after *streams* cycles of ``erase`` and one more, no register depends on a key.

    Members
    -------
    start, key, tweak
        Key and tweak (128 bits each) of a block.
    first
        Its first subtweakey, in the cycle of the block.
    number
        Number of the round, 1 to 14, of the block whose turn it is *streams* - 1 - *lead* cycles after it has entered.
    subtweakey
        The subtweakey of this round, in the next cycle.
    erase
        The block whose turn it is takes a key and a tweak of zeros.  Hold it for *streams* cycles.
    """

    def __init__(self, streams: int, lead: int):
        self.streams, self.ahead = streams, lead
        self.erase_latency = streams + 1
        super().__init__({
            "start": In(1),
            "key": In(KEY_BITS),
            "tweak": In(BLOCK_BITS),
            "first": Out(BLOCK_BITS),
            "number": In(range(ROUNDS + 1)),
            "subtweakey": Out(BLOCK_BITS),
            "erase": In(1),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        first = _sum(m, "first", self.key, self.tweak, round_constant(Const(FIRST_CONSTANT, 8)))
        m.d.comb += self.first.eq(_shifted(m, first, self.ahead, "first"))
        stepped = []
        for name, port in (("key", self.key), ("tweak", self.tweak)):
            loop = [Signal(32, name=f"{name}_loop_{n}_reg", reset_less=True) for n in range(4)]
            # Zeros enter like a key, because registers with a reset cannot become a shift register in LUTs.
            new = named(m, f"{name}_new", choose(self.erase, Const(0, BLOCK_BITS), port))
            taken = named(m, f"{name}_taken", choose(self.start | self.erase, new, Cat(loop)))
            shifted = _shifted(m, taken, self.streams - 1, f"{name}_shifted")
            after = permute(lfsr_2(m, shifted) if name == "key" else shifted)
            m.d.sync += [reg.eq(word) for reg, word in zip(loop, columns(after), strict=True)]
            stepped.append(after)
        rcon = Signal(8)
        with m.Switch(self.number):
            for number, constant in enumerate(CONSTANTS):
                with m.Case(number):
                    m.d.comb += rcon.eq(constant)
        m.d.comb += self.subtweakey.eq(register(m, _sum(m, "sum", *stepped, round_constant(rcon)), "subtweakey"))
        return m


# -- multistream -------------------------------------------------------------------------------------------------------------------

SCHEDULES = {"stored": CORES, "srl": CORES[:1]}
"""Where the key's part of the subtweakeys is: in a memory, or in a shift register that each block has for itself.  With its directions."""


class DeoxysBCMultiStream(wiring.Component):
    """Deoxys-BC-256 for 1, 2 or 4 blocks at a time.

    Parameters
    ----------
    streams : int
        1, 2 or 4: number of blocks in a batch, and of cycles in a round.
    direction : str
        "encrypt", "decrypt" or "both".
    schedule : str
        "stored": one key, which is loaded before.  "srl": each block comes with its key, and the core encrypts.

    Attributes
    ----------
    rounds : int
        14.
    latency : int
        14 * streams + 1 cycles from a block, or from its key if this comes before, to its result.  If a round has a register behind its
        subtweakey and the key is stored, 14 * streams.
    interval : int
        14 * streams: cycles from one batch to the earliest next batch.
    tweak_lag : int
        Cycles from a block to the second time that its tweak is needed ("stored").
    key_ahead : int
        Cycles from key and tweak of a block to the block ("srl").
    load_cycles : int
        Cycles from ``load`` to the first block ("stored").

    Members
    -------
    ready, start
        A batch begins in a cycle with both high.
    i
        The blocks of the batch (128 bits): one in this cycle, and the others in the following cycles.
    decrypt
        Direction of the batch, with its first block.  It is there only with "both".
    o, valid
        Results (128 bits) in the cycles with ``valid`` high.
    load, key, tweak, tweak_again
        "stored": ``load`` takes a key (128 bits), while no block is in the core.  The tweak (128 bits) of each block comes with the block,
        and once more ``tweak_lag`` cycles later, so that who has the tweaks in registers need not store them twice.
    key_start, key, tweak, erase
        "srl": key and tweak of each block, ``key_ahead`` cycles before the block, with ``key_start`` high.  ``erase`` is that of
        ``ShiftedSubtweakeys``.

    Raises
    ------
    ValueError
        A parameter has none of its possible values.
    """

    def __init__(self, streams: int = 4, direction: str = "encrypt", schedule: str = "stored"):
        self.streams, self.direction, self.schedule = check_streams(streams), Direction.of(direction), schedule
        if schedule not in SCHEDULES:
            raise ValueError(f"schedule must be one of {', '.join(SCHEDULES)}, not {schedule!r}")
        self.direction.require(SCHEDULES[schedule], ValueError("schedule 'srl' makes subtweakeys in the order of encryption only"))
        self.rounds = ROUNDS
        self._lead = key_lead(direction, streams - 1)
        self.interval = ROUNDS * streams
        stored = schedule == "stored"
        self.latency = self.interval + 1 - (self._lead if stored else 0)
        self.tweak_lag, self.key_ahead, self.load_cycles = streams - 1 - self._lead, 0 if stored else self._lead, ROUNDS + 2
        ports: dict[str, Member] = {
            "ready": Out(1),
            "start": In(1),
            "i": In(BLOCK_BITS),
            "key": In(KEY_BITS),
            "tweak": In(BLOCK_BITS),
            "o": Out(BLOCK_BITS),
            "valid": Out(1),
        }
        ports |= {"load": In(1), "tweak_again": In(BLOCK_BITS)} if stored else {"key_start": In(1), "erase": In(1)}
        super().__init__({**ports, **self.direction.ports(decrypt=In(1))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        streams = self.streams
        # A block enters the state register.
        round_reg, phase_reg, enter_reg, ending_reg, takes = run_batches(m, self.ready, self.start, streams=streams, rounds=ROUNDS)
        ways = [self.direction.held(m, self, takes, "way")[0]]
        for n in range(1, streams + 1):
            ways.append(self.direction.late(m, ways[-1], f"decrypt_{n}_reg"))

        # What belongs to the schedule is that of the batch, ``tweak_lag`` cycles later.
        number: Value = Signal(range(ROUNDS + 1))
        late_enter, late_way = enter_reg, ways[0]
        m.d.comb += number.eq(round_reg + 1)
        if self.tweak_lag:
            number_reg = Signal(range(ROUNDS + 1))
            enter_late_reg = Signal()
            way_late_reg = Signal()
            with m.If(phase_reg[self.tweak_lag - 1]):
                m.d.sync += [number_reg.eq(number), enter_late_reg.eq(enter_reg), way_late_reg.eq(ways[0])]
            number, late_enter, late_way = number_reg, enter_late_reg, way_late_reg
        first, subtweakey = self._subtweakeys(m, number, late_enter, ways[0], late_way)

        state = [Signal(32, name=f"state_{n}_reg", reset_less=True) for n in range(4)]
        going = deoxys_round(m, Cat(state), subtweakey, self.direction, streams - 1, lambda n: ways[n + 1])
        for n, (reg, block, key, old) in enumerate(zip(state, columns(self.i), columns(first), columns(going), strict=True)):
            following = Signal(32, name=f"following_{n}")
            m.d.comb += following.eq(Mux(enter_reg, block ^ key, old))
            m.d.sync += reg.eq(following)
        if self._lead:
            m.d.comb += [self.o.eq(going), self.valid.eq(ending_reg)]
        else:
            valid_reg = Signal()
            m.d.sync += valid_reg.eq(ending_reg)
            m.d.comb += [self.o.eq(register(m, going, "o")), self.valid.eq(valid_reg)]
        return m

    def _subtweakeys(self, m: Module, number: Value, late_enter: Value, way: Value, late_way: Value) -> tuple[Value, Value]:
        """The first subtweakey of a block that enters, and the one for the end of a round."""
        if self.schedule == "srl":
            m.submodules.subtweakeys = shifted = ShiftedSubtweakeys(self.streams, self._lead)
            m.d.comb += [
                shifted.start.eq(self.key_start), shifted.key.eq(self.key), shifted.tweak.eq(self.tweak), shifted.number.eq(number),
                shifted.erase.eq(self.erase),
            ]  # fmt: skip
            return shifted.first, shifted.subtweakey
        m.submodules.subtweakeys = stored = StoredSubtweakeys(self.streams, self.direction)
        m.d.comb += [
            stored.load.eq(self.load), stored.key.eq(self.key), stored.tweak_first.eq(self.tweak), stored.decrypt_first.eq(way),
            stored.enter.eq(late_enter), stored.tweak.eq(self.tweak_again), stored.decrypt.eq(late_way), stored.number.eq(number),
        ]  # fmt: skip
        return stored.first, stored.subtweakey


# -- streams -----------------------------------------------------------------------------------------------------------------------

# One round of Deoxys-BC-256 for several blocks of any key slots, each with a tweak of its own: the cipher of a core for messages.
#
#     i (+) key part 0 (+) tweak ──▶ reg ──▶ mux ──▶ state reg ──▶ round, with N - 1 registers (``rounds``) ──┬──▶ o
#                                             ▲                        ▲                                      │
#                                             └────────────────────────┼──────────────────────────────────────┘
#                                                                      │
#     tweak ──▶ mux ──▶ N registers ──▶ h ──┬──▶(+ key part r)──▶ reg ─┘    subtweakey r
#                ▲                          │
#                └──────────────────────────┘
#
#     cycle      0      2 ... N + 1     3 ... N + 2     14 N + 2 ... 14 N + N + 1
#     batch      high
#     i, tweak          blocks                          blocks of the next batch
#     mux                               enter           round 14 of one batch ends, and the next batch enters a cycle later
#
# The tweak goes round beside its block, and the part of the key is in a memory, which is read once a cycle.  A tweak is a step ahead of its
# block, so that the sum with the key part has a register of its own.  What the first subtweakey takes of the key has a memory of its own,
# as blocks enter while others take their last subtweakey.  A block that is decrypted begins with h^14 of its tweak and goes back.
#
# A round core of one mode with one key is ``multistream``, which stands in the catalogue of circuits.

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
        self.streams, self.direction = check_streams(streams), Direction.of(direction)
        self.slots, self.whole_sboxes = check_count("slots", slots), whole_sboxes
        self.rounds, self.interval = ROUNDS, ROUNDS * streams
        self._lead = key_lead(direction, streams - 1)
        self.latency = self.interval + ENTERS + 1 - self._lead
        super().__init__({"batch": In(1), **tweaked_ports(slots, self.direction)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        streams, ahead = self.streams, 1 + self._lead
        places, windows = count_places(m, self.batch, streams=streams, rounds=ROUNDS, enters=ENTERS, ahead=ahead)

        # The slot and the direction of the block in each stage.  Item n of ``coming`` belongs to the block that ends its round in n cycles.
        arrives = Cat(self.slot, self.direction.bit(self, "way"))
        arrived_reg = Signal(len(arrives), reset_less=True)
        ring = [Signal(len(arrives), name=f"ring_{n}_reg", reset_less=True) for n in range(streams)]
        enters = Signal(len(arrives), name="ring_next")
        m.d.comb += enters.eq(Mux(windows[0], arrived_reg, ring[-1]))
        m.d.sync += [arrived_reg.eq(arrives), *(after.eq(before) for after, before in zip(ring, (enters, *ring), strict=False))]
        coming = [*reversed(ring), enters]

        subtweakey = self._subtweakey(m, places[ahead], windows[1], coming, ahead)
        state = [Signal(32, name=f"state_{n}_reg", reset_less=True) for n in range(4)]
        going = deoxys_round(m, Cat(state), subtweakey, self.direction, streams - 1, lambda n: ring[n][-1], whole_sboxes=self.whole_sboxes)
        for n, (reg, new, old) in enumerate(zip(state, columns(self._whitened(m)), columns(going), strict=True)):
            following = Signal(32, name=f"following_{n}")
            m.d.comb += following.eq(Mux(windows[0], new, old))
            m.d.sync += reg.eq(following)
        m.d.comb += self.o.eq(going if self._lead else register(m, going, "o"))
        return m

    # -- tweaks -------------------------------------------------------------------------------------------------------------------

    def _whitened(self, m: Module) -> Value:
        """The sum of a block with its first subtweakey, a cycle after it has come."""
        form = self.direction.choose(self.direction.bit(self), self.tweak, permute(self.tweak, ROUNDS))
        return register(m, named(m, "whitened", self.i ^ form ^ self._first_part(m)), "whitened")

    def _subtweakey(self, m: Module, place: Value, window: Value, coming: list[Value], ahead: int) -> Value:
        """The subtweakey for the end of the round of the block in the last stage, ``ahead`` - 1 cycles before it ends.

        A tweak enters its loop with its block, which is a cycle before this block enters its own.  ``window`` is high in this cycle.
        """
        tweak = Signal(BLOCK_BITS, name="tweak_next")
        shifted: list[Value] = [tweak]
        for n in range(self.streams):
            shifted.append(register(m, shifted[-1], f"tweak_{n}"))

        last = shifted[-1]
        # One bit selects for the tweaks that enter, too, so that each bit is a function of six others.
        way = Signal(name="tweak_way")
        m.d.comb += way.eq(Mux(window, self.direction.bit(self, "way"), coming[1][-1]))
        forward = choose(window, self.tweak, permute(last))
        backward = choose(window, permute(self.tweak, ROUNDS), permute(last, -1))
        m.d.comb += tweak.eq(self.direction.choose(way, forward, backward))
        before = shifted[self.streams + 1 - ahead]
        stepped = self.direction.choose(coming[ahead][-1], permute(before), permute(before, -1))
        total = stepped ^ self._part(m, place, coming[ahead])
        return register(m, named(m, "sum", total), "subtweakey")

    # -- parts of keys ------------------------------------------------------------------------------------------------------------

    def _part(self, m: Module, place: Value, block: Value) -> Value:
        """What the key of a block adds to its subtweakey at the end of a round."""
        # A sum in the address of a memory is wider in some simulators of Verilog than in others, so it has a name.
        number, backward = Signal(4, name="key_number"), Signal(4, name="key_number_back")
        m.d.comb += backward.eq(ROUNDS - place)
        m.d.comb += number.eq(self.direction.choose(block[-1], place, backward))
        m.submodules.keys = keys = memory.Memory(shape=BLOCK_BITS, depth=PLACES * self.slots, init=[], attrs=LUT_MEMORY)
        write, read = keys.write_port(), keys.read_port(domain="comb")
        m.d.comb += [
            write.addr.eq(Cat(self.key_round, self.key_slot)), write.data.eq(self.key_data), write.en.eq(self.key_we),
            read.addr.eq(Cat(number, block[:-1])),
        ]  # fmt: skip
        return read.data

    def _first_part(self, m: Module) -> Value:
        """Part 0 of the key of a block that comes, or part 14 if it is decrypted."""
        numbers = [ROUNDS if backward else 0 for backward in self.direction.ways]
        write = Signal(name="write_first")
        m.d.comb += write.eq(self.key_we & sum(self.key_round == number for number in numbers))
        if len(numbers) == 1:
            return read_round_key(m, write, self.key_slot, self.key_data, slots=self.slots, travel=[self.slot], cycle=0, index="first")
        write_at, address = Cat(self.key_round != 0, self.key_slot), Cat(self.decrypt, self.slot)
        return read_word(m, "first_keys", 2 * self.slots, write, write_at, self.key_data, address)
