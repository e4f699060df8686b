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

If starts run ahead, StartsAhead stands behind MessageCommands.

A mode that takes text in pairs has PairJoiner before the window.

With several channels, ChannelFront stands in the place of intake, window and queue of messages, and SlotsInFlight in that of
MessagesInFlight.  AssociatedPrefix stands before the window, for a mode that has such a prefix.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.rtl.bus.expanded_port import ExpandedKeyParameters, ExpandedKeyPort
from modeloom.rtl.bus.key_port import KeyPort
from modeloom.rtl.bus.ports import key_beat, ordered_key_beat
from modeloom.rtl.bus.preparation import key_state_signature
from modeloom.rtl.bus.register_slice import RegisterSlice
from modeloom.rtl.stream.channels import ChannelFront
from modeloom.rtl.stream.command import MessageCommands, command_layout
from modeloom.rtl.stream.depths import SEGMENT_TAGS
from modeloom.rtl.stream.entry import TokenEntry
from modeloom.rtl.stream.flight import MessagesInFlight, SlotsInFlight
from modeloom.rtl.stream.inline_keys import InlineKeys
from modeloom.rtl.stream.intake import MessageIntake
from modeloom.rtl.stream.packet import packet_layout
from modeloom.rtl.stream.parameters import CODE_BITS, MessageParameters
from modeloom.rtl.stream.pipeline import TokenPipeline
from modeloom.rtl.stream.prefix import AssociatedPrefix, connect_prefix
from modeloom.rtl.stream.preparation import KeyPreparation
from modeloom.rtl.stream.queue import Queue
from modeloom.rtl.stream.starts import StartsAhead
from modeloom.rtl.stream.texts import PairJoiner, TextQueue, text_layout
from modeloom.rtl.stream.verdicts import VerdictQueue, status_layout
from modeloom.rtl.stream.window import WeightWindow
from modeloom.rtl.stream.wire.packets import WirePackets

__all__ = ["MessageBus", "late_layout"]


def late_layout(parameters: MessageParameters) -> StructLayout:
    """The layout of a tag that comes behind the text of its message, with the code of a fault."""
    return StructLayout({"tag": parameters.block_bits, "code": CODE_BITS})


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
    late : stream of late_layout
        With segments only: the tag of each message to open, zero for others, and the code of a fault in its segments.  It comes before
        the last beat of the message.
    last_enters, has_text : 1, 1
        With segments only: the last token of a message enters the pipeline, and whether the message has a packet of text.
    judged, right : 1, 1
        With segments and ``hold`` only: the verdict on a message to be opened that has text.
    freed : 1
        With ``parameters.tells_freed`` only: a key that came with messages is overwritten, in the order of the keys.
    erase, erase_address : 1, erase_bits
        Writes zeros to this word of all memories, while the buses and the pipeline are held in reset.
    """

    def __init__(self, parameters: MessageParameters, pipeline: TokenPipeline, key_schedules: Sequence[wiring.Component]):
        self.parameters, self.pipeline, self.key_schedules = p, _, _ = parameters, pipeline, list(key_schedules)
        super().__init__({
            "cmd": In(stream.Signature(command_layout(p))), "s": In(stream.Signature(packet_layout(p))),
            "m": Out(stream.Signature(text_layout(p))), "status": Out(stream.Signature(status_layout(p))),
            "key": In(stream.Signature(ordered_key_beat() if p.inline else key_beat(p.keys.slots))),
            "key_state": Out(key_state_signature(1 if p.inline else p.keys.slots)),
            **({"late": In(stream.Signature(late_layout(p))), "last_enters": Out(1), "has_text": Out(1)} if p.segments else {}),
            **(dict.fromkeys(p.delivery.judged, Out(1)) if p.segments else {}),
            **({"freed": Out(1)} if p.tells_freed else {}),
            "erase": In(1), "erase_address": In(p.erase_bits),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        whole = self.parameters
        p = whole.core
        m.submodules.command = command = MessageCommands(p)
        if p.channels == 1:
            m.submodules.intake = intake = MessageIntake(p)
            # A checked command is zero in reset, and so is one that has started.  One that waits for its key is not.
            m.submodules.messages = messages = Queue(p.message, p.token_depth, p.erase_bits, masked=p.inline)
            m.submodules.window = window = WeightWindow(p)
        else:
            m.submodules.front = front = ChannelFront(p)
        starts: StartsAhead | None = None
        if p.plan.runs_ahead:
            m.submodules.starts = starts = StartsAhead(p)
        m.submodules.entry = entry = TokenEntry(p)
        flight: MessagesInFlight | SlotsInFlight = MessagesInFlight(p) if p.channels == 1 else SlotsInFlight(p)
        m.submodules.flight = flight
        m.submodules.texts = texts = TextQueue(p)
        m.submodules.verdicts = verdicts = VerdictQueue(p)
        # Both kinds have the same ports to the entry.
        preparation: KeyPreparation | InlineKeys
        key_port: Any = None
        if p.inline:
            m.submodules.keys = preparation = InlineKeys(p, self.key_schedules)
        else:
            m.submodules.preparation = preparation = KeyPreparation(p)
            key_port = self._key_port(m)
        m.submodules.pipeline = pipeline = self.pipeline

        if not p.wire:
            wiring.connect(m, wiring.flipped(self.cmd), command.cmd)
        orders: Any = intake.order if p.channels == 1 else front.order
        if starts is not None:
            wiring.connect(m, starts.o, orders)
            orders = starts.i
        if isinstance(preparation, InlineKeys):
            wiring.connect(m, command.o, preparation.i)
            wiring.connect(m, preparation.o, orders)
        elif p.channels == 1 or starts is not None:
            wiring.connect(m, command.o, orders)
        if p.channels == 1:
            if not p.wire:
                wiring.connect(m, wiring.flipped(self.s), intake.s)
            tokens: Any = window.i
            if p.plan.pairs:
                m.submodules.pairs = pairs = PairJoiner(p)
                wiring.connect(m, pairs.o, tokens)
                tokens = pairs.i
            if p.plan.prefixes:
                m.submodules.prefix = prefix = AssociatedPrefix(p)
                connect_prefix(m, intake, prefix, tokens)
            else:
                wiring.connect(m, intake.token, tokens)
            wiring.connect(m, window.o, entry.token)
            wiring.connect(m, intake.message, messages.i)
            wiring.connect(m, messages.o, entry.message)
        else:
            if starts is None:
                wiring.connect(m, command.o, front.order)
            wiring.connect(m, wiring.flipped(self.s), front.s)
            wiring.connect(m, front.token, entry.token)
            wiring.connect(m, front.message, entry.message)
            self._join(m, entry, texts, ("channel",))
            if p.plan.chained:
                m.d.comb += [front.entered.eq(entry.entered), front.entered_context.eq(entry.o.next_context)]
            self._join(m, verdicts, flight, ("finished_slot",))
        if not p.wire:
            wiring.connect(m, texts.m, wiring.flipped(self.m))
        wiring.connect(m, verdicts.status, wiring.flipped(self.status))
        wiring.connect(m, wiring.flipped(self.key), preparation.key if isinstance(preparation, InlineKeys) else key_port.key)

        wiring.connect(m, entry.o, pipeline.i)
        if pipeline.batches:
            self._join(m, entry, pipeline, ("batch",))
        if pipeline.last_words:
            self._join(m, pipeline, entry, ("last_word",))
        if starts is not None:
            wiring.connect(m, starts.start, entry.start)
            self._join(m, entry, starts, ("begun", "begun_place"))
            self._join(m, pipeline, starts, ("started", "started_cleared"))
            self._join(m, starts, pipeline, ("clear_started", "clear_place"))
            self._join(m, self, starts, ("erase", "erase_address"))
        m.d.comb += [texts.text[place].eq(pipeline.text[place]) for place in range(p.lanes * p.plan.mode.text_blocks)]
        self._join(m, preparation, entry, ("prepare", "prepare_kind", "scrub"))
        self._join(m, entry, preparation, ("prepared", "scrubbed"))
        self._join(m, entry, texts, ("beat", "bytes", "last", "cut"))
        self._join(m, entry, verdicts, ("verdict", "verdict_valid"))
        self._join(m, pipeline, verdicts, ("tag", "tag_valid"))
        self._join(m, pipeline, preparation, ("word_valid",))
        if not p.wire:
            self._join(m, texts, verdicts, ("delivered",))
        self._join(m, verdicts, flight, ("finished",))
        state = preparation.key_state if isinstance(preparation, InlineKeys) else key_port.state
        wiring.connect(m, state, wiring.flipped(self.key_state))
        self._join(m, entry, texts, p.delivery.held)
        self._join(m, verdicts, texts, p.delivery.judged)
        self._join(m, texts, verdicts, p.delivery.dropped)
        for part in (command, *((intake, messages, window) if p.channels == 1 else (front, entry, flight)), texts, verdicts, pipeline):
            self._join(m, self, part, ("erase", "erase_address"))
        if p.wire:
            m.submodules.packets = packets = WirePackets(whole)
            self._around(m, packets, command, intake, entry, texts, verdicts)
        if p.segments:
            self._late_tags(m, entry, verdicts)
        if isinstance(preparation, InlineKeys):
            self._connect_ring(m, preparation, entry, flight)
            m.d.comb += [
                entry.text_taken.eq(texts.taken), entry.tag_taken.eq(verdicts.taken),
                *self._admitted(flight, starts, intake),
            ]  # fmt: skip
            return m
        keys = key_port.preparation
        m.d.comb += [
            pipeline.key_we.eq(keys.word.we), pipeline.key_slot.eq(keys.word.slot), pipeline.key_index.eq(keys.word.index),
            pipeline.key_data.eq(keys.word.data),
            pipeline.rk_we.eq(keys.round_key.we), pipeline.rk_slot.eq(keys.round_key.slot), pipeline.rk_round.eq(keys.round_key.round),
            pipeline.rk_data.eq(keys.round_key.data),
            preparation.setup.eq(keys.setup.request), preparation.setup_scrub.eq(keys.setup.scrub),
            keys.setup.done.eq(preparation.setup_done),
            flight.query.eq(key_port.in_use.slot), key_port.in_use.busy.eq(flight.busy),
            entry.text_taken.eq(texts.taken), entry.tag_taken.eq(verdicts.taken), entry.prepare_slot.eq(keys.setup.slot),
            *self._admitted(flight, starts, intake if p.channels == 1 else front),
            keys.made.we.eq(pipeline.word_valid), keys.made.index.eq(pipeline.word_index), keys.made.data.eq(pipeline.word),
        ]  # fmt: skip
        if pipeline.inverse_keys:
            m.d.comb += pipeline.rk_data_dec.eq(keys.round_key.data_dec)
        if pipeline.key_sizes:
            m.d.comb += pipeline.rk_length.eq(keys.round_key.length)
        if p.keys.slots <= LISTED_SLOTS:
            m.d.comb += command.key_loaded.eq(key_port.state.loaded)
        else:
            wiring.connect(m, command.lookup, key_port.lookup)
            self._join(m, self, key_port, ("erase", "erase_address"))
        return m

    def _admitted(self, flight: Any, starts: StartsAhead | None, taker: Any) -> list[Any]:
        """Tells when a message begins, from which on nothing of its key changes."""
        if starts is not None or self.parameters.channels > 1:
            taker = taker if starts is None else starts
            return [flight.admitted.eq(taker.admitted), flight.slot.eq(taker.slot)]
        return [flight.admitted.eq(taker.message.valid & taker.message.ready), flight.slot.eq(taker.message.payload.slot)]

    def _key_port(self, m: Module) -> KeyPort | ExpandedKeyPort:
        """What loads keys into slots."""
        p = self.parameters
        key_port: KeyPort | ExpandedKeyPort
        if isinstance(p.keys, ExpandedKeyParameters):
            m.submodules.key_port = key_port = ExpandedKeyPort(p.keys)
        else:
            m.submodules.key_port = key_port = KeyPort(p.keys)
            m.submodules.key_schedule, = self.key_schedules
            wiring.connect(m, key_port.schedule, self.key_schedules[0])
        return key_port

    def _connect_ring(self, m: Module, keys: InlineKeys, entry: Any, flight: Any) -> None:
        """Keys that come with the messages, their slots and the memories of the pipeline."""
        pipeline = self.pipeline
        self._join(m, keys, entry, ("prepare_slot",))
        self._join(m, pipeline, keys, ("word_index", "word", "word_slot"))
        self._join(m, keys, pipeline, ("key_we", "key_slot", "key_index", "key_data"))
        self._join(m, keys, pipeline, tuple(name for name in self.parameters.round_key_ports if hasattr(pipeline, name)))
        if self.parameters.writers:
            self._join(m, keys, pipeline, ("clear_words", "clear_rounds", "clear_slot"))
            self._join(m, pipeline, keys, ("words_cleared",))
        m.d.comb += [flight.query.eq(keys.query), keys.in_use.eq(flight.busy)]
        if self.parameters.tells_freed:
            self._join(m, keys, self, ("freed",))

    def _around(
        self, m: Module, packets: WirePackets, command: MessageCommands, intake: MessageIntake, entry: TokenEntry, texts: TextQueue,
        verdicts: VerdictQueue,
    ) -> None:  # fmt: skip
        """Puts what knows packets on the wire around the message control."""
        wiring.connect(m, wiring.flipped(self.s), packets.s)
        wiring.connect(m, packets.core, intake.s)
        wiring.connect(m, texts.m, packets.text)
        wiring.connect(m, packets.m, wiring.flipped(self.m))
        self._join(m, packets, verdicts, ("delivered",))
        self._join(m, verdicts, packets, ("decided", "final"))
        self._join(m, self, packets, ("erase", "erase_address"))
        # As many commands wait for their messages as messages of one token are on the way through the splitter.
        m.submodules.ahead = ahead = RegisterSlice(command_layout(self.parameters))
        wiring.connect(m, ahead.o, command.cmd)
        verdict = entry.verdict
        m.d.comb += [
            # Both take a command in the same cycle.
            ahead.i.payload.eq(self.cmd.payload), packets.cmd.payload.eq(self.cmd.payload),
            self.cmd.ready.eq(ahead.i.ready & packets.cmd.ready),
            ahead.i.valid.eq(self.cmd.valid & packets.cmd.ready), packets.cmd.valid.eq(self.cmd.valid & ahead.i.ready),
            packets.last_enters.eq(entry.verdict_valid & ~verdict.empty), packets.has_text.eq(verdict.packet),
            verdicts.verdict.tag.eq(packets.tag),
            # Every message has a packet out.
            verdicts.verdict.packet.eq(1),
        ]  # fmt: skip
        p = self.parameters
        over = packets.code > verdict.code
        if p.hold is not None and p.hold % p.beat_bytes == 0:
            # What is cut off at the end of a beat leaves a last beat without bytes, which the message control takes for a fault.
            over |= (packets.code == MessageCode.TOO_LONG_TO_HOLD) & (verdict.code == MessageCode.BAD_KEEP)
        with m.If(over):
            m.d.comb += verdicts.verdict.code.eq(packets.code)

    def _late_tags(self, m: Module, entry: TokenEntry, verdicts: VerdictQueue) -> None:
        """Takes the tags of messages that come as segments to their verdicts."""
        p, enters = self.parameters, Signal(name="last_enters_now")
        m.submodules.late = late = Queue(late_layout(p), SEGMENT_TAGS, p.erase_bits)
        wiring.connect(m, wiring.flipped(self.late), late.i)
        self._join(m, self, late, ("erase", "erase_address"))
        m.d.comb += [
            enters.eq(entry.verdict_valid & ~entry.verdict.empty), late.o.ready.eq(enters), self.last_enters.eq(enters),
            self.has_text.eq(entry.verdict.packet), verdicts.verdict.tag.eq(late.o.payload.tag),
        ]  # fmt: skip
        with m.If(late.o.payload.code > entry.verdict.code):
            m.d.comb += verdicts.verdict.code.eq(late.o.payload.code)
        self._join(m, verdicts, self, p.delivery.judged)

    def _join(self, m: Module, source: Any, target: Any, names: tuple[str, ...]) -> None:
        """Connects members that have the same names."""
        m.d.comb += [getattr(target, name).eq(getattr(source, name)) for name in names]
