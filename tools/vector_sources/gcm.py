# SPDX-License-Identifier: Apache-2.0
"""A test of GCM, as more than one source has them; one of GMAC is one without text."""

from __future__ import annotations

from .files import Test, hexadecimal, message_flags

NONCE_BYTES = 12
TAG_BYTES = 16


def gcm_test(
    comment: str, flags: list[str], key: str, nonce: str, aad: str, pt: str | None, ct: str, tag: str, valid: bool = True
) -> Test:
    """One test; the flags of its lengths are added. *pt* is None where the source gives none, as the tag is wrong."""
    lengths = ["EmptyText" if flag == "EmptyMessage" else flag for flag in message_flags(len(ct) // 2)]
    lengths += ["EmptyAd"] if not aad else []
    lengths += ["HashedNonce"] if len(nonce) != 2 * NONCE_BYTES else []
    lengths += ["ShortTag"] if len(tag) < 2 * TAG_BYTES else []
    values = {"key": key, "nonce": nonce, "aad": aad, "pt": pt, "ct": ct, "tag": tag}
    return {
        "comment": comment,
        "flags": sorted({*flags, *lengths}),
        **{name: hexadecimal(value) for name, value in values.items() if value is not None},
        "result": "valid" if valid else "invalid",
    }
