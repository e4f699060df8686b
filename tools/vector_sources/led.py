# SPDX-License-Identifier: Apache-2.0
"""LED: the examples of its specification, as others quote them.  The first cell of a block is the upper half of its byte 0."""

from __future__ import annotations

from pathlib import Path

from .files import InputError, Test, VectorFile, hexadecimal, json_records, vector_file

SOURCE = (
    "Guo, Peyrin, Poschmann, Robshaw: The LED Block Cipher, eprint 2012/600, as quoted in "
    "https://github.com/GaloisInc/cryptol-specs: LED.md"
)
LICENCE = "BSD-3-Clause (the repository)"

LED128 = (
    ("00" * 16, "00" * 8, "3decb2a0850cdba1"),
    ("0123456789abcdef" * 2, "0123456789abcdef", "d6b824587f014fc2"),
)
"""Key, plaintext, ciphertext."""


def _test(number: int, key: str, pt: str, ct: str, key_bytes: int) -> Test:
    key, pt, ct = map(hexadecimal, (key, pt, ct))
    if (len(key), len(pt), len(ct)) != (2 * key_bytes, 16, 16):
        raise InputError(f"LED-{8 * key_bytes}: a record of other lengths")
    return {"comment": f"eprint 2012/600, example {number}", "flags": ["Standard"], "key": key, "pt": pt, "ct": ct}


def convert_led64(folder: Path) -> VectorFile:
    """``led64.json``, all records."""
    records = json_records(folder / "led64.json")
    tests = [_test(n, record["key"], record["pt"], record["ct"], 8) for n, record in enumerate(records, 1)]
    return vector_file("LED-64", SOURCE, LICENCE, tests)


def convert_led128() -> VectorFile:
    """The examples with keys of 128 bits, which the input folder does not have."""
    return vector_file("LED-128", SOURCE, LICENCE, [_test(n, *record, 16) for n, record in enumerate(LED128, 1)])
