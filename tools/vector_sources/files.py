# SPDX-License-Identifier: Apache-2.0
"""What all sources share: an output file with its tests and flags, the ``SOURCE.txt`` of an input folder, lists in JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

SCHEMA = "modeloom-vectors-1"
BLOCK_BYTES = 16

NOTES = {
    "BouncyCastle": "made with Bouncy Castle 1.54, as the source says",
    "CAVP": "from the files of NIST's AESAVS, as the source says",
    "CVE-2017-18330": "a nonce longer than a block, on which some programs overflow: it must be refused",
    "CounterWrap": "the counter of 32 bits wraps around",
    "Decrypt": "stated by the source as a decryption",
    "Draft": "an example of a draft of the standard, as the source says",
    "EmptyAd": "there is no associated data",
    "EmptyMessage": "nothing is encrypted or hashed",
    "EmptyText": "there is no text: the tag is that of GMAC",
    "EmptyTweak": "the tweak has no bytes",
    "Encrypt": "stated by the source as an encryption",
    "Fail": "stated by the source as a message that must be refused; it gives no plaintext",
    "GFSbox": "the key is zero; each plaintext exercises the S-boxes",
    "Gladman": "made by B. Gladman's implementation, as the source says",
    "HashedNonce": "the nonce has not 12 bytes, so the first counter block is a hash of it",
    "InsecureTagSize": "a tag of 2 bytes, which must be refused",
    "InvalidNonceSize": "a nonce of a length that the standard does not have, which must be refused",
    "InvalidTagSize": "a tag of a length that the standard does not have, which must be refused",
    "KeySbox": "the plaintext is zero; each key exercises the S-boxes of the key schedule",
    "Ktv": "a known test vector, as the source says",
    "LongIv": "the nonce is long",
    "ModifiedTag": "a tag that was right, with some bits changed: it must be refused",
    "NoText": "there is no text",
    "OpenSSL": "made with OpenSSL, as the source says",
    "PartialBlock": "the message ends with a partial block",
    "PartialTweak": "the tweak ends with a partial block",
    "Pseudorandom": "pseudorandom input",
    "Random": "random input",
    "ShortTag": "the tag has fewer than 16 bytes",
    "ShortTweak": "the source gives fewer than 16 bytes of the tweak; zeros are appended",
    "SingleBlock": "the message is one block",
    "SmallIv": "the nonce has fewer than 12 bytes",
    "SpecialCase": "a special value of counter block, hash or tag",
    "SpecialCaseTag": "a special value of the tag",
    "Specification": "a test case of the specification of GCM",
    "Standard": "an example printed in a standard",
    "UnknownOrigin": "of a public source that tells neither origin nor licence",
    "VarKey": "the plaintext is zero; the keys are ones followed by zeros",
    "VarTxt": "the key is zero; the plaintexts are ones followed by zeros",
    "WholeBlocks": "the message is two or more whole blocks",
    "Wycheproof": "from the files of Wycheproof, as the source says",
    "WrappedIv": "the counter of 32 bits wraps around",
    "ZeroLengthIv": "a nonce of no bytes, which must be refused",
}

Test = dict[str, Any]
VectorFile = dict[str, Any]


class InputError(Exception):
    """An input file is not what its format promises."""


def provenance(folder: Path) -> tuple[str, str]:
    """Source and licence from the ``SOURCE.txt`` of *folder*."""
    fields: dict[str, str] = {}
    for line in (folder / "SOURCE.txt").read_text(encoding="utf-8").splitlines():
        name, separator, value = line.partition(": ")
        if separator:
            fields[name] = value.strip()
    if "path" in fields:
        fields.setdefault("paths/notes", fields["path"])
    missing = [name for name in ("repo", "commit", "licence", "paths/notes") if name not in fields]
    if missing:
        raise InputError(f"{folder.name}/SOURCE.txt: no {', '.join(missing)}")
    return f"{fields['repo']}, commit {fields['commit']}: {fields['paths/notes']}", fields["licence"]


def vector_file(algorithm: str, source: str, licence: str, tests: list[Test]) -> VectorFile:
    """The object of one output file; test numbers follow the order of *tests*. A test without ``result`` is valid."""
    if not tests:
        raise InputError(f"no tests for {algorithm}")
    flags = sorted({flag for test in tests for flag in test["flags"]})
    return {
        "algorithm": algorithm,
        "source": source,
        "licence": licence,
        "schema": SCHEMA,
        "notes": {flag: NOTES[flag] for flag in flags},
        "numberOfTests": len(tests),
        "tests": [{"tcId": number, **test, "result": test.get("result", "valid")} for number, test in enumerate(tests, 1)],
    }


def mode_test(comment: str, flags: list[str], key: str, tweak: str, pt: str, ct: str) -> Test:
    """One test of a mode; the flags of the lengths of message and tweak are added."""
    key, tweak, pt, ct = map(hexadecimal, (key, tweak, pt, ct))
    return {
        "comment": comment,
        "flags": sorted([*flags, *message_flags(len(pt) // 2), *tweak_flags(len(tweak) // 2)]),
        "key": key,
        "tweak": tweak,
        "pt": pt,
        "ct": ct,
    }


def sizes(pt: str, tweak: str) -> str:
    """The lengths of a message and of its tweak, both hexadecimal, in words."""
    return f"{len(pt) // 2} bytes, tweak of {len(tweak) // 2} bytes"


def hexadecimal(text: str) -> str:
    """*text* in lower case, checked."""
    if not re.fullmatch(r"(?:[0-9a-fA-F]{2})*", text):
        raise InputError(f"not a hexadecimal string: {text[:40]!r}")
    return text.lower()


def message_flags(length: int) -> list[str]:
    """The flag that tells how a message of *length* bytes divides into blocks."""
    if length == 0:
        return ["EmptyMessage"]
    if length % BLOCK_BYTES:
        return ["PartialBlock"]
    return ["SingleBlock"] if length == BLOCK_BYTES else ["WholeBlocks"]


def tweak_flags(length: int) -> list[str]:
    """The flag of a tweak of *length* bytes; none for whole blocks."""
    if length == 0:
        return ["EmptyTweak"]
    return ["PartialTweak"] if length % BLOCK_BYTES else []


def json_records(path: Path) -> list[dict[str, Any]]:
    """The records of a JSON file that is a list of them."""
    records = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(records, list):
        raise InputError(f"{path.name}: not a list of records")
    return records
