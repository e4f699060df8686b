# SPDX-License-Identifier: Apache-2.0
"""Programs run on numbers, against references."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.prove.numeric import NumericMachine

from modeloom.allocate.program import Program
from modeloom.compiler.compile import Compiled

SECTORS = 8


def numeric_machine(design: Compiled, key: bytes, *, program: Program | None = None, runs: int = 1) -> NumericMachine:
    """The machine of a design, or of another program in its place, under a whole key of the mode."""
    program, units = program or design.allocation.program, design.units
    key_bytes = design.options.key_bits // 8
    parts = design.mode.split_key(key, (key_bytes,))
    keyed = design.architecture.cipher.software
    return NumericMachine(
        program, design.mode.field, [keyed(parts[name]) for name in design.mode.cipher_keys],
        [parts[word] for word in program.key_words[: program.raw_words]],
        out_delay=units.unit("out").latency, key_delay=units.key_delay, runs=runs, keyed=keyed, key_bytes=key_bytes,
    )  # fmt: skip


def computes(
    design: Compiled, reference: Callable[[bytes], Any], seed: str, *, program: Program | None = None, sectors: int = SECTORS
) -> bool:
    """Whether a program gives what ``reference(key)`` gives, for some sectors of its directions, as close as its interval allows."""
    rng = random.Random(seed)
    key = rng.randbytes(design.mode.key_bytes(design.options.key_bits // 8))
    machine = numeric_machine(design, key, program=program)
    program = machine.program
    directions = [rng.choice(program.directions) for _ in range(sectors)]
    tweaks = [rng.randbytes(program.tweak_bytes) for _ in directions]
    data = [rng.randbytes(program.nbytes) for _ in directions]
    result = machine.run(directions, [n * program.ii for n in range(sectors)], [tweaks], [data])
    plain = reference(key)
    return result.sectors[0] == [getattr(plain, d)(t, x) for d, t, x in zip(directions, tweaks, data, strict=True)]
