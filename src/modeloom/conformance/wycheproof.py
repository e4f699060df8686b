# SPDX-License-Identifier: Apache-2.0
"""Reads Wycheproof's JSON: AEAD, MAC (GMAC) and XTS tests in groups, each with result "valid", "invalid" or "acceptable"."""

from __future__ import annotations

from collections.abc import Iterator

from modeloom.conformance.case import (
    DIRECTIONS,
    ORIGIN,
    TWEAK_BYTES,
    Case,
    Object,
    Unreadable,
    VectorFile,
    check_members,
    hex_bytes,
)

__all__ = ["ALGORITHMS", "read_wycheproof"]

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
