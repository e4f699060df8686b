# SPDX-License-Identifier: Apache-2.0
"""What is next of the messages: the step that is under way or begins, and the token of its program that enters in each cycle.

::

    token    0   start        if the nonce of the message takes tokens, and it has none yet
             1   between      with text first: before the first token that has no text
             2   its step     associated data, text or tag
    cycles   offset 0, 1, ... of the program of the step (``streams.reservation``); the token is taken in the last one

With no message, a request to overwrite is a message of its own, of which nothing is told: a tag without data.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from amaranth.hdl import Array, Const, Module, Mux, Signal, Value
from amaranth.lib.data import View

from modeloom.rtl.stream.sizes import TokenStep
from modeloom.spec.stream import BETWEEN, LAST, PARTIAL, SINGLE
from modeloom.streams.reservation import CHAIN, Program

if TYPE_CHECKING:
    from modeloom.rtl.stream.parameters import MessageParameters

__all__ = ["StepSequence", "TextFirstSequence"]


class StepSequence:
    """Follows the steps of messages.

    The *token* that is next and its *message* are there if *valid*.  With *scrub*, what messages have left is to be overwritten, and no
    message is under way.

    Attributes
    ----------
    has_token : Signal
        Whether a token of a message is there.
    overwrites : Signal
        Whether the step that is next overwrites, and belongs to no message.
    step, first, nonce_class, decrypt : Signal
        Of the step that is next: its ``TokenStep``, and whether it is the first one, the class of the nonce, and the direction of its
        message.
    takes_start : Signal
        Whether the tokens of ``start`` enter before those of the step.
    partial, final, alone : Value
        Whether the last block of the token is partial, whether it is the last one of its part, and whether it is text without a partner.
    issue, kind : Signal
        A token enters in this cycle, and its kind.
    done, ends : Signal
        The last cycle of the step, and of its message.
    """

    between: tuple[str, ...] = ()

    def __init__(self, m: Module, p: MessageParameters, token: View, message: View, valid: Value, scrub: Value):
        plan = p.plan
        self._m, self.p, self.token, self.message = m, p, token, message
        self._starts = [p.program(title) for title in p.starts]
        self._texts = plan.mode.text_steps()
        self.titles = ("associated", *self._texts, *self.between, "tag")
        self._programs = {name: p.program(name) for name in self.titles}
        self._longest = max(program.cycles for program in (*self._starts, *self._programs.values()))
        self._has_start = [int(bool(one.tokens)) for one in self._starts]
        self.offset_reg = Signal(range(max(2, self._longest)))
        self.started_reg = Signal()
        self._overwrites_reg = Signal(name="overwrites_reg")
        self.has_token = Signal()
        self.overwrites = Signal()
        self.step = Signal(2)
        self.first = Signal()
        self.nonce_class = Signal(p.class_bits)
        self.decrypt = Signal()
        self.takes_start = Signal()
        self.issue = Signal()
        self.done = Signal()
        self.ends = Signal()
        self.kind = Signal(range(max(2, len(plan.tokens) + len(plan.preparations))))
        m.d.comb += [
            self.has_token.eq(valid),
            self.overwrites.eq(Mux(self._within, self._overwrites_reg, scrub & ~self.has_token)),
            self.step.eq(Mux(self.overwrites, TokenStep.TAG, token.step)),
            self.first.eq(self.overwrites | token.first),
            self.nonce_class.eq(Mux(self.overwrites, 0, message.nonce_class)),
            self.decrypt.eq(message.decrypt & ~self.overwrites),
            self.takes_start.eq(self.first & ~self.started_reg & Array(self._has_start)[self.nonce_class]),
        ]
        self.partial, self.final, self.alone = self._of_last_block()

    @property
    def _within(self) -> Value:
        """Whether a message is under way that may be one that overwrites: it is not parted from its start."""
        within = self.offset_reg != 0
        if self._starts[0].tokens:
            within = within | self.started_reg
        return within

    def _of_last_block(self) -> Iterator[Value]:
        token, told = self.token, ~self.overwrites
        for prefix, condition in (
            (PARTIAL, token.nbytes[: self.p.block_bytes.bit_length() - 1].any()), (LAST, token.final),
            (SINGLE, (token.step == TokenStep.TEXT) & (token.full != 2)),
        ):  # fmt: skip
            # What no step of the mode asks for is low.
            yield condition & told if any(each.title.startswith(prefix) for each in self.p.plan.tokens) else Const(0, 1)

    # -- the step that is next ----------------------------------------------------------------------------------------------------

    @property
    def begins(self) -> Value:
        """Whether the next cycle of the step that is next is its first one."""
        return self.offset_reg == 0

    @property
    def overwriting(self) -> Value:
        """Whether tokens that overwrite are under way, so that the token of a message waits until they have entered."""
        return self._within & self._overwrites_reg

    def _options(self) -> Iterator[tuple[Value, str]]:
        """The steps that may be next, each with a condition, of which the first that holds decides."""
        for number, title in enumerate(self.p.starts):
            if self._has_start[number]:
                yield self.takes_start & (self.nonce_class == number), title
        yield from self._options_between()
        yield self.step == TokenStep.ASSOCIATED, "associated"
        text = self.step == TokenStep.TEXT
        opened = text & self.decrypt
        yield from reversed([*zip((text, opened, opened & self.message.second), self._texts, strict=False)])

    def _options_between(self) -> Iterator[tuple[Value, str]]:
        """The step between text and associated data."""
        yield from ()

    def choose(self) -> Iterator[str]:
        """The titles of the steps that may be next, each in a context in which statements hold for this step."""
        for number, (condition, title) in enumerate(self._options()):
            with self._m.Elif(condition) if number else self._m.If(condition):
                yield title
        with self._m.Else():
            yield "tag"

    def conditions(self) -> dict[str, Value]:
        """For each step of a block, also of one for a last block, whether the token takes it."""
        found = dict[str, Value]()
        of_step, text = {"associated": self.step == TokenStep.ASSOCIATED}, self.step == TokenStep.TEXT
        for name, later in zip(self._texts[:-1], (self.decrypt, self.message.second), strict=False):
            of_step[name], text = text & ~later, text & later
        of_step[self._texts[-1]] = text
        titles = {step.title for step in self.p.plan.steps}
        for name in ("associated", self._texts[0], *reversed(self._texts[1:])):
            rest = of_step[name]
            # The order is that of StreamMode.step_of.
            for prefix, condition in ((SINGLE, self.alone), (LAST, self.final), (PARTIAL, self.partial), ("", Const(1, 1))):
                if prefix + name in titles:
                    found[prefix + name] = rest & condition
                    rest = rest & ~condition
        return found

    # -- the token that enters ----------------------------------------------------------------------------------------------------

    def run(self, runs: Value) -> None:
        """Drives what enters in a cycle in which the step that is next ``runs``."""
        m = self._m
        start_done = Signal()
        between_done = {title: Signal(name="between_done") for title in self.between}
        finished = dict.fromkeys(self.p.starts, start_done) | between_done
        with m.If(runs):
            for title in self.choose():
                self._run(self.p.program(title), finished.get(title, self.done))
            m.d.sync += [self.offset_reg.eq(self.offset_reg + 1), self._overwrites_reg.eq(self.overwrites)]
            with m.If(reduce(or_, between_done.values(), self.done | start_done)):
                m.d.sync += self.offset_reg.eq(0)
        m.d.comb += self.ends.eq(self.done & ((self.step == TokenStep.TAG) | self.token.tag))
        self._leave_text(*between_done.values())
        with m.If(start_done):
            m.d.sync += self.started_reg.eq(1)
        with m.If(self.done):
            m.d.sync += self.started_reg.eq(0)

    def _leave_text(self, *done: Value) -> None:
        """Notes that the step between text and associated data is ``done``."""

    def _run(self, program: Program, finished: Signal) -> None:
        """Drives the token that enters in each cycle of a program."""
        m = self._m
        with m.Switch(self.offset_reg if self._longest > 1 else Const(0, 1)):
            for at, number in program.tokens:
                with m.Case(at):
                    m.d.comb += [self.issue.eq(1), self.kind.eq(number)]
        m.d.comb += finished.eq(self.offset_reg == program.cycles - 1)

    def taken(self, enters: Value) -> Value:
        """Whether the token of a message is taken if it ``enters``: this is the last cycle of the program of its step."""
        m, token, message = self._m, self.token, self.message
        complete = Signal()
        last = {name: program.cycles - 1 for name, program in self._programs.items()}
        text: Value | int = last[self._texts[-1]]
        for name, later in reversed([*zip(self._texts[:-1], (message.decrypt, message.second), strict=False)]):
            text = Mux(later, text, last[name])
        with m.Switch(token.step):
            for step, at in ((TokenStep.ASSOCIATED, last["associated"]), (TokenStep.TEXT, text), (TokenStep.TAG, last["tag"])):
                with m.Case(step) if step != TokenStep.TAG else m.Default():
                    m.d.comb += complete.eq(self.offset_reg == at)
        return enters & complete & ~(token.first & ~self.started_reg & Array(self._has_start)[message.nonce_class])

    def finds(self, free: Value) -> Value:
        """Whether the step that is next finds the cipher, if it is ``free`` in all cycles of the step."""
        return free

    def gives(self, text: Value) -> Value:
        """Which of the tokens of ``text`` give some: those of a pass that only reads it do not."""
        first = self.p.plan.step(self._texts[0])
        return text if first.output is not None else text & self.decrypt

    def begins_part(self, text_before: Value) -> Value:
        """Whether the step is the first one of associated data or of text, if the one before it was of text, or not."""
        return self.first | (self.step == TokenStep.TEXT) & ~text_before

    # -- what begins --------------------------------------------------------------------------------------------------------------

    @property
    def begins_message(self) -> Value:
        """Whether the token that enters is the first one of a message whose ``start`` takes no token among them."""
        return self.first & ~Array(self._has_start)[self.nonce_class] & self._entered

    @property
    def _entered(self) -> Value:
        """Whether the token is the first one of the message as far as its step says."""
        tag = self._programs["tag"].tokens
        if CHAIN in self.p.plan.reservations.resources:
            # A later token of a step may be the one that reads the chain.
            return Const(1, 1)
        # The tag of a message without data begins it, and if it waits, each of its tokens does: no block changes what start has made.
        return self.begins | (self.step == TokenStep.TAG) if tag and tag[0][0] else self.begins

    def _of_program(self, title: str, values: list[int], bits: int) -> Value:
        """A number of the next token of a program, from the numbers of all kinds of tokens; any if it has none in this cycle."""
        # The tokens of a program enter in these cycles only, so the last one needs no comparison.
        tokens = self.p.program(title).tokens
        value: Value = Const(values[tokens[-1][1]] if tokens else 0, bits)
        for at, number in tokens[:-1]:
            value = Mux(self.offset_reg == at, values[number], value)
        return value

    def of_next(self, values: list[int], bits: int) -> Value:
        """A number of the token that is next, from the numbers of all kinds of tokens; any if none is next.

        This depends on what would enter next, and not on whether it does: that is known late in a cycle.
        """
        value = self._of_program("tag", values, bits)
        for condition, title in reversed(list(self._options())):
            value = Mux(condition, self._of_program(title, values, bits), value)
        return value


class TextFirstSequence(StepSequence):
    """With text before associated data, and a step between them."""

    between = (BETWEEN,)

    def __init__(self, m: Module, p: MessageParameters, token: View, message: View, valid: Value, scrub: Value):
        # The step between text and associated data of this message has been; its token enters before those of the step that is next.
        self._text_ended_reg, self.takes_between = Signal(name="text_ended_reg"), Signal(name="takes_between")
        super().__init__(m, p, token, message, valid, scrub)
        # The step between is still to come before the step that is next.
        self.leaves_text = (self.step != TokenStep.TEXT) & ~self._text_ended_reg
        m.d.comb += self.takes_between.eq(~self.takes_start & self.leaves_text)

    @property
    def _within(self) -> Value:
        return super()._within | self._text_ended_reg

    def _options_between(self) -> Iterator[tuple[Value, str]]:
        yield self.takes_between, BETWEEN

    def _leave_text(self, *done: Value) -> None:
        self._m.d.sync += self._text_ended_reg.eq((self._text_ended_reg | done[0]) & ~self.ends)

    def taken(self, enters: Value) -> Value:
        return super().taken(enters) & ((self.token.step == TokenStep.TEXT) | self._text_ended_reg)

    def finds(self, free: Value) -> Value:
        # The step between waits until no token returns any more.
        return free | self.leaves_text

    def begins_part(self, text_before: Value) -> Value:
        return self.first | ((self.step == TokenStep.TEXT) ^ text_before)

    @property
    def _entered(self) -> Value:
        return self.takes_between | ((self.step == TokenStep.TEXT) & self.begins)
