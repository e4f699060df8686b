# SPDX-License-Identifier: Apache-2.0
"""GCM of NIST's CAVP: response files in sections of equal lengths, and a part of one of them in JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from .files import InputError, Test, VectorFile, json_records, provenance, vector_file
from .gcm import gcm_test

KEY_BITS = (128, 192, 256)
LENGTHS = ("Keylen", "IVlen", "PTlen", "AADlen", "Taglen")
FIELDS = {"Count": "", "Key": "Keylen", "IV": "IVlen", "PT": "PTlen", "CT": "PTlen", "AAD": "AADlen", "Tag": "Taglen"}
"""The fields of a record, and which length of its section each has."""

SOURCE = "NIST CAVP, {}{{128,192,256}}.rsp of CAVS 14.0, as kept in the Python package cryptography-vectors 50.0.2; {}"
LICENCE = "US Government work, public domain (the package: Apache-2.0 OR BSD-3-Clause)"

Record = dict[str, str]


def gcm_sections(path: Path) -> Iterator[tuple[str, list[Record]]]:
    """The lengths in words, and the records, of each section; a record that must be refused has ``FAIL`` and no ``PT``."""
    lengths: dict[str, int] = {}
    records: list[Record] = []
    record: Record = {}
    for line in [*path.read_text(encoding="ascii").splitlines(), "", "["]:
        line = line.strip()
        if line.startswith("["):
            if records:
                yield ", ".join(f"{name.removesuffix('len')} {lengths[name]}" for name in LENGTHS[1:]), records
                records = []
            if named := re.fullmatch(r"\[(\w+) = (\d+)\]", line):
                lengths[named[1]] = int(named[2])
        elif field := re.fullmatch(r"(\w+) =(?: (\S*))?", line):
            record[field[1]] = field[2] or ""
        elif line == "FAIL":
            record["FAIL"] = ""
        elif record:
            _check(path, lengths, record)
            records.append(record)
            record = {}


def _check(path: Path, lengths: dict[str, int], record: Record) -> None:
    wanted = set(FIELDS) - {"PT"} | {"FAIL"} if "FAIL" in record else set(FIELDS)
    sized = all(4 * len(value) == lengths.get(FIELDS[name]) for name, value in record.items() if FIELDS.get(name))
    if set(record) != wanted or set(lengths) != set(LENGTHS) or not sized:
        raise InputError(f"{path.name}: bad record Count {record.get('Count')}")


def _tests(folder: Path, stem: str, direction: str, choose: list[bool]) -> list[Test]:
    """Of each section, the first record for each of *choose*: one that must be refused, or one that must not."""
    tests = []
    for bits in KEY_BITS:
        path = folder / f"{stem}{bits}.rsp"
        for lengths, records in gcm_sections(path):
            for refused in choose:
                record = next((record for record in records if ("FAIL" in record) == refused), None)
                if record is None:
                    continue
                comment, flags = f"{path.name}, {lengths}, Count {record['Count']}", [direction, *(["Fail"] if refused else [])]
                given = (record["Key"], record["IV"], record["AAD"], record.get("PT"), record["CT"], record["Tag"])
                tests.append(gcm_test(comment, flags, *given, not refused))
    return tests


def convert_gcm_encrypt(folder: Path) -> VectorFile:
    """``gcmEncryptExtIV*.rsp``: the first record of each section."""
    source = SOURCE.format("gcmEncryptExtIV", "the first record of each section")
    return vector_file("AES-GCM", source, LICENCE, _tests(folder, "gcmEncryptExtIV", "Encrypt", [False]))


def convert_gcm_decrypt(folder: Path) -> VectorFile:
    """``gcmDecrypt*.rsp``: of each section the first record that opens, and the first that must be refused."""
    source = SOURCE.format("gcmDecrypt", "of each section the first record that opens and the first that must fail")
    return vector_file("AES-GCM", source, LICENCE, _tests(folder, "gcmDecrypt", "Decrypt", [False, True]))


def convert_gcm_iv96(folder: Path) -> VectorFile:
    """``gcmEncryptExtIV128_iv96.json``: AES-128, nonces of 12 bytes, whole tags, all records."""
    path = folder / "gcmEncryptExtIV128_iv96.json"
    tests = [
        gcm_test(
            f"gcmEncryptExtIV128.rsp, record {number} with a nonce of 12 bytes and a whole tag", ["Encrypt"], record["key"],
            record["nonce"], record["aad"], record["plaintext"], record["ciphertext"], record["tag"],
        )
        for number, record in enumerate(json_records(path), 1)
    ]  # fmt: skip
    return vector_file("AES-GCM", *provenance(folder), tests)
