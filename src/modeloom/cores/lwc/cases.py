# SPDX-License-Identifier: Apache-2.0
"""The messages and faults of the bench for a test in the user's own flow.

A case is a message: its words on PDI are sent, its key goes to SDI, and what comes back are the words of DO.  Its status is its last word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from modeloom.compiler.streams import CompiledStream
from modeloom.cores.lwc.bench import bench_limit
from modeloom.cores.lwc.vectors import LwcItem, lwc_all, lwc_vectors
from modeloom.product.cases import Case, Cases
from modeloom.product.lwc import LwcDescription
from modeloom.product.points import POINTS, length_point
from modeloom.protocol.segments import WordForm, words_in

__all__ = ["lwc_cases"]

FAILED = 1
"""The code of a message whose status is a failure."""


def _points(d: LwcDescription, item: LwcItem, success: bool) -> Iterator[str]:
    """The points of coverage of an item."""
    message = item.message
    if message is None:
        yield "answer.no key" if item.sdi else "answer.fault"
        return
    if not item.key:
        yield "answer.before a key"
        return
    yield "answer.success" if success else "answer.wrong tag"
    yield f"direction.{'decrypt' if message.decrypt else 'encrypt'}"
    yield f"nonce.{'usual' if len(message.nonce) == d.nonces[0] else 'other'}"
    yield length_point("associated", len(message.ad), d.beat_bytes)
    yield length_point("text", len(message.data) - d.tag_bytes[0] * message.decrypt, d.beat_bytes)


def _wanted(d: LwcDescription) -> Mapping[str, Sequence[str]]:
    """The points of a core."""
    lengths = [*POINTS["associated"]]
    return {
        "direction": [("encrypt", "decrypt")[way] for way in d.ways], "associated": lengths, "text": lengths,
        "nonce": ["usual", *["other"] * (len(d.nonces) > 1)],
        "answer": [name for name in POINTS["answer"] if name != "wrong tag" or True in d.ways],
    }  # fmt: skip


def _case(d: LwcDescription, item: LwcItem) -> Case:
    *segments, status = words_in(item.do)
    size = d.word_bytes
    success = status == WordForm(size).status(True).words[0]
    keep = (1 << size) - 1
    sent, wanted = ([(word.to_bytes(size, "little"), keep) for word in words] for words in (words_in(item.pdi), segments))
    return Case(
        # A message has no command; the test reads its direction here.
        bytes([item.message is not None and item.message.decrypt]), sent, wanted, 0 if success else FAILED, status.to_bytes(size, "little"),
        key=b"".join(word.to_bytes(size, "little") for word in words_in(item.sdi)), points=tuple(_points(d, item, success)),
    )  # fmt: skip


def lwc_cases(compiled: CompiledStream, d: LwcDescription) -> Cases:
    """A message before any key, and then messages of each direction, new keys, wrong tags and faults."""
    first, *others = (_case(d, item) for item in lwc_all(compiled, d))
    fault = next(case for case in others if "answer.fault" in case.points)
    # Two faults follow each other at the end.
    return Cases((), [first], [*others, fault, fault], bench_limit(d, lwc_vectors(compiled, d)), FAILED, _wanted(d), both=len(d.ways) > 1)
