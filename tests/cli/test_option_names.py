# SPDX-License-Identifier: Apache-2.0
"""An option that a message names exists: every ``--name`` in the texts of the package, but for those of other programs."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import click
import pytest

import modeloom
from modeloom.cli import cli
from modeloom.options.sectors import Options
from modeloom.spec import InputError

PACKAGE = Path(modeloom.__file__).parents[1]
NAME = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")

OTHERS: dict[str, set[str]] = {
    "nextpnr": {
        "--device", "--hx8k", "--lpf-allow-unconstrained", "--out-of-context", "--pcf-allow-unconstrained",
        "--package", "--pdc", "--placer-heap-timingweight", "--report", "--speed", "--timing-allow-fail", "--vopt",
    },
    "Verilator": {"--cc", "--exe", "--getenv", "--lint-only", "--main", "--prefix", "--top-module", "--trace"},
    "FuseSoC, whose name goes on with _options": {"--verilator", "--yosys"},
    "bench/papers.py": {"--store"},
    "GCC": {"--param"},
    "sha256sum": {"--check"},
    "CSS, whose names of colours begin so": {
        "--line", "--head", "--none", "--quiet", "--bus", "--c0", "--c1", "--c2", "--c3", "--c4", "--c5", "--card", "--control",
        "--good-card", "--ink", "--link", "--on", "--page", "--strong", "--unit", "--warn", "--warn-card",
    },
}  # fmt: skip
"""Options of other programs, which commands run or which texts tell users to give, and names of other languages that look so."""


def texts(path):
    """The texts of a file that are no docstrings, each with its line; names in an f-string's braces are left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


def known():
    """Every option of every command."""
    context = click.Context(cli)
    options = [option for command in cli.commands.values() for option in command.get_params(context)]
    return {name for option in options for name in (*option.opts, *option.secondary_opts)} | {"--version"}


def unknown(path, options):
    """Names in a file's texts of which there is no option."""
    place = path.relative_to(PACKAGE)
    return [f"{place}:{line}: {name}" for line, text in texts(path) for name in NAME.findall(text) if name not in options]


def test_messages_name_options_that_exist():
    """Every option that a message in the sources names is an option of a command."""
    options = known()
    found = [place for path in sorted(PACKAGE.rglob("*.py")) for place in unknown(path, options)]
    others = set().union(*OTHERS.values())
    assert {place.rpartition(" ")[2] for place in found} == others, "\n".join(found)


def test_the_test_finds_one(tmp_path, monkeypatch):
    monkeypatch.setattr(f"{__name__}.PACKAGE", tmp_path)
    file = tmp_path / "a.py"
    file.write_text('"""--nothing of a docstring"""\nmessage = f"leave --acd {tool}; --acc exists"\n')
    assert unknown(file, known()) == ["a.py:2: --acd"]


@pytest.mark.parametrize("name", ["cipher_cores", "mul_stages", "acc", "terms", "key_slots", "mul", "lanes"])
def test_limits_name_the_option_of_the_command(name):
    """These messages make the option of the name in Python."""
    with pytest.raises(InputError, match="^--") as caught:
        Options(**{name: 1000})
    assert NAME.findall(str(caught.value))[0] in known()
