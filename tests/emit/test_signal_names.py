# SPDX-License-Identifier: Apache-2.0
"""Each signal has the name of what it holds, in the sources and in the emitted Verilog of cores of every kind."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import streamed
from tests.built import slowly
from tests.emit.package import folders
from tests.formal.emitted_messages import message_verilog

import modeloom

SOURCES = Path(modeloom.__file__).parent

NAMELESS = re.compile(r"(signal|value|tmp|temp|dummy|there|this|that|it|thing|var)(_\d+)*(_[a-z]+(_\d+)?)?")
"""Names that say nothing of what they hold; Amaranth calls a signal "signal" if it finds no other name."""

TINY: dict[str, Any] = {**streamed.TINY, "prove": False}
ROUND: dict[str, Any] = {"cipher_arch": "multistream", "streams": 1, "key_slots": 3, "prove": False}

MESSAGES: dict[str, dict[str, Any]] = {
    "ccm": {**TINY, "mode": "ccm"}, "two blocks a cycle": {**TINY, "blocks_per_cycle": 2}, "hold": {**TINY, "hold": 64},
    "wire": {**TINY, "packet": "wire"}, "wire with hold": {**TINY, "packet": "wire", "hold": 64},
    "starts that run ahead": {**TINY, "mode": "ocb3"}, "pairs": {**TINY, "mode": "aes-otr"}, "channels with a chain": {
        **streamed.SMALL, "mode": "ccm", "channels": 2, "prove": False,
    }, "keys inline": {**streamed.SMALL, "keys": "inline", "key_slots": 4, "prove": False}, "expanded keys": {**TINY, "keys": "expanded"},
    "text first": {**ROUND, "mode": "deoxys-i", "order": "text-first"},
    "stored messages": {**ROUND, "mode": "deoxys-ii", "message_buffer": 256},
    "derived keys": {**TINY, "mode": "gcm-siv", "keys": "derived"},
}  # fmt: skip
"""Options of cores for messages that have parts of their own."""


def nameless(verilog: str) -> list[str]:
    """Declared ports and nets without a name."""
    found = re.findall(r"^ *(?:\(\*.*?\*\) *)?(?:(?:input|output) +)?(?:wire|reg) +(?:\[\d+:0\] *)?(\w+)", verilog, re.M)
    assert len(found) > 20
    return sorted({name for name in found if NAMELESS.fullmatch(name)})


def unnamed(text: str) -> Iterator[int]:
    """Lines of a source with a signal for which Amaranth finds no name: it is not assigned to one variable, and not given a name."""
    tree = ast.parse(text)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or ast.unparse(node.func) not in ("Signal", "Signal.like"):
            continue
        if any(keyword.arg in ("name", "name_suffix") for keyword in node.keywords):
            continue
        parent = parents[node]
        targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target] if isinstance(parent, ast.AnnAssign) else []
        if not targets or not all(isinstance(target, (ast.Name, ast.Attribute)) for target in targets):
            yield node.lineno


def test_all_signals_of_the_sources_have_names() -> None:
    files = [*SOURCES.rglob("*.py")]
    found = [f"{file.relative_to(SOURCES)}:{line}" for file in files for line in unnamed(file.read_text(encoding="utf-8"))]
    assert len(files) > 300 and not found


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a = Signal()\nself.b: Signal = Signal(3)\nc = Signal.like(a)\n", []), ("a, b = Signal(), Signal(3)\n", [1, 1]),
        ("c = a if x else Signal()\n", [1]), ("f(Signal())\nd = [Signal() for _ in range(3)]\n", [1, 2]),
        ("a, b = Signal(name='a'), Signal.like(x, name_suffix='_next')\n", []),
    ],
)  # fmt: skip
def test_signals_without_names_are_seen(text: str, lines: list[int]) -> None:
    assert list(unnamed(text)) == lines


@pytest.mark.parametrize("shape", ["channels", *slowly("two lanes", "held", "wire held", "inline iterative")])
def test_no_signal_of_the_buses_is_nameless(shape: str) -> None:
    verilog = message_verilog(shape)
    assert not nameless(verilog)
    assert nameless(re.sub(r"\bended_reg\b", "signal_2", verilog)) == ["signal_2"]


@pytest.mark.parametrize("name", slowly(*MESSAGES))
def test_no_signal_of_cores_for_messages_is_nameless(name: str) -> None:
    files = [*streamed.folder(**MESSAGES[name]).glob("*.v")]
    assert files and not {file.name: found for file in files if (found := nameless(file.read_text(encoding="utf-8")))}


@pytest.mark.parametrize("kind", ["sectors", "registers", *slowly("apb", "clocked", "wide", "messages", "clocked-messages", "lwc")])
def test_no_signal_of_cores_of_other_kinds_is_nameless(kind: str) -> None:
    files = [*folders.folder(kind).glob("*.v")]
    assert files and not {file.name: found for file in files if (found := nameless(file.read_text(encoding="utf-8")))}
