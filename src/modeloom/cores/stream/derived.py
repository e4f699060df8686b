# SPDX-License-Identifier: Apache-2.0
"""A core for messages that derives their keys of master keys: its sizes, its figures and its hardware."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from amaranth.lib import wiring

from modeloom import cycles
from modeloom.ciphers import CoreRequest, cipher_of
from modeloom.ciphers.expansion import expansion_cycles
from modeloom.compiler.streams import CompiledStream, DerivedKeys
from modeloom.cores.stream.hardware import (
    StreamHardware,
    bus_parameters,
    key_erase_cycles,
    key_interval,
    latency,
    preparation_cycles,
)  # fmt: skip
from modeloom.cycles.messages import DERIVE_SLACK, POWER_OVERHEAD
from modeloom.interfaces.table import CoreShape
from modeloom.rtl.bus import KeyParameters
from modeloom.rtl.bus.ports import FlatPort, flat_ports
from modeloom.rtl.stream.derived import DerivedBus, DerivedParameters
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.pipeline import TokenPipeline
from modeloom.rtl.stream.powers import powers_cycles

__all__ = [
    "DerivedHardware", "derive_interval", "derive_latency", "derived_bus",
    "derived_erase_cycles", "derived_latency", "derived_of", "derived_parameters",
    "deriver_ciphers", "master_erase_cycles",
]  # fmt: skip


def derived_of(compiled: CompiledStream) -> DerivedKeys:
    """How the core derives keys.  Raises ``ValueError`` if it does not."""
    if compiled.derived is None:
        raise ValueError(f"{compiled.mode.name}: the core derives no keys")
    return compiled.derived


def derived_parameters(compiled: CompiledStream) -> DerivedParameters:
    """The sizes of the part that derives keys.  Raises ``InputError`` if the buses do not fit the mode."""
    made, cipher = derived_of(compiled), cipher_of(compiled.mode, compiled.options.cipher)
    sizes = compiled.cipher_request.key_sizes
    master = KeyParameters(
        slots=compiled.options.key_slots or 1, block_bits=8 * compiled.mode.block_bytes, cipher_key_bits=sizes[0], more_key_bits=sizes[1:],
        round_keys=max(map(cipher.round_keys, sizes)), round_key_bits=cipher.round_key_bits,
    )  # fmt: skip
    return DerivedParameters(
        messages=bus_parameters(compiled), keys=master, derivations=made.derivations, cores=made.cores, latency=made.timing.latency,
        interval=made.timing.interval,
    )  # fmt: skip


def derive_interval(compiled: CompiledStream) -> int:
    """The largest mean number of cycles from one message to the next, as far as their keys are concerned.

    It is that of the derivation, or that of keys that come with messages if it is longer.  If a key is prepared for longer than the next
    one is derived, keys also wait for each other: two of them are under way at a time, and each is derived, from the next batch on, and
    then waits for a preparation.
    """
    p, made = derived_parameters(compiled), derived_of(compiled)
    prepared = preparation_cycles(compiled)
    waits = made.cycles + made.timing.latency + max(p.beats) + prepared if prepared > made.cycles else 0
    return max(made.cycles, key_interval(compiled), -(-waits // 2))


def derive_latency(compiled: CompiledStream) -> int:
    """Cycles, at most, from a command to the time when the key of its message is ready."""
    p, made, plan = derived_parameters(compiled), derived_of(compiled), compiled.plan
    inner = p.messages
    cipher, iterative = cipher_of(compiled.mode, compiled.options.cipher), compiled.options.key_schedule == "iterative"
    powers = powers_cycles(inner.block_bits, plan.chains, inner.power_digit) + POWER_OVERHEAD + inner.preparations if inner.powers else 0
    return (
        made.timing.interval + made.cycles + made.timing.latency + max(p.beats) + expansion_cycles(cipher, inner.keys.sizes, iterative)
        + inner.token_cycles + powers + DERIVE_SLACK
    )  # fmt: skip


def derived_latency(compiled: CompiledStream) -> int:
    """The largest number of cycles from the first beat of text in to the first beat out, for a message of one beat in an idle core, whose
    command comes with its text and whose key is derived meanwhile."""
    return latency(compiled) + derive_latency(compiled)


def derived_erase_cycles(compiled: CompiledStream) -> int:
    """The number of cycles that a core takes to overwrite everything, after the last cycle with a reset or ``zeroize``."""
    p = derived_parameters(compiled)
    return cycles.zeroize_cycles(p.erase_words, p.flush)


def master_erase_cycles(compiled: CompiledStream) -> int:
    """The number of cycles from the first beat of a packet that erases a master key until nothing of it is left, nor of what was derived
    of it, if no message of its slot is in flight."""
    p = derived_parameters(compiled)
    own = cycles.key_erase_cycles(
        key_words=0, cipher_keys=1, rounds=1 << p.keys.round_bits, result_words=0, flush=p.interval + p.latency,
    )  # fmt: skip
    # The last key is dropped as soon as no other message waits.
    return own + key_erase_cycles(compiled) + derive_latency(compiled)


class DerivedHardware(StreamHardware):
    """The core of a compiled stream mode that derives the keys of messages."""

    @cached_property
    def derived(self) -> DerivedParameters:
        """The sizes of the part that derives keys."""
        return derived_parameters(self.compiled)

    @property
    def shape(self) -> CoreShape:
        """The figures on which the widths of ports depend: the slots are those of master keys."""
        return self.derived

    @property
    def swept(self) -> tuple[int, int]:
        """As in every core, with the part that derives keys."""
        return self.derived.erase_words, self.derived.flush

    def ports_of(self, parameters: MessageParameters) -> tuple[FlatPort, ...]:
        """The ports of a core with key slots."""
        return tuple(port for interface in self.derived.interfaces for port in flat_ports(interface))

    def derivers(self) -> DerivedParameters:
        """The sizes of the part that derives keys."""
        return self.derived

    def deriver_ciphers(self) -> Sequence[Any]:
        """The ciphers of this part."""
        return deriver_ciphers(self.compiled)

    def buses(self, pipeline: TokenPipeline, schedules: Sequence[wiring.Component]) -> wiring.Component:
        """The deriver and the message control."""
        return derived_bus(self.compiled, pipeline, schedules)


def deriver_request(compiled: CompiledStream) -> CoreRequest:
    """The request for one of the round cores that derive keys."""
    return derived_of(compiled).request.but(slots=derived_parameters(compiled).keys.slots)


def deriver_ciphers(compiled: CompiledStream) -> list[Any]:
    """The round cores that derive keys."""
    cipher = cipher_of(compiled.mode, compiled.options.cipher)
    return [cipher.hardware(deriver_request(compiled)) for _ in range(derived_of(compiled).cores)]


def derived_bus(compiled: CompiledStream, pipeline: TokenPipeline, schedules: Sequence[wiring.Component]) -> DerivedBus:
    """The deriver with its round cores, and the message control."""
    p, cipher = derived_parameters(compiled), cipher_of(compiled.mode, compiled.options.cipher)
    return DerivedBus(p, pipeline, schedules, cipher.expander(p.keys.sizes, False), deriver_ciphers(compiled))
