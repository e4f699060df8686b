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

from amaranth.hdl import ClockDomain, ClockSignal, Module, ResetSignal, Signal
from amaranth.lib import wiring

from modeloom.ciphers import cipher_of
from modeloom.compiler.streams import CompiledStream
from modeloom.layers import Stack
from modeloom.rtl.bus.ports import flat_ports, top_members
from modeloom.rtl.gf128.architectures import MULTIPLIERS
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.pipeline import TokenPipeline
from modeloom.rtl.zeroize import Zeroizer
from modeloom.spec.kinds import CIPHER

__all__ = ["StreamHardware"]


class StreamHardware(wiring.Component):
    """The core of a compiled stream mode.

    Parameters
    ----------
    compiled : CompiledStream
        The pipeline, with the options of the core.
    parameters : MessageParameters, optional
        The sizes of the message control, for tests.  The default is what the layers ask for.

    Members
    -------
    aclk, aresetn : In
        The clock, and its synchronous reset, which is active low.
    zeroize : In
        Erases everything and aborts all messages, like a reset.
    zeroizing : Out
        High for the cycles of the erasure from the cycle after a reset or ``zeroize`` on.  No bus is active meanwhile.
    others
        The ports of the outermost layer.
    """

    def __init__(self, compiled: CompiledStream, parameters: MessageParameters | None = None):
        stack = Stack(compiled, parameters)
        self.compiled, self.parameters, self.top = compiled, stack.parameters, stack.top
        self.flat = tuple(port for interface in self.top.interfaces for port in flat_ports(interface))
        super().__init__(top_members(self.flat, self.top.shape))

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
            p.start_places, p.last_words, options.directions,
        )  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        compiled, p = self.compiled, self.parameters
        m.domains.sync = ClockDomain("sync")
        m.domains.always = ClockDomain("always", reset_less=True)
        m.submodules.zeroizer = zeroizer = Zeroizer(self.top.sizes.erase_words, self.top.sizes.flush)
        m.d.comb += [
            ClockSignal().eq(self.aclk), ClockSignal("always").eq(self.aclk), ResetSignal().eq(zeroizer.hold),
            zeroizer.request.eq(self.zeroize | ~self.aresetn), self.zeroizing.eq(zeroizer.hold),
        ]  # fmt: skip
        cipher = cipher_of(compiled.mode, compiled.options.cipher)
        iterative = compiled.options.key_schedule == "iterative"
        schedules = [cipher.expander(p.keys.sizes, iterative) for _ in range(self.top.schedules)]
        m.submodules.bus = bus = self.top.bus(self.pipeline(), schedules)
        m.d.comb += [bus.erase.eq(zeroizer.erase.we), bus.erase_address.eq(zeroizer.erase.address)]
        for port in self.flat:
            if port.path.startswith("zeroiz") or port.name in ("zeroize", "zeroizing"):
                continue
            outer: Signal = getattr(self, port.name)
            inner = port.inside(bus)
            # A register slice has its last payload for a cycle more.
            if port.path.startswith(tuple(self.top.quiet)):
                inner = inner & (~zeroizer.hold).replicate(len(inner))
            m.d.comb += outer.eq(inner) if port.output else inner.eq(outer)
        return m
