# SPDX-License-Identifier: Apache-2.0
"""Cores whose packets have the text before the associated data: every alignment, faults in both parts, distances, and the bench."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from tests.built import slow
from tests.external import needs
from tests.streamed import compiled, folder, simulated

import modeloom_golden as golden
from modeloom.cores.stream import StreamCore
from modeloom.emit import run_bench
from modeloom.interfaces.messages import MessageCode, message_core
from modeloom.product.message import Message
from modeloom.verification.stream.host import StreamSubject
from modeloom.verification.stream.pace import check_pace
from modeloom.verification.stream.statuses import check_messages, check_statuses

FIRST: dict[str, Any] = {"order": "text-first", "key_slots": 2}

ROUND: dict[str, Any] = {**FIRST, "cipher_arch": "multistream"}

CORES: dict[str, tuple[str, dict[str, Any]]] = {
    "deoxys-i": ("deoxys-i", {**ROUND, "streams": 1}),
    "deoxys-i, four streams": ("deoxys-i", {**ROUND, "streams": 4}),
    "deoxys-i, pipeline": ("deoxys-i", {**FIRST, "cipher_stages": 1}),
    "deoxys-i, encryption alone, expanded keys": ("deoxys-i", {**ROUND, "streams": 2, "direction": "encrypt", "keys": "expanded"}),
    "ocb3": ("ocb3", {**ROUND, "streams": 2, "key_bits": 128}),
    "ocb3, pipeline, held": ("ocb3", {**FIRST, "key_bits": 128, "cipher_stages": 1, "hold": 64}),
    "aes-otr": ("aes-otr", {**ROUND, "streams": 2, "key_bits": 128}),
    "aes-otr, pipeline, keys inline": ("aes-otr", {**FIRST, "key_slots": 4, "key_bits": 128, "cipher_stages": 1, "keys": "inline"}),
}

MOST, PART = 64, 5


def alignments(first: int) -> Iterator[tuple[int, int]]:
    """Bytes of associated data, some from *first* on, and of text."""
    return ((ad, text) for ad in range(first, first + PART) for text in range(MOST + 1))


@slow
@pytest.mark.parametrize("first", range(0, MOST + 1, PART))
def test_every_alignment(first: int) -> None:
    """Each length of associated data and of text up to 64 bytes, sealed or opened, with some wrong tags, as the reference has it."""
    mode, options = CORES["deoxys-i"]
    core, rng = simulated(mode, **options), Random(64)
    key = rng.randbytes(16)
    core.load_key(key)
    reference = golden.DeoxysI(key)
    messages, wanted = [], []
    for number, (ad, text) in enumerate(alignments(first)):
        nonce, header, plain = rng.randbytes(8), rng.randbytes(ad), rng.randbytes(text)
        sealed = reference.seal(nonce, plain, header)
        if number % 3 == 0:
            messages.append(Message(nonce, plain, header))
            wanted.append((MessageCode.OK, sealed[:text], sealed[text:]))
        elif number % 3 == 1:
            messages.append(Message(nonce, sealed, header, True))
            wanted.append((MessageCode.OK, plain, b""))
        else:
            wrong = bytearray(sealed)
            wrong[text + number % 16] ^= 1 << number // 16 % 8
            messages.append(Message(nonce, bytes(wrong), header, True))
            wanted.append((MessageCode.WRONG_TAG, plain, b""))
    for at in range(0, len(messages), 500):
        came = core.outcomes(messages[at : at + 500])
        assert [(one.code, one.text, one.tag) for one in came] == wanted[at : at + 500], at


@slow
@pytest.mark.parametrize("core", CORES)
def test_checks(core: str) -> None:
    """Every status, random messages with pauses and faults, and the latencies and distances of ``core.json``."""
    mode, options = CORES[core]
    subject = StreamSubject(folder(mode, **options), optimize=1)
    assert check_statuses(subject)[1]["messages"] > 100
    assert check_messages(subject, 130)[1]["messages"] >= 130
    assert check_pace(subject)[1]["messages"] > 100


@slow
@needs("iverilog")
@pytest.mark.parametrize("core", ["deoxys-i", "ocb3, pipeline, held"])
def test_bench(core: str) -> None:
    """The bench in Icarus Verilog, with the assertions."""
    mode, options = CORES[core]
    assert run_bench(folder(mode, **options))


def test_contract() -> None:
    """``core.json`` has the order; a command has the bytes of text where others have those of associated data."""
    d = StreamCore(compiled("deoxys-i", prove=False, **CORES["deoxys-i"][1])).describe("core", "test")
    assert d.order == "text-first" and d.options["order"] == "text-first" and d.explain.shared == {"auth": "checksum"}
    (command,) = (one.packing for one in d.interfaces if one.name == "s_axis_cmd")
    (usual,) = (one.packing for one in message_core() if one.name == "s_axis_cmd")
    assert command is not None and usual is not None
    assert command.offset("text") == usual.offset("associated") and command.bits == usual.bits
    assert {one.name for one in command.fields} ^ {one.name for one in usual.fields} == {"text", "associated"}
    other = StreamCore(compiled("deoxys-i", prove=False, **{**CORES["deoxys-i"][1], "order": "associated-first"})).describe("core", "test")
    assert other.order is None and "order" not in other.options and other.explain.order is None and other.explain.shared is None


def test_distance() -> None:
    """A message waits for its checksum before its associated data: the tokens of the next text do not enter meanwhile."""
    d = StreamCore(compiled("deoxys-i", prove=False, **CORES["deoxys-i"][1])).describe("core", "test")
    assert d.cadence is not None
    between = d.cadence.steps["between"]
    assert between.cycles == between.ciphers[0] + 1 and d.tokens.tag == 2
    without = d.cycles_of(0, 16)
    # Text, two intervals until the checksum is enciphered, and the tag; a block of associated data takes another one.
    assert without == 4 * d.cadence.interval and d.cycles_of(16, 16) == without + d.cadence.interval
