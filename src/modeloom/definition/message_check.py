# SPDX-License-Identifier: Apache-2.0
"""The checks of a stream mode before it is compiled, and before ``modeloom.model`` returns the model of a
user's definition.

::

    attributes ──▶ trace of all steps ──▶ the same on numbers ──▶ open inverts seal ──▶ what nothing depends on
     (spec)         (streams)              error                  proved, tested,       warnings
                                                                  or error
"""

from __future__ import annotations

import random

from modeloom.definition.check import Checked
from modeloom.definition.dependence import warnings_of
from modeloom.definition.messages import StreamModel
from modeloom.definition.opened import check_open, models_under
from modeloom.definition.software import differs, replay_step
from modeloom.spec.numbers import Piece
from modeloom.spec.stream import State, StreamMode
from modeloom.streams.known import lengths_in_start
from modeloom.streams.prove_open import parts_of_text
from modeloom.streams.trace import StreamTrace, trace_stream

__all__ = ["check_messages", "checked_inverse", "checked_model"]

TIMES = 3
"""Times that each step runs on numbers.  The first time, all blocks are zeros."""


def check_messages(mode: StreamMode, cipher_key_bytes: int, cipher: str | None = None) -> Checked:
    """Checks a definition in all its steps.

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
    inverse = checked_inverse(mode, cipher_key_bytes, cipher)
    return Checked(inverse, warnings_of(mode, cipher_key_bytes, cipher))


def checked_inverse(mode: StreamMode, cipher_key_bytes: int, cipher: str | None = None) -> str:
    """The same without warnings.  Returns how it is known that opening inverts sealing: "proved" or "tested"."""
    # What a definition computes is a matter of its class.
    key = type(mode), cipher_key_bytes, cipher
    if key not in _CHECKED:
        trace = trace_stream(mode, cipher_key_bytes)
        key_bytes = mode.key_bytes(cipher_key_bytes)
        _check_numbers(mode, trace, key_bytes, cipher)
        _CHECKED[key] = check_open(mode, trace, key_bytes, cipher)
    return _CHECKED[key]


def checked_model(mode: StreamMode, key: bytes, cipher: str | None = None) -> StreamModel:
    """The software model of a mode.  A user's definition is checked first: messages come back."""
    model = StreamModel(mode, key, cipher)
    if not type(mode).__module__.startswith("modeloom.modes."):
        checked_inverse(mode, model.cipher_key_bytes, cipher)
    return model


_CHECKED: dict[tuple[type[StreamMode], int, str | None], str] = {}
"""The results of definitions that passed."""


def _check_numbers(mode: StreamMode, trace: StreamTrace, key_bytes: int, cipher: str | None) -> None:
    """Runs each step on numbers.  Raises ``DefinitionError`` if it gives something else than its trace, which is what a core computes."""
    rng = random.Random(f"numbers {mode.name}")
    model = models_under(mode, key_bytes, cipher, rng)[0]
    _check_messages(model, trace, rng)
    size = mode.block_bytes
    pieces = [(name, part) for part in parts_of_text(mode) for name in (part.step(mode, way) for way in mode.text_steps())]
    for name, part in dict.fromkeys(pieces):
        for number in range(TIMES):
            sizes = [*[size] * (part.blocks - 1), part.nbytes]
            taken = [Piece(rng.randbytes(nbytes) if number else bytes(nbytes), 1 + number) for nbytes in sizes]
            state = {each: rng.getrandbits(8 * size) if number else 0 for each in trace.state}
            o, k = model.keyed
            after, given = model.take(o, k, State(**state), name, tuple(taken) if mode.takes_pair(name) else taken[0])
            _compare(mode, trace, model, name, state, taken, {}, dict(after.items()), tuple(given))


def _check_messages(model: StreamModel, trace: StreamTrace, rng: random.Random) -> None:
    """Compares ``start``, ``tagged``, the steps of associated data, and ``tag``, in messages with every length of nonces and tags."""
    mode, size = model.mode, model.mode.block_bytes
    nonces = [nbytes for lengths in mode.nonce_bytes for nbytes in lengths]
    for number in range(max(len(nonces), len(mode.tag_bytes), 2 * size + 2)):
        nonce, tag_bytes = nonces[number % len(nonces)], mode.tag_bytes[number % len(mode.tag_bytes)]
        ad = rng.randbytes(min(number % (2 * size + 2), mode.most_associated))
        text = rng.randbytes(min(number % 2, mode.most_text_with(nonce)))
        given_nonce, known = rng.randbytes(nonce), rng.randbytes(size)
        steps = list(model.steps("encrypt", given_nonce, text, ad, tag_bytes, known))
        lengths = lengths_in_start(nonce, len(ad), len(text), tag_bytes)
        data = mode.prefix_of(len(ad)) + ad
        blocks = [data[at : at + size] for at in range(0, len(data), size)]
        before: dict[str, int] = {}
        for at, step in enumerate(steps):
            taken = [Piece(given_nonce)] if not at else [Piece(blocks[at - 1], at)] if 0 < at <= len(blocks) else []
            state = {name: int(value) for name, value in step.state.items()}
            if not at or taken or step.step == "tag":
                given = (int.from_bytes(step.given, "little"),) if step.step == "tag" else ()
                _compare(mode, trace, model, step.step, before, taken, lengths, state, given, int.from_bytes(known, "little"))
            before = state


def _compare(
    mode: StreamMode, trace: StreamTrace, model: StreamModel, name: str, state: dict[str, int], taken: list[Piece],
    lengths: dict[str, int], after: dict[str, int], given: tuple[int, ...], tag: int = 0,
) -> None:  # fmt: skip
    step = trace.step(name, mode.nonce_class(taken[0].nbytes) if name == "start" else 0)
    updates, outputs = replay_step(trace, step, model.keyed[0], model.key_blocks, state, taken, lengths, tag)
    if name == "tag":
        updates = after
    if updates == after and outputs == tuple(map(int, given)):
        return
    what = next((f"the state {each}" for each in updates if updates[each] != after.get(each)), "the tag" if name == "tag" else "the text")
    raise differs(mode, what, name)
