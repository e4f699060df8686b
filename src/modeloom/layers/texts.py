# SPDX-License-Identifier: Apache-2.0
"""What the datasheet and the assertions of a core say.  Each layer changes what is different with it, from the pipeline outwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from modeloom.interfaces.messages import MessageCode
from modeloom.product.page import Box

__all__ = ["Lines", "Row", "Rules", "Texts"]

Lines = Sequence[str]
"""Lines of Markdown, with an empty line after each paragraph."""

Row = Sequence[object]
"""A row of the table of figures: what, how many, and of which unit."""


@dataclass(frozen=True, kw_only=True)
class Texts:
    """Phrases, paragraphs, rows and boxes of the datasheet.

    Attributes
    ----------
    gap, entry, average, beat_time : str
        When tokens enter: behind "follow each other", in the diagram, before "cycles", and the time of a beat.
    cadence_theory, cadence_rows : lines, rows
        The same in paragraphs and figures.
    channel, zero_fields, state_note : str, sequence of str, str
        The field ``channel`` of a command, the fields of a status that are always zero, and what the diagram says of each state.
    key_figure, key_places, key_count : str
        Where keys are: in the line of figures, in the summary, and in the diagram.
    key_theory, key_packets, key_use : lines
        How keys are prepared, what a key packet is, and how keys are used.
    compared, counted : str
        The messages whose tags are compared, and the parts of them that are held together.
    too_long, wrong_pass : str
        What happens to a message that is too long to be held, and to the text of a second pass whose tag is wrong.
    protection, protection_item : str
        Whether text leaves before its tag was checked.  ``{whose}``, ``{what}`` and ``{too_long}`` stand for the phrases above.
    packets, held_packets : lines
        The packets of messages, and what is said of them if they are held, with ``{}`` for a number of bytes.
    sealing, faults : lines
        What else is to be known of messages to seal, and of status codes.
    tags, nonces, alone : str
        Where tags are, how often a nonce may be used, and the message for which the latency is stated.
    message_rows, key_rows, limit_rows, held_rows : rows
        Figures of the messages that the bench measures, those of keys, the largest messages, and the largest ones that are held.
    latency_notes, beat_notes : lines
        What the latency has in it, and of which beats its message consists.
    rate, built : str, lines
        What ``modeloom build`` says: how often the cipher takes blocks, and what is special in the core.
    command_boxes, data_boxes, key_boxes, text_boxes, status_boxes : boxes
        The diagram before tokens, blocks and key memory, and behind text and tags.
    """

    gap: str = " without a gap"
    entry: str = "A token goes through all stages, one each cycle, and never waits."
    average: str = ""
    beat_time: str = "cycle"
    cadence_theory: Lines = ()
    cadence_rows: Sequence[Row] = ()
    channel: str = "channel, always 0"
    zero_fields: Sequence[str] = ("channel",)
    state_note: str = ""
    key_figure: str
    key_places: str
    key_count: str
    key_theory: Lines
    key_packets: Lines
    key_use: Lines
    compared: str = "a message to open"
    counted: str = "text"
    too_long: str = "A message to open with more text than the core can hold is refused with TOO_LONG_TO_HOLD, and gives no text."
    wrong_pass: str = "Its text must then be discarded, as it reveals key stream."
    protection: str
    protection_item: Lines
    packets: Lines
    held_packets: Lines = ()
    sealing: Lines = ()
    faults: Lines = ()
    tags: str = (
        "To seal, take the tag from the status. To open, put the tag into the command; the status says whether it is right. A refused "
        "message gives a status and no text:"
    )
    nonces: str = "**Never use a nonce twice under a key.** The core does not look for it."
    alone: str = "a message"
    message_rows: Sequence[Row] = ()
    key_rows: Sequence[Row] = ()
    limit_rows: Sequence[Row]
    held_rows: Sequence[Row] = ()
    latency_notes: Lines = ()
    beat_notes: Lines = ()
    command_boxes: Sequence[Box] = (Box("bus", "s_axis_cmd", "commands, nonces"),)
    data_boxes: Sequence[Box]
    key_boxes: Sequence[Box] = (Box("bus", "s_axis_key", "keys"), Box("control", "key schedule", "round keys"))
    text_boxes: Sequence[Box] = (Box("bus", "m_axis", "text out"),)
    rate: str = ""
    built: Lines = ()
    status_boxes: Sequence[Box] = (Box("bus", "m_axis_status", "tags, verdicts"),)

    def protected(self, what: str) -> str:
        """The sentence on text that leaves before its tag was checked, or does not; *what* is what is counted of a message."""
        return self.protection.format(whose=self.compared, what=what)


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What is special in the assertions of a core.

    Attributes
    ----------
    template, values : str, mapping
        The file with the assertions on packets out, and its own placeholders.
    verified : str
        When a packet leaves, in Verilog, if those to open leave only with right tags.
    stored, taken : str
        What is stored of each message, and how it is taken from its command.
    keep : lines
        The rule for ``tkeep`` of packets out.
    unread : sequence of str
        Fields of a command that are not read.
    text_codes : sequence of MessageCode
        The codes of messages whose text leaves.
    cut_codes : sequence of MessageCode
        The codes of messages whose text may end early.
    waiting : int
        Messages that wait for their tokens to enter.
    channel_values : mapping
        Where beats, commands and statuses tell of their channel.
    changes : sequence of (str, str)
        Texts of the rules, each of which is there once, and what comes in their place.
    dropped : sequence of str
        Words whose lines are left out.
    """

    template: str = "rules_aligned.v"
    values: Mapping[str, str] = field(default_factory=lambda: {"HAS_TEXT": ""})
    verified: str = ""
    stored: str = ""
    taken: str = ""
    keep: Lines = (
        "  if (m_axis_tuser && !m_axis_tlast)",
        '    broken("m_axis_tuser is high before the last beat");',
        "  if (m_axis_tuser ? |m_axis_tkeep : m_axis_tlast ? !counts(m_axis_tkeep) : !(&m_axis_tkeep))",
        '    broken("m_axis_tkeep has a gap, or is not all ones before the last beat");',
    )
    unread: Sequence[str] = ()
    text_codes: Sequence[MessageCode] = (MessageCode.OK, MessageCode.WRONG_TAG)
    cut_codes: Sequence[MessageCode]
    waiting: int
    channel_values: Mapping[str, object] = field(default_factory=lambda: {"TIDS": 1, "OWN_BEAT": "", "FOREIGN_COMMAND": ""} | dict.fromkeys(
        ("CHANNEL_IN", "CHANNEL_OUT", "CHANNEL_OF_COMMAND", "CHANNEL_OF_STATUS"), "0",
    ))  # fmt: skip
    changes: Sequence[tuple[str, str]] = ()
    dropped: Sequence[str] = ()
