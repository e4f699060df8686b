# SPDX-License-Identifier: Apache-2.0
"""The front end without a core: a host for its registers, and what a core would see and say."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from modeloom.cores.front.registers import RegisterFrontEnd
from modeloom.front.map import PARTS, RegisterMap, read_map
from modeloom.interfaces.front import AXI_LITE
from modeloom.interfaces.messages import message_core
from modeloom.interfaces.sector import SECTOR_CORE
from modeloom.interfaces.table import CoreShape
from modeloom.product.front import ApbHost, AxiLiteHost, FrontDescription, register_host
from modeloom.rtl.front import STATUS_PLACES, FrontParameters, RegisterFront
from modeloom.sim import Simulation, Stream, StreamRunner, build
from modeloom_verilog.modules import component_rtlil

FIGURES = {
    "MAJOR": 3, "MINOR": 14, "PATCH": 15, "BUILD": 0x92653589, "KIND": 1, "ENCRYPT": 1, "DECRYPT": 0, "BEAT_BYTES": 16, "KEY_SLOTS": 5,
    "KEY_BYTES": 40, "KEY_WORDS": 12, "CODES": 6,
}  # fmt: skip

COMMAND_WORDS = 12


class Shape:
    """The figures of the core."""

    beat_bytes, key_slots = 16, 5


@lru_cache(maxsize=1)
def registers() -> RegisterMap:
    """The map."""
    return read_map(FIGURES)


@lru_cache(maxsize=1)
def registers_with_commands() -> RegisterMap:
    """The map of a core for messages whose commands and statuses pass through registers."""
    return read_map({**FIGURES, "COMMAND_WORDS": COMMAND_WORDS, "STATUS_PLACES": STATUS_PLACES, "TAG_WORDS": 4}, PARTS)


def component(bus: str = AXI_LITE, commands: bool = False) -> RegisterFront:
    """The hardware, with the map for keys alone or with the one for commands, too."""
    shape: CoreShape = Shape()
    if commands:
        return RegisterFront(FrontParameters(registers_with_commands(), message_core(), shape, bus))
    return RegisterFront(FrontParameters(registers(), SECTOR_CORE, shape, bus))


@lru_cache
def library(bus: str = AXI_LITE) -> Path:
    """Its simulation."""
    return build(component_rtlil(component(bus), "front"), "front", optimize=0)


class Bench:
    """A front end after a reset.

    Attributes
    ----------
    sim : Simulation
    host : RegisterHost
    """

    def __init__(self, seed: int = 0, gaps: dict[str, float] | None = None, bus: str = AXI_LITE):
        self.sim = Simulation(library(bus), clock="aclk", reset="aresetn")
        # AXI4-Lite has protection types, which the front end has no ports for.
        streams = [
            replace(one, payload=tuple(port for port in one.payload if not port.endswith("prot")))
            for one in register_host(bus).streams()
        ]  # fmt: skip
        self.runner = StreamRunner(self.sim, [*streams, Stream.axis(self.sim, "s_axis_key")], seed=seed, gaps=gaps)
        description = FrontDescription(
            kind=RegisterFrontEnd.kind, top="front", verilog="", address_bits=registers().address_bits, key_words=FIGURES["KEY_WORDS"],
            erase_cycles=0, registers={one.name: one.address for one in registers().registers}, ports=(),
        )  # fmt: skip
        self.host = (BareHost if bus == AXI_LITE else ApbHost)(self.runner, description)
        self.runner.reset(3)
        self.runner.run(max_cycles=20)

    def packets(self) -> list[tuple[bytes, int, bool]]:
        """The key packets that came: bytes, slot, whether it erases."""
        beats = self.runner.take("s_axis_key")
        data, found, whole = beats.columns["s_axis_key_tdata"], [], b""
        columns = [beats.values(f"s_axis_key_{name}") for name in ("tkeep", "tlast", "tdest", "tuser")]
        for at, (keep, last, slot, erase) in enumerate(zip(*columns, strict=True)):
            assert keep & keep + 1 == 0 and (last or keep == 0xFFFF)
            beat = data[16 * at : 16 * at + 16]
            assert beat[keep.bit_length() :] == bytes(16 - keep.bit_length()) or not last
            whole += beat[: keep.bit_length()]
            if last:
                found.append((whole, slot, bool(erase)))
                whole = b""
        return found

    def key_words(self) -> list[int]:
        """What the memory for a key holds."""
        (name,) = (name for name, port in self.sim.objects.items() if port.kind == "memory")
        return [self.sim.get(name, word) for word in range(FIGURES["KEY_WORDS"])]


class BareHost(AxiLiteHost):
    """A host for ports without protection types."""

    def feed(self, channel: str, columns: dict[str, list[int]]) -> None:
        """Queues a beat."""
        super().feed(channel, {name: values for name, values in columns.items() if not name.endswith("prot")})
