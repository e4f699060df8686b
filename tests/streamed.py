# SPDX-License-Identifier: Apache-2.0
"""Cores for messages for the tests: each is emitted once for a whole run, and so is its simulation (``tests/built.py`` has those for
sectors)."""

from __future__ import annotations

import fcntl
import hashlib
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from tests.built import RUN_FOLDER
from tests.streams.chained_modes import ChainFromZero, WideChain
from tests.streams.modes import Deciphering, HashedTwice, Ladder, NoHash, OwnKeys, Padded, WideAEAD, WideTwice
from tests.streams.pair_modes import Braid, Twice

from modeloom.compiler.streams import CompiledStream, StreamOptions, compile_stream
from modeloom.cores.stream import StreamCore
from modeloom.emit import emit
from modeloom.modes import find_any
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.spec.stream import StreamMode

COMMAND = "modeloom build (tests)"

SMALL: dict[str, Any] = {"key_bits": 128, "key_slots": 3, "cipher_stages": 1, "mul_stages": 1}
"""A core of GCM that several files test: three key slots, one register in each round and in the multiplier."""

TINY: dict[str, Any] = {"key_bits": 128, "key_slots": 3, "cipher_arch": "multistream", "streams": 1, "mul_stages": 0}
"""Options of the core that is built in the least time: one block at a time goes through one round of the cipher."""

OWN = {
    mode.name: mode
    for mode in (Braid, ChainFromZero, Deciphering, HashedTwice, Ladder, NoHash, OwnKeys, Padded, Twice, WideAEAD, WideChain, WideTwice)
}
"""Stream modes of the tests' own."""


@lru_cache(maxsize=32)
def compiled(mode: str = "gcm", *, prove: bool = True, **options: Any) -> CompiledStream:
    """A compiled stream mode, of modeloom or of the tests."""
    definition = OWN[mode]() if mode in OWN else find_any(mode)
    assert isinstance(definition, StreamMode)
    return compile_stream(definition, StreamOptions(**options), prove=prove)


def folder(mode: str = "gcm", *, prove: bool = True, **options: Any) -> Path:
    """The folder of an emitted core; tests read it and leave it as it is."""
    run = Path(os.environ[RUN_FOLDER])
    key = hashlib.sha256(repr(("stream", mode, prove, sorted(options.items()))).encode()).hexdigest()[:16]
    path = run / f"core-{key}"
    with (run / f"core-{key}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.is_dir():
            emit(StreamCore(compiled(mode, prove=prove, **options)), path, command=COMMAND)
    return path


def simulated(
    mode: str = "gcm", *, seed: int = 0, gaps: dict[str, float] | None = None, optimize: int = 0, prove: bool = True, **options: Any
) -> SimulatedStreamCore:
    """A simulated core, fresh out of reset; ``optimize`` 0, as building a core takes longer than its few thousand cycles."""
    return SimulatedStreamCore(folder(mode, prove=prove, **options), seed=seed, gaps=gaps, optimize=optimize)
