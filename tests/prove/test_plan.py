# SPDX-License-Identifier: Apache-2.0
"""A plan holds every row of a table once for each direction, in the cycle in which it acts."""

from functools import cache

import pytest

from modeloom.compiler.compile import compile_mode
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.heh import HEH
from modeloom.options.sectors import Options
from modeloom.prove.machine import BROKEN, CONST, KEY, Plan


@cache
def program(mode):
    return compile_mode(mode(), Options(tweak=16, restarts=0), prove=False).allocation.program


@pytest.mark.parametrize("mode", [HCTR2, HEH])
@pytest.mark.parametrize("name", ["main", "setup"])
def test_rows_and_steps(mode, name):
    table = program(mode).tables[name]
    plan = Plan(program(mode), table, 1, 3)
    sides = {
        "nets": ("nets", "select", 0), "ports": ("reads", "cell", -1), "writes": ("writes", "cell", 0),
        "outs": ("outs", "index", 0), "chains": ("chains", "directions", 0),
    }  # fmt: skip
    for direction in table.directions:
        wanted = {}
        for what, _, slot, row in table.all_rows():
            if what in sides and direction in getattr(row, sides[what][1]):
                cycle = row.stage * table.rows + slot + sides[what][2]
                key = (cycle, sides[what][0])
                wanted[key] = wanted.get(key, 0) + 1
        found = {}
        for place, step in enumerate(plan.steps[direction]):
            for what in ("nets", "reads", "writes", "outs", "chains"):
                if step is not None and getattr(step, what):
                    found[place - 1, what] = len(getattr(step, what))
        assert found == wanted


def test_key_rows_belong_to_their_network_row():
    table = program(HCTR2).main
    plan = Plan(program(HCTR2), table, 1, 3)
    kinds = [t[0] for step in plan.steps["encrypt"] if step for net in step.nets for t in net[1]]
    assert KEY in kinds and CONST in kinds and BROKEN not in kinds
    table = program(HCTR2).tables["setup"]
    (net, port), rows = sorted(table.keys.items())[0]
    column = list(rows)
    table.keys[net, port] = [None] * table.rows
    try:
        broken = Plan(program(HCTR2), table, 1, 3)
    finally:
        table.keys[net, port] = column
    assert BROKEN in [t[0] for step in broken.steps["setup"] if step for n in step.nets for t in n[1]]
