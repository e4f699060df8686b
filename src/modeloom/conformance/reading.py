# SPDX-License-Identifier: Apache-2.0
"""Finds out the format of a vector file, and reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from modeloom.conformance.acvp import looks_like_acvp, read_acvp
from modeloom.conformance.case import (
    DIRECTIONS,
    NOT_BYTES,
    ORIGIN,
    TWEAK_BYTES,
    Case,
    Object,
    Unreadable,
    VectorFile,
    check_members,
    hex_bytes,
    salted,
    whole_bytes,
)

__all__ = ["ALGORITHMS", "looks_like_cavp", "read_cavp", "read_file", "read_wycheproof"]

# Reads response files of NIST's CAVP: GCM, GMAC, XPN, CCM and XTS.
#
# A file has lines ``Name = value``.  A record begins with ``Count`` and ends with an empty line.  What stands before the first record of a
# section, in brackets or alone, holds for all records behind it:
#
#     [Alen = 0, Plen = 24]          lengths of the records below: bits in files of GCM and XTS, bytes in those of CCM
#     Key = ...                      for all records below
#
#     Count = 0
#     Nonce = ...
#     Payload = ...                  00 if it has no bytes
#
# A line that begins with ``#`` is a comment, and so is one in round brackets.  Capitals in names do not matter.  Records of XPN have those
# of GCM and a ``Salt``: the nonce is the sum of both.
#
# Source: the files of CAVP, and the reader of such files in NIST's ACVP server.

Record = Mapping[str, str]

FAIL = "FAIL"
"""A line of its own in a record that must not open."""

_GCM = ("Count", "Keylen", "IVlen", "PTlen", "AADlen", "Taglen", "Key", "IV", "PT", "AAD", "CT", "Tag", FAIL)

MEMBERS = {
    "AES-XPN": (*_GCM, "Salt", "Saltlen", "IVxorSalt"),
    "AES-GCM": _GCM,
    "AES-CCM": ("Count", "Alen", "Plen", "Nlen", "Tlen", "Key", "Nonce", "Adata", "Payload", "CT", "Result"),
    "AES-XTS": ("section", "Count", "DataUnitLen", "Key", "i", "DataUnitSeqNumber", "PT", "CT"),
}
"""What a record of each algorithm may have, with what holds for all records of a section."""

SPELLED = {name.lower(): name for names in MEMBERS.values() for name in names}


def looks_like_cavp(text: str) -> bool:
    """Whether a text has a record."""
    return re.search(r"(?im)^count\s*=", text) is not None


def read_cavp(name: str, text: str) -> VectorFile:
    """The tests of a file.  Raises ``Unreadable``."""
    records = list(_records(text))
    if not records:
        raise Unreadable("it has no record")
    first = records[0]
    for algorithm, mode, signs, case in (
        ("AES-XPN", "gcm", ("IV", "Salt"), _xpn), ("AES-GCM", "gcm", ("IV",), _gcm), ("AES-CCM", "ccm", ("Nonce",), _ccm),
        ("AES-XTS", "xts", ("DataUnitLen",), _xts),
    ):  # fmt: skip
        if all(sign in first for sign in signs):
            for record in records:
                check_members(_name(record), record, MEMBERS[algorithm], algorithm)
            cases = [case(record) for record in records]
            return VectorFile(name=name, format="CAVP", algorithm=algorithm, mode=mode, cipher="aes", cases=cases)
    raise Unreadable("its records are none of GCM, XPN, CCM and XTS")


def _records(text: str) -> Iterator[Record]:
    shared: dict[str, str] = {}
    record: dict[str, str] | None = None
    own: set[str] = set()
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if line.startswith("#") or line.startswith("(") and line.endswith(")"):
            continue
        if not line or line.startswith("["):
            if record is not None:
                yield record
                record = None
            if line.startswith("[") and "=" not in line:
                shared["section"] = line.strip("[] ")
            elif line:
                shared |= dict(_pair(part, number) for part in line.strip("[] ").split(","))
            continue
        name, value = (FAIL, "") if line == FAIL else _pair(line, number)
        if name == "Count":
            if record is not None:
                yield record
            record, own = dict(shared), set()
        if record is not None and name in own:
            raise Unreadable(f"line {number}: the record has {name} twice")
        own.add(name)
        (shared if record is None else record)[name] = value
    if record is not None:
        yield record


def _pair(text: str, number: int) -> tuple[str, str]:
    """The name of a line as ``MEMBERS`` spells it, and its value."""
    name, equals, value = text.partition("=")
    if not equals:
        raise Unreadable(f"line {number} is not NAME = VALUE")
    return SPELLED.get(name.strip().lower(), name.strip()), value.strip()


SHARED = ("section", "Keylen", "IVlen", "PTlen", "AADlen", "Alen", "Plen", "Nlen", "Tlen", "Taglen")
"""What tells records with the same count apart."""


def _name(record: Record) -> str:
    lengths = [f"{name} {record[name]}" for name in SHARED if name in record]
    return ", ".join([*lengths, f"Count {record['Count']}"])


def _bytes(record: Record, member: str, length: int | None = None) -> bytes:
    """The bytes of a member; a length of 0 stands for none, whatever is there."""
    if member not in record:
        raise Unreadable(f"{_name(record)}: {member} is missing")
    data = hex_bytes(record[member], f"{_name(record)}: {member}")
    if length == 0:
        return b""
    if length is not None and len(data) != length:
        raise Unreadable(f"{_name(record)}: {member} has {len(data)} bytes, not {length}")
    return data


def _number(record: Record, member: str) -> int:
    if not record.get(member, "").isdecimal():
        raise Unreadable(f"{_name(record)}: {member} is not a number")
    return int(record[member])


def _xpn(record: Record) -> Case:
    nonce = salted(_bytes(record, "IV"), _bytes(record, "Salt"), _name(record))
    if "IVxorSalt" in record and _bytes(record, "IVxorSalt") != nonce:
        raise Unreadable(f"{_name(record)}: IVxorSalt is not the sum of IV and Salt")
    return replace(_gcm(record), nonce=nonce)


def _gcm(record: Record) -> Case:
    failed = FAIL in record
    tag = _bytes(record, "Tag")
    lengths = ("PTlen", "AADlen", "IVlen", "Taglen", "Saltlen")
    sizes = {name: whole_bytes(_number(record, name), name) for name in lengths if name in record}
    # Files of GMAC may leave out the lines of a text without bytes.
    no_text = sizes["PTlen"] == 0 if "PTlen" in sizes else "PT" not in record and "CT" not in record
    plain, text = (b"" if no_text and name not in record or failed and name == "PT" else _bytes(record, name) for name in ("PT", "CT"))
    return Case(
        name=_name(record), directions=("decrypt",) if failed else DIRECTIONS, key=_bytes(record, "Key"), nonce=_bytes(record, "IV"),
        ad=_bytes(record, "AAD"), plain=None if failed else plain, sealed=text + tag, tag_bytes=len(tag),
        valid=not failed, reason=NOT_BYTES if None in sizes.values() else "",
    )  # fmt: skip


def _ccm(record: Record) -> Case:
    result = record.get("Result", "Pass").split()[0]
    if result not in ("Pass", "Fail"):
        raise Unreadable(f"{_name(record)}: Result is {result}, neither Pass nor Fail")
    valid = result == "Pass"
    sealed = _bytes(record, "CT")
    return Case(
        name=_name(record), directions=DIRECTIONS if valid else ("decrypt",), key=_bytes(record, "Key"),
        nonce=_bytes(record, "Nonce", _number(record, "Nlen")), ad=_bytes(record, "Adata", _number(record, "Alen")),
        plain=_bytes(record, "Payload", _number(record, "Plen")) if valid else None, sealed=sealed, tag_bytes=_number(record, "Tlen"),
        valid=valid,
    )  # fmt: skip


def _xts(record: Record) -> Case:
    section = record.get("section", "").lower()
    if section not in DIRECTIONS:
        raise Unreadable(f"{_name(record)}: it stands in no section [ENCRYPT] or [DECRYPT]")
    if "i" in record:
        tweak = _bytes(record, "i", TWEAK_BYTES)
    else:
        tweak = _number(record, "DataUnitSeqNumber").to_bytes(TWEAK_BYTES, "little")
    whole = whole_bytes(_number(record, "DataUnitLen"), "DataUnitLen")
    return Case(
        name=_name(record), directions=(section,), key=_bytes(record, "Key"), nonce=tweak, plain=_bytes(record, "PT"),
        sealed=_bytes(record, "CT"), reason=NOT_BYTES if whole is None else "",
    )  # fmt: skip


# -- wycheproof --------------------------------------------------------------------------------------------------------------------

# Reads Wycheproof's JSON: AEAD, MAC (GMAC) and XTS tests in groups, each with result "valid", "invalid" or "acceptable".

ALGORITHMS: dict[str, tuple[str, str]] = {
    "AES-GCM": ("gcm", "aes"), "AES-GMAC": ("gcm", "aes"), "AES-CCM": ("ccm", "aes"), "AES-GCM-SIV": ("gcm-siv", "aes"),
    "AES-OCB": ("ocb3", "aes"), "AES-XTS": ("xts", "aes"), "SM4-GCM": ("gcm", "sm4"), "SM4-CCM": ("ccm", "sm4"),
}  # fmt: skip
"""Mode and cipher of each algorithm that the files may name."""

RESULTS = ("valid", "invalid", "acceptable")

FILE = ("algorithm", "testGroups", "schema", "generatorVersion", "numberOfTests", "header", "notes", *ORIGIN)
"""The members of a file, of which the first two are used."""

GROUP = ("tests", "type", "source", "ivSize", "keySize")
"""The members of a group of any algorithm, of which the first is used."""

TEST = ("tcId", "result", "key", "iv", "msg", "comment", "flags")
"""The members of a test of any algorithm.  The last two are notes."""


def read_wycheproof(name: str, value: Object) -> VectorFile:
    """The tests of a file.  Raises ``Unreadable``."""
    algorithm = value.get("algorithm")
    if algorithm not in ALGORITHMS:
        raise Unreadable(f"algorithm {algorithm!r} is none of {', '.join(ALGORITHMS)}")
    mode, cipher = ALGORITHMS[algorithm]
    _check(value, algorithm)
    return VectorFile(
        name=name, format="Wycheproof", algorithm=algorithm, mode=mode, cipher=cipher,
        cases=[_case(test, algorithm, group) for group, test in _tests(value)],
    )  # fmt: skip


def _check(value: Object, algorithm: str) -> None:
    """Raises ``Unreadable`` for a member that the algorithm does not have."""
    # A data unit has no tag, and what a MAC authenticates is its message.
    texts = ("ct",) if algorithm.endswith("XTS") else ("tag",) if algorithm.endswith("GMAC") else ("aad", "ct", "tag")
    check_members("the file", value, FILE, algorithm)
    for number, group in enumerate(value["testGroups"], 1):
        check_members(f"group {number}", group, (*GROUP, "tagSize") if "tag" in texts else GROUP, algorithm)
        for test in group["tests"]:
            check_members(f"tcId {test['tcId']}", test, (*TEST, *texts), algorithm)


def _tests(value: Object) -> Iterator[tuple[Object, Object]]:
    for group in value["testGroups"]:
        for test in group["tests"]:
            yield group, test


def _case(test: Object, algorithm: str, group: Object) -> Case:
    name = f"tcId {test['tcId']}"
    result = test["result"]
    if result not in RESULTS:
        raise Unreadable(f"{name}: result {result!r} is none of {', '.join(RESULTS)}")

    def read(member: str) -> bytes:
        return hex_bytes(test[member], f"{name}: {member}")

    is_mac = algorithm.endswith("GMAC")
    tag = read("tag") if "tag" in test else b""
    plain = b"" if is_mac else read("msg")
    ciphertext = b"" if is_mac else read("ct")
    nonce = read("iv")
    if algorithm == "AES-XTS":  # a shorter one is the number of the data unit in little-endian order
        nonce = nonce.ljust(TWEAK_BYTES, b"\0")
    # A tag is as long as its group says; one of another length is forged.
    bits = group.get("tagSize", 8 * len(tag))
    reason = ""
    if result == "acceptable":
        reason = "the file leaves open whether it is valid"
    elif bits != 8 * len(tag):
        reason = "its tag is cut off"
    return Case(
        name=name, directions=DIRECTIONS if result == "valid" else ("decrypt",), key=read("key"), nonce=nonce,
        ad=read("msg") if is_mac else read("aad") if "aad" in test else b"", plain=plain, sealed=ciphertext + tag, tag_bytes=len(tag),
        valid=result == "valid", reason=reason,
    )  # fmt: skip


# -- reading -----------------------------------------------------------------------------------------------------------------------

def read_file(path: str | Path, expected: str | Path | None = None) -> VectorFile:
    """The tests of a file, whose format its contents tell.

    Parameters
    ----------
    path : path
        A file of ACVP, CAVP or Wycheproof.
    expected : path, optional
        The expected results of a vector set of ACVP.

    Raises
    ------
    Unreadable
        The file cannot be read, or is in none of these formats, or is wrong.
    """
    path = Path(path)
    text = _text(path)
    answers = None if expected is None else _answers(Path(expected))
    try:
        value = _json(text)
        if looks_like_acvp(value):
            if expected is not None and answers is None:
                raise Unreadable("the file with the expected results is not JSON")
            return read_acvp(path.name, value, answers)
        if expected is not None:
            raise Unreadable("it is no vector set of ACVP, and --expected is for these")
        if isinstance(value, dict) and "testGroups" in value:
            return read_wycheproof(path.name, value)
        if value is None and looks_like_cavp(text):
            return read_cavp(path.name, text)
        raise Unreadable("the file is neither JSON of ACVP or Wycheproof nor a response file of CAVP")
    except Unreadable as error:
        raise Unreadable(f"{path}: {error}") from None
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        detail = f"{error} is missing" if isinstance(error, KeyError) else "a member has the wrong type"
        raise Unreadable(f"{path}: {detail}") from None


def _answers(path: Path) -> object:
    """The value of a file with expected results."""
    text = _text(path)
    try:
        return _json(text)
    except Unreadable as error:
        raise Unreadable(f"{path}: {error}") from None


def _text(path: Path) -> str:
    """The text of a file, without a byte-order mark.  Raises ``Unreadable``."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise Unreadable(f"{path} cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise Unreadable(f"{path} is not a text") from None


def _json(text: str) -> object:
    """The value of JSON, or None if the text is none.  Raises ``Unreadable`` for an object that has a member twice."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except Unreadable:
        raise
    except (ValueError, RecursionError):
        return None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made: dict[str, object] = {}
    for name, value in pairs:
        if name in made:
            raise Unreadable(f"an object has the member {name!r} twice")
        made[name] = value
    return made
