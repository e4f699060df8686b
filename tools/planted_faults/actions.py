# SPDX-License-Identifier: Apache-2.0
"""What a script of traffic does to a simulated core between two runs of its clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ["Action", "forget", "gaps", "in_turn", "key_packet", "nothing", "put"]

Action = Callable[[Any], None]
"""It takes the core, which has a ``simulation`` and a ``runner``."""


def nothing(core: Any) -> None:
    """Leaves the core as it is."""


def forget(core: Any) -> None:
    """Drops the beats that have not been sent."""
    core.runner.forget()


def put(name: str, value: int) -> Action:
    """Sets an input."""
    return lambda core: core.simulation.set(name, value)


def gaps(each: Mapping[str, float]) -> Action:
    """Sets the probabilities of pauses on buses."""
    return lambda core: core.runner.set_gaps(each)


def in_turn(actions: Sequence[Action]) -> Action:
    """Several actions in the same cycle."""

    def act(core: Any) -> None:
        for action in actions:
            action(core)

    return act


def key_packet(data: bytes, slot: int | None, *, erase: bool = False, keep: int | None = None) -> Action:
    """A packet on the bus of keys; ``keep`` is ``tkeep`` of its last beat, and ``slot`` is None if the bus names none."""
    beats = [data[at : at + 16] for at in range(0, len(data), 16)]
    keeps = [(1 << len(beat)) - 1 for beat in beats]
    if keep is not None:
        keeps[-1] = keep
    columns: dict[str, Any] = {
        "s_axis_key_tdata": b"".join(beat.ljust(16, b"\0") for beat in beats),
        "s_axis_key_tkeep": keeps,
        "s_axis_key_tlast": [int(i == len(beats) - 1) for i in range(len(beats))],
        "s_axis_key_tuser": [int(erase)] * len(beats),
        **({} if slot is None else {"s_axis_key_tdest": [slot] * len(beats)}),
    }
    return lambda core: core.runner.feed("s_axis_key", columns) and None
