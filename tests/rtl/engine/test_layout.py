# SPDX-License-Identifier: Apache-2.0
"""The fields of the control store against the rows of programs."""

from __future__ import annotations

from typing import Any

import pytest
from tests.rtl.engine.bench import compiled
from tests.rtl.engine.definitions import Counters, Words

from modeloom.allocate.build import CoreProgram
from modeloom.rtl.engine.layout import RowFields, engine_fields, result_cuts, used_cores


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
    assert result_cuts(compiled("hctr2", sector=40).core_program) == (8,), "the key stream of a partial block"
    assert result_cuts(compiled("hctr2", sector=48).core_program) == ()
    program = compiled("hctr2", sector=96, cipher_cores=2).core_program
    used = {unit.name: used_cores(program, unit) for unit in program.units if unit.kind == "cipher"}
    assert used == {"cipher0": ("enc", "dec"), "cipher1": ("enc",)}, "a sector decrypts one block"


def expected(program: CoreProgram, what: str, key: Any, row: Any, way: str) -> dict[str, int]:
    """What the fields of a row of a list have to be in a direction, by the words of ``allocate.program``."""
    if what == "ports":
        return {"cell": row.cell.get(way, 0)}
    if what == "keys":
        return {"word": row.word.get(way, 0)}
    if what == "writes":
        return {"cell": row.cell.get(way, 0), "we": way in row.cell}
    if what == "outs":
        return {"index": row.index.get(way, 0), "we": way in row.index}
    if what == "chains":
        return {action: row.action == action and way in row.directions for action in ("load", "step")}
    found = {"select": sum(1 << n for n in row.select.get(way, ())), "issue": way in row.select}
    if any(source.kind == "const" for source in program.nets[key].sources):
        found["const"] = row.const.get(way, 0)
    unit = next((unit for unit in program.units if unit.name == key.owner), None)
    core = row.core.get(way)
    if unit is None:
        return found
    kept = result_cuts(program)
    if key.operand == "post" and kept:
        found["keep"] = kept.index(row.keep[way]) + 1 if row.keep.get(way) else 0
    used = used_cores(program, unit)
    if unit.kind in ("cipher", "enc", "dec"):
        keys = [number for number, bits in enumerate(program.cipher_bits) if not bits]
        if unit.kind == "cipher":
            found["decrypt"] = core == "dec"
        if key.operand == "a" and len(keys) > 1:
            found["number"] = keys.index(row.number.get(way, 0)) if core else 0
    elif unit.kind == "add":
        if key.operand == "a":
            found["number"] = row.number.get(way, 0)
        elif len(used) > 1:
            found["form"] = used.index(core) if core else 0
    return found


FIELDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "masks, parts of blocks, two cipher keys": ("xts", {"sector": 40, "aes": 2}),
    "counters and products": ("hctr2", {"sector": 40, "more_sectors": (64,)}),
    "two counters": (Counters, {"sector": 64}),
    "one direction": ("heh-brw", {"sector": 96, "direction": "decrypt"}),
    "key words": (Words, {"sector": 64}),
}


@pytest.mark.parametrize("case", FIELDS)
def test_every_field_of_every_row(case: str) -> None:
    """Also that no field is missing, and that none is there of which nothing is known."""
    mode, options = FIELDS[case]
    program = compiled(mode, **options).core_program
    fields = engine_fields(program)
    names = {
        "nets": str, "ports": lambda key: f"{key[0]}.r{key[1]}", "keys": lambda key: f"{key[0]}.k{key[1]}",
        "writes": lambda key: f"{key}.w", "chains": lambda key: f"chain{key}.step",
    }  # fmt: skip
    seen = {"done.valid", "done.stage"}
    for what in (*names, "outs"):
        for key in sorted({key for table in program.tables for key in getattr(table, what)}, key=str):
            at = 0
            known: dict[str, list[int]] = {}
            for table in program.tables:
                name = f"out{key}.{'o' if table.name == 'main' else 'key'}" if what == "outs" else names[what](key)
                first, second = (*table.directions, *table.directions)[:2]
                for slot, row in enumerate(getattr(table, what).get(key) or [None] * table.rows):
                    wanted = {"valid": int(row is not None), "stage": row.stage if row else 0}
                    if row:
                        wanted |= expected(program, what, key, row, first)
                        if len(program.directions) > 1:
                            other = expected(program, what, key, row, second)
                            wanted |= {f"{field}.dec": value for field, value in other.items()}
                    for field, value in wanted.items():
                        place = f"{name}.{field}"
                        seen.add(place)
                        known.setdefault(place, numbers(fields, place))
                        assert known[place][at + slot] == value, f"{place} in row {slot} of {table.name}"
                at += table.rows
    idle = {f"out{lane}.{part}.{field}" for lane in range(program.lanes) for part in ("o", "key") for field in LANE}
    assert fields.columns.fields.keys() - idle == seen - idle


LANE = ("valid", "stage", "index", "we", "index.dec", "we.dec")
"""Fields of a lane, which are there even where no key word or block leaves."""
