# SPDX-License-Identifier: Apache-2.0
"""The inmost layer of every core for messages: the message control around the pipeline.

Its keys are in slots that a host names, its packets have associated data and then text, and text leaves as soon as it is computed.

The cipher takes a batch of blocks every few cycles, so that tokens wait for their places.

Packets of several messages may interleave.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from amaranth.lib import wiring

from modeloom import cycles
from modeloom.ciphers import CoreRequest, cipher_of
from modeloom.compiler.streams import CompiledStream
from modeloom.cycles.messages import ADMITTED_CYCLES, PIN_CYCLES, PREFIX_CYCLES, START_CYCLES
from modeloom.interfaces import Interface
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.table import LISTED_SLOTS, CoreShape
from modeloom.layers.layer import Layer, Sizes
from modeloom.layers.texts import Lines, Rules, Texts
from modeloom.product.messages import StreamDescription
from modeloom.product.page import Box, key_table
from modeloom.rtl.bus import KeyParameters
from modeloom.rtl.stream.bus import MessageBus
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.pipeline import TokenPipeline
from modeloom.spec import InputError
from modeloom.spec.stream import BETWEEN
from modeloom.spec.wording import numbers

if TYPE_CHECKING:
    from modeloom.layers.derived.deriver import DerivedParameters
    from modeloom.layers.stack import Stack
from dataclasses import replace

from modeloom.cycles.messages import CHAINED_CYCLES, CHANNEL_CYCLES
from modeloom.interfaces.messages import MOST_CHANNELS
from modeloom.interfaces.table import Packing, by_member
from modeloom.spec.wording import many

__all__ = ["Batches", "Channels", "MessageControl", "aligned_packets", "begin_cycles", "key_packets", "started_in", "state_cycles"]

TITLES: dict[str, str] = {
    "": "The core: message control, pipeline, erasure",
    "zeroizer": "Erases all memories, word by word, at power-up, in a reset and on request",
    "bus": "The message control around the pipeline",
    "bus_command": "Takes commands and checks them",
    "bus_intake": "Turns the beats of a packet into tokens, and counts them",
    "bus_messages": "Messages whose tokens have not all entered",
    "bus_window": "Tokens that wait until it is known how many follow in their message",
    "bus_entry": "Lets tokens enter the pipeline: those of messages, then those of keys",
    "bus_flight": "Which key slots have messages in flight",
    "bus_packets": "Packets as they are on the wire: takes them apart, and joins them again",
    "bus_packets_splitter": "Takes the tag off a packet",
    "bus_packets_aligner": "Lets text begin with a beat of its own",
    "bus_packets_order": "The parts of a packet out in their order",
    "bus_packets_joiner": "Joins the parts of a packet",
    "bus_packets_hold": "Holds packets to open until their tag was right",
    "bus_texts": "Text until the host takes it",
    "bus_verdicts": "Compares tags, and gives statuses in the order of the commands",
    "bus_preparation": "Asks for the tokens that prepare a key",
    "bus_key_port": "Takes keys, runs the set-up of a key, erases keys",
    "bus_key_schedule": "Round keys of the cipher",
    "bus_pipeline": "The pipeline: units at their stages, delay lines between them, the state at its homes",
    "bus_pipeline_key_memory": "Key words of all slots",
    "bus_pipeline_chains": "Chains of the hash",
    "bus_pipeline_cipher": "The cipher",
    "bus_pipeline_multiplier": "The multiplier of the hash",
}
"""The titles of modules, by their names without the name of the core."""


def started_in(compiled: CompiledStream) -> int:
    """The stage in which the token of a start that runs ahead has computed the state, from which on its message may come."""
    plan = compiled.plan
    stages = [plan.placed.homes[name] for name in plan.started]
    for step in plan.steps:
        for name in plan.started if step.name == "start" else ():
            stages += [plan.placed.ready[step.title][int(term.source.what)] for term in step.updates[name]  # type: ignore[call-overload]
                       if term.source.kind == "op"]
    return max(stages)


def begin_cycles(compiled: CompiledStream, p: MessageParameters) -> int:
    """The largest number of cycles from the one in which the first token of a message could enter to the first block of text."""
    ways = compiled.options.directions
    if p.plan.runs_ahead and p.plan.cadence is not None:
        # The start waits for its place in a batch, and then the block for its own.
        return p.ahead_waits(started_in(compiled) + ADMITTED_CYCLES, *ways)
    return max(p.entry_cycles(*p.first_tokens, way) - p.program(way).cycles for way in ways)


def state_cycles(p: MessageParameters) -> int:
    """The largest number of cycles in which what a key has left in the state of a context is overwritten."""
    # Each chain is overwritten by a message without data, whose tag may take several cycles.
    return p.entry_cycles(*(*[BETWEEN] * p.text_first, "tag") * (p.plan.chains + 2))


def key_packets(layer: Layer, d: StreamDescription, where: str) -> Lines:
    """The paragraph on key packets that are keys."""
    sizes = f"{numbers(d.key_sizes)} bytes; its length chooses the size" if len(d.key_sizes) > 1 else f"{d.key_bytes} bytes"
    about = f"**Keys.** A key is {sizes}, sent as one packet on `s_axis_key`, 16 bytes per beat; {where}."
    return (about, "", *key_table(d, layer.compiled.mode))


def aligned_packets(d: StreamDescription, first: str, behind: str, begins: str, *notes: str) -> Lines:
    """The paragraphs on packets whose parts begin with beats of their own."""
    return (
        f"A message is one packet on `s_axis`, {d.beat_bytes} bytes per beat: the {first}, then the {behind}, which {begins}. "
        f"`tkeep` is all ones but in the last beat of the {first} and in the last beat of the {behind}; `tlast` marks the "
        "end of the packet. A message without associated data and text has a packet of one beat with `tkeep` 0. Such a beat may also "
        f"follow the {first} of a message without {behind}. Anywhere else, a beat without bytes is refused with BAD_KEEP, also as the last "
        "beat behind all bytes.", "", *notes,
        "The text of a message comes out as one packet on `m_axis`, with the lengths that went in; its bytes outside `tkeep` are zero. A "
        "message without text gives no packet. If the packet of a message has a fault behind its first beat of text, what comes out ends "
        "with a beat of `tkeep` 0 and `tuser` 1.", "",
    )  # fmt: skip


class MessageControl(Layer):
    """The message control."""

    def __init__(self, stack: Stack):
        super().__init__(self, stack)

    # -- sizes and hardware -----------------------------------------------------------------------------------------------------------

    @staticmethod
    def parameters(compiled: CompiledStream) -> MessageParameters:
        """Its sizes without other layers.  Raises ``ValueError`` or ``InputError`` if they do not fit the mode."""
        mode, options = compiled.mode, compiled.options
        cipher, sizes = cipher_of(mode, options.cipher), compiled.cipher_request.key_sizes
        parts, keys = mode.key_parts, mode.cipher_keys
        before = min((parts.index(name) for name in keys), default=0)
        if len(keys) != 1:
            raise InputError(f"{mode.name}: a core for messages takes one cipher key, not {len(keys)}")
        return MessageParameters(
            plan=compiled.plan, encrypt="encrypt" in options.directions, decrypt="decrypt" in options.directions,
            keys=KeyParameters(
                slots=options.slots_inside or 1, block_bits=8 * mode.block_bytes, cipher_key_bits=sizes[0],
                more_key_bits=sizes[1:], round_keys=max(map(cipher.round_keys, sizes)), round_key_bits=cipher.round_key_bits,
                raw_words_before=before, raw_words_after=len(parts) - before - 1, words=len(compiled.plan.words),
            ),
        )  # fmt: skip

    @property
    def sizes(self) -> Sizes:
        """Those of the message control with all layers."""
        return self.stack.parameters

    @property
    def shape(self) -> CoreShape:
        """Bytes of a beat, and key slots."""
        return self.stack.top.sizes

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """Commands, packets, statuses and keys."""
        return self.stack.top.sizes.interfaces

    def bus(self, pipeline: TokenPipeline, schedules: Sequence[wiring.Component]) -> wiring.Component:
        """The message control."""
        return MessageBus(self.stack.parameters, pipeline, schedules)

    @property
    def schedules(self) -> int:
        """One for all slots."""
        return 1

    @property
    def derivers(self) -> DerivedParameters | None:
        """There is none."""
        return None

    def deriver_ciphers(self) -> Sequence[wiring.Component]:
        """There are none."""
        return ()

    def requests(self) -> list[CoreRequest]:
        """The request for the cipher of the pipeline."""
        return [self.compiled.cipher_request]

    def titles(self) -> Mapping[str, Sequence[str]]:
        """Those of the message control."""
        return {name: [title] for name, title in TITLES.items()}

    @property
    def quiet(self) -> Sequence[str]:
        """Those of AXI4-Streams."""
        return ("cmd.ready", "s.ready", "m.valid", "status.valid", "m.payload", "status.payload")

    @property
    def key_sizes(self) -> tuple[int, ...]:
        """Those of the mode."""
        return tuple(self.compiled.mode.key_bytes(bits // 8) for bits in self.compiled.cipher_request.key_sizes)

    # -- figures ----------------------------------------------------------------------------------------------------------------------

    @property
    def latency(self) -> int:
        """From pin to pin, with the way of a start that runs ahead."""
        p, compiled = self.stack.parameters, self.compiled
        ahead = START_CYCLES + started_in(compiled) if p.plan.runs_ahead else 0
        added = ahead + (PREFIX_CYCLES if p.plan.prefixes else 0)
        waits = begin_cycles(compiled, p)
        if p.plan.chained:
            # A block may take several tokens, the last of which has its text.
            waits += max(compiled.plan.placed.passes[way][-1].at for way in compiled.options.directions)
        # Without a hash the beat does not wait for the tag behind it.  The flags of many slots answer a cycle later.
        return p.text_stage + PIN_CYCLES + added + waits - (p.window == 1) + (p.keys.slots > LISTED_SLOTS)

    @property
    def varies(self) -> bool:
        """A token enters when it comes."""
        return False

    @property
    def key_erase_cycles(self) -> int:
        """Until nothing of the key of a slot is left, if no message is in flight.

        Messages of the slot in flight add the time that they still need.  If a message of another slot pauses before it has as many
        blocks as the hash has chains, it adds its pause.  With several channels, this holds for each channel.
        """
        p = self.stack.parameters
        return cycles.key_erase_cycles(
            key_words=p.keys.words, cipher_keys=p.keys.all_cipher_keys, rounds=1 << p.keys.round_bits,
            result_words=p.contexts * state_cycles(p), flush=p.flush,
        )  # fmt: skip

    def rules_of(self) -> Rules:
        """The assertions without other layers."""
        # A text may be too short if its command says how long it is.
        short = [MessageCode.TOO_SHORT] * self.compiled.mode.lengths_first
        return Rules(waiting=self.stack.parameters.token_depth, cut_codes=(MessageCode.BAD_KEEP, MessageCode.TOO_LONG, *short))

    # -- what others say of it --------------------------------------------------------------------------------------------------------

    def texts_of(self, d: StreamDescription, unverified: str) -> Texts:
        """The datasheet without other layers; *unverified* is the warning of a core that releases text before it verifies the tag."""
        flag = "the slot's bit of `key_loaded`"
        if d.key_slots > LISTED_SLOTS:
            flag = "`key_loaded`, which is about the slot of the last packet,"
        refused = f", the mode refuses the key ({d.refused_keys})," if d.refused_keys else ""
        slots = f"slot{'s' * (d.key_slots != 1)}"
        lengths = (
            "The command has the number of bytes of text. A packet with fewer of them gets TOO_SHORT, and one with more gets "
            "TOO_LONG."
        )
        return Texts(
            key_figure=f"key slots: {d.key_slots}", key_places=f"{d.key_slots} key {slots}", key_count=f" × {d.key_slots} {slots}",
            key_theory=(
                "A key slot is prepared by tokens in cycles that messages of other slots leave free "
                f"({d.explain.key_words} blocks of the key memory a slot).", "",
            ),
            key_packets=key_packets(self, d, "`tdest` of the first beat names the slot"),
            key_use=(
                "The slot's old key is overwritten first, when the slot's messages in flight are done; messages of other slots go on "
                f"meanwhile. `key_busy` is high while a key is worked on; afterwards {flag} is set, or `key_error` is high because "
                f"the packet had the wrong length{refused} or the slot does not exist. A packet whose first beat has `tuser` set erases "
                f"the slot: {d.key_erase_cycles} cycles later, and what the messages in flight still need, nothing of its key is left, nor "
                "of what the core has computed with it. After a reset no slot is loaded.", "",
            ),
            protection=f" **{unverified}**" * d.releases, protection_item=[f"- {unverified}"] * d.releases,
            packets=aligned_packets(d, "associated data", "text", "begins with a beat of its own"),
            faults=(lengths, "") if d.lengths_first else (),
            limit_rows=(["maximum associated data", d.most_associated, "bytes"], ["maximum text", d.most_text, "bytes"]),
            data_boxes=(Box("bus", "s_axis", f"{d.packet} packets"),),
        )  # fmt: skip


class Batches(Layer):
    """The cadence of the cipher."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """With ``--cipher-arch multistream``."""
        return compiled.plan.cadence is not None

    @property
    def varies(self) -> bool:
        """Messages wait for their places."""
        return True

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """When tokens enter."""
        cadence = self.compiled.plan.cadence
        assert cadence is not None
        interval, count = cadence.interval, cadence.blocks
        goes, places = ("a block goes", "one cycle") if count == 1 else (f"{count} blocks go", f"{count} successive cycles")
        return replace(
            t, rate=f"{many(count, 'block')} every {interval} cycles, ", gap="", average="average ", beat_time="token",
            entry=(
                f"The rate is {d.pace}. A token that uses the cipher waits at the entry until the cipher takes a block. It then goes "
                "through all stages, one each cycle."
            ),
            cadence_theory=(
                f"The cipher is one round, through which {goes} at a time. A counter that runs freely lets tokens that use the cipher "
                f"enter in {places} of every {interval}, whatever messages they belong to. Other tokens enter in any cycle.", "",
            ),
            cadence_rows=([f"blocks that the cipher takes in {interval} cycles", count, "blocks"],),
            beat_notes=(
                f"It depends on the cycle in which the message comes: the message waits up to {d.waits} cycles for the cipher.",
                *t.beat_notes,
            ),
        )  # fmt: skip


FOREIGN = """
          // A command of a channel that the core does not have has no packet.
          if (c >= {}) begin
            lengths[place(first[c] + packets_in[c])] = 64'b0;
            packets_in[c] = packets_in[c] + 1;
            all_packets = all_packets + 1;
          end"""


class Channels(Layer):
    """The pipeline has a context for each channel."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """With ``--channels``."""
        return compiled.options.channels > 1

    def control(self, p: MessageParameters) -> MessageParameters:
        """Contexts."""
        return replace(p, channels=self.compiled.options.channels)

    @property
    def latency(self) -> int:
        """Tokens wait in the places of their channels."""
        return self.inside.latency + (CHAINED_CYCLES if self.compiled.plan.chained else CHANNEL_CYCLES)

    def described(self, d: StreamDescription) -> StreamDescription:
        """Their number."""
        return replace(d, channels=self.compiled.options.channels)

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """How packets interleave."""
        about = (
            f"The beats of up to {d.channels} packets, of a channel each, may interleave in any order. `tid` names the channel of a "
            "beat on `s_axis` and `m_axis`. The packets and statuses of a channel are in the order of its commands. The core takes "
            "four commands of each channel before the packet of the first of them has ended. A fifth one waits, and all commands "
            "behind it wait, too."
        )
        others = (
            f"A command of channel {d.channels} or above gets NO_CHANNEL at once. It has no packet, and beats of such channels are "
            "dropped."
        )
        return replace(
            t, packets=(*t.packets, about, *[others] * (d.channels < MOST_CHANNELS), ""), zero_fields=(),
            channel=f"channel, 0 to {d.channels - 1}", state_note=f", {d.channels} channels",
        )  # fmt: skip

    def rules(self, r: Rules, command: Packing) -> Rules:
        """Commands of channels that the core does not have get a status, too."""
        count, status = self.compiled.options.channels, by_member(self.interfaces, "status").packing
        foreign = {"OWN_BEAT": f" && s_axis_tid < {count}", "FOREIGN_COMMAND": FOREIGN.format(count)} if count < MOST_CHANNELS else {}
        places = {
            "TIDS": MOST_CHANNELS, "CHANNEL_IN": "s_axis_tid", "CHANNEL_OUT": "m_axis_tid",
            "CHANNEL_OF_COMMAND": f"s_axis_cmd_tdata{command.verilog('channel')}",
            "CHANNEL_OF_STATUS": f"m_axis_status_tdata{status.verilog('channel')}",
        }  # fmt: skip
        return replace(r, waiting=self.stack.parameters.message_store, channel_values={**r.channel_values, **places, **foreign})
