# SPDX-License-Identifier: Apache-2.0
"""Programs for units that take batches: the rows of batches, and faults in them, which the checker and the proof each refuse alone."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from tests.allocate.made import delays, made
from tests.built import slowly
from tests.prove.mutate import copy_program, mutants

from modeloom.allocate.build import merge
from modeloom.allocate.check import CheckError, check_program
from modeloom.allocate.program import BatchRow, Program, UnitName, listing
from modeloom.compiler.compile import Compiled
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.xts import XTS
from modeloom.prove import ProofError
from modeloom.prove.execute import prove_program
from modeloom.prove.machine import MachineError
from modeloom.spec.cadence import EVERY_CYCLE

ROUND = {"cipher_arch": "multistream", "sector": 128}


@cache
def built(mode: type, streams: int) -> Compiled:
    return made(mode, **ROUND, streams=streams)


def batches(program: Program, table: str = "main") -> tuple[UnitName, list[BatchRow | None]]:
    ((name, rows),) = program.tables[table].batches.items()
    return name, rows


@pytest.mark.parametrize("streams", [1, 2, 4])
@pytest.mark.parametrize("mode", [XTS, HCTR2])
def test_rows_of_batches(mode: type, streams: int) -> None:
    """Legal programs; their batches begin at one phase, and each has the stages of its operations."""
    compiled = built(mode, streams)
    program = compiled.allocation.program
    check_program(program, **delays(compiled))
    name, rows = batches(program)
    begins = [slot for slot, row in enumerate(rows) if row is not None]
    assert len(rows) == program.ii and len({slot % (10 * streams) for slot in begins}) == 1
    assert name == "cipher0" and f"cipher0: enc, dec; post at {10 * streams + 1}" in listing(program)
    assert f"batches of {streams} in {10 * streams} cycles" in listing(program) and "a batch begins: s0" in listing(program)
    assert merge([program]).mains[0].batches == program.main.batches


def refused_by_proof(compiled: Compiled, program: Program) -> bool:
    try:
        prove_program(program, compiled.graph, compiled.setup_graph, **delays(compiled))
    except (ProofError, MachineError):
        return True
    return False


@pytest.mark.parametrize(("mode", "streams"), [(XTS, 4), *slowly((HCTR2, 2), (XTS, 1))])
def test_broken_batches_are_refused(mode: type, streams: int) -> None:
    """A batch that begins a row earlier or later, or not for a stage: by the checker, and by the proof without it."""
    compiled = built(mode, streams)
    found = 0
    for direction in ("encrypt", "decrypt"):
        for mutant in mutants(compiled.allocation.program, direction, 3, 60):
            if mutant.kind == "batch":
                with pytest.raises(CheckError, match=r"cipher0"):
                    check_program(mutant.program, **delays(compiled))
                assert refused_by_proof(compiled, mutant.program), mutant.text
                found += 1
    assert found >= 6


def test_what_the_checker_says() -> None:
    compiled = built(XTS, 4)
    slots = [slot for slot, row in enumerate(batches(compiled.allocation.program)[1]) if row is not None]

    def refused(change: object, message: str) -> None:
        program = copy_program(compiled.allocation.program)
        change(program, program.main.batches)  # type: ignore[operator]
        with pytest.raises(CheckError, match=message):
            check_program(program, **delays(compiled))

    name = batches(compiled.allocation.program)[0]

    def later(program: Program, rows: dict[UnitName, list[BatchRow | None]]) -> None:
        rows[name][slots[0] + 1], rows[name][slots[0]] = rows[name][slots[0]], None

    def twice(program: Program, rows: dict[UnitName, list[BatchRow | None]]) -> None:
        rows[name][slots[0] + 7] = BatchRow({"encrypt": (0,)})

    def none(program: Program, rows: dict[UnitName, list[BatchRow | None]]) -> None:
        rows.clear()

    def strange(program: Program, rows: dict[UnitName, list[BatchRow | None]]) -> None:
        rows[UnitName(name.kind, 7)] = rows[name]

    def shorter(program: Program, rows: dict[UnitName, list[BatchRow | None]]) -> None:
        rows[name].pop()

    def one_way(program: Program, rows: dict[UnitName, list[BatchRow | None]]) -> None:
        row = rows[name][slots[0]]
        assert row is not None
        rows[name][slots[0]] = BatchRow({"encrypt": row.stages["encrypt"]})

    def single(program: Program, rows: dict[UnitName, list[BatchRow | None]]) -> None:
        program.units[0] = replace(program.units[0], cadence=EVERY_CYCLE)

    refused(later, "is in no batch|batches begin in rows")
    refused(twice, f"cipher0: batches begin in rows {slots[0]} and {slots[0] + 7}, and take 40 cycles")
    refused(none, "cipher0: cycle .* is in no batch")
    refused(strange, "batches of cipher7, which takes none")
    refused(shorter, f"batches of cipher0 have {compiled.allocation.program.ii - 1} rows of {compiled.allocation.program.ii}")
    refused(one_way, f"the batch of row {slots[0]} and the operations in it do not belong to the same stages")
    refused(single, "batches of cipher0, which takes none")
