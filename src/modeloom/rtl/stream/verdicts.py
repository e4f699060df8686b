# SPDX-License-Identifier: Apache-2.0
"""Compares tags, and gives verdicts and statuses in the order of the commands.

::

    entry: tag of the command ────▶ queue ────┐
    pipeline: tag ──▶ [reg] ──────────────────┴──▶ compared ──▶ [reg] ──▶ any byte? ──▶ [reg] ──▶ queue ──▶ status

A tag is compared as a whole, in the same number of cycles for every value.  The result is one bit, which is the verdict.  A core that only
seals messages, in one pass, compares nothing.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.table import by_member
from modeloom.rtl.bus.ports import ErasedComponent, erased, fields_layout, signals
from modeloom.rtl.stream.delivery import Statuses
from modeloom.rtl.stream.parameters import CODE_BITS, MessageParameters
from modeloom.rtl.stream.storage import Queue
from modeloom.rtl.stream.tags import tag_sum

__all__ = ["VerdictQueue", "status_layout"]


COMPARED_BITS = 3
"""Bits of two tags that a LUT of six inputs compares."""


def status_layout(parameters: MessageParameters) -> StructLayout:
    """The layout of a status, bit 0 first."""
    return fields_layout(by_member(parameters.interfaces, "status"))


class VerdictQueue(ErasedComponent[MessageParameters]):
    """Compares tags and gives statuses.  The entry gives credits, so that it never overflows.

    Members
    -------
    verdict, verdict_valid : In
        The last token of a message enters the pipeline.
    tag, tag_valid : In
        The tag, which the pipeline gives ``MessageParameters.tag_stage`` cycles later.
    delivered : 1
        The host has taken the last beat of a packet of text.
    status : stream of status_layout
        To the host; the payload is zero while not valid.
    taken : 2
        So many statuses, and messages of which nothing is told, have made place.
    judged, right : 1, 1
        With ``hold`` only: the verdict on a message to be opened that has text.
    dropped : 1
        With ``hold`` only: its text has been dropped.
    decided, final : 1, final_layout
        In wire form only: the verdict on a message, and how its packet ends.
    finished : 1
        A message has left the pipeline; nothing of its key is used any more.
    finished_slot : slot
        With several channels only: its key slot.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p = parameters
        return {
            **p.delivery.verdict_ports(),
            "verdict": In(p.verdict), "verdict_valid": In(1), "tag": In(p.block_bits), "tag_valid": In(1), "delivered": In(1),
            "status": Out(stream.Signature(status_layout(p))), "taken": Out(2), "finished": Out(1),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        """Makes the queue of expected tags, the comparison in four cycles, and the queue of statuses."""
        m = Module()
        p = self.parameters
        # In a small core, what does not depend on the verdict waits for it in a memory, and not in registers on the way.
        apart = p.plan.cadence is not None
        fields = {"tag": p.block_bits, "id": 16}
        entry_layout = StructLayout({**({} if apart else fields), "code": CODE_BITS, "packet": 1, **p.delivery.kept})
        # The entry registers verdicts.  If tags come late, the one that is expected comes from elsewhere.
        m.submodules.expected = expected = Queue(p.verdict, p.tag_depth, p.erase_bits, masked=p.late_tag)
        # All that a status is made of is in registers which a reset clears.
        m.submodules.statuses = statuses = Queue(entry_layout, p.tag_depth, p.erase_bits, masked=False)
        m.submodules.out = out = p.pace.slice(m, status_layout(p), self)

        tag_reg = Signal(p.block_bits, reset_less=True)
        tag_valid_reg = Signal()
        want = expected.o.payload
        keep, shown = signals("keep shown", p.block_bytes)
        given_reg = Signal(p.block_bits, reset_less=not apart)
        compared_reg, summed_reg, decided_reg = signals("compared_reg summed_reg decided_reg")
        wanted_reg, sums_reg, decision_reg = signals("wanted_reg sums_reg decision_reg", p.verdict)
        m.d.comb += [
            expected.i.valid.eq(self.verdict_valid), expected.i.payload.eq(self.verdict),
            expected.o.ready.eq(tag_valid_reg),
            keep.eq(Cat(self._longer(m, want.tag_bytes))),
            # The tag of a sealed message goes out, but the computed tag of a message to be opened never does.
            shown.eq(keep & (~want.decrypt & ~want.code.any()).replicate(p.block_bytes)),
        ]  # fmt: skip
        m.d.sync += [
            tag_reg.eq(Mux(self.tag_valid, self.tag, 0) if tag_sum(p.plan, p.contexts) else self.tag), tag_valid_reg.eq(self.tag_valid),
            # As multiplexers with 0, these take the resets of the registers, and no LUTs.
            *(given_reg.word_select(at, 8).eq(Mux(shown[at], tag_reg.word_select(at, 8), 0)) for at in range(p.block_bytes) if p.encrypt),
            compared_reg.eq(tag_valid_reg), wanted_reg.eq(want),
            summed_reg.eq(compared_reg), sums_reg.eq(wanted_reg),
            decided_reg.eq(summed_reg), decision_reg.eq(sums_reg),
        ]  # fmt: skip
        code = Signal(CODE_BITS)
        pop = Signal()
        m.d.comb += code.eq(decision_reg.code)
        if p.compares:
            # The verdict is the only bit that depends on secrets and on which control depends.
            wrong_reg = self._compare(m, tag_reg, want, keep)
            with m.If(wrong_reg & ~decision_reg.code.any()):
                m.d.comb += code.eq(MessageCode.WRONG_TAG)
        m.d.comb += [
            statuses.i.valid.eq(decided_reg & ~decision_reg.empty),
            statuses.i.payload.code.eq(code), statuses.i.payload.packet.eq(decision_reg.packet),
            self.finished.eq(tag_valid_reg & ~want.empty),
        ]  # fmt: skip
        head = tag = statuses.o.payload
        collected_reg = Signal(p.block_bits, reset_less=True)
        passed_reg = Signal(p.block_bits)
        m.d.sync += [collected_reg.eq(given_reg), passed_reg.eq(collected_reg)]
        if apart:
            m.submodules.tags = tags = Queue(StructLayout(fields), p.tag_depth, p.erase_bits, masked=False)
            tag = tags.o.payload
            m.d.comb += [
                tags.i.valid.eq(compared_reg & ~wanted_reg.empty), tags.i.payload.id.eq(wanted_reg.id),
                tags.i.payload.tag.eq(given_reg), tags.o.ready.eq(pop), *erased(self, tags),
            ]
        else:
            m.d.comb += [statuses.i.payload.tag.eq(passed_reg), statuses.i.payload.id.eq(decision_reg.id)]
        may, status_may_leave = signals("may status_may_leave")
        s = Statuses(self, statuses, out, decided_reg, decision_reg, code, pop, may, want, passed_reg)
        p.delivery.end(m, s)
        m.d.comb += [
            status_may_leave.eq(statuses.o.valid & may),
            out.i.valid.eq(status_may_leave), statuses.o.ready.eq(out.i.ready & may),
            pop.eq(statuses.o.valid & statuses.o.ready),
            out.i.payload.tag.eq(tag.tag), out.i.payload.id.eq(tag.id), out.i.payload.code.eq(head.code),
            self.taken.eq(pop + (decided_reg & decision_reg.empty)),
            self.status.valid.eq(out.o.valid), out.o.ready.eq(self.status.ready),
            Value.cast(self.status.payload).eq(Value.cast(out.o.payload) & out.o.valid.replicate(len(Value.cast(out.o.payload)))),
            *erased(self, expected, statuses),
        ]  # fmt: skip
        p.delivery.order(m, s)
        return m

    def _compare(self, m: Module, tag: Signal, want: Any, keep: Signal) -> Signal:
        """A register that says three cycles later whether a tag to compare is wrong in a byte that counts."""
        p = self.parameters
        # Some bits of a byte each, so that a LUT has both tags and the register the mask.
        groups = [(byte, at, min(at + COMPARED_BITS, 8)) for byte in range(p.block_bytes) for at in range(0, 8, COMPARED_BITS)]
        together = 2 * len(groups) // p.block_bytes
        compared = Signal(p.block_bytes)
        different_reg = Signal(len(groups), reset_less=True)
        parts_reg = Signal(len(groups) // together, reset_less=True)
        wrong_reg = Signal()
        m.d.comb += compared.eq(keep & want.decrypt.replicate(p.block_bytes))
        m.d.sync += [
            *(
                different_reg[n].eq(Mux(
                    compared[byte], (tag.word_select(byte, 8)[first:end] != want.tag.word_select(byte, 8)[first:end]), 0
                )) for n, (byte, first, end) in enumerate(groups)
            ),
            parts_reg.eq(Cat(different_reg[at : at + together].any() for at in range(0, len(groups), together))),
            wrong_reg.eq(parts_reg.any()),
        ]  # fmt: skip
        return wrong_reg

    def _longer(self, m: Module, tag_bytes: Value) -> list[Value]:
        """For each byte of a tag, whether a tag of an allowed length has it.  The verdict on another length is that it is wrong."""
        p = self.parameters
        lengths = sorted(p.plan.mode.tag_bytes)
        longer: dict[int, Signal] = {}
        result: list[Value] = []
        for at in range(p.block_bytes):
            below = max((length for length in lengths if length <= at), default=0)
            if below not in longer:
                longer[below] = Signal(name=f"longer_than_{below}")
                m.d.comb += longer[below].eq(tag_bytes > below)
            result.append(longer[below])
        return result
