# SPDX-License-Identifier: Apache-2.0
"""The checks of a definition before it is compiled, and before ``modeloom model`` runs it.

::

    attributes ──▶ trace of both directions ──▶ what nothing depends on ──▶ the same on numbers ──▶ inverse
     (spec)          (ir)                        error or warning            and partial blocks     proved, tested, or error
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from modeloom.definition.inverse import ONE_DIRECTION, PROVED, TESTED, check_inverse
from modeloom.definition.replay import differs, replay
from modeloom.definition.software import Model
from modeloom.ir.graph import Trace, reached
from modeloom.ir.lines import told
from modeloom.ir.trace import trace
from modeloom.spec import DefinitionError, InputError, Mode, checked_mode
from modeloom.spec.blame import place_of

__all__ = ["INVERSES", "NOT_CHECKED", "Checked", "check_definition"]

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
    first = len(source.cipher_keys) - len(source.derived)
    done: set[int] = set()
    while keys := {nodes[i].number for i in needed if nodes[i].keyed} - done:
        done |= keys
        needed |= reached(nodes, [i for key in keys if key >= first for i in source.derived[key - first]])
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
    read = _leaves(source, everything, "raw") | {
        source.cipher_keys[source.nodes[i].number] for i in everything if source.nodes[i].keyed
    }
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
