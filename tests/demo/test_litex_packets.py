# SPDX-License-Identifier: Apache-2.0
"""The packets that the DMA of the LiteX example makes of messages in memory, in the simulator of Migen."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from tests.demo.litex_example import DEMO, modules


@dataclass
class Beats:
    """What a bench has seen: beats of the core, and words for the writer."""

    sent: list[tuple[int, int, int]] = field(default_factory=list)
    written: list[int] = field(default_factory=list)


def packets_of(width, folder=DEMO):
    """The unit, and the streams of a core of which it has nothing else."""
    from litex.soc.interconnect import stream

    fields = [("data", width), ("keep", width // 8)]
    core = SimpleNamespace(sink=stream.Endpoint(fields), source=stream.Endpoint([*fields, ("user", 1)]))
    with modules(folder, "modeloom_packets") as packets:
        return core, packets.MessagePackets(core, width)


def expected(first, second, width):
    """Words in memory, and beats with the bytes of their data, of a message."""
    size = width // 8
    header = len(first).to_bytes(4, "little") + len(second).to_bytes(4, "little")
    words, beats = [header[at : at + size] for at in range(0, 8, size)], []
    for part in (first, second):
        for at in range(0, len(part), size):
            data = part[at : at + size]
            words.append(data.ljust(size, b"\xee"))
            beats.append([data, 2 ** len(data) - 1, 0])
    if not beats:
        beats.append([b"", 0, 0])
    beats[-1][2] = 1
    return words, beats


def simulate(width, words, results, ready, folder=DEMO):
    """Sends words, gives the beats; and sends beats of results, gives the words.  Each side waits at random."""
    from migen import run_simulation

    core, unit = packets_of(width, folder)
    seen, generator = Beats(), random.Random(width)
    done, ended = [False, False], [False]

    def source(endpoint, items, put, which):
        for item in items:
            while generator.random() > ready:
                yield
            yield from put(endpoint, item)
            yield endpoint.valid.eq(1)
            yield
            while not (yield endpoint.ready):
                if ended[0]:
                    return
                yield
            yield endpoint.valid.eq(0)
        done[which] = True

    def word(endpoint, item):
        yield endpoint.data.eq(int.from_bytes(item, "little"))

    def beat(endpoint, item):
        yield endpoint.data.eq(int.from_bytes(item[0], "little"))
        yield endpoint.keep.eq(item[1])
        yield endpoint.last.eq(item[2])

    def drain():
        """Watches both outputs until some cycles after the last input.  With a fault, an input may wait without end."""
        left = 50
        for _ in range(20 * (len(words) + len(results)) + 100):
            if not left:
                return
            for endpoint in (core.sink, unit.source):
                yield endpoint.ready.eq(generator.random() < ready)
            yield
            if (yield core.sink.valid) and (yield core.sink.ready):
                seen.sent.append(((yield core.sink.data), (yield core.sink.keep), (yield core.sink.last)))
            if (yield unit.source.valid) and (yield unit.source.ready):
                seen.written.append((yield unit.source.data))
            left -= done[0] and done[1]
        ended[0] = True

    run_simulation(unit, [source(unit.sink, words, word, 0), source(core.source, results, beat, 1), drain()])
    return seen


def lengths_around(width):
    """Pairs of lengths around whole words, with none."""
    size = width // 8
    return [(first, second) for first in range(size + 2) for second in (*range(size + 2), 3 * size, 3 * size + 1)]


def messages_around(width, generator):
    """Words in memory and beats of messages of all these lengths, back to back."""
    words, beats = [], []
    for first, second in lengths_around(width):
        more, wanted = expected(generator.randbytes(first), generator.randbytes(second), width)
        words += more
        beats += wanted
    return words, beats


def is_right(sent, beats):
    """Whether every byte was sent once and in order, with its keep and its end, and no byte behind a part."""
    return len(sent) == len(beats) and all(
        (keep, last) == (wanted_keep, wanted_last) and data & (1 << 8 * len(wanted)) - 1 == int.from_bytes(wanted, "little")
        for (data, keep, last), (wanted, wanted_keep, wanted_last) in zip(sent, beats)
    )


@pytest.mark.parametrize("ready", [1.0, 0.5])
@pytest.mark.parametrize("width", [32, 64])
def test_beats_of_messages(width, ready):
    words, beats = messages_around(width, random.Random(3))
    assert is_right(simulate(width, words, [], ready).sent, beats)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("keep[byte].eq(left > byte)", "keep[byte].eq(left >= byte)"), ("ends.eq(left <= size)", "ends.eq(left < size)"),
        ("last.eq(ends & (~in_first | (second == 0)))", "last.eq(ends)"), ("last.eq(ends & (~in_first", "last.eq(ends & (in_first"),
        ("packet.valid.eq(1), packet.last.eq(1)", "packet.valid.eq(1)"), ("in_first.eq(first != 0)", "in_first.eq(0)"),
    ],
)  # fmt: skip
def test_faults_of_beats(tmp_path, old, new):
    """What is replaced in the file of the example, and the same messages, which then come out in another way."""
    text = (DEMO / "modeloom_packets.py").read_text()
    assert text.count(old) == 1
    (tmp_path / "modeloom_packets.py").write_text(text.replace(old, new))
    words, beats = messages_around(32, random.Random(3))
    assert not is_right(simulate(32, words, [], 1.0, tmp_path).sent, beats)


@pytest.mark.parametrize("ready", [1.0, 0.5])
def test_results_are_words(ready):
    """Beats of results become words in order; a beat without bytes, which ends text that was cut off, becomes none."""
    results = [(b"abcd", 15, 0), (b"ef", 3, 1), (b"ghij", 15, 0), (b"", 0, 1), (b"k", 1, 1)]
    seen = simulate(32, [], results, ready)
    assert [word.to_bytes(4, "little") for word in seen.written] == [b"abcd", b"ef\0\0", b"ghij", b"k\0\0\0"]
