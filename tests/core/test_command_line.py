# SPDX-License-Identifier: Apache-2.0
"""build, crypt, model and verify on one core, as a user runs them."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from modeloom import core, golden
from modeloom.cli import main

FAST = ("--optimize", 0)
"""Building the simulation takes longer than all that is done with it."""


SECTOR, CORE = 64, ("--sector", 64, "--aes-arch", "sequential", "--aes-stages", 1)
"""The default core takes far longer."""


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stop:
        main([str(a) for a in arguments])
    return int(stop.value.code or 0)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("core") / "hctr2"
    assert run("build", "hctr2", *CORE, "-o", folder) == 0
    return folder


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_text("000102030405060708090a0b0c0d0e0f\n")
    return path


def test_crypt_is_the_model_and_comes_back(built: Path, key_file: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_bytes(random.Random(5).randbytes(SECTOR * 37))
    options = ("--key-file", key_file, "--tweak-base", 100, "--tweak-step", 8)
    assert run("crypt", built, *FAST, *options, plain, tmp_path / "core.out") == 0
    assert run("model", "hctr2", "--sector", SECTOR, *options, plain, tmp_path / "model.out") == 0
    assert (tmp_path / "core.out").read_bytes() == (tmp_path / "model.out").read_bytes() != plain.read_bytes()
    assert run("crypt", built, *FAST, *options, "--decrypt", tmp_path / "core.out", tmp_path / "back") == 0
    assert (tmp_path / "back").read_bytes() == plain.read_bytes()
    reference = golden.mode("hctr2", bytes(range(16)))
    tweak = (100 + 8).to_bytes(16, "little")
    second = slice(SECTOR, 2 * SECTOR)
    assert (tmp_path / "core.out").read_bytes()[second] == reference.encrypt(tweak, plain.read_bytes()[second])


def test_crypt_leaves_nothing_behind_on_wrong_input(
    built: Path, key_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd, out = tmp_path / "odd", tmp_path / "out"
    odd.write_bytes(bytes(700))
    short = tmp_path / "short"
    short.write_bytes(bytes(5))
    good = tmp_path / "good"
    good.write_bytes(bytes(1024))
    for arguments in (("--key-file", key_file, odd), ("--key-file", short, good), ("--key-file", tmp_path / "none", good)):
        before = sorted(tmp_path.iterdir())
        assert run("crypt", built, *FAST, *arguments, out) == 2
        assert len(capsys.readouterr().err.strip().splitlines()) == 1
        assert sorted(tmp_path.iterdir()) == before


def test_verify(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("verify", built, *FAST, "--sectors", 40) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["proof", "lint", "timing", "vectors", "random", "bench"]


def test_verify_finds_a_broken_core(built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    description = json.loads((built / "core.json").read_text())
    broken = tmp_path / "broken"
    broken.mkdir()
    for name in built.iterdir():
        (broken / name.name).write_bytes(name.read_bytes())
    listing = broken / description["files"]["listing"]
    listing.write_text(listing.read_text().replace("row 3", "row 4", 1))
    assert run("verify", broken, *FAST) == 1
    assert "differs" in capsys.readouterr().err


def test_python_functions(built: Path) -> None:
    keyed = core(built, optimize=0)
    keyed.load_key(bytes(range(16)))
    reference = golden.mode("hctr2", bytes(range(16)))
    tweak, data = bytes(range(16)), (bytes(range(256)) * 2)[:SECTOR]
    before = keyed.cycles
    assert keyed.encrypt(tweak, data) == reference.encrypt(tweak, data)
    assert keyed.decrypt(tweak, data) == reference.decrypt(tweak, data)
    assert keyed.cycles > before
