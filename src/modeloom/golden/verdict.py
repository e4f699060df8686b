# SPDX-License-Identifier: Apache-2.0
"""The verdict on a sealed message: a ciphertext with its tag behind it."""

from __future__ import annotations

import hmac


class AuthenticationError(Exception):
    """A message was not sealed like this under this key, nonce and associated data; nothing of its text is given out."""


def split_sealed(sealed: bytes, tag_bytes: int) -> tuple[bytes, bytes]:
    """Ciphertext and tag; AuthenticationError if *sealed* is shorter than a tag."""
    if len(sealed) < tag_bytes:
        raise AuthenticationError(f"a sealed message of {len(sealed)} bytes has no tag of {tag_bytes} bytes")
    return sealed[: len(sealed) - tag_bytes], sealed[len(sealed) - tag_bytes :]


def check_tag(given: bytes, right: bytes) -> None:
    """AuthenticationError if two tags of one length differ; the time does not tell where."""
    if not hmac.compare_digest(given, right):
        raise AuthenticationError("the tag is wrong")
