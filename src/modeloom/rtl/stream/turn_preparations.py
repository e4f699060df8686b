# SPDX-License-Identifier: Apache-2.0
"""Several preparations of keys that come with messages, which take keys by turns.

::

    made ──┬─▶ TurnPreparation ──┐      tokens: one of those that ask
           ├─▶ TurnPreparation ──┼──▶   words of the pipeline: by their slot
           └─▶ TurnPreparation ──┘      ready, in the order of the keys

A token of set-up takes as long as the cipher.  While one key waits for its token, other keys are prepared.
"""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Module, Signal
from amaranth.lib.wiring import In

from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.turn_preparation import TurnPreparation

__all__ = ["TurnPreparations"]

ASKED = ("prepare_kind", "prepare_slot")
WRITTEN = ("power_slot", "power_index", "power")


class TurnPreparations(BusComponent[MessageParameters]):
    """As many preparations as the distance of keys needs.

    Members
    -------
    word_slot : slot
        The slot of the word that the pipeline writes.
    others
        Those of :class:`~modeloom.rtl.stream.turn_preparation.TurnPreparation`, without ``mine``.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        own = TurnPreparation.ports(parameters)
        del own["mine"]
        return {**own, "word_slot": In(parameters.slot_bits)}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        parts = [TurnPreparation(p) for _ in range(p.preparations)]
        count = len(parts)
        # The one that takes the next slot, and the one whose slot is the next to be ready.
        next_reg = Signal(range(max(2, count)))
        first_reg = Signal(range(max(2, count)))
        ready = Signal()
        for number, part in enumerate(parts):
            m.submodules[f"preparation_{number}"] = part
            m.d.comb += [
                part.made.payload.eq(self.made.payload), part.made.valid.eq(self.made.valid & (next_reg == number)),
                part.mine.eq(first_reg == number),
                part.word_valid.eq(self.word_valid & (self.word_slot == part.prepare_slot)),
                part.word_index.eq(self.word_index), part.word.eq(self.word),
            ]  # fmt: skip
            if p.base_word is not None:
                m.d.comb += part.base.eq(self.base)
        m.d.comb += [
            self.made.ready.eq(Array(part.made.ready for part in parts)[next_reg]),
            ready.eq(Array(part.ready for part in parts)[first_reg]), self.ready.eq(ready),
            self.turn.eq(Array(part.turn.as_value() for part in parts)[first_reg]),
        ]  # fmt: skip
        for moves, register in ((self.made.valid & self.made.ready, next_reg), (ready, first_reg)):
            with m.If(moves):
                m.d.sync += register.eq(register + 1)
                with m.If(register == count - 1):
                    m.d.sync += register.eq(0)
        self._choose(m, parts, first_reg, "prepare", "prepared", ASKED)
        self._choose(m, parts, first_reg, "power_we", "power_taken", WRITTEN)
        m.d.comb += self.busy.eq(Cat(part.busy for part in parts).any())
        return m

    def _choose(
        self, m: Module, parts: list[TurnPreparation], first: Signal, asks: str, taken: str, members: tuple[str, ...]
    ) -> None:
        """Serves the oldest key of those that ask.  If a younger one went first, the messages of both would wait for the older one."""
        # Those from ``first`` on have older keys than those before it.  The last part is always one of them.
        order = [(part, getattr(part, asks) & (first <= number)) for number, part in enumerate(parts[:-1])]
        order += [(part, getattr(part, asks)) for part in (parts[-1], *parts[:-1])]
        for place, (part, asked) in enumerate(order):
            with m.Elif(asked) if place else m.If(asked):
                m.d.comb += [getattr(self, asks).eq(1), getattr(part, taken).eq(getattr(self, taken))]
                m.d.comb += [getattr(self, name).eq(getattr(part, name)) for name in members]
