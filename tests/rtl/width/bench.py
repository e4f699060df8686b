# SPDX-License-Identifier: Apache-2.0
"""The converters without a core: the streams of the host and of the core on both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from tests.rtl.width.model import Beat

from modeloom.rtl.width import WidthConverters, WidthParameters
from modeloom.sim import Simulation, Stream, StreamRunner, build
from modeloom_verilog.modules import component_rtlil


@lru_cache(maxsize=16)
def library(parameters: WidthParameters) -> Path:
    """Their simulation."""
    return build(component_rtlil(WidthConverters(parameters), "width"), "width", optimize=0)


class Bench:
    """Converters after a reset.

    Parameters
    ----------
    parameters : WidthParameters
    seed, gaps
        Pauses of the streams, as of ``StreamRunner``.
    """

    def __init__(self, parameters: WidthParameters, seed: int = 0, gaps: dict[str, float] | None = None):
        self.parameters = parameters
        self.sim = Simulation(library(parameters), clock="aclk", reset="aresetn")
        streams = [Stream.axis(self.sim, name) for name in ("s_axis", "core_s_axis", "core_m_axis", "m_axis")]
        if parameters.parts:
            fields = ("associated", "channel") if parameters.channels > 1 else ("associated",)
            streams += [
                Stream("s_axis_cmd", "in", "s_axis_cmd_tvalid", "s_axis_cmd_tready", fields),
                Stream("core_s_axis_cmd", "out", "core_s_axis_cmd_tvalid", "core_s_axis_cmd_tready", ()),
            ]
        self.runner = StreamRunner(self.sim, streams, seed=seed, gaps=gaps)
        self.runner.reset(3)

    def feed(self, name: str, beats: Sequence[Beat]) -> None:
        """Queues beats."""
        size = self.parameters.core_bytes if name.startswith("core") else self.parameters.host_bytes
        keep_bytes = -(-size // 8)
        columns: dict[str, bytes] = {
            "tdata": b"".join(beat.data.ljust(size, b"\0") for beat in beats),
            "tkeep": b"".join(beat.keep.to_bytes(keep_bytes, "little") for beat in beats), "tlast": bytes(beat.last for beat in beats),
        }  # fmt: skip
        if self.parameters.channels > 1:
            columns["tid"] = bytes(beat.channel for beat in beats)
        if self.parameters.cut and name == "core_m_axis":
            columns["tuser"] = bytes(beat.cut for beat in beats)
        self.runner.feed(name, {f"{name}_{port}": column for port, column in columns.items()})

    def commands(self, associated: Sequence[int], channel: int = 0) -> None:
        """Queues commands with these bytes of associated data."""
        lengths = b"".join(length.to_bytes(8, "little") for length in associated)
        several = {"channel": bytes([channel]) * len(associated)} if self.parameters.channels > 1 else {}
        self.runner.feed("s_axis_cmd", {"associated": lengths, **several})

    def take(self, name: str) -> list[Beat]:
        """The beats that have come."""
        came = self.runner.take(name)
        self.cycles = list(came.cycles)
        size = self.parameters.core_bytes if name.startswith("core") else self.parameters.host_bytes
        data, none = came.columns[f"{name}_tdata"], [0] * came.count
        keeps, lasts = came.values(f"{name}_tkeep"), came.values(f"{name}_tlast")
        channels = came.values(f"{name}_tid") if self.parameters.channels > 1 else none
        cuts = came.values(f"{name}_tuser") if self.parameters.cut and name == "m_axis" else none
        return [
            Beat(data[size * at : size * (at + 1)], keeps[at], bool(lasts[at]), channels[at], bool(cuts[at])) for at in range(came.count)
        ]  # fmt: skip

    def send(self, beats: Sequence[Beat], associated: Mapping[int, Sequence[int]]) -> None:
        """Queues packets, and the commands of their messages."""
        if self.parameters.parts:
            for channel, lengths in associated.items():
                self.commands(lengths, channel)
        self.feed("s_axis", beats)

    def run(self, cycles: int = 100_000) -> None:
        """Runs until all is sent, and some cycles more."""
        self.runner.run({}, drain=True, max_cycles=cycles)
        self.runner.run(max_cycles=64)

