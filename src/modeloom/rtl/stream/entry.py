# SPDX-License-Identifier: Apache-2.0
"""Lets tokens enter the pipeline: those of messages, of starts, of tags that follow, and of keys.

::

    message, scrub ──▶ StepSequence ──▶ Arbiter ──▶ TokenContents ──▶ [reg] ──▶ pipeline
                        what is next      │ ▲              ▲
    next start ───────────────────────────┤ └─ credits     └─ HashChains
    key to prepare ───────────────────────┘
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.data import View
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.ports import BusComponent
from modeloom.rtl.stream.arbiter import Arbiter, starts_of
from modeloom.rtl.stream.contents import TokenContents
from modeloom.rtl.stream.contexts import HashChains, MessageProgress, count_blocks, progress_of
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.sequence import StepSequence, TextFirstSequence
from modeloom.rtl.stream.sizes import TokenStep
from modeloom.rtl.stream.token import token_signature

__all__ = ["MessageCredits", "TokenEntry"]


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


# -- entry -------------------------------------------------------------------------------------------------------------------------

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
        kept = progress_of(p)(m, self)
        valid, scrub = self.token.valid & self.message.valid, self.scrub & ~self.scrubbed & kept.idle
        sequence = (TextFirstSequence if plan.text_first else StepSequence)(m, p, token, message, valid, scrub)
        credit = MessageCredits(m, token)
        arbiter = Arbiter(m, p, sequence, credit.credited, credit.tag, self)
        sequence.run(arbiter.runs)
        arbiter.grant(sequence.done, sequence.ends)
        hashed = HashChains(m, p, sequence, kept, self.token.payload)
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
            m.d[kept.domain] += kept.next.between.eq(sequence.ends)
        kept.overwrite(m, self, hashed.enough, hashed.counted, sequence.begins & ~sequence.started_reg)
        kept.connect(m, self, sequence, hashed.product | sequence.done)
        if plan.times_bits:
            count_blocks(m, self, kept, sequence)
        beat = self._tell(m, sequence, contents.told, kept)
        credit.count((beat, self.text_taken, p.text_depth), (sequence.ends, self.tag_taken, p.tag_depth))
        return m

    def _tell(self, m: Module, sequence: StepSequence, told: Value, kept: MessageProgress) -> Value:
        """Tells what comes of the token that enters: its beat of text, and the verdict of a message that ends; returns whether there is a
        beat."""
        p, token, message = self.parameters, sequence.token, sequence.message
        beat = told & sequence.done & (sequence.step == TokenStep.TEXT)
        if p.two_passes:
            # The first pass gives no text.
            beat = beat & sequence.decrypt
        with m.If(beat):
            m.d[kept.domain] += kept.next.packet.eq(1)
        with m.If(sequence.ends):
            m.d[kept.domain] += kept.next.packet.eq(0)
        m.d.sync += [
            self.beat.eq(beat), self.bytes.eq(token.nbytes), self.last.eq(token.last), self.cut.eq(token.cut),
            self.verdict_valid.eq(sequence.ends), self.verdict.id.eq(message.id), self.verdict.tag.eq(message.tag),
            self.verdict.tag_bytes.eq(message.tag_bytes), self.verdict.decrypt.eq(message.decrypt), self.verdict.code.eq(token.code),
            self.verdict.packet.eq(kept.now.packet | beat), self.verdict.empty.eq(sequence.overwrites),
            *(getattr(self, name).eq(sequence.decrypt) for name in p.delivery.held),
        ]  # fmt: skip
        kept.tell(m, self, message, beat & token.last)
        return beat
