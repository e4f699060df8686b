# SPDX-License-Identifier: Apache-2.0
"""google/hctr2: HCTR2, XCTR and POLYVAL as lists of records in JSON; POLYVAL of RFC 8452 as the RFC prints it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from .files import InputError, VectorFile, hexadecimal, json_records, message_flags, mode_test, provenance, sizes, vector_file


def convert_hctr2(folder: Path, key_bits: int) -> VectorFile:
    """``HCTR2_AES<key_bits>.json``, all records."""
    tests = []
    for record in json_records(folder / f"HCTR2_AES{key_bits}.json"):
        given, pt = record["input"], record["plaintext_hex"]
        comment = sizes(pt, given["tweak_hex"])
        tests.append(mode_test(comment, ["Random"], given["key_hex"], given["tweak_hex"], pt, record["ciphertext_hex"]))
    return vector_file(f"HCTR2-AES-{key_bits}", *provenance(folder), tests)


def convert_xctr(folder: Path, key_bits: int) -> VectorFile:
    """``XCTR_AES<key_bits>.json``, all records."""
    tests = []
    for record in json_records(folder / f"XCTR_AES{key_bits}.json"):
        pt = hexadecimal(record["plaintext_hex"])
        tests.append(
            {
                "comment": f"{len(pt) // 2} bytes",
                "flags": sorted(["Random", *message_flags(len(pt) // 2)]),
                "key": hexadecimal(record["input"]["key_hex"]),
                "nonce": hexadecimal(record["input"]["nonce_hex"]),
                "pt": pt,
                "ct": hexadecimal(record["ciphertext_hex"]),
            }
        )
    return vector_file(f"XCTR-AES-{key_bits}", *provenance(folder), tests)


def convert_polyval(folder: Path) -> VectorFile:
    """``Polyval.json``, all records."""
    tests = []
    for record in json_records(folder / "Polyval.json"):
        msg = hexadecimal(record["input"]["message_hex"])
        tests.append(
            {
                "comment": f"{len(msg) // 2} bytes",
                "flags": sorted(["Random", *message_flags(len(msg) // 2)]),
                "key": hexadecimal(record["input"]["key_hex"]),
                "msg": msg,
                "hash": hexadecimal(record["hash_hex"]),
            }
        )
    return vector_file("POLYVAL", *provenance(folder), tests)


def rfc_records(text: str) -> Iterator[dict[str, str]]:
    """The records of RFC 8452's appendix C: lines ``name = hex``, more hex without a name; then a blank."""
    record: dict[str, str] = {}
    name = ""
    for line in [*text.splitlines(), ""]:
        if named := re.fullmatch(r"\s+(\S.*?) =\s*([0-9a-f]*)", line):
            name = named[1]
            record[name] = named[2]
        elif record and (continued := re.fullmatch(r"\s+([0-9a-f]+)", line)):
            record[name] += continued[1]
        elif line.strip():
            raise InputError(f"polyval.txt: cannot read line {line.strip()[:60]!r}")
        elif record:
            yield record
            record = {}


def convert_polyval_rfc8452(folder: Path) -> VectorFile:
    """The POLYVAL values of RFC 8452's appendix C."""
    tests = []
    for record in rfc_records((folder / "polyval.txt").read_text(encoding="utf-8")):
        msg = hexadecimal(record["POLYVAL input"])
        tests.append(
            {
                "comment": f"RFC 8452, appendix C, {len(msg) // 2} bytes",
                "flags": sorted(["Standard", *message_flags(len(msg) // 2)]),
                "key": hexadecimal(record["Record authentication key"]),
                "msg": msg,
                "hash": hexadecimal(record["POLYVAL result"]),
            }
        )
    repository, licence = provenance(folder)
    return vector_file(
        "POLYVAL",
        f"RFC 8452, appendix C, as kept in {repository}",
        f"{licence} (the repository); RFC 8452 itself: IETF Trust Legal Provisions",
        tests,
    )
