# SPDX-License-Identifier: Apache-2.0
"""The cipher takes a batch of blocks every few cycles, so that tokens wait for their places."""

from __future__ import annotations

from dataclasses import replace

from modeloom.compiler.streams import CompiledStream
from modeloom.layers.layer import Layer
from modeloom.layers.texts import Texts
from modeloom.product.messages import StreamDescription
from modeloom.spec.wording import many

__all__ = ["Batches"]


class Batches(Layer):
    """The cadence of the cipher."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """With ``--cipher-arch multistream``."""
        return compiled.plan.cadence is not None

    @property
    def varies(self) -> bool:
        """Messages wait for their places."""
        return True

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """When tokens enter."""
        cadence = self.compiled.plan.cadence
        assert cadence is not None
        interval, count = cadence.interval, cadence.blocks
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
