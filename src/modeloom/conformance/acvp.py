# SPDX-License-Identifier: Apache-2.0
"""Reads vector sets of NIST's ACVP, and writes the responses to them: AES-GCM, AES-GMAC, AES-XPN, AES-CCM, AES-GCM-SIV, AES-XTS.

A vector set has the questions alone (``prompt.json``), or the answers too (``internalProjection.json``).  The answers may also stand in a
file of their own (``expectedResults.json``).  An object with the version of the protocol, or with the addresses of a saved session, may
precede a set::

    [{"acvVersion": "1.0"}, {"vsId": 7, "algorithm": "ACVP-AES-GCM", "testGroups": [{"tgId": 1, "tests": [{"tcId": 1, ...}, ...]}, ...]}]

Lengths are bits.  In files of CCM and GCM-SIV, the tag follows the ciphertext in ``ct``.  They are members of a group of tests.  In
revision 2.0 of XTS, those of the payload and of its data units are members of each test, and a payload may have several data units.

XPN is GCM whose nonce is the sum of ``iv`` and ``salt``.  CCM in the form of ECMA-368 has block B0 of CCM in the place of the nonce.

Source: draft-celi-acvp-symmetric (tables of the members), and the sample files of NIST's server, which have some members more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from modeloom.conformance.case import (
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

__all__ = ["ALGORITHMS", "looks_like_acvp", "read_acvp", "response"]



@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """An algorithm of ACVP, and the members that only some algorithms have.

    Attributes
    ----------
    mode : str
        The mode of modeloom.
    lengths : tuple of str
        Members with lengths in bits, of a group or of its tests.
    group, test : tuple of str
        Members of a group, and of a test, that the reader uses.
    noted : tuple of str
        Members of a group that tell nothing about its tests: how an IV or a salt was made.
    appended : bool
        Whether ``ct`` ends with the tag.
    """

    mode: str
    lengths: tuple[str, ...]
    group: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    noted: tuple[str, ...] = ()
    appended: bool = False


AEAD_LENGTHS = ("ivLen", "payloadLen", "aadLen", "tagLen")

_GCM = Algorithm(mode="gcm", lengths=AEAD_LENGTHS, group=("ivGen",), test=("iv", "aad", "tag"), noted=("ivGenMode",))

ALGORITHMS = {
    "ACVP-AES-GCM": _GCM,
    "ACVP-AES-GMAC": _GCM,
    "ACVP-AES-XPN": Algorithm(
        mode="gcm", lengths=(*AEAD_LENGTHS, "saltLen"), group=("ivGen", "saltGen"), test=("iv", "salt", "aad", "tag"),
        noted=("ivGenMode",),
    ),
    "ACVP-AES-CCM": Algorithm(mode="ccm", lengths=AEAD_LENGTHS, test=("iv", "aad"), appended=True),
    "ACVP-AES-GCM-SIV": Algorithm(mode="gcm-siv", lengths=AEAD_LENGTHS, test=("iv", "aad"), appended=True),
    "ACVP-AES-XTS": Algorithm(
        mode="xts", lengths=("payloadLen", "dataUnitLen"), group=("tweakMode",), test=("key1", "key2", "tweakValue", "sequenceNumber"),
    ),
}  # fmt: skip
"""The algorithms that are read."""

SET = ("acvVersion", "vsId", "algorithm", "mode", "revision", "isSample", "conformances", "testGroups", *ORIGIN)
"""The members of a vector set."""

GROUP = ("tgId", "testType", "direction", "keyLen", "tests", "internalTestType", "algoMode")
"""The members of a group of any algorithm.  The last two are notes of the server."""

TEST = ("tcId", "key", "pt", "ct", "testPassed", "deferred")
"""The members of a test of any algorithm.  ``deferred`` is a note of the server: it computes the answer later."""

SYNONYMS = {"plainText": "pt", "cipherText": "ct"}
"""Members that the examples of the specification call otherwise than its tables."""

GCM_SIV_TAG_BITS = 128

CCM_BLOCK_BYTES = 16

ECMA_NONCE_BYTES = 13

XTS_LEAST_BITS = 128
"""Bits of the shortest data unit of XTS."""

GENERATED = {"ivGen": "nonce", "saltGen": "salt"}
"""The members of a group that say who makes the nonce of a message to seal, and its salt."""


def _parts(value: object) -> tuple[Object | None, Object] | None:
    """The object that precedes a vector set, if there is one, and the vector set."""
    if isinstance(value, Mapping):
        return None, value
    if not isinstance(value, Sequence) or len(value) < 2 or not all(isinstance(part, Mapping) for part in value):
        return None
    if "testGroups" in value[0]:
        return None
    if len(value) > 2:
        raise Unreadable(f"it has {len(value) - 1} vector sets; give each of them in a file of its own")
    return value[0], value[1]


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
    _check(vectors, algorithm)
    known = dict(_answers(answers, vectors)) if answers is not None else {}
    tests = [(group, test) for group in vectors["testGroups"] for test in group["tests"]]
    cases = [_case(algorithm, group, {**_named(test), **known.get(test["tcId"], {})}) for group, test in tests]
    able = [case for case in cases if not case.reason]
    if not cases or able and all(case.input(case.directions[0]) is None for case in able):
        raise Unreadable("it has no questions; give the file with the prompt, and this one with --expected")
    return VectorFile(
        name=name, format="ACVP", algorithm=algorithm, mode=ALGORITHMS[algorithm].mode, cipher="aes", cases=cases, prompt=vectors,
        envelope=envelope,
    )  # fmt: skip


def _named(test: Object) -> dict[str, object]:
    """The members of a test by the names of the tables."""
    return {SYNONYMS.get(name, name): value for name, value in test.items()}


def _check(vectors: Object, algorithm: str) -> None:
    """Raises ``Unreadable`` for a member that the algorithm does not have, and for a number that is not its own."""
    _check_numbers(vectors)
    its = ALGORITHMS[algorithm]
    check_members("the vector set", vectors, SET, algorithm)
    for group in vectors["testGroups"]:
        check_members(f"tgId {group['tgId']}", group, (*GROUP, *its.lengths, *its.group, *its.noted), algorithm)
        for test in group["tests"]:
            check_members(f"tcId {test['tcId']}", _named(test), (*TEST, *its.lengths, *its.test), algorithm)


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
    """The expected results of tests by their numbers.  A file of them may leave out the algorithm."""
    parts, algorithm = _parts(value), vectors["algorithm"]
    if parts is None or parts[1].get("algorithm", algorithm) != algorithm or "testGroups" not in parts[1]:
        raise Unreadable(f"the file with the expected results is not one of {algorithm}")
    found, asked = parts[1].get("vsId"), vectors.get("vsId")
    if found is not None and asked is not None and found != asked:
        raise Unreadable(f"the expected results are those of vector set {found}, and the questions of {asked}")
    try:
        _check(parts[1], algorithm)
    except Unreadable as error:
        raise Unreadable(f"in the expected results, {error}") from None
    for group in parts[1]["testGroups"]:
        for test in group["tests"]:
            yield test["tcId"], _named(test)


class _Encrypts:
    """A test that gives a text, and asks for its ciphertext and tag.  ``text`` is the member with the text."""

    text = "pt"

    def text_bytes(self, plain: bytes | None, sealed: bytes | None, tag_bytes: int) -> int:
        """The bytes of text of a message, of which what the test asks for may be missing."""
        return len(plain) if plain is not None else len(sealed or b"") - tag_bytes

    def answer(self, algorithm: str, told: object, plain: bytes | None) -> tuple[bytes | None, bool | None]:
        """The plaintext, and whether the tag is right, None if that is the question; *told* is what the test says of the tag."""
        return plain, True


class _Decrypts(_Encrypts):
    """A test that gives a ciphertext, and asks for its text, or whether its tag is right."""

    text = "ct"

    def text_bytes(self, plain: bytes | None, sealed: bytes | None, tag_bytes: int) -> int:
        return len(sealed or b"") - tag_bytes

    def answer(self, algorithm: str, told: object, plain: bytes | None) -> tuple[bytes | None, bool | None]:
        if told is False:
            return None, False
        if told is None and (plain is None or algorithm == "ACVP-AES-GMAC"):
            return None, None
        return plain, True


_TESTS = {"encrypt": _Encrypts(), "decrypt": _Decrypts()}


def _case(algorithm: str, group: Object, test: Object) -> Case:
    name, direction = f"tcId {test['tcId']}", group["direction"]
    kind = _TESTS.get(str(direction))
    if kind is None:
        raise Unreadable(f"{name}: direction {direction!r} is neither encrypt nor decrypt")
    lengths = dict(_lengths(name, group, test, ALGORITHMS[algorithm].lengths))
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
        texts, tag_bytes = {"pt": read("pt"), "ct": read("ct")}, 0
        texts[kind.text] = _payload(f"{name}: {kind.text}", texts[kind.text], lengths)
        plain, sealed = texts.values()
        nonce, ad = _tweak(name, group, test, needed), b""
    else:
        tag_bytes = group.get("tagLen", GCM_SIV_TAG_BITS) // 8
        plain, text, tag = read("pt"), read("ct"), read("tag")
        if algorithm == "ACVP-AES-GMAC":
            plain, text = b"", b""
        if ALGORITHMS[algorithm].appended:
            sealed = text
        else:
            sealed = None if text is None or tag is None else text + tag
        nonce, ad = needed("iv"), needed("aad")
        if algorithm == "ACVP-AES-XPN":
            nonce = salted(nonce, needed("salt"), name)
        if algorithm == "ACVP-AES-CCM" and len(nonce) == CCM_BLOCK_BYTES:
            block, nonce = nonce, nonce[1 : 1 + ECMA_NONCE_BYTES]
            if block != _block_0(nonce, ad, kind.text_bytes(plain, sealed, tag_bytes), tag_bytes):
                return Case(name=name, directions=(direction,), reason="its iv is not block B0 of CCM for its lengths")
    plain, valid = kind.answer(algorithm, test.get("testPassed"), plain)
    return Case(
        name=name, directions=(direction,), key=_key(algorithm, test, needed), nonce=nonce, ad=ad, plain=plain, sealed=sealed,
        tag_bytes=tag_bytes, unit_bytes=lengths["dataUnitLen"] // 8 if "dataUnitLen" in lengths else None, valid=valid,
    )  # fmt: skip


def _block_0(nonce: bytes, ad: bytes, text_bytes: int, tag_bytes: int) -> bytes | None:
    """Block B0 of CCM, with which the tag of a message begins; None if its length has no room there.

    Sources: NIST SP 800-38C, A.2.1, and ECMA-368, 18.5.
    """
    length_bytes = CCM_BLOCK_BYTES - 1 - len(nonce)
    flags = (0x40 if ad else 0) | (tag_bytes - 2) // 2 << 3 | length_bytes - 1
    if not 0 <= text_bytes < 1 << 8 * length_bytes:
        return None
    return bytes([flags & 0xFF]) + nonce + text_bytes.to_bytes(length_bytes, "big")


def _lengths(name: str, group: Object, test: Object, members: Sequence[str]) -> Iterator[tuple[str, int]]:
    """The lengths of a test in bits.  Those in the test precede those in its group, which may also be ranges instead of numbers."""
    for member in members:
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
    for member, what in GENERATED.items():
        maker = group.get(member, "external")
        if maker not in ("internal", "external"):
            raise Unreadable(f"tgId {group['tgId']}: {member} {maker!r} is neither internal nor external")
        # The question of a message to open has them, whoever has made them.
        if maker == "internal" and group["direction"] == "encrypt":
            return f"the module under test generates the {what}, and no core of modeloom does"
    if any(length % 8 for length in lengths.values()):
        return NOT_BYTES
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


def response(file: VectorFile, answers: Mapping[str, bytes | None]) -> tuple[object, int]:
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


def _answer(algorithm: str, group: Object, output: bytes | None) -> dict[str, object]:
    if group["direction"] == "decrypt":
        if algorithm == "ACVP-AES-GMAC":
            return {"testPassed": output is not None}
        return {"testPassed": False} if output is None else {"pt": _hex(output)}
    assert output is not None
    if algorithm == "ACVP-AES-XTS" or ALGORITHMS[algorithm].appended:
        return {"ct": _hex(output)}
    at = len(output) - group["tagLen"] // 8
    return {"tag": _hex(output)} if algorithm == "ACVP-AES-GMAC" else {"ct": _hex(output[:at]), "tag": _hex(output[at:])}


def _hex(data: bytes) -> str:
    return data.hex().upper()
