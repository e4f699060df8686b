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

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out

from modeloom.rtl.aes.parameters import BLOCK_BITS, columns
from modeloom.rtl.aes.rounds.round_stages import register
from modeloom.rtl.deoxys.rounds import deoxys_round, key_lead
from modeloom.rtl.deoxys.subtweakeys import ShiftedSubtweakeys, StoredSubtweakeys
from modeloom.rtl.deoxys.tweakey import KEY_BITS, ROUNDS
from modeloom.spec.directions import DIRECTIONS

__all__ = ["SCHEDULES", "STREAMS", "DeoxysBCMultiStream"]

STREAMS = (1, 2, 4)
"""Possible numbers of blocks in a round."""

SCHEDULES = ("stored", "srl")
"""Where the key's part of the subtweakeys is: in a memory, or in a shift register that each block has for itself."""


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
        if streams not in STREAMS or isinstance(streams, bool):
            raise ValueError(f"streams must be one of {', '.join(map(str, STREAMS))}, not {streams!r}")
        if direction not in DIRECTIONS:
            raise ValueError(f"direction must be one of {', '.join(DIRECTIONS)}, not {direction!r}")
        if schedule not in SCHEDULES:
            raise ValueError(f"schedule must be one of {', '.join(SCHEDULES)}, not {schedule!r}")
        if schedule == "srl" and direction != "encrypt":
            raise ValueError("schedule 'srl' makes subtweakeys in the order of encryption only")
        self.streams, self.direction, self.schedule = streams, direction, schedule
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
        if direction == "both":
            ports["decrypt"] = In(1)
        super().__init__(ports)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        streams = self.streams
        # The round of the block that enters the state register (0 for a new block), and its stream, one-hot.
        round_reg = Signal(range(ROUNDS))
        phase_reg = Signal(streams, init=1)
        # Round 0 is also the last one of the previous batch, if there is one (``ending_reg``).
        enter_reg = Signal(init=1)
        ending_reg = Signal()
        work_reg = Signal()
        takes = Signal()
        goes_on = Signal()
        m.d.comb += [
            self.ready.eq(enter_reg & phase_reg[0]),
            takes.eq(self.ready & self.start),
            goes_on.eq(Mux(self.ready, self.start, work_reg)),
        ]
        m.d.sync += work_reg.eq(goes_on)
        with m.If(goes_on | ending_reg):
            m.d.sync += phase_reg.eq(phase_reg.rotate_left(1))
            with m.If(phase_reg[-1]):
                ends = Signal()
                m.d.comb += ends.eq(round_reg == ROUNDS - 1)
                m.d.sync += [round_reg.eq(Mux(ends | ~goes_on, 0, round_reg + 1)), enter_reg.eq(ends | ~goes_on), ending_reg.eq(ends)]
        ways = self._ways(m, takes)

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

    def _ways(self, m: Module, takes: Value) -> list[Value]:
        """Whether the block that enters the state register is decrypted, and the same of the blocks up to as many cycles ago."""
        if self.direction != "both":
            return [Signal(name="way")] * (self.streams + 1)
        decrypt_reg = Signal(reset_less=True)
        with m.If(takes):
            m.d.sync += decrypt_reg.eq(self.decrypt)
        ways: list[Value] = [Mux(takes, self.decrypt, decrypt_reg)]
        for n in range(1, self.streams + 1):
            way_reg = Signal(name=f"decrypt_{n}_reg", reset_less=True)
            m.d.sync += way_reg.eq(ways[-1])
            ways.append(way_reg)
        return ways

    def _subtweakeys(self, m: Module, number: Value, late_enter: Value, way: Value, late_way: Value) -> tuple[Value, Value]:
        """The first subtweakey of a block that enters, and the one for the end of a round."""
        if self.schedule == "srl":
            m.submodules.subtweakeys = shifted = ShiftedSubtweakeys(self.streams, self._lead)
            m.d.comb += [
                shifted.start.eq(self.key_start), shifted.key.eq(self.key), shifted.tweak.eq(self.tweak), shifted.number.eq(number),
                shifted.erase.eq(self.erase),
            ]  # fmt: skip
            return shifted.first, shifted.subtweakey
        m.submodules.subtweakeys = stored = StoredSubtweakeys(self.streams, self._lead, self.direction)
        m.d.comb += [
            stored.load.eq(self.load), stored.key.eq(self.key), stored.tweak_first.eq(self.tweak), stored.decrypt_first.eq(way),
            stored.enter.eq(late_enter), stored.tweak.eq(self.tweak_again), stored.decrypt.eq(late_way), stored.number.eq(number),
        ]  # fmt: skip
        return stored.first, stored.subtweakey
