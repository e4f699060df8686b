# SPDX-License-Identifier: Apache-2.0
"""AES of NIST: the examples that FIPS 197 prints, and the response files of CAVP."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from .files import InputError, VectorFile, hexadecimal, provenance, vector_file

# Name, key, plaintext, ciphertext: typed in from the standard.
FIPS_197 = (
    (
        "appendix B, AES-128",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "3243f6a8885a308d313198a2e0370734",
        "3925841d02dc09fbdc118597196a0b32",
    ),
    (
        "appendix C.1, AES-128",
        "000102030405060708090a0b0c0d0e0f",
        "00112233445566778899aabbccddeeff",
        "69c4e0d86a7b0430d8cdb78070b4c55a",
    ),
    (
        "appendix C.2, AES-192",
        "000102030405060708090a0b0c0d0e0f1011121314151617",
        "00112233445566778899aabbccddeeff",
        "dda97ca4864cdfe06eaf70a0ec0d7191",
    ),
    (
        "appendix C.3, AES-256",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "00112233445566778899aabbccddeeff",
        "8ea2b7ca516745bfeafc49904b496089",
    ),
)


def convert_aes_fips197() -> VectorFile:
    """The example vectors of FIPS 197."""
    tests = [{"comment": name, "flags": ["Standard"], "key": key, "pt": pt, "ct": ct} for name, key, pt, ct in FIPS_197]
    return vector_file("AES", "NIST FIPS 197, appendices B and C.1 to C.3", "US Government work, public domain", tests)


def convert_aes_cavp(folder: Path) -> VectorFile:
    """All ``ECB*.rsp`` files, both sections of each, in order of the file name."""
    tests = []
    for path in sorted(folder.glob("*.rsp")):
        kind = re.fullmatch(r"ECB([A-Za-z]+)\d+", path.stem)
        if kind is None:
            raise InputError(f"{path.name}: not the name of an ECB file")
        for direction, record in rsp_records(path):
            tests.append(
                {
                    "comment": f"{path.name}, {direction.upper()}, COUNT {record['COUNT']}",
                    "flags": sorted([direction.capitalize(), kind[1]]),
                    "key": hexadecimal(record["KEY"]),
                    "pt": hexadecimal(record["PLAINTEXT"]),
                    "ct": hexadecimal(record["CIPHERTEXT"]),
                }
            )
    return vector_file("AES", *provenance(folder), tests)


def rsp_records(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Direction (``encrypt`` or ``decrypt``) and fields of each record of a CAVP response file."""
    direction = ""
    record: dict[str, str] = {}
    for line in [*path.read_text(encoding="ascii").splitlines(), ""]:
        if line.startswith("#"):
            continue
        if line.startswith("["):
            direction = line.strip("[] ").lower()
        elif " = " in line:
            name, _, value = line.partition(" = ")
            record[name.strip()] = value.strip()
        elif record:
            if direction not in ("encrypt", "decrypt") or len(record) != 4:
                raise InputError(f"{path.name}: bad record COUNT {record.get('COUNT')}")
            yield direction, record
            record = {}
