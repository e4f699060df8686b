# SPDX-License-Identifier: Apache-2.0
"""The number of cycles that a key schedule takes from one key to the next, as measured in simulated hardware.

::

    start ──▶ round keys ... ──▶ done ──▶ next start
      └──────── expansion_cycles ───────────┘
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from amaranth.sim import Simulator, SimulatorContext

from modeloom.ciphers.description import BlockCipher
from modeloom.spec.errors import DefinitionError

__all__ = ["expansion_cycles"]

MOST_CYCLES = 5000
"""The number of cycles after which a key schedule counts as hanging."""


def expansion_cycles(cipher: BlockCipher, key_sizes: Sequence[int], iterative: bool = False) -> int:
    """The number of cycles from one start to the next, for the longest of some sizes of keys.

    It is measured with a key of zeros, since all keys take the same number.

    Raises
    ------
    DefinitionError
        If the key schedule does not end.
    """
    return _measured(cipher, tuple(key_sizes), iterative)


@lru_cache(maxsize=32)
def _measured(cipher: BlockCipher, key_sizes: tuple[int, ...], iterative: bool) -> int:
    schedule = cipher.expander(key_sizes, iterative)
    simulator = Simulator(schedule)
    simulator.add_clock(1e-6)
    found: list[int] = []

    async def bench(context: SimulatorContext) -> None:
        if len(key_sizes) > 1:
            context.set(schedule.length, cipher.longest(key_sizes))
        context.set(schedule.start, 1)
        await context.tick()
        context.set(schedule.start, 0)
        for cycle in range(1, MOST_CYCLES):
            if context.get(schedule.done):
                found.append(cycle + 1)
                return
            await context.tick()

    simulator.add_testbench(bench)
    simulator.run()
    if not found:
        raise DefinitionError(f"{cipher.name}: the key schedule is not done after {MOST_CYCLES} cycles")
    return found[0]
