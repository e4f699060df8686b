# SPDX-License-Identifier: Apache-2.0
"""The checks of cores for messages: a good core passes all of them, and each of them finds a fault that was planted for it."""

from __future__ import annotations

import re
import shutil
from functools import partial
from pathlib import Path

import pytest
from tests.built import slow, slowly
from tests.streamed import SMALL, TINY, folder

from modeloom.emit import CheckFailed
from modeloom.interfaces.messages import MessageCode
from modeloom.product.folder import read_messages
from modeloom.verification import verify_core
from modeloom.verification.steps import run_check, timing_step
from modeloom.verification.stream import dynamic_checks
from modeloom.verification.stream.erasure import check_erasure, check_zeroize, only_tags_differ, waits_in
from modeloom.verification.stream.host import StreamSubject
from modeloom.verification.stream.pace import check_pace
from modeloom.verification.stream.statuses import check_lengths, check_messages, check_reloads, check_statuses, possible_codes


@pytest.fixture(scope="module")
def subject() -> StreamSubject:
    return StreamSubject(folder(**SMALL), optimize=0)


few = partial(check_messages, wanted=130)
rounds = partial(check_reloads, rounds=6)


@pytest.mark.parametrize(
    "check", [check_pace, check_statuses, rounds, check_erasure, check_zeroize, few],
    ids=["pace", "statuses", "reloads", "erasure", "zeroize", "few"],
)
def test_a_good_core_passes(subject: StreamSubject, check) -> None:
    text, figures = check(subject)
    assert text and all(value for value in figures.values())


def test_all_codes_that_a_core_can_give(subject: StreamSubject) -> None:
    assert possible_codes(subject) == set(MessageCode) - {MessageCode.TOO_LONG, MessageCode.TOO_LONG_TO_HOLD, MessageCode.NO_DIRECTION}


@pytest.mark.parametrize("direction", ["encrypt", *slowly("decrypt")])
def test_no_control_depends_on_secrets_in_a_core_with_one_direction(direction: str) -> None:
    """A core that only seals compares no tags, so it has no verdict.  One that only opens gives no tags, so no status depends on a key."""
    place = folder(**TINY, direction=direction)
    step = timing_step(place, StreamSubject(place, optimize=0).description)
    assert ("whether the tag of a message is right" in step.text) == (direction == "decrypt")


FAULTS = {
    "a wrong tag passes": (r"wrong_reg <= \|parts_reg;", "wrong_reg <= 1'b0;", few, "gives OK where WRONG_TAG is right"),
    "bits of the tag are not compared": (r"\|different_reg\[5:0\]", "|different_reg[5:1]", check_lengths, "gives OK where WRONG_TAG"),
    "state is left by zeroize": (r"\bmask_reg <= 128'h0;", "", check_zeroize, "still depends on keys or data after"),
    "a command is left by zeroize": (
        r"(module \S*command_checked \((?s:.*?)signature_en = put) \| rst;", r"\1;", check_zeroize,
        r"checked\.command_checked.* still depends on",
    ),
    "a power of a key stays behind its set-up": (
        r"(if \(word_valid & )set_up_ends(\) last_word <= 128'h0;)", r"\g<1>1'b0\2", check_erasure, "last_word still depends on its old",
    ),
    "a beat is not seen": (r"beat_0_reg <= beat;", "beat_0_reg <= 1'b0;", few, "hangs|wrong"),
}
"""What is replaced in the Verilog, the check that must find it, and what it says."""


@pytest.mark.parametrize("name", ["a wrong tag passes", *slowly(*list(FAULTS)[1:])])
def test_faults_are_found(name: str, tmp_path: Path) -> None:
    pattern, text, check, says = FAULTS[name]
    shutil.copytree(folder(**SMALL), tmp_path / "core")
    verilog = tmp_path / "core" / read_messages(tmp_path / "core").files.verilog
    changed, count = re.subn(pattern, text, verilog.read_text(), count=1)
    assert count, "the fault has no place in the Verilog any more"
    verilog.write_text(changed)
    with pytest.raises(CheckFailed, match=says):
        run_check(StreamSubject(tmp_path / "core", optimize=0), name, check)
    with pytest.raises(CheckFailed, match="changed since modeloom build"):
        next(verify_core(tmp_path / "core"))


def test_a_place_of_a_tag_has_nothing_else() -> None:
    """What is left in a core that stores messages is a tag of each core in the same place, and no bit beside it."""
    first, second = bytes(range(16)), bytes(range(100, 116))
    words = [0b101 | int.from_bytes(tag, "little") << 7 for tag in (first, second)]
    assert only_tags_differ((words[0], words[1]), [(b"?" * 16, b"!" * 16), (first, second)])
    # A bit beside the tag, a bit of the tag, another place in one of them, and tags that the host did not get.
    assert not only_tags_differ((words[0], words[1] ^ 1), [(first, second)])
    assert not only_tags_differ((words[0] ^ 1 << 20, words[1]), [(first, second)])
    assert not only_tags_differ((words[0], words[1] << 1), [(first, second)])
    assert not only_tags_differ((words[0], words[1]), [(second, first)])


def test_a_queue_with_tags_and_its_output() -> None:
    """Tags wait for the host in the memory of a queue and in the register of its output, whatever of the two names this register has."""
    for part in ("finals.memory.packets_finals", "finals.memory.rdata_0", "finals_o_payload"):
        assert waits_in(f"core.bus.packets.{part}", ("texts", "packets.finals"))
        assert not waits_in(f"core.bus.packets.{part}", ("texts", "packets.final"))
    assert not waits_in("core.bus.packets.finals_o_payload_2", ("packets.finals",))


@slow
@pytest.mark.parametrize(
    "options",
    [
        {}, {"hold": 100}, {"blocks_per_cycle": 2}, {"blocks_per_cycle": 4, "hold": 64}, {"direction": "decrypt"}, {"direction": "encrypt"},
        {"key_slots": 100}, {"channels": 3}, {"packet": "wire"},
    ],
    ids=lambda options: "-".join(f"{name}{value}" for name, value in options.items()) or "plain",
)  # fmt: skip
def test_all_of_it(options: dict) -> None:
    steps = list(verify_core(folder(**{**SMALL, **options}), optimize=1, sectors=1000))
    assert [step.name for step in steps] == [
        "files", "proof", "pipeline", "lint", "timing", *(name for name, _ in dynamic_checks()), "bench", "skipped",
    ]  # fmt: skip
    assert steps[-1].text == "nothing"
