# SPDX-License-Identifier: Apache-2.0
"""When tokens enter: in batches, ahead of their messages, and between tokens that return to the cipher."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from modeloom.compiler.streams import CompiledStream
from modeloom.cycles.messages import ADMITTED_CYCLES, START_CYCLES
from modeloom.interfaces.messages import KEY_CYCLES
from modeloom.layers.control import MessageControl
from modeloom.layers.layer import Layer
from modeloom.layers.texts import Texts
from modeloom.product.json_form import read
from modeloom.product.messages import CadenceFigures, StreamDescription, UnusedCycles
from modeloom.spec.cadence import Cadence
from modeloom.spec.stream import BETWEEN
from modeloom.spec.wording import many

if TYPE_CHECKING:
    from modeloom.layers.stack import Stack

__all__ = ["BatchedControl", "Returning", "StartsAhead"]


class BatchedControl(MessageControl):
    """The message control of a core whose cipher takes a batch of blocks every few cycles, so that tokens wait for their places."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """With ``--cipher-arch multistream``."""
        return compiled.plan.cadence is not None

    def __init__(self, stack: Stack):
        super().__init__(stack)
        plan = self.compiled.plan
        self.cadence = cast(Cadence, plan.cadence)
        self.place, self.wait = -(-self.cadence.interval // self.cadence.blocks), self.cadence.interval
        # Messages fill all places, but a last block of associated data that has the cipher only when it returns also takes the place in
        # which it enters.
        alone = any(uses and 0 not in uses for title, uses in plan.uses.items() if title in plan.placed.returns)
        self.unused = UnusedCycles(message=0, associated=self.place * alone, second=0)

    @property
    def varies(self) -> bool:
        """Messages wait for their places."""
        return True

    def step_cycles(self, title: str) -> int:
        """Those of the places of its tokens, too."""
        plan = self.compiled.plan
        return max(super().step_cycles(title), self.place * max(len(plan.reservations.paced(title)), plan.places_of(title)))

    def turn(self, title: str) -> int:
        """Blocks wait for their chain, and then for a batch."""
        return max(0, self._steady(title) - self.step_cycles(title)) if super().turn(title) else 0

    def _steady(self, *titles: str) -> int:
        """The mean distance of equal messages of these steps, rounded up."""
        messages, cycles = read(CadenceFigures, self.compiled.explain()["cadence"]).steady([[title] for title in titles])
        return -(-cycles // messages)

    @property
    def key_cycles(self) -> int:
        """The places of the tokens of set-up."""
        return KEY_CYCLES - (-self.stack.parameters.token_places * self.cadence.interval // self.cadence.blocks)

    @property
    def between(self) -> int:
        """What it adds to the distance of tags."""
        return max(0, self._steady(BETWEEN, "tag") - self._steady("tag"))

    def texts_of(self, d: StreamDescription, unverified: str) -> Texts:
        """When tokens enter."""
        t, interval, count = super().texts_of(d, unverified), self.cadence.interval, self.cadence.blocks
        goes, places = ("a block goes", "one cycle") if count == 1 else (f"{count} blocks go", f"{count} successive cycles")
        return replace(
            t, rate=f"{many(count, 'block')} every {interval} cycles, ", gap="", average="average ", beat_time="token",
            entry=(
                f"The rate is {d.pace}. A token that uses the cipher waits at the entry until the cipher takes a block. It then goes "
                "through all stages, one each cycle."
            ),
            cadence_theory=(
                f"The cipher is one round, through which {goes} at a time. A counter that runs freely lets tokens that use the cipher "
                f"enter in {places} of every {interval}, whatever messages they belong to. Other tokens enter in any cycle.", "",
            ),
            cadence_rows=([f"blocks that the cipher takes in {interval} cycles", count, "blocks"],),
            beat_notes=(
                f"It depends on the cycle in which the message comes: the message waits up to {d.waits} cycles for the cipher.",
                *t.beat_notes,
            ),
        )  # fmt: skip


class _BesideOthers(Layer):
    """Tokens enter between those of other messages."""

    @property
    def between(self) -> int:
        """It waits for its place, and then the next token does."""
        return self.stack.parameters.program(BETWEEN).cycles + 2 * self.stack.inmost.wait


class Returning(_BesideOthers):
    """Tokens return to the cipher."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """In modes that use the cipher twice for a block, on one cipher."""
        return compiled.plan.returning

    def described(self, d: StreamDescription) -> StreamDescription:
        """The cycles in which no token fits."""
        return replace(d, unused=self.stack.inmost.unused)


class StartsAhead(_BesideOthers):
    """A start runs ahead of its message."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """In modes whose start has the cipher."""
        return compiled.plan.runs_ahead

    @property
    def computed(self) -> int:
        """The stage in which the token of a start has computed the state, from which on its message may come."""
        plan = self.compiled.plan
        stages = [plan.placed.homes[name] for name in plan.started]
        for step in plan.free_starts:
            stages += [plan.placed.ready[step.title][term.source.number] for name in plan.started for term in step.updates[name]
                       if term.source.kind == "op"]
        return max(stages)

    @property
    def begin_cycles(self) -> int:
        """The start waits for its place in a batch, and then the block for its own."""
        return self.stack.parameters.ahead_waits(self.computed + ADMITTED_CYCLES, *self.compiled.options.directions)

    @property
    def lead(self) -> int:
        """Until the start has computed."""
        return START_CYCLES + self.computed

    def described(self, d: StreamDescription) -> StreamDescription:
        """A start takes a place, and holds up no other message."""
        return replace(d, cycles=replace(d.cycles, start=self.stack.inmost.step_cycles(next(self.stack.parameters.starts))))
