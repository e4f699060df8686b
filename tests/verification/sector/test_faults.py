# SPDX-License-Identifier: Apache-2.0
"""Faulty cores that ``modeloom verify`` must not call good, with its hashes switched off.

The faults stand together in one Verilog file, and a number chooses (``tools/planted_faults``), so that one simulation serves all.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.built import SEQUENTIAL, folder
from tests.scripts import script
from tools.planted_faults.plain import one_operator_a_line
from tools.planted_faults.sites import KINDS, Fault, faults
from tools.planted_faults.trial import Planted, Trial

from modeloom.emit.tools import CheckFailed
from modeloom.verification.sector import erasure, keys, reloads
from modeloom.verification.sector.subject import Subject


def verilog(path: Path) -> str:
    return (path / Subject(path).description.verilog).read_text()


def edit(text: str, module: str, pattern: str, replacement: str) -> Fault:
    """A fault on the one line of a module that matches a pattern."""
    lines = text.split("\n")
    start = next(at for at, line in enumerate(lines) if re.match(rf"module \w+{module}\(", line))
    end = lines.index("endmodule", start)
    (at,) = [at for at in range(start, end) if re.search(pattern, lines[at])]
    new = re.sub(pattern, replacement, lines[at])
    word = re.match(r"    (\w+)\[(\d+)\] = \d+'h(\w+);", lines[at])
    flip = (word[1], int(word[2]), int(word[3], 16) ^ int(new.split("'h")[1][:-1], 16)) if word else None
    return Fault("known", lines[start].split("(")[0].removeprefix("module "), at, lines[at], new, flip)


KNOWN: dict[str, tuple[tuple[str, str, str], Callable, str]] = {
    "a wrong byte in the table of the key schedule": (
        ("aes_sbox", r"words\[83\] = 8'hed", "words[83] = 8'hec"), keys.check_keys, "computes a wrong result",
    ),
    "key words that an erasure does not overwrite": (
        ("bus_key_port", r"\? 3'h7 : words_left_reg", "? 3'h5 : words_left_reg"), erasure.check_key_erasure, "still depends on its old key",
    ),
    "a zeroizer that leaves words out and stops early": (
        ("zeroizer", r"erase_address \+ 5'h01", "erase_address + 5'h03"), erasure.check_zeroize,
        r"zeroizing is high for 45 cycles .* states 55",
    ),
    "an inverted comparison of tickets": (
        ("bus_flight", r"done_ticket == 2'h1", "done_ticket != 2'h1"), reloads.check_reloads, "computes a wrong result",
    ),
}  # fmt: skip
"""Faults that a verification with one key, and no erasure, calls good; the check that must find each, and what it says."""


SAMPLE = 12
"""Random faults of the sample."""


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A core whose Verilog has one operator a line."""
    copy = tmp_path_factory.mktemp("good") / "core"
    shutil.copytree(folder("hctr2", **SEQUENTIAL), copy)
    path = copy / Subject(copy).description.verilog
    path.write_text(one_operator_a_line(path.read_text()))
    return copy


@pytest.fixture(scope="module")
def trial(good: Path, tmp_path_factory: pytest.TempPathFactory) -> Trial:
    """One file with each of the known faults, and then with random ones."""
    text = verilog(good)
    known = [edit(text, *where) for where, _, _ in KNOWN.values()]
    return Trial("sample", good, tmp_path_factory.mktemp("faults") / "core", [*known, *faults(text, SAMPLE, 7)], 6000, optimize=1)


@pytest.fixture
def planted(trial: Trial) -> Planted:
    """The core of that file."""
    trial.subject.cores = []
    return trial.subject


@pytest.mark.parametrize("name", KNOWN)
def test_known_faults(planted: Planted, name: str) -> None:
    _, check, message = KNOWN[name]
    planted.fault = 1 + list(KNOWN).index(name)
    with pytest.raises(CheckFailed, match=message):
        check(planted)


def test_the_good_core_passes(planted: Planted) -> None:
    planted.fault = 0
    for _, check, _ in KNOWN.values():
        text, figures = check(planted)
        assert text and figures


def test_the_wrong_byte_shows_for_few_keys(planted: Planted) -> None:
    """A sector under one key does not find it, which is why there are many."""
    planted.fault = 1
    rng = planted.rng("few")
    core, wrong = planted.core(), 0
    for _ in range(60):
        key, data = planted.good_key(rng), rng.randbytes(64)
        core.load_key(key)
        wrong += core.encrypt(bytes(16), data) != planted.reference(key)(bytes(16), data, False)
    assert 1 <= wrong <= 25


@pytest.mark.slow
def test_a_seeded_sample(trial: Trial) -> None:
    """Faults that change an output are found, a few of each kind; ``tools/plant_faults.py`` tries hundreds."""
    results = [trial.result(number) for number in range(len(KNOWN) + 1, len(trial.faults) + 1)]
    assert {result.kind for result in results} == set(KINDS)
    count = [result for result in results if result.changes]
    assert len(count) >= SAMPLE // 2
    assert not [result for result in count if not result.caught]


@pytest.mark.slow
@pytest.mark.parametrize("name", script("tools/plant_faults.py").CORES)
def test_faults_of_every_core(name: str) -> None:
    """Two dozen of each core; one of them is planted for real and given to the command."""
    tool = script("tools/plant_faults.py")
    figures = tool.summary(tool.campaign(name, 24, 3, 60_000, 1))
    assert figures["change_an_output"] >= 12
    assert not figures["escaped"] and not figures["not_confirmed"] and figures["confirmed"] == 1
