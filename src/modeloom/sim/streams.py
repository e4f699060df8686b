# SPDX-License-Identifier: Apache-2.0
"""AXI4-Stream traffic for a simulated design.  The compiled loop queues, sends, collects and checks beats.

Byte order: a payload port of w bits takes ceil(w / 8) bytes in each beat, with byte 0 at bits [7:0]. A column is the sequence of the bytes
of successive beats::

    column  | b0 b1 .. b15 | b16 b17 .. b31 |        tdata of 128 bits, byte 0 of a block at tdata[7:0]
    beat    |      0       |       1        |
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from modeloom.sim.simulation import Port, Simulation

__all__ = ["AT_REST", "Beats", "RunResult", "Stream", "StreamRunner", "Violations"]

AT_REST = 1.0
"""The probability of a gap of a stream on which nothing moves."""

_AXIS_PAYLOAD = ("tdata", "tdest", "tid", "tkeep", "tlast", "tstrb", "tuser")


@dataclass(frozen=True)
class Stream:
    """One AXI4-Stream interface, by the names of its ports.

    Attributes
    ----------
    name : str
        Name of the stream in the methods of the runner.
    flow : str
        ``"in"`` if the runner sends beats to the design; ``"out"`` if it collects them.
    valid : str
        Port of one bit.
    ready : str or None
        Port of one bit, or ``None`` for a stream that is always ready.
    payload : tuple of str
        Ports that carry the beat, in any order.  There may be none.
    clock : str
        Its clock, if the simulation has several ones.  "" is the first one.
    second : str or None
        Of an input stream, a port of one bit that is low in the first cycle of a beat and high in the others, as PENABLE of APB is.  A beat
        is accepted in its second cycle at the earliest.
    """

    name: str
    flow: str
    valid: str
    ready: str | None
    payload: tuple[str, ...]
    clock: str = ""
    second: str | None = None

    def __post_init__(self) -> None:
        if self.flow not in ("in", "out"):
            raise ValueError(f"the direction of stream {self.name} must be 'in' or 'out', not {self.flow!r}")
        if self.second is not None and self.flow != "in":
            raise ValueError(f"stream {self.name}: {self.second} is for a stream whose direction is 'in'")
        object.__setattr__(self, "payload", tuple(self.payload))

    @classmethod
    def axis(cls, simulation: Simulation, prefix: str) -> Stream:
        """The stream whose ports begin with `prefix`, such as ``s_axis`` or ``m_axis_status``: ``<prefix>_tvalid``,
        ``<prefix>_tready`` and the payload, in alphabetical order. The direction is that of ``tvalid``.

        Amaranth streams are also found: ``<prefix>_valid``, ``<prefix>_ready``, ``<prefix>_payload`` or
        ``<prefix>_payload_*``; internal streams are ``i`` and ``o``.

        Raises
        ------
        ValueError
            If there is no such stream.
        """
        ports = simulation.ports
        if f"{prefix}_tvalid" in ports:
            valid, ready = f"{prefix}_tvalid", f"{prefix}_tready"
            payload = tuple(name for name in (f"{prefix}_{part}" for part in _AXIS_PAYLOAD) if name in ports)
        elif f"{prefix}_valid" in ports:
            valid, ready, start = f"{prefix}_valid", f"{prefix}_ready", f"{prefix}_payload"
            payload = tuple(name for name in ports if name == start or name.startswith(start + "_"))
        else:
            raise ValueError(f"the design has no stream {prefix!r}: no port {prefix}_tvalid or {prefix}_valid")
        flow = "in" if ports[valid].kind == "input" else "out"
        return cls(prefix, flow, valid, ready if ready in ports else None, payload)

    @staticmethod
    def discover(simulation: Simulation) -> list[Stream]:
        """Every stream of the design, in alphabetical order of their prefixes."""
        prefixes = {name[: -len(mark) - 1] for name in simulation.ports for mark in ("tvalid", "valid") if name.endswith(f"_{mark}")}
        return [Stream.axis(simulation, prefix) for prefix in sorted(prefixes)]


@dataclass(frozen=True)
class Beats:
    """Beats from an output stream.

    Attributes
    ----------
    count : int
    columns : dict
        Bytes of all beats, by payload port.
    cycles : array of unsigned 64-bit numbers
        Cycle of each handshake.
    """

    count: int
    columns: dict[str, bytes]
    cycles: array[int]

    def values(self, port: str) -> list[int]:
        """One payload port as ints, with a value for each beat."""
        if not self.count:
            return []
        column, size = self.columns[port], len(self.columns[port]) // self.count
        return [int.from_bytes(column[i : i + size], "little") for i in range(0, len(column), size)]


@dataclass(frozen=True)
class RunResult:
    """The end of a run: `done` if the expected beats arrived, `timed_out` if the limit came first, and the number of `cycles`."""

    done: bool
    cycles: int

    @property
    def timed_out(self) -> bool:
        return not self.done


@dataclass(frozen=True)
class Violations:
    """Protocol errors of the design on one output stream since the runner was made or reset.

    Attributes
    ----------
    dropped : int
        How often valid fell before the beat was accepted (AXI4-Stream, section 2.2.1).
    changed : int
        Number of cycles in which the payload of a waiting beat changed.
    loud : int
        Number of cycles in which the payload was not zero while valid was low.  AXI4-Stream allows this, so it does not count as an error.
    first_cycle : int or None
        Cycle of the first error.
    """

    dropped: int
    changed: int
    first_cycle: int | None
    loud: int = 0

    def __bool__(self) -> bool:
        return bool(self.dropped or self.changed)


class StreamRunner:
    """Drives all streams of a simulation.

    While a runner is in use, call only its :meth:`run` and not ``Simulation.step``, which would lose handshakes. Other ports of the
    simulation may be set and read between runs.

    Valid never waits for ready, and an offered beat stays until it is accepted. Ready is random in each cycle, whether there is a beat or
    not. Output streams accept beats during every run.

    Parameters
    ----------
    simulation : Simulation
    driven : sequence of Stream, optional
        The streams to drive. The default is all streams of the design. The inputs of other streams keep their values.
    seed : int
        Seed of the random gaps. Each stream has its own generator. Runs with the same seed are equal.
    gaps : mapping, optional
        Probability, by stream name, that a beat is withheld for a cycle (input streams) or that ready is low in a cycle
        (output streams). The default is 0.

    Raises
    ------
    ValueError
        If two streams have the same name, a port does not exist or has the wrong direction, or a probability is not in [0, 1).
    """

    def __init__(self, simulation: Simulation, driven: Sequence[Stream] | None = None, *, seed: int = 0,
                 gaps: Mapping[str, float] | None = None) -> None:
        self.simulation = simulation
        self._library, self._handle = simulation._library, simulation._handle
        driven = Stream.discover(simulation) if driven is None else driven
        self.by_name = {stream.name: stream for stream in driven}
        if len(self.by_name) != len(driven):
            raise ValueError("two streams have the same name")
        self.seed = seed
        self._payload: dict[str, list[Port]] = {}
        self._index: dict[str, int] = {}
        self._gaps = dict.fromkeys(self.by_name, 0.0)
        ports = [self._ports_of(stream) for stream in self.by_name.values()]
        self._ports = ports
        if unknown := sorted({stream.clock for stream in driven} - {"", *simulation.clocks}):
            raise ValueError(f"the simulation has no clock {unknown[0]!r}")
        if AT_REST in (gaps or {}).values():
            raise ValueError("the probability of a gap must be below 1 in a whole run")
        self.set_gaps(gaps or {}, attach=False)
        self._attach()

    def _ports_of(self, stream: Stream) -> tuple[Port, Port | None, Port | None, list[Port]]:
        forward, backward = {"in": ("input", "output"), "out": ("output", "input")}[stream.flow]

        def port(name: str, kind: str, width: int | None) -> Port:
            found = self.simulation._find(name)
            if found.kind != kind:
                raise ValueError(f"stream {stream.name}: {name} is no {kind} port")
            if width is not None and found.width != width:
                raise ValueError(f"stream {stream.name}: {name} has {found.width} bits instead of {width}")
            return found

        return (port(stream.valid, forward, 1), None if stream.ready is None else port(stream.ready, backward, 1),
                None if stream.second is None else port(stream.second, forward, 1),
                [port(name, forward, None) for name in stream.payload])

    def _attach(self) -> None:
        self._library.ml_clear_streams(self._handle)
        for stream, (valid, ready, second, payload) in zip(self.by_name.values(), self._ports, strict=True):
            indices = (ctypes.c_uint32 * len(payload))(*(port.index for port in payload))
            index = self._library.ml_add_stream(self._handle, stream.flow == "in", valid.index,
                                                -1 if ready is None else ready.index, indices, len(payload),
                                                self.seed & 0xFFFFFFFFFFFFFFFF)
            self._payload[stream.name], self._index[stream.name] = payload, index
            if second is not None:
                self._library.ml_stream_second(self._handle, index, second.index)
            if stream.clock:
                self._library.ml_stream_clock(self._handle, index, list(self.simulation.clocks).index(stream.clock))
        for name, gap in self._gaps.items():
            self._library.ml_stream_gap(self._handle, self._index[name], int(gap * 2**32))
        self._library.ml_flush_streams(self._handle)

    def _index_of(self, name: str, flow: str | None = None) -> int:
        if name not in self.by_name:
            raise ValueError(f"no stream {name!r}; there are {', '.join(self.by_name) or 'none'}")
        if flow is not None and self.by_name[name].flow != flow:
            raise ValueError(f"stream {name} goes the other way")
        return self._index.get(name, 0)

    def set_gaps(self, gaps: Mapping[str, float], *, attach: bool = True) -> None:
        """Changes the probabilities of gaps, by stream name. Other streams keep theirs. A stream with ``AT_REST`` stands still."""
        for name, gap in gaps.items():
            index = self._index_of(name)
            if not 0 <= gap <= AT_REST:
                raise ValueError(f"the probability of a gap must be from 0 to 1, not {gap!r}")
            self._gaps[name] = gap
            if attach:
                self._library.ml_stream_gap(self._handle, index, int(gap * 2**32))

    def reset(self, cycles: int = 2) -> None:
        """Resets the design for `cycles` cycles with all valid and ready signals low. All queued and received beats and all violations are
        dropped, and the random gaps start again from the seed.
        """
        self.forget()
        self.simulation.reset(cycles)

    def forget(self) -> None:
        """Drops all queued and received beats and all violations, and starts the random gaps again from the seed."""
        self._attach()

    def feed(self, name: str, columns: Mapping[str, bytes | bytearray | memoryview | Iterable[int]]) -> int:
        """Queues beats on an input stream.

        Parameters
        ----------
        name : str
        columns : mapping
            For every payload port, the bytes of successive beats, or an iterable of ints with one for each beat.

        Returns
        -------
        int
            Number of beats queued.

        Raises
        ------
        ValueError
            If a payload port is missing or unknown, the columns differ in length, or a value does not fit its port.
        """
        index = self._index_of(name, "in")
        ports = self._payload[name]
        if sorted(columns) != sorted(port.name for port in ports):
            raise ValueError(f"stream {name} has the payload ports {', '.join(p.name for p in ports) or '(none)'}")
        packed: list[bytes] = []
        counts: set[int] = set()
        for port in ports:
            data, count = _pack(port, columns[port.name])
            packed.append(data)
            counts.add(count)
        if len(counts) != 1:
            raise ValueError(f"the columns of stream {name} differ in length" if counts else
                             f"stream {name} has no payload: use feed_empty")
        (count,) = counts
        self._feed(index, count, packed)
        return count

    def feed_empty(self, name: str, count: int) -> None:
        """Queues `count` beats on an input stream without payload ports."""
        index = self._index_of(name, "in")
        if self._payload[name]:
            raise ValueError(f"stream {name} has payload ports: use feed")
        self._feed(index, count, [])

    def _feed(self, index: int, count: int, packed: list[bytes]) -> None:
        pointers = (ctypes.c_char_p * len(packed))(*packed)
        self._library.ml_stream_feed(self._handle, index, count, pointers)

    def waiting(self, name: str) -> int:
        """Number of beats that are queued and not yet accepted (input stream), or received and not yet taken (output stream)."""
        return int(self._library.ml_stream_waiting(self._handle, self._index_of(name)))

    def run(self, until: Mapping[str, int] | None = None, *, drain: bool = False, max_cycles: int) -> RunResult:
        """Runs until enough beats have arrived.

        Parameters
        ----------
        until : mapping, optional
            For output streams, by name, the number of beats that must be available, including beats of earlier runs.
        drain : bool
            Whether to wait until every queued input beat is accepted.
        max_cycles : int
            Limit for the number of cycles. Without `until` and `drain`, the run lasts exactly so many cycles.

        Returns
        -------
        RunResult
            ``timed_out`` is set if the limit came first. Beats that have arrived by then can still be taken.
        """
        if max_cycles < 0:
            raise ValueError(f"max_cycles must not be negative, not {max_cycles}")
        targets = (ctypes.c_uint64 * max(1, len(self.by_name)))()
        for name, count in (until or {}).items():
            targets[self._index_of(name, "out")] = count
        start = self.simulation.cycle
        done = self._library.ml_run(self._handle, targets if until is not None or drain else None, drain, max_cycles)
        return RunResult(bool(done), self.simulation.cycle - start)

    def take(self, name: str, count: int | None = None) -> Beats:
        """Removes the first `count` beats (default: all) from an output stream.

        Raises
        ------
        ValueError
            If fewer have arrived.
        """
        index = self._index_of(name, "out")
        waiting = self.waiting(name)
        if count is None:
            count = waiting
        if not 0 <= count <= waiting:
            raise ValueError(f"{count} beats asked of stream {name}, {waiting} have arrived")
        ports = self._payload[name]
        buffers = [ctypes.create_string_buffer(max(1, port.bytes * count)) for port in ports]
        pointers = (ctypes.c_void_p * len(ports))(*(ctypes.addressof(buffer) for buffer in buffers))
        cycles = array("Q", bytes(8 * count))
        self._library.ml_stream_take(self._handle, index, count, pointers, cycles.buffer_info()[0])
        columns = {port.name: bytes(memoryview(buffer)[: port.bytes * count]) for port, buffer in zip(ports, buffers, strict=True)}
        return Beats(count, columns, cycles)

    def accepted(self, name: str) -> array[int]:
        """Cycles in which the design accepted beats of an input stream since the last call."""
        index = self._index_of(name, "in")
        count = int(self._library.ml_stream_handshakes(self._handle, index))
        cycles = array("Q", bytes(8 * count))
        self._library.ml_stream_take(self._handle, index, count, None, cycles.buffer_info()[0])
        return cycles

    def violations(self, name: str | None = None) -> Violations:
        """Protocol errors on one output stream, or on all of them together."""
        if name is not None:
            result = (ctypes.c_uint64 * 4)()
            self._library.ml_stream_violations(self._handle, self._index_of(name, "out"), result)
            return Violations(result[0], result[1], None if result[2] == 2**64 - 1 else result[2], result[3])
        each = [self.violations(n) for n, stream in self.by_name.items() if stream.flow == "out"]
        first = [v.first_cycle for v in each if v.first_cycle is not None]
        return Violations(sum(v.dropped for v in each), sum(v.changed for v in each), min(first, default=None), sum(v.loud for v in each))


def _pack(port: Port, column: bytes | bytearray | memoryview | Iterable[int]) -> tuple[bytes, int]:
    """The column of one payload port as bytes, and its number of beats."""
    spare = 8 * port.bytes - port.width
    if isinstance(column, bytes | bytearray | memoryview):
        data = bytes(column)
        if len(data) % port.bytes:
            raise ValueError(f"{port.name} takes {port.bytes} bytes per beat: {len(data)} bytes are not whole beats")
        if spare and any(top >> (8 - spare) for top in data[port.bytes - 1 :: port.bytes]):
            raise ValueError(f"a value for {port.name} has more than {port.width} bits")
        return data, len(data) // port.bytes
    values = list(column)
    for value in values:
        if value < 0 or value >> port.width:
            raise ValueError(f"{value:#x} does not fit the {port.width} bits of {port.name}")
    return b"".join(value.to_bytes(port.bytes, "little") for value in values), len(values)
