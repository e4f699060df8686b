# SPDX-License-Identifier: Apache-2.0
"""A test of XTS, as more than one source has them."""

from __future__ import annotations

from .files import BLOCK_BYTES, Test, mode_test


def xts_test(name: str, origin: list[str], keys: tuple[str, str], tweak: str, pt: str, ct: str) -> Test | None:
    """One test of XTS; None if its keys are equal, which FIPS 140 forbids. A tweak with fewer than 16 bytes gets zeros."""
    if keys[0] == keys[1]:
        return None
    whole_tweak = tweak.ljust(2 * BLOCK_BYTES, "0")
    flags = origin if tweak == whole_tweak else [*origin, "ShortTweak"]
    return mode_test(f"{name}, {len(pt) // 2} bytes", flags, "".join(keys), whole_tweak, pt, ct)
