# SPDX-License-Identifier: Apache-2.0
"""The checks of a definition before it is compiled, and before ``modeloom model`` runs it.

::

    attributes ──▶ trace of both directions ──▶ what nothing depends on ──▶ the same on numbers ──▶ inverse
     (spec)          (ir)                        error or warning            and partial blocks     proved, tested, or error
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from modeloom.definition.software import Model, differs, replay
from modeloom.ir.graph import Trace, reached, told
from modeloom.ir.trace import DIRECTIONS, trace
from modeloom.prove.rewrite import prove_inverse
from modeloom.spec import DefinitionError, InputError, Mode, checked_mode
from modeloom.spec.errors import place_of

__all__ = ["INVERSES", "NOT_CHECKED", "ONE_DIRECTION", "PROVED", "TESTED", "Checked", "check_definition", "check_inverse"]

PROVED, TESTED, ONE_DIRECTION = "proved", "tested", "one direction"
"""What ``explain`` says about the inverse."""

# Whether the two directions of a definition are inverse to each other: proved, or tested on numbers.
#
#     a few sectors on numbers ──▶ normal forms ──equal──▶ proved
#                 │                     └──differ, or too large──▶ many sectors on numbers ──▶ tested
#                 └── a sector that does not come back: an error ──────────┘

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


# -- check -------------------------------------------------------------------------------------------------------------------------

NOT_CHECKED = "not checked"
"""Stands for a definition that was compiled without a proof."""

SECTORS = 3
"""Number of sectors on which a definition is compared with its trace.  The first one is all zeros."""

INVERSES = (ONE_DIRECTION, PROVED, TESTED, NOT_CHECKED)
"""What may be said about the inverse.  For several sizes, the last of these that applies counts."""


@dataclass(frozen=True)
class Checked:
    """A definition that passed the checks, for one sector size.

    Attributes
    ----------
    inverse : str
        One of ``INVERSES``.
    warnings : tuple of str
        What is allowed but probably not intended, one line each.
    """

    inverse: str
    warnings: tuple[str, ...]


def check_definition(mode: Mode, nbytes: int, tweak_bytes: int, cipher_key_bytes: int, cipher: str | None = None) -> Checked:
    """Checks a definition for sectors of ``nbytes`` and tweaks of ``tweak_bytes`` bytes, in all directions that it has.

    Parameters
    ----------
    cipher_key_bytes : int
        Bytes of a cipher key.
    cipher : str or None
        The block cipher, if it is not that of the mode.

    Raises
    ------
    DefinitionError
        The definition is wrong.
    """
    mode = checked_mode(mode)
    source = trace(mode, nbytes, tweak_bytes, key_bytes=cipher_key_bytes)
    key_bytes = mode.key_bytes(cipher_key_bytes)
    _check_blocks(mode, source)
    _check_numbers(mode, source, key_bytes, cipher)
    return Checked(check_inverse(mode, source, key_bytes, cipher), tuple(_warnings(mode, source)))


def _dependences(source: Trace, direction: str) -> set[int]:
    """Nodes that the results of a direction depend on, also through the cipher keys that the set-up makes."""
    nodes = source.nodes
    needed = reached(nodes, source.outputs[direction])
    first = source.host_keys
    done: set[int] = set()
    while used := {nodes[i].number for i in needed if nodes[i].keyed} - done:
        done |= used
        needed |= reached(nodes, [i for key in used if key >= first for i in source.derived[key - first]])
    return needed


def _leaves(source: Trace, needed: set[int], kind: str) -> set[object]:
    return {source.nodes[i].args[0] for i in needed if source.nodes[i].kind == kind}


def _check_blocks(mode: Mode, source: Trace) -> None:
    """Raises ``DefinitionError`` if no result of a direction depends on some block of the sector, which then could not be recovered."""
    for direction in source.outputs:
        missing = set(range(source.blocks)) - _leaves(source, _dependences(source, direction), "block")
        if missing:
            raise DefinitionError(
                f"{source.mode}: no result of {direction}() depends on block {min(missing)} of a sector of {source.nbytes} bytes, "
                f"so decryption cannot recover it ({place_of(getattr(mode, direction))})"
            )


def _warnings(mode: Mode, source: Trace) -> list[str]:
    """Tweak blocks and key parts on which nothing depends."""
    found = []
    size = f"with sectors of {source.nbytes} bytes"
    needed = {direction: _dependences(source, direction) for direction in source.outputs}
    for direction, nodes in needed.items():
        missing = sorted(set(range(source.tweak_blocks)) - _leaves(source, nodes, "tweak"))
        if missing:
            what = "the tweak" if len(missing) == source.tweak_blocks else f"block {missing[0]} of the tweak"
            found.append(f"{mode.name}: no result of {direction}() depends on {what}, {size} and tweaks of {source.tweak_bytes}")
    everything = set().union(*needed.values())
    read = _leaves(source, everything, "raw") | {source.cipher_keys[source.nodes[i].number] for i in everything if source.nodes[i].keyed}
    for part in mode.key_parts:
        if part not in read:
            found.append(f"{mode.name}: nothing depends on the part {part} of the key, {size}")
    return found


def _check_numbers(mode: Mode, source: Trace, key_bytes: int, cipher: str | None) -> None:
    """Runs the definition on a few sectors.

    Raises ``DefinitionError`` if its blocks differ from those of its trace, or if the bytes behind a partial block are not zero.
    """
    rng = random.Random(f"numbers {source.mode} {source.nbytes}")
    for number in range(SECTORS):
        key = rng.randbytes(key_bytes)
        tweak, data = (rng.randbytes(length) if number else bytes(length) for length in (source.tweak_bytes, source.nbytes))
        try:
            model = Model(mode, key, cipher)
            results = {direction: model.blocks(direction, tweak, data) for direction in source.outputs}
        except DefinitionError:
            raise
        except InputError:  # a key that the mode refuses
            continue
        for direction, blocks in results.items():
            traced = replay(source, model, direction, tweak, data)
            if blocks != traced:
                first = next(i for i, (got, wanted) in enumerate(zip(blocks, traced)) if got != wanted)
                raise differs(mode, f"block {first}", direction)
            _check_tail(mode, source, direction, blocks[-1])


def _check_tail(mode: Mode, source: Trace, direction: str, last: int) -> None:
    """Raises ``DefinitionError`` if the bytes behind those of a sector are not zero."""
    tail = source.nbytes % source.block_bytes
    if tail and last >> 8 * tail:
        line = trace(mode, source.nbytes, source.tweak_bytes, (direction,)).nodes[source.outputs[direction][-1]].line
        raise DefinitionError(
            f"{mode.name}: the last block of {direction}() has {tail} bytes, but the bytes behind them are not zero; "
            f"{told(line, source.file)} computes it, and o.head(block, {tail}) truncates it"
        )
