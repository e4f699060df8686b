# SPDX-License-Identifier: Apache-2.0
"""Faulty cores that ``modeloom verify`` must not call good, with its hashes switched off.

The known faults are edits of the emitted Verilog.  Those of the sample stand together in one file, and a number chooses
(``tools/planted_faults``), so that one simulation serves all.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.built import SEQUENTIAL, folder, slow, slowly
from tests.scripts import script
from tests.verilog_edit import edit_module
from tools.planted_faults.plain import one_operator_a_line
from tools.planted_faults.sites import KINDS, faults
from tools.planted_faults.trial import Trial

from modeloom.emit.simulators import CheckFailed
from modeloom.verification.sector import erasure, sectors, statuses
from modeloom.verification.sector.host import Subject

KNOWN: dict[str, tuple[tuple[str, str, str], Callable, str]] = {
    "a wrong byte in the table of the key schedule": (
        ("aes_sbox", r"aes_sbox\[83\] = 8'hed", "aes_sbox[83] = 8'hec"), sectors.check_keys, "computes a wrong result",
    ),
    "key words that an erasure does not overwrite": (
        ("core_bus_key_port", r"words_left_reg <= 3'h7", "words_left_reg <= 3'h5"), erasure.check_key_erasure,
        "still depends on its old key",
    ),
    "a zeroizer that leaves words out and stops early": (
        ("core_zeroizer", r"erase_address \+ 5'h1", "erase_address + 5'h3"), erasure.check_zeroize,
        r"zeroizing is high for 45 cycles .* states 55",
    ),
    "an inverted comparison of tickets": (
        ("core_bus_flight", r"done_ticket == 2'h1", "done_ticket != 2'h1"), statuses.check_reloads, "computes a wrong result",
    ),
}  # fmt: skip
"""Faults that a verification with one key, and no erasure, calls good; the check that must find each, and what it says."""


SAMPLE = 12
"""Random faults of the sample."""


def core() -> Path:
    return folder("hctr2", **SEQUENTIAL)


def planted(name: str, to: Path) -> Subject:
    """The core with one of the known faults."""
    shutil.copytree(core(), to)
    subject = Subject(to, optimize=0)
    path = to / subject.description.verilog
    module, pattern, replacement = KNOWN[name][0]
    path.write_text(edit_module(path.read_text(), rf"\w+_{module}", pattern, replacement))
    return subject


CHEAP = ("a wrong byte in the table of the key schedule", "a zeroizer that leaves words out and stops early")


@pytest.mark.parametrize("name", [*CHEAP, *slowly(*(name for name in KNOWN if name not in CHEAP))])
def test_known_faults(name: str, tmp_path: Path) -> None:
    """The check finds the planted fault, with a message that fits it."""
    _, check, message = KNOWN[name]
    with pytest.raises(CheckFailed, match=message):
        check(planted(name, tmp_path / "core"))


@slow
def test_a_beat_of_a_key_that_is_not_there_yet(tmp_path: Path) -> None:
    """A port that goes on without the second beat of a key is found by keys with pauses between their beats."""
    good = folder("xts", sector=40, key_slots=2, cipher_arch="sequential", cipher_stages=1, restarts=50)
    shutil.copytree(good, tmp_path / "core")
    subject = Subject(tmp_path / "core", optimize=0)
    path = tmp_path / "core" / subject.description.verilog
    edited = edit_module(path.read_text(), r"\w+_core_bus_key_port", r"if \(key_valid\) (beat_reg <= beat_reg \+ 1'h1;)", r"\1")
    path.write_text(edited)
    with pytest.raises(CheckFailed, match="has key_loaded 0x2 where the slots with a key are 0x3"):
        sectors.check_keys(subject)
    assert sectors.check_keys(Subject(good, optimize=0))


@slow
def test_the_good_core_passes() -> None:
    for _, check, _ in KNOWN.values():
        text, figures = check(Subject(core()))
        assert text and figures


@slow
def test_the_wrong_byte_shows_for_few_keys(tmp_path: Path) -> None:
    """A sector under one key does not find it, which is why there are many."""
    subject = planted("a wrong byte in the table of the key schedule", tmp_path / "core")
    rng = subject.rng("few")
    core, wrong = subject.core(), 0
    for _ in range(60):
        key, data = subject.good_key(rng), rng.randbytes(64)
        core.load_key(key)
        wrong += core.encrypt(bytes(16), data) != subject.reference(key)(bytes(16), data, False)
    assert 1 <= wrong <= 25


@slow
def test_a_seeded_sample(tmp_path: Path) -> None:
    """Faults that change an output are found, a few of each kind; ``tools/plant_faults.py`` tries hundreds."""
    shutil.copytree(core(), tmp_path / "good")
    path = tmp_path / "good" / Subject(tmp_path / "good").description.verilog
    path.write_text(one_operator_a_line(path.read_text()))
    trial = Trial("sample", tmp_path / "good", tmp_path / "core", faults(path.read_text(), SAMPLE, 7), 6000, optimize=1)
    results = [trial.result(number) for number in range(1, len(trial.faults) + 1)]
    assert {result.kind for result in results} == set(KINDS)
    count = [result for result in results if result.changes]
    assert len(count) >= SAMPLE // 2
    assert not [result for result in count if not result.caught]


@slow
@pytest.mark.parametrize("name", script("tools/plant_faults.py").CORES)
def test_faults_of_every_core(name: str) -> None:
    """Two dozen of each core; one of them is planted for real and given to the command."""
    tool = script("tools/plant_faults.py")
    figures = tool.summary(tool.campaign(name, 24, 3, 60_000, 1))
    assert figures["change_an_output"] >= 12
    assert not figures["escaped"] and not figures["not_confirmed"] and figures["confirmed"] == 1
