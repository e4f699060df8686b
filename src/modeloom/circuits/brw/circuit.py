# SPDX-License-Identifier: Apache-2.0
"""The data path of a hash circuit, made from a plan.  brw2013, section 3 and Fig. 7.

::

     h ─┬─ registers of h^2, h^4, … (setup)            none, h, accumulators ──┐
        └─ squaring units (fly) ──┐                                    use a·──⊕── first ──┐
                    none, h ──────┴── power ──⊕── second ──┐              use C·┘          │
                                       use b·─┘            └────────── multiplier ─────────┘
                                                                           │ C
                                                    accumulator n  ◀── keep·itself ⊕ take·C ⊕ take·a

Constant selects and masks are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.circuits.brw.control import Control
from modeloom.circuits.brw.plan import Plan
from modeloom.circuits.brw.squares import HOLD, NEXT, held_powers, square_units
from modeloom.rtl.gf128.karatsuba import KaratsubaMultiplier
from modeloom.rtl.gf128.lowering import lower
from modeloom.rtl.gf128.square import square_word
from modeloom.rtl.gf128.words import Word
from modeloom.spec.field import Field

__all__ = ["SQUARES", "PolynomialHash"]

SQUARES = ("setup", "fly")
"""The source of powers of the key: loaded registers, or squaring units."""


class PolynomialHash(wiring.Component):
    """A circuit that follows a plan: one pipelined Karatsuba multiplier, accumulators, powers of the key, a small table.

    Parameters
    ----------
    field : Field
        The field; any width, modulus, bit order and factor.
    plan : Plan
        What happens in each slot.
    squares : str
        ``setup``: each power of the key that is read has a register.  ``fly``: squaring units compute the powers, only for powers of two.
    halt : int
        Parameter of the multiplier, see ``KaratsubaMultiplier``.

    Members
    -------
    key_we : In(1)
        Writes ``key`` into a register.  No message may be in progress.  ``start`` may follow in the next cycle, with ``fly`` in the
        one after it.
    key_index : In
        ``setup`` with several powers only: which register, see ``powers``.
    key : In(width)
        h, or the power of h that belongs to the register.
    start : In(1)
        A message begins with the blocks at the ports, if ``ready`` is high; otherwise it has no effect.
    a, b : In(width)
        Blocks.  There is no ``b`` if one block is taken at a time.
    ready : Out(1)
        The last message began at least ``interval`` cycles ago.
    pair : Out
        Number of the blocks that are taken in the next cycle, 0 if there are none.  It depends on ``start`` of the same cycle.
    o : Out(width)
        The hash, in the cycle with ``done``.  The register is reused afterwards.
    done : Out(1)
        High ``latency`` cycles after ``start``.

    Attributes
    ----------
    latency : int
        Cycles from the first blocks to ``o``, which is the count of the paper.
    interval : int
        Cycles from one message to the earliest next message.
    powers : tuple of int
        Exponent of the power of h that register ``key_index`` holds.
    units : tuple
        ``fly``: the actions of the squaring units, see ``square_units``.

    Raises
    ------
    TypeError
        A parameter has the wrong type.
    ValueError
        A parameter is out of range, or squaring units cannot compute the powers.
    """

    def __init__(self, field: Field, plan: Plan, squares: str = "setup", halt: int = 16):
        if not isinstance(field, Field):
            raise TypeError(f"{type(self).__name__}: field must be a Field, not {field!r}")
        if squares not in SQUARES:
            raise ValueError(f"{type(self).__name__}: squares must be one of {', '.join(SQUARES)}, not {squares!r}")
        self.field, self.plan, self.squares, self.halt = field, plan, squares, halt
        self.latency, self.interval = plan.latency, plan.interval
        # The paths from C back to a factor and to an accumulator have little logic, so all registers are inside the multiplier.
        self.multiplier = KaratsubaMultiplier(field, plan.stages, halt)
        # The slots in which products are issued and blocks are taken.
        self.steps = plan.steps[: plan.interval]
        self.units: tuple[tuple[str, ...], ...] = ()
        self.powers: tuple[int, ...] = plan.powers
        if squares == "fly":
            self.powers = (1,)
            self.units = square_units([step.power for step in self.steps])
        block, pairs = field.width, max(step.pair or 0 for step in self.steps) + 1
        members = {"key_we": In(1), "key": In(block), "start": In(1), "a": In(block)}
        if len(self.powers) > 1:
            members["key_index"] = In(range(len(self.powers)))
        if plan.ports == 2:
            members["b"] = In(block)
        super().__init__(members | {"ready": Out(1), "pair": Out(range(pairs)), "o": Out(block), "done": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.multiplier = self.multiplier
        control = Control(m, self.start, self.interval, self.latency)
        m.d.comb += [
            self.ready.eq(control.ready),
            self.done.eq(control.done),
            self.pair.eq(control.following([step.pair or 0 for step in self.steps])),
        ]
        product = self.multiplier.o
        results = self._accumulators(m, control, product)
        key, names, powers = self._powers(m, control)

        summands: list[object] = ["key" if step.key else step.accumulator for step in self.steps]
        first = self._choose(m, control, "summand", summands, {None: Const(0), "key": key, **dict(enumerate(results))})
        first ^= self._masked(control, "use_product", [step.product for step in self.steps], product)
        first ^= self._masked(control, "use_a", [step.block for step in self.steps], self.a)
        second = self._choose(m, control, "power", names, {None: Const(0), **powers})
        if self.plan.ports == 2:
            second ^= self._masked(control, "use_b", [step.second for step in self.steps], self.b)
        m.d.comb += [self.multiplier.a.eq(first), self.multiplier.b.eq(second), self.o.eq(results[-1])]
        return m

    def _choose(self, m: Module, control: Control, name: str, uses: Sequence[object], values: Mapping[object, Value]) -> Value:
        """The value for each slot that issues a product."""
        named = [use for use, step in zip(uses, self.steps) if step.issue]
        choices = [choice for choice in values if choice in named] or [None]
        number = control.select([choices.index(use) if step.issue else None for use, step in zip(uses, self.steps)], name)
        if len(choices) == 1:
            return values[choices[0]]
        chosen = Signal(self.field.width, name=name)
        with m.Switch(number):
            for index, choice in enumerate(choices[:-1]):
                with m.Case(index):
                    m.d.comb += chosen.eq(values[choice])
            with m.Default():
                m.d.comb += chosen.eq(values[choices[-1]])
        return chosen

    def _masked(self, control: Control, name: str, uses: Sequence[bool], value: Value) -> Value:
        """A value in the slots that use it, and 0 in the other slots that issue a product."""
        return _gated(value, control.select([int(use) if step.issue else None for use, step in zip(uses, self.steps)], name))

    def _accumulators(self, m: Module, control: Control, product: Value) -> list[Value]:
        results: list[Value] = []
        for number in range(self.plan.accumulators):
            name = f"accumulator_{number}"
            writes = {slot: step.writes[number] for slot, step in enumerate(self.plan.steps) if number in step.writes}
            acts = [
                control.act([slot for slot, write in writes.items() if chosen(write)], f"{name}_{part}")
                for part, chosen in (
                    ("clear", lambda write: not write.keep), ("product", lambda write: write.product), ("a", lambda write: write.block)
                )
            ]  # fmt: skip
            reg = Signal(self.field.width, name=f"{name}_reg", reset_less=True)
            m.d.sync += reg.eq(_gated(reg, ~acts[0]) ^ _gated(product, acts[1]) ^ _gated(self.a, acts[2]))
            results.append(reg)
        return results

    def _powers(self, m: Module, control: Control) -> tuple[Value, list[object], dict[object, Value]]:
        """The register of h, the name of the power that each slot reads, and the powers by name."""
        registers = [Signal(self.field.width, name=f"h{exponent}_reg") for exponent in self.powers]
        for index, reg in enumerate(registers):
            chosen = self.key_index == index if len(registers) > 1 else Const(1)
            with m.If(self.key_we & chosen):
                m.d.sync += reg.eq(self.key)
        key, uses = registers[0], [step.power for step in self.steps]
        if self.squares == "setup":
            return key, list(uses), dict(zip(self.powers, registers))
        values: dict[object, Value] = {"key": key}
        names: list[object] = [None if power is None else "key" for power in uses]
        for number, actions in enumerate(self.units):
            values[number] = self._square_unit(m, control, number, actions, key)
            for slot, held in enumerate(held_powers(actions)):
                if held == uses[slot]:
                    names[slot] = number
        return key, names, values

    def _square_unit(self, m: Module, control: Control, number: int, actions: Sequence[str], key: Value) -> Value:
        reg = Signal(self.field.width, name=f"square_{number}_reg", reset_less=True)
        again, hold = (
            control.act([slot for slot, action in enumerate(actions) if action == kind], f"square_{number}_{kind}")
            for kind in (NEXT, HOLD)
        )
        base = Signal(self.field.width, name=f"square_{number}_base")
        m.d.comb += base.eq(Mux(again, reg, key))
        block = Word.input(self.field.width)
        square = lower(square_word(self.field, block), {block: base}, module=m)
        m.d.sync += reg.eq(Mux(hold, reg, square))
        return reg


def _gated(value: Value, bit: Value) -> Value:
    """The value if the bit is high, otherwise 0.  A constant bit needs no gate."""
    if isinstance(bit, Const):
        return value if bit.value & 1 else Const(0, len(value))
    return value & bit.replicate(len(value))
