# SPDX-License-Identifier: Apache-2.0
"""Published vectors of stream modes against the software model."""

from __future__ import annotations

import pytest

import modeloom
from modeloom.spec import InputError
from modeloom.spec.errors import AuthenticationError

LONGEST_NONCE = 16
"""Bytes of the longest nonce that a core takes, and with it the definition."""


def check(tests: list[dict], name: str, cipher: str = "aes", longest: int = LONGEST_NONCE) -> tuple[int, int, int]:
    """How many tests opened and sealed, were refused as they must be, and have a nonce that the definition does not take."""
    done = refused = strange = 0
    for test in tests:
        key, nonce, aad, tag = (bytes.fromhex(test[part]) for part in ("key", "nonce", "aad", "tag"))
        model = modeloom.model(name, key, cipher)
        sealed = bytes.fromhex(test["ct"]) + tag
        if not 1 <= len(nonce) <= longest:
            strange += 1
            with pytest.raises(InputError, match=f"a nonce has 1 to {longest} bytes"):
                model.open(nonce, sealed, aad, len(tag))
        elif test["result"] == "invalid":
            refused += 1
            with pytest.raises(AuthenticationError):
                model.open(nonce, sealed, aad, len(tag))
        else:
            done += 1
            text = bytes.fromhex(test["pt"])
            assert model.seal(nonce, text, aad, len(tag)) == sealed, test["tcId"]
            assert model.open(nonce, sealed, aad, len(tag)) == text, test["tcId"]
    return done, refused, strange
