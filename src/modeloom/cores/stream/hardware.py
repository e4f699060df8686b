# SPDX-License-Identifier: Apache-2.0
"""A whole core for messages: its buses, the pipeline of a compiled stream mode, and the flat port names of the emitted top.

The core and its ports::

    aclk, aresetn,    ┌─────────────────────────────────────────────────┐
    zeroize       ──▶ │ Zeroizer ──▶ reset, zeros to all memories       │ ──▶ zeroizing
    s_axis_cmd_*  ──▶ │ MessageBus ◀──▶ TokenPipeline: cipher,          │ ──▶ m_axis_*
    s_axis_*      ──▶ │                 multiplier, key memory, chains  │ ──▶ m_axis_status_*
    s_axis_key_*  ──▶ └─────────────────────────────────────────────────┘ ──▶ key_loaded, key_busy, key_error
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from amaranth.hdl import ClockDomain, ClockSignal, Module, ResetSignal, Signal
from amaranth.lib import wiring

from modeloom import cycles
from modeloom.ciphers import cipher_of
from modeloom.ciphers.expansion import expansion_cycles
from modeloom.compiler.streams import CompiledStream
from modeloom.cycles.messages import (
    ADMITTED_CYCLES,
    CHAINED_CYCLES,
    CHANNEL_CYCLES,
    CLEAR_CYCLES,
    DRAIN_CYCLES,
    DROP_CYCLES,
    HOLD_CYCLES,
    PIN_CYCLES,
    POWER_OVERHEAD,
    PREFIX_CYCLES,
    START_CYCLES,
    WIRE_CYCLES,
)  # fmt: skip
from modeloom.interfaces.messages import KEY_CYCLES
from modeloom.interfaces.table import LISTED_SLOTS, CoreShape
from modeloom.rtl.bus import KeyParameters
from modeloom.rtl.bus.expanded_port import ExpandedKeyParameters
from modeloom.rtl.bus.inline_port import InlineKeyParameters
from modeloom.rtl.bus.ports import FlatPort, flat_ports, top_members
from modeloom.rtl.gf128.architectures import MULTIPLIERS
from modeloom.rtl.stream.bus import MessageBus
from modeloom.rtl.stream.derived import DerivedParameters
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.pipeline import TokenPipeline
from modeloom.rtl.stream.powers import powers_cycles
from modeloom.rtl.zeroize import Zeroizer
from modeloom.spec import InputError
from modeloom.spec.kinds import CIPHER
from modeloom.spec.stream import BETWEEN

__all__ = [
    "StreamHardware", "bus_parameters", "core_ports", "erase_cycles", "key_cycles", "key_erase_cycles", "key_interval",
    "latency", "preparation_cycles",
]  # fmt: skip


def bus_parameters(compiled: CompiledStream) -> MessageParameters:
    """The sizes of the buses.  Raises ``InputError`` if the buses do not fit the mode."""
    mode, options = compiled.mode, compiled.options
    cipher, sizes = cipher_of(mode, options.cipher), compiled.cipher_request.key_sizes
    parts, keys = mode.key_parts, mode.cipher_keys
    before = min((parts.index(name) for name in keys), default=0)
    if len(keys) != 1:
        raise InputError(f"{mode.name}: a core for messages takes one cipher key, not {len(keys)}")
    kind: Callable[..., KeyParameters] = (
        InlineKeyParameters if options.in_order else {"expanded": ExpandedKeyParameters}.get(options.keys, KeyParameters)
    )
    raw, horner = len(parts) - 1, compiled.plan.horner
    own: dict[str, int] = {}
    if options.writers:
        own |= {"writers": options.writers, "least_round_keys": min(map(cipher.round_keys, sizes))}
    if options.in_order and horner is not None and horner.key is not None and compiled.plan.word(horner.key) < raw:
        own["base_word"] = compiled.plan.word(horner.key)
    try:
        return MessageParameters(
            plan=compiled.plan, hold=options.hold, packet="segments" if options.interface == "lwc" else options.packet,
            channels=options.channels, tells_freed=options.keys == "derived",
            encrypt="encrypt" in options.directions, decrypt="decrypt" in options.directions,
            keys=kind(
                slots=options.slots_inside, block_bits=8 * mode.block_bytes, cipher_key_bits=sizes[0],
                more_key_bits=sizes[1:], round_keys=max(map(cipher.round_keys, sizes)), round_key_bits=cipher.round_key_bits,
                raw_words_before=before, raw_words_after=len(parts) - before - 1, words=len(compiled.plan.words), **own,
            ),
        )  # fmt: skip
    except ValueError as error:
        raise InputError(f"{mode.name}: the buses of a core do not fit this mode: {error}") from error


def core_ports(parameters: MessageParameters) -> tuple[FlatPort, ...]:
    """All ports of a core but ``aclk`` and ``aresetn``, in order."""
    return tuple(port for interface in parameters.interfaces for port in flat_ports(interface))


def erase_cycles(compiled: CompiledStream) -> int:
    """The number of cycles that a core takes to overwrite everything, after the last cycle with a reset or ``zeroize``."""
    p = bus_parameters(compiled)
    return cycles.zeroize_cycles(p.erase_words, p.flush)


def key_erase_cycles(compiled: CompiledStream) -> int:
    """The number of cycles from the first beat of a packet that erases a slot until nothing of its key is left.

    It holds if no message is in flight.  Messages of the slot in flight add the time that they still need.  If a message of another
    slot pauses before it has as many blocks as the hash has chains, it adds its pause.  With several channels, this holds for each channel.
    """
    p = bus_parameters(compiled)
    # Each chain is overwritten by a message without data, whose tag may take several cycles.
    steps = (*[BETWEEN] * p.text_first, "tag")
    state = p.entry_cycles(*steps * (p.plan.chains + 2))
    if p.inline:
        # The packet passes through the port and the preparation first.
        own = cycles.FENCE_CYCLES + max(p.keys.words, p.keys.round_keys) + state + p.flush
        return own + DROP_CYCLES
    return cycles.key_erase_cycles(
        key_words=p.keys.words, cipher_keys=p.keys.all_cipher_keys, rounds=1 << p.keys.round_bits, result_words=p.contexts * state,
        flush=p.flush,
    )  # fmt: skip


def _preparation_parts(compiled: CompiledStream) -> tuple[int, int]:
    """Cycles of the expansion of a key, and of its powers."""
    p, plan = bus_parameters(compiled), compiled.plan
    iterative = compiled.options.key_schedule == "iterative"
    expansion = expansion_cycles(cipher_of(compiled.mode, compiled.options.cipher), p.keys.sizes, iterative)
    # The powers of a key wait once for those of each other key where they are written.
    return expansion, powers_cycles(p.block_bits, plan.chains, p.power_digit) + POWER_OVERHEAD + p.preparations if p.powers else 0


def preparation_cycles(compiled: CompiledStream) -> int:
    """Cycles in which a key that comes with a message is prepared: its expansion, the tokens of set-up and its powers."""
    return sum(_preparation_parts(compiled)) + bus_parameters(compiled).token_cycles


def key_interval(compiled: CompiledStream) -> int:
    """The largest mean number of cycles from one key that comes with a message to the next, if the core is kept busy.

    The parts of the preparation are the expansion, the tokens of set-up and the powers.  The interval is the time of the longest
    part, or the mean time in which the slots of the ring become free again if that is longer.
    """
    p = bus_parameters(compiled)
    expansion, powers = _preparation_parts(compiled)
    # Without writers of their own, zeros wait for the round keys of the next key, which has the same port.
    zeros = CLEAR_CYCLES if p.writers else max(p.keys.words, p.keys.round_keys) + p.keys.round_keys
    drained = p.tag_stage + p.window + DRAIN_CYCLES + cycles.FENCE_CYCLES + zeros
    whole = expansion + p.token_cycles + powers + drained
    shared = ((expansion, max(1, p.writers)), (max(p.turn_cycles, powers), p.preparations), (whole, p.keys.slots - 1))
    # The words of a key are written one by one.
    return max(p.keys.words, *(-(-time // parts) for time, parts in shared))


def key_cycles(compiled: CompiledStream) -> int:
    """The number of cycles that a new key costs the messages, at most, if keys are ``key_interval`` cycles or more apart.

    With a cadence, the tokens of set-up take places of messages.
    """
    cadence, p = compiled.plan.cadence, bus_parameters(compiled)
    return KEY_CYCLES + (0 if cadence is None else -(-p.token_places * cadence.interval // cadence.blocks))


def _started_in(compiled: CompiledStream) -> int:
    """The stage in which the token of a start that runs ahead has computed the state, from which on its message may come."""
    plan = compiled.plan
    stages = [plan.placed.homes[name] for name in plan.started]
    for step in plan.steps:
        for name in plan.started if step.name == "start" else ():
            stages += [plan.placed.ready[step.title][int(term.source.what)] for term in step.updates[name]  # type: ignore[call-overload]
                       if term.source.kind == "op"]
    return max(stages)


def _waits(compiled: CompiledStream) -> int:
    """The largest number of cycles from the one in which the first token of a message could enter to the first block of text."""
    p, ways = bus_parameters(compiled), compiled.options.directions
    if p.plan.runs_ahead and p.plan.cadence is not None:
        # The start waits for its place in a batch, and then the block for its own.
        return p.ahead_waits(_started_in(compiled) + ADMITTED_CYCLES, *ways)
    first = next(p.starts)
    starts = (first,) if p.program(first).tokens else ()
    return max(p.entry_cycles(*starts, way) - p.program(way).cycles for way in ways)


def latency(compiled: CompiledStream) -> int:
    """The number of cycles from the first beat of text in to the first beat out, for a message of one beat in an idle core; the largest,
    if tokens wait for a cadence.

    In a core that holds text, and in wire form, it is the number for a sealed message.  In wire form this beat waits for its tag.
    """
    p = bus_parameters(compiled)
    held = HOLD_CYCLES if p.hold else 0
    first = next(p.starts)
    starts = (first,) if p.program(first).tokens else ()
    if p.plan.runs_ahead:
        held += START_CYCLES + _started_in(compiled)
    # Without a hash the beat does not wait for the tag behind it.
    held -= p.window == 1
    if p.wire:
        tag = p.program("tag")
        if p.plan.runs_ahead:
            # The splitter keeps the beat until its packet ends.  The start begins with the command and takes longer, so the cycle of the
            # splitter costs nothing, and the lookup of the slot in a memory, which many slots need, costs one.
            held += (p.keys.slots > LISTED_SLOTS) - 1
        before = max(p.entry_cycles(*starts, way, "tag") for way in compiled.options.directions) - tag.cycles
        # What is opened ends with this beat.
        # A tag that follows counts from the text, and others from a token behind it.
        last = before + tag.tokens[-1][0] if tag.tokens else _waits(compiled)
        return last + p.tag_stage + WIRE_CYCLES + (not p.encrypt) + held
    # The flags of many slots answer a cycle later.
    channels = 0 if p.channels == 1 else CHAINED_CYCLES if p.plan.chained else CHANNEL_CYCLES
    added = held + channels + (PREFIX_CYCLES if p.plan.prefixes else 0)
    waits = _waits(compiled)
    if p.plan.chained:
        # A block may take several tokens, the last of which has its text.
        waits += max(compiled.plan.placed.passes[way][-1].at for way in compiled.options.directions)
    return p.text_stage + PIN_CYCLES + added + waits + (p.keys.slots > LISTED_SLOTS)


class StreamHardware(wiring.Component):
    """The core of a compiled stream mode.

    Parameters
    ----------
    compiled : CompiledStream
        The pipeline, with the options of the core.
    parameters : MessageParameters, optional
        The sizes of the buses, for tests.  The default is what ``bus_parameters`` gives.

    Members
    -------
    aclk, aresetn : In
        The clock, and its synchronous reset, which is active low.
    zeroize : In
        Erases everything and aborts all messages, like a reset.
    zeroizing : Out
        High for :func:`erase_cycles` cycles from the cycle after a reset or ``zeroize`` on.  No bus is active meanwhile.
    others
        The ports of :func:`core_ports`.
    """

    def __init__(self, compiled: CompiledStream, parameters: MessageParameters | None = None):
        self.compiled = compiled
        self.parameters = p = parameters or bus_parameters(compiled)
        self.flat = self.ports_of(p)
        super().__init__(top_members(self.flat, self.shape))

    QUIET: tuple[str, ...] = ("cmd.ready", "s.ready", "m.valid", "status.valid")
    """Outputs that would be high while the buses are held in reset, or in the first cycle of it.  The core keeps them low."""

    QUIET_PAYLOADS: tuple[str, ...] = ("m.payload", "status.payload")
    """Payloads that the core keeps zero in these cycles."""

    @property
    def shape(self) -> CoreShape:
        """The figures on which the widths of ports depend."""
        return self.parameters

    @property
    def swept(self) -> tuple[int, int]:
        """Words of the deepest memory, and the largest number of cycles that a value stays in registers without a reset."""
        return self.parameters.erase_words, self.parameters.flush

    def ports_of(self, parameters: MessageParameters) -> tuple[FlatPort, ...]:
        """The ports of the buses."""
        return core_ports(parameters)

    def buses(self, pipeline: TokenPipeline, schedules: Sequence[wiring.Component]) -> wiring.Component:
        """The buses around the pipeline."""
        return MessageBus(self.parameters, pipeline, schedules)

    def pipeline(self) -> TokenPipeline:
        """The pipeline with its units.  Each call makes a new component."""
        compiled, p = self.compiled, self.parameters
        mode, options = compiled.mode, compiled.options
        latencies = compiled.plan.placed.latencies
        cipher = cipher_of(mode, options.cipher)
        used = {operation.operation.keyed for step in compiled.plan.steps for operation in step.operations}
        lanes = range(compiled.plan.lanes)
        ciphers = range(compiled.plan.lanes * compiled.plan.cores)
        return TokenPipeline(
            compiled.plan,
            [cipher.hardware(compiled.cipher_request) for _ in ciphers] if True in used and CIPHER in latencies else [],
            [MULTIPLIERS[options.mul_arch](mode.field, options.mul_stages) for _ in lanes] if compiled.plan.uses_multiplier else [],
            p.keys.slots, p.keys.round_bits, p.keys.round_key_bits, p.erase_bits, p.contexts, p.writers,
            p.start_places if p.plan.runs_ahead else 2, p.last_words, options.directions,
        )  # fmt: skip

    def derivers(self) -> DerivedParameters | None:
        """The sizes of the part that derives keys; None if there is none."""
        return None

    def deriver_ciphers(self) -> Sequence[Any]:
        """The ciphers of this part.  Each call makes new components."""
        return ()

    def elaborate(self, platform: object) -> Module:
        m = Module()
        compiled, p = self.compiled, self.parameters
        m.domains.sync = ClockDomain("sync")
        m.domains.always = ClockDomain("always", reset_less=True)
        m.submodules.zeroizer = zeroizer = Zeroizer(*self.swept)
        m.d.comb += [
            ClockSignal().eq(self.aclk), ClockSignal("always").eq(self.aclk), ResetSignal().eq(zeroizer.hold),
            zeroizer.request.eq(self.zeroize | ~self.aresetn), self.zeroizing.eq(zeroizer.hold),
        ]  # fmt: skip
        cipher = cipher_of(compiled.mode, compiled.options.cipher)
        iterative = compiled.options.key_schedule == "iterative"
        schedules = [] if p.expanded else [cipher.expander(p.keys.sizes, iterative) for _ in range(max(1, p.writers))]
        m.submodules.bus = bus = self.buses(self.pipeline(), schedules)
        m.d.comb += [bus.erase.eq(zeroizer.erase.we), bus.erase_address.eq(zeroizer.erase.address)]
        for port in self.flat:
            if port.path.startswith("zeroiz") or port.name in ("zeroize", "zeroizing"):
                continue
            outer: Signal = getattr(self, port.name)
            inner = port.inside(bus)
            # A register slice has its last payload for a cycle more.
            if port.path in self.QUIET or port.path.startswith(self.QUIET_PAYLOADS):
                inner = inner & (~zeroizer.hold).replicate(len(inner))
            m.d.comb += outer.eq(inner) if port.output else inner.eq(outer)
        return m
