# SPDX-License-Identifier: Apache-2.0
"""What no published vector confirms is one sentence; of what this project has, there is none."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from modeloom.verification.steps import unconfirmed

MODE = "no published vector confirms the mode mine: it is compared only with its own definition in mine.py:Mine"
BOTH = "no published vector confirms the mode mine or the cipher box: they are compared only with their own definitions in mine.py:Mine"


@pytest.mark.parametrize(
    ("definition", "cipher", "own", "said"),
    [("mine.py:Mine", "aes", False, MODE), ("mine.py:Mine", "box", True, BOTH), ("gcm", "aes", False, ""), ("xts", "sm4", False, "")],
)
def test_one_sentence(definition: str, cipher: str, own: bool, said: str) -> None:
    description: Any = SimpleNamespace(definition=definition, mode="mine", cipher=cipher, own_cipher=own)
    assert unconfirmed(description) == said
