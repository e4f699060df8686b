# SPDX-License-Identifier: Apache-2.0
"""What the entry knows of the message under way, or of that of each channel, and the order in which their states are overwritten.

::

    one channel:      registers
    several:          token ──▶ context ──▶ words ──▶ now ──▶ next ──▶ words
                      overwriting: context 0, 1, 2, ... ─▲
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib.data import StructLayout

from modeloom.rtl.stream.channel_words import ChannelFlags

__all__ = ["ContextWords", "MessageProgress"]


class _Parts:
    """Whether no message is under way, the next chain of the hash, chains that the message has written, and whether it has a packet."""

    def __init__(self, between: Any, chain: Any, hashed: Any, packet: Any):
        self.between, self.chain, self.hashed, self.packet = between, chain, hashed, packet


class MessageProgress:
    """Of one channel: registers.

    Parameters
    ----------
    chains : int
        Chains of a lane.

    Attributes
    ----------
    now, next : parts
        What they are, and where their next values are assigned, in ``domain``.
    idle : Value
        Whether tokens that overwrite may go.
    """

    domain = "sync"

    def __init__(self, chains: int):
        self.chains = chains
        self.now = self.next = _Parts(
            Signal(init=1, name="between_reg"), Signal(range(max(2, chains)), name="chain_reg"),
            Signal(range(chains + 1), name="hashed_reg"), Signal(name="packet_reg"),
        )  # fmt: skip
        self.idle: Value = self.now.between

    def overwrite(self, m: Module, entry: Any, enough: int, counted: Value, still: Value) -> None:
        """Counts what has been overwritten."""
        scrubbed_reg = Signal(range(self.chains + 2))
        with m.If(~entry.scrub):
            m.d.sync += scrubbed_reg.eq(0)
        with m.Elif(counted & (scrubbed_reg != enough)):
            m.d.sync += scrubbed_reg.eq(scrubbed_reg + 1)
        m.d.comb += entry.scrubbed.eq(scrubbed_reg == enough)


class ContextWords:
    """Of several channels: a word for each context.

    A context is overwritten when it has no message.  One whose message has written all chains holds nothing of an older one.

    Attributes
    ----------
    now, next, idle
        As of :class:`MessageProgress`; ``idle`` is about the context that is to be overwritten.
    """

    domain = "comb"

    def __init__(self, m: Module, entry: Any):
        p = entry.parameters
        self.chains, self.contexts = p.plan.lane_chains, p.contexts
        self.full = self.chains if p.plan.horner is not None else 0
        layout = StructLayout({
            "running": 1, "chain": range(max(2, self.chains)), "hashed": range(self.chains + 1), "packet": 1,
        })  # fmt: skip
        m.submodules.contexts = self.words = words = ChannelFlags(layout.size, p.contexts, 2, p.erase_bits)
        self._now, self.after, self.there = (Signal(layout, name=name) for name in ("context_now", "context_next", "context_to_overwrite"))
        between = Signal(name="between_next")
        self.now = _Parts(~self._now.running, self._now.chain, self._now.hashed, self._now.packet)
        self.next = _Parts(between, self.after.chain, self.after.hashed, self.after.packet)
        self.scrub_context_reg = Signal(p.context_bits)
        self.scrubbed_reg = Signal(range(self.chains + 2))
        self.idle = Signal()
        m.d.comb += [
            words.erase.eq(entry.erase), words.erase_address.eq(entry.erase_address),
            words.raddr[0].eq(entry.token.payload.token.context), words.raddr[1].eq(self.scrub_context_reg),
            Value.cast(self.there).eq(words.rdata[1]),
            self.after.eq(self._now), between.eq(~self._now.running), self.after.running.eq(~between),
        ]  # fmt: skip

    def overwrite(self, m: Module, entry: Any, enough: int, counted: Value, still: Value) -> None:
        """Goes from context to context, while no step is under way."""
        context_reg, scrubbed_reg = self.scrub_context_reg, self.scrubbed_reg
        all_reg, clean = Signal(name="scrubbed_all_reg"), Signal(name="scrubbed_one")
        written = self.there.running & (self.there.hashed == self.full) if self.full else self.there.running
        m.d.comb += [
            clean.eq((scrubbed_reg == enough) | written), entry.scrubbed.eq(all_reg), self.idle.eq(~self.there.running & ~clean),
        ]
        with m.If(~entry.scrub):
            m.d.sync += [context_reg.eq(0), scrubbed_reg.eq(0), all_reg.eq(0)]
        with m.Elif(~all_reg):
            with m.If(clean & still):
                m.d.sync += [scrubbed_reg.eq(0), context_reg.eq(context_reg + 1), all_reg.eq(context_reg == self.contexts - 1)]
            with m.Elif(counted & (self.words.waddr == context_reg)):
                m.d.sync += scrubbed_reg.eq(scrubbed_reg + 1)

    def connect(self, m: Module, entry: Any, false: Value, moves: Value) -> None:
        """The context of what enters in this cycle: a token of a message, or one that overwrites."""
        context = Signal(len(self.scrub_context_reg), name="context_here")
        m.d.comb += [
            context.eq(Mux(false, self.scrub_context_reg, entry.token.payload.token.context)),
            Value.cast(self._now).eq(Mux(false, self.words.rdata[1], self.words.rdata[0])),
            self.words.we.eq(moves), self.words.waddr.eq(context), self.words.wdata.eq(self.after),
            entry.next_context.eq(context),
        ]  # fmt: skip
        m.d.sync += entry.context.eq(context)
