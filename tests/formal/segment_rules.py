# SPDX-License-Identifier: Apache-2.0
"""Rules of the parts that read and write segments, in whole cores with the LWC interface.

``texted`` says that beats of text, but not the last beat, of a message have come to the message control::

    pdi ──▶ parser ──▶ assembler ──beats──▶ intake.slice ──▶ message control ──▶ writer ──▶ do
              └──────────records: segments of text, ends of messages ──────────────▲
"""

from __future__ import annotations

from tests.formal.bits import Bits, all_of, any_of, total
from tests.formal.pin_rules import CoreState

from modeloom.interfaces.lwc import Opcode
from modeloom.layers.lwc.parameters import HEADER, Record, record_layout, segment_depth
from modeloom.layers.lwc.parser import Phase
from modeloom.rtl.stream.packet import packet_layout

__all__ = ["SEGMENT_INVARIANTS", "SEGMENT_RULES", "SegmentState"]

INSTRUCTION, HEADERS, ACTIVATE, FAULT, DATA = range(5)
"""States of the parser by their numbers, in the order in which its source names them."""

NEXT, TEXT, END, STATUS, CLOSE, TAG = range(6)
"""States of the writer in the same way.  With other numbers the proof fails."""


class SegmentState(CoreState):
    """Names for what the parts around the message control hold."""

    variables = {"texted": lambda p: 1}
    queue_depths = ("bus.writer.queue",)

    def depth_of(self, name: str) -> int:
        """The depth of a queue."""
        return segment_depth(self.p.messages)

    def parser(self, name: str) -> Bits:
        """A net of the parser."""
        return self[f"bus.parser.{name}"]

    def writes(self, *states: int) -> Bits:
        """The writer is in one of these states."""
        return any_of(self["bus.writer.fsm_state"].equals(state) for state in states)

    @property
    def record(self) -> tuple[Bits, Bits]:
        """The record that the writer has, and its kind."""
        queue, kind = self.queues["bus.writer.queue"], record_layout()["kind"]
        return queue.valid, queue.head[kind.offset : kind.offset + kind.width]

    def marks(self, beat: Bits) -> tuple[Bits, Bits]:
        """Whether a beat is associated data, and whether it is the last one of its message."""
        layout = packet_layout(self.p.messages)
        return beat[layout["associated"].offset], beat[layout["last"].offset]

    def follow(self, t: SegmentState) -> dict[str, Bits]:
        """Beats of text come."""
        associated, last = self.marks(self["bus.parser_s_payload"])
        came = self.parser("assembler.push")
        texted = came.choose(~last & (self["texted"] | ~associated), self["texted"])
        return {"texted": texted & self.works}

    @property
    def in_text(self) -> Bits:
        """The message whose beats come has had a header of text, and its end has not come."""
        phase = self.parser("phase_reg")
        begun = any_of(phase.equals(one) for one in (Phase.TEXT, Phase.TEXT_ENDED, Phase.TAG)) & self.parser("issued_reg")
        within = any_of(self.parser("fsm_state").equals(state) for state in (HEADERS, DATA))
        return self.parser("finish_reg").choose(self.parser("finish_issued_reg"), begun & within)

    @property
    def text_taken(self) -> list[Bits]:
        """Whether text of the message under way was taken: by the intake, and by each place of the slice before it."""
        of_intake = [self[f"bus.messages.intake.{name}_reg"] for name in ("busy", "begun")]
        taken = [all_of(of_intake) & ~self["bus.messages.intake.ended_reg"]]
        for held, beat in self.slice("bus.messages.intake.slice"):
            associated, last = self.marks(beat)
            taken.append(held.choose(~last & (taken[-1] | ~associated), taken[-1]))
        return taken

    @property
    def owed(self) -> Bits:
        """Last words that are to come: of the status that is written next, and of those in the slice before the pins."""
        held = [there & word[self.p.word_bits] for there, word in self.slice("bus.writer.out")]
        return total([self.writes(STATUS), *held])

    @property
    def commands_without_an_end(self) -> Bits:
        """Messages whose command was made, and whose end was not recorded."""
        within = any_of(self.parser("fsm_state").equals(state) for state in (HEADERS, DATA))
        return total([within & self.parser("issued_reg"), self.parser("finish_reg") & self.parser("finish_issued_reg")])


def slices_are_filled_in_order(s: SegmentState) -> Bits:
    """The second place of a slice is used only if the first one is."""
    pairs = (s.slice(name) for name in ("bus.writer.out", "bus.messages.intake.slice"))
    return s.works.implies(all_of(second[0].implies(first[0]) for first, second in pairs))


def parser_is_in_step(s: SegmentState) -> Bits:
    """While data of a segment come, no message ends, and the kind of the segment is that of its message's last header."""
    data, kind, phase = s.parser("fsm_state").equals(DATA), s.parser("kind_reg"), s.parser("phase_reg")
    of = {Phase.ASSOCIATED: (Phase.ASSOCIATED, Phase.ASSOCIATED_ENDED), Phase.TEXT: (Phase.TEXT, Phase.TEXT_ENDED)}
    rules = [~s.parser("finish_reg"), s.parser("fsm_state") <= DATA]
    for number, phases in of.items():
        mine = any_of(phase.equals(one) for one in phases) & s.parser("issued_reg")
        rules.append(kind.equals(number).implies(mine))
    return s.works.implies(data.implies(all_of(rules)))


def text_is_behind_associated_data(s: SegmentState) -> Bits:
    """Text, in the assembler or behind it, is that of a message in which no associated data may follow."""
    held = s.parser("assembler.full_reg") | s.parser("assembler.fill_reg").some()
    associated = s.parser("assembler.associated_reg")
    return s.works.implies(all_of([(s["texted"] | held & ~associated).implies(s.in_text), s["texted"].implies(~associated | ~held)]))


def beats_are_in_order(s: SegmentState) -> Bits:
    """No associated data come behind text of their message, and the last beat is none of associated data: in the slice of the intake."""
    rules = []
    taken = s.text_taken
    for (held, beat), before in zip(s.slice("bus.messages.intake.slice"), taken, strict=False):
        associated, last = s.marks(beat)
        rules.append((held & associated).implies(~before & ~last))
    return s.works.implies(all_of([*rules, taken[-1].implies(s["texted"])]))


def writer_is_in_step(s: SegmentState) -> Bits:
    """Text is written for a record of text, and a tag for the end of a message."""
    there, kind = s.record
    return s.works.implies(all_of([
        s.writes(TEXT).implies(there & kind.equals(Record.TEXT)), s.writes(END, TAG, CLOSE).implies(there & kind.equals(Record.END)),
        s["bus.writer.fsm_state"] <= TAG,
    ]))  # fmt: skip


def last_words_are_statuses(s: SegmentState) -> Bits:
    """The last word of a message says success or failure, and nothing else."""
    rules = []
    for held, word in s.slice("bus.writer.out"):
        kind = HEADER["type"]
        codes = [s.p.word_bits - 32 + kind.offset, s.p.word_bits]
        opcode, rest = word[codes[0] : codes[1]], word[: codes[0]]
        said = any_of(opcode.equals(code) for code in (Opcode.SUCCESS, Opcode.FAILURE)) & rest.equals(0)
        rules.append((held & word[s.p.word_bits]).implies(said))
    return s.works.implies(all_of(rules))


SEGMENT_INVARIANTS = (
    slices_are_filled_in_order, parser_is_in_step, text_is_behind_associated_data, beats_are_in_order, writer_is_in_step,
    last_words_are_statuses,
)  # fmt: skip


def one_last_word_a_message(s: SegmentState, t: SegmentState) -> Bits:
    """Each record of an end or of a fault gives exactly one last word."""
    there, kind = s.record
    gone = there & s["bus.writer.queue_o_ready"] & kind.differs(Record.TEXT)
    given = s.passes("do_") & s["do_last"]
    return (s.works & t.works).implies((t.owed + given.wide).equals(s.owed + gone.wide))


def each_command_has_an_end(s: SegmentState, t: SegmentState) -> Bits:
    """Each command of the parser is followed by exactly one record of an end."""
    begins, ends = s.parser("begins"), s.parser("finish_reg") & s.parser("finish_issued_reg") & ~t.parser("finish_reg")
    recorded = s["bus.parser_records_valid"] & s["bus.writer_records_ready"]
    after = t.commands_without_an_end + ends.wide
    return (s.works & t.works).implies(after.equals(s.commands_without_an_end + begins.wide) & ends.implies(recorded))


def words_do_not_wait_for_ready(s: SegmentState, t: SegmentState) -> Bits:
    """If no word is offered, the next one of the writer is offered in the cycle after, whether the host is ready or not."""
    return (s["bus.writer.out_i_valid"] & ~s["do_valid"] & s.works & t.works).implies(t["do_valid"])


def statuses_end_messages(s: SegmentState, t: SegmentState) -> Bits:
    """The word that is marked as the last one is a status."""
    kind = s.p.word_bits - 4
    opcode = s["do_data"][kind:]
    said = any_of(opcode.equals(code) for code in (Opcode.SUCCESS, Opcode.FAILURE))
    return (s["do_valid"] & s["do_last"]).implies(said & s["do_data"][:kind].equals(0))


SEGMENT_RULES = (one_last_word_a_message, each_command_has_an_end, words_do_not_wait_for_ready, statuses_end_messages)
