# SPDX-License-Identifier: Apache-2.0
"""The checks of cores whose text comes in pairs, and whose tokens return to the cipher, also of definitions in a file of the tests' own."""

from __future__ import annotations

import json
import re
import shutil
from functools import partial
from pathlib import Path

import pytest
from tests.built import slow, slowly
from tests.streamed import folder

from modeloom.emit import CheckFailed
from modeloom.product.folder import read_messages
from modeloom.verification import verify_core
from modeloom.verification.steps import run_check
from modeloom.verification.stream import dynamic_checks
from modeloom.verification.stream.erasure import check_zeroize
from modeloom.verification.stream.host import StreamSubject
from modeloom.verification.stream.pace import check_pace
from modeloom.verification.stream.statuses import check_lengths, check_messages

OTR = {"mode": "aes-otr", "key_bits": 128, "key_slots": 3, "cipher_stages": 1}

OWN = str(Path(__file__).parents[2] / "streams" / "pair_modes.py") + ":{}"
"""The modes of the tests' own, by path: core.json names the definition, which is loaded again."""

few = partial(check_messages, wanted=130)

FAULTS = {
    "a token enters where another one returns": (r"& cipher_taken_reg\) == 23'h0", "& 23'h0) == 23'h0", few, "wrong text or tag|WRONG_TAG"),
    "no token enters behind another": (r"(& cipher_taken_reg\)) == 23'h0", r"\1 == 23'h0 & ~cipher_taken_reg[1]", check_pace, "states"),
    "a block without a partner is lost": (r"waits_reg <= 1'h1", "waits_reg <= 1'h0", check_lengths, "."),
    "a command that has started is not cleared": (
        r"(module \S*starts_waiting_memory \((?s:.*?))if \(rst\) begin\s+rdata_0 <= 231'h0;", r"\1if (1'h0) begin rdata_0 <= 231'h0;",
        check_zeroize, "message_payload still depends on keys or data after",
    ),
    "half a pair leaves a packet that is cut off": (r"assign drops =[^;]*;", "assign drops = 1'h0;", few, "."),
}
"""What is replaced in the Verilog, the check that must find it, and what it says."""


@pytest.mark.parametrize("name", ["a token enters where another one returns", *slowly(*list(FAULTS)[1:])])
def test_faults_are_found(name: str, tmp_path: Path) -> None:
    pattern, new, check, says = FAULTS[name]
    shutil.copytree(folder(**OTR), tmp_path / "core")
    verilog = tmp_path / "core" / read_messages(tmp_path / "core").files.verilog
    text, count = re.subn(pattern, new, verilog.read_text())
    assert count, f"{pattern} has no place in the Verilog any more"
    verilog.write_text(text)
    with pytest.raises(CheckFailed, match=says):
        run_check(StreamSubject(tmp_path / "core", optimize=0), name, check)


@slow
@pytest.mark.parametrize(
    "options", [OTR, {**OTR, "hold": 40}, {**OTR, "keys": "inline", "key_slots": 8}, {**OTR, "direction": "decrypt"}],
    ids=["both", "hold", "inline", "open"],
)  # fmt: skip
def test_all_of_it(options: dict) -> None:
    steps = list(verify_core(folder(**options), optimize=1, sectors=1000))
    assert [step.name for step in steps] == [
        "files", "proof", "pipeline", "lint", "timing", *(name for name, _ in dynamic_checks()), "bench", "skipped",
    ]  # fmt: skip
    assert steps[-1].text == "nothing"


@slow
@pytest.mark.parametrize("options", [
    {"mode": OWN.format("Braid"), "key_slots": 2, "cipher_stages": 1}, {**OTR, "mode": OWN.format("Twice")},
], ids=["braid", "twice"])  # fmt: skip
def test_modes_of_the_tests_own(options: dict) -> None:
    subject = StreamSubject(folder(**options), optimize=1)
    for name, check in dynamic_checks(200):
        assert run_check(subject, name, check).text


ROUND = {"mode": "aes-otr", "key_bits": 128, "key_slots": 3, "cipher_arch": "multistream", "streams": 1}

SECOND = {"mode": "deoxys-ii", "key_slots": 3, "cipher_arch": "multistream", "streams": 1}


@slow
@pytest.mark.parametrize(("options", "part", "says"), [
    (OTR, "associated", r"24 messages of 17 and 47 bytes in (19|20)\d\.\d cycles, core.json states 8 for each"),
    (ROUND, "associated", r"24 messages of 1 and 0 bytes in 9[56]\d\.\d cycles, core.json states 30 for each"),
    (SECOND, "second", r"24 second passes of 0 and 1 bytes in 1176\.0 cycles, core.json states 42 for each"),
], ids=["pipeline", "round", "second pass"])  # fmt: skip
def test_stated_distances_are_needed(options: dict, part: str, says: str, tmp_path: Path) -> None:
    """Cycles in which no token fits are in the distances of core.json.  A core that states fewer is refused."""
    shutil.copytree(folder(**options), tmp_path / "core")
    told, _ = check_pace(StreamSubject(tmp_path / "core", optimize=1))
    assert "messages follow each other as core.json states" in told
    path = tmp_path / "core" / "core.json"
    stated = json.loads(path.read_text())
    stated["unused"][part] = 0
    path.write_text(json.dumps(stated))
    with pytest.raises(CheckFailed, match=says):
        check_pace(StreamSubject(tmp_path / "core", optimize=1))
