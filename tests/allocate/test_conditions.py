# SPDX-License-Identifier: Apache-2.0
"""Parts of the checker's conditions, each with a fault that no other condition finds."""

from dataclasses import replace

import pytest
from tests.allocate.made import delays, made
from tests.prove.mutate import copy_program

from modeloom.allocate.check import CheckError, check_program
from modeloom.allocate.program import KeyRow, NetRow, WriteRow
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.xcb import XCB


def with_keys(program):
    """A network that reads key words, and the column of one of its ports."""
    return next((key, rows) for key, rows in sorted(program.main.keys.items()))


def plant_negative_ports(p):
    p.banks["mul0"] = replace(p.banks["mul0"], ports=-1)


def plant_key_port_too_many(p):
    (net, _), rows = with_keys(p)
    p.main.keys[net, p.nets[net].key_ports] = [KeyRow(0, {"encrypt": 0}), *[None] * (len(rows) - 1)]


def plant_no_key_list(p):
    key, _ = with_keys(p)
    del p.main.keys[key]


def plant_write_of_inputs(p):
    p.main.writes["lane0"] = [WriteRow(0, {"encrypt": 0}), *[None] * (p.main.rows - 1)]


def plant_empty_row(p):
    name, rows = next((name, rows) for name, rows in sorted(p.main.nets.items()) if None in rows)
    rows[rows.index(None)] = NetRow(0, {})


PLANTS = [
    (plant_negative_ports, "bank mul0 has .* cells and -1 read ports"),
    (plant_key_port_too_many, "keys: there is no "),
    (plant_no_key_list, "reads key port 0, which reads nothing then"),
    (plant_write_of_inputs, "writes: there is no lane0"),
    (plant_empty_row, "nothing, or for a direction that does not exist"),
]


@pytest.mark.parametrize(("plant", "message"), PLANTS, ids=[plant.__name__ for plant, _ in PLANTS])
def test_planted_faults(plant, message):
    compiled = made(HCTR2)
    program = copy_program(compiled.allocation.program)
    plant(program)
    with pytest.raises(CheckError, match=message):
        check_program(program, **delays(compiled))


def test_set_up_has_the_hosts_cipher_keys_alone():
    """XCB's set-up makes cipher keys, which only sectors use: the same number is legal in the one table and not in the other."""
    compiled = made(XCB, sector=48)
    program = copy_program(compiled.allocation.program)
    check_program(program, **delays(compiled))
    derived = len(program.cipher_keys) - 1
    used = {n for rows in program.main.nets.values() for row in rows if row for n in row.number.values()}
    assert derived in used and program.derived
    setup = program.tables["setup"]
    changed = 0
    for name, rows in setup.nets.items():
        if name.endswith(".a"):
            for slot, row in enumerate(rows):
                if row and row.core.get("setup", "").startswith("enc") and not changed:
                    rows[slot] = replace(row, number={"setup": derived})
                    changed += 1
    assert changed == 1
    with pytest.raises(CheckError, match="gives the core enc a number that it does not take"):
        check_program(program, **delays(compiled))
