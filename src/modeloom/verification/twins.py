# SPDX-License-Identifier: Apache-2.0
"""Compares two cores that differ only in keys or data.  Any difference in their later states is a trace of the secrets."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from modeloom.emit.tools import CheckFailed
from modeloom.product.description import Description
from modeloom.product.driven import DrivenCore

__all__ = ["QUIET", "DataBits", "State", "changed", "check_hold", "data_bits", "differences", "hold_cycles", "request", "scatter", "state"]

D = TypeVar("D", bound=Description)

State = dict[str | tuple[str, int], int]
"""Registers by name, and words of memories by name and number."""

QUIET = (
    "m_axis_tvalid", "m_axis_tdata", "m_axis_status_tvalid", "m_axis_status_tdata",
    "s_axis_tready", "s_axis_cmd_tready", "s_axis_key_tready", "key_loaded",
)  # fmt: skip
"""Outputs that are zero during an erasure, from its second cycle on."""


def state(core: DrivenCore[D]) -> State:
    """All registers and words of memories."""
    found: State = {}
    for name, item in core.simulation.objects.items():
        if item.kind == "state":
            found[name] = core.simulation.get(name)
        elif item.kind == "memory":
            found.update({(name, word): core.simulation.get(name, word) for word in range(item.depth)})
    return found


def changed(cores: Sequence[DrivenCore[D]]) -> dict[str, tuple[int, int]]:
    """Registers and words that differ between two cores, by name, with the value in each core."""
    first, second = (state(core) for core in cores)
    return {
        name if isinstance(name, str) else f"{name[0]}[{name[1]}]": (first[name], second[name])
        for name in first if first[name] != second[name]
    }  # fmt: skip


@dataclass(frozen=True)
class DataBits:
    """The bits of a register or a memory that hold data.

    Attributes
    ----------
    mask : int
        The bits of a word.
    words : int
        The words of a memory that can hold data: 0 to ``words`` - 1.  Some memories have more words than anything addresses.
    """

    mask: int
    words: int


def data_bits(cores: Sequence[DrivenCore[D]], known: Mapping[str, DataBits]) -> dict[str, DataBits]:
    """The bits that differ between two cores, and those that are known already, by the name of a register or memory."""
    first, second = (state(core) for core in cores)
    bits = dict(known)
    for key, value in first.items():
        if differs := value ^ second[key]:
            name, word = (key, 0) if isinstance(key, str) else key
            before = bits.get(name, DataBits(0, 0))
            bits[name] = DataBits(before.mask | differs, max(before.words, word + 1))
    return bits


def scatter(core: DrivenCore[D], bits: Mapping[str, DataBits], rng: random.Random) -> None:
    """Gives these bits of registers and words random values.

    If they are bits of data, the core goes on as before, and each word has data that it may have at another time.
    """
    simulation = core.simulation
    for name, data in bits.items():
        memory = simulation.objects[name].kind == "memory"
        for word in range(data.words) if memory else (None,):
            simulation.put(name, simulation.get(name, word) & ~data.mask | rng.getrandbits(data.mask.bit_length()) & data.mask, word)


def differences(cores: Sequence[DrivenCore[D]]) -> list[str]:
    """Names of registers and words that differ between two cores."""
    return list(changed(cores))


def request(core: DrivenCore[D], how: str) -> None:
    """Runs one cycle with ``zeroize`` or a reset ("reset").  The host drops its work in progress."""
    core.runner.forget()
    core.simulation.set("s_axis_tdata", 0)
    # The name of a reset ends with "n" if it is active low.
    reset = core.simulation.reset_port or "aresetn"
    name, active = ("zeroize", 1) if how == "zeroize" else (reset, int(not reset.endswith("n")))
    core.simulation.set(name, active)
    core.runner.run(max_cycles=1)
    core.simulation.set(name, 1 - active)


def hold_cycles(core: DrivenCore[D], limit: int) -> tuple[int, str]:
    """The number of cycles for which ``zeroizing`` is high from now on, at most *limit*, and the first output that was active meanwhile."""
    cycles, loud = 0, ""
    while core.simulation.get("zeroizing") and cycles < limit:
        if cycles and not loud:
            loud = next((name for name in QUIET if core.simulation.get(name)), "")
        core.runner.run(max_cycles=1)
        cycles += 1
    return cycles, loud


def check_hold(core: DrivenCore[D], directory: Path, how: str) -> None:
    """Checks that an erasure that has begun takes ``erase_cycles``, and that all buses are idle.  Raises ``CheckFailed``."""
    stated = core.description.erase_cycles
    # The constructor of a simulated core ends in the last cycle of the reset.  A request ends in its own cycle.
    cycles, loud = hold_cycles(core, 4 * stated + 100)
    if cycles != stated:
        raise CheckFailed(f"{directory}: zeroizing is high for {cycles} cycles after {how}, core.json states {stated}")
    if loud:
        raise CheckFailed(f"{directory}: {loud} is not zero during the erasure by {how}")
