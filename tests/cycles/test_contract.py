# SPDX-License-Identifier: Apache-2.0
"""The contract of cycles stands in one file; what is drawn there, and the copies of those who check, agree with it."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.rtl.engine.bench import compiled

import modeloom
from modeloom import cycles
from modeloom.allocate import check as allocate_check
from modeloom.allocate.check import check_program
from modeloom.cycles import messages
from modeloom.prove import CheckError, ProofError, check, execute
from modeloom.prove.execute import prove_program

PACKAGE = Path(modeloom.__file__).parent
NUMBERS = {name: value for name, value in vars(cycles).items() if name.isupper()}
MESSAGES = {name: value for name, value in vars(messages).items() if name.isupper()}
DRAWN = dict(re.findall(r"([A-Z_]{4,}) = (-?\d+)", cycles.__doc__ or ""))
CHECKERS = ("allocate/check.py", "schedule/check.py")
"""Files that must not believe the contract, beside the whole of ``prove``, ``verification`` and ``equivalence``."""


def test_the_drawings_show_the_numbers():
    assert {name: int(value) for name, value in DRAWN.items()} == {name: NUMBERS[name] for name in DRAWN}
    # What is not drawn has no place of its own in time: sums, and overheads of buffers and of the key port.
    assert NUMBERS.keys() - DRAWN.keys() == {"FILL_MARGIN", "RING_OVERHEAD", "RING_MARGIN", "ERASE_OVERHEAD", "OVERWRITE_CYCLES"}
    assert not re.search(r"─ \d+ ─", cycles.__doc__ or ""), "a number in a drawing has its name"


def test_the_drawings_of_messages_show_the_numbers():
    drawn = re.findall(r"([A-Z_]{4,}) = (\d+)", messages.__doc__ or "")
    assert {name: int(value) for name, value in drawn} == MESSAGES and len(drawn) == len(MESSAGES)


def test_the_checkers_have_copies_that_agree():
    assert execute.LEAD == allocate_check.LEAD == cycles.LEAD
    assert execute.FILL_DELAY == allocate_check.FILL_DELAY == cycles.FILL_DELAY
    assert allocate_check.FILL_AHEAD == cycles.FILL_AHEAD
    assert execute.TWEAK_WRITE == cycles.TWEAK_WRITE
    assert execute.KEY_DELAY == cycles.KEY_DELAY


def _imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def test_the_checkers_do_not_read_the_contract():
    for room in ("prove", "verification", "equivalence"):
        for path in (PACKAGE / room).rglob("*.py"):
            assert "modeloom.cycles" not in _imports(path), path
    for name in CHECKERS:
        assert "modeloom.cycles" not in _imports(PACKAGE / name), name


def test_no_number_of_the_contract_is_written_elsewhere():
    """Names of the contract, and names in its manner, get values in no other file of what builds cores."""
    alike = re.compile(r"^(?:[A-Z_]+_CYCLES|[A-Z_]*DELAY|LEAD|DRAIN|FILL_[A-Z]+|TWEAK_WRITE)$")
    # Steps of a search, and what block memories add to the latency of one cipher, which ciphers.check measures.
    own = {"HELD_CYCLES", "BLOCK_MEMORY_CYCLES"}
    apart = {*CHECKERS, "cycles/__init__.py", "cores/sector/describe.py"}
    for room in ("schedule", "allocate", "compiler", "rtl", "cores", "emit"):
        for path in sorted((PACKAGE / room).rglob("*.py")):
            if str(path.relative_to(PACKAGE)) in apart:
                continue
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
                for name in (target.id for target in targets if isinstance(target, ast.Name)):
                    held = alike.match(name) and name not in own
                    assert not held and name not in NUMBERS | MESSAGES, f"{path.relative_to(PACKAGE)}: {name}"


def _loads(path: Path) -> set[str]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {node.id if isinstance(node, ast.Name) else node.attr for node in nodes if isinstance(node, ast.Name | ast.Attribute)
            and isinstance(node.ctx, ast.Load)}  # fmt: skip


def test_every_number_is_used():
    """A number that nothing reads is no contract."""
    rooms = ("cycles", "schedule", "allocate", "compiler", "rtl", "layers", "cores", "emit")
    used = set().union(*(_loads(path) for room in rooms for path in (PACKAGE / room).rglob("*.py")))
    assert used >= NUMBERS.keys() | MESSAGES.keys()


def test_a_program_for_other_cycles_is_refused():
    """The proof goes by its own copies, not by what the compiler was told."""

    design = compiled("hctr2", sector=48)
    program, delays = design.allocation.program, {"out_delay": design.units.unit("out").latency, "key_delay": execute.KEY_DELAY}
    check(design)
    with pytest.raises(CheckError, match="ahead of their sector"):
        check_program(replace(program, fill_ahead=cycles.FILL_AHEAD - 1), **delays)
    with pytest.raises((CheckError, ProofError)):
        prove_program(program, design.graph, design.setup_graph, **(delays | {"key_delay": 99}))
