# SPDX-License-Identifier: Apache-2.0
"""A test of a vector file in the form that all readers give, and the file that it comes from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from modeloom.spec.errors import InputError

__all__ = [
    "DIRECTIONS", "NOT_BYTES", "ORIGIN", "TWEAK_BYTES", "Case", "Object", "Unreadable", "VectorFile", "check_members", "hex_bytes",
    "salted", "unit_tweak", "whole_bytes",
]  # fmt: skip

DIRECTIONS = ("encrypt", "decrypt")

Object = Mapping[str, Any]
"""An object of JSON."""

TWEAK_BYTES = 16
"""Bytes of a tweak of XTS."""

NOT_BYTES = "its lengths are not whole bytes"
"""The reason for which no model or core runs a test with such lengths."""

ORIGIN = ("source", "licence")
"""The members of a JSON file that say where it comes from, in parts of published files."""


class Unreadable(InputError):
    """A vector file lacks something, or has something that its format does not allow."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One test: a message, or a text of one or several sectors.

    Attributes
    ----------
    name : str
        What the file calls it, such as ``tcId 3``.
    directions : tuple of str
        "encrypt", "decrypt" or both: what the test is about.
    key, nonce, ad : bytes
        The key with all its parts, the nonce or the tweak, and the associated data.
    plain, sealed : bytes or None
        The plaintext, and the ciphertext with the tag at its end.  None stands for what the file does not tell.
    tag_bytes : int
        Bytes of the tag; 0 for sectors.
    unit_bytes : int or None
        Bytes of each sector of the text, which XTS calls a data unit.  The last one may be shorter.  None if the text is one sector.
    valid : bool or None
        Whether the message must open.  None if the file does not tell.
    reason : str
        Why nothing can run this test; empty if something can.
    """

    name: str
    directions: tuple[str, ...]
    key: bytes = b""
    nonce: bytes = b""
    ad: bytes = b""
    plain: bytes | None = None
    sealed: bytes | None = None
    tag_bytes: int = 0
    unit_bytes: int | None = None
    valid: bool | None = True
    reason: str = ""

    def input(self, direction: str) -> bytes | None:
        """What goes in."""
        return {"encrypt": self.plain, "decrypt": self.sealed}[direction]

    def output(self, direction: str) -> bytes | None:
        """What must come out, if the message is valid and the file tells it."""
        return {"encrypt": self.sealed, "decrypt": self.plain}[direction]

    def units(self, direction: str) -> list[tuple[bytes, bytes]]:
        """The sectors that go in, each with its tweak: that of the test for the first one, and the next number for each one behind it."""
        data = self.input(direction)
        assert data is not None
        if self.unit_bytes is None or len(data) <= self.unit_bytes:
            return [(self.nonce, data)]
        starts = range(0, len(data), self.unit_bytes)
        return [(unit_tweak(self.nonce, number), data[at : at + self.unit_bytes]) for number, at in enumerate(starts)]


@dataclass(frozen=True, kw_only=True)
class VectorFile:
    """The tests of a file.

    Attributes
    ----------
    name : str
        The name of the file.
    format : str
        "ACVP", "CAVP" or "Wycheproof".
    algorithm : str
        What the file calls the algorithm.
    mode, cipher : str
        The mode and the block cipher, by their names in modeloom.
    cases : sequence of Case
        All tests, in the order of the file.
    prompt : mapping or None
        The vector set of ACVP that a response answers; None for other formats.
    envelope : mapping or None
        The object with the version that precedes the vector set of ACVP; None if there is none.
    """

    name: str
    format: str
    algorithm: str
    mode: str
    cipher: str
    cases: Sequence[Case]
    prompt: Object | None = None
    envelope: Object | None = field(default=None)


def check_members(what: str, members: Iterable[str], known: Collection[str], algorithm: str) -> None:
    """Raises ``Unreadable`` for a member that files of an algorithm do not have: what it says would be ignored.

    *what* names the object, such as ``tcId 3``.
    """
    for member in members:
        if member not in known:
            raise Unreadable(f"{what}: {algorithm} has no member {member!r}")


def salted(iv: bytes, salt: bytes, what: str) -> bytes:
    """The nonce of GCM for an IV and a salt: in XPN, each bit of the salt is added to that of the IV.

    Source: the cipher suites GCM-AES-XPN of IEEE 802.1AE.  Raises ``Unreadable`` if they do not have the same length.
    """
    if len(iv) != len(salt):
        raise Unreadable(f"{what}: the IV has {len(iv)} bytes, and the salt {len(salt)}")
    return bytes(one ^ two for one, two in zip(iv, salt, strict=True))


def hex_bytes(value: object, what: str) -> bytes:
    """The bytes of hexadecimal digits.  Raises ``Unreadable`` for anything else."""
    try:
        if isinstance(value, str):
            return bytes.fromhex(value)
    except ValueError:
        pass
    raise Unreadable(f"{what} is not a string of hexadecimal digits, two for each byte")


def whole_bytes(bits: object, what: str) -> int | None:
    """The number of bytes of a number of bits, or None if they are not whole bytes.  Raises ``Unreadable`` for what is not a number."""
    if not isinstance(bits, int) or isinstance(bits, bool) or bits < 0:
        raise Unreadable(f"{what} is not a number of bits")
    return None if bits % 8 else bits // 8


def unit_tweak(first: bytes, number: int) -> bytes:
    """The tweak of data unit *number* of a text, counted from 0, whose first one has the tweak *first*.

    Source: IEEE 1619, 5.1: tweaks are assigned to data units consecutively, and a tweak is a number in little-endian order.  Releases of
    NIST's ACVP server before 1.1.0.33 counted in another byte order or without a carry (issue 241 of ACVP-Server, issue 1475 of ACVP).
    """
    return ((int.from_bytes(first, "little") + number) % (1 << 8 * len(first))).to_bytes(len(first), "little")
