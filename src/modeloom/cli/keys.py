# SPDX-License-Identifier: Apache-2.0
"""Reads keys from files with raw bytes or hexadecimal digits.  The two forms are never confused.

::

    hexadecimal   only hex digits and white space, with a correct length
    raw           a correct length, and a byte that is not text
    refused       anything else: text with a wrong digit, or a wrong length

Of 10^14 random keys of 16 bytes, less than one consists only of hex digits and white space.  ``--key-format raw`` is for keys that are
text.  Messages count bytes from 0 and never show a byte of a key.
"""

from __future__ import annotations

from collections.abc import Iterable
from string import hexdigits

from modeloom.spec import InputError, UnknownName

__all__ = ["FORMATS", "read_key"]

FORMATS = ("auto", "raw", "hex")

_DIGITS = frozenset(hexdigits.encode())
_TEXT = frozenset(range(0x20, 0x7F)) | frozenset(b"\t\n\v\f\r")


def read_key(path: str, lengths: Iterable[int], what: str, form: str = "auto") -> bytes:
    """Reads the key in a file.

    Parameters
    ----------
    path : str
    lengths : iterable of int
        Correct lengths in bytes.
    what : str
        The mode or core of the key, for messages.
    form : str
        "raw", "hex", or "auto" to detect the form.

    Raises
    ------
    UnknownName
        For an unknown form.
    InputError
        If the file cannot be read, or does not contain a key with a correct length.
    """
    if form not in FORMATS:
        raise UnknownName("key format", form, FORMATS)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise InputError(f"cannot read key file {path}: {error.strerror}") from None
    if not data:
        raise InputError(f"key file {path} is empty; write the key into it as raw bytes or as hex digits")
    fitting = sorted(set(lengths))
    wanted = f"{what} has {_or(fitting)} bytes"
    digits = bytes(byte for byte in data if not chr(byte).isspace())
    wrong = next((place for place, byte in enumerate(data) if byte not in _DIGITS and not chr(byte).isspace()), None)
    if form == "auto":
        form = _form(path, data, wrong)
    if form == "raw":
        if len(data) not in fitting:
            raise InputError(f"key file {path} has {len(data)} raw bytes, but {wanted}")
        return data
    if wrong is not None:
        raise InputError(f"key file {path}: byte {wrong} is not a hex digit")
    if len(digits) % 2:
        raise InputError(f"key file {path} has {len(digits)} hex digits, which is odd; a byte has two")
    if len(digits) // 2 not in fitting:
        instead = "; if they are the bytes of the key, add --key-format raw" if len(data) in fitting else ""
        raise InputError(f"key file {path} has {len(digits)} hex digits ({len(digits) // 2} bytes), but {wanted}{instead}")
    return bytes.fromhex(digits.decode())


def _form(path: str, data: bytes, wrong: int | None) -> str:
    """The form of a file.  Raises ``InputError`` for text that is not a hexadecimal number."""
    if not _TEXT.issuperset(data):
        return "raw"
    if wrong is not None:
        raise InputError(
            f"key file {path} is text, but its byte {wrong} is not a hex digit; if they are the bytes of the key, add --key-format raw"
        )
    return "hex"


def _or(values: list[int]) -> str:
    *head, last = map(str, values)
    return f"{', '.join(head)} or {last}" if head else last
