# SPDX-License-Identifier: Apache-2.0
"""What the entry knows of the message under way, or of that of each channel, and the order in which their states are overwritten.

::

    one channel:      registers
    several:          token ──▶ context ──▶ words ──▶ now ──▶ next ──▶ words
                      overwriting: context 0, 1, 2, ... ─▲

Of the hash it knows which tokens have products, the chain of the next one, and which chains are empty::

    products   0  1  2  3  0  1 ...    chain, in turn
    fresh      x  x  x  x              until the message has written every chain
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.data import StructLayout, View
from amaranth.lib.wiring import In, Out

from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.sequence import StepSequence
from modeloom.rtl.stream.sizes import TokenStep

__all__ = ["ChannelFlags", "ChannelWords", "HashChains", "MessageProgress", "count_blocks", "progress_of"]


# What is a register in a core with one channel, and a word for each channel in others.
#
#     channel of the next cycle ──▶ words ──[reg]──┬──▶ word of this cycle        ChannelWords
#     word that is written in this cycle ──[reg]───┘
#
#     channel ──▶ words ──▶ word, in the same cycle                               ChannelFlags

class WordsOfChannels(wiring.Component):
    """A word for each channel: zeros at power-up, and after an erasure.

    Parameters
    ----------
    width, channels : int
        Bits of a word, and number of words.
    ports : int
        Read ports.
    erase_bits : int
        Width of ``erase_address``.

    Members
    -------
    raddr, rdata : In, Out
        Read ports.
    we, waddr, wdata : In
        Write port.
    erase, erase_address : In
        While it is held in reset: zeros to this word.
    """

    def __init__(self, width: int, channels: int, ports: int, erase_bits: int):
        self.width, self.channels, self.ports, self.erase_bits = width, channels, ports, erase_bits
        address = range(max(2, channels))
        super().__init__({
            "raddr": In(address).array(ports), "rdata": Out(width).array(ports),
            "we": In(1), "waddr": In(address), "wdata": In(width),
            "erase": In(1), "erase_address": In(erase_bits),
        })  # fmt: skip


class ChannelWords(WordsOfChannels):
    """A word for each channel, read and written in a cycle: an address in cycle u - 1 gives data in cycle u, as they are after all writes
    up to cycle u - 1."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.words = words = BlockMemory(self.width, self.channels, self.ports, erase_bits=self.erase_bits)
        written_reg = Signal(self.width)
        written = Signal(self.width)
        m.d.comb += [
            # An erasure writes what stands here while the core is held in reset.
            written.eq(self.wdata & self.we.replicate(self.width)),
            words.we.eq(self.we), words.waddr.eq(self.waddr), words.wdata.eq(written),
            words.erase.eq(self.erase), words.erase_address.eq(self.erase_address),
        ]  # fmt: skip
        m.d.sync += written_reg.eq(written)
        for port in range(self.ports):
            same_reg = Signal(name=f"same_{port}_reg")
            m.d.comb += [words.raddr[port].eq(self.raddr[port]), self.rdata[port].eq(Mux(same_reg, written_reg, words.rdata[port]))]
            m.d.sync += same_reg.eq(self.we & (self.waddr == self.raddr[port]))
        return m


class ChannelFlags(WordsOfChannels):
    """A few bits for each channel, read in the cycle of the address, as they are after all writes of the cycles before."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        depth = max(2, self.channels)
        m.submodules.words = words = memory.Memory(shape=self.width, depth=depth, init=[], attrs={"ram_style": "distributed"})
        write = words.write_port()
        inside: Value = self.erase_address < depth if 1 << self.erase_bits > depth else Const(1, 1)
        erase_reg = Signal(reset_less=True)
        erase_address_reg = Signal(range(depth), reset_less=True)
        m.d.sync += [erase_reg.eq(self.erase & inside), erase_address_reg.eq(self.erase_address)]
        m.d.comb += [
            write.en.eq(self.we | erase_reg), write.addr.eq(Mux(erase_reg, erase_address_reg, self.waddr)),
            write.data.eq(Mux(erase_reg, 0, self.wdata)),
        ]  # fmt: skip
        for port in range(self.ports):
            read = words.read_port(domain="comb")
            m.d.comb += [read.addr.eq(self.raddr[port]), self.rdata[port].eq(read.data)]
        return m


# -- contexts ----------------------------------------------------------------------------------------------------------------------

class _Parts:
    """Whether no message is under way, the next chain of the hash, chains that the message has written, and whether it has a packet.

    If a step reads the numbers of blocks: beats of associated data, or of text, so far, and whether they are of text.
    """

    def __init__(self, between: Any, chain: Any, hashed: Any, packet: Any, beats: Any, of_text: Any):
        self.between, self.chain, self.hashed, self.packet, self.beats, self.of_text = between, chain, hashed, packet, beats, of_text


class MessageProgress:
    """Of one channel: registers.

    ``now`` is what they are, and ``next`` where their next values are assigned, in ``domain``.  Tokens that overwrite enter if ``idle``.
    """

    domain = "sync"

    def __init__(self, m: Module, entry: wiring.Component):
        self.chains, count_bits = entry.parameters.plan.lane_chains, entry.parameters.count_bits
        self.now = self.next = _Parts(
            Signal(init=1, name="between_reg"), Signal(range(max(2, self.chains)), name="chain_reg"),
            Signal(range(self.chains + 1), name="hashed_reg"), Signal(name="packet_reg"), Signal(count_bits, name="beats_reg"),
            Signal(name="of_text_reg"),
        )  # fmt: skip
        self.idle: Value = self.now.between

    @staticmethod
    def ports(p: MessageParameters) -> dict[str, object]:
        """Further ports of the entry."""
        return {}

    def overwrite(self, m: Module, entry: wiring.Component, enough: int, counted: Value, still: Value) -> None:
        """Counts what has been overwritten."""
        scrubbed_reg = Signal(range(self.chains + 2))
        with m.If(~entry.scrub):
            m.d.sync += scrubbed_reg.eq(0)
        with m.Elif(counted & (scrubbed_reg != enough)):
            m.d.sync += scrubbed_reg.eq(scrubbed_reg + 1)
        m.d.comb += entry.scrubbed.eq(scrubbed_reg == enough)

    def connect(self, m: Module, entry: wiring.Component, sequence: StepSequence, moves: Value) -> None:
        """Connects the context of what enters in this cycle: a token of a message, or one that overwrites."""

    def tell(self, m: Module, entry: wiring.Component, message: View, last: Value) -> None:
        """Tells the channel of the message of a token, which may be the ``last`` one of a packet."""


class ContextWords(MessageProgress):
    """Of several channels: a word for each context.  ``idle`` is about the context that is to be overwritten.

    A context is overwritten when it has no message.  One whose message has written all chains holds nothing of an older one.
    """

    domain = "comb"

    def __init__(self, m: Module, entry: wiring.Component):
        p = entry.parameters
        self.chains, self.contexts = p.plan.lane_chains, p.contexts
        self.full = self.chains if p.plan.horner is not None else 0
        layout = StructLayout({
            "running": 1, "chain": range(max(2, self.chains)), "hashed": range(self.chains + 1), "packet": 1,
            "beats": p.count_bits, "of_text": min(1, p.count_bits),
        })  # fmt: skip
        m.submodules.contexts = self.words = words = ChannelFlags(layout.size, p.contexts, 2, p.erase_bits)
        self._now, self.after = Signal(layout, name="context_now"), Signal(layout, name="context_next")
        self.to_overwrite = Signal(layout, name="context_to_overwrite")
        between = Signal(name="between_next")
        self.now, self.next = (
            _Parts(between, word.chain, word.hashed, word.packet, word.beats, word.of_text)
            for between, word in ((~self._now.running, self._now), (between, self.after))
        )  # fmt: skip
        self.scrub_context_reg = Signal(p.context_bits)
        self.scrubbed_reg = Signal(range(self.chains + 2))
        self.idle = Signal()
        m.d.comb += [
            words.erase.eq(entry.erase), words.erase_address.eq(entry.erase_address),
            words.raddr[0].eq(entry.token.payload.token.context), words.raddr[1].eq(self.scrub_context_reg),
            Value.cast(self.to_overwrite).eq(words.rdata[1]),
            self.after.eq(self._now), between.eq(~self._now.running), self.after.running.eq(~between),
        ]  # fmt: skip

    @staticmethod
    def ports(p: MessageParameters) -> dict[str, object]:
        return {"channel": Out(8), "erase": In(1), "erase_address": In(p.erase_bits)}

    def overwrite(self, m: Module, entry: wiring.Component, enough: int, counted: Value, still: Value) -> None:
        """Goes from context to context, while no step is under way."""
        context_reg, scrubbed_reg = self.scrub_context_reg, self.scrubbed_reg
        all_reg, clean = Signal(name="scrubbed_all_reg"), Signal(name="scrubbed_one")
        written = self.to_overwrite.running & (self.to_overwrite.hashed == self.full) if self.full else self.to_overwrite.running
        m.d.comb += [
            clean.eq((scrubbed_reg == enough) | written), entry.scrubbed.eq(all_reg), self.idle.eq(~self.to_overwrite.running & ~clean),
        ]
        with m.If(~entry.scrub):
            m.d.sync += [context_reg.eq(0), scrubbed_reg.eq(0), all_reg.eq(0)]
        with m.Elif(~all_reg):
            with m.If(clean & still):
                m.d.sync += [scrubbed_reg.eq(0), context_reg.eq(context_reg + 1), all_reg.eq(context_reg == self.contexts - 1)]
            with m.Elif(counted & (self.words.waddr == context_reg)):
                m.d.sync += scrubbed_reg.eq(scrubbed_reg + 1)

    def connect(self, m: Module, entry: wiring.Component, sequence: StepSequence, moves: Value) -> None:
        context, overwrites = Signal(len(self.scrub_context_reg), name="context_here"), sequence.overwrites
        m.d.comb += [
            context.eq(Mux(overwrites, self.scrub_context_reg, entry.token.payload.token.context)),
            Value.cast(self._now).eq(Mux(overwrites, self.words.rdata[1], self.words.rdata[0])),
            self.words.we.eq(moves), self.words.waddr.eq(context), self.words.wdata.eq(self.after),
            entry.o.next_context.eq(context),
        ]  # fmt: skip
        m.d.sync += entry.o.context.eq(context)

    def tell(self, m: Module, entry: wiring.Component, message: View, last: Value) -> None:
        # Packets whose last beat has entered; those up to the status are delivered before it.
        packets_reg = Signal(len(entry.verdict.mark))
        packets = (packets_reg + last)[: len(packets_reg)]
        m.d.sync += [
            packets_reg.eq(packets), entry.channel.eq(message.channel),
            entry.verdict.channel.eq(message.channel), entry.verdict.slot.eq(message.slot), entry.verdict.mark.eq(packets),
        ]  # fmt: skip


def progress_of(p: MessageParameters) -> type[MessageProgress]:
    """The kind of progress of a core."""
    return ContextWords if p.interleaved else MessageProgress


def count_blocks(m: Module, entry: wiring.Component, progress: MessageProgress, sequence: StepSequence) -> None:
    """Counts the beats of associated data, and of text, and tells the pipeline the number of trailing zeros of the numbers of blocks."""
    p, of_text = entry.parameters, sequence.step == TokenStep.TEXT
    beats, after, lowest = (Signal(p.count_bits, name=name) for name in ("beats", "beats_after", "beats_lowest"))
    zeros = Signal(p.plan.times_bits, name="trailing_zeros")
    m.d.comb += [
        beats.eq(Mux(sequence.begins_part(progress.now.of_text), Mux(of_text, p.text_from, 0), progress.now.beats)), after.eq(beats + 1),
        # The lowest bit of the number of the last block of a beat, without the bits that the lanes have.
        lowest.eq(after & ~beats),
        zeros.eq(Cat(Cat(lowest[at] for at in range(p.count_bits) if at >> bit & 1).any() for bit in range(p.plan.times_bits))),
    ]
    with m.If(sequence.done & (sequence.step != TokenStep.TAG)):
        m.d[progress.domain] += [progress.next.beats.eq(after), progress.next.of_text.eq(of_text)]
    *others, last = [((lane + 1) & -(lane + 1)).bit_length() - 1 for lane in range(p.lanes)]
    m.d.sync += [times.eq(zeros_of) for times, zeros_of in zip(entry.o.times, (*others, zeros + last), strict=True)]


class HashChains:
    """Follows the chains of the hash for the token that is next, with its weights.

    Attributes
    ----------
    product, chain, fresh, opening : Value
        Of the token that enters, as :class:`~modeloom.rtl.stream.pipeline.TokenPipeline` describes them.
    enough : int
        The number of tokens that overwrite all that messages have left in a context.
    counted : Value
        Such a token enters.
    """

    def __init__(self, m: Module, p: MessageParameters, sequence: StepSequence, progress: MessageProgress, weighted: View):
        plan, chains = p.plan, p.plan.lane_chains
        self.product, now, after = Signal(name="product"), progress.now, progress.next
        products = [plan.hashed(plan.step(one.title)) in one.operations if plan.horner is not None else False for one in plan.tokens]
        of_kind = Array([*map(int, products), *[0] * len(plan.preparations)])[sequence.kind]
        # The tag may have a product when the blocks beside it have none.
        of_tag = weighted.product & weighted.token.tag & ~sequence.overwrites & ~sequence.takes_start
        m.d.comb += self.product.eq(sequence.issue & (of_kind | of_tag))
        with m.If(self.product):
            m.d[progress.domain] += after.chain.eq(now.chain + 1)
            with m.If(now.chain == chains - 1):
                m.d[progress.domain] += after.chain.eq(0)
            with m.If(now.hashed != chains):
                m.d[progress.domain] += after.hashed.eq(now.hashed + 1)
        with m.If(sequence.ends):
            m.d[progress.domain] += after.hashed.eq(0)
        self.chain, self.fresh = now.chain, now.hashed != chains
        self.opening: Value = (now.hashed == 0) | weighted.opening
        # Every chain is written once, and the rest of the state by the message that writes the last of them.
        self.enough = chains if any(products) and p.hashed[TokenStep.TAG] else 1
        self.counted: Value = self.product if self.enough > 1 else sequence.ends
