# SPDX-License-Identifier: Apache-2.0
"""The bench finds faults: engines of programs with one change in a row are not what their definitions say."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.rtl.engine.bench import Host, compiled, simulate
from tests.rtl.engine.definitions import Words

from modeloom.allocate.build import CoreProgram
from modeloom.spec import Mode


def changed(what: str, change: Callable[[Any], Any]) -> Callable[[CoreProgram], None]:
    """A fault in the first row of the main table that has something of a kind."""

    def plant(program: CoreProgram) -> None:
        for rows in getattr(program.mains[0], what).values():
            for slot, row in enumerate(rows):
                if row is not None:
                    rows[slot] = change(row)
                    return
        raise LookupError(f"the program has no {what}")

    return plant


def ends(cycles: int) -> Callable[[CoreProgram], None]:
    """The end of a sector is told some cycles later, or earlier."""

    def plant(program: CoreProgram) -> None:
        program.mains[0].latency += cycles

    return plant


def turned(program: CoreProgram) -> None:
    """All blocks leave in the next row."""
    rows = program.mains[0].outs[0]
    rows[:] = rows[-1:] + rows[:-1]


def another_cell(program: CoreProgram) -> None:
    """A block of the sector is read from the next cell."""
    rows = program.mains[0].ports["in0", 0]
    slot = next(slot for slot, row in enumerate(rows) if row is not None)
    row: Any = rows[slot]
    rows[slot] = replace(row, cell={way: cell + 1 for way, cell in row.cell.items()})


FAULTS: dict[str, tuple[Callable[[CoreProgram], None], str | type[Mode], str]] = {
    "a sum lacks a term": (
        changed("nets", lambda row: replace(row, select={way: numbers[1:] for way, numbers in row.select.items()})),
        "xts", "wrong data",
    ),
    "a read of another cell": (another_cell, "xts", "wrong data"),
    "a write that is left out": (changed("writes", lambda row: None), "cmc", "wrong data"),
    "another key word": (
        changed("keys", lambda row: replace(row, word={way: word ^ 1 for way, word in row.word.items()})), Words, "wrong data",
    ),
    "a chain that does not load": (changed("chains", lambda row: replace(row, directions=())), "xts", "wrong data"),
    "the same block twice": (changed("outs", lambda row: replace(row, index=dict.fromkeys(row.index, 3))), "xts", "block 3"),
    "a block that does not leave": (changed("outs", lambda row: None), "xts", "blocks are missing"),
    "blocks that leave late": (turned, "xts", "wrong data"),
    "an end that comes early": (ends(-1), "xts", "the latency"),
}  # fmt: skip
"""Faults of the program, a mode, and what the bench says."""


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_found(fault: str) -> None:
    plant, mode, said = FAULTS[fault]
    design = copy.deepcopy(compiled(mode, sector=64, key_slots=2))

    async def script(host: Host) -> None:
        await host.load_keys()
        host.send(12)
        await host.finish()

    simulate(design, script)
    plant(design.core_program)
    with pytest.raises(AssertionError, match=said):
        simulate(design, script)
