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
from itertools import permutations, product

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.gf128.karatsuba import KaratsubaMultiplier
from modeloom.rtl.gf128.multiplier import lower
from modeloom.rtl.gf128.reduction import square_word
from modeloom.rtl.gf128.words import Word
from modeloom.spec.field import GHASH_ORDER, Field
from modeloom_circuits.brw.plan import Plan, Step, plan_brw
from modeloom_circuits.brw.products import block_count

__all__ = [
    "FIRST", "HOLD", "NEXT", "SQUARES", "BRWHash", "Control", "HornerHash", "PolynomialHash", "held_powers", "plan_horner",
    "square_units",
]  # fmt: skip


# Control of a hash circuit: a counter with a table, and a token for the work of a message after its interval.
#
#     start ──▶ slot: 0, 1, …, interval - 1, 0 ──▶ table of the next slot ──▶ register ──▶ selects, writes
#                                    └──▶ token of slot interval, interval + 1, …, latency (done) ──┘
#
# After its interval, a message only finishes products and writes accumulators, so tokens of several messages may be in progress at the same
# time.  Control bits come from registers.  The circuit waits in slot 0 with the selects of this slot.  ``start`` gates everything that
# changes a register there.  Nothing depends on data.

class Control:
    """Adds the control of a plan to a module.

    Parameters
    ----------
    module : Module
        Where it goes.
    start : Value
        Requests a new message.  It is ignored unless ``ready`` is high.
    interval, latency : int
        Of the plan, in cycles.

    Attributes
    ----------
    ready, begin, done : Value
        A start is accepted; this is slot 0 of a message; this is slot ``latency`` of a message.
    """

    def __init__(self, module: Module, start: Value, interval: int, latency: int):
        self.module, self.interval, self.latency = module, interval, latency
        self.slot_reg = Signal(range(interval))
        self.begin = Signal()
        self.ready: Value = Const(1) if interval == 1 else self.slot_reg == 0
        self._following = Signal(range(interval))
        module.d.comb += self.begin.eq(start & self.ready)
        if interval > 1:
            last = self.slot_reg == interval - 1
            stepped = Mux(last, 0, self.slot_reg + 1)
            module.d.comb += self._following.eq(Mux(self.ready, self.begin, stepped))
            module.d.sync += self.slot_reg.eq(self._following)
        else:
            last = self.begin
        # Bit k: in the next cycle a message is in slot interval + k.
        token_reg = Signal(latency - interval + 1)
        self._tokens = Cat(last, token_reg[:-1])
        module.d.sync += token_reg.eq(self._tokens)
        self.done = token_reg[-1]

    def _next(self, numbers: Sequence[int]) -> Value:
        """The number of the next slot, for each slot of the interval."""
        width = max(numbers).bit_length()
        tables = [sum((number >> bit & 1) << slot for slot, number in enumerate(numbers)) for bit in range(width)]
        return Cat(Const(table, self.interval).bit_select(self._following, 1) for table in tables)

    def select(self, numbers: Sequence[int | None], name: str) -> Value:
        """A number for each slot of the interval; None if it does not matter."""
        known = sorted({number for number in numbers if number is not None})
        if len(known) < 2:
            return Const(known[0] if known else 0)
        filled = [known[0] if number is None else number for number in numbers]
        reg = Signal(range(known[-1] + 1), name=f"{name}_reg", init=filled[0])
        self.module.d.sync += reg.eq(self._next(filled))
        return reg

    def act(self, slots: Sequence[int], name: str) -> Value:
        """A bit that is high in the given slots of a message, which may be any slots below the latency."""
        later = [slot for slot in slots if 0 < slot]
        bit: Value = Const(0)
        if later:
            parts = [self._tokens[slot - self.interval] for slot in later if slot >= self.interval]
            within = [int(slot in later) for slot in range(self.interval)]
            if any(within):
                parts.append(self._next(within))
            reg = Signal(name=f"{name}_reg")
            self.module.d.sync += reg.eq(Cat(parts).any())
            bit = reg
        return bit | self.begin if 0 in slots else bit

    def following(self, numbers: Sequence[int]) -> Value:
        """The number of the next slot, in this cycle.  It depends on ``start``."""
        return self._next(numbers) if any(numbers) else Const(0)


# -- squares -----------------------------------------------------------------------------------------------------------------------

FIRST, HOLD, NEXT = "first", "hold", "next"
"""The next value of a unit: h^2, its old value, or the square of its old value."""


# The powers of h in the squaring units in each slot, if squares are computed on the fly.  brw2013, section 3 and Fig. 7.
#
# A unit is a squarer followed by a register.  At the end of each slot, it takes h^2, takes the square of its value, or keeps its value:
#
#     h ──┬───── squarer ── register ──┬── h^2, h^4, h^8, …
#         └──────────── back ──────────┘
#
#     Schedule(31, 3) reads    2  2  2  4  2  4  8  2  2  4  16  4  2  2  8  4        (exponents)
#     unit 1 holds             2  2  2  2  …
#     unit 2 holds             2  2  2  4  4  4  8  2  2  4 …                         two units, as the paper has
#
# Between messages every unit holds h^2.

def square_units(powers: Sequence[int | None]) -> tuple[tuple[str, ...], ...]:
    """The smallest number of units that provide each power in its slot, and their actions.

    Parameters
    ----------
    powers : sequence
        The exponent that is read in each slot: a power of two, or None.  1 is the key itself, which no unit holds.

    Returns
    -------
    tuple of tuple of str
        The action of each unit at the end of each slot: ``FIRST``, ``HOLD`` or ``NEXT``.  It is ``FIRST`` in the last slot and wherever the
        unit holds h^2 next.  Among all solutions with the fewest units, this one changes the registers least often.

    Raises
    ------
    ValueError
        A number is not a power of two, or a power is read before it can be ready.  h^2 is ready in slot 0, h^4 in slot 1, ….
    """
    wanted: list[int] = []
    for power in powers:
        if power is not None and (power < 1 or power & (power - 1)):
            raise ValueError(f"square_units: {power} is not a power of two")
        wanted.append(power.bit_length() - 1 if power is not None else 0)
    for slot, need in enumerate(wanted):
        if need > slot + 1:
            raise ValueError(f"square_units: h^{1 << need} cannot be there in slot {slot}, h^2 being there at the start")
    units = 0
    while (found := _assign(wanted, units)) is None:
        units += 1
    return found


def held_powers(actions: Sequence[str]) -> tuple[int, ...]:
    """The exponent of the power in a unit with these actions, for each slot."""
    held = [2]
    for action in actions[:-1]:
        held.append({FIRST: 2, HOLD: held[-1], NEXT: 2 * held[-1]}[action])
    return tuple(held)


def _assign(wanted: list[int], units: int) -> tuple[tuple[str, ...], ...] | None:
    """A solution with this number of units.  0 in ``wanted`` means that no power is needed."""
    if not units:
        return () if not any(wanted) else None
    highest = max(wanted)
    # Units are interchangeable, so their values in a slot are kept in ascending order, with the changes so far and the previous state.
    reached: list[dict[tuple[int, ...], tuple[int, tuple[int, ...]]]] = [{(1,) * units: (0, ())}]
    for need in wanted[1:]:
        following: dict[tuple[int, ...], tuple[int, tuple[int, ...]]] = {}
        for contents, (changes, _) in reached[-1].items():
            for chosen in product(*({1, held, min(held + 1, highest)} for held in contents)):
                if need and need not in chosen:
                    continue
                new = tuple(sorted(chosen))
                candidate = (changes + _changes(contents, chosen), contents)
                following[new] = min(candidate, following.get(new, candidate))
        if not following:
            return None
        reached.append(following)
    contents = min((changes, contents) for contents, (changes, _) in reached[-1].items())[1]
    history = [contents]
    for step in reversed(reached[1:]):
        history.append(step[history[-1]][1])
    held = list(history.pop())
    actions: list[list[str]] = [[] for _ in range(units)]
    for contents in reversed(history):
        new = min((one for one in permutations(contents) if _possible(held, one)), key=lambda one: (_changes(held, one), one))
        for unit, (before, after) in enumerate(zip(held, new)):
            actions[unit].append(FIRST if after == 1 else HOLD if before == after else NEXT)
        held = list(new)
    return tuple((*unit, FIRST) for unit in actions)


def _changes(held: Sequence[int], new: Sequence[int]) -> int:
    return sum(before != after for before, after in zip(held, new))


def _possible(held: Sequence[int], new: Sequence[int]) -> bool:
    return all(after in (1, before, before + 1) for before, after in zip(held, new))


# -- circuit -----------------------------------------------------------------------------------------------------------------------

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
        again, keep = (
            control.act([slot for slot, action in enumerate(actions) if action == kind], f"square_{number}_{kind}")
            for kind in (NEXT, HOLD)
        )
        base = Signal(self.field.width, name=f"square_{number}_base")
        m.d.comb += base.eq(Mux(again, reg, key))
        block = Word.input(self.field.width)
        square = lower(square_word(self.field, block), {block: base}, module=m)
        m.d.sync += reg.eq(Mux(keep, reg, square))
        return reg


def _gated(value: Value, bit: Value) -> Value:
    """The value if the bit is high, otherwise 0.  A constant bit needs no gate."""
    if isinstance(bit, Const):
        return value if bit.value & 1 else Const(0, len(value))
    return value & bit.replicate(len(value))


# -- horner ------------------------------------------------------------------------------------------------------------------------

# The usual polynomial on a pipelined multiplier: Horner's rule, with as many chains as the multiplier has stages.  brw2013, section 4.5.
#
#     k = 3, m = 31, times h          slots 0 … 27              28            29           30         31      32      33
#     chain 1   P_1  P_4  …  P_28     (C + P_i) h^3                                   (C + P_31) h
#     chain 2   P_2  P_5  …  P_29     (C + P_i) h^3       (C + P_29) h^3
#     chain 3   P_3  P_6  …  P_30     (C + P_i) h^3                    (C + P_30) h^2
#     accumulator                                                                                 = C    += C    += C
#
# C is the product that was issued k slots before, so each block is added to its own chain.  The blocks come in order, one per cycle.  The
# last k blocks are multiplied by their remaining powers of h, so the chains only have to be added up.  h Poly_h takes m products, and the
# result is ready after m + k cycles.

def plan_horner(blocks: int, stages: int, *, times_h: bool = False) -> Plan:
    """Poly_h(P_1, …, P_m) = P_1 h^(m-1) + … + P_m, or h times it, in ``stages`` chains.

    Parameters
    ----------
    blocks : int
        m, at least 1.
    stages : int
        Latency of the multiplier, at least 1: the number of chains k.
    times_h : bool
        Whether the result is multiplied by h.  This takes one more product, because the last block is also multiplied.

    Raises
    ------
    TypeError, ValueError
        A number is not an int or is too small.
    """
    m, k = block_count(blocks), block_count(stages, "stages")
    steps: list[Step] = []
    for slot in range(m):
        left = m - 1 - slot
        exponent = k if left >= k else left + times_h
        steps.append(Step(slot, exponent > 0, product=slot >= k, block=True, power=exponent or None))
    if not steps[-1].issue:  # the first factor goes into the accumulator instead
        steps[-1] = steps[-1].add(0, product=m > k, block=True)
    for slot in range(max(0, m - k), m):
        if steps[slot].issue:
            steps += [Step() for _ in range(slot + k + 1 - len(steps))]
            written = any(step.writes for step in steps)
            steps[slot + k] = steps[slot + k].add(0, product=True, keep=written)
    return Plan(m, k, tuple(steps), 1, 1)


# -- polynomials -------------------------------------------------------------------------------------------------------------------

# The two hash circuits: BRW polynomials with two blocks per cycle, Horner's rule with one block per cycle.  brw2013, sections 3 and 4.5.
#
# BRW, 31 blocks, a multiplier of three stages; k in the second row is the pair (a, b) = (X_(2k+1), X_(2k+2)), in the order of
# ``Schedule(31, 3)`` = 2 6 10 4 …; ``*`` is X_31 alone at port a:
#
#     cycle       0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15  16  17  18
#     start       1   0   0   0   0   0   0   0   0   0   0   0   0   0   0   0   1                    again from cycle 16 on
#     a, b        0   2   4   1   6   5   3   8  10   7   9  12  14  11  13   *   next message
#     pair        2   4   1   6   5   3   8  10   7   9  12  14  11  13  15   0                        what to have there next
#     o, done                                                                             H_h          18 cycles; 21 for h H_h
#
# ``pair`` selects the blocks that are taken in the next cycle, so a memory with a latency of one cycle can deliver them in time.  It is 0
# while the circuit is idle.  The circuit never waits for its input: pairs must come in the cycles of the table.  A user who may choose the
# order of the hash (brw2013, section 4.2) can send two blocks per cycle in any order and ignore ``pair``.

class BRWHash(PolynomialHash):
    """H_h(X_1, …, X_m), the BRW polynomial, with floor(m / 2) products, or h times it with one more.

    Ports and attributes are those of ``PolynomialHash``; latency 18 cycles for 31 blocks and three stages, 21 times h.

    Parameters
    ----------
    field : Field
        The field.
    blocks : int
        m, at least 1.
    stages : int
        Registers of the multiplier, at least 1: NS.
    squares : str
        ``setup``: h, h^2, h^4, … are loaded into registers 0, 1, 2, …; ``fly``: h is loaded, and its powers are computed in each message.
    times_h : bool
        Whether the result is multiplied by h.
    order : str
        Order of the products: ``schedule``, the algorithm of the paper, or ``shortest``.  ``shortest`` saves cycles if that algorithm idles
        longer than necessary, up to two cycles with three stages.  It may need one more accumulator.
    halt : int
        Of the multiplier.

    Raises
    ------
    TypeError, ValueError
        As ``PolynomialHash``; a number is not an int or is too small, there is no such order.
    """

    def __init__(
        self, field: Field = GHASH_ORDER, blocks: int = 31, stages: int = 3, squares: str = "setup", *, times_h: bool = False,
        order: str = "schedule", halt: int = 16,
    ):  # fmt: skip
        super().__init__(field, plan_brw(blocks, stages, times_h=times_h, order=order), squares, halt)


class HornerHash(PolynomialHash):
    """Poly_h(P_1, …, P_m) = P_1 h^(m-1) + … + P_m, or h times it, with one block per cycle in natural order at port ``a``.

    Ports and attributes are those of ``PolynomialHash``; registers 0, 1, … hold h, h^2, …, at most as many as the multiplier has stages.
    Latency m + stages cycles times h (34 for 31 blocks and three stages).

    Parameters
    ----------
    field : Field
        The field.
    blocks : int
        m, at least 1.
    stages : int
        Registers of the multiplier, at least 1: the number of chains.
    times_h : bool
        Whether the result is multiplied by h.
    halt : int
        Of the multiplier.

    Raises
    ------
    TypeError, ValueError
        As ``PolynomialHash``; a number is not an int or is too small.
    """

    def __init__(self, field: Field = GHASH_ORDER, blocks: int = 31, stages: int = 3, *, times_h: bool = False, halt: int = 16):
        super().__init__(field, plan_horner(blocks, stages, times_h=times_h), "setup", halt)
