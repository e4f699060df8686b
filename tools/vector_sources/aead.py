# SPDX-License-Identifier: Apache-2.0
"""A test of authenticated encryption, the same for all modes; GCM's has flags of its own."""

from __future__ import annotations

from .files import Test, hexadecimal, message_flags

TAG_BYTES = 16


def aead_test(
    comment: str, flags: list[str], key: str, nonce: str, aad: str, pt: str | None, ct: str, tag: str, valid: bool = True
) -> Test:
    """One test; the flags of its lengths are added. *pt* is None where the source gives none, as the tag is wrong."""
    lengths = ["NoText" if flag == "EmptyMessage" else flag for flag in message_flags(len(ct) // 2)]
    lengths += ["EmptyAd"] if not aad else []
    lengths += ["ShortTag"] if len(tag) < 2 * TAG_BYTES else []
    return test_of_values(comment, [*flags, *lengths], key, nonce, aad, pt, ct, tag, valid)


def test_of_values(
    comment: str, flags: list[str], key: str, nonce: str, aad: str, pt: str | None, ct: str, tag: str, valid: bool
) -> Test:
    """One test with these flags, its values checked."""
    values = {"key": key, "nonce": nonce, "aad": aad, "pt": pt, "ct": ct, "tag": tag}
    return {
        "comment": comment,
        "flags": sorted(set(flags)),
        **{name: hexadecimal(value) for name, value in values.items() if value is not None},
        "result": "valid" if valid else "invalid",
    }
