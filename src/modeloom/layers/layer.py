# SPDX-License-Identifier: Apache-2.0
"""The contract of a layer of a core for messages.

::

    outside ──▶ layer ──▶ layer inside ──▶ ... ──▶ MessageControl

What a layer does not say itself, the layer inside of it says.  ``control``, ``described``, ``texts`` and ``rules`` take what the layers
inside have made, and change it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from amaranth.lib import wiring

from modeloom.ciphers import CoreRequest
from modeloom.compiler.streams import CompiledStream
from modeloom.cycles import zeroize_cycles
from modeloom.interfaces import Interface
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.table import CoreShape, Packing
from modeloom.product.messages import StreamDescription, Tokens, UnusedCycles
from modeloom.product.page import Box
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.pipeline import TokenPipeline
from modeloom.streams.derive import Derivation

__all__ = ["Derivers", "Inmost", "Layer", "Lines", "Row", "Rules", "Sizes", "Texts", "WholeCore", "titles_around"]


# -- texts -----------------------------------------------------------------------------------------------------------------------------

# What the datasheet and the assertions of a core say.  Each layer changes what is different with it, from the pipeline outwards.

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


# -- layer -----------------------------------------------------------------------------------------------------------------------------


class Sizes(CoreShape, Protocol):
    """The sizes of the buses of a core."""

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The interfaces of the core."""

    @property
    def most_commands(self) -> int:
        """Commands of a channel that the core takes without a status."""

    @property
    def most_packets(self) -> int:
        """Packets of a channel that the core takes without a status."""

    @property
    def erase_words(self) -> int:
        """The number of words of the deepest memory."""

    @property
    def flush(self) -> int:
        """The largest number of cycles that a value takes through registers without a reset."""


def titles_around(titles: Mapping[str, Sequence[str]], own: Mapping[str, str], inner: str = "messages") -> dict[str, Sequence[str]]:
    """The titles of a core that has something in front of another one: what it has of its own, and the others."""
    inside = {name.replace("bus", f"bus_{inner}", 1): title for name, title in titles.items() if name.startswith("bus")}
    others = {name: title for name, title in titles.items() if not name.startswith("bus")}
    return {**others, **inside, **{name: [title] for name, title in own.items()}}


class Derivers(Protocol):
    """What derives keys in front of the message control."""

    @property
    def messages(self) -> MessageParameters:
        """The sizes of the message control."""

    @property
    def derivations(self) -> tuple[Derivation, ...]:
        """How keys are derived, for each size of master keys."""

    @property
    def interval(self) -> int:
        """Cycles of a round core from one batch to the next."""


class Inmost(Protocol):
    """When tokens enter, as the inmost layer of a core says it."""

    place: int
    wait: int
    unused: UnusedCycles

    @property
    def key_cycles(self) -> int | None:
        """Cycles that a key costs the messages that it comes with, at most; None if its tokens take cycles that are free."""

    def step_cycles(self, title: str) -> int:
        """The number of cycles after which the next step may begin if nothing holds it up, in the mean."""

    def cycles(self, waits: bool) -> Tokens:
        """The cycles of each step of a message; ``waits`` says whether no other message fills those in which one waits for its chain."""


class WholeCore(Protocol):
    """The whole core, as its layers know it."""

    @property
    def compiled(self) -> CompiledStream:
        """The pipeline, with the options of the core."""

    @property
    def parameters(self) -> MessageParameters:
        """The sizes of the message control with all layers."""

    @property
    def inmost(self) -> Inmost:
        """The message control."""

    @property
    def top(self) -> Layer:
        """The outermost layer."""

    @property
    def unverified(self) -> str:
        """The warning for users of a core that releases text before it verifies the tag."""


class Layer:
    """A layer of a core for messages, or all of it.

    Parameters
    ----------
    inside : Layer
        The core without this layer and those around it.
    stack : WholeCore
        The whole core.
    """

    def __init__(self, inside: Layer, stack: WholeCore):
        self.inside, self.stack = inside, stack

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """Whether a core has this layer."""
        raise NotImplementedError

    @property
    def compiled(self) -> CompiledStream:
        """The pipeline, with the options of the core."""
        return self.stack.compiled

    # -- sizes and hardware -----------------------------------------------------------------------------------------------------------

    def control(self, p: MessageParameters) -> MessageParameters:
        """The sizes of the message control with this layer.  Raises ``ValueError`` if they do not fit."""
        return p

    @property
    def sizes(self) -> Sizes:
        """The sizes of the buses.  Raises ``InputError`` if the buses do not fit the mode."""
        return self.inside.sizes

    @property
    def shape(self) -> CoreShape:
        """The figures on which the widths of ports depend."""
        return self.inside.shape

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The interfaces of the core."""
        return self.inside.interfaces

    def bus(self, pipeline: TokenPipeline, schedules: Sequence[wiring.Component]) -> wiring.Component:
        """The buses around a pipeline."""
        return self.inside.bus(pipeline, schedules)

    @property
    def schedules(self) -> int:
        """Key schedules of the message control."""
        return self.inside.schedules

    @property
    def derivers(self) -> tuple[Derivers, ...]:
        """The sizes of each part that derives keys in front of the message control."""
        return self.inside.derivers

    def deriver_ciphers(self) -> Sequence[wiring.Component]:
        """The ciphers of this part.  Each call makes new components."""
        return self.inside.deriver_ciphers()

    def requests(self) -> list[CoreRequest]:
        """The requests for all ciphers of the core."""
        return self.inside.requests()

    def titles(self) -> Mapping[str, Sequence[str]]:
        """The comments before the modules, by their names without the name of the core."""
        return self.inside.titles()

    @property
    def quiet(self) -> Sequence[str]:
        """Outputs that would be high while the buses are held in reset, or in the first cycle of it."""
        return self.inside.quiet

    # -- figures ----------------------------------------------------------------------------------------------------------------------

    @property
    def latency(self) -> int:
        """The number of cycles from the first beat of text in to the first beat out, for a message of one beat in an idle core; the
        largest, if it varies."""
        return self.inside.latency

    @property
    def begin_cycles(self) -> int:
        """The largest number of cycles from the one in which the first token of a message could enter to its first block of text."""
        return self.inside.begin_cycles

    @property
    def lead(self) -> int:
        """The number of cycles that a message waits for a start that runs ahead, if its command comes with its text."""
        return self.inside.lead

    @property
    def between(self) -> int:
        """The number of cycles of the step between text and associated data."""
        return self.inside.between

    @property
    def varies(self) -> bool:
        """Whether the latency is less for some messages."""
        return self.inside.varies

    @property
    def erase_cycles(self) -> int:
        """The number of cycles that a core takes to overwrite everything, after the last cycle with a reset or ``zeroize``."""
        return zeroize_cycles(self.sizes.erase_words, self.sizes.flush)

    @property
    def key_erase_cycles(self) -> int:
        """The number of cycles from the first beat of a packet that erases a slot until nothing of its key is left."""
        return self.inside.key_erase_cycles

    # -- what others say of it --------------------------------------------------------------------------------------------------------

    @property
    def verdicts(self) -> tuple[str, str]:
        """The names of the statuses of a message whose tag is right, and wrong."""
        return self.inside.verdicts

    def described(self, d: StreamDescription) -> StreamDescription:
        """``core.json`` with what this layer says of itself."""
        return d

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """The datasheet of the core that ``core.json`` describes, with what is different with this layer."""
        return t

    def rules(self, r: Rules, command: Packing) -> Rules:
        """The assertions, with the places of the fields of a command."""
        return r

    def bench(self, words: Mapping[str, str], d: StreamDescription, places: Mapping[str, object]) -> Mapping[str, str]:
        """What the bench in SystemVerilog says of the ends of packets, with the places of fields."""
        return words
