# SPDX-License-Identifier: Apache-2.0
"""The machine, on programs of a few rows written by hand: timing of every part, cycle by cycle.

The values are strings, so that a result shows where it came from.
"""

from dataclasses import replace

import pytest
from tests.kinds import chain, kind, lane, net_of, unit

from modeloom.allocate.program import (
    Bank,
    ChainRegister,
    ChainRow,
    InputName,
    KeyRow,
    LaneName,
    Net,
    NetName,
    NetRow,
    OutRow,
    PortRow,
    Program,
    Source,
    Table,
    UnitInstance,
    WriteRow,
)
from modeloom.prove.machine import Machine, MachineError, Plan, Sector

D = "encrypt"


class Texts:
    """Values as text."""

    def form(self, terms):
        return "+".join(f"{v}" + (f"[{keep}]" if keep else "") + (f"*x{k}" if k else "") for v, k, keep in terms)

    def term(self, form, k, keep):
        return f"({form})", k, keep

    def step(self, form, stride):
        return f"{form}~{stride}"

    def operate(self, core, operands, number):
        return f"{core}{number or ''}({','.join(operands)})"

    def result(self, raw, keep, post):
        return raw + (f"[{keep}]" if keep else "") + (f"+{post}" if post else "")

    def store(self, form):
        return f"<{form}>"

    def const(self, number):
        return f"#{number}"

    def undefined(self, what):
        raise MachineError(f"{what} holds nothing")


def program(rows, *, stages=1, units=(), banks=(), nets=(), chains=(), words=(), raw=0, **lists):
    """A program whose main table has the given lists."""
    table = Table("main", (D,), rows, stages, **lists)
    return Program(
        "test", 16, 16, 16, 1, (D,), list(units), {b.name: b for b in banks}, {n.name: n for n in nets}, list(chains),
        {"main": table, "setup": Table("setup", ("setup",), 1, 1)}, list(words), raw, 4,
    )  # fmt: skip


def column(rows, **entries):
    """A list with rows at slots: column(4, s1=row)."""
    return [entries.get(f"s{i}") for i in range(rows)]


def net(*numbers, stage=0, core="", keep=0, const=None):
    return NetRow(
        stage,
        {D: numbers},
        {D: const} if const is not None else {},
        {D: core} if core else {},
        {D: keep} if keep else {},
    )


def outputs(made, sectors, *, words=(), out_delay=1, memory=None, turn=0):
    machine = Machine(Plan(made, made.main, out_delay, 3), Texts(), words, lambda cells: turn % cells, memory)
    seen = []
    machine.run(sectors, lambda sector, index, form: seen.append((sector.number, index, form)))
    return seen


def simple(**changes):
    rows = 4
    parts = {
        "banks": [Bank(InputName(0), LaneName(0), 2, 1)],
        "nets": [Net(lane(), [Source("bank", "in0", 0, 2, 5)])],
        **changes,
    }
    made = program(rows, **parts)
    made.main.nets[lane()] = column(rows, s1=net(0))
    made.main.ports["in0", 0] = column(rows, s1=PortRow(0, {D: 1}))
    made.main.outs[0] = column(rows, s2=OutRow(0, {D: 0}))
    made.main.inputs[0] = 1
    return made


def test_a_port_reads_in_the_cycle_before_and_sees_writes_up_to_the_one_before_that():
    made = simple()
    for written, expected in ((-1, "P"), (0, None)):
        sector = Sector(0, D, 10, [(10 + written, "in0", 1, "P")])
        if expected:
            assert outputs(made, [sector]) == [(0, 0, "P[5]*x2")]
        else:
            with pytest.raises(MachineError, match="port 0 of bank in0 holds nothing"):
                outputs(made, [sector])


def test_the_output_register_counts():
    made = simple()
    made.main.outs[0] = column(4, s1=OutRow(0, {D: 0}))
    sector = Sector(0, D, 0, [(-2, "in0", 1, "P")])
    assert outputs(made, [sector], out_delay=0) == [(0, 0, "P[5]*x2")]
    with pytest.raises(MachineError, match="output lane 0"):
        outputs(made, [Sector(0, D, 0, [(-2, "in0", 1, "P")])])


def test_banks_turn_with_the_sectors():
    made = simple()
    memory = {"in0": [None, None]}
    sectors = [Sector(n, D, 4 * n, [(4 * n - 2, "in0", 1, f"P{n}")]) for n in range(3)]
    assert [form for _, _, form in outputs(made, sectors, memory=memory)] == ["P0[5]*x2", "P1[5]*x2", "P2[5]*x2"]
    assert memory == {"in0": ["P1", "P2"]}
    memory = {"in0": [None, None]}
    outputs(made, [Sector(0, D, 0, [(-2, "in0", 1, "P0")])], memory=memory, turn=1)
    assert memory == {"in0": ["P0", None]}


def test_sectors_enter_at_row_0():
    made = simple()
    made.tables["main"] = replace(made.main, stages=3)
    for gap, legal in ((4, True), (8, True), (3, False), (6, False), (12, True), (13, True)):
        sectors = [Sector(n, D, gap * n, [(gap * n - 2, "in0", 1, "P")]) for n in range(2)]
        if legal:
            assert len(outputs(made, sectors)) == 2
        else:
            with pytest.raises(MachineError, match=f"sectors enter {gap} cycles apart"):
                outputs(made, sectors)


MUL = UnitInstance(unit("mul"), 2, 3, (kind("mul"),))


def unit_program(unit, y_cycle, age=0, *, post_cycle=None, write=False, read_cycle=None):
    """key * const issues in cycle 0; the result is read in ``y_cycle``; a block is added behind the unit."""
    rows = 12
    post_cycle = unit.post_at if post_cycle is None else post_cycle
    banks = [Bank(unit.name, unit.name, 3, 1)] if write else []
    source = Source("bank", unit.name, 0) if write else Source("y", unit.name, age)
    nets = [
        Net(NetName(unit.name), [Source("key", "", 0)], 1),
        Net(NetName(unit.name, "b"), [Source("const", "", 0, 1)]),
        Net(NetName(unit.name, "post"), [Source("key", "", 0)], 1),
        Net(lane(), [source]),
    ]
    made = program(rows, units=[unit], banks=banks, nets=nets, words=("h", "g"), raw=2)
    core = unit.cores[0]
    main = made.main
    main.nets[NetName(unit.name)] = column(rows, s0=net(0, core=core))
    main.keys[NetName(unit.name), 0] = column(rows, s0=KeyRow(0, {D: 0}))
    if "b" in unit.operands:
        main.nets[NetName(unit.name, "b")] = column(rows, s0=net(0, core=core, const=7))
    main.nets[NetName(unit.name, "post")] = column(rows, **{f"s{post_cycle}": net(0, core=core, keep=9)})
    main.keys[NetName(unit.name, "post"), 0] = column(rows, **{f"s{post_cycle}": KeyRow(0, {D: 1})})
    main.nets[lane()] = column(rows, **{f"s{y_cycle}": net(0)})
    main.outs[0] = column(rows, **{f"s{y_cycle + 1}": OutRow(0, {D: 0})})
    if write:
        main.writes[unit.name] = column(rows, **{f"s{unit.latency}": WriteRow(0, {D: 2})})
        main.ports[unit.name, 0] = column(rows, **{f"s{y_cycle}": PortRow(0, {D: 2})})
    return made


RESULT = "mul(h,#7*x1)[9]+g"


@pytest.mark.parametrize(
    "unit",
    [MUL, replace(MUL, latency=2), replace(MUL, post_at=0, latency=1), replace(MUL, post_at=0, latency=0)],
    ids=lambda u: f"{u.post_at}-{u.latency}",
)
def test_a_result_is_there_when_the_unit_says(unit):
    for cycle in range(unit.latency + 4):
        for age in (0, 1):
            made = unit_program(unit, cycle, age)
            if cycle == unit.latency + age:
                assert outputs(made, [Sector(0, D, 0)], words=("h", "g")) == [(0, 0, RESULT)]
            else:
                with pytest.raises(MachineError, match="the output of mul0"):
                    outputs(made, [Sector(0, D, 0)], words=("h", "g"))


def test_a_result_in_a_bank_is_there_two_cycles_later():
    for cycle in range(MUL.latency, MUL.latency + 5):
        made = unit_program(MUL, cycle, write=True)
        if cycle >= MUL.latency + 2:
            assert outputs(made, [Sector(0, D, 0)], words=("h", "g")) == [(0, 0, RESULT)]
        else:
            with pytest.raises(MachineError, match="port 0 of bank mul0"):
                outputs(made, [Sector(0, D, 0)], words=("h", "g"))


def test_a_sum_that_comes_at_another_time_finds_no_result():
    for post in (1, 3):
        with pytest.raises(MachineError, match="the result of mul0"):
            outputs(unit_program(MUL, 3, post_cycle=post), [Sector(0, D, 0)], words=("h", "g"))


def test_intervals():
    made = unit_program(replace(MUL, interval=13), 3)
    sectors = [Sector(n, D, 12 * n) for n in range(2)]
    with pytest.raises(MachineError, match="mul0 starts in cycle 12 before it is free"):
        outputs(made, sectors, words=("h", "g"))
    made = unit_program(replace(MUL, slow_core="mul", slow_interval=13), 3)
    with pytest.raises(MachineError, match="its mul core in cycle 12 before that is free"):
        outputs(made, [Sector(n, D, 12 * n) for n in range(2)], words=("h", "g"))
    assert len(outputs(unit_program(MUL, 3), [Sector(n, D, 12 * n) for n in range(2)], words=("h", "g"))) == 2


def test_a_loop_of_networks_finds_nothing():
    adder = UnitInstance(unit("acc"), 0, 0, (kind("acc"),))
    made = unit_program(adder, 0)
    made.nets[net_of("acc")] = Net(net_of("acc"), [Source("y", "acc0", 0)])
    with pytest.raises(MachineError, match="of acc0 holds nothing"):
        outputs(made, [Sector(0, D, 0)], words=("h", "g"))


def test_chains_load_and_step_at_the_end_of_a_cycle():
    rows = 6
    nets = [Net(chain(), [Source("key", "", 0, 1)], 1), Net(lane(), [Source("chain", "", 0)])]
    made = program(rows, nets=nets, chains=[ChainRegister(0, 2)], words=("h",), raw=1)
    main = made.main
    main.nets[chain()] = column(rows, s1=net(0))
    main.keys[chain(), 0] = column(rows, s1=KeyRow(0, {D: 0}))
    main.chains[0] = column(rows, s1=ChainRow(0, "load", (D,)), s3=ChainRow(0, "step", (D,)))
    for cycle, expected in ((2, "(h*x1)"), (3, "(h*x1)"), (4, "(h*x1~2)")):
        main.nets[lane()] = column(rows, **{f"s{cycle}": net(0)})
        main.outs[0] = column(rows, **{f"s{cycle + 1}": OutRow(0, {D: 0})})
        assert outputs(made, [Sector(0, D, 0)], words=("h",)) == [(0, 0, expected)]
    main.nets[lane()] = column(rows, s0=net(0))
    main.outs[0] = column(rows, s1=OutRow(0, {D: 0}))
    with pytest.raises(MachineError, match="chain 0 holds nothing"):
        outputs(made, [Sector(0, D, 0)], words=("h",))


def test_stages_without_a_sector_do_nothing():
    """A row of stage 1 acts a turn after row 0 of its sector, and not for a sector that is not there."""
    made = simple()
    made.tables["main"] = replace(made.main, stages=2)
    made.main.nets[lane()] = column(4, s1=net(0, stage=1))
    made.main.ports["in0", 0] = column(4, s1=PortRow(1, {D: 1}))
    made.main.outs[0] = column(4, s2=OutRow(1, {D: 0}))
    sectors = [Sector(n, D, e, [(e - 2, "in0", 1, f"P{n}")]) for n, e in ((0, 0), (1, 8))]
    assert outputs(made, sectors) == [(0, 0, "P0[5]*x2"), (1, 0, "P1[5]*x2")]


def test_set_up_writes_words_that_are_there_after_the_delay():
    rows = 8
    for read in (3, 4, 5):
        nets = [Net(lane(), [Source("key", "", 0)], 1)]
        made = program(rows, nets=nets, words=("h", "a", "b"), raw=1)
        setup = made.tables["setup"] = Table("setup", ("setup",), rows, 1)
        side = {"setup": (0,)}
        setup.nets[lane()] = column(rows, s0=NetRow(0, side), **{f"s{read}": NetRow(0, side)})
        setup.keys[lane(), 0] = column(rows, s0=KeyRow(0, {"setup": 0}), **{f"s{read}": KeyRow(0, {"setup": 1})})
        setup.outs[0] = column(rows, s1=OutRow(0, {"setup": 1}), **{f"s{read + 1}": OutRow(0, {"setup": 2})})
        machine = Machine(Plan(made, setup, 1, 3), Texts(), ("h", None, None))
        sector = Sector(0, "setup", 0)
        if read < 4:
            with pytest.raises(MachineError, match="key word 1 holds nothing"):
                machine.run([sector])
        else:
            machine.run([sector])
            assert sector.outputs == {1: "h", 2: "<h>"}


def test_a_block_leaves_once():
    made = simple()
    made.main.nets[lane()] = column(4, s1=net(0), s2=net(0))
    made.main.ports["in0", 0] = column(4, s1=PortRow(0, {D: 1}), s2=PortRow(0, {D: 1}))
    made.main.outs[0] = column(4, s2=OutRow(0, {D: 0}), s3=OutRow(0, {D: 0}))
    with pytest.raises(MachineError, match="block 0 of sector 0 leaves twice"):
        outputs(made, [Sector(0, D, 0, [(-2, "in0", 1, "P")])])
