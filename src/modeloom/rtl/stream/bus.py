# SPDX-License-Identifier: Apache-2.0
"""The message control of a core.  It has AXI4-Streams on one side, and the pipeline of tokens on the other.

::

    cmd ──▶ MessageCommands ──▶ MessageIntake ──▶ WeightWindow ──▶ TokenEntry ──▶ pipeline ──┬──▶ TextQueue ──▶ m
    s ─────────────────────────────┘  └──▶ Queue of messages ──────────┘ ▲                   └──▶ VerdictQueue ──▶ status
                                      └──▶ MessagesInFlight              │
                                                  │                KeyPreparation
    key ─────────────────────────────────────▶ KeyPort ◀─ setup ─────────┘      ◀──▶ key schedule

With ``--packet wire`` WirePackets stand between cmd, s, m and the rest.  With segments, the parts in ``layers/lwc`` drive these streams,
and give the tag of each message beside its last beat.

If starts run ahead, StartedCommands stands behind MessageCommands.

A mode that takes text in pairs has PairJoiner before the window.

With several channels, ChannelFront stands in the place of intake, window and queue of messages, and SlotsInFlight in that of
MessagesInFlight.  AssociatedPrefix stands before the window, for a mode that has such a prefix.
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.rtl.bus.expanded_port import ExpandedKeyParameters, ExpandedKeyPort
from modeloom.rtl.bus.inline_port import InlineKeyParameters
from modeloom.rtl.bus.key_port import KeyPort
from modeloom.rtl.bus.parameters import KeyParameters
from modeloom.rtl.bus.ports import erased, join, key_beat, ordered_key_beat
from modeloom.rtl.bus.preparation import key_state_signature
from modeloom.rtl.stream.channels import ChannelFront, window_of
from modeloom.rtl.stream.command import MessageCommands, TurnCommands, command_layout
from modeloom.rtl.stream.entry import TokenEntry, connect_tokens
from modeloom.rtl.stream.inline_keys import InlineKeys
from modeloom.rtl.stream.intake import AssociatedPrefix, MessageIntake, WeightWindow, take_tokens
from modeloom.rtl.stream.packet import packet_layout
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.pipeline import TokenPipeline
from modeloom.rtl.stream.starts import KeyPreparation, MessagesInFlight, SlotsInFlight, starts_of
from modeloom.rtl.stream.storage import Queue
from modeloom.rtl.stream.texts import TextQueue, blocks_of, text_layout
from modeloom.rtl.stream.verdicts import VerdictQueue, status_layout

__all__ = ["MessageBus"]


class OneChannel:
    """Packets follow each other."""

    flight: type[MessagesInFlight | SlotsInFlight] = MessagesInFlight

    def __init__(self, m: Module, p: MessageParameters):
        m.submodules.intake = self.intake = intake = MessageIntake(p)
        # A checked command is zero in reset, and so is one that has started.  One that waits for its key is not.
        m.submodules.messages = self.messages = Queue(p.message, p.token_depth, p.erase_bits, masked=p.inline)
        m.submodules.window = self.window = WeightWindow(p)
        self.order, self.s = intake.order, intake.s
        # A message begins, from which on nothing of its key changes.
        self.admitted, self.slot = intake.message.valid & intake.message.ready, intake.message.payload.slot

    def connect(self, m: Module, bus: MessageBus, p: MessageParameters) -> None:
        """Takes tokens to the window, and messages to their queue."""
        bus.form.connect(m, "s", wiring.flipped(bus.s), self.s)
        take_tokens(m, AssociatedPrefix, self.intake, blocks_of(p).join(m, self.window.i), bus)
        for source, target in (
            (self.window.o, bus.entry.token), (self.intake.message, self.messages.i), (self.messages.o, bus.entry.message),
        ):  # fmt: skip
            wiring.connect(m, source, target)
        self.erased = (self.intake, self.messages, self.window)


class Interleaved:
    """Packets of several channels interleave."""

    flight: type[MessagesInFlight | SlotsInFlight] = SlotsInFlight

    def __init__(self, m: Module, p: MessageParameters):
        m.submodules.front = self.front = front = ChannelFront(p)
        self.order, self.s = front.order, front.s
        self.admitted, self.slot = front.admitted, front.slot

    def connect(self, m: Module, bus: MessageBus, p: MessageParameters) -> None:
        """Says what channel a token is of."""
        front, entry = self.front, bus.entry
        for source, target in ((wiring.flipped(bus.s), self.s), (front.token, entry.token), (front.message, entry.message)):
            wiring.connect(m, source, target)
        m.d.comb += join(entry, bus.texts, "channel")
        m.d.comb += [*window_of(p).tell(front, entry), *join(bus.verdicts, bus.flight, "finished_slot")]
        self.erased = (front, entry, bus.flight)


class InSlots:
    """Keys are loaded into slots that commands name."""

    commands: type[MessageCommands] = MessageCommands
    port: type[wiring.Component] = KeyPort

    def __init__(self, p: MessageParameters, schedules: Sequence[wiring.Component]):
        self.p, self.schedules, self.states, self.beat = p, schedules, p.keys.slots, key_beat(p.keys.slots)

    def make(self, m: Module) -> KeyPreparation | InlineKeys:
        """Makes the port of keys and their schedule.  Returns what asks for tokens of set-up."""
        m.submodules.preparation = self.preparation = KeyPreparation(self.p)
        m.submodules.key_port = self.key_port = key_port = self.port(self.p.keys)
        for schedule in self.schedules:
            m.submodules.key_schedule = schedule
            wiring.connect(m, key_port.schedule, schedule)
        self.key, self.state = key_port.key, key_port.state
        return self.preparation

    def command(self, m: Module, command: MessageCommands, orders: stream.Interface) -> None:
        """Takes commands to what comes next."""
        wiring.connect(m, command.o, orders)

    def connect(self, m: Module, bus: MessageBus, taken: list[object], admitted: list[object]) -> None:
        """Connects the key port."""
        keys, pipeline, flight = self.key_port.preparation, bus.pipeline, bus.flight
        m.d.comb += [
            pipeline.key_we.eq(keys.word.we), pipeline.key_slot.eq(keys.word.slot), pipeline.key_index.eq(keys.word.index),
            pipeline.key_data.eq(keys.word.data),
            pipeline.rk_we.eq(keys.round_key.we), pipeline.rk_slot.eq(keys.round_key.slot), pipeline.rk_round.eq(keys.round_key.round),
            pipeline.rk_data.eq(keys.round_key.data),
            self.preparation.setup.eq(keys.setup.request), self.preparation.setup_scrub.eq(keys.setup.scrub),
            keys.setup.done.eq(self.preparation.setup_done),
            flight.query.eq(self.key_port.in_use.slot), self.key_port.in_use.busy.eq(flight.busy),
            *taken, bus.entry.prepare_slot.eq(keys.setup.slot), *admitted,
            keys.made.we.eq(pipeline.word_valid), keys.made.index.eq(pipeline.word_index), keys.made.data.eq(pipeline.word),
        ]  # fmt: skip
        if pipeline.inverse_keys:
            m.d.comb += pipeline.rk_data_dec.eq(keys.round_key.data_dec)
        if pipeline.key_sizes:
            m.d.comb += pipeline.rk_length.eq(keys.round_key.length)
        if self.states <= LISTED_SLOTS:
            m.d.comb += bus.command.key_loaded.eq(self.key_port.state.loaded)
        else:
            wiring.connect(m, bus.command.lookup, self.key_port.lookup)
            m.d.comb += erased(bus, self.key_port)


class ExpandedInSlots(InSlots):
    """Round keys are loaded into slots that commands name."""

    port = ExpandedKeyPort


class InRing(InSlots):
    """Keys come with the messages."""

    commands = TurnCommands

    def __init__(self, p: MessageParameters, schedules: Sequence[wiring.Component]):
        self.p, self.schedules, self.states, self.beat = p, schedules, 1, ordered_key_beat()

    def make(self, m: Module) -> KeyPreparation | InlineKeys:
        """Makes the ring."""
        m.submodules.keys = self.ring = ring = InlineKeys(self.p, self.schedules)
        self.key, self.state = ring.key, ring.key_state
        return ring

    def command(self, m: Module, command: MessageCommands, orders: stream.Interface) -> None:
        """Each command gets its slot."""
        wiring.connect(m, command.o, self.ring.i)
        wiring.connect(m, self.ring.o, orders)

    def connect(self, m: Module, bus: MessageBus, taken: list[object], admitted: list[object]) -> None:
        """Connects the ring with the memories of the pipeline."""
        p, keys, pipeline, flight = self.p, self.ring, bus.pipeline, bus.flight
        m.d.comb += [
            *join(keys, bus.entry, "prepare_slot"), *join(pipeline, keys, "word_index", "word", "word_slot"),
            *join(keys, pipeline, "key_we", "key_slot", "key_index", "key_data"),
            *join(keys, pipeline, *(name for name in p.round_key_ports if hasattr(pipeline, name))),
        ]  # fmt: skip
        if p.writers:
            m.d.comb += [*join(keys, pipeline, "clear_words", "clear_rounds", "clear_slot"), *join(pipeline, keys, "words_cleared")]
        m.d.comb += [flight.query.eq(keys.query), keys.in_use.eq(flight.busy)]
        m.d.comb += join(keys, bus, *p.keys.told)
        m.d.comb += [*taken, *admitted]


KEYS = {KeyParameters: InSlots, ExpandedKeyParameters: ExpandedInSlots, InlineKeyParameters: InRing}
"""Where keys come from."""


class MessageBus(wiring.Component):
    """The buses of a core for messages, with its pipeline.

    Parameters
    ----------
    parameters : MessageParameters
    pipeline : TokenPipeline
    key_schedules : sequence of component
        As for :class:`~modeloom.rtl.bus.key_port.KeyPort`: one, or one for each writer of round keys; none if the host gives round
        keys.

    Members
    -------
    cmd, s, m, status, key : streams
    key_state : key_state_signature
        See :class:`~modeloom.rtl.bus.key_port.KeyPort`.
    freed : 1
        If ``parameters.keys.told`` has it: a key that came with messages is overwritten, in the order of the keys.
    erase, erase_address : 1, erase_bits
        Writes zeros to this word of all memories, while the buses and the pipeline are held in reset.
    """

    def __init__(self, parameters: MessageParameters, pipeline: TokenPipeline, key_schedules: Sequence[wiring.Component]):
        self.parameters, self.pipeline = p, _ = parameters, pipeline
        self.form, self.keys = p.form, KEYS[type(p.keys)](p.core, list(key_schedules))
        super().__init__({
            "cmd": In(stream.Signature(command_layout(p))), "s": In(stream.Signature(packet_layout(p))),
            "m": Out(stream.Signature(text_layout(p))), "status": Out(stream.Signature(status_layout(p))),
            "key": In(stream.Signature(self.keys.beat)), "key_state": Out(key_state_signature(self.keys.states)), **self.form.ports(p),
            **dict.fromkeys(p.keys.told, Out(1)),
            "erase": In(1), "erase_address": In(p.erase_bits),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters.core
        m.submodules.command = self.command = command = self.keys.commands(p)
        self.front = front = (Interleaved if p.interleaved else OneChannel)(m, p)
        starts = starts_of(p)
        starts.make(m)
        m.submodules.entry = self.entry = entry = TokenEntry(p)
        m.submodules.flight = self.flight = flight = front.flight(p)
        m.submodules.texts = self.texts = texts = TextQueue(p)
        m.submodules.verdicts = self.verdicts = verdicts = VerdictQueue(p)
        preparation = self.keys.make(m)
        m.submodules.pipeline = pipeline = self.pipeline

        self.form.connect(m, "cmd", wiring.flipped(self.cmd), command.cmd)
        orders, taker = starts.before(m, front)
        self.keys.command(m, command, orders)
        front.connect(m, self, p)
        self.form.connect(m, "m", texts.m, wiring.flipped(self.m))
        for source, target in (
            (verdicts.status, wiring.flipped(self.status)), (wiring.flipped(self.key), self.keys.key),
        ):  # fmt: skip
            wiring.connect(m, source, target)
        m.d.comb += connect_tokens(entry.o, pipeline.i)
        if pipeline.batches:
            m.d.comb += join(entry, pipeline, "batch")
        if pipeline.last_words:
            m.d.comb += join(pipeline, entry, "last_word")
        starts.connect(m, self)
        m.d.comb += [
            *(texts.text[place].eq(pipeline.text[place]) for place in range(p.lanes * p.plan.mode.text_blocks)),
            *join(preparation, entry, "prepare", "prepare_kind", "scrub"), *join(entry, preparation, "prepared", "scrubbed"),
            *join(entry, texts, "beat", "bytes", "last", "cut"), *join(entry, verdicts, "verdict", "verdict_valid"),
            *join(pipeline, verdicts, "tag", "tag_valid"), *join(pipeline, preparation, "word_valid"),
            *self.form.delivered(self), *join(verdicts, flight, "finished"),
        ]  # fmt: skip
        wiring.connect(m, self.keys.state, wiring.flipped(self.key_state))
        m.d.comb += [
            *join(entry, texts, *p.delivery.held), *join(verdicts, texts, *p.delivery.judged), *join(texts, verdicts, *p.delivery.dropped),
            *erased(self, command, *front.erased, texts, verdicts, pipeline),
        ]  # fmt: skip
        self.form.around(m, self)
        self.keys.connect(
            m, self, [entry.text_taken.eq(texts.taken), entry.tag_taken.eq(verdicts.taken)],
            [flight.admitted.eq(taker.admitted), flight.slot.eq(taker.slot)],
        )  # fmt: skip
        return m
