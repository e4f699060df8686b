# SPDX-License-Identifier: Apache-2.0
"""Reads vector sets of NIST's ACVP, and writes the responses to them: AES-GCM, AES-GMAC, AES-CCM, AES-GCM-SIV, AES-XTS.

A vector set has the questions alone (``prompt.json``), or the answers too (``internalProjection.json``).  The answers may also stand in a
file of their own (``expectedResults.json``).  Lengths are bits.  In files of CCM and GCM-SIV, the tag follows the ciphertext in ``ct``.

Lengths are members of a group of tests.  In revision 2.0 of XTS, those of the payload and of its data units are members of each test, and
a payload may have several data units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from modeloom.conformance.case import DIRECTIONS, TWEAK_BYTES, Case, Unreadable, VectorFile, hex_bytes, whole_bytes

__all__ = ["ALGORITHMS", "looks_like_acvp", "read_acvp", "response"]

Object = Mapping[str, Any]

ALGORITHMS = {
    "ACVP-AES-GCM": "gcm", "ACVP-AES-GMAC": "gcm", "ACVP-AES-CCM": "ccm", "ACVP-AES-GCM-SIV": "gcm-siv", "ACVP-AES-XTS": "xts",
}  # fmt: skip
"""The mode of each algorithm."""

APPENDED = ("ACVP-AES-CCM", "ACVP-AES-GCM-SIV")
"""The algorithms whose ``ct`` ends with the tag."""

GCM_SIV_TAG_BITS = 128

LENGTHS = ("payloadLen", "aadLen", "ivLen", "tagLen", "dataUnitLen")
"""The members with lengths, in bits."""

XTS_LEAST_BITS = 128
"""Bits of the shortest data unit of XTS."""


def _parts(value: object) -> tuple[Object | None, Object] | None:
    """The object with the version, if there is one, and the vector set."""
    if isinstance(value, Sequence) and len(value) == 2 and all(isinstance(part, Mapping) for part in value) and "acvVersion" in value[0]:
        return value[0], value[1]
    return (None, value) if isinstance(value, Mapping) else None


def looks_like_acvp(value: object) -> bool:
    """Whether JSON is a vector set of ACVP."""
    parts = _parts(value)
    return parts is not None and str(parts[1].get("algorithm", "")).startswith("ACVP-")


def read_acvp(name: str, value: object, answers: object = None) -> VectorFile:
    """The tests of a vector set, with the answers of another file.  Raises ``Unreadable``."""
    parts = _parts(value)
    assert parts is not None
    envelope, vectors = parts
    algorithm = vectors.get("algorithm")
    if algorithm not in ALGORITHMS:
        raise Unreadable(f"algorithm {algorithm!r} is none of {', '.join(ALGORITHMS)}")
    _check_numbers(vectors)
    known = dict(_answers(answers, vectors)) if answers is not None else {}
    cases = [_case(algorithm, group, {**test, **known.get(test["tcId"], {})}) for group in vectors["testGroups"] for test in group["tests"]]
    able = [case for case in cases if not case.reason]
    if not cases or able and all(case.input(case.directions[0]) is None for case in able):
        raise Unreadable("it has no questions; give the file with the prompt, and this one with --expected")
    return VectorFile(
        name=name, format="ACVP", algorithm=algorithm, mode=ALGORITHMS[algorithm], cipher="aes", cases=cases, prompt=vectors,
        envelope=envelope,
    )  # fmt: skip


def _check_numbers(vectors: Object) -> None:
    """Raises ``Unreadable`` for a group or a test whose number is missing, is no integer, or is that of another one."""
    groups = vectors["testGroups"]
    tests = [test for group in groups for test in group["tests"]]
    for member, objects in (("tgId", groups), ("tcId", tests)):
        seen: set[int] = set()
        for one in objects:
            number = one[member]
            if not isinstance(number, int) or isinstance(number, bool):
                raise Unreadable(f"{member} {number!r} is not an integer")
            if number in seen:
                raise Unreadable(f"{member} {number} is there twice")
            seen.add(number)


def _answers(value: object, vectors: Object) -> Iterator[tuple[int, Object]]:
    parts = _parts(value)
    if parts is None or parts[1].get("algorithm") != vectors["algorithm"] or "testGroups" not in parts[1]:
        raise Unreadable(f"the file with the expected results is not one of {vectors['algorithm']}")
    _check_numbers(parts[1])
    for group in parts[1]["testGroups"]:
        for test in group["tests"]:
            yield test["tcId"], test


def _case(algorithm: str, group: Object, test: Object) -> Case:
    name, direction = f"tcId {test['tcId']}", group["direction"]
    if direction not in DIRECTIONS:
        raise Unreadable(f"{name}: direction {direction!r} is neither encrypt nor decrypt")
    lengths = dict(_lengths(name, group, test))
    if reason := _reason(algorithm, group, lengths):
        return Case(name=name, directions=(direction,), reason=reason)

    def read(member: str) -> bytes | None:
        return hex_bytes(test[member], f"{name}: {member}") if test.get(member) is not None else None

    def needed(member: str) -> bytes:
        found = read(member)
        if found is None:
            raise Unreadable(f"{name}: {member} is missing")
        return found

    if algorithm == "ACVP-AES-XTS":
        plain, sealed, tag_bytes = read("pt"), read("ct"), 0
        if direction == "encrypt":
            plain = _payload(f"{name}: pt", plain, lengths)
        else:
            sealed = _payload(f"{name}: ct", sealed, lengths)
        nonce, ad = _tweak(name, group, test, needed), b""
    else:
        tag_bytes = group.get("tagLen", GCM_SIV_TAG_BITS) // 8
        plain, text, tag = read("pt"), read("ct"), read("tag")
        if algorithm == "ACVP-AES-GMAC":
            plain, text = b"", b""
        if algorithm in APPENDED:
            sealed = text
        else:
            sealed = None if text is None or tag is None else text + tag
        nonce, ad = needed("iv"), needed("aad")
    answered = test.get("testPassed")
    if direction == "decrypt" and answered is False:
        plain, valid = None, False
    elif direction == "decrypt" and answered is None and (plain is None or algorithm == "ACVP-AES-GMAC"):
        plain, valid = None, None
    else:
        valid = True
    return Case(
        name=name, directions=(direction,), key=_key(algorithm, test, needed), nonce=nonce, ad=ad, plain=plain, sealed=sealed,
        tag_bytes=tag_bytes, unit_bytes=lengths["dataUnitLen"] // 8 if "dataUnitLen" in lengths else None, valid=valid,
    )  # fmt: skip


def _lengths(name: str, group: Object, test: Object) -> Iterator[tuple[str, int]]:
    """The lengths of a test in bits.  Those in the test precede those in its group, which may also be ranges instead of numbers."""
    for member in LENGTHS:
        if test.get(member) is not None:
            whole_bytes(test[member], f"{name}: {member}")
            yield member, test[member]
        elif isinstance(group.get(member), int):
            whole_bytes(group[member], member)
            yield member, group[member]


def _key(algorithm: str, test: Object, needed: Callable[[str], bytes]) -> bytes:
    """The key; those of XTS may come in two members."""
    return needed("key1") + needed("key2") if algorithm == "ACVP-AES-XTS" and "key" not in test else needed("key")


def _reason(algorithm: str, group: Object, lengths: Mapping[str, int]) -> str:
    """Why a test with these lengths in bits cannot be run; empty if it can."""
    if group.get("testType", "AFT") != "AFT":
        return f"tests of the type {group['testType']} are not supported"
    if group.get("ivGen", "external") != "external":
        return "the module under test generates the nonce, and no core of modeloom does"
    if any(length % 8 for length in lengths.values()):
        return "its lengths are not whole bytes"
    if algorithm == "ACVP-AES-XTS" and "dataUnitLen" in lengths:
        unit, payload = lengths["dataUnitLen"], lengths["payloadLen"]
        last = payload % max(unit, 1) or unit  # never longer than the others
        if last < XTS_LEAST_BITS:
            return f"a data unit has fewer than {XTS_LEAST_BITS // 8} bytes"
    return ""


def _payload(what: str, data: bytes | None, lengths: Mapping[str, int]) -> bytes | None:
    """The payload that goes in: as many bytes of the member as its length says.  The specification allows more, and ignores them."""
    if data is None or "payloadLen" not in lengths:
        return data
    size = lengths["payloadLen"] // 8
    if len(data) < size:
        raise Unreadable(f"{what} has {len(data)} bytes, not {size}")
    return data[:size]


def _tweak(name: str, group: Object, test: Object, needed: Callable[[str], bytes]) -> bytes:
    """The tweak of the first data unit.  A file with the answers has it in both forms, and only that of ``tweakMode`` is right."""
    form = group.get("tweakMode", "hex" if "tweakValue" in test else "number")
    if form == "hex":
        tweak = needed("tweakValue")
        if len(tweak) != TWEAK_BYTES:
            raise Unreadable(f"{name}: tweakValue has {len(tweak)} bytes, not {TWEAK_BYTES}")
        return tweak
    if form != "number":
        raise Unreadable(f"{name}: tweakMode {form!r} is neither hex nor number")
    number = test.get("sequenceNumber")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 1 << 8 * TWEAK_BYTES:
        raise Unreadable(f"{name}: sequenceNumber is missing, or no number of {TWEAK_BYTES} bytes")
    return number.to_bytes(TWEAK_BYTES, "little")


def response(file: VectorFile, answers: Mapping[str, bytes | None]) -> tuple[Any, int]:
    """The response to a vector set, and the number of its tests that have no answer.

    *answers* has what came out for each test by its name; None stands for a message that was refused.
    """
    assert file.prompt is not None
    groups, missing = [], 0
    for group in file.prompt["testGroups"]:
        tests = []
        for test in group["tests"]:
            name = f"tcId {test['tcId']}"
            if name not in answers:
                missing += 1
                continue
            tests.append({"tcId": test["tcId"], **_answer(file.algorithm, group, answers[name])})
        groups.append({"tgId": group["tgId"], "tests": tests})
    names = ("vsId", "algorithm", "mode", "revision", "isSample")
    made = {**{name: file.prompt[name] for name in names if name in file.prompt}, "testGroups": groups}
    return ([dict(file.envelope), made] if file.envelope is not None else made), missing


def _answer(algorithm: str, group: Object, output: bytes | None) -> dict[str, Any]:
    if group["direction"] == "decrypt":
        if algorithm == "ACVP-AES-GMAC":
            return {"testPassed": output is not None}
        return {"testPassed": False} if output is None else {"pt": _hex(output)}
    assert output is not None
    if algorithm == "ACVP-AES-XTS" or algorithm in APPENDED:
        return {"ct": _hex(output)}
    at = len(output) - group["tagLen"] // 8
    return {"tag": _hex(output)} if algorithm == "ACVP-AES-GMAC" else {"ct": _hex(output[:at]), "tag": _hex(output[at:])}


def _hex(data: bytes) -> str:
    return data.hex().upper()
