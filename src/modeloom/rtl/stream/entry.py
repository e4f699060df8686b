# SPDX-License-Identifier: Apache-2.0
"""Lets tokens enter the pipeline: those of messages, of starts, of tags that follow, and of keys.

::

    message, scrub ──▶ StepSequence ──▶ Arbiter ──▶ TokenContents ──▶ [reg] ──▶ pipeline
                        what is next      │ ▲              ▲
    next start ───────────────────────────┤ └─ credits     └─ HashChains
    key to prepare ───────────────────────┘
"""

from __future__ import annotations

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import View
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.ports import BusComponent
from modeloom.rtl.stream.arbiter import Arbiter
from modeloom.rtl.stream.contexts import HashChains, MessageProgress, count_blocks, progress_of
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.sequence import StepSequence
from modeloom.rtl.stream.sizes import TokenStep, known_bits
from modeloom.rtl.stream.starts import starts_of
from modeloom.rtl.stream.tags import lengths_block, made_early
from modeloom.rtl.stream.texts import blocks_of
from modeloom.spec.stream import LAST, PARTIAL, SINGLE
from modeloom.streams.plan import StreamPlan

__all__ = ["MessageCredits", "TokenContents", "TokenEntry", "connect_tokens", "token_signature"]


# -- contents --------------------------------------------------------------------------------------------------------------------------

# What a token carries into the pipeline: the kind and the block of each lane, and what is known of its message.
#
#     token of a message ──▶ lanes ──────────────┐
#     nonce, lengths of the message ─────────────┼──▶ [reg] ──▶ pipeline
#     start that runs ahead, tag that follows ───┤    zero where there is nothing
#     word before, for a token of set-up ────────┘
#
# Where the block comes from depends on what would enter next, and not on whether it does: that is known late in a cycle, and every bit of a
# block would wait for it.

GIVEN, NONCE, LENGTHS = range(3)
"""Where a block comes from: with the token, from the nonce of its message, or from lengths."""


class TokenContents:
    """Drives what the token carries that enters.  The *ports* of the entry have the start, kind and slot of set-up, and the last word."""

    def __init__(self, m: Module, p: MessageParameters, sequence: StepSequence, arbiter: Arbiter, ports: wiring.Component):
        self._m, self._p, self._sequence, self._arbiter, self._ports = m, p, sequence, arbiter, ports
        # A token of a message, which does not overwrite.
        self.told = sequence.issue & ~sequence.overwrites
        # The end of a message without blocks begins it, too, for a tag that follows.
        self.ending = sequence.done & arbiter.only_ends
        self.issued = sequence.issue | self.ending
        self.begins = self.issued & sequence.begins_message
        self._of_start = arbiter.starter.carried(ports)
        self._of_tag = arbiter.tags.carried(m, sequence, arbiter.counts, ports.prepare_slot)
        self._blocks = blocks_of(p)
        self._drive_message()
        for lane in range(p.lanes):
            self._drive_lane(lane)
        for block in range(p.lanes, len(sequence.token.blocks)):
            m.d.sync += ports.o.second.eq(Mux(self.told & (sequence.token.full == 2), sequence.token.blocks[block], 0))

    def _or_other(self, name: str, value: Value) -> Value:
        """A value of lane 0: of the token of a message or of set-up, or of one that enters between them."""
        if self._of_start:
            value = Mux(self._arbiter.starts, self._of_start[name], value)
        return Mux(self._arbiter.due, self._of_tag[name], value) if self._of_tag else value

    # -- what is known of the message ---------------------------------------------------------------------------------------------

    def _drive_message(self) -> None:
        m, ports, sequence, message = self._m, self._ports, self._sequence, self._sequence.message
        begun = self.issued & ~sequence.overwrites
        slot = Mux(self.told, message.slot, ports.prepare_slot)
        enters = sequence.issue | ports.prepared | self._arbiter.concurrent
        m.d.sync += [
            ports.o.valid.eq(enters | self.ending), ports.o.begin.eq(self.begins), ports.o.nonce.eq(Mux(begun, message.nonce, 0)),
            ports.o.slot.eq(self._or_other("slot", slot)),
        ]
        self._arbiter.starter.drive(m, ports, sequence, begun, self.begins)
        m.d.sync += ports.o.given.eq(Mux(begun, message.tag, 0))

    # -- lanes --------------------------------------------------------------------------------------------------------------------

    def _drive_lane(self, lane: int) -> None:
        m, p, ports, sequence, token = self._m, self._p, self._ports, self._sequence, self._sequence.token
        plain = ~sequence.overwrites & ~sequence.takes_start
        is_tag = self._arbiter.tags.in_lane(token, lane, plain)
        has_block = (token.full > lane) & plain
        alone = (lane == 0) & ((sequence.step == TokenStep.TAG) | sequence.takes_start)
        kind = self._kind(lane, plain, is_tag)
        block = self._block(lane, kind, is_tag)
        active = sequence.issue & (alone | has_block | is_tag)
        here, entering = self.told, block
        if p.last_words:
            # A packet that is cut off has no block.
            here, entering = (self.told & ~token.cut) | ports.prepared, Mux(sequence.issue, block, ports.last_word)
        entering = Mux(here, entering, 0)
        if lane == 0:
            active = active | ports.prepared | self._arbiter.concurrent
            kind = self._or_other("kind", Mux(sequence.issue, kind, ports.prepare_kind))
            entering = self._or_other("block", entering)
        m.d.sync += [
            ports.o.active[lane].eq(active), ports.o.kind[lane].eq(kind), ports.o.block[lane].eq(entering),
            ports.o.nbytes[lane].eq(Mux(self.told, self._blocks.nbytes(token, lane), 0)),
            ports.o.power[lane].eq(Mux(sequence.overwrites, lane == 0, ports.token.payload.powers[lane])),
        ]  # fmt: skip

    def _kind(self, lane: int, plain: Value, is_tag: Value) -> Value:
        """The kind of the token of a message in a lane."""
        m, plan, sequence = self._m, self._p.plan, self._sequence
        made, of_block = Signal.like(sequence.kind, name=f"kind_{lane}"), sequence.kind
        # The last block of a token is that of its last lane.
        last_here = self._blocks.is_last(sequence.token.full, lane, plain)
        for prefix, condition in ((PARTIAL, sequence.partial), (LAST, sequence.final), (SINGLE, sequence.alone)):
            if (others := self._kinds_of(prefix)) is not None:
                of_block = Mux(condition & last_here, Array(others)[sequence.kind], of_block)
        m.d.comb += made.eq(Mux(is_tag, plan.kind_of("tag"), of_block) if plan.shares_tag else of_block)
        return made

    def _kinds_of(self, prefix: str) -> list[int] | None:
        """For each kind of token, the kind for a last block whose step has a prefix to its name; None if the mode has no such step."""
        plan = self._p.plan
        numbers = {(token.title, token.part): number for number, token in enumerate(plan.tokens)}
        if not any(token.title.startswith(prefix) for token in plan.tokens):
            return None
        kinds = [numbers.get((prefix + token.title, token.part), number) for number, token in enumerate(plan.tokens)]
        return [*kinds, *range(len(kinds), len(kinds) + len(plan.preparations))]

    def _block(self, lane: int, kind: Value, is_tag: Value) -> Value:
        """The block of the token of a message in a lane."""
        m, p, sequence, message = self._m, self._p, self._sequence, self._sequence.message
        sources = _block_sources(p)
        block, given = Signal(p.block_bits, name=f"block_{lane}"), sequence.token.blocks[lane]
        if lane == 0:
            self._source = Signal(2, name="source")
            m.d.comb += self._source.eq(sequence.of_next(sources, 2))
        source = Mux(is_tag, sources[p.plan.kind_of("tag")], self._source)
        with m.Switch(source if lane == 0 or p.plan.shares_tag else Const(GIVEN, 2)):
            if lane == 0:
                with m.Case(NONCE):
                    m.d.comb += block.eq(message.nonce)
            with m.Case(LENGTHS):
                m.d.comb += block.eq(lengths_block(m, p, f"lengths_{lane}", kind, given, message.nonce_bytes))
            with m.Default():
                m.d.comb += block.eq(given)
        return block


def _block_sources(p: MessageParameters) -> list[int]:
    """For each kind of token, where its block comes from."""
    numbers = {"nonce": NONCE, "lengths": LENGTHS}
    return [
        GIVEN if number == made_early(p.plan) else numbers.get(getattr(token.source, "kind", ""), GIVEN)
        for number, token in enumerate(p.plan.tokens)
    ]  # fmt: skip


# -- token -----------------------------------------------------------------------------------------------------------------------------

# What a token carries from the entry to the pipeline.
#
#     token   valid, slot, context       that there is one, and whose it is
#             begin, nonce, ...          of the message that it begins
#             product, chain, ...        of the hash
#             lanes   active, kind       what each lane does
#                     block, nbytes ...  and with what


def token_signature(plan: StreamPlan, slots: int, contexts: int = 1, start_places: int = 2) -> wiring.Signature:
    """The members of a token, as the entry drives them.  What no token of a mode needs has no bits.

    Parameters
    ----------
    plan : StreamPlan
    slots : int
        Key slots.
    contexts : int
        Messages that may interleave.
    start_places : int
        Messages that may have started and not begun, if starts run ahead.

    Members
    -------
    valid : 1
        Whether a token enters.
    active, kind : lanes of 1, of kind
        For each lane, whether it has a block, and the kind of its token.  Kinds are numbered through ``plan.tokens``, and then
        through ``plan.preparations``.  Tokens of ``start`` and of set-up are in lane 0.
    block, nbytes : lanes of block, of number of bytes
        For each lane, its block, and the number of bytes of a piece of text.
    second : block
        If text comes in pairs: the second block of a pair.  ``nbytes`` is then the number of its bytes.
    times : lanes of number
        For each lane, the number of trailing zeros of the number of its block, if a step reads it.
    power : lanes of number
        For each lane, the power of the key (``streams.prove``).
    product, chain, fresh, opening : 1, chain, 1, 1
        For the hash: whether the token has blocks of it; the number of the chain in each lane; whether the chains are empty; and
        whether it is the first whose products are a part of the result.
    begin, nonce : 1, block
        Whether it is the first token of a message whose ``start`` takes no token, and the nonce of this message.
    given : block
        In a mode with two passes: the tag of a message that is known when it begins.
    known_LENGTH : as known_bits says
        The lengths that the token of a ``start``, or the message that begins, reads (``plan.known_lengths``).
    slot : slot
    context, next_context : context
        With several contexts: that of the token, and that of the token of the next cycle, if there will be one.
    start_place, begin_place, blank : place, place, 1
        If starts run ahead: the place of what a token of ``start`` computes, that of the message that begins, and whether this message
        only overwrites the state.
    """
    early, second_passes = int(plan.runs_ahead), len(plan.mode.text_steps()) - 2
    width, lanes, place = 8 * plan.mode.block_bytes, plan.lanes, range(early * start_places)
    kinds = range(max(2, len(plan.tokens) + len(plan.preparations)))
    return wiring.Signature({
        "valid": Out(1), "active": Out(lanes), "kind": Out(kinds).array(lanes), "block": Out(width).array(lanes),
        "nbytes": Out(range(plan.mode.block_bytes + 1)).array(lanes), "power": Out(range(plan.chains + 1)).array(lanes),
        "second": Out(width * (plan.mode.text_blocks - 1)), "times": Out(plan.times_bits).array(lanes),
        "product": Out(1), "chain": Out(range(max(2, plan.lane_chains))), "fresh": Out(1), "opening": Out(1),
        "begin": Out(1), "nonce": Out(width), "slot": Out(range(max(2, slots))),
        "given": Out(width * second_passes),
        **{f"known_{name}": Out(known_bits(name, plan.mode.block_bytes)) for name in plan.known_lengths},
        "start_place": Out(place), "begin_place": Out(place), "blank": Out(early),
        "context": Out(range(contexts)), "next_context": Out(range(contexts)),
    })  # fmt: skip


def connect_tokens(source: wiring.PureInterface, target: wiring.PureInterface) -> list[object]:
    """Connects tokens.  A member without bits would only change the names of others."""
    values = {path: value for path, _, value in source.signature.flatten(source)}
    return [value.eq(values[path]) for path, _, value in sorted(target.signature.flatten(target)) if len(value)]


# -- entry -----------------------------------------------------------------------------------------------------------------------------

# Free places behind the pipeline, which are counted so that no token waits after it has entered.
#
#     text of a token ──▶ a place of the output         returned when the beat has left
#     end of a message ──▶ a place among the statuses   returned when the status has left

class MessageCredits:
    """Says whether there is place for all that comes of the *token* that is next (``credited``), and among the statuses (``tag``)."""

    def __init__(self, m: Module, token: View):
        self._m, self._text, self.tag = m, Signal(name="text_credit"), Signal(name="tag_credit")
        self.credited = Signal()
        with m.Switch(token.step):
            with m.Case(TokenStep.TEXT):
                m.d.comb += self.credited.eq(self._text & (self.tag | ~token.tag))
            with m.Case(TokenStep.TAG):
                m.d.comb += self.credited.eq(self.tag)
            with m.Default():
                m.d.comb += self.credited.eq(self.tag | ~token.tag)

    def count(self, text: tuple[Value, Value, int], tags: tuple[Value, Value, int]) -> None:
        """Counts places: for each of text and tags what is used, what is returned, and the number of all places."""
        _count_places(self._m, self._text, *text)
        _count_places(self._m, self.tag, *tags)


def _count_places(m: Module, credit: Signal, used: Value, returned: Value, places: int) -> None:
    """Counts free places; all of them are free in a reset.  ``credit`` is driven: a register that is high if there is one.

    One place is *used* in this cycle, and the number *returned* becomes free, which is counted in the next one.
    """
    free_reg = Signal(range(places + 1), init=places)
    free = Signal(range(places + 1))
    credit_reg = Signal(init=1)
    # What becomes free is known late in a cycle, and far from here.
    returned_reg = Signal(len(returned))
    # What is used is known late in a cycle, so both results are there before.
    more = Signal(range(places + 1))
    less = Signal(range(places + 1))
    m.d.comb += [
        more.eq(free_reg + returned_reg), less.eq(free_reg + returned_reg - 1), free.eq(Mux(used, less, more)), credit.eq(credit_reg),
    ]
    m.d.sync += [returned_reg.eq(returned), free_reg.eq(free), credit_reg.eq(Mux(used, less != 0, more != 0))]


class TokenEntry(BusComponent[MessageParameters]):
    """Decides in each cycle which token enters.

    A token of text needs a place in the output, and a token of a tag needs a place among the statuses.  So no token waits after it
    has entered.

    Members
    -------
    token : stream of MessageParameters.weighted
    message : stream of MessageParameters.message
        The message that the token belongs to.
    text_taken, tag_taken : 1, 2
        The number of places of the output, and of the statuses, that have become free.
    start : stream of MessageParameters.start
        If starts run ahead: the next one.
    begun, begun_place : 1, place
        If starts run ahead: a message enters with its first token, and the place of what its start has computed.
    prepare, prepare_kind, prepare_slot, prepared : 1, kind, slot, 1
        Asks for a token of set-up.  ``prepared`` is high in the cycle in which it enters.
    last_word : block
        If tokens of set-up bring the word before: this word, which is zero if no set-up is under way.
    scrub, scrubbed : 1, 1
        Asks for tokens of the slot that overwrite what messages have left in the state.  ``scrubbed`` is high when this is done.
    o : token_signature
        The token that enters.
    beat, bytes, last, cut : 1, number of bytes, 1, 1
        The token gives a beat of text.  ``bytes`` is its number of bytes, and ``last`` marks the last beat of its packet.  With
        ``cut`` the beat has no bytes, because the packet is cut off.
    entered : 1
        With several channels, and a chain through the cipher only: the last token of a step of a message enters.  Its context is
        ``o.next_context``.
    held : 1
        The token belongs to a message to be opened.  It is there only with ``hold``.
    verdict, verdict_valid : MessageParameters.verdict, 1
        The token is the last one of a message.
    channel : 8
        With several channels only: the channel of the token.
    batch : 1
        With a cipher that takes batches only: the first token of a batch may be decided on in the next cycle.
    erase, erase_address : In
        With several channels only: while it is held in reset, zeros to this word.
    """

    @staticmethod
    def ports(parameters: MessageParameters) -> dict[str, object]:
        p, plan = parameters, parameters.plan
        kinds = range(max(2, len(plan.tokens) + len(plan.preparations)))
        return {
            "o": Out(token_signature(plan, p.keys.slots, p.contexts, p.start_places)),
            **dict.fromkeys(p.delivery.held, Out(1)), "batch": Out(p.pace.batches), **progress_of(p).ports(p),
            **({"last_word": In(p.block_bits)} if p.last_words else {}), **starts_of(p).ports(),
            "entered": Out(min(1, p.ways.turns)),
            "token": In(stream.Signature(p.weighted)), "message": In(stream.Signature(p.message)),
            "text_taken": In(1), "tag_taken": In(2),
            "prepare": In(1), "prepare_kind": In(kinds), "prepare_slot": In(p.slot_bits), "prepared": Out(1),
            "scrub": In(1), "scrubbed": Out(1),
            "beat": Out(1), "bytes": Out(p.token_nbytes_bits), "last": Out(1), "cut": Out(1),
            "verdict": Out(p.verdict), "verdict_valid": Out(1),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p, plan = self.parameters, self.parameters.plan
        token, message = self.token.payload.token, self.message.payload
        # Nothing of a message: then tokens that overwrite may go as a message of their own, of which nothing is told.
        progress = progress_of(p)(m, self)
        valid, scrub = self.token.valid & self.message.valid, self.scrub & ~self.scrubbed & progress.idle
        sequence = p.parts.sequence(m, p, token, message, valid, scrub)
        credit = MessageCredits(m, token)
        arbiter = Arbiter(m, p, sequence, credit.credited, credit.tag, self)
        sequence.run(arbiter.runs)
        arbiter.grant(sequence.done, sequence.ends)
        hashed = HashChains(m, p, sequence, progress, self.token.payload)
        m.d.comb += [
            self.token.ready.eq(sequence.taken(arbiter.enters)), self.prepared.eq(arbiter.prepared(sequence.issue)),
            self.message.ready.eq(self.token.ready & ((token.step == TokenStep.TAG) | token.tag)),
        ]
        m.d.sync += [
            self.o.product.eq(hashed.product), self.o.chain.eq(hashed.chain), self.o.fresh.eq(hashed.fresh),
            self.o.opening.eq(hashed.opening),
        ]  # fmt: skip
        contents = TokenContents(m, p, sequence, arbiter, self)
        if arbiter.counter is not None:
            m.d.comb += self.batch.eq(arbiter.counter.batch)
        m.d.comb += self.entered.eq(sequence.done & ~sequence.overwrites)
        with m.If(sequence.done):
            m.d[progress.domain] += progress.next.between.eq(sequence.ends)
        progress.overwrite(m, self, hashed.enough, hashed.counted, sequence.begins & ~sequence.started_reg)
        progress.connect(m, self, sequence, hashed.product | sequence.done)
        if plan.times_bits:
            count_blocks(m, self, progress, sequence)
        beat = self._tell(m, sequence, contents.told, progress)
        credit.count((beat, self.text_taken, p.text_depth), (sequence.ends, self.tag_taken, p.tag_depth))
        return m

    def _tell(self, m: Module, sequence: StepSequence, told: Value, progress: MessageProgress) -> Value:
        """Tells what comes of the token that enters: its beat of text, and the verdict of a message that ends; returns whether there is a
        beat."""
        p, token, message = self.parameters, sequence.token, sequence.message
        beat = sequence.gives(told & sequence.done & (sequence.step == TokenStep.TEXT))
        with m.If(beat):
            m.d[progress.domain] += progress.next.packet.eq(1)
        with m.If(sequence.ends):
            m.d[progress.domain] += progress.next.packet.eq(0)
        m.d.sync += [
            self.beat.eq(beat), self.bytes.eq(token.nbytes), self.last.eq(token.last), self.cut.eq(token.cut),
            self.verdict_valid.eq(sequence.ends), self.verdict.id.eq(message.id), self.verdict.tag.eq(message.tag),
            self.verdict.tag_bytes.eq(message.tag_bytes), self.verdict.decrypt.eq(message.decrypt), self.verdict.code.eq(token.code),
            self.verdict.packet.eq(progress.now.packet | beat), self.verdict.empty.eq(sequence.overwrites),
            *(getattr(self, name).eq(sequence.decrypt) for name in p.delivery.held),
        ]  # fmt: skip
        progress.tell(m, self, message, beat & token.last)
        return beat
