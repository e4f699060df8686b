# SPDX-License-Identifier: Apache-2.0
"""The checks of cores whose blocks wait for the cipher of the one before, and whose lengths are known first: a good core passes, and each
fault that is planted in their parts is found."""

from __future__ import annotations

import re
import shutil
from functools import partial
from pathlib import Path

import pytest
from tests.built import slow, slowly
from tests.streamed import folder

from modeloom.emit import CheckFailed
from modeloom.interfaces.messages import MessageCode
from modeloom.product.folder import read_messages
from modeloom.verification import verify_core
from modeloom.verification.steps import run_check
from modeloom.verification.stream import dynamic_checks
from modeloom.verification.stream.host import StreamSubject
from modeloom.verification.stream.pace import check_pace
from modeloom.verification.stream.statuses import check_lengths, check_messages, check_statuses, possible_codes

ONE = {"mode": "ccm", "key_bits": 128, "key_slots": 3, "cipher_stages": 1}
SEVERAL = {**ONE, "channels": 3}

OWN = str(Path(__file__).parents[2] / "streams" / "chained_modes.py") + ":{}"
"""The modes of the tests' own, by path: core.json names the definition, which is loaded again."""

few = partial(check_messages, wanted=130)


def cleared(name: str) -> list[tuple[str, str]]:
    """What makes a condition false."""
    return [(rf"assign {name} =[^;]*;", f"assign {name} = 1'b0;")]

FAULTS = {
    "the chain is read early": (ONE, [(r"wait_reg <= 4'hb", "wait_reg <= 4'ha")], few, "wrong text or tag|gives WRONG_TAG"),
    "the chain is read late": (ONE, [(r"wait_reg <= 4'hb", "wait_reg <= 4'hc")], check_pace, "core.json states"),
    "a prefix has no length": (ONE, [(r"prefix_reg <= prefix_bytes", "prefix_reg <= prefix_bytes & 80'hff")], few, "wrong text or tag"),
    "bytes moved to another block are lost": (ONE, cleared("another"), check_lengths, "wrong text or tag|WRONG_TAG"),
    "the bytes of the block before are not kept": (ONE, [(r"carry_reg <= left", "carry_reg <= 80'h0")], few, "wrong text or tag|WRONG_TAG"),
    "a text may be too short": (ONE, cleared("too_short"), check_statuses, "where TOO_SHORT is right"),
    "a text may be too long": (ONE, cleared("too_long"), check_statuses, "where TOO_LONG is right"),
    "a nonce allows any text": (ONE, cleared("text_above"), check_statuses, "where TOO_LONG is right"),
    "a first block has another flag": (ONE, [(r"\? 8'h7a", "? 8'h3a")], few, "wrong text or tag|WRONG_TAG"),
    "a turn ends early": (
        SEVERAL,
        [("ends_8_reg <= ends_7_reg", "ends_8_reg <= ends_6_reg"), ("context_8_reg <= context_7_reg", "context_8_reg <= context_6_reg")],
        few, "wrong text or tag|gives WRONG_TAG",
    ),
    "a channel has more tokens than places": (SEVERAL, [(r"- gone_rdata_0 != 3'h4", "- gone_rdata_0 != 3'h7")], few, "."),
}  # fmt: skip
"""The core, what is replaced in its Verilog, the check that must find it, and what it says."""


@pytest.mark.parametrize("name", ["the chain is read early", *slowly(*list(FAULTS)[1:])])
def test_faults_are_found(name: str, tmp_path: Path) -> None:
    options, changes, check, says = FAULTS[name]
    shutil.copytree(folder(**options), tmp_path / "core")
    verilog = tmp_path / "core" / read_messages(tmp_path / "core").files.verilog
    text = verilog.read_text()
    for pattern, new in changes:
        text, count = re.subn(pattern, new, text)
        assert count, f"{pattern} has no place in the Verilog any more"
    verilog.write_text(text)
    with pytest.raises(CheckFailed, match=says):
        run_check(StreamSubject(tmp_path / "core", optimize=0), name, check)


def test_codes_that_a_core_can_give() -> None:
    missing = {MessageCode.TOO_LONG_TO_HOLD, MessageCode.NO_DIRECTION}
    assert possible_codes(StreamSubject(folder(**ONE), optimize=0)) == set(MessageCode) - missing


@slow
@pytest.mark.parametrize(("options", "skipped"), [
    (ONE, "nothing"), (SEVERAL, "nothing"), ({**ONE, "cipher_cores": 2}, "nothing"),
    ({**ONE, "hold": 40}, "carries of text to open: it has at most 32 bytes"), ({**ONE, "keys": "inline", "key_slots": 4}, "nothing"),
], ids=["one", "several", "two ciphers", "hold", "inline"])  # fmt: skip
def test_all_of_it(options: dict, skipped: str) -> None:
    steps = list(verify_core(folder(**options), optimize=1, sectors=1000))
    assert [step.name for step in steps] == [
        "files", "proof", "pipeline", "lint", "timing", *(name for name, _ in dynamic_checks()), "bench", "skipped",
    ]  # fmt: skip
    assert steps[-1].text == skipped


@slow
@pytest.mark.parametrize("options", [
    {"mode": OWN.format("WideChain"), "key_bits": 256, "key_slots": 2, "cipher_stages": 1},
    {**SEVERAL, "mode": OWN.format("ChainFromZero")},
], ids=["wide chain", "chain from zero"])  # fmt: skip
def test_modes_of_the_tests_own(options: dict) -> None:
    subject = StreamSubject(folder(**options), optimize=1)
    for name, check in dynamic_checks(200):
        assert run_check(subject, name, check).text
