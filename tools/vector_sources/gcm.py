# SPDX-License-Identifier: Apache-2.0
"""A test of GCM, as more than one source has them; one of GMAC is one without text."""

from __future__ import annotations

from .aead import TAG_BYTES, test_of_values
from .files import Test, message_flags

NONCE_BYTES = 12


def gcm_test(
    comment: str, flags: list[str], key: str, nonce: str, aad: str, pt: str | None, ct: str, tag: str, valid: bool = True
) -> Test:
    """One test; the flags of its lengths are added. *pt* is None where the source gives none, as the tag is wrong."""
    lengths = ["EmptyText" if flag == "EmptyMessage" else flag for flag in message_flags(len(ct) // 2)]
    lengths += ["EmptyAd"] if not aad else []
    lengths += ["HashedNonce"] if len(nonce) != 2 * NONCE_BYTES else []
    lengths += ["ShortTag"] if len(tag) < 2 * TAG_BYTES else []
    return test_of_values(comment, [*flags, *lengths], key, nonce, aad, pt, ct, tag, valid)
