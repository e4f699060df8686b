# SPDX-License-Identifier: Apache-2.0
"""The inmost layer of every core for messages: the message control around the pipeline, and when tokens enter.

Its keys are in slots that a host names, its packets have associated data and then text, and text leaves as soon as it is computed.

Packets of several messages may interleave.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, cast

from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom import cycles
from modeloom.ciphers import CoreRequest, cipher_of
from modeloom.compiler.streams import CompiledStream
from modeloom.cycles.messages import ADMITTED_CYCLES, PIN_CYCLES, PREFIX_CYCLES, START_CYCLES
from modeloom.interfaces import Interface
from modeloom.interfaces.messages import KEY_CYCLES, MOST_CHANNELS, MessageCode
from modeloom.interfaces.table import LISTED_SLOTS, CoreShape, Packing, by_member
from modeloom.layers.layer import Derivers, Layer, Lines, Rules, Sizes, Texts, WholeCore
from modeloom.product.json_form import read
from modeloom.product.messages import CadenceFigures, StreamDescription, Tokens, UnusedCycles
from modeloom.product.page import Box, key_table
from modeloom.rtl.bus import KeyParameters
from modeloom.rtl.bus.ports import key_beat
from modeloom.rtl.bus.preparation import key_state_signature
from modeloom.rtl.stream.bus import MessageBus
from modeloom.rtl.stream.packet import packet_layout
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.pipeline import TokenPipeline
from modeloom.rtl.stream.texts import text_layout
from modeloom.rtl.stream.verdicts import status_layout
from modeloom.spec import InputError
from modeloom.spec.cadence import Cadence
from modeloom.spec.errors import many, numbers
from modeloom.spec.stream import BETWEEN

__all__ = [
    "BatchedControl", "BusAround", "Channels", "LengthsFirst", "MessageControl", "Pairs", "Returning", "StartsAhead", "aligned_packets",
    "key_packets", "state_cycles",
]  # fmt: skip


# -- bus -------------------------------------------------------------------------------------------------------------------------------

# The buses of a core with commands, packets, statuses and keys, for layers that stand in front of such a core.


class BusSizes(Protocol):
    """The sizes of these buses."""

    @property
    def messages(self) -> MessageParameters:
        """The message control."""

    @property
    def command(self) -> StructLayout:
        """Payload of a command of the host."""

    @property
    def key_slots(self) -> int:
        """Key slots that a host can name."""

    @property
    def erase_bits(self) -> int:
        """The width of ``erase_address``."""


class BusAround(wiring.Component):
    """The buses of a core around the same buses of the core inside.

    Parameters
    ----------
    parameters : BusSizes
    inside : component
        The core inside, with its pipeline.

    Members
    -------
    cmd, s, m, status, key, key_state
        As in a core with key slots.
    erase, erase_address : 1, erase_bits
        Writes zeros to this word of all memories, while the buses and the pipeline are held in reset.
    """

    def __init__(self, parameters: BusSizes, inside: wiring.Component):
        self.inside: Any = inside
        p = parameters
        super().__init__({
            "cmd": In(stream.Signature(p.command)), "s": In(stream.Signature(packet_layout(p.messages))),
            "m": Out(stream.Signature(text_layout(p.messages))), "status": Out(stream.Signature(status_layout(p.messages))),
            "key": In(stream.Signature(key_beat(p.key_slots))), "key_state": Out(key_state_signature(p.key_slots)),
            "erase": In(1), "erase_address": In(p.erase_bits),
        })  # fmt: skip

    def erase_parts(self, *parts: Any) -> list[Any]:
        """Assignments that erase parts with the whole."""
        return [*(part.erase.eq(self.erase) for part in parts), *(part.erase_address.eq(self.erase_address) for part in parts)]


# -- control ---------------------------------------------------------------------------------------------------------------------------

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

    def __init__(self, stack: WholeCore):
        super().__init__(self, stack)

    # -- sizes and hardware -----------------------------------------------------------------------------------------------------------

    @staticmethod
    def parameters(compiled: CompiledStream) -> MessageParameters:
        """Its sizes without other layers.  Raises ``ValueError`` or ``InputError`` if they do not fit the mode."""
        mode, options = compiled.mode, compiled.options
        cipher, sizes = cipher_of(mode, options.cipher), compiled.cipher_request.key_sizes
        parts = mode.key_parts
        before = min((parts.index(name) for name in mode.cipher_keys), default=0)
        if len(mode.cipher_keys) != 1:
            raise InputError(f"{mode.name}: a core for messages takes one cipher key, not {len(mode.cipher_keys)}")
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
    def derivers(self) -> tuple[Derivers, ...]:
        """There are none."""
        return ()

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

    # -- figures ----------------------------------------------------------------------------------------------------------------------

    @property
    def latency(self) -> int:
        """From pin to pin, with the way of a start that runs ahead."""
        p, plan, top = self.stack.parameters, self.compiled.plan, self.stack.top
        # A block may take several tokens, the last of which has its text.
        waits = top.begin_cycles + max(plan.placed.passes[way][-1].at for way in self.compiled.options.directions)
        # Without a hash the beat does not wait for the tag behind it.  The flags of many slots answer a cycle later.
        added = PREFIX_CYCLES * bool(plan.prefixes) - (p.window == 1) + (p.keys.slots > LISTED_SLOTS)
        return p.text_stage + PIN_CYCLES + top.lead + waits + added

    @property
    def begin_cycles(self) -> int:
        """Those of the start and of the place of a block."""
        p = self.stack.parameters
        return max(p.entry_cycles(*p.first_tokens, way) - p.program(way).cycles for way in self.compiled.options.directions)

    @property
    def lead(self) -> int:
        """There is none."""
        return 0

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

    place: int = 1
    """The number of cycles in which the cipher takes a block, in the mean."""

    wait: int = 0
    """The largest number of cycles that a token waits for the cipher."""

    unused = UnusedCycles(message=1, associated=1, second=0)
    """Cycles in which no token fits, if tokens return to the cipher: some free cycles fit no token that comes next."""

    @property
    def key_cycles(self) -> int | None:
        """Cycles that a key costs the messages that it comes with, at most; None if its tokens take cycles that are free."""
        return None

    def step_cycles(self, title: str) -> int:
        """The number of cycles after which the next step may begin if nothing holds it up, in the mean."""
        return max(self.stack.parameters.program(title).cycles, self.compiled.plan.places_of(title))

    def turn(self, title: str) -> int:
        """The number of cycles that a message waits for its chain behind a step."""
        return self.compiled.plan.turn_after(self.compiled.plan.step(title)) - 1

    def cycles(self, waits: bool) -> Tokens:
        """The cycles of each step of a message; ``waits`` says whether no other message fills those in which one waits for its chain."""
        titles = {step.title for step in self.compiled.plan.steps}

        def most(*names: str) -> int:
            return max(self.step_cycles(name) + waits * self.turn(name) for name in names if name in titles)

        start = sum(map(self.step_cycles, self.stack.parameters.first_tokens))
        texts = self.compiled.mode.text_steps()
        return Tokens(start=start, associated=most("associated"), text=most(*texts), tag=self.step_cycles("tag"))

    @property
    def between(self) -> int:
        """Those of its program."""
        return self.stack.parameters.program(BETWEEN).cycles

    def rules_of(self) -> Rules:
        """The assertions without other layers."""
        return Rules(waiting=self.stack.parameters.token_depth, cut_codes=(MessageCode.BAD_KEEP, MessageCode.TOO_LONG))

    # -- what others say of it --------------------------------------------------------------------------------------------------------

    @property
    def verdicts(self) -> tuple[str, str]:
        """Those of ``MessageCode``."""
        return ("OK", "WRONG_TAG")

    def texts_of(self, d: StreamDescription) -> Texts:
        """The datasheet without other layers."""
        flag = "the slot's bit of `key_loaded`"
        if d.key_slots > LISTED_SLOTS:
            flag = "`key_loaded`, which is about the slot of the last packet,"
        refused = f", the mode refuses the key ({d.refused_keys})," if d.refused_keys else ""
        slots = f"slot{'s' * (d.key_slots != 1)}"
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
            protection=f" **{self.stack.unverified}**" * d.releases, protection_item=[f"- {self.stack.unverified}"] * d.releases,
            packets=aligned_packets(d, "associated data", "text", "begins with a beat of its own"),
            limit_rows=(["maximum associated data", d.most_associated, "bytes"], ["maximum text", d.most_text, "bytes"]),
            data_boxes=(Box("bus", "s_axis", f"{d.packet} packets"),),
        )  # fmt: skip


class BatchedControl(MessageControl):
    """The message control of a core whose cipher takes a batch of blocks every few cycles, so that tokens wait for their places."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """With ``--cipher-arch multistream``."""
        return compiled.plan.cadence is not None

    def __init__(self, stack: WholeCore):
        super().__init__(stack)
        plan = self.compiled.plan
        self.cadence = cast(Cadence, plan.cadence)
        self.place, self.wait = -(-self.cadence.interval // self.cadence.blocks), self.cadence.interval
        # Messages fill all places, but a last block of associated data that has the cipher only when it returns also takes the place in
        # which it enters.
        alone = any(uses and 0 not in uses for title, uses in plan.uses.items() if title in plan.placed.returns)
        self.unused = UnusedCycles(message=0, associated=self.place * alone, second=0)

    @property
    def varies(self) -> bool:
        """Messages wait for their places."""
        return True

    def step_cycles(self, title: str) -> int:
        """Those of the places of its tokens, too."""
        plan = self.compiled.plan
        return max(super().step_cycles(title), self.place * max(len(plan.reservations.paced(title)), plan.places_of(title)))

    def turn(self, title: str) -> int:
        """Blocks wait for their chain, and then for a batch."""
        return max(0, self._steady(title) - self.step_cycles(title)) if super().turn(title) else 0

    def _steady(self, *titles: str) -> int:
        """The mean distance of equal messages of these steps, rounded up."""
        messages, cycles = read(CadenceFigures, self.compiled.explain()["cadence"]).steady([[title] for title in titles])
        return -(-cycles // messages)

    @property
    def key_cycles(self) -> int:
        """The places of the tokens of set-up."""
        return KEY_CYCLES - (-self.stack.parameters.token_places * self.cadence.interval // self.cadence.blocks)

    @property
    def between(self) -> int:
        """What it adds to the distance of tags."""
        return max(0, self._steady(BETWEEN, "tag") - self._steady("tag"))

    def texts_of(self, d: StreamDescription) -> Texts:
        """When tokens enter."""
        t, interval, count = super().texts_of(d), self.cadence.interval, self.cadence.blocks
        moves, places = ("a block goes", "one cycle") if count == 1 else (f"{count} blocks go", f"{count} successive cycles")
        return replace(
            t, rate=f"{many(count, 'block')} every {interval} cycles, ", gap="", average="average ", beat_time="token",
            entry=(
                f"The rate is {d.pace}. A token that uses the cipher waits at the entry until the cipher takes a block. It then goes "
                "through all stages, one each cycle."
            ),
            cadence_theory=(
                f"The cipher is one round, through which {moves} at a time. A counter that runs freely lets tokens that use the cipher "
                f"enter in {places} of every {interval}, whatever messages they belong to. Other tokens enter in any cycle.", "",
            ),
            cadence_rows=([f"blocks that the cipher takes in {interval} cycles", count, "blocks"],),
            beat_notes=(
                f"It depends on the cycle in which the message comes: the message waits up to {d.waits} cycles for the cipher.",
                *t.beat_notes,
            ),
        )  # fmt: skip


class _BesideOthers(Layer):
    """Tokens enter between those of other messages."""

    @property
    def between(self) -> int:
        """It waits for its place, and then the next token does."""
        return self.stack.parameters.program(BETWEEN).cycles + 2 * self.stack.inmost.wait


class Returning(_BesideOthers):
    """Tokens return to the cipher."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """In modes that use the cipher twice for a block, on one cipher."""
        return compiled.plan.returning

    def described(self, d: StreamDescription) -> StreamDescription:
        """The cycles in which no token fits."""
        return replace(d, unused=self.stack.inmost.unused)


class StartsAhead(_BesideOthers):
    """A start runs ahead of its message."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """In modes whose start has the cipher."""
        return compiled.plan.runs_ahead

    @property
    def computed(self) -> int:
        """The stage in which the token of a start has computed the state, from which on its message may come."""
        plan = self.compiled.plan
        stages = [plan.placed.homes[name] for name in plan.started]
        for step in plan.free_starts:
            stages += [plan.placed.ready[step.title][term.source.number] for name in plan.started for term in step.updates[name]
                       if term.source.kind == "op"]
        return max(stages)

    @property
    def begin_cycles(self) -> int:
        """The start waits for its place in a batch, and then the block for its own."""
        return self.stack.parameters.ahead_waits(self.computed + ADMITTED_CYCLES, *self.compiled.options.directions)

    @property
    def lead(self) -> int:
        """Until the start has computed."""
        return START_CYCLES + self.computed

    def described(self, d: StreamDescription) -> StreamDescription:
        """A start takes a place, and holds up no other message."""
        return replace(d, cycles=replace(d.cycles, start=self.stack.inmost.step_cycles(next(self.stack.parameters.starts))))


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
        return self.inside.latency + self.stack.parameters.ways.latency

    def described(self, d: StreamDescription) -> StreamDescription:
        """Their number.  Others fill the cycles in which a message waits for its chain."""
        return replace(d, channels=self.compiled.options.channels, cycles=self.stack.inmost.cycles(False))

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


class Pairs(Layer):
    """A step of text takes several blocks."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """In modes with pairs of blocks."""
        return compiled.plan.pairs

    def described(self, d: StreamDescription) -> StreamDescription:
        """Their number."""
        return replace(d, text_blocks=self.compiled.mode.text_blocks)


class LengthsFirst(Layer):
    """A command has the bytes of associated data and of text."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """In modes that read lengths before a message begins."""
        return compiled.mode.lengths_first

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """What a packet of another length gets."""
        return replace(t, faults=(
            "The command has the number of bytes of text. A packet with fewer of them gets TOO_SHORT, and one with more gets TOO_LONG.", "",
            *t.faults,
        ))  # fmt: skip

    def rules(self, r: Rules, command: Packing) -> Rules:
        """A text may be too short."""
        return replace(r, cut_codes=(*r.cut_codes, MessageCode.TOO_SHORT))
