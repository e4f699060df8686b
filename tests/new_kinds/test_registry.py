# SPDX-License-Identifier: Apache-2.0
"""Kinds stand in the registry, and nowhere else: no name of one in the rooms that work with all of them, no name taken apart."""

from __future__ import annotations

import ast
import pickle
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest
from tests.kinds import kind, net_of, unit, unit_kind

from modeloom.allocate.program import ChainName, InputName, LaneName, NetName, OutName, UnitName
from modeloom.cores.components import COMPONENTS
from modeloom.spec import COUNTERS
from modeloom.spec.kinds import BOTH, OPERATIONS, UNITS, Kind

PACKAGE = Path(__file__).parents[2] / "src" / "modeloom"

ROOMS = ("ir", "definition", "schedule", "allocate", "prove", "compiler", "rtl/engine", "equivalence", "product")
"""Rooms that know operations and units by their entries."""

OTHERS = {
    ("ir/trace.py", "add"): "the word of a definition, in a message",
    ("allocate/program.py", "out"): "where the name is made",
    ("allocate/program.py", "cipher"): "the usual name of a cipher's key",
    ("compiler/units.py", "both"): "a direction of a core",
    ("equivalence/cells.py", "add"): "a cell of Yosys",
    ("compiler/streams.py", "both"): "a direction of a core",
    ("product/simulated_lwc.py", "out"): "the direction of a port",
    ("product/page.py", "cipher"): "a part of a key, in a table",
    ("product/front.py", "out"): "the direction of a channel",
    ("rtl/engine/interface.py", "out"): "a group of ports: the blocks that leave",
    ("compiler/streams.py", "cipher"): "a member of JSON: the name of the block cipher",
    ("equivalence/cells.py", "mul"): "a cell of Yosys",
    ("equivalence/cells.py", "both"): "bits that two words have",
    ("equivalence/stream/core.py", "cipher"): "a cell that stands for the cipher of a lane",
}
"""Words that are no kinds, with what they are."""

TAKEN_APART = ("hasattr", "startswith", "endswith", "rstrip", "lstrip", "strip", "partition", "rpartition", "split", "isdigit")


def literals(source: str) -> Iterator[str]:
    """Texts of a source that are names of kinds, or begin or end a name that is put together."""
    names = {*OPERATIONS, *UNITS, BOTH}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in names:
            yield node.value


def calls(source: str) -> Iterator[str]:
    """Functions with which a source looks at names or at what an object happens to have."""
    for node in ast.walk(ast.parse(source)):
        name = getattr(node, "attr", getattr(node, "id", ""))
        if isinstance(node, ast.Attribute | ast.Name) and name in TAKEN_APART:
            yield name


@pytest.mark.parametrize("room", ROOMS)
def test_no_kind_by_name(room: str) -> None:
    """No file outside the registry names a kind of operation or unit in a string."""
    for path in sorted((PACKAGE / room).rglob("*.py")):
        file = path.relative_to(PACKAGE).as_posix()
        found = [name for name in literals(path.read_text(encoding="utf-8")) if (file, name) not in OTHERS]
        assert not found, f"{file} names {', '.join(found)}"


def test_the_exceptions_are_there() -> None:
    for file, name in OTHERS:
        assert name in set(literals((PACKAGE / file).read_text(encoding="utf-8"))), f"{file} names no {name} any more"


@pytest.mark.parametrize("room", ["schedule", "allocate", "rtl/engine"])
def test_no_name_is_taken_apart(room: str) -> None:
    for path in sorted((PACKAGE / room).rglob("*.py")):
        found = list(calls(path.read_text(encoding="utf-8")))
        assert not found, f"{path.relative_to(PACKAGE)} uses {', '.join(found)}"


def test_what_is_looked_for_is_found() -> None:
    source = 'def f(kind, core):\n    return kind == "mul" or hasattr(core, "start") or kind.startswith("x") or int(kind[3:])\n'
    assert list(literals(source)) == ["mul"] and list(calls(source)) == ["hasattr", "startswith"]


def test_names_carry_what_they_name() -> None:
    assert unit("enc", 1, 256) == "enc256_1" and unit("enc", 1, 256).kind.key_bits == 256 and unit("enc", 1, 256).number == 1
    assert unit("cipher", 10) == "cipher10" and unit("cipher", 10).kind.type is UNITS["cipher"]
    net = net_of("mul", 3, "b")
    assert net == "mul3.b" and (net.owner, net.operand) == (unit("mul", 3), "b") and not net.first and not net.post
    assert NetName(unit("mul")).first and NetName(unit("mul"), "post").post
    for name, text in ((InputName(2), "in2"), (LaneName(2), "lane2"), (OutName(2), "out2"), (ChainName(2), "chain2")):
        assert name == text and name.number == 2


def test_names_are_copied_whole() -> None:
    for name in (kind("enc", 256), unit_kind("enc", 256), unit("enc", 1, 256), net_of("mul", 3, "b"), InputName(2)):
        for copy in (deepcopy(name), pickle.loads(pickle.dumps(name))):
            assert copy == name and type(copy) is type(name)
            assert [getattr(copy, slot) for slot in _slots(name)] == [getattr(name, slot) for slot in _slots(name)]
    assert deepcopy(kind("mul")).operation is OPERATIONS["mul"]


def _slots(name: str) -> list[str]:
    return [slot for part in type(name).__mro__ for slot in getattr(part, "__slots__", ())]


def test_entries_fit_each_other() -> None:
    for name, operation in OPERATIONS.items():
        assert operation.name == name and UNITS[operation.unit.name] is operation.unit
        if operation.inverse:
            inverse = OPERATIONS[operation.inverse]
            assert inverse.inverse == name and inverse.operands == operation.operands and inverse.shared is operation.shared
        assert operation.counter is COUNTERS.get(name)
        if operation.unit.component:
            assert operation.unit.name in COMPONENTS
    assert {unit.name for unit in UNITS.values() if unit.component} == COMPONENTS.keys()
    assert kind("enc").shared == "cipher" and kind("enc", 256).shared is None and kind("enc", 256).widest == "enc256"
    assert unit_kind("cipher").does(kind("dec")) and not unit_kind("cipher").does(kind("dec", 256))
    assert isinstance(kind("mul"), Kind) and isinstance(unit("mul"), UnitName)
