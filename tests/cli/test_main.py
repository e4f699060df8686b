# SPDX-License-Identifier: Apache-2.0
"""Exit statuses, and errors that come from below."""

import importlib
import os
import subprocess
import sys

import pytest

from modeloom.cli import cli, main
from modeloom.compiler import compile as compiler
from modeloom.ir.check import CheckError
from modeloom.prove import ProofError
from modeloom.sim import BuildError
from modeloom.synth import SynthesisError
from modeloom.version import VERSION

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def test_version(run):
    result = run("--version")
    assert result.status == 0 and VERSION in result.out


@pytest.mark.parametrize("command", ["", "list", "explain", "build", "crypt", "model", "verify", "synth", "datasheet"])
def test_help(run, command):
    result = run(*command.split(), "--help")
    assert result.status == 0 and result.out.startswith("Usage: modeloom") and not result.err


@pytest.mark.parametrize(
    "error, status, message",
    [
        (ProofError("block 3 differs"), 1, "block 3 differs"),
        (CheckError("two operations\nin slot 3"), 1, "two operations in slot 3"),
        (BuildError("no C++ compiler"), 2, "no C++ compiler"),
        (SynthesisError("Yosys is missing"), 2, "Yosys is missing"),
        (OSError(28, "No space left on device", "chart.svg"), 2, "No space left on device: chart.svg"),
        (OSError("odd"), 2, "odd"),
    ],
)
def test_status_of_errors(run, monkeypatch, error, status, message):
    def fail(*arguments, **options):
        raise error

    monkeypatch.setattr(compiler, "compile_mode", fail)
    result = run("explain", "hctr2")
    assert (result.status, result.err) == (status, f"modeloom: {message}\n")


def test_unexpected_errors_keep_their_traceback(folder, monkeypatch):
    from modeloom.cli import main

    def fail(*arguments, **options):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(compiler, "compile_mode", fail)
    with pytest.raises(ZeroDivisionError):
        main(["explain", "hctr2"])


def test_interrupted_model_leaves_nothing(run, folder, monkeypatch):
    from modeloom.definition.software import Model

    (folder / "key").write_bytes(bytes(16))
    (folder / "plain").write_bytes(bytes(1024))

    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(Model, "encrypt", interrupt)
    result = run("model", "hctr2", "--key-file", "key", "plain", "cipher")
    assert result.status == 130 and "interrupted" in result.err
    assert sorted(path.name for path in folder.iterdir()) == ["key", "plain"]


def test_module_runs_as_a_script():
    command = [sys.executable, "-m", "modeloom.cli", "explain", "nonsense"]
    result = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert (result.returncode, result.stdout) == (2, "") and result.stderr.count("\n") == 1


def test_reader_that_goes_away():
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "modeloom.cli", "list", "--json"]
    result = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, check=False)
    os.close(writing)
    assert result.returncode == 141 and not result.stderr


@pytest.mark.parametrize(
    ("module", "name", "status"),
    [
        ("emit.simulators", "CheckFailed", 1), ("ir.check", "CheckError", 1), ("prove.execute", "ProofError", 1),
        ("taint.check", "TimingChannel", 1), ("product.driven", "CoreFault", 1), ("product.message", "MessageError", 1),
        ("spec.errors", "AuthenticationError", 1),
        ("product.simulated", "SectorError", 1), ("emit.simulators", "ToolMissing", 2), ("sim.build", "BuildError", 2),
        ("synth.result", "SynthesisError", 2), ("spec.errors", "InputError", 2),
    ],
)  # fmt: skip
def test_errors_and_their_exit_status(monkeypatch, capsys, module, name, status):
    error = getattr(importlib.import_module(f"modeloom.{module}"), name)

    def stop(*_, **__):
        raise error.__new__(error, "what is wrong")

    monkeypatch.setattr(cli, "make_context", stop)
    with pytest.raises(SystemExit) as stopped:
        main([])
    assert stopped.value.code == status and capsys.readouterr().err.startswith("modeloom: ")
