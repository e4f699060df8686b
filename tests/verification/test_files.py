# SPDX-License-Identifier: Apache-2.0
"""Files that were changed are named; files of other tools are not compared with today's."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.emit.emitted import SMALLEST, core, folder, made

from modeloom.cores.sector.describe import describe
from modeloom.emit.package.core_file import manifest, read_manifest
from modeloom.emit.simulators import CheckFailed
from modeloom.product.description import EXACT_TOOLS, versions
from modeloom.product.folder import read_description
from modeloom.spec import InputError
from modeloom.verification import steps
from modeloom.verification.sector.host import Subject
from modeloom.verification.steps import files_step


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder(SMALLEST), tmp_path / "core"))


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return steps.today(made(SMALLEST), read_description(folder(SMALLEST)))


def test_every_file_has_its_hash(copy: Path, texts: dict[str, str]) -> None:
    description = read_description(copy)
    others = {"core.json", "SHA256SUMS"}
    assert sorted(description.sha256) == sorted(entry.name for entry in copy.iterdir() if entry.name not in others)
    hashes = read_manifest((copy / "SHA256SUMS").read_text())
    assert hashes == {**description.sha256, "core.json": hashlib.sha256((copy / "core.json").read_bytes()).hexdigest()}
    for name, wanted in description.sha256.items():
        assert hashlib.sha256((copy / name).read_bytes()).hexdigest() == wanted
    assert description.versions == versions() and set(versions()) == {"modeloom", "yosys", "amaranth"}
    steps.check_hashes(copy, description)
    steps.check_emission(copy, texts)


def test_each_changed_file_is_named(copy: Path, texts: dict[str, str]) -> None:
    description = read_description(copy)
    for name in sorted(description.sha256):
        before = (copy / name).read_bytes()
        (copy / name).write_bytes(before.replace(b" ", b"  ", 1))
        with pytest.raises(CheckFailed, match=rf"changed since modeloom build: {name}; "):
            steps.check_hashes(copy, description)
        with pytest.raises(CheckFailed, match=rf": {name} differs? from the current definition; "):
            steps.check_emission(copy, texts)
        (copy / name).unlink()
        with pytest.raises(CheckFailed, match=rf"{name} \(missing\)"):
            steps.check_hashes(copy, description)
        (copy / name).write_bytes(before)
    one, other = sorted(description.sha256)[:2]
    for name in (one, other):
        (copy / name).write_text("nothing")
    with pytest.raises(CheckFailed, match=f"{one}, {other}|{other}, {one}"):
        steps.check_hashes(copy, description)


def test_a_file_and_its_hash_changed_together(copy: Path, texts: dict[str, str]) -> None:
    """Hashes alone would not show it: what is emitted today does, and ``core.json`` is compared, too."""
    description = read_description(copy)
    verilog = copy / description.verilog
    verilog.write_text(verilog.read_text().replace("8'h63", "8'h62", 1))
    hashes = {**description.sha256, verilog.name: hashlib.sha256(verilog.read_bytes()).hexdigest()}
    (copy / "core.json").write_text(json.dumps(replace(description, sha256=hashes).as_json()))
    with pytest.raises(CheckFailed, match=rf"changed since modeloom build: {verilog.name}, core.json; |core.json, {verilog.name}; "):
        steps.check_hashes(copy, read_description(copy))
    whole = {**hashes, "core.json": hashlib.sha256((copy / "core.json").read_bytes()).hexdigest()}
    (copy / "SHA256SUMS").write_text(manifest(whole))
    steps.check_hashes(copy, read_description(copy))
    with pytest.raises(CheckFailed, match=rf"{verilog.name}, core.json|core.json, {verilog.name}"):
        steps.check_emission(copy, texts)


def test_a_manifest_that_is_wrong(copy: Path) -> None:
    """It is missing, cannot be read, lacks a file or has another hash."""
    description = read_description(copy)
    path = copy / "SHA256SUMS"
    right = read_manifest(path.read_text())
    without = {file: value for file, value in right.items() if file != "core.json"}
    for text, name in (
        (None, r"SHA256SUMS \(missing\)"), ("nonsense\n", "SHA256SUMS"), (manifest(without), "SHA256SUMS"),
        (manifest({**right, "core.json": "0" * 64}), "core.json"),
    ):  # fmt: skip
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_text(text)
        with pytest.raises(CheckFailed, match=f"changed since modeloom build: {name}; "):
            steps.check_hashes(copy, description)


def test_other_tools(copy: Path, texts: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Byte for byte only what the same tools made is compared; the step says what was not."""
    subject = Subject(copy)
    step = files_step(copy, subject.description, texts, True)
    assert not step.skipped and "byte for byte" in step.text
    monkeypatch.setattr(steps, "versions", lambda *more: {**versions(*more), "yosys": "0.99"})
    step = files_step(copy, subject.description, {name: text + "\n" for name, text in texts.items()}, True)
    assert step.skipped == (f"the files as they would be emitted today: the core was built with Yosys {versions()['yosys']}, here 0.99",)
    assert step.text == f"{len(subject.description.sha256)} files have the hashes of core.json"


def test_tools_that_only_some_cores_depend_on(copy: Path) -> None:
    """The solver is named for an exact schedule, and its version is compared for those cores only."""
    exact = replace(core(SMALLEST), options=core(SMALLEST).options.but(exact=True))
    assert describe(exact, "x", "modeloom build").versions == versions(*EXACT_TOOLS)
    description = read_description(copy)
    assert description.versions == versions() and steps.newer_tools(description) == []
    other = replace(description, versions={**versions(), "ortools": "1.0"})
    assert steps.newer_tools(other) == [f"OR-Tools 1.0, here {versions(*EXACT_TOOLS)['ortools']}"]
    assert steps.newer_tools(replace(description, versions={**versions(), "something": "1.0"})) == []


def test_no_hashes(copy: Path, texts: dict[str, str]) -> None:
    step = files_step(copy, read_description(copy), {name: "" for name in texts}, False)
    assert "--no-hashes" in step.skipped[0]


def test_a_core_of_an_older_version(copy: Path) -> None:
    description = replace(read_description(copy), sha256=None)
    with pytest.raises(InputError, match="has no hashes.*build the core again, or add --no-hashes"):
        steps.check_hashes(copy, description)
