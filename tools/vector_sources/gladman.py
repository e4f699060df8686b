# SPDX-License-Identifier: Apache-2.0
"""Gladman's EME2, GCM and XTS: numbered files of ``TAG HEX`` lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .files import InputError, VectorFile, hexadecimal, mode_test, provenance, sizes, vector_file
from .gcm import gcm_test
from .xts import xts_test

SPECIFICATION_CASES = 18
"""Test cases in appendix B of McGrew and Viega's specification of GCM."""


def gladman_records(
    folder: Path, mode: str, tags: set[str], optional: frozenset[str] = frozenset()
) -> Iterator[tuple[str, dict[str, str]]]:
    """The records of all files ``<mode>.<number>``, by number, and what to call each: ``TAG HEX`` after a ``VEC n``.

    A record has all of *tags*, and may have *optional* ones; ``RPT n`` stands for n times what the tag before it has.
    """
    for path in sorted(folder.glob(f"{mode}.*"), key=lambda path: int(path.suffix[1:])):
        record: dict[str, str] = {}
        name = last = ""
        for line in [*path.read_text(encoding="ascii").splitlines(), "END"]:
            tag, _, value = line.strip().partition(" ")
            if tag in ("VEC", "END"):
                if record and set(record) - optional != tags - optional:
                    raise InputError(f"{path.name}: bad record {name}")
                if record:
                    yield f"{path.name}, {name}", record
                record, name = {}, line.strip()
            elif name and tag and tag != "REM":
                if tag == "RPT" and last and value.strip().isdecimal():
                    record[last] *= int(value)
                    continue
                record[tag] = record.get(tag, "") + hexadecimal(value.strip())
                last = tag


def convert_eme2(folder: Path) -> VectorFile:
    """Gladman's ``eme2.*``, all records; the key is K_AD ‖ K_ECB ‖ K_AES."""
    tests = []
    for name, record in gladman_records(folder, "eme2", {"KEY", "ADT", "PTX", "CTX"}):
        comment = f"{name}: {sizes(record['PTX'], record['ADT'])}"
        tests.append(mode_test(comment, ["Gladman"], record["KEY"], record["ADT"], record["PTX"], record["CTX"]))
    return vector_file("EME2-AES", *provenance(folder), tests)


def convert_gcm_gladman(folder: Path) -> VectorFile:
    """Gladman's ``gcm.*``, all records; the first 18 of ``gcm.1`` are the test cases of the specification of GCM."""
    tests = []
    for name, record in gladman_records(folder, "gcm", {"KEY", "TAG"}, frozenset({"IV", "NCE", "HDR", "PTX", "CTX"})):
        if ("IV" in record) == ("NCE" in record):
            raise InputError(f"{name}: not one nonce")
        number = int(name.removeprefix("gcm.1, VEC ")) if name.startswith("gcm.1, VEC ") else 0
        case = [f"test case {number} of the specification"] if 1 <= number <= SPECIFICATION_CASES else []
        tests.append(
            gcm_test(
                ", ".join([name, *case]), ["Gladman", *(["Specification"] if case else [])], record["KEY"],
                record.get("IV", record.get("NCE", "")), record.get("HDR", ""), record.get("PTX", ""), record.get("CTX", ""),
                record["TAG"],
            )
        )  # fmt: skip
    return vector_file("AES-GCM", *provenance(folder), tests)


def convert_xts_gladman(folder: Path) -> VectorFile:
    """Gladman's ``xts.*``, without the records whose length is no number of bytes or whose keys are equal."""
    tests = []
    for name, record in gladman_records(folder, "xts", {"LEN", "EKY", "TKY", "LBA", "PTX", "CTX"}):
        bits = int.from_bytes(bytes.fromhex(record["LEN"]), "little")
        if -(-bits // 8) != len(record["PTX"]) // 2:
            raise InputError(f"{name}: {bits} bits do not fit the plaintext")
        keys = record["EKY"], record["TKY"]
        if bits % 8 == 0 and (test := xts_test(name, ["Gladman"], keys, record["LBA"], record["PTX"], record["CTX"])):
            tests.append(test)
    source, licence = provenance(folder)
    return vector_file("XTS-AES", f"{source}; without records of equal keys or of bits that are no whole bytes", licence, tests)
