# SPDX-License-Identifier: Apache-2.0
"""Where the units and the state of a pipeline stand, and the tokens of each step: what ``streams.place`` finds."""

from __future__ import annotations

from dataclasses import dataclass, field

from modeloom.spec.cadence import Cadence
from modeloom.streams.steps import Step

__all__ = ["Pass", "Placement"]


@dataclass(frozen=True)
class Pass:
    """A token of a step.

    Attributes
    ----------
    at : int
        Cycles after the first token of the step.
    operations : tuple of int
        The operations of the step that this token does.
    """

    at: int
    operations: tuple[int, ...]


@dataclass
class Placement:
    """The pipeline of a stream mode.

    Attributes
    ----------
    stages : dict
        The stage at which each unit takes its operands.
    latencies : dict
        The latency of each unit in cycles.
    homes : dict
        The home stage of each part of the state.
    passes : dict
        The tokens of each step, by the title of the step.
    ready : dict
        For each step, the stage at which each of its operations has its result, counted from the first token.
    outputs : dict
        For each step with text or a tag, the stage at which this output is ready, counted from the last token.
    ahead : dict
        Cycles from the first token of a ``start`` to the first block of the message, by its title.
    depth : int
        Number of stages of the pipeline.
    units : dict
        For each step, the unit of each of its operations; "" for wires and adders.
    written : dict
        For each chain through the cipher, the stage in which it gets its new value, counted from the last token of a block.
    turn : int
        Cycles from the last token of a block that writes such a chain to the first token of the next step of its message.
    runs_ahead : bool
        Whether ``start`` runs ahead.
    started : tuple of str
        The parts of the state that then wait in a memory: those that depend on the nonce.
    follows : bool
        Whether the token of ``tag`` enters later than the last block, and other tokens before it.
    cadence : Cadence or None
        The cycles in which tokens that use the cipher enter; None if they may enter in every cycle.
    returns : dict
        For each step whose token returns to the cipher, the number of cycles after its entry at which it begins each of its operations.
    """

    stages: dict[str, int]
    latencies: dict[str, int]
    homes: dict[str, int]
    passes: dict[str, tuple[Pass, ...]] = field(default_factory=dict)
    ready: dict[str, tuple[int, ...]] = field(default_factory=dict)
    outputs: dict[str, int] = field(default_factory=dict)
    ahead: dict[str, int] = field(default_factory=dict)
    depth: int = 0
    units: dict[str, tuple[str, ...]] = field(default_factory=dict)
    written: dict[str, int] = field(default_factory=dict)
    turn: int = 1
    runs_ahead: bool = False
    started: tuple[str, ...] = ()
    follows: bool = False
    cadence: Cadence | None = None
    returns: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def later(self, title: str, operation: int) -> int:
        """The number of cycles by which an operation of a step begins later than when its token first comes by its unit."""
        return self.returns[title][operation] if title in self.returns else 0

    def uses(self, step: Step) -> tuple[int, ...]:
        """The cycles after the entry of a step's token in which it takes the cipher, counted from the first possible one."""
        keyed = {number for number, one in enumerate(step.operations) if one.operation.keyed}
        if step.name not in self.returns:
            return tuple(each.at for each in self.passes[step.title] if keyed & set(each.operations))
        return tuple(sorted({self.later(step.title, number) for number in keyed}))

    def cipher_tokens(self, step: Step) -> tuple[int, ...]:
        """For each token of a step that uses the cipher, the number of cycles after the first token."""
        return tuple(
            each.at for each in self.passes[step.title] if any(step.operations[n].operation.keyed for n in each.operations)
        )
