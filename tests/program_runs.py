# SPDX-License-Identifier: Apache-2.0
"""Programs run on numbers, against references."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from modeloom.compiler import Compiled
from modeloom.prove.numeric import NumericMachine

SECTORS = 8


def computes(design: Compiled, reference: Callable[[bytes], Any], seed: str) -> bool:
    """Whether a program gives what ``reference(key)`` gives, for some sectors of its directions, as close as its interval allows."""
    program, units = design.allocation.program, design.units
    key_bytes = design.options.key_bits // 8
    rng = random.Random(seed)
    key = rng.randbytes(design.mode.key_bytes(key_bytes))
    parts = design.mode.split_key(key, (key_bytes,))
    machine = NumericMachine(
        program, design.mode.field, design.architecture.cipher.software(parts["cipher"]),
        [parts[word] for word in program.key_words[: program.raw_words]],
        out_delay=units.unit("out").latency, key_delay=units.key_delay,
    )  # fmt: skip
    directions = [rng.choice(program.directions) for _ in range(SECTORS)]
    tweaks = [rng.randbytes(program.tweak_bytes) for _ in directions]
    data = [rng.randbytes(program.nbytes) for _ in directions]
    result = machine.run(directions, [n * program.ii for n in range(SECTORS)], [tweaks], [data])
    plain = reference(key)
    return result.sectors[0] == [getattr(plain, d)(t, x) for d, t, x in zip(directions, tweaks, data, strict=True)]
