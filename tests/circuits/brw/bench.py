# SPDX-License-Identifier: Apache-2.0
"""Hash circuits on a field small enough for Amaranth's own simulator, and plans on numbers; both for any number of blocks.

Coefficient i of a block of 16 bits is bit i.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from amaranth.sim import Simulator

from modeloom.spec.field import Field
from modeloom_circuits.brw.circuit import PolynomialHash
from modeloom_circuits.brw.plan import Plan

SMALL = Field("small", 16, (1 << 16) | 0x2B)
"""x^16 + x^5 + x^3 + x + 1 is irreducible (``test_circuit``)."""

Multiply = Callable[[int, int], int]


def brw_of(h: int, x: Sequence[int], mul: Multiply) -> int:
    """H_h(X_1, …, X_m) by its definition, brw2013, section 2."""
    m = len(x)
    if m < 2:
        return x[0] if x else 0
    if m == 2:
        return mul(x[1], h) ^ x[0]
    if m == 3:
        return mul(h ^ x[0], mul(h, h) ^ x[1]) ^ x[2]
    t = 1 << m.bit_length() - 1
    power = h
    for _ in range(t.bit_length() - 1):
        power = mul(power, power)
    return mul(brw_of(h, x[: t - 1], mul), power ^ x[t - 1]) ^ brw_of(h, x[t:], mul)


def poly_of(h: int, x: Sequence[int], mul: Multiply) -> int:
    """P_1 h^(m-1) + … + P_m, term by term."""
    total, power = x[-1], h
    for block in reversed(x[:-1]):
        total ^= mul(block, power)
        power = mul(power, h)
    return total


def ports_of(plan: Plan, message: Sequence[int]) -> list[dict[str, int]]:
    """Input ports in the slots of a message."""
    cycles: list[dict[str, int]] = []
    for step in plan.steps:
        taken = () if step.pair is None else message[plan.ports * step.pair :][: plan.ports]
        cycles.append(dict(zip("ab", taken)))
    cycles[0]["start"] = 1
    return cycles


def run_plan(plan: Plan, h: int, messages: Mapping[int, Sequence[int]], field: Field) -> dict[int, int]:
    """The results of messages, by the cycle in which each starts: registers and multiplier as the hardware has them.

    What is not driven is random, so that nothing can be read that was not written before.  Two messages must not issue a product, take
    blocks or write an accumulator in the same cycle.
    """
    random = Random(1)
    noise = lambda: random.getrandbits(field.width)  # noqa: E731
    accumulators = [noise() for _ in range(plan.accumulators)]
    pipeline = [noise() for _ in range(plan.stages)]
    results = {}
    for cycle in range(max(messages) + plan.latency + 1):
        product = pipeline.pop(0)
        issued, taken, written = noise(), 0, {}
        issues = 0
        for start, message in messages.items():
            slot = cycle - start
            if slot == plan.latency:
                results[start] = accumulators[-1]
            if not 0 <= slot < plan.latency:
                continue
            step = plan.steps[slot]
            a, b = noise(), noise()
            if step.pair is not None:
                taken += 1
                a, b = (*message[plan.ports * step.pair :][: plan.ports], noise())[:2]
            if step.issue:
                issues += 1
                parts = ((step.key, h), (step.product, product), (step.block, a))
                first = 0 if step.accumulator is None else accumulators[step.accumulator]
                for use, value in parts:
                    first ^= value if use else 0
                second = (field.power(h, step.power) if step.power else 0) ^ (b if step.second else 0)
                issued = field.mul(first, second)
            for number, write in step.writes.items():
                assert number not in written, "two messages write an accumulator"
                kept = accumulators[number] if write.keep else 0
                written[number] = kept ^ (product if write.product else 0) ^ (a if write.block else 0)
        assert issues <= 1 and taken <= 1, "two messages meet"
        pipeline.append(issued)
        for number, value in written.items():
            accumulators[number] = value
    return results


def simulate(component: PolynomialHash, h: int, messages: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """What ``o`` shows in the cycles with ``done``; messages by the cycle in which each starts, whatever ``ready`` says.

    Blocks stand at the ports in their cycles only, and ``pair`` is checked to have announced them.
    """
    plan, found = component.plan, {}
    cycles: dict[int, dict[str, int]] = {}
    announced: dict[int, int] = {}
    for start, message in messages.items():
        for slot, values in enumerate(ports_of(plan, message)):
            cycles.setdefault(start + slot, {}).update(values)
            pair = plan.steps[slot].pair
            if pair is not None:
                announced[start + slot - 1] = pair

    async def bench(ctx):
        for index, exponent in enumerate(component.powers):
            ctx.set(component.key, component.field.power(h, exponent))
            ctx.set(component.key_we, 1)
            if len(component.powers) > 1:
                ctx.set(component.key_index, index)
            await ctx.tick()
        ctx.set(component.key_we, 0)
        await ctx.tick()
        noise = Random(2)
        for cycle in range(max(messages) + plan.latency + 2):
            values = cycles.get(cycle, {})
            ctx.set(component.start, values.get("start", 0))
            for port in "ab"[: plan.ports]:
                ctx.set(getattr(component, port), values.get(port, noise.getrandbits(component.field.width)))
            if cycle in announced:
                assert ctx.get(component.pair) == announced[cycle]
            if ctx.get(component.done):
                found[cycle] = ctx.get(component.o)
            await ctx.tick()

    simulator = Simulator(component)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return found
