# SPDX-License-Identifier: Apache-2.0
"""Makes a ``Core`` of a compiled stream mode, and makes the same core again from a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from amaranth.hdl import ClockDomain, ClockSignal, Module, ResetSignal, Signal
from amaranth.lib import wiring

from modeloom.ciphers import cipher_of
from modeloom.compiler.streams import CompiledStream, StreamOptions, compile_stream
from modeloom.cores.bench_text import stream_words
from modeloom.cores.components import check_own_cipher
from modeloom.cores.stream.bench import bench_verilog, message_cases, rules_module
from modeloom.cores.stream.describe import cipher_name, describe
from modeloom.cores.stream.sheet import page, sheet
from modeloom.definition.check import NOT_CHECKED, Checked
from modeloom.interfaces import Interface
from modeloom.interfaces.table import CoreShape
from modeloom.layers import Stack
from modeloom.modes import find_any
from modeloom.modes.by_path import seen_from
from modeloom.product.cases import Cases
from modeloom.product.core import Core, Sheet
from modeloom.product.messages import StreamDescription
from modeloom.product.page import Page
from modeloom.rtl.bus.ports import flat_ports, top_members
from modeloom.rtl.gf128.architectures import MULTIPLIERS
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.pipeline import TokenPipeline
from modeloom.rtl.zeroize import Zeroizer
from modeloom.spec import InputError, blame
from modeloom.spec.kinds import CIPHER
from modeloom.spec.stream import StreamMode

__all__ = ["StreamCore", "StreamHardware", "same_stream", "stream_options_of"]


# -- hardware --------------------------------------------------------------------------------------------------------------------------

# A whole core for messages: its buses, the pipeline of a compiled stream mode, and the flat port names of the emitted top.
#
# The core and its ports::
#
#     aclk, aresetn,    ┌─────────────────────────────────────────────────┐
#     zeroize       ──▶ │ Zeroizer ──▶ reset, zeros to all memories       │ ──▶ zeroizing
#     s_axis_cmd_*  ──▶ │ MessageBus ◀──▶ TokenPipeline: cipher,          │ ──▶ m_axis_*
#     s_axis_*      ──▶ │                 multiplier, key memory, chains  │ ──▶ m_axis_status_*
#     s_axis_key_*  ──▶ └─────────────────────────────────────────────────┘ ──▶ key_loaded, key_busy, key_error


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


# -- core ------------------------------------------------------------------------------------------------------------------------------


class StreamCore(Core[StreamDescription]):
    """The core of a compiled stream mode.

    Parameters
    ----------
    compiled : CompiledStream
        The pipeline, with the options of the core.

    Raises
    ------
    InputError
        If the buses do not fit the mode.
    """

    def __init__(self, compiled: CompiledStream):
        self.compiled, self.stack = compiled, Stack(compiled)
        self.top = self.stack.top
        self._shape = self.top.shape

    # -- hardware ---------------------------------------------------------------------------------------------------------

    def component(self) -> StreamHardware:
        """The layers around the pipeline."""
        return StreamHardware(self.compiled)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """Those of the outermost layer."""
        return self.top.interfaces

    @property
    def shape(self) -> CoreShape:
        """The figures on which the widths of ports depend."""
        return self._shape

    @property
    def brought(self) -> str:
        """The cipher."""
        return self.compiled.options.cipher or ""

    # -- what is said of it -------------------------------------------------------------------------------------------------

    @property
    def words(self) -> tuple[str, ...]:
        """The mode, and a word for each option that does not have its default."""
        return stream_words(self.compiled)

    @property
    def headline(self) -> str:
        """The mode, the rate, the cipher and the directions."""
        compiled, d = self.compiled, self.describe("core", "modeloom")
        return f"{d.summary}, {cipher_name(compiled)}, {' and '.join(compiled.options.directions)}"

    @property
    def figures(self) -> str:
        """Tokens, latencies, slots, whether the pipeline was proved, and whether plaintext leaves before its tag is checked."""
        compiled = self.compiled
        d = self.describe("core", "modeloom")
        released, most = f" {self.stack.unverified}" if d.releases else "", "at most " if self.top.varies else ""
        return (
            f"Cycles: {d.cycles.associated} per block of associated data, {d.cycles.text} per block of text, {d.cycles.tag} per tag; "
            f"latency at the pins {most}{d.latency}; {self.stack.texts(d).key_figure}; pipeline "
            f"{'proved' if compiled.proof else 'NOT PROVED'}.{released}"
        )

    def describe(self, name: str, command: str) -> StreamDescription:
        """The contents of ``core.json``."""
        return describe(self.stack, name, command)

    def sheet(self, description: StreamDescription) -> Sheet:
        """The sections of the datasheet for this core."""
        return sheet(self.stack, description)

    def page(self, description: StreamDescription) -> Page:
        """Its pipeline, diagram and definition for the HTML datasheet."""
        return page(self.stack, description)

    # -- what goes with it --------------------------------------------------------------------------------------------------

    def bench(self, name: str) -> str:
        """The bench, with results from the software model."""
        return bench_verilog(self.stack, self.describe(name, "modeloom"))

    def cases(self) -> Cases:
        """Commands of the bench."""
        return message_cases(self.compiled, self.describe("core", "modeloom"))

    def rules(self, name: str) -> str:
        """Assertions over all ports."""
        return rules_module(self.stack, self.describe(name, "modeloom"))

    def titles(self) -> Mapping[str, Sequence[str]]:
        """The titles of modules, by their names."""
        return self.top.titles()

    def check(self) -> None:
        """Checks that the hardware of a cipher that a mode brings does the same as its software."""
        cipher = cipher_of(self.compiled.mode, self.compiled.options.cipher)
        with blame(cipher.name):
            check_own_cipher(cipher, self.top.requests())

    def seen_from(self, folder: Path) -> Self:
        """The same core, where the path of the definition is relative to a folder."""
        return type(self)(replace(self.compiled, mode=seen_from(self.compiled.mode, folder)))


def stream_options_of(description: StreamDescription) -> StreamOptions:
    """The options that a core was built with.  Raises ``InputError`` for options that this version does not know."""
    values: dict[str, Any] = dict(description.options)
    try:
        return StreamOptions(**values | {"more_key_bits": tuple(values.get("more_key_bits", ()))})
    except TypeError as error:
        raise InputError(f"the options in core.json are not those of this version ({error}); build the core again") from None


def same_stream(description: StreamDescription, folder: Path) -> StreamCore:
    """Makes a core again from its description.  The definition is compiled and proved.

    If the core was built without the proof, there is no proof here either, and its files say so.
    """
    mode = find_any(description.definition, folder)
    if not isinstance(mode, StreamMode):
        raise InputError(f"{description.definition} is a mode for sectors, but core.json is of a core for messages; build the core again")
    compiled = compile_stream(mode, stream_options_of(description))
    if not description.explain.proved:
        compiled = replace(compiled, proof=None, checked=Checked(NOT_CHECKED, ()))
    return StreamCore(compiled)
