# SPDX-License-Identifier: Apache-2.0
"""Drives a simulated core whose commands and statuses go over registers."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence

from modeloom.interfaces.front import WORD_BYTES
from modeloom.product.front import Registers
from modeloom.sim import Simulation, Stream, StreamRunner
from modeloom.sim.streams import Beats, RunResult

__all__ = ["CommandRunner"]

PAUSE = 16
"""Cycles between polls."""


class CommandRunner(StreamRunner):
    """Drives a core whose commands and statuses go over registers as if they had streams, ``s_axis_cmd`` and ``m_axis_status``.

    ``registers`` has to be set before it runs.
    """

    COMMANDS, STATUSES = "s_axis_cmd", "m_axis_status"

    registers: Registers

    def __init__(self, simulation: Simulation, streams: Sequence[Stream], *, seed: int = 0, gaps: Mapping[str, float] | None = None):
        super().__init__(simulation, streams, seed=seed, gaps=gaps)
        self._commands: list[bytes] = []
        self._statuses: list[tuple[bytes, int]] = []
        self.submitted = 0
        self.received = 0

    def forget(self) -> None:
        """Drops all that is queued and has come."""
        super().forget()
        self._commands, self._statuses = [], []

    def feed(self, name: str, columns: Mapping[str, bytes | bytearray | memoryview | Iterable[int]]) -> int:
        """Queues beats on an input stream, or commands of equal length in one column of bytes."""
        if name != self.COMMANDS:
            return super().feed(name, columns)
        (column,) = columns.values()
        data, size = bytes(column), WORD_BYTES * (self.registers.read("command_state") >> 8 & 0xFF)
        commands = [data[at : at + size] for at in range(0, len(data), size)]
        self._commands += commands
        return len(commands)

    def waiting(self, name: str) -> int:
        """Number of beats that wait on a stream."""
        return {self.COMMANDS: len(self._commands), self.STATUSES: len(self._statuses)}.get(name) or (
            0 if name in (self.COMMANDS, self.STATUSES) else super().waiting(name)
        )

    def run_streams(self, until: Mapping[str, int] | None = None, *, drain: bool = False, max_cycles: int) -> RunResult:
        """Runs the streams alone, as ``StreamRunner.run`` does."""
        return super().run(until, drain=drain, max_cycles=max_cycles)

    def run(self, until: Mapping[str, int] | None = None, *, drain: bool = False, max_cycles: int) -> RunResult:
        """Runs, while commands are submitted and statuses are polled."""
        others = {name: count for name, count in (until or {}).items() if name != self.STATUSES}
        wanted, start = (until or {}).get(self.STATUSES, 0), self.simulation.cycle
        while self._commands or len(self._statuses) < wanted:
            if self.simulation.cycle - start >= max_cycles:
                return RunResult(False, self.simulation.cycle - start)
            if self._commands and self.registers.submit(self._commands[0]):
                del self._commands[0]
                self.submitted += 1
            while (status := self.registers.poll()) is not None:
                self._statuses.append((status, self.simulation.cycle))
                self.received += 1
            super().run(max_cycles=PAUSE)
        left = max(0, max_cycles - (self.simulation.cycle - start))
        done = True
        if others or drain:
            done = super().run(others, drain=drain, max_cycles=left).done
        elif until is None:
            super().run(max_cycles=left)
        return RunResult(done, self.simulation.cycle - start)

    def take(self, name: str, count: int | None = None) -> Beats:
        """Removes beats from an output stream, or statuses."""
        if name != self.STATUSES:
            return super().take(name, count)
        taken, self._statuses = self._statuses[:count], [] if count is None else self._statuses[count:]
        column = b"".join(status for status, _ in taken)
        return Beats(len(taken), {f"{name}_tdata": column}, array("Q", [cycle for _, cycle in taken]))
