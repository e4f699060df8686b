# SPDX-License-Identifier: Apache-2.0
"""Serial multiplier, one or more bits of a factor per cycle: gcm2008, Algorithm 1, with n iterations (the printed loop has n + 1).

::

    i = 0 … n - 1:   if bit i of b:  c ← c + a           bit i of a block is the coefficient of x^i: in GHASH's order bit 0 is the
                     a ← a x mod F                       leftmost, a x is a shift to the right, and a_127 decides on adding F

    POLYVAL (factor -n):   a ← a x^-1, then the bits of b from n - 1 down to 0, with a ← a x^-1 after each
    another factor:        a ← a x^factor, then as above

            cycle   0          1        …   n - 1    n
            start ──▔▔▔▔▔▔▔▔▔▔▔▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁
            a, b    read       (registers)                          The first iteration takes its operands from the ports.
            o                                        product, until the next start
            done  ──▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▔▔▔▔

The printed ``if A_127 = 0`` is taken to mean the value before the shift.  Every iteration takes one cycle, for any values of the bits.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.gf128.multiplier import check_field, check_number, lower
from modeloom.rtl.gf128.reduction import scale_word
from modeloom.rtl.gf128.words import Word, join, spread, xor_all
from modeloom.spec.field import Field

__all__ = ["SerialMultiplier", "iteration"]

def iteration(field: Field, a: Word, c: Word, bits: Word) -> tuple[Word, Word]:
    """One cycle of the algorithm.

    Parameters
    ----------
    field : Field
        The field.
    a, c : Word
        The shifted factor and the sum, blocks in the field's order.
    bits : Word
        The next bits of the other factor, with the first one lowest.

    Returns
    -------
    tuple of Word
        The sum and the shifted factor for the next cycle.
    """
    direction = _direction(field)
    terms = [scale_word(field, a, direction * k) & spread(bits.part(k, 1), field.width, (1 << field.width) - 1) for k in range(bits.width)]
    return xor_all([c, *terms]), scale_word(field, a, direction * bits.width)


def _direction(field: Field) -> int:
    return -1 if field.factor == -field.width else 1


class SerialMultiplier(wiring.Component):
    """Field multiplier that always takes ``width / digit`` cycles for a product.

    Parameters
    ----------
    field : Field
        The field; any modulus, bit order and factor.
    digit : int
        Bits of ``b`` that are used in each cycle; a divisor of the width.

    Members
    -------
    start : In(1)
        Starts a product of ``a`` and ``b`` of this cycle.  A product in progress is abandoned.
    a : In(width)
        Factor, a block in the field's order.
    b : In(width)
        Factor.
    o : Out(width)
        The product, from the cycle of ``done`` until the next ``start``.  Before this, it shows partial sums.
    done : Out(1)
        1 in the cycle ``latency`` after a start that was not followed by another one.

    Attributes
    ----------
    latency : int
        Cycles from ``start`` to the product, ``width / digit``.
    interval : int
        Smallest number of cycles between starts, also ``width / digit``.

    Raises
    ------
    TypeError
        If ``field`` is not a ``Field`` or ``digit`` is not an ``int``.
    ValueError
        If ``digit`` does not divide the width, or is the width.
    """

    def __init__(self, field: Field, digit: int = 1) -> None:
        check_field(self, field)
        check_number(self, "digit", digit, 1)
        if field.width % digit or digit == field.width:
            raise ValueError(f"SerialMultiplier: digit must be a divisor of {field.width} and less, not {digit}")
        self.field = field
        self.digit = digit
        self.latency = self.interval = field.width // digit
        super().__init__({"start": In(1), "a": In(field.width), "b": In(field.width), "o": Out(field.width), "done": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        field, n = self.field, self.field.width
        a_reg, b_reg, c_reg = (Signal(n, name=f"{name}_reg", reset_less=True) for name in "abc")
        # The bits of b in the order of their use, with the next one lowest.
        order = [field.bit(i) for i in range(n)]
        block = Word.input(n)
        first = scale_word(field, block, field.factor)
        if _direction(field) < 0:
            order.reverse()
            first = scale_word(field, block, -1)
        a_now = Signal(n)
        b_now = Signal(n)
        c_now = Signal(n)
        m.d.comb += [
            a_now.eq(Mux(self.start, lower(first, {block: self.a}, module=m), a_reg)),
            b_now.eq(Mux(self.start, Cat(self.b[i] for i in order), b_reg)),
            c_now.eq(Mux(self.start, 0, c_reg)),
        ]
        a, c, bits = Word.input(n), Word.input(n), Word.input(self.digit)
        both = lower(join(list(iteration(field, a, c, bits))), {a: a_now, c: c_now, bits: b_now[: self.digit]}, module=m)
        # One bit moves with the cycles.  All bits are 0 if no product is in progress.
        cycles = Signal(self.latency - 1)
        active = Signal()
        m.d.comb += [active.eq(self.start | cycles.any()), self.o.eq(c_reg)]
        m.d.sync += [cycles.eq(Mux(self.start, Const(1, len(cycles)), cycles << 1)), self.done.eq(cycles[-1] & ~self.start)]
        with m.If(active):
            m.d.sync += [c_reg.eq(both[:n]), a_reg.eq(both[n:]), b_reg.eq(b_now[self.digit :])]
        return m
