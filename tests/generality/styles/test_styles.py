# SPDX-License-Identifier: Apache-2.0
"""Cores of modes on ciphers of a user in three styles pass all that ``modeloom verify`` does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests import built, streamed
from tests.built import slow

from modeloom.verification import verify_core

HERE = Path(__file__).parent
SECTORS = {"sector": 48, "key_slots": 2, "restarts": 10, "cipher_arch": "sequential"}
MESSAGES = {"key_slots": 2}
CHOICES: dict[str, tuple[str, dict[str, Any]]] = {
    f"{name}{mode}": (f"{HERE / file}.py:{name}{mode}", MESSAGES if mode == "GCM" else SECTORS)
    for file, name in (("gift128", "Gift"), ("noekeon", "Noekeon"), ("sm4_rom", "Own")) for mode in ("XTS", "HCTR2", "GCM")
}  # fmt: skip


@slow
@pytest.mark.parametrize("choice", CHOICES)
def test_verify(choice: str) -> None:
    place, options = CHOICES[choice]
    directory = (streamed.folder if choice.endswith("GCM") else built.folder)(place, **options)
    steps = list(verify_core(directory, sectors=10, optimize=0))
    assert {"files", "proof", "timing"} <= {step.name for step in steps}
    assert steps[-1].name == "unconfirmed" and steps[-1].text.startswith("no published vector confirms the mode ")
