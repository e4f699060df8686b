# SPDX-License-Identifier: Apache-2.0
"""The AES key schedule of a round core for several streams: one step with a shift register around it (luts2017, section 2.3).

A round core with N registers in its round has N streams of blocks.  In each cycle, another stream adds its round key.  The schedule takes
one stage, and its result is shifted for the other N - 1 cycles.  This gives one loop of N registers, in which each stream has its place::

               ┌──────────────────────────────────────────────────────┐
               ▼                                                      │
    start ──▶ mux ──▶ shift register, N - 1 ──▶ S-boxes, XOR ──▶ reg ─┴──▶ data
    key ───────▲

    cycle      t            ...              t + N - 1           t + N            t + 2 N
               key                           its step            round key 1      round key 2 ...

The round constant and the phase of the schedule also travel in the loop.  There is no counter, no address and no control logic.  Streams
can start at any time, each with its own key.  On Xilinx devices, the shift register takes one SRL16E for each bit (from N = 4 on; shorter
ones are flip-flops).  On ECP5, it takes flip-flops.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.aes.keys.key_step import Phase, expand, key_words, last_word, next_constant, operand_register
from modeloom.rtl.aes.parameters import BLOCK_BITS, ROUNDS, check_count, check_key_bits, columns, named
from modeloom.rtl.aes.sboxes.sbox import sub_bytes

__all__ = ["ShiftedKeySchedule"]


class ShiftedKeySchedule(wiring.Component):
    """Computes round keys on the fly for a round core with *streams* blocks in its round.

    Parameters
    ----------
    key_bits : int
        128, 192 or 256.
    streams : int
        1 to 32: blocks in the round, which is the number of its registers.

    Attributes
    ----------
    rounds : int
        10, 12 or 14.
    latency : int
        *streams*: ``data`` shows round key r of a key *streams* * r cycles after its start, for r = 1 ... rounds.  Round key 0 is the
        first 128 bits of the key.
    interval : int
        rounds * *streams* cycles, the same as for a block.  A stream can start again in the cycle that shows its last round key.
    erase_latency : int
        *streams* + 1 cycles: after *streams* cycles of ``erase`` and one more, no register depends on a key.

    Members
    -------
    start, key
        The stream whose turn it is takes a key.
    data
        A round key (128 bits).  It comes from registers, except for one stream, where it comes from the step.
    erase
        The current stream takes a key of zeros.  Hold it for ``streams`` cycles.

    Raises
    ------
    TypeError
        A parameter is not an integer.
    ValueError
        A parameter is out of range.
    """

    def __init__(self, key_bits: int = 128, streams: int = 1):
        self.key_bits = check_key_bits(key_bits)
        self.streams = check_count("streams", streams, 1, 32)
        self.rounds = ROUNDS[key_bits]
        self.latency = streams
        self.interval = self.rounds * streams
        self.erase_latency = streams + 1
        super().__init__({"start": In(1), "key": In(key_bits), "erase": In(1), "data": Out(BLOCK_BITS)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        sizes = (self.key_bits,)
        words = key_words(sizes)
        own_operand = operand_register(sizes)
        # Window, operand, round constant, and the bits of the phase for the key size.
        widths = [32] * words + [32] * own_operand + [8] + [1] * {128: 0, 192: 2, 256: 1}[self.key_bits]

        def registers(name: str) -> list[Value]:
            return [Signal(width, name=f"{name}_{n}_reg", reset_less=True) for n, width in enumerate(widths)]

        first = [
            *columns(self.key), *([last_word(self.key, sizes, Signal(2, name="key_size"))] if own_operand else []), Value.cast(1),
            *([0] * {128: 0, 192: 2, 256: 1}[self.key_bits]),
        ]  # fmt: skip
        loop = registers("loop")
        # Zeros enter like a key, because registers with a reset cannot become a shift register in LUTs.
        taken = self.start | self.erase
        words_first = [Mux(self.erase, 0, word) for word in first[:words]]
        entering = [
            named(m, "taken_word", Mux(taken, new, old)[: len(old)]) for new, old in zip([*words_first, *first[words:]], loop, strict=True)
        ]
        shifted = entering
        for n in range(max(1, self.streams - 1)):
            regs = registers(f"shifted_{n}")
            m.d.sync += [reg.eq(value) for reg, value in zip(regs, shifted, strict=True)]
            shifted = regs
        made = self._step(m, shifted, words, own_operand)
        if self.streams == 1:
            m.d.comb += [reg.eq(value) for reg, value in zip(loop, made, strict=True)]
        else:
            m.d.sync += [reg.eq(value) for reg, value in zip(loop, made, strict=True)]
        m.d.comb += self.data.eq(Cat(loop[:4]))
        return m

    def _step(self, m: Module, values: list[Value], words: int, own_operand: bool) -> list[Value]:
        """The values that follow *values* in the loop."""
        window, rest = values[:words], values[words:]
        operand = rest.pop(0) if own_operand else window[-1]
        rcon, *flags = rest
        substituted = sub_bytes(m, operand)
        if self.key_bits == 192:
            chained, middle = flags
            now, used = Phase(chained=chained, middle=middle), ~chained | middle
            flags = [~chained | middle, ~chained]
        elif self.key_bits == 256:
            now, used = Phase(plain=flags[0]), ~flags[0]
            flags = [~flags[0]]
        else:
            now, used = Phase(), None
        doubled = next_constant(rcon)
        made = expand(
            m, window, substituted, rcon, now, sizes=(self.key_bits,), is_192=self.key_bits == 192, is_256=self.key_bits == 256
        )
        following = doubled if used is None else Mux(used, doubled, rcon)
        return [*made.window, *([made.operand] if own_operand else []), following, *flags]
