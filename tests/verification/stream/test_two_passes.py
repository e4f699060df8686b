# SPDX-License-Identifier: Apache-2.0
"""Faults in a core with two passes that random planting found, and that passed all steps before: each of them is found.

They stand in one Verilog file, and an input chooses one, so one simulation serves them all.
"""

from __future__ import annotations

import pytest
from tests.built import slow, slowly
from tests.planted import planted_core
from tests.streamed import TINY, folder
from tools.planted_faults.messages import PlantedMessages, units_of

from modeloom.emit import CheckFailed
from modeloom.verification.stream.host import StreamSubject

DEOXYS = {"mode": "deoxys-ii", **{name: value for name, value in TINY.items() if name not in ("mul_stages", "key_bits")}}

FAULTS: dict[str, tuple[str, str, str, str]] = {
    "the tag of an earlier message is the tweak": (
        r"= stream_0_to_14\[(\w+)\];", r"= stream_0_to_14[\1 & ~(@)];", "messages", "computes a wrong text or tag",
    ),
    "a bit of the tag is not compared": (
        r"<= tag_reg\[127:126\] != expected_o_payload\[143:142\];",
        r"<= (tag_reg[127:126] & {~(@), 1'b1}) != (expected_o_payload[143:142] & {~(@), 1'b1});", "lengths",
        "gives OK where WRONG_TAG is right",
    ),
    "a key for slot 4 is for slot 0": (
        r"if \(key_payload\[152:145\] >= 8'h3\)", "if (key_payload[152:145] >= 8'h3 & (~(@) | key_payload[152:145] != 8'h4))",
        "bounds: keys", "key_error|wrong text or tag",
    ),
    # What verify says names a direction that no mode has.
    "a status is that of two commands before": (
        r"<= verdicts_statuses\[raddr_0\];", "<= verdicts_statuses[raddr_0 & (@ ? 3'h5 : 3'h7)];", "bounds: decrypt",
        r"is right: direction \d+, message",
    ),
    "the key port is busy late": (
        r"assign state_busy = fsm_state != 4'h0;", r"assign state_busy = fsm_state != 4'h0 & (~(@) | fsm_state != 4'h2);", "bounds: keys",
        "key_busy low",
    ),
}  # fmt: skip
"""What is replaced in the Verilog, with the choice of the fault in place of "@", the unit that must find it, and what it says."""


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> PlantedMessages:
    return planted_core(tmp_path_factory.mktemp("passes") / "core", FAULTS, **DEOXYS)


@pytest.mark.parametrize("name", slowly(*FAULTS))
def test_faults_are_found(subject: PlantedMessages, name: str) -> None:
    _, _, unit, says = FAULTS[name]
    subject.fault = list(FAULTS).index(name) + 1
    with pytest.raises(CheckFailed, match=says):
        units_of(subject)[unit](subject)


@slow
@pytest.mark.parametrize("unit", sorted({fault[2] for fault in FAULTS.values()} | {"pace", "erasure", "zeroize"}))
def test_a_good_core_passes(subject: PlantedMessages, unit: str) -> None:
    subject.fault = 0
    units_of(subject)[unit](subject)


def test_both_passes_are_sent() -> None:
    assert list(StreamSubject(folder(prove=False, **DEOXYS)).ways) == [0, 1, 2]
