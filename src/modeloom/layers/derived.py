# SPDX-License-Identifier: Apache-2.0
"""Derives the key of each message of the master key in its slot and the nonce, and sends it to the message control as a key packet.

::

    cmd ──▶ [slice] ──┬──────────────────────────────────────────────▶ o        the same command, with the next key
                      ▼
                  held: nonce, slot ──▶ round cores ──▶ sums ──▶ packet ──▶ key
                      │                 a call each in a batch
                      └──▶ owners: whose key is where in the ring ◀── freed

Batches come in a fixed cadence, so that no cycle depends on keys or nonces.  The calls of the next message begin in the batch behind
those of the last one.  A command whose slot has no key gets a packet that is no key, for which the message control refuses it.

When no message waits, a packet drops the last key, so that no derived key stays in the core.  A slot is in use until all keys that were
derived of its master key are overwritten in the ring.

The sizes of the part that derives keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import groupby
from operator import or_, xor
from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom import cycles
from modeloom.ciphers import BlockCipher, CoreRequest, cipher_of
from modeloom.ciphers.check import expansion_cycles
from modeloom.compiler.streams import CompiledStream, DerivedKeys
from modeloom.cycles.messages import DERIVE_SLACK, POWER_OVERHEAD
from modeloom.interfaces import Interface
from modeloom.interfaces.messages import message_core
from modeloom.interfaces.table import by_member
from modeloom.layers.control import BusAround
from modeloom.layers.inline import key_interval, preparation_cycles
from modeloom.layers.layer import Layer, Texts, titles_around
from modeloom.product.description import KeyPart
from modeloom.product.messages import DerivationFigures, StreamDescription
from modeloom.rtl.bus import KeyParameters
from modeloom.rtl.bus.key_port import KeyPort
from modeloom.rtl.bus.ports import BusComponent, MemorySlice, fields_layout, ordered_key_beat
from modeloom.rtl.engine.storage import cut_bytes
from modeloom.rtl.stream.command import command_layout
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.pipeline import TokenPipeline
from modeloom.rtl.stream.powers import powers_cycles
from modeloom.rtl.stream.starts import SlotsInFlight
from modeloom.rtl.stream.storage import Queue
from modeloom.rtl.stream.values import string_moved
from modeloom.spec.cadence import BATCH_LEAD
from modeloom.spec.errors import numbers
from modeloom.streams.derive import Derivation
from modeloom.streams.steps import Form, Source, Term

__all__ = ["DerivedBus", "DerivedParameters", "KeyDerivation", "KeyDeriver", "SoftwareDerivation"]

# -- deriver ---------------------------------------------------------------------------------------------------------------------------

MORE_OWNERS = 8
"""Keys that are under way in front of the ring, at most."""

WAITING = 2
"""Commands that wait for the derivation of their keys."""


@dataclass(frozen=True, kw_only=True)
class DerivedParameters:
    """The sizes of the part that derives keys, and of the message control behind it.

    Parameters
    ----------
    messages : MessageParameters
        The message control.  Keys come with its messages.
    keys : KeyParameters
        The master keys.
    derivations : tuple of Derivation
        For each size of master keys, in the order of ``keys.sizes``.
    cores : int
        Round cores.
    latency, interval : int
        Cycles of a round core from an operand to its result, and from one batch to the next.
    """

    messages: MessageParameters
    keys: KeyParameters
    derivations: tuple[Derivation, ...]
    cores: int
    latency: int
    interval: int

    # -- the shape of the core ----------------------------------------------------------------------------------------------------

    @property
    def beat_bytes(self) -> int:
        """The number of bytes of a beat."""
        return self.messages.beat_bytes

    @property
    def key_slots(self) -> int:
        """Slots for master keys."""
        return self.keys.slots

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The interfaces of the core: those of a core with key slots."""
        p = self.messages
        return message_core(
            p.block_bytes, p.hold, self.keys.pins, self.keys.slots, p.pins, p.channels, p.lengths_first, 1 + p.plan.mode.two_passes
        )

    @property
    def command(self) -> StructLayout:
        """Payload of a command of the host."""
        return fields_layout(by_member(self.interfaces, "cmd"))

    # -- calls and blocks ---------------------------------------------------------------------------------------------------------

    def batches(self, size: int) -> int:
        """Batches of calls of a key of a size."""
        return -(-self.derivations[size].calls // self.cores)

    @property
    def most_batches(self) -> int:
        """Those of the size that has most of them."""
        return max(map(self.batches, range(len(self.derivations))))

    @property
    def beats(self) -> tuple[int, ...]:
        """Beats of a key of a message, for each size."""
        return tuple(-(-each.nbytes // self.messages.block_bytes) for each in self.derivations)

    def operands(self, core: int) -> Iterator[tuple[int, int, Form]]:
        """For each size and batch, the operand of a round core; none where it has nothing to do."""
        for size, derivation in enumerate(self.derivations):
            for number in range(core, derivation.calls, self.cores):
                yield size, number // self.cores, derivation.operands[number]

    def parts(self, beat: int) -> Iterator[tuple[int, Form, tuple[int, ...]]]:
        """What each batch adds to a beat: the batch, the form with the numbers of round cores in place of calls, and the sizes for which
        it is so."""
        found: list[tuple[int, Form, int]] = []
        for size, derivation in enumerate(self.derivations):
            for batch in range(self.batches(size) if beat < len(derivation.blocks) else 0):
                calls = range(batch * self.cores, (batch + 1) * self.cores)
                form = tuple(
                    term if term.source.kind == "const" else Term(Source("op", calls.index(term.source.number)), term.maps)
                    for term in derivation.blocks[beat] if (batch == 0 if term.source.kind == "const" else term.source.number in calls)
                )
                if form:
                    found.append((batch, form, size))
        found.sort(key=lambda one: (one[0], repr(one[1]), one[2]))
        for (batch, _), group in groupby(found, key=lambda one: (one[0], repr(one[1]))):
            each = list(group)
            yield batch, each[0][1], tuple(size for _, _, size in each)

    # -- sizes --------------------------------------------------------------------------------------------------------------------

    @property
    def sized(self) -> bool:
        """Whether master keys have several sizes, so that the size of its key comes with a round key."""
        return len(self.derivations) > 1

    @property
    def slot_bits(self) -> int:
        """The width of the number of a slot."""
        return max(1, (self.keys.slots - 1).bit_length())

    @property
    def owners(self) -> int:
        """Keys that are on the way to the ring or in it, at most."""
        return 1 << (self.messages.keys.slots + MORE_OWNERS - 1).bit_length()

    @property
    def most_commands(self) -> int:
        """Commands that the core takes without a status."""
        return WAITING + self.messages.most_commands

    @property
    def most_packets(self) -> int:
        """Packets that the core takes without a status."""
        return WAITING + self.messages.most_packets

    @property
    def flight_bits(self) -> int:
        """Bits of the number of a key: more than there are in flight."""
        return (2 * self.owners).bit_length()

    @property
    def erase_words(self) -> int:
        """The number of words of the deepest memory."""
        return max(self.messages.erase_words, self.keys.round_words, self.owners)

    @property
    def erase_bits(self) -> int:
        """The width of ``erase_address``."""
        return max(1, (self.erase_words - 1).bit_length())

    @property
    def flush(self) -> int:
        """The largest number of cycles that a value takes through registers without a reset."""
        return max(self.messages.flush, self.interval + self.latency + 4)


class KeyDeriver(BusComponent[DerivedParameters]):
    """Derives keys.

    Parameters
    ----------
    parameters : DerivedParameters
    cores : sequence of component
        The round cores, for one block each.

    Members
    -------
    cmd, o : streams
        Commands of the host, and those for the message control.
    key : stream of ordered_key_beat
        Key packets in the order of the commands.
    loaded : slots
        The slots with a master key.
    rk_we, rk_slot, rk_round, rk_data, rk_length
        Round keys of master keys.  The length is there with several sizes of keys.
    freed : 1
        The next key of the ring is overwritten.
    query, in_use : slot, 1
        Asks whether anything derived of the master key of a slot is in the core.
    erase, erase_address : 1, erase_bits
        Writes zeros to this word of all memories, while it is held in reset.
    """

    def __init__(self, parameters: DerivedParameters, cores: Sequence[Any]):
        self.cores = list(cores)
        super().__init__(parameters)

    @staticmethod
    def ports(parameters: DerivedParameters) -> dict[str, Any]:
        p, keys = parameters, parameters.keys
        return {
            "cmd": In(stream.Signature(p.command)), "o": Out(stream.Signature(command_layout(p.messages))),
            "key": Out(stream.Signature(ordered_key_beat())), "loaded": In(keys.slots),
            "rk_we": In(1), "rk_slot": In(p.slot_bits), "rk_round": In(keys.round_bits), "rk_data": In(keys.round_key_bits),
            **({"rk_length": In(range(len(keys.sizes)))} if p.sized else {}),
            "freed": In(1), "query": In(p.slot_bits), "in_use": Out(1), "erase": In(1), "erase_address": In(p.erase_bits),
        }  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        size_shape = range(max(2, len(p.derivations)))
        m.submodules.taken = taken = MemorySlice(p.command)
        m.submodules.owners = owners = Queue(StructLayout({"slot": p.slot_bits, "real": 1}), p.owners, p.erase_bits)
        m.submodules.flight = flight = SlotsInFlight(p)  # type: ignore[arg-type]
        command = taken.o.payload

        held_reg = Signal()
        good_reg = Signal()
        nonce_reg = Signal(p.messages.block_bits)
        slot_reg = Signal(p.slot_bits)
        size_reg = Signal(size_shape)
        batch_reg = Signal(range(max(2, p.most_batches)))
        # Keys from their first batch to the end of their packet, and whether the last key has to be dropped.
        under_way_reg = Signal(2)
        keeps_reg = Signal()
        sending_reg = Signal()
        free = Signal()
        sent = Signal()
        begins = Signal()

        # -- commands ---------------------------------------------------------------------------------------------------------
        take = Signal()
        good = Signal()
        drop = Signal()
        m.d.comb += [
            taken.i.valid.eq(self.cmd.valid), taken.i.payload.eq(self.cmd.payload), self.cmd.ready.eq(taken.i.ready),
            taken.erase.eq(self.erase), taken.erase_address.eq(self.erase_address[0]),
            free.eq(~held_reg & owners.i.ready), take.eq(taken.o.valid & self.o.ready & free),
            self.o.valid.eq(taken.o.valid & free), taken.o.ready.eq(self.o.ready & free),
            *(field.eq(command[name]) for name, field in self._same(self.o.payload, command)), self.o.payload.new_key.eq(1),
            good.eq((command.slot < p.keys.slots) & self.loaded.bit_select(command.slot[: p.slot_bits], 1)),
            drop.eq(keeps_reg & ~taken.o.valid & free & (under_way_reg == 0) & ~sending_reg),
        ]  # fmt: skip
        nonce = command.nonce[: 8 * p.messages.plan.mode.nonce_bytes[0][0]]
        # Outside of the condition below, since sizes are written when keys are loaded.
        size = self._size(m, command.slot[: p.slot_bits])
        with m.If(take):
            m.d.sync += [
                held_reg.eq(1), good_reg.eq(good), slot_reg.eq(command.slot), nonce_reg.eq(nonce), batch_reg.eq(0),
                size_reg.eq(size),
            ]  # fmt: skip

        # -- whose keys are in the ring -----------------------------------------------------------------------------------------
        m.d.comb += [
            owners.i.valid.eq(take | drop), owners.i.payload.slot.eq(command.slot), owners.i.payload.real.eq(take & good),
            owners.o.ready.eq(self.freed),
            flight.admitted.eq(take & good), flight.slot.eq(command.slot), flight.query.eq(self.query), self.in_use.eq(flight.busy),
            flight.finished.eq(self.freed & owners.o.payload.real), flight.finished_slot.eq(owners.o.payload.slot),
            *(part.erase.eq(self.erase) for part in (owners, flight)),
            *(part.erase_address.eq(self.erase_address) for part in (owners, flight)),
        ]  # fmt: skip

        # -- calls ------------------------------------------------------------------------------------------------------------
        # The counter runs freely.  The first batch after a reset has its signal, too.
        phase_reg = Signal(range(p.interval), init=1)
        block = Signal()
        soon = Signal()
        launch = Signal()
        last = Signal()
        m.d.sync += phase_reg.eq(Mux(phase_reg == p.interval - 1, 0, phase_reg + 1))
        m.d.comb += [
            block.eq(phase_reg == 0), soon.eq(phase_reg == p.interval - BATCH_LEAD),
            last.eq(batch_reg == self._by_size(size_reg, [p.batches(size) - 1 for size in range(len(p.derivations))])),
            # One key at most waits in the sums while the packet of the key before it is sent.
            launch.eq(block & held_reg & good_reg & ((batch_reg != 0) | ~under_way_reg[1])),
            begins.eq(launch & (batch_reg == 0)),
        ]  # fmt: skip
        with m.If(launch):
            m.d.sync += batch_reg.eq(batch_reg + 1)
            with m.If(last):
                m.d.sync += held_reg.eq(0)
        for number, core in enumerate(self.cores):
            m.submodules[f"cipher_{number}"] = core
            m.d.comb += [
                core.batch.eq(soon), core.slot.eq(Mux(launch, slot_reg, 0)),
                core.i.eq(self._operand(m, number, nonce_reg, size_reg, batch_reg) & launch.replicate(p.messages.block_bits)),
            ]  # fmt: skip
            self._connect_round_keys(m, core)

        # -- results ----------------------------------------------------------------------------------------------------------
        about: Any = Signal(StructLayout({"valid": 1, "last": 1, "size": size_shape, "batch": len(batch_reg)}), name="about")
        m.d.comb += [about.valid.eq(launch), about.last.eq(last), about.size.eq(size_reg), about.batch.eq(batch_reg)]
        for number in range(p.latency):
            late: Any = Signal.like(about, name=f"about_{number + 1}_reg")
            m.d.sync += late.eq(about)
            about = late
        most = max(p.beats)
        sums = [Signal(p.messages.block_bits, name=f"sum_{beat}_reg") for beat in range(most)]
        packet = [Signal(p.messages.block_bits, name=f"packet_{beat}_reg") for beat in range(most)]
        full_reg = Signal()
        whole_size_reg = Signal(size_shape)
        moves = Signal()
        m.d.comb += moves.eq(full_reg & ~sending_reg)
        results = [core.o for core in self.cores]
        with m.If(moves):
            m.d.sync += [full_reg.eq(0), *(each.eq(0) for each in sums)]
        with m.If(about.valid):
            m.d.sync += [each.eq(each ^ self._added(m, beat, results, about)) for beat, each in enumerate(sums)]
            with m.If(about.last):
                m.d.sync += [full_reg.eq(1), whole_size_reg.eq(about.size)]

        # -- packets ----------------------------------------------------------------------------------------------------------
        left_reg = Signal(range(most))
        keep_reg = Signal(len(self.key.payload.keep))
        erases_reg = Signal()
        refused = Signal()
        m.d.comb += [
            refused.eq(held_reg & ~good_reg & (under_way_reg == 0) & ~sending_reg),
            self.key.valid.eq(sending_reg), self.key.payload.data.eq(packet[0]), self.key.payload.last.eq(left_reg == 0),
            self.key.payload.keep.eq(Mux(left_reg == 0, keep_reg, (1 << len(keep_reg)) - 1)), self.key.payload.erase.eq(erases_reg),
            sent.eq(self.key.ready & sending_reg & (left_reg == 0)),
        ]  # fmt: skip
        m.d.sync += under_way_reg.eq(under_way_reg + (begins | refused | drop) - sent)
        with m.If(self.key.ready & sending_reg):
            m.d.sync += [left_reg.eq(left_reg - 1), *(one.eq(after) for one, after in zip(packet, (*packet[1:], Const(0))))]
            with m.If(left_reg == 0):
                m.d.sync += sending_reg.eq(0)
        with m.If(moves):
            full = p.messages.block_bytes
            m.d.sync += [
                sending_reg.eq(1), erases_reg.eq(0), keeps_reg.eq(1), *(one.eq(value) for one, value in zip(packet, sums, strict=True)),
                left_reg.eq(self._by_size(whole_size_reg, [beats - 1 for beats in p.beats])),
                keep_reg.eq(self._by_size(whole_size_reg, [(1 << (each.nbytes - 1) % full + 1) - 1 for each in p.derivations])),
            ]  # fmt: skip
        # One byte is no key.
        with m.If(refused | drop):
            m.d.sync += [sending_reg.eq(1), left_reg.eq(0), keep_reg.eq(1), erases_reg.eq(drop)]
        with m.If(refused):
            m.d.sync += [held_reg.eq(0), keeps_reg.eq(0)]
        with m.If(drop):
            m.d.sync += keeps_reg.eq(0)
        return m

    def _same(self, payload: Any, command: Any) -> list[tuple[str, Any]]:
        """The fields that commands of both kinds have."""
        theirs = [name for name, _ in command.shape()]
        return [(name, payload[name]) for name, _ in payload.shape() if name in theirs and name != "reserved"]

    def _by_size(self, size: Value, values: Sequence[int]) -> Value:
        """One of some numbers, by the size of the master key."""
        if len(set(values)) == 1:
            return Const(values[0])
        return Array(Const(value, max(values).bit_length()) for value in values)[size]

    def _size(self, m: Module, slot: Value) -> Value:
        """The size of the key of a slot: that of the last round key that was written."""
        p = self.parameters
        if not p.sized:
            return Const(0, 1)
        sizes = [Signal(self.rk_length.shape(), name=f"size_{number}_reg", init=p.keys.longest) for number in range(p.keys.slots)]
        for number, each in enumerate(sizes):
            with m.If(self.rk_we & (self.rk_slot == number)):
                m.d.sync += each.eq(self.rk_length)
        return Array(sizes)[slot]

    def _form(self, m: Module, form: Form, sources: Sequence[Value]) -> Value:
        """The value of a form."""
        bits = self.parameters.messages.block_bits
        values = []
        for term in form:
            # The nonce has no number.
            number = term.source.number or 0
            value: Value = Const(number, bits) if term.source.kind == "const" else sources[number]
            for name, amount in term.maps:
                assert isinstance(amount, int)
                if name == "keep":
                    value = cut_bytes(value, amount)
                else:
                    part = Signal(bits, name="moved")
                    m.d.comb += part.eq(value)
                    value = string_moved(part, amount)
            values.append(value)
        return reduce(xor, values, Const(0, bits))

    def _operand(self, m: Module, core: int, nonce: Value, size: Value, batch: Value) -> Value:
        """The operand of a round core in a batch."""
        bits = self.parameters.messages.block_bits
        operand = Signal(bits, name=f"operand_{core}")
        groups: dict[Form, list[tuple[int, int]]] = {}
        for of_size, number, form in self.parameters.operands(core):
            groups.setdefault(form, []).append((of_size, number))
        chosen: list[Value] = []
        for form, places in groups.items():
            numbers = sorted({number for _, number in places})
            here = [self._matches(size, [one for one, each in places if each == number]) & (batch == number) for number in numbers]
            chosen.append(self._form(m, form, [nonce]) & reduce(or_, here).replicate(bits))
        m.d.comb += operand.eq(reduce(or_, chosen, Const(0, bits)))
        return operand

    def _added(self, m: Module, beat: int, results: Sequence[Value], about: Any) -> Value:
        """What the results of a batch add to a beat of the packet."""
        bits = self.parameters.messages.block_bits
        parts = [
            self._form(m, form, results) & ((about.batch == batch) & self._matches(about.size, sizes)).replicate(bits)
            for batch, form, sizes in self.parameters.parts(beat)
        ]
        return reduce(xor, parts, Const(0, bits))

    def _matches(self, size: Value, sizes: Sequence[int]) -> Value:
        """Whether a size is one of some."""
        if len(set(sizes)) == len(self.parameters.derivations):
            return Const(1, 1)
        return Cat(size == one for one in sizes).any()

    def _connect_round_keys(self, m: Module, core: Any) -> None:
        """The write port of a round core.  An erasure writes zeros to all round keys."""
        p, rounds = self.parameters, self.parameters.keys.round_words
        erase = self.erase & (self.erase_address < rounds) if 1 << p.erase_bits > rounds else self.erase
        m.d.comb += [
            core.key_we.eq(self.rk_we | erase), core.key_data.eq(self.rk_data),
            core.key_slot.eq(Mux(erase, self.erase_address[p.keys.round_bits :], self.rk_slot)),
            core.key_round.eq(Mux(erase, self.erase_address[: p.keys.round_bits], self.rk_round)),
        ]  # fmt: skip
        if p.sized:
            m.d.comb += core.key_length.eq(self.rk_length)


class DerivedBus(BusAround):
    """The buses of a core that derives keys.

    ::

        key ──▶ KeyPort ──round keys──▶ KeyDeriver ──key packets──▶ MessageBus ──▶ m, status
                   └──────key_loaded──▶     ▲  └─────commands────▶     ▲
        cmd ────────────────────────────────┘                          │
        s ─────────────────────────────────────────────────────────────┘

    Parameters
    ----------
    parameters : DerivedParameters
    inside : MessageBus
        The message control.
    master_schedule : component
        The key schedule of master keys.
    cores : sequence of component
        The round cores of the deriver.
    """

    def __init__(
        self, parameters: DerivedParameters, inside: wiring.Component, master_schedule: wiring.Component, cores: Sequence[wiring.Component]
    ):  # fmt: skip
        self.parameters, self.master_schedule, self.cores = parameters, master_schedule, list(cores)
        super().__init__(parameters, inside)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        p = self.parameters
        m.submodules.key_port = port = KeyPort(p.keys)
        m.submodules.key_schedule = self.master_schedule
        m.submodules.deriver = deriver = KeyDeriver(p, self.cores)
        m.submodules.messages = messages = self.inside
        for source, target in (
            (wiring.flipped(self.key), port.key), (port.schedule, self.master_schedule), (port.state, wiring.flipped(self.key_state)),
            (wiring.flipped(self.cmd), deriver.cmd), (deriver.o, messages.cmd), (deriver.key, messages.key),
            (wiring.flipped(self.s), messages.s), (messages.m, wiring.flipped(self.m)), (messages.status, wiring.flipped(self.status)),
        ):  # fmt: skip
            wiring.connect(m, source, target)
        round_key, setup = port.preparation.round_key, port.preparation.setup
        m.d.comb += [
            deriver.loaded.eq(port.state.loaded), deriver.freed.eq(messages.freed),
            deriver.query.eq(port.in_use.slot), port.in_use.busy.eq(deriver.in_use),
            deriver.rk_we.eq(round_key.we), deriver.rk_slot.eq(round_key.slot), deriver.rk_round.eq(round_key.round),
            deriver.rk_data.eq(round_key.data),
            # Nothing else is computed of a master key alone.
            setup.done.eq(setup.request),
            *self.erase_parts(deriver, messages),
        ]  # fmt: skip
        if p.sized:
            m.d.comb += deriver.rk_length.eq(round_key.length)
        return m


# -- layer -----------------------------------------------------------------------------------------------------------------------------

# Keys of messages that are derived of master keys: by the core, or by software.

MASTER = "master"
"""The part of a key packet in a core that derives the keys of messages."""

TITLES = {
    "bus": "The part that derives keys, in front of the message control",
    "bus_deriver": "Derives the key of each message of its nonce and the master key in its slot",
    "bus_deriver_flight": "Which master keys have something derived of them in the core",
    "bus_deriver_cipher_0": "A round of the cipher",
    "bus_key_port": "Takes master keys, and erases them",
    "bus_key_schedule": "Round keys of master keys",
    "bus_messages": "The message control around the pipeline",
}


class SoftwareDerivation(Layer):
    """Software derives the key that comes with a message."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """In modes that derive keys, with ``--keys inline``."""
        return compiled.mode.derives() and compiled.derived is None

    def described(self, d: StreamDescription) -> StreamDescription:
        """The sizes of master keys."""
        return replace(d, master_key_sizes=tuple(bits // 8 for bits in self.compiled.cipher_request.key_sizes))

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """What software has to do."""
        return replace(t, key_packets=(
            *t.key_packets,
            f"Each nonce has keys of its own. Software derives them of a master key of {numbers(d.user_key_lengths)} bytes, and sends "
            f"{' and '.join(d.key_parts)}, one behind the other, with the first message of a nonce. The core has no master key.", "",
        ))  # fmt: skip


class KeyDerivation(Layer):
    """Derives the key of each message.

    Slots hold master keys.  The message control has a ring of slots for the keys of messages, of which no sentence speaks.
    """

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """With ``--keys derived``."""
        return compiled.derived is not None

    # -- sizes and hardware -----------------------------------------------------------------------------------------------------------

    @property
    def made(self) -> DerivedKeys:
        """How keys are derived."""
        if self.compiled.derived is None:
            raise ValueError(f"{self.compiled.mode.name}: the core derives no keys")
        return self.compiled.derived

    @property
    def cipher(self) -> BlockCipher:
        """The cipher of the deriver."""
        return cipher_of(self.compiled.mode, self.compiled.options.cipher)

    def control(self, p: MessageParameters) -> MessageParameters:
        """It tells when a key is gone."""
        return replace(p, keys=replace(p.ordered_keys, told=("freed",)))

    @cached_property
    def sizes(self) -> DerivedParameters:
        """Slots for master keys, and round cores."""
        made, sizes = self.made, self.compiled.cipher_request.key_sizes
        master = KeyParameters(
            slots=self.compiled.options.key_slots or 1, block_bits=8 * self.compiled.mode.block_bytes, cipher_key_bits=sizes[0],
            more_key_bits=sizes[1:], round_keys=max(map(self.cipher.round_keys, sizes)), round_key_bits=self.cipher.round_key_bits,
        )  # fmt: skip
        return DerivedParameters(
            messages=self.stack.parameters, keys=master, derivations=made.derivations, cores=made.cores, latency=made.timing.latency,
            interval=made.timing.interval,
        )  # fmt: skip

    @property
    def request(self) -> CoreRequest:
        """The request for one of the round cores."""
        return self.made.request.but(slots=self.sizes.keys.slots)

    def requests(self) -> list[CoreRequest]:
        """The round cores, too."""
        return [*self.inside.requests(), self.request]

    def bus(self, pipeline: TokenPipeline, schedules: Sequence[wiring.Component]) -> wiring.Component:
        """The deriver with its round cores, and the message control."""
        p = self.sizes
        return DerivedBus(p, self.inside.bus(pipeline, schedules), self.cipher.expander(p.keys.sizes, False), self.deriver_ciphers())

    @property
    def derivers(self) -> tuple[DerivedParameters, ...]:
        """This layer."""
        return (self.sizes,)

    def deriver_ciphers(self) -> Sequence[wiring.Component]:
        """The round cores."""
        return [self.cipher.hardware(self.request) for _ in range(self.made.cores)]

    def titles(self) -> Mapping[str, Sequence[str]]:
        """Those of the deriver."""
        return titles_around(self.inside.titles(), TITLES)

    # -- figures ----------------------------------------------------------------------------------------------------------------------

    @property
    def interval(self) -> int:
        """The largest mean number of cycles from one message to the next, as far as their keys are concerned.

        It is that of the derivation, or that of keys that come with messages if it is longer.  If a key is prepared for longer than the
        next one is derived, keys also wait for each other: two of them are under way at a time, and each is derived, from the next batch
        on, and then waits for a preparation.
        """
        made, prepared = self.made, preparation_cycles(self.compiled, self.stack.parameters)
        waits = made.cycles + made.timing.latency + max(self.sizes.beats) + prepared if prepared > made.cycles else 0
        return max(made.cycles, key_interval(self.compiled, self.stack.parameters), -(-waits // 2))

    @property
    def derive_cycles(self) -> int:
        """Cycles, at most, from a command to the time when the key of its message is ready."""
        p, made, inner = self.sizes, self.made, self.stack.parameters
        iterative = self.compiled.options.key_schedule == "iterative"
        powers = 0
        if inner.powers:
            powers = powers_cycles(inner.block_bits, inner.plan.chains, inner.power_digit) + POWER_OVERHEAD + inner.preparations
        return (
            made.timing.interval + made.cycles + made.timing.latency + max(p.beats)
            + expansion_cycles(self.cipher, inner.keys.sizes, iterative) + inner.token_cycles + powers + DERIVE_SLACK
        )  # fmt: skip

    @property
    def latency(self) -> int:
        """The command comes with the text, and the key is derived meanwhile."""
        return self.inside.latency + self.derive_cycles

    @property
    def varies(self) -> bool:
        """A derivation waits for its batch."""
        return True

    @property
    def key_erase_cycles(self) -> int:
        """Until nothing of a master key is left, nor of what was derived of it, if no message of its slot is in flight."""
        p = self.sizes
        own = cycles.key_erase_cycles(
            key_words=0, cipher_keys=1, rounds=1 << p.keys.round_bits, result_words=0, flush=p.interval + p.latency,
        )  # fmt: skip
        # The last key is dropped as soon as no other message waits.
        return own + self.inside.key_erase_cycles + self.derive_cycles

    def described(self, d: StreamDescription) -> StreamDescription:
        """Master keys, and how fast keys are derived."""
        layout = (KeyPart(name=MASTER, offset=0, bytes=(self.compiled.options.key_bits or 0) // 8),)
        sizes = tuple(bits // 8 for bits in self.compiled.cipher_request.key_sizes)
        return replace(
            d, key_parts=(MASTER,), key_layout=layout, key_bytes=layout[0].bytes, key_sizes=sizes, derive_interval=self.interval,
            derive_latency=self.derive_cycles,
        )  # fmt: skip

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """Master keys, and what the core makes of them."""
        of = d.explain.derivation or DerivationFigures(calls=(), cores=0, cycles=0)
        calls = " or ".join(map(str, sorted(set(of.calls))))
        cores = "a round core" if of.cores == 1 else f"{of.cores} round cores"
        bus, schedule = t.key_boxes
        return replace(
            t, built=(
                f"The core derives the key of each message of a master key. In the mean, a message takes at least {d.derive_interval} "
                "cycles.",
            ),
            key_figure=f"slots for master keys: {d.key_slots}; keys of messages are derived, {d.derive_interval} cycles apart",
            key_places=f"{t.key_places} for master keys", key_boxes=(bus, replace(schedule, detail="derives keys of messages")),
            key_rows=(["minimum average interval between messages, for their keys", d.derive_interval, "cycles"], *t.key_rows),
            latency_notes=(*t.latency_notes, "It includes the time until the key of this message is derived and prepared."),
            key_theory=(
                f"Slots hold master keys. In front of the pipeline, {cores} of the cipher make the key of each message of its nonce and "
                f"the master key in its slot, with {calls} calls of the cipher, while the pipeline works on the messages before it. The "
                "key is then expanded, and its powers are computed, in a ring of slots that no port names. When the message is done, they "
                "are overwritten.", "",
            ),
            key_packets=(
                *t.key_packets, "Each nonce has keys of its own, which the core derives of the master key. They never leave the core. A "
                "command names the slot of the master key.", "",
            ),
        )  # fmt: skip
