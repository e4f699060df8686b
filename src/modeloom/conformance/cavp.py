# SPDX-License-Identifier: Apache-2.0
"""Reads response files of NIST's CAVP: GCM, GMAC, XPN, CCM and XTS.

A file has lines ``Name = value``.  A record begins with ``Count`` and ends with an empty line.  What stands before the first record of a
section, in brackets or alone, holds for all records behind it::

    [Alen = 0, Plen = 24]          lengths of the records below: bits in files of GCM and XTS, bytes in those of CCM
    Key = ...                      for all records below

    Count = 0
    Nonce = ...
    Payload = ...                  00 if it has no bytes

A line that begins with ``#`` is a comment, and so is one in round brackets.  Capitals in names do not matter.  Records of XPN have those of
GCM and a ``Salt``: the nonce is the sum of both.

Source: the files of CAVP, and the reader of such files in NIST's ACVP server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from modeloom.conformance.case import (
    DIRECTIONS,
    NOT_BYTES,
    TWEAK_BYTES,
    Case,
    Unreadable,
    VectorFile,
    check_members,
    hex_bytes,
    salted,
    whole_bytes,
)

__all__ = ["looks_like_cavp", "read_cavp"]

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
