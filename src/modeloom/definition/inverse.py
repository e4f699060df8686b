# SPDX-License-Identifier: Apache-2.0
"""Whether the two directions of a definition are inverse to each other: proved, or tested on numbers.

::

    a few sectors on numbers ──▶ normal forms ──equal──▶ proved
                │                     └──differ, or too large──▶ many sectors on numbers ──▶ tested
                └── a sector that does not come back: an error ──────────┘
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from modeloom.definition.software import Model
from modeloom.ir.graph import Trace
from modeloom.ir.lines import told
from modeloom.ir.trace import DIRECTIONS, trace
from modeloom.prove.inverse import prove_inverse
from modeloom.spec import DefinitionError, InputError, Mode

__all__ = ["ONE_DIRECTION", "PROVED", "TESTED", "check_inverse"]

PROVED, TESTED, ONE_DIRECTION = "proved", "tested", "one direction"
"""What ``explain`` says about the inverse."""

MOST_BLOCKS = 20_000
"""Total number of blocks in the many sectors.  There are fewer sectors if they are long."""


def check_inverse(mode: Mode, source: Trace, key_bytes: int, cipher: str | None = None) -> str:
    """Returns ``PROVED``, ``TESTED`` or ``ONE_DIRECTION``.

    Parameters
    ----------
    source : Trace
        The trace of the definition, in all its directions.
    key_bytes : int
        Bytes in the whole key of the mode.
    cipher : str or None
        The block cipher, if it is not that of the mode.

    Raises
    ------
    DefinitionError
        One direction does not give back what the other was given; the message names the first block that differs, and its line.
    """
    if len(mode.directions()) == 1:
        return ONE_DIRECTION
    # What is proved of a mode that refuses every key is proved of nothing.
    if not _test(mode, source, cipher, _few(source, key_bytes)) and not _test(mode, source, cipher, _many(source, key_bytes)):
        raise DefinitionError(f"{mode.name}: the mode refused every key that was tried, because o.inverse() got 0")
    if prove_inverse(source) is None:
        return PROVED
    _test(mode, source, cipher, _many(source, key_bytes))
    return TESTED


def _test(mode: Mode, source: Trace, cipher: str | None, sectors: Iterator[tuple[bytes, bytes, bytes]]) -> int:
    """Number of sectors that both orders of the directions recover.

    Raises ``DefinitionError`` for the first that they do not recover.
    """
    models: dict[bytes, Model | None] = {}
    count = 0
    for key, tweak, data in sectors:
        if key not in models:
            models[key] = _model(mode, key, cipher, source.blocks)
        model = models[key]
        if model is None:
            continue
        count += 1
        for first, then in (DIRECTIONS, DIRECTIONS[::-1]):
            back = getattr(model, then)(tweak, getattr(model, first)(tweak, data))
            if back != data:
                raise DefinitionError(_changed(mode, source, first, then, back, data))
    return count


def _model(mode: Mode, key: bytes, cipher: str | None, blocks: int) -> Model | None:
    """The model with a key; None if the mode refuses the key."""
    try:
        model = Model(mode, key, cipher)
        model.set_up(blocks)
        return model
    except DefinitionError:
        raise
    except InputError:
        return None


def _changed(mode: Mode, source: Trace, first: str, then: str, back: bytes, data: bytes) -> str:
    # Traced alone: in a trace of both directions what they share has the lines of the first one.
    source = trace(mode, source.nbytes, source.tweak_bytes, (then,))
    size = source.block_bytes
    block = next(i for i in range(source.blocks) if back[i * size : i * size + size] != data[i * size : i * size + size])
    line = source.nodes[source.outputs[then][block]].line
    return (
        f"{mode.name}: {then} does not invert {first}: block {block} of a sector of {source.nbytes} bytes comes back changed; "
        f"{then} gives it in {told(line, source.file)}"
    )


def _few(source: Trace, key_bytes: int) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Keys, tweaks and sectors that reveal nearly every wrong definition."""
    rng = random.Random(f"{source.mode} {source.nbytes} {source.tweak_bytes}")
    for _ in range(2):
        key = rng.randbytes(key_bytes)
        for tweak in (rng.randbytes(source.tweak_bytes), bytes(source.tweak_bytes)):
            for data in (rng.randbytes(source.nbytes), *_chosen(source, rng)[:2]):
                yield key, tweak, data


def _many(source: Trace, key_bytes: int) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Random and chosen keys, tweaks and sectors in all combinations."""
    rng = random.Random(f"many {source.mode} {source.nbytes} {source.tweak_bytes}")
    count = max(16, MOST_BLOCKS // source.blocks)
    keys = [rng.randbytes(key_bytes) for _ in range(4)] + [bytes(key_bytes), b"\xff" * key_bytes, bytes(i & 255 for i in range(key_bytes))]
    length = source.tweak_bytes
    tweaks = [rng.randbytes(length), bytes(length), b"\xff" * length, bytes([1]).ljust(length, b"\0")[:length], rng.randbytes(length)]
    made = [(key, tweak, data) for key in keys for tweak in tweaks for data in (*_chosen(source, rng), rng.randbytes(source.nbytes))]
    # Of long sectors a sample, in which every key, tweak and kind of sector still occurs.
    yield from rng.sample(made, min(count, len(made)))


def _chosen(source: Trace, rng: random.Random) -> list[bytes]:
    """Sectors in which blocks are 0, all ones, equal, or different in one bit."""
    n, size = source.nbytes, source.block_bytes
    block = rng.randbytes(size)
    half = rng.randbytes(-(-n // 2))
    return [
        bytes(n),
        (block * source.blocks)[:n],
        b"\xff" * n,
        (half + half)[:n],
        bytes([1]).ljust(n, b"\0"),
        bytes(n - 1) + bytes([0x80]),
    ]
