# SPDX-License-Identifier: Apache-2.0
"""Proof by induction over the cycles, and search for a run from the reset that breaks a rule.

::

    any state, reset ──▶ invariants hold        invariants, assumptions ──▶ invariants hold after, and the rule holds
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from bitwuzla import Bitwuzla, Kind, Option, Options, Result
from tests.formal.bits import MANAGER, Bits, all_of, any_of, constant
from tests.formal.key_rules import KEY_INVARIANTS
from tests.formal.machine import Machine
from tests.formal.size_rules import SIZE_INVARIANTS
from tests.formal.stream_rules import ASSUMPTIONS, INVARIANTS, BusState

from modeloom.rtl.bus.sector import BusParameters

__all__ = ["Counterexample", "Trace", "check_invariants", "check_rule", "holds", "never_stuck", "running", "search", "sound"]

Rule = Callable[[BusState, BusState], Bits]
Condition = Callable[[BusState], Bits]

ALL = (*INVARIANTS, *KEY_INVARIANTS, *SIZE_INVARIANTS)

WATCHED = (
    "command.cmd_valid", "command.cmd_ready", "sector.packet_complete", "queue.queue.w_en", "entry.verdict_code", "entry.packet_entering",
    "entry.enter_ack", "ring.done_valid", "ring.out.valid_reg", "ring.out.o_ready", "ring.fetched_last_reg", "queue.valid_reg",
    "queue.status_ready",
    "queue.delivered_reg",
)  # fmt: skip
"""Nets of a trace."""


@dataclass
class Trace:
    """Values of some nets in the cycles of a run, the first one after the reset."""

    rule: str
    cycles: list[dict[str, int]] = field(default_factory=list)

    def __str__(self) -> str:
        rows = [f"{self.rule} is broken in cycle {len(self.cycles) - 1} from the reset"]
        for name in self.cycles[0]:
            rows.append(f"{name:24s} " + " ".join(f"{cycle[name]:2x}" for cycle in self.cycles))
        return "\n".join(rows)


class Counterexample(AssertionError):
    """A step from a state that keeps all invariants breaks one, or a rule."""


def holds(claim: Bits, *assumed: Bits, watch: Iterable[Bits] = ()) -> list[int] | None:
    """None if a claim follows from what is assumed, else values of ``watch`` for which it does not."""
    options = Options()
    options.set(Option.PRODUCE_MODELS, True)
    solver = Bitwuzla(MANAGER, options)
    one = constant(1, 1).term
    for truth in (*assumed, ~claim):
        solver.assert_formula(MANAGER.mk_term(Kind.EQUAL, [truth.term, one]))
    result = solver.check_sat()
    if result == Result.UNSAT:
        return None
    if result != Result.SAT:
        raise RuntimeError("the solver gave up")
    return [int(solver.get_value(bits.term).value(10)) for bits in watch]


def running(s: BusState) -> Bits:
    """No reset, and what is assumed of the engine."""
    return all_of([~s["rst"], *(assumption(s) for assumption in ASSUMPTIONS)])


def sound(s: BusState) -> Bits:
    """All invariants."""
    return all_of(invariant(s) for invariant in ALL)


def _values(s: BusState) -> tuple[list[str], list[Bits]]:
    names = [name for name in WATCHED if s.state.has(name)]
    return names, [s[name] for name in names]


def check_invariants(machine: Machine, p: BusParameters) -> None:
    """All invariants hold after a reset in any state, at power-on, and after every cycle; raises ``Counterexample``."""
    anything = BusState(machine.free("any"), p)
    power = BusState(machine.powered("power"), p)
    s = BusState(machine.free("s"), p)
    after_reset, t = anything.next(), s.next()
    for invariant in ALL:
        cases = {
            "after a reset": holds(invariant(after_reset), anything["rst"]),
            "at power-on": holds(invariant(power), all_of(assumption(power) for assumption in ASSUMPTIONS)),
        }
        names, values = _values(s)
        cases["after a cycle"] = holds(invariant(t), sound(s), running(s), watch=values)
        for case, found in cases.items():
            if found is not None:
                raise Counterexample(f"{invariant.__name__} does not hold {case}: {dict(zip(names, found))}")


def check_rule(machine: Machine, p: BusParameters, rule: Rule) -> None:
    """A rule holds in every cycle, given the invariants; raises ``Counterexample``."""
    s = BusState(machine.free("s"), p)
    names, values = _values(s)
    found = holds(rule(s, s.next()), sound(s), running(s), watch=values)
    if found is not None:
        raise Counterexample(f"{rule.__name__} does not hold: {dict(zip(names, found))}")


def never_stuck(machine: Machine, p: BusParameters, start: Condition, always: Condition, goal: Condition, cycles: int) -> bool:
    """Whether the goal is met within some cycles from every sound state with ``start`` in which ``always`` holds from then on."""
    states = [BusState(machine.free("s"), p)]
    for _ in range(cycles):
        states.append(states[-1].next())
    assumed = [sound(states[0]), start(states[0])]
    assumed += [running(s) & always(s) for s in states]
    return holds(any_of(goal(s) for s in states), *assumed) is None


def search(machine: Machine, p: BusParameters, rule: Rule, cycles: int) -> Trace | None:
    """A run from the reset in which the engine keeps what is assumed of it and a rule is broken, the shortest up to some cycles.

    To load a key takes some sixty cycles in which nothing else needs to happen: it is taken to have been done.
    """
    reset = machine.free("reset")
    states = [BusState(reset.next(loose=machine.netlist.net("key_port.state_loaded")), p)]
    assumed = [reset["rst"]]
    for _ in range(cycles):
        s = states[-1]
        t = s.next()
        assumed.append(running(s))
        watched = [(name, state[name]) for state in states for name in _values(state)[0]]
        found = holds(rule(s, t), *assumed, watch=[value for _, value in watched])
        if found is not None:
            trace = Trace(rule.__name__)
            width = len(watched) // len(states)
            for n in range(len(states)):
                part = slice(n * width, (n + 1) * width)
                trace.cycles.append({name: value for (name, _), value in zip(watched[part], found[part])})
            return trace
        states.append(t)
    return None
