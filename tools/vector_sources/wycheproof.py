# SPDX-License-Identifier: Apache-2.0
"""Wycheproof: GCM and GMAC, CCM and GCM-SIV, with what must be rejected. The flags are its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .aead import aead_test
from .files import InputError, VectorFile, provenance, vector_file
from .gcm import gcm_test


def wycheproof_records(path: Path, kind: str) -> Iterator[dict[str, Any]]:
    """The tests of all groups, which must be of one type; sizes of key, nonce and tag are those of the group."""
    for group in json.loads(path.read_text(encoding="utf-8"))["testGroups"]:
        if group["type"] != kind:
            raise InputError(f"{path.name}: a group of type {group['type']}")
        for record in group["tests"]:
            for name, size in (("key", "keySize"), ("iv", "ivSize"), ("tag", "tagSize")):
                if 4 * len(record[name]) != group[size]:
                    raise InputError(f"{path.name}, test {record['tcId']}: {name} has not {group[size]} bits")
            if record["result"] not in ("valid", "invalid"):
                raise InputError(f"{path.name}, test {record['tcId']}: result {record['result']}")
            yield record


def _comment(path: Path, record: dict[str, Any]) -> str:
    return f"{path.name}, {record['tcId']}" + (f": {record['comment']}" if record["comment"] else "")


def convert_gcm(folder: Path) -> VectorFile:
    """``aes_gcm_test.json``, all tests."""
    path = folder / "aes_gcm_test.json"
    tests = [
        gcm_test(
            _comment(path, record), record["flags"], record["key"], record["iv"], record["aad"], record["msg"], record["ct"],
            record["tag"], record["result"] == "valid",
        )
        for record in wycheproof_records(path, "AeadTest")
    ]  # fmt: skip
    return vector_file("AES-GCM", *provenance(folder), tests)


def convert_gmac(folder: Path) -> VectorFile:
    """``aes_gmac_test.json``, all tests: the message is the associated data."""
    path = folder / "aes_gmac_test.json"
    tests = [
        gcm_test(
            _comment(path, record), record["flags"], record["key"], record["iv"], record["msg"], "", "", record["tag"],
            record["result"] == "valid",
        )
        for record in wycheproof_records(path, "MacWithIvTest")
    ]  # fmt: skip
    return vector_file("AES-GMAC", *provenance(folder), tests)


def _convert_aead(path: Path, algorithm: str) -> VectorFile:
    """All tests of a file of authenticated encryption."""
    tests = [
        aead_test(
            _comment(path, record), record["flags"], record["key"], record["iv"], record["aad"], record["msg"], record["ct"],
            record["tag"], record["result"] == "valid",
        )
        for record in wycheproof_records(path, "AeadTest")
    ]  # fmt: skip
    return vector_file(algorithm, *provenance(path.parent), tests)


def convert_ccm(folder: Path) -> VectorFile:
    """``aes_ccm_test.json``, all tests of the cut that the input folder has."""
    return _convert_aead(folder / "aes_ccm_test.json", "AES-CCM")


def convert_gcm_siv(folder: Path) -> VectorFile:
    """``aes_gcm_siv_test.json``, all tests of the cut that the input folder has: keys of 128 bits."""
    return _convert_aead(folder / "aes_gcm_siv_test.json", "AES-GCM-SIV")
