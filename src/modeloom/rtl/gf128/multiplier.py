# SPDX-License-Identifier: Apache-2.0
"""The common part of the multipliers that are made from a graph of words: ports, parameters, pipeline registers.

::

    a ──┐
        ├── graph, registers at equal depths of two-input gates ── o        o of cycle t is a * b of cycle t - stages
    b ──┘
"""

from __future__ import annotations

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.gf128.lowering import lower, place_cuts
from modeloom.rtl.gf128.words import Word
from modeloom.spec.field import Field

__all__ = ["GraphMultiplier", "check_field", "check_number"]


def check_field(owner: object, field: object) -> None:
    """Raises TypeError if ``field`` is not a ``Field``."""
    if not isinstance(field, Field):
        raise TypeError(f"{type(owner).__name__}: field must be a Field, not {field!r}")


def check_number(owner: object, name: str, number: object, least: int) -> None:
    """Raises TypeError if ``number`` is not an int, and ValueError if it is below ``least``."""
    if isinstance(number, bool) or not isinstance(number, int):
        raise TypeError(f"{type(owner).__name__}: {name} must be an int, not {number!r}")
    if number < least:
        raise ValueError(f"{type(owner).__name__}: {name} must be at least {least}, not {number}")


class GraphMultiplier(wiring.Component):
    """Field multiplier with a graph from a subclass: ``o`` is ``field.mul(a, b)`` of the inputs ``stages`` cycles ago.

    The registers are inside, and not at the inputs.  They have neither enable nor reset.

    Parameters
    ----------
    field : Field
        The field.
    stages : int
        Registers between input and output, at least 0.
    output_register : bool
        Whether the last register holds the output.
    **more_ports : Member
        Further ports of a subclass.

    Members
    -------
    a : In(width)
        Factor, a block in the field's order.
    b : In(width)
        Factor.
    o : Out(width)
        Product.

    Attributes
    ----------
    latency : int
        Cycles from inputs to output, equal to ``stages``.
    interval : int
        Cycles between products, 1.

    Raises
    ------
    TypeError
        If ``field`` is not a ``Field`` or ``stages`` is not an ``int``.
    ValueError
        If ``stages`` is negative, or an output register is requested without a stage.
    """

    interval = 1

    def __init__(self, field: Field, stages: int = 0, *, output_register: bool = False, **more_ports: wiring.Member) -> None:
        check_field(self, field)
        check_number(self, "stages", stages, 0)
        if output_register and stages == 0:
            raise ValueError(f"{type(self).__name__}: an output register needs at least one stage")
        self.field = field
        self.output_register = output_register
        self.stages = self.latency = stages
        super().__init__({"a": In(field.width), "b": In(field.width), "o": Out(field.width), **more_ports})

    def product(self, a: Word, b: Word) -> Word:
        """The graph of the whole multiplier."""
        raise NotImplementedError

    def elaborate(self, platform: object) -> Module:
        m = Module()
        a, b = Word.input(self.field.width), Word.input(self.field.width)
        product = self.product(a, b)
        cuts = place_cuts(product, self.stages, at_output=self.output_register)
        m.d.comb += self.o.eq(lower(product, {a: self.a, b: self.b}, module=m, cuts=cuts))
        return m
