# SPDX-License-Identifier: Apache-2.0
"""The buses of cores for messages with their pipeline, as they are emitted.

The cipher and the multiplier are registers alone: no rule of the streams depends on what they compute.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from tests.formal.emitted_bus import machine_of
from tests.formal.machine import Machine

from modeloom.modes.gcm import GCM
from modeloom.protocol.contract import WireForm
from modeloom.rtl.aes import KeySchedule
from modeloom.rtl.aes.iterative_schedule import PortKeySchedule
from modeloom.rtl.bus import KeyParameters
from modeloom.rtl.bus.inline_port import InlineKeyParameters, writer_ends
from modeloom.rtl.stream.bus import MessageBus
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.pipeline import TokenPipeline
from modeloom.rtl.stream.storage import Delay
from modeloom.rtl.stream.wire import OnWire
from modeloom.streams.plan import MULTIPLIER_REGISTERS, plan_stream
from modeloom_verilog.modules import component_rtlil, inner_verilog

__all__ = ["FORMS", "SHAPES", "TOP", "Shape", "message_machine", "message_verilog", "parameters_of"]

TOP = "messages"


@dataclass(frozen=True)
class Shape:
    """Blocks a cycle, the bytes of a buffer for text that is not verified, channels, packets as on the wire, and where keys come from.

    Keys that come with messages may have ``writers``, which are iterative key schedules for ``sizes``.
    """

    lanes: int = 1
    hold: int | None = None
    channels: int = 1
    wire: bool = False
    inline: bool = False
    iterative: bool = False
    writers: int = 0
    sizes: tuple[int, ...] = (128,)


SHAPES = {
    "one lane": Shape(), "two lanes": Shape(lanes=2), "held": Shape(hold=64), "inline": Shape(inline=True),
    "iterative": Shape(iterative=True, sizes=(128, 192, 256)),
    "inline iterative": Shape(inline=True, iterative=True, writers=2, sizes=(128, 256)),
}  # fmt: skip
"""Buses with one channel, and packets whose text begins with a beat of its own."""

FORMS = SHAPES | {
    "wire": Shape(wire=True), "wire held": Shape(wire=True, hold=64), "channels": Shape(channels=2),
}  # fmt: skip
"""The buses that are proved."""

CIPHER_LATENCY, STAGES = 1, 1


class NoCipher(wiring.Component):
    """The ports and the latency of a cipher."""

    latency = CIPHER_LATENCY

    def __init__(self, p: MessageParameters):
        slots, sizes = range(p.keys.slots), len(p.keys.sizes)
        ends = writer_ends(p.writers)
        # A pipeline sees by its first cipher whether keys have several sizes.
        length = {"length": In(range(sizes))} if sizes > 1 else {}
        writer = {"we": In(1), "slot": In(slots), "round": In(4), "data": In(128), **length}
        super().__init__({
            "i": In(128), "slot": In(slots), "o": Out(128), **{f"key_{name}{end}": port for end in ends for name, port in writer.items()},
            **({"key_clear": In(1), "key_clear_slot": In(slots)} if p.writers else {}),
        })  # fmt: skip

    def elaborate(self, platform):
        m = Module()
        m.submodules.line = line = Delay(128, self.latency)
        m.d.comb += [line.i.eq(self.i), self.o.eq(line.o)]
        return m


class NoMultiplier(wiring.Component):
    """The ports and the latency of a multiplier."""

    def __init__(self):
        super().__init__({"a": In(128), "b": In(128), "o": Out(128)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.line = line = Delay(128, STAGES)
        m.d.comb += [line.i.eq(self.a ^ self.b), self.o.eq(line.o)]
        return m


@lru_cache
def parameters_of(shape: str) -> MessageParameters:
    """The sizes of the buses."""
    of = FORMS[shape]
    plan = plan_stream(GCM(), 16, {"cipher": CIPHER_LATENCY, "mul": STAGES + MULTIPLIER_REGISTERS}, of.lanes)
    round_keys = [bits // 32 + 7 for bits in of.sizes]
    own = {"writers": of.writers, "least_round_keys": min(round_keys)} if of.writers else {}
    kind: Any = InlineKeyParameters if of.inline else KeyParameters
    keys = kind(
        slots=3, words=len(plan.words), cipher_key_bits=of.sizes[0], more_key_bits=of.sizes[1:], round_keys=max(round_keys), **own
    )
    packets: Any = {"form": OnWire(), "pins": WireForm.pins} if of.wire else {}
    return MessageParameters(plan=plan, keys=keys, hold=of.hold, channels=of.channels, **packets)


@lru_cache
def message_verilog(shape: str) -> str:
    """Verilog of a ``MessageBus``, made as ``modeloom.emit`` makes that of a core."""
    p = parameters_of(shape)
    of, lanes = FORMS[shape], range(p.lanes)
    pipeline = TokenPipeline(
        p.plan, [NoCipher(p) for _ in lanes], [NoMultiplier() for _ in lanes], p.keys.slots, p.keys.round_bits,
        p.keys.round_key_bits, p.erase_bits, p.contexts, p.writers, last_words=p.last_words,
    )  # fmt: skip
    schedules = [PortKeySchedule(of.sizes) if of.iterative else KeySchedule(of.sizes[0]) for _ in range(max(1, of.writers))]
    return inner_verilog(component_rtlil(MessageBus(p, pipeline, schedules), TOP), TOP)


@lru_cache
def message_machine(shape: str) -> Machine:
    """The transition system of the buses."""
    return machine_of(message_verilog(shape), TOP)
