# SPDX-License-Identifier: Apache-2.0
"""The messages of the bench for a test in the user's own flow."""

from __future__ import annotations

from modeloom.compiler.streams import CompiledStream
from modeloom.cores.bench_text import first_keys
from modeloom.cores.stream.bench import bench_limit
from modeloom.cores.stream.traffic import BenchMessage
from modeloom.cores.stream.vectors import bench_vectors
from modeloom.product.cases import Case, Cases
from modeloom.product.messages import StreamDescription

__all__ = ["message_cases"]


def _case(message: BenchMessage) -> Case:
    wanted = message.wanted
    return Case(message.command, message.beats, wanted.beats, wanted.code, wanted.tag)


def message_cases(compiled: CompiledStream, d: StreamDescription) -> Cases | None:
    """Messages without a key, and then all lengths and each error that a host can make.

    None if keys come with messages, or if messages of several channels come interleaved: the models of buses have neither.
    """
    if d.inline or d.channels > 1:
        return None
    vectors = bench_vectors(compiled, d)
    begin, end = vectors.phases["empty"], vectors.phases["wrong"]
    cases = [_case(message) for message in vectors.messages[:end]]
    return Cases(first_keys(vectors.keys), cases[:begin], cases[begin:], bench_limit(d, vectors))
