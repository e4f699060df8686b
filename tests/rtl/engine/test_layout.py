# SPDX-License-Identifier: Apache-2.0
"""The fields of the control store against the rows of programs."""

from __future__ import annotations

from typing import Any

import pytest
from tests.rtl.engine.bench import compiled
from tests.rtl.engine.definitions import Words

from modeloom.rtl.engine.layout import RowFields, engine_fields, kept_bytes, used_cores


def numbers(fields: RowFields, name: str) -> list[int]:
    """A field as the rows have it: from its columns."""
    columns = [
        [0] * fields.columns.rows if i is None else [1] * fields.columns.rows if i < 0 else fields.columns.columns[i]
        for i in fields.columns.fields[name]
    ]
    return [sum(column[row] << i for i, column in enumerate(columns)) for row in range(fields.columns.rows)]


@pytest.mark.parametrize(
    ("mode", "options"),
    [("xts", {"sector": 64}), ("xts", {"sector": 64, "direction": "encrypt"}), ("hctr2", {"sector": 48, "more_sectors": (32,)})],
)
def test_rows_of_all_tables(mode: str, options: dict[str, Any]) -> None:
    """Main tables, then set-up tables; decryption has fields of its own only where both directions are built."""
    program = compiled(mode, **options).core_program
    fields = engine_fields(program)
    assert fields.columns.rows == sum(table.rows for table in program.tables)
    assert any(name.endswith(".dec") for name in fields.columns.fields) == (len(program.directions) > 1)
    at = 0
    for table in program.tables:
        ways = (*table.directions, *table.directions)[:2]
        for name in program.nets:
            for slot, row in enumerate(table.nets.get(name) or [None] * table.rows):
                found = {side: numbers(fields, f"{name}.{side}")[at + slot] for side in ("valid", "stage", "select", "issue")}
                if row is None:
                    assert not found["valid"]
                    continue
                selected = row.select.get(ways[0], ())
                assert (found["valid"], found["stage"]) == (1, row.stage)
                assert (found["select"], found["issue"]) == (sum(1 << n for n in selected), ways[0] in row.select)
                if f"{name}.select.dec" in fields.columns.fields:
                    assert numbers(fields, f"{name}.select.dec")[at + slot] == sum(1 << n for n in row.select.get(ways[1], ()))
        done = numbers(fields, "done.valid")[at : at + table.rows]
        wanted = [int(table.name == "main" and slot == table.latency % table.rows) for slot in range(table.rows)]
        assert done == wanted, "a sector is done in one row of its table, and in none of a set-up"
        if any(wanted):
            assert numbers(fields, "done.stage")[at + wanted.index(1)] == table.latency // table.rows
        at += table.rows


def test_blocks_leave_in_main_and_key_words_in_set_up() -> None:
    program = compiled(Words, sector=64).core_program
    fields, rows = engine_fields(program), program.mains[0].rows
    for name, part in (("out0.o", slice(rows, None)), ("out0.key", slice(rows))):
        assert not any(numbers(fields, f"{name}.valid")[part]) and any(numbers(fields, f"{name}.valid"))


def test_parts_and_cores_that_are_used() -> None:
    """What no row asks for is not built."""
    assert kept_bytes(compiled("hctr2", sector=40).core_program) == (8,), "the key stream of a partial block"
    assert kept_bytes(compiled("hctr2", sector=48).core_program) == ()
    program = compiled("hctr2", sector=96, cipher_cores=2).core_program
    used = {unit.name: used_cores(program, unit) for unit in program.units if unit.kind == "cipher"}
    assert used == {"cipher0": ("enc", "dec"), "cipher1": ("enc",)}, "a sector decrypts one block"
