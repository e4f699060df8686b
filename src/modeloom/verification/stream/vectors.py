# SPDX-License-Identifier: Apache-2.0
"""Runs the published vectors of the mode on the core, as far as its keys, nonces, tags and directions allow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from modeloom import vectors
from modeloom.definition.messages import derived_key_of
from modeloom.emit.tools import CheckFailed
from modeloom.interfaces.messages import MessageCode
from modeloom.product.message import Message
from modeloom.product.messages import StreamDescription
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.verification.stream.subject import StreamSubject

__all__ = ["check_vectors", "fitting", "run_vectors"]

Test = dict[str, Any]


def fitting(d: StreamDescription) -> list[Test]:
    """The published vectors for the mode, the cipher, and the lengths of a core."""
    return [
        test for test in vectors.for_mode(d.mode, d.cipher)
        if len(test["key"]) // 2 in d.user_key_lengths and len(test["nonce"]) // 2 in d.nonces and len(test["tag"]) // 2 in d.tag_bytes
    ]  # fmt: skip


def run_vectors(core: SimulatedStreamCore, tests: list[Test], folder: str | Path = "") -> int:
    """Runs vectors in all directions of a core, and returns the number of messages.

    It loads as many keys at a time as the core has slots.  A definition in a file is looked for from *folder* on.

    Raises
    ------
    CheckFailed
        For the first message that differs.
    """
    d, count = core.description, 0
    slots = d.key_slots if d.inline else min(d.key_slots, 64)
    keys = list(dict.fromkeys(test["key"] for test in tests))
    for at in range(0, len(keys), slots):
        group = {key: slot for slot, key in enumerate(keys[at : at + slots])}
        for key, slot in group.items():
            if not d.inline:
                core.load_key(bytes.fromhex(key), slot)
        chosen = [test for test in tests if test["key"] in group]
        jobs: list[Message] = []
        wanted: list[tuple[Test, MessageCode, bytes | None]] = []
        for test in chosen:
            nonce, ad, plain, text, tag = (bytes.fromhex(test.get(name) or "") for name in ("nonce", "aad", "pt", "ct", "tag"))
            slot, key = (0, bytes.fromhex(test["key"])) if d.inline else (group[test["key"]], None)
            if d.derives and key is not None:
                key = derived_key_of(d.definition, folder, d.cipher, key, nonce)
            valid = test["result"] == "valid"
            for way in (way for way in d.ways if (valid or way == 1) and d.fits(way, len(ad), len(text))):
                given, out = (text, plain) if way == 1 else (plain, text)
                jobs.append(Message(nonce, given + (tag if way else b""), ad, way, slot, len(tag), key))
                result = out[: d.text_of(way, len(out))] + (b"" if way else tag)
                wanted.append((test, MessageCode.OK if valid else MessageCode.WRONG_TAG, result if valid else None))
        for outcome, job, (test, code, data) in zip(core.outcomes(jobs), jobs, wanted, strict=True):
            if outcome.code != code or (data is not None and outcome.text + outcome.tag != data):
                does = "open" if job.decrypt == 1 else "seal"
                raise CheckFailed(f"vector {test['tcId']} fails to {does}: {test.get('comment', '')}".rstrip(": "))
        count += len(jobs)
    return count


def check_vectors(subject: StreamSubject) -> tuple[str, dict[str, Any]]:
    """Runs the vectors that fit the core.  If there are none, the result says so."""
    tests = fitting(subject.description)
    if not tests:
        return "no published vector fits this core", {"vectors": 0}
    invalid = sum(test["result"] != "valid" for test in tests)
    try:
        messages = run_vectors(subject.core(), tests, subject.directory)
    except CheckFailed as error:
        raise CheckFailed(f"{subject.directory}: {error}") from error
    text = f"{len(tests)} published ones fit this core and pass, {invalid} of them with tags that must be refused"
    return text, {"vectors": len(tests), "invalid": invalid, "messages": messages}
