# SPDX-License-Identifier: Apache-2.0
"""Every command prints JSON if it is asked to, and schemas have names of one form."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

from tests.built import hollow

import modeloom
from modeloom.cli import cli

PACKAGE = Path(modeloom.__file__).parent


def test_every_command_has_it():
    """Every command has the flag ``--json``."""
    for name, command in cli.commands.items():
        assert any("--json" in parameter.opts and parameter.is_flag for parameter in command.params), name


def schemas():
    """Texts of all packages that are the name of a schema, or look like one."""
    for path in PACKAGE.parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"modeloom[-./]\w+[-/]\d+", node.value):
                yield node.value


def test_schemas_have_names_of_one_form():
    found = set(schemas())
    assert {"modeloom-list-1", "modeloom-explain-1", "modeloom-build-1", "modeloom-crypt-1", "modeloom-model-1", "modeloom-verify-1",
            "modeloom-synth-1", "modeloom-circuit-1", "modeloom-papers-1", "modeloom-core-1"} <= found  # fmt: skip
    assert all(re.fullmatch(r"modeloom-[a-z]+-\d+", name) for name in found), found


def test_build(run, folder):
    """What is emitted is the same with and without it."""
    options = ("xts", "--sector", "16", "--direction", "encrypt", "--aes-arch", "sequential", "--aes-stages", "1", "--no-overlap")
    with hollow():
        result = run("build", *options, "-o", "one", "--json")
    assert result.status == 0, result.err
    figures, explained = json.loads(result.out), json.loads(run("explain", *options, "--json").out)
    assert figures["schema"] == "modeloom-build-1" and figures["directory"] == "one" and (folder / "one" / figures["verilog"]).is_file()
    assert explained.pop("refused") is None
    assert {**explained, "schema": ""}.items() <= {**figures, "schema": ""}.items()
    with hollow():
        assert run("build", *options, "-o", "two").status == 0
    assert {path.name: path.read_bytes() for path in (folder / "one").iterdir()} == {
        path.name: path.read_bytes() for path in (folder / "two").iterdir()
    }


def test_model(run, folder):
    (folder / "key").write_bytes(bytes(range(200, 232)))
    (folder / "plain").write_bytes(bytes(128))
    result = run("model", "xts", "--cipher", "sm4", "--sector", "32", "--key-file", "key", "--decrypt", "--json", "plain", "out")
    assert result.status == 0, result.err
    assert json.loads(result.out) == {
        "schema": "modeloom-model-1", "mode": "xts-gb", "cipher": "sm4", "direction": "decrypt", "sector_bytes": 32, "sectors": 4,
    }  # fmt: skip
