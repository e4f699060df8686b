# SPDX-License-Identifier: Apache-2.0
"""The messages of the bench for a test in the user's own flow.

::

    phase of the bench   empty ┃ burst alone lengths wrong ┃ stalls statuses ┃ renewed
    the test             before┃ after                     ┃                 ┃ after, if keys come with messages
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from modeloom.compiler.streams import CompiledStream
from modeloom.cores.bench_text import BenchKey, first_keys
from modeloom.cores.stream.bench import bench_limit
from modeloom.cores.stream.traffic import BenchMessage
from modeloom.cores.stream.vectors import BenchVectors, bench_vectors
from modeloom.interfaces.messages import MessageCode
from modeloom.product.cases import Case, Cases
from modeloom.product.messages import StreamDescription

__all__ = ["message_cases"]



def _field(d: StreamDescription, command: bytes, name: str) -> int:
    """A field of a command."""
    (port,) = next(one for one in d.interfaces if one.member == "cmd").payload
    assert port.packing is not None
    return port.packing.unpack(command)[name]


def _cases(d: StreamDescription, messages: Sequence[BenchMessage], keys: Iterator[BenchKey]) -> Iterator[Case]:
    for message in messages:
        wanted = message.wanted
        comes = d.inline and _field(d, message.command, "new_key")
        yield Case(
            message.command, message.beats, wanted.beats, wanted.code, wanted.tag, message.channel if d.channels > 1 else 0,
            next(keys).key if comes else b"", 0 if d.wire else _field(d, message.command, "associated"),
        )  # fmt: skip


def _after(d: StreamDescription, vectors: BenchVectors) -> Iterator[Case]:
    """Cases with keys.  Keys that come with messages change once more."""
    phases, keys = vectors.phases, iter(vectors.keys)
    yield from _cases(d, vectors.messages[phases["empty"] : phases["wrong"]], keys)
    if d.inline:
        yield from _cases(d, vectors.messages[phases["statuses"] : phases["renewed"]], keys)


def message_cases(compiled: CompiledStream, d: StreamDescription) -> Cases:
    """Messages without a key, and then all lengths and each error that a host can make.  Channels take turns, if there are several."""
    vectors = bench_vectors(compiled, d, any_order=True)
    before = _cases(d, vectors.messages[: vectors.phases["empty"]], iter(()))
    keys = [] if d.inline else first_keys(vectors.keys)
    return Cases(keys, [*before], [*_after(d, vectors)], bench_limit(d, vectors), int(MessageCode.BAD_KEEP), d.channels)
