# SPDX-License-Identifier: Apache-2.0
"""The crossings without a core: the buses of the host and those of the core, each in its clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from modeloom.rtl.clocks import CrossingParameters, Crossings, StreamCrossing
from modeloom.sim import Clock, Simulation, Stream, StreamRunner, build
from modeloom_verilog.modules import component_rtlil, inner_verilog

BEAT = (("tdata", 32), ("tkeep", 4), ("tlast", 1))

SECOND = CrossingParameters(
    streams=(
        StreamCrossing("s_axis", BEAT, True, "clk_data"), StreamCrossing("m_axis", BEAT, False, "clk_data"),
        StreamCrossing("m_axis_status", (("tdata", 32),), False, "clk_host"),
        StreamCrossing("s_axis_key", (("tdata", 32), ("tlast", 1)), True, "clk_host"),
    ),
    key_flags=(("key_loaded", 2), ("key_busy", 1), ("key_error", 1)), register_clock="clk_host", address_bits=8,
)  # fmt: skip
"""Data in one clock, and all others in another one."""

CLOCKS = {
    "the same": (1000, 1000, 1000, 0), "another phase": (1000, 1000, 1000, 0), "2:3": (1000, 1500, 667, 90), "7:3": (700, 300, 300, 40),
    "3:7": (300, 700, 700, 120), "17:1": (1700, 100, 100, 40), "1:17": (100, 1700, 1700, 600), "jitter": (1000, 1010, 990, 980),
    "slow data": (300, 1700, 300, 40),
}  # fmt: skip
"""Ticks of a cycle of the core, of data and of the host, and of the jitter of each clock."""


def clocks(name: str, shift: int = 0) -> dict[str, Clock]:
    """The clocks of a name; ``shift`` moves their phases."""
    core, data, host, jitter = CLOCKS[name]
    apart = 0 if name == "the same" else 1 + shift
    return {
        "aclk": Clock(core, 0, min(jitter, core // 2)), "clk_data": Clock(data, apart * 370 % data, min(jitter, data // 2)),
        "clk_host": Clock(host, apart * 130 % host, min(jitter, host // 2)),
    }  # fmt: skip


@lru_cache(maxsize=4)
def verilog(parameters: CrossingParameters) -> str:
    """The Verilog of the crossings."""
    return inner_verilog(component_rtlil(Crossings(parameters), "crossings"), "crossings")


@lru_cache(maxsize=4)
def library(parameters: CrossingParameters) -> Path:
    """Their simulation."""
    return build(component_rtlil(Crossings(parameters), "crossings"), "crossings", optimize=0)


class Bench:
    """Crossings after a reset.

    Parameters
    ----------
    name : str
        The name of the clocks.
    parameters : CrossingParameters
    shift : int
        Moves the phases of the clocks.
    seed, gaps
        Pauses of the streams, as of ``StreamRunner``.
    path : path, optional
        Another simulation.
    more : sequence of Stream
        Streams beside those of the crossings.
    """

    def __init__(
        self, name: str, parameters: CrossingParameters = SECOND, shift: int = 0, seed: int = 0, gaps: Mapping[str, float] | None = None,
        path: Path | None = None, more: Sequence[Stream] = (),
    ):  # fmt: skip
        self.parameters = parameters
        self.sim = Simulation(
            path or library(parameters), clock="aclk", reset=parameters.reset, clocks=clocks(name, shift), seed=seed
        )  # fmt: skip
        self.streams: list[Stream] = []
        for one in parameters.streams:
            host, core = Stream.axis(self.sim, one.name), Stream.axis(self.sim, f"core_{one.name}")
            clock = "" if one.clock == "core" else one.clock
            self.streams += [Stream(host.name, host.flow, host.valid, host.ready, host.payload, clock), core]
        self.streams += more
        self.runner = StreamRunner(self.sim, self.streams, seed=seed, gaps=gaps)
        self.runner.reset(3)
        self.wait()

    def wait(self, step: Callable[[], object] | None = None) -> int:
        """Runs until no erasure is in progress, on any side.  Returns the number of cycles of the core, each of which ``step`` runs."""
        names = ["zeroizing", *(f"{clock}_zeroizing" for clock in self.parameters.clocks)]
        cycles = 0
        while any(self.sim.get(name) for name in names):
            if step is None:
                self.runner.run(max_cycles=1)
            else:
                step()
            cycles += 1
            assert cycles < 5000, "an erasure does not end"
        return cycles

    def send(self, name: str, numbers: list[int]) -> None:
        """Queues beats whose words are numbers.  Every fourth one ends a packet."""
        stream = next(one for one in self.streams if one.name == name)
        values = {"tdata": numbers, "tkeep": [15] * len(numbers), "tlast": [number % 4 == 3 for number in numbers]}
        self.runner.feed(name, {port: values[port.rpartition("_")[2]] for port in stream.payload})

    def came(self, name: str) -> list[int]:
        """The words of the beats that have come."""
        return self.runner.take(name).values(f"{name}_tdata")

    def zeroize(self) -> None:
        """Asks for an erasure."""
        self.sim.set("zeroize", 1)
        self.runner.run(max_cycles=1)
        self.sim.set("zeroize", 0)
