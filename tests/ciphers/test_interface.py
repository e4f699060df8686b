# SPDX-License-Identifier: Apache-2.0
"""Calls in the form of an earlier version of the interface are one line with the new form."""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.hdl import Const, Module

from modeloom.ciphers import CoreRequest
from modeloom.cli import main
from modeloom.rtl.aes.parameters import named
from modeloom.spec import DefinitionError

FILE = """
from modeloom.ciphers import AES, BlockCipher, CoreTiming
from modeloom.modes.xts import XTS
from modeloom.rtl.aes.parameters import named
from amaranth.hdl import Const, Module

CIPHER = BlockCipher({members})


class Mine(XTS):
    name = title = source = security = "mine"
    cipher = CIPHER
"""

MEMBERS = {
    "name": '"mine"', "block_bytes": "16", "key_bits": "(128,)", "round_keys": "lambda bits: 11", "round_key_bits": "128",
    "timing": "lambda request: CoreTiming(11, 1)", "software": "AES.software", "hardware": "AES.hardware",
    "key_schedule": "AES.key_schedule",
}  # fmt: skip


def members(**changes: str) -> str:
    return ", ".join(f"{name}={value}" for name, value in (MEMBERS | changes).items() if value)


OLD = {
    '"mine", 16, (128,), None, None, None, None': "BlockCipher() takes keywords only since interface 2: BlockCipher(name=..., block_",
    members(timing="lambda core, architecture, key_bits, stages: CoreTiming(11, 1)"):
        "timing (mine.py, line 7): timing(core, architecture, key_bits, stages) of interface 1 is now timing(request), a CoreRequest with",
    members(hardware="lambda core, architecture, key_bits, stages, slots, sbox: None"):
        "hardware (mine.py, line 7): hardware(core, architecture, key_bits, stages, slots, sbox) of interface 1 is now hardware(request)",
    members(hardware="lambda core, architecture, key_bits, stages, slots: None"): "slots) of interface 1 is now hardware(request)",
    members(sequential='("both", "dec")'): 'its names are "encrypt", "decrypt" and "both"; "dec" of interface 1 is now "decrypt"',
    members(rounds="10"): "BlockCipher() has no rounds; docs/user-api.md lists its members",
    members(round_keys=""): "BlockCipher() lacks round_keys: BlockCipher(",
    members(timing="lambda request: CoreTiming(11, 1 if request.architecture == 'pipelined' else 11)"):
        "a CoreRequest has no architecture; architecture of interface 1 is now form",
}  # fmt: skip


@pytest.mark.parametrize("text", OLD, ids=["positional", "timing", "six", "five", "dec", "unknown", "missing", "member"])
def test_old_forms(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.py"
    file.write_text(FILE.format(members=text), encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["explain", f"{file}:Mine", "--sector", "64"])
    assert ended.value.code == 2
    error = capsys.readouterr().err.strip()
    assert OLD[text] in error and error.startswith("modeloom: ") and "\n" not in error, error
    assert "TypeError" not in error


def test_a_name_for_a_net_came_later() -> None:
    with pytest.raises(DefinitionError, match=r'named\(m, value\) of interface 1 is now named\(m, "name", value\)'):
        named(Module(), Const(0, 8))  # type: ignore[arg-type]


def test_members_of_today_are_there() -> None:
    request = CoreRequest(direction="encrypt", form="pipelined", key_bits=128, stages=1)
    assert (request.direction, request.form, request.but(stages=2).stages) == ("encrypt", "pipelined", 2)
    with pytest.raises(AttributeError, match=r"a CoreRequest has no rounds; docs/user-api\.md"):
        _ = request.rounds
