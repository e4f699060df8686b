# SPDX-License-Identifier: Apache-2.0
"""The checker of schedules accepts what the schedulers make, and refuses schedules that are too fast or too full."""

import copy
from dataclasses import replace
from functools import cache

import pytest
from tests.kinds import kind as named
from tests.kinds import unit_kind

from modeloom.compiler.compile import compile_mode
from modeloom.ir.check import CheckError
from modeloom.ir.graph import Chain, Op, OpGraph, Pair, Term
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.heh import HEH
from modeloom.options.sectors import preset
from modeloom.schedule.check import check_schedule
from modeloom.schedule.modulo import Schedule
from modeloom.schedule.problem import Problem, Unit, UnitSet


@cache
def made(mode, preset_name="default", **options):
    chosen = preset(preset_name).but(**{"tweak": 16, "restarts": 0, **options})
    return compile_mode(mode(), chosen, prove=False)


def fresh(compiled):
    """A copy whose starts, instances and interval can be changed."""
    old = compiled.schedule
    return replace(old, start=list(old.start), instance=list(old.instance))


@pytest.mark.parametrize("mode", [HCTR2, HEH])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sector": 1024, "terms": 3},
        {"overlap": False},
        {"cipher_cores": 2},
        {"direction": "encrypt"},
        {"direction": "decrypt"},
        {"preset_name": "brw2013-1core"},
        {"preset_name": "brw2013-2core"},
        {"preset_name": "tes2010-full"},
        {"preset_name": "tes2010-sequential"},
        {"cipher_arch": "sequential", "cipher_cores": 2, "sector": 96},
        {"registered": False},
    ],
    ids=str,
)
def test_what_the_schedulers_make_is_legal(mode, options):
    compiled = made(mode, **options)
    check_schedule(compiled.schedule)
    check_schedule(compiled.setup_schedule)


@pytest.mark.parametrize("mode", [HCTR2, HEH])
def test_every_operation_that_waits_is_as_early_as_it_may_be_or_later(mode):
    """Moving any operation to before its operands are ready is refused."""
    compiled = made(mode)
    preds = compiled.schedule.problem.preds
    moved = 0
    for i, waits in enumerate(preds):
        if waits:
            schedule = fresh(compiled)
            schedule.start[i] = max(schedule.start[p] + delay for p, delay in waits.items()) - 1
            with pytest.raises(CheckError):
                check_schedule(schedule)
            moved += 1
    assert moved > 60


def test_messages():
    compiled = made(HCTR2)
    cases = []
    schedule = fresh(compiled)
    late = next(i for i, waits in enumerate(schedule.problem.preds) if any(waits.values()))
    schedule.start[late] = 0
    cases.append((schedule, "is ready in cycle|in slot"))
    schedule = fresh(compiled)
    schedule.start[0] = -1
    cases.append((schedule, "operation 0 starts in cycle -1"))
    schedule = fresh(compiled)
    schedule.start.pop()
    cases.append((schedule, "starts and"))
    schedule = fresh(compiled)
    schedule.instance[next(i for i, u in enumerate(schedule.problem.unit) if u.kind == "mul")] = 7
    cases.append((schedule, "runs on mul 7"))
    cases.append((replace(compiled.schedule, ii=0), "interval is 0"))
    cases.append((replace(compiled.schedule, ii=compiled.schedule.ii - 1), "in slot"))
    cases.append((replace(compiled.schedule, overlap=False), "sectors do not overlap"))
    for schedule, message in cases:
        with pytest.raises(CheckError, match=message) as error:
            check_schedule(schedule)
        assert "\n" not in str(error.value)


def test_two_operations_in_a_slot():
    compiled = made(HEH)
    schedule = fresh(compiled)
    muls = [i for i, unit in enumerate(schedule.problem.unit) if unit.kind == "mul"]
    schedule.start[muls[-1]] = schedule.start[muls[0]] + 5 * schedule.ii
    with pytest.raises(CheckError, match=f"operations {muls[0]} and {muls[-1]} take mul 0 in slot"):
        check_schedule(schedule)


def test_a_slow_core_needs_its_interval():
    compiled = made(HCTR2, direction="decrypt")
    problem = copy.copy(compiled.schedule.problem)
    slow = [unit for unit in problem.units.units if unit.interval > 1 or unit.slow_core]
    assert slow
    units = tuple(
        replace(u, interval=40) if u.interval > 1 else replace(u, slow_interval=40) if u.slow_core else u
        for u in problem.units.units
    )
    problem.units = replace(problem.units, units=units)
    with pytest.raises(CheckError, match="for 40 cycles of"):
        check_schedule(replace(compiled.schedule, problem=problem))


def test_lanes():
    compiled = made(HEH, cipher_cores=2)
    schedule = fresh(compiled)
    outs = [i for i, unit in enumerate(schedule.problem.unit) if unit.kind == "out"]
    schedule.instance[outs[0]] ^= 1
    with pytest.raises(CheckError, match="runs on out|leaves on lane"):
        check_schedule(schedule)
    schedule = fresh(compiled)
    ciphers = [p.id for p in schedule.problem.graph.pairs if p.kind in ("enc", "dec", "cipher") and p.block is not None]
    schedule.instance[ciphers[0]] ^= 1
    with pytest.raises(CheckError, match="of block"):
        check_schedule(schedule)


def test_chains():
    compiled = made(HEH)
    problem = compiled.schedule.problem
    chain = compiled.graph.chains[0]
    uses = [i for i, _ in problem.chain_uses[chain.id]]
    schedule = fresh(compiled)
    schedule.start[uses[-1]] += schedule.ii * 3
    with pytest.raises(CheckError):
        check_schedule(schedule)
    problem = copy.copy(problem)
    problem.graph = copy.deepcopy(compiled.graph)
    steps = {}
    for pair in problem.graph.pairs:
        for op in pair.ops.values():
            for n, form in enumerate(op.pre):
                op.pre[n] = tuple(
                    t._replace(source=("chain", chain.id, chain.length - 1 - t.source[2]))
                    if t.source[:2] == ("chain", chain.id)
                    else t
                    for t in form
                )
                steps.update({t.source[2]: pair.id for t in op.pre[n] if t.source[:2] == ("chain", chain.id)})
            op.post = tuple(
                t._replace(source=("chain", chain.id, chain.length - 1 - t.source[2]))
                if t.source[:2] == ("chain", chain.id)
                else t
                for t in op.post
            )
    with pytest.raises(CheckError, match="chain 0 .* out of order"):
        check_schedule(replace(compiled.schedule, problem=problem))


def test_set_up_words_are_written_before_they_are_read():
    compiled = made(HCTR2)
    problem = copy.copy(compiled.setup_schedule.problem)
    problem.units = replace(problem.units, key_delay=problem.units.key_delay + 4)
    with pytest.raises(CheckError, match="reads key word h"):
        check_schedule(replace(compiled.setup_schedule, problem=problem))


def test_sums_without_registers_form_no_loop():
    """Products 1 and 3 take products 0 and 2 into their sums in the cycle in which these come: fine one way, a loop both ways."""
    graph = OpGraph("tiny", ("encrypt",))
    for i in range(4):
        post = (Term(("op", i - 1)),) if i % 2 else ()
        graph.pairs.append(Pair(i, {"encrypt": Op("mul", [(Term(("block", i)),), (Term(("key", "h")),)], post)}))
    for i in range(2):
        graph.pairs.append(Pair(4 + i, {"encrypt": Op("out", [(Term(("op", 2 * i + 1)),)], index=i, block=i)}))
    graph.key_names = ["h"]
    problem = Problem(graph, UnitSet((Unit("mul", 2, 3), Unit("acc", 1, 0), Unit("out", 1, 0))))
    start = [0, 0, 1, 1, 3, 4]
    check_schedule(Schedule(problem, 10, start, [0, 1, 0, 1, 0, 0], overlap=False))
    with pytest.raises(CheckError, match="the sum behind mul 0 is part of a loop of sums without a register"):
        check_schedule(Schedule(problem, 10, start, [0, 1, 1, 0, 0, 0], overlap=False))


def block_ops(kind, count, unit, *chains, base=None):
    """A problem in which each block goes through one operation and leaves; with chains, it adds a step of a register."""
    graph = OpGraph("tiny", ("encrypt",))
    if base is not None:
        graph.pairs.append(Pair(0, {"encrypt": Op("acc", [(Term(("tweak", 0)),)])}))
    first = len(graph.pairs)
    for i in range(count):
        mask = (Term(("chain", 0, i)),) if chains else ()
        graph.pairs.append(Pair(first + i, {"encrypt": Op(kind, [(Term(("block", i)), *mask)])}))
    for i in range(count):
        out = Op("out", [(Term(("op", first + i)),)], index=i, block=i)
        graph.pairs.append(Pair(first + count + i, {"encrypt": out}))
    graph.chains = list(chains)
    return Problem(graph, UnitSet((unit, Unit("acc", 1, 1), Unit("out", 1, 0))))


def refused(problem, ii, start, message):
    with pytest.raises(CheckError, match=message):
        check_schedule(Schedule(problem, ii, start, [0] * len(start), overlap=True))


def test_a_unit_that_is_not_pipelined_is_taken_for_its_interval():
    problem = block_ops("enc", 2, Unit("enc", 1, 3, interval=3))
    check_schedule(Schedule(problem, 6, [0, 3, 3, 6 + 4], [0] * 4, overlap=True))
    refused(problem, 6, [0, 2, 3, 6 + 4], "operations 0 and 1 take enc 0 in slot 2")
    # The last cycles of an operation lie in the first slots of the next interval.
    refused(problem, 6, [0, 4, 3, 6 + 4], "operations 0 and 1 take enc 0 in slot 0")
    refused(problem, 5, [0, 3, 3, 6 + 4], "operations 0 and 1 take enc 0 in slot 0")
    check_schedule(Schedule(problem, 6, [0, 9, 3, 14], [0] * 4, overlap=True))


def test_a_slow_core_is_taken_for_its_own_interval():
    unit = Unit("cipher", 1, 4, slow_core="dec", slow_interval=4)
    both = block_ops("dec", 2, unit)
    check_schedule(Schedule(both, 8, [0, 4, 4, 9], [0] * 4, overlap=True))
    refused(both, 8, [0, 3, 4, 9], "operations 0 and 1 take dec core of cipher 0 in slot 3")
    refused(both, 8, [0, 5, 4, 9], "operations 0 and 1 take dec core of cipher 0 in slot 0")
    # The other core of the unit is pipelined.
    check_schedule(Schedule(block_ops("enc", 2, unit), 8, [0, 1, 4, 5], [0] * 4, overlap=True))


def test_a_chain_loads_when_its_base_is_ready_and_not_before():
    chain = Chain(0, 1, 2, {"encrypt": Term(("op", 0))})
    problem = block_ops("enc", 2, Unit("enc", 1, 2), chain, base=True)
    # The base is there in cycle 1 and loads then; its first use comes a cycle later.
    check_schedule(Schedule(problem, 6, [0, 2, 3, 4, 5], [0] * 5, overlap=True))
    refused(problem, 6, [1, 2, 3, 4, 5], "chain 0 of encrypt loads in cycle 1, before its base is ready")
    # A tweak is there from the beginning.
    given = block_ops("enc", 2, Unit("enc", 1, 2), Chain(0, 1, 2, {"encrypt": Term(("tweak", 0))}))
    check_schedule(Schedule(given, 6, [1, 2, 3, 4], [0] * 4, overlap=True))
    refused(given, 6, [0, 2, 3, 4], "chain 0 of encrypt is loaded before its sector enters")


def test_a_chain_is_free_when_the_next_sector_loads_it():
    problem = block_ops("enc", 2, Unit("enc", 1, 2), Chain(0, 1, 2, {"encrypt": Term(("tweak", 0))}))
    # It loads in cycles 0, 6, …; a use in cycle 6 still reads what was there before, one in cycle 8 does not.
    check_schedule(Schedule(problem, 6, [1, 6, 3, 8], [0] * 4, overlap=True))
    refused(problem, 6, [1, 8, 3, 10], "chain 0 of encrypt is in use for more than 6 cycles")


def test_a_slow_core_is_taken_where_one_direction_alone_uses_it():
    unit = Unit("cipher", 1, 4, slow_core="dec", slow_interval=4)
    graph = block_ops("enc", 2, unit).graph
    graph.directions = ("encrypt", "decrypt")
    for pair in graph.pairs:
        op = pair.ops["encrypt"]
        pair.ops["decrypt"] = replace(op, kind=named("dec") if op.kind == "enc" else op.kind)
    problem = Problem(graph, UnitSet((unit, Unit("acc", 1, 1), Unit("out", 1, 0))))
    check_schedule(Schedule(problem, 8, [0, 4, 4, 9], [0] * 4, overlap=True))
    refused(problem, 8, [0, 3, 4, 9], "operations 0 and 1 take dec core of cipher 0 in slot 3")


def test_blocks_leave_on_their_lanes_whatever_they_are_said_to_belong_to():
    schedule = copy.deepcopy(fresh(made(HEH, cipher_cores=2)))
    out = next(pair for pair in schedule.problem.graph.pairs if pair.kind == "out")
    for op in out.ops.values():
        op.block = None
    check_schedule(schedule)
    schedule.instance[out.id] ^= 1
    with pytest.raises(CheckError, match=r"block \d+ leaves on lane"):
        check_schedule(schedule)


@pytest.mark.parametrize("field", ["start", "instance"])
@pytest.mark.parametrize("change", [lambda values: values.pop(), lambda values: values.append(0)], ids=["less", "more"])
def test_a_start_and_an_instance_for_each_operation(field, change):
    schedule = fresh(made(HEH))
    change(getattr(schedule, field))
    count = len(schedule.problem.graph.pairs)
    with pytest.raises(CheckError, match=f"{len(schedule.start)} starts and {len(schedule.instance)} instances for {count} operations"):
        check_schedule(schedule)


@pytest.mark.parametrize(("ii", "legal"), [(1, True), (0, False), (-1, False)])
def test_the_shortest_interval(ii, legal):
    problem = block_ops("enc", 1, Unit("enc", 1, 3))
    if legal:
        check_schedule(Schedule(problem, ii, [0, 3], [0, 0], overlap=True))
    else:
        refused(problem, ii, [0, 3], f"the initiation interval is {ii}")


def test_an_adder_is_for_its_counters_alone():
    unit = Unit("add", 1, 1, forms=("add32le", "add64le"))
    for kind in unit.forms:
        for one in (unit, replace(unit, forms=(kind,)), replace(unit, forms=())):
            check_schedule(Schedule(block_ops(kind, 1, one), 4, [0, 1], [0, 0], overlap=True))
    other = block_ops("add128le", 1, unit)
    refused(other, 4, [0, 1], "operation 0 adds to another counter than add32le or add64le")
    # One of the directions is enough.
    both = block_ops("add64le", 1, unit)
    both.graph.pairs[0].ops["decrypt"] = other.graph.pairs[0].ops["encrypt"]
    refused(both, 4, [0, 1], "operation 0 adds to another counter than add32le or add64le")


def test_a_pair_of_both_directions_of_the_cipher_needs_a_core_for_both():
    problem = block_ops("enc", 1, Unit("cipher", 1, 3))
    first = problem.graph.pairs[0].ops
    first["decrypt"] = replace(first["encrypt"], kind="dec")
    check_schedule(Schedule(problem, 4, [0, 3], [0, 0], overlap=True))
    out = Unit("out", 1, 0)
    for units in ((Unit("enc", 1, 3),), (Unit("enc", 1, 3), Unit("dec", 1, 3)), (Unit("cipher", 0, 3),)):
        problem.units = UnitSet((*units, out))
        refused(problem, 4, [0, 3], r"operation 0 \(dec or enc\) has no unit, or more than one")


def test_a_chain_is_used_in_the_same_cycles_in_both_directions():
    """Steps in calls 0 and 1 for one direction, in 1 and 2 for the other."""
    chain = Chain(0, 1, 2, {"encrypt": Term(("tweak", 0)), "decrypt": Term(("tweak", 0))})
    problem = block_ops("enc", 3, Unit("enc", 1, 2), chain)
    steps = {"encrypt": (0, 1, None), "decrypt": (None, 0, 1)}
    for pair in problem.graph.pairs[:3]:
        block = (Term(("block", pair.id)),)
        masks = {d: Term(("chain", 0, steps[d][pair.id])) if steps[d][pair.id] is not None else None for d in steps}
        pair.ops = {d: Op("enc", [(*block, mask) if mask else block]) for d, mask in masks.items()}
    refused(problem, 8, [1, 2, 3, 3, 4, 5], "chain 0 is used in different cycles in the two directions")
    for pair in problem.graph.pairs[:3]:
        pair.ops["decrypt"] = pair.ops["encrypt"]
    check_schedule(Schedule(problem, 8, [1, 2, 3, 3, 4, 5], [0] * 6, overlap=True))


@pytest.mark.parametrize(("instance", "legal"), [(-1, False), (0, True), (1, True), (2, False)])
def test_an_operation_runs_on_a_unit_that_there_is(instance, legal):
    problem = block_ops("mul", 1, Unit("mul", 2, 3))
    schedule = Schedule(problem, 4, [0, 3], [instance, 0], overlap=True)
    if legal:
        check_schedule(schedule)
    else:
        with pytest.raises(CheckError, match=f"operation 0 runs on mul {instance}, and there are 2"):
            check_schedule(schedule)


@pytest.mark.parametrize(
    ("kind", "unit"),
    [("enc", "enc"), ("dec", "dec"), (named("enc", 256), unit_kind("enc", 256)), ("dec", "cipher"), ("mul", "mul")],
)
def test_cipher_calls_keep_to_the_core_of_their_block(kind, unit):
    """Products run on any multiplier."""
    problem = block_ops(kind, 2, Unit(unit, 2, 3))
    for pair in problem.graph.pairs[:2]:
        pair.ops["encrypt"].block = pair.id
    check_schedule(Schedule(problem, 4, [0, 0, 3, 4], [0, 1, 0, 0], overlap=True))
    exchanged = Schedule(problem, 4, [0, 0, 3, 4], [1, 0, 0, 0], overlap=True)
    if kind == "mul":
        check_schedule(exchanged)
    else:
        with pytest.raises(CheckError, match=f"operation 0 of block 0 runs on {unit} 1"):
            check_schedule(exchanged)


def test_a_chain_gives_one_multiple_in_a_cycle():
    """Both operands of one product, and the sum of one product beside the operand of the next."""
    problem = block_ops("mul", 2, Unit("mul", 1, 3), Chain(0, 1, 2, {"encrypt": Term(("tweak", 0))}))
    first, second = (pair.ops["encrypt"] for pair in problem.graph.pairs[:2])
    steps = [(Term(("chain", 0, step)),) for step in (0, 1)]
    key = (Term(("key", "h")),)
    first.pre, second.pre = steps, [key, key]
    refused(problem, 8, [1, 4, 4, 7], "chain 0 of encrypt is used out of order or twice in a cycle")
    problem.graph.chains[0] = replace(problem.graph.chains[0], length=3)
    second.pre = [(Term(("chain", 0, 2)),), key]
    refused(problem, 8, [1, 4, 4, 7], "chain 0 of encrypt is used out of order or twice in a cycle")
    problem.graph.chains[0] = replace(problem.graph.chains[0], length=2)
    first.pre, first.post, second.pre = [key, key], steps[0], [steps[1], key]
    refused(problem, 8, [1, 4, 4, 7], "chain 0 of encrypt is used out of order or twice in a cycle")
    check_schedule(Schedule(problem, 8, [1, 5, 4, 8], [0] * 4, overlap=True))


def test_a_plain_schedule_is_over_before_the_next_sector():
    problem = block_ops("enc", 2, Unit("enc", 1, 3))
    for ii, legal in ((5, True), (4, True), (3, False)):
        schedule = Schedule(problem, ii, [0, 1, 3, 4], [0] * 4, overlap=False)
        if legal:
            check_schedule(schedule)
        else:
            with pytest.raises(CheckError, match="sectors do not overlap, and one is not done after 3 cycles"):
                check_schedule(schedule)


def test_an_operation_may_take_its_unit_all_the_time():
    problem = block_ops("enc", 1, Unit("enc", 1, 4, interval=4))
    check_schedule(Schedule(problem, 4, [0, 4], [0, 0], overlap=True))
    refused(problem, 3, [0, 4], "operation 0 takes enc 0 for 4 cycles of 3")


def loop_of(kind, units):
    """Two operations read or add a result in the cycle in which it comes, one the other way round on the same two units."""
    graph = OpGraph("tiny", ("encrypt",))
    key = [(Term(("key", "h")),)] * (kind == "mul")
    for i in range(4):
        block, other = (Term(("block", i)),), (Term(("op", i - 1)),)
        form, post = (other, ()) if i % 2 and kind == "acc" else (block, other if i % 2 else ())
        graph.pairs.append(Pair(i, {"encrypt": Op(kind, [form, *key], post)}))
    graph.key_names = ["h"]
    return Schedule(Problem(graph, UnitSet(units)), 8, [0, 0, 1, 1], [0, 1, 1, 0], overlap=True)


@pytest.mark.parametrize("kind", ["mul", "acc"])
@pytest.mark.parametrize("others", [False, True])
def test_a_register_of_another_unit_cuts_no_loop(kind, others):
    """Adders without latency read and give a sum in one cycle, without a register as sums behind products do."""
    unit = Unit(kind, 2, 3 if kind == "mul" else 0)
    enc = Unit("enc", 1, 3, post_register=others)
    with pytest.raises(CheckError, match=f"the sum behind {kind} 0 is part of a loop of sums without a register"):
        check_schedule(loop_of(kind, (unit, enc)))
    straight = loop_of(kind, (unit, enc))
    straight.instance[2:] = straight.instance[:2]
    check_schedule(straight)


@pytest.mark.parametrize("others", [False, True])
def test_its_own_register_cuts_a_loop(others):
    schedule = loop_of("mul", (Unit("mul", 2, 2, post_register=True), Unit("enc", 1, 3, post_register=others)))
    schedule.start[1] = schedule.start[3] = 1
    schedule.start[0] = schedule.start[2] = 0
    schedule.instance[:] = [0, 1, 1, 0]
    check_schedule(schedule)


def test_a_register_stands_before_one_unit():
    problem = block_ops("mul", 2, Unit("mul", 2, 3), Chain(0, 1, 2, {"encrypt": Term(("tweak", 0))}))
    check_schedule(Schedule(problem, 6, [1, 2, 4, 5], [1, 1, 0, 0], overlap=True))
    with pytest.raises(CheckError, match="chain 0 of encrypt is read by several units"):
        check_schedule(Schedule(problem, 6, [1, 2, 4, 5], [0, 1, 0, 0], overlap=True))
    other = problem.graph.pairs[1].ops["encrypt"]
    other.kind, other.pre[1:] = named("enc"), []
    problem.units = UnitSet((Unit("mul", 2, 3), Unit("enc", 1, 3), Unit("out", 1, 0)))
    refused(problem, 6, [1, 2, 4, 5], "chain 0 of encrypt is read by several units")


def test_every_use_of_a_chain_comes_before_its_next_load():
    """The last one alone is too late; of four, the second is not."""
    problem = block_ops("enc", 4, Unit("enc", 1, 2), Chain(0, 1, 4, {"encrypt": Term(("tweak", 0))}))
    check_schedule(Schedule(problem, 6, [1, 2, 3, 6, 3, 4, 5, 8], [0] * 8, overlap=True))
    refused(problem, 6, [1, 2, 3, 10, 3, 4, 5, 12], "chain 0 of encrypt is in use for more than 6 cycles")
