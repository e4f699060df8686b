# SPDX-License-Identifier: Apache-2.0
"""Lets tokens enter the pipeline: those of messages, and in cycles that these leave free, those of keys.

::

    message ──▶ start, if its nonce takes tokens ──┐
    token   ──▶ associated, text, tag ─────────────┼──▶ [reg] ──▶ pipeline
    preparation of a key, overwriting ─────────────┘  if none of these enters

Starts that run ahead, and tags that follow, enter before these (``entry_beside``).  If messages have their text first, the tokens of the
step between text and associated data enter before the first token of a message that has no text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.component import BusComponent
from modeloom.rtl.stream.block_source import block_sources, find_source
from modeloom.rtl.stream.cipher_places import CipherPlaces
from modeloom.rtl.stream.contexts import ContextWords, MessageProgress, count_blocks
from modeloom.rtl.stream.credits import count_places
from modeloom.rtl.stream.entry_beside import BesideTokens
from modeloom.rtl.stream.entry_cadence import EntryCadence
from modeloom.rtl.stream.lengths import lengths_block
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.sizes import TokenStep, known_bits
from modeloom.spec.stream import BETWEEN, LAST, PARTIAL, SINGLE
from modeloom.streams.reservation import Program

__all__ = ["TokenEntry"]


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
    valid, active, kind, block, nbytes, times, begin, nonce, given, known_LENGTH, slot, product, chain, fresh, opening, power, \
    start_place, begin_place, blank
        The token that enters, as described in :class:`~modeloom.rtl.stream.pipeline.TokenPipeline`.
    beat, bytes, last, cut : 1, number of bytes, 1, 1
        The token gives a beat of text.  ``bytes`` is its number of bytes, and ``last`` marks the last beat of its packet.  With
        ``cut`` the beat has no bytes, because the packet is cut off.
    known_LENGTH : as known_bits says
        The lengths that ``start`` reads, for the pipeline.
    entered : 1
        With several channels, and a chain through the cipher only: the last token of a step of a message enters.  Its context is
        ``next_context``.
    held : 1
        The token belongs to a message to be opened.  It is there only with ``hold``.
    verdict, verdict_valid : MessageParameters.verdict, 1
        The token is the last one of a message.
    context, next_context, channel : context, context, 8
        With several channels only, to the pipeline: the context of the token, and that of the token of the next cycle; to the text: its
        channel.
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
            **({"held": Out(1)} if p.hold else {}),
            **({"given": Out(p.block_bits)} if p.two_passes else {}),
            **({"batch": Out(1)} if plan.cadence is not None else {}),
            **({
                "context": Out(p.context_bits), "next_context": Out(p.context_bits), "channel": Out(8),
                "erase": In(1), "erase_address": In(p.erase_bits),
            } if p.channels > 1 else {}),
            **{f"known_{name}": Out(known_bits(name, p.block_bytes)) for name in plan.known_lengths},
            **({"times": Out(plan.times_bits).array(p.lanes)} if plan.times_bits else {}),
            **({"last_word": In(p.block_bits)} if p.last_words else {}),
            **({
                "start": In(stream.Signature(p.start)), "begun": Out(1), "begun_place": Out(p.place_bits),
                "start_place": Out(p.place_bits), "begin_place": Out(p.place_bits), "blank": Out(1),
            } if plan.runs_ahead else {}),
            **({"entered": Out(1)} if plan.chained and p.channels > 1 else {}),
            "token": In(stream.Signature(p.weighted)), "message": In(stream.Signature(p.message)),
            **({"second": Out(p.block_bits)} if plan.pairs else {}),
            "text_taken": In(1), "tag_taken": In(2),
            "prepare": In(1), "prepare_kind": In(kinds), "prepare_slot": In(p.slot_bits), "prepared": Out(1),
            "scrub": In(1), "scrubbed": Out(1),
            "valid": Out(1), "active": Out(p.lanes), "kind": Out(kinds).array(p.lanes), "block": Out(p.block_bits).array(p.lanes),
            "nbytes": Out(p.nbytes_bits).array(p.lanes), "begin": Out(1), "nonce": Out(p.block_bits), "slot": Out(p.slot_bits),
            "product": Out(1), "chain": Out(range(max(2, plan.lane_chains))), "fresh": Out(1), "opening": Out(1),
            "power": Out(range(plan.chains + 1)).array(p.lanes),
            "beat": Out(1), "bytes": Out(p.token_nbytes_bits), "last": Out(1), "cut": Out(1),
            "verdict": Out(p.verdict), "verdict_valid": Out(1),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p, plan = self.parameters, self.parameters.plan
        token, message = self.token.payload.token, self.message.payload
        starts = [p.program(title) for title in p.starts]
        programs = {name: p.program(name) for name in ("associated", *plan.mode.text_steps(), *[BETWEEN] * plan.text_first, "tag")}
        longest = max(program.cycles for program in (*starts, *programs.values()))

        # -- what is next -----------------------------------------------------------------------------------------------------
        # Nothing of a message: then tokens that overwrite may go as a message of their own, of which nothing is told.
        kept = MessageProgress(plan.lane_chains, p.count_bits) if p.channels == 1 else ContextWords(m, self)
        started_reg = Signal()
        # With text first: the step between text and associated data of this message has been.
        between_reg = Signal(name="text_ended_reg") if plan.text_first else None
        offset_reg = Signal(range(max(2, longest)))
        false = Signal()
        false_reg = Signal()
        text_credit = Signal()
        tag_credit = Signal()
        step = Signal(2)
        first = Signal()
        nonce_class = Signal(p.class_bits)
        decrypt = Signal()
        has_token = Signal()
        # A message that overwrites is not parted from its start.
        within = (offset_reg != 0) | started_reg if starts[0].tokens else offset_reg != 0
        if between_reg is not None:
            within = within | between_reg
        m.d.comb += [
            has_token.eq(self.token.valid & self.message.valid),
            false.eq(Mux(within, false_reg, self.scrub & ~self.scrubbed & kept.idle & ~has_token)),
            step.eq(Mux(false, TokenStep.TAG, token.step)),
            first.eq(false | token.first),
            nonce_class.eq(Mux(false, 0, message.nonce_class)),
            decrypt.eq(message.decrypt & ~false),
        ]
        may = Signal()
        goes = Signal()
        active = Signal()
        # The chain through the cipher is there.  With several channels, no token comes before.
        ready, linked = may, Const(1, 1)
        if plan.chained and p.channels == 1:
            wait_reg = Signal(range(plan.placed.turn))
            linked = wait_reg == 0
            ready = may & linked
        with m.Switch(token.step):
            with m.Case(TokenStep.TEXT):
                m.d.comb += may.eq(text_credit & (tag_credit | ~token.tag))
            with m.Case(TokenStep.TAG):
                m.d.comb += may.eq(tag_credit)
            with m.Default():
                m.d.comb += may.eq(tag_credit | ~token.tag)
        # The window waits for the token of a message, so this does not wait for what overwrites: that begins only if no token is there.
        held = self.prepare & (offset_reg == 0) if p.inline else Const(0, 1)
        # A token beside those of messages has the units.  The end of a message whose tag follows needs none.
        only_ends: Value = step == TokenStep.TAG if plan.follows else Const(0, 1)
        cadence = EntryCadence(m, self) if plan.cadence is not None else None
        counts = cadence.counts if cadence else Const(1, 1)
        places = CipherPlaces(m, self, counts) if plan.returning else None
        taken_now = places.now if places else Const(0, 1)
        beside = BesideTokens(m, self, held | (offset_reg != 0) | taken_now, has_token & may & ~only_ends, counts)
        units = beside.units(held, only_ends)
        partial, final, alone_here = self._of_last(token, ~false)
        if places:
            second = message.second if p.two_passes else Const(0, 1)
            free_places = places.free(step, decrypt, second, partial, final, alone_here, only_ends | (token.tag & ~false))
            # The step between text and associated data waits until no token returns any more.
            units = units & (free_places if between_reg is None else free_places | ((step != TokenStep.TEXT) & ~between_reg))
        prepares: Value = self.prepare
        opened = Signal()
        prepare_opened = Signal()
        if cadence:
            # The tokens of a step follow the first one at fixed distances.
            units, prepares = units & (opened | (offset_reg != 0)), prepares & prepare_opened
        m.d.comb += [
            # Messages wait for their keys, so set-up does not wait for messages.
            goes.eq(has_token & ~(within & false_reg) & (ready | (offset_reg != 0)) & units),
            active.eq(goes | (false & (tag_credit | (offset_reg != 0)) & units)),
        ]

        # -- which of its tokens enters in this cycle -------------------------------------------------------------------------
        issue = Signal()
        done = Signal()
        start_done = Signal()
        ends = Signal()
        kind = Signal.like(self.prepare_kind)
        takes_start = Signal()
        has_start = Array(int(bool(one.tokens)) for one in starts)
        m.d.comb += takes_start.eq(first & ~started_reg & has_start[nonce_class])
        between_done = Signal()
        takes_between = Signal()
        if between_reg is not None:
            m.d.comb += takes_between.eq(~takes_start & (step != TokenStep.TEXT) & ~between_reg)
        if cadence:
            cadence.keep(
                opened, prepare_opened, step, decrypt, takes_start, nonce_class, None if between_reg is None else takes_between
            )  # fmt: skip
        # Of the token of a message, whatever overwrites: whether this is the last cycle of its program.
        complete = Signal()
        ways = (programs["associated"].cycles, self.of_text({name: program.cycles for name, program in programs.items()}, message.decrypt))
        with m.Switch(token.step):
            for block_step, cycles in zip((TokenStep.ASSOCIATED, TokenStep.TEXT), ways, strict=True):
                with m.Case(block_step):
                    m.d.comb += complete.eq(offset_reg == cycles - 1)
            with m.Default():
                m.d.comb += complete.eq(offset_reg == programs["tag"].cycles - 1)
        taken = goes & complete & ~(token.first & ~started_reg & has_start[message.nonce_class])
        if between_reg is not None:
            taken = taken & ((token.step == TokenStep.TEXT) | between_reg)

        def run(program: Program, finished: Signal) -> None:
            """Drives the token that enters in each cycle of a program."""
            with m.Switch(offset_reg if longest > 1 else Const(0, 1)):
                for at, number in program.tokens:
                    with m.Case(at):
                        m.d.comb += [issue.eq(1), kind.eq(number)]
            m.d.comb += finished.eq(offset_reg == program.cycles - 1)

        with m.If(active):
            with m.If(takes_start):
                with m.Switch(nonce_class):
                    for number, program in enumerate(starts):
                        if program.tokens:
                            with m.Case(number):
                                run(program, start_done)
            if between_reg is not None:
                with m.Elif(takes_between):
                    run(programs[BETWEEN], between_done)
            with m.Else():
                with m.Switch(step):
                    with m.Case(TokenStep.ASSOCIATED):
                        run(programs["associated"], done)
                    with m.Case(TokenStep.TEXT):
                        if p.two_passes:
                            with m.If(decrypt & message.second):
                                run(programs["encrypt"], done)
                        with m.Elif(decrypt) if p.two_passes else m.If(decrypt):
                            run(programs["decrypt"], done)
                        with m.Else():
                            run(programs[plan.mode.text_steps()[0]], done)
                    with m.Default():
                        run(programs["tag"], done)
            m.d.sync += [offset_reg.eq(offset_reg + 1), false_reg.eq(false)]
            with m.If(done | start_done if between_reg is None else done | start_done | between_done):
                m.d.sync += offset_reg.eq(0)
        m.d.comb += [
            self.token.ready.eq(taken),
            ends.eq(done & ((step == TokenStep.TAG) | token.tag)),
            self.message.ready.eq(taken & ((token.step == TokenStep.TAG) | token.tag)),
        ]
        if between_reg is not None:
            m.d.sync += between_reg.eq((between_reg | between_done) & ~ends)
        with m.If(start_done):
            m.d.sync += started_reg.eq(1)
        with m.If(done):
            m.d.sync += started_reg.eq(0)
            m.d[kept.domain] += kept.next.between.eq(ends)

        if plan.chained and p.channels == 1:
            with m.If(done & ~false & (step != TokenStep.TAG)):
                m.d.sync += wait_reg.eq(plan.placed.turn - 1)
            with m.Elif(~linked):
                m.d.sync += wait_reg.eq(wait_reg - 1)
        elif plan.chained:
            m.d.comb += self.entered.eq(done & ~false)

        m.d.comb += self.prepared.eq(beside.free(prepares & ~issue & ~taken_now))
        if places:
            places.take(done)
        ending = done & only_ends
        beside.close(
            ends, Mux(false, self.prepare_slot, message.slot), Mux(false, 0, token.lengths) if plan.tag_lengths else None,
            message.nonce_bytes,
        )  # fmt: skip

        # -- the hash ---------------------------------------------------------------------------------------------------------
        chains = plan.lane_chains
        product = Signal()
        products = [plan.hashed(plan.step(one.title)) in one.operations if plan.horner is not None else False for one in plan.tokens]
        of_kind = Array([*map(int, products), *[0] * len(plan.preparations)])[kind]
        # The tag may have a product when the blocks beside it have none.
        m.d.comb += product.eq(issue & (of_kind | (self.token.payload.product & token.tag & ~false & ~takes_start)))
        with m.If(product):
            m.d[kept.domain] += kept.next.chain.eq(kept.now.chain + 1)
            with m.If(kept.now.chain == chains - 1):
                m.d[kept.domain] += kept.next.chain.eq(0)
            with m.If(kept.now.hashed != chains):
                m.d[kept.domain] += kept.next.hashed.eq(kept.now.hashed + 1)
        with m.If(ends):
            m.d[kept.domain] += kept.next.hashed.eq(0)
        # Every chain is written once, and the rest of the state by the message that writes the last of them.
        enough = chains if any(products) and p.hashed[TokenStep.TAG] else 1
        counted = product if enough > 1 else ends
        kept.overwrite(m, self, enough, counted, (offset_reg == 0) & ~started_reg)
        if isinstance(kept, ContextWords):
            kept.connect(m, self, false, product | done)

        # -- what enters ------------------------------------------------------------------------------------------------------
        real, plain = issue & ~false, ~false & ~takes_start
        # The end of a message without blocks begins it, too, for a tag that follows.
        begun = (issue | ending) & ~false if plan.follows else real
        # The tag of a message without data begins it, and if it waits, each of its tokens does: no block changes what start has made.
        waits = bool(programs["tag"].tokens) and bool(programs["tag"].tokens[0][0])
        entered = (offset_reg == 0) | (step == TokenStep.TAG) if waits else offset_reg == 0
        if plan.chained:
            # A later token of a step may be the one that reads the chain.
            entered = Const(1, 1)
        if plan.text_first:
            entered = takes_between | ((step == TokenStep.TEXT) & (offset_reg == 0))
        begins = first & ~Array(int(bool(one.tokens)) for one in starts)[nonce_class] & entered
        m.d.sync += [
            self.valid.eq(beside.valid(issue | self.prepared, ending)),
            self.begin.eq(((issue | ending) if plan.follows else issue) & begins),
            self.nonce.eq(0 if plan.runs_ahead else Mux(begun, message.nonce, 0)),
            *([self.given.eq(Mux(begun, message.tag, 0))] if p.two_passes else []),
            *(getattr(self, f"known_{name}").eq(value) for name, value in beside.known(begun, message).items()),
            self.slot.eq(beside.slot_or(Mux(real, message.slot, self.prepare_slot))),
            self.product.eq(product),
            self.chain.eq(kept.now.chain),
            self.fresh.eq(kept.now.hashed != chains),
            self.opening.eq((kept.now.hashed == 0) | self.token.payload.opening),
        ]
        sources = block_sources(p)
        source = Signal(2)
        m.d.comb += source.eq(
            find_source(p, takes_start, nonce_class, offset_reg, step, lambda values: self.of_text(values, decrypt))
        )
        tag_kind = next(n for n, one in enumerate(plan.tokens) if one.title == "tag")
        for lane in range(p.lanes):
            is_tag = token.tag & (token.full == lane) & plain if not plan.follows else Const(0, 1)
            has_block = (token.full > lane) & plain
            alone = (lane == 0) & ((step == TokenStep.TAG) | takes_start)
            mine = Signal.like(kind, name=f"kind_{lane}")
            block = Signal(p.block_bits, name=f"block_{lane}")
            of_block: Value = kind
            if plan.last_steps:
                # The last block of a token is that of its last lane.
                last_here = plain if plan.pairs else (token.full == lane + 1) & plain
                for prefix, condition in ((PARTIAL, partial), (LAST, final), (SINGLE, alone_here)):
                    if (others := self._kinds_of(prefix)) is not None:
                        of_block = Mux(condition & last_here, Array(others)[kind], of_block)
            m.d.comb += mine.eq(Mux(is_tag, tag_kind, of_block) if p.plan.shares_tag else of_block)
            tag_source = sources[tag_kind]
            with m.Switch(Mux(is_tag, tag_source, source) if lane == 0 or p.plan.shares_tag else Const(0, 2)):
                if lane == 0:
                    with m.Case(1):
                        m.d.comb += block.eq(message.nonce)
                with m.Case(2):
                    m.d.comb += block.eq(lengths_block(m, p, f"lengths_{lane}", mine, token.blocks[lane], message.nonce_bytes))
                with m.Default():
                    m.d.comb += block.eq(token.blocks[lane])
            here, entering = real, block
            if p.last_words:
                # A packet that is cut off has no block.
                here, entering = (real & ~token.cut) | self.prepared, Mux(issue, block, self.last_word)
            before = lane * p.block_bytes
            if plan.pairs:
                bytes_here: Value = token.nbytes - Mux(token.full == 2, p.block_bytes, 0)
                m.d.sync += self.second.eq(Mux(real & (token.full == 2), token.blocks[1], 0))
            else:
                bytes_here = Mux(token.nbytes > before + p.block_bytes, p.block_bytes, Mux(token.nbytes > before, token.nbytes - before, 0))
            m.d.sync += [
                self.active[lane].eq(
                    beside.active((issue & (alone | has_block | is_tag)) | (self.prepared & (lane == 0))) if lane == 0
                    else (issue & (alone | has_block | is_tag)) | (self.prepared & (lane == 0))
                ),
                self.kind[lane].eq(beside.kind_or(Mux(issue, mine, self.prepare_kind)) if lane == 0 else mine),
                self.block[lane].eq(beside.block_or(Mux(here, entering, 0)) if lane == 0 else Mux(here, entering, 0)),
                self.nbytes[lane].eq(Mux(real, bytes_here, 0)),
                self.power[lane].eq(Mux(false, lane == 0, self.token.payload.powers[lane])),
            ]

        if plan.times_bits:
            count_blocks(m, self, kept, done & (step != TokenStep.TAG), first, step == TokenStep.TEXT)
        if plan.runs_ahead:
            m.d.sync += [self.begin_place.eq(message.place), self.blank.eq(false)]
            entered_first = ((issue | ending) if plan.follows else issue) & begins
            m.d.comb += [self.begun.eq(entered_first & ~false), self.begun_place.eq(message.place)]

        # -- what comes of it -------------------------------------------------------------------------------------------------
        beat = real & done & (step == TokenStep.TEXT)
        if p.two_passes:
            # The first pass gives no text.
            beat = beat & decrypt
        with m.If(beat):
            m.d[kept.domain] += kept.next.packet.eq(1)
        with m.If(ends):
            m.d[kept.domain] += kept.next.packet.eq(0)
        m.d.sync += [
            self.beat.eq(beat), self.bytes.eq(token.nbytes), self.last.eq(token.last), self.cut.eq(token.cut),
            self.verdict_valid.eq(ends), self.verdict.id.eq(message.id), self.verdict.tag.eq(message.tag),
            self.verdict.tag_bytes.eq(message.tag_bytes), self.verdict.decrypt.eq(message.decrypt), self.verdict.code.eq(token.code),
            self.verdict.packet.eq(kept.now.packet | beat), self.verdict.empty.eq(false),
        ]  # fmt: skip
        if p.hold:
            m.d.sync += self.held.eq(decrypt)
        if p.channels > 1:
            # Packets whose last beat has entered; those up to the status are delivered before it.
            packets_reg = Signal(p.mark_bits)
            packets = (packets_reg + (beat & token.last))[: p.mark_bits]
            m.d.sync += [
                packets_reg.eq(packets), self.channel.eq(message.channel),
                self.verdict.channel.eq(message.channel), self.verdict.slot.eq(message.slot), self.verdict.mark.eq(packets),
            ]  # fmt: skip
        count_places(m, text_credit, beat, self.text_taken, p.text_depth)
        count_places(m, tag_credit, ends, self.tag_taken, p.tag_depth)
        return m

    def of_text(self, values: Mapping[str, Any], decrypt: Value) -> Value:
        """The value of the step that a block of text of the message takes, from the values of steps by name."""
        p = self.parameters
        known = Mux(self.message.payload.second, values["encrypt"], values["decrypt"]) if p.two_passes else values["decrypt"]
        return Mux(decrypt, known, values[p.plan.mode.text_steps()[0]])

    def _of_last(self, token: Any, counts: Value) -> tuple[Value, Value, Value]:
        """Whether the last block of a token is partial; whether it is the last of its part of the message; and whether it is text without
        a partner.  What no step of the mode asks for is low."""
        p, plan = self.parameters, self.parameters.plan
        low = Const(0, 1)
        partial = token.nbytes[: p.block_bytes.bit_length() - 1].any() & counts if self._kinds_of(PARTIAL) else low
        final = token.final & counts if plan.ends else low
        return partial, final, (token.step == TokenStep.TEXT) & (token.full != 2) & counts if plan.pairs else low

    def _kinds_of(self, prefix: str) -> list[int] | None:
        """For each kind of token, the kind for a last block whose step has a prefix to its name; None if the mode has no such step."""
        plan = self.parameters.plan
        numbers = {(token.title, token.part): number for number, token in enumerate(plan.tokens)}
        if not any(token.title.startswith(prefix) for token in plan.tokens):
            return None
        kinds = [numbers.get((prefix + token.title, token.part), number) for number, token in enumerate(plan.tokens)]
        return [*kinds, *range(len(kinds), len(kinds) + len(plan.preparations))]
