# SPDX-License-Identifier: Apache-2.0
"""A built design, loaded for simulation: ports by name, one clock, cycles.

Bit order: the value of a port is a Python int whose bit i is bit i of the port.
"""

from __future__ import annotations

import ctypes
import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from modeloom.sim.build import build

__all__ = ["Clock", "Port", "Simulation"]

_CLOCKS = ("aclk", "clk")
_RESETS = (("aresetn", True), ("rst_n", True), ("rst", False), ("areset", False))


Number = TypeVar("Number", ctypes.c_uint32, ctypes.c_uint64)


@dataclass(frozen=True)
class Port:
    """A named object of the design.

    Attributes
    ----------
    name : str
        Ports have their plain names.  Registers and memories have hierarchical names with dots between the levels.
    width : int
        Bits (of one word, for a memory).
    kind : str
        ``"input"``, ``"output"``, ``"state"`` or ``"memory"``.
    depth : int
        Words of a memory; 1 for everything else.
    index : int
        Number of the object in the library.
    """

    name: str
    width: int
    kind: str
    depth: int
    index: int

    @property
    def bytes(self) -> int:
        """Number of bytes of one value in a column of beats: ceil(width / 8)."""
        return (self.width + 7) // 8


def _load(path: Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(path))
    handle, u32, u64, i64 = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int64
    # Buffers are passed as plain addresses, so bytes, bytearrays and arrays need no copy.
    address = ctypes.c_void_p
    signatures: dict[str, tuple[type | None, list[type]]] = {
        "ml_create": (handle, []),
        "ml_destroy": (None, [handle]),
        "ml_objects": (ctypes.c_char_p, [handle]),
        "ml_set_clock": (ctypes.c_int, [handle, i64, ctypes.c_int]),
        "ml_set_clocks": (None, [handle, u32, address, address, address, address, u64]),
        "ml_clock_count": (u64, [handle, u32]),
        "ml_stream_clock": (None, [handle, u32, u32]),
        "ml_power_on": (None, [handle]),
        "ml_set": (None, [handle, u32, address]),
        "ml_get": (None, [handle, u32, address]),
        "ml_get_word": (None, [handle, u32, u64, address]),
        "ml_put": (None, [handle, u32, u64, address]),
        "ml_step": (None, [handle, u64]),
        "ml_cycle": (u64, [handle]),
        "ml_watch": (None, [handle, address, u32, ctypes.c_int]),
        "ml_watched_bytes": (u64, [handle]),
        "ml_watched_take": (None, [handle, address]),
        "ml_add_stream": (u32, [handle, ctypes.c_int, u32, i64, address, u32, u64]),
        "ml_stream_second": (None, [handle, u32, u32]),
        "ml_clear_streams": (None, [handle]),
        "ml_stream_gap": (None, [handle, u32, u64]),
        "ml_stream_feed": (None, [handle, u32, u64, address]),
        "ml_stream_waiting": (u64, [handle, u32]),
        "ml_stream_handshakes": (u64, [handle, u32]),
        "ml_stream_take": (None, [handle, u32, u64, address, address]),
        "ml_stream_violations": (None, [handle, u32, address]),
        "ml_run": (ctypes.c_int, [handle, address, ctypes.c_int, u64]),
        "ml_flush_streams": (None, [handle]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


@dataclass(frozen=True)
class Clock:
    """When a clock rises, in ticks: at ``phase``, and then every ``period``.  Each edge comes late by a random number of up to ``jitter``
    ticks.

    Raises ``ValueError`` if an edge could come after the next one.
    """

    period: int
    phase: int = 0
    jitter: int = 0

    def __post_init__(self) -> None:
        if self.period < 1 or self.phase < 0 or not 0 <= self.jitter < self.period:
            raise ValueError(f"a clock has a period of at least 1, and less jitter than that: {self}")


class Simulation:
    """A simulated design with one clock, or several.

    Cycle n is the time between two rising edges of the first clock. Values that are set before ``step()`` are the inputs of this cycle.
    ``get()`` returns combinational outputs for the current inputs, and registers after the last edge.

    Parameters
    ----------
    library : path
        What :func:`modeloom.sim.build` returned.
    clock : str, optional
        Clock port. By default it is found by name (``aclk``, ``clk``). A design without a clock can still be evaluated.
    reset : str, optional
        Synchronous reset port. By default it is found by name (``aresetn``, ``rst_n`` active low; ``rst``, ``areset`` active high). A port
        whose name ends in ``n`` is active low.
    two_steps : bool
        Whether to evaluate the design twice per cycle, at both levels of the clock, even if once is enough; about 1.2 times
        slower, same results.
    clocks : mapping, optional
        When the clocks of a design with several ones rise, by their ports.  The clock of the design is the first one.
    seed : int
        Seed of the jitter of clocks.

    Raises
    ------
    ValueError
        If a named port does not exist.
    """

    def __init__(self, library: str | Path, *, clock: str | None = None, reset: str | None = None,
                 two_steps: bool = False, clocks: Mapping[str, Clock] | None = None, seed: int = 0) -> None:
        self._library = _load(Path(library))
        self._handle = self._library.ml_create()
        kinds = {"i": "input", "o": "output", "s": "state", "m": "memory"}
        objects: dict[str, Port] = {}
        for index, line in enumerate(self._library.ml_objects(self._handle).decode().splitlines()):
            kind, width, depth, name = line.split("\t")
            name = name.replace(" ", ".")
            objects[name] = Port(name, int(width), kinds[kind], int(depth), index)
        self._objects = objects
        if clock is None:
            clock = next((name for name in _CLOCKS if name in self.ports), None)
        if reset is None:
            reset, self._reset_low = next(((n, low) for n, low in _RESETS if n in self.ports), (None, False))
        else:
            self._reset_low = reset.endswith("n")
        for name in (clock, reset):
            if name is not None and self._find(name).kind != "input":
                raise ValueError(f"{name!r} is not an input port")
        self._clock, self._reset = clock, reset
        index = -1 if clock is None else self._objects[clock].index
        self.single_step = bool(self._library.ml_set_clock(self._handle, index, two_steps))
        self.clocks = dict(clocks or {})
        if self.clocks:
            self._set_clocks(clock, seed)
        if reset is not None:
            self.set(reset, int(self._reset_low))

    def _set_clocks(self, clock: str | None, seed: int) -> None:
        """Lets several clocks rise."""
        names = list(self.clocks)
        if clock is None or names[0] != clock:
            raise ValueError(f"the first of several clocks is that of the design, {clock}, not {names[0]}")
        for name in names:
            if self._find(name).kind != "input":
                raise ValueError(f"{name!r} is not an input port")

        def column(values: Iterable[int], kind: type[Number]) -> ctypes.Array[Number]:
            return (kind * len(names))(*values)

        timing = list(self.clocks.values())
        self.single_step = False
        self._library.ml_set_clocks(
            self._handle, len(names), column((self._objects[name].index for name in names), ctypes.c_uint32),
            column((one.period for one in timing), ctypes.c_uint64), column((one.phase for one in timing), ctypes.c_uint64),
            column((one.jitter for one in timing), ctypes.c_uint64), seed,
        )  # fmt: skip

    def edges(self, clock: str) -> int:
        """How often a clock of several has risen since the design was loaded.  Raises ``ValueError`` if there is no such clock."""
        if clock not in self.clocks:
            raise ValueError(f"{clock!r} is none of several clocks")
        return int(self._library.ml_clock_count(self._handle, list(self.clocks).index(clock)))

    @classmethod
    def of(cls, rtlil: str, top: str, *, optimize: int = 2, cache: bool = True, **options: Any) -> Simulation:
        """Builds (or finds) and loads a design.  :func:`modeloom.sim.build` and the constructor describe the parameters."""
        return cls(build(rtlil, top, optimize=optimize, cache=cache), **options)

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.ml_destroy(self._handle)
            self._handle = None

    @cached_property
    def ports(self) -> dict[str, Port]:
        """Input and output ports by name, in alphabetical order."""
        return {name: port for name, port in sorted(self._objects.items()) if port.kind in ("input", "output")}

    @cached_property
    def objects(self) -> dict[str, Port]:
        """Ports, registers and memories by name, in alphabetical order. Registers that Yosys merged away are
        missing.
        """
        return dict(sorted(self._objects.items()))

    def _find(self, name: str) -> Port:
        try:
            return self._objects[name]
        except KeyError:
            near = difflib.get_close_matches(name, self._objects, n=3)
            hint = f"; did you mean {', '.join(near)}?" if near else ""
            raise ValueError(f"the design has no port or register {name!r}{hint}") from None

    def width(self, name: str) -> int:
        """Bits of a port or register."""
        return self._find(name).width

    @property
    def reset_port(self) -> str | None:
        """The name of the reset; None if there is none."""
        return self._reset

    @property
    def cycle(self) -> int:
        """Number of cycles simulated since the design was loaded."""
        return int(self._library.ml_cycle(self._handle))

    def set(self, name: str, value: int) -> None:
        """Sets an input port.

        Raises
        ------
        ValueError
            If there is no such input, or the value is negative or has more bits than the port.
        """
        port = self._find(name)
        if port.kind != "input":
            raise ValueError(f"{name!r} is not an input port")
        if name == self._clock or name in self.clocks:
            raise ValueError(f"{name!r} is the clock: use step()")
        if not isinstance(value, int):
            raise TypeError(f"the value of {name} must be an int, not {type(value).__name__}")
        if value < 0 or value >> port.width:
            raise ValueError(f"{value:#x} does not fit the {port.width} bits of {name}")
        if port.width:
            self._library.ml_set(self._handle, port.index, int(value).to_bytes(port.bytes, "little"))

    def get(self, name: str, word: int | None = None) -> int:
        """Value of a port or register, or of one word of a memory (`word`, from 0).

        Raises
        ------
        ValueError
            If there is no such object, or a memory is read without a word number or outside its depth.
        """
        port = self._find(name)
        buffer = ctypes.create_string_buffer(port.bytes)
        if port.kind == "memory":
            if word is None or not 0 <= word < port.depth:
                raise ValueError(f"{name} is a memory of {port.depth} words: give a word number in that range")
            self._library.ml_get_word(self._handle, port.index, word, buffer)
        elif word is not None:
            raise ValueError(f"{name} is not a memory")
        else:
            self._library.ml_get(self._handle, port.index, buffer)
        return int.from_bytes(buffer.raw, "little")

    def put(self, name: str, value: int, word: int | None = None) -> None:
        """Gives a register, or one word of a memory (`word`, from 0), a value that the design has not computed.

        Raises
        ------
        ValueError
            If there is no such register or memory, a memory is written without a word number or outside its depth, or the value is
            negative or has more bits than a word.
        """
        port = self._find(name)
        if port.kind not in ("state", "memory"):
            raise ValueError(f"{name!r} is a port: use set()")
        if (word is None) == (port.kind == "memory") or not 0 <= (word or 0) < max(1, port.depth):
            raise ValueError(f"{name} is a memory of {port.depth} words: give a word number in that range" if port.kind == "memory"
                             else f"{name} is not a memory")  # fmt: skip
        if value < 0 or value >> port.width:
            raise ValueError(f"{value:#x} does not fit the {port.width} bits of {name}")
        self._library.ml_put(self._handle, port.index, word or 0, int(value).to_bytes(port.bytes, "little"))

    def watch(self, names: Sequence[str], *, edges: bool = False) -> None:
        """Records the values of these ports in every cycle from now on, for :meth:`watched`.  Earlier records are dropped.

        With *edges*, values are those before each edge of any of several clocks.  Four bytes come before them: bit i of this number, whose
        byte 0 is the first one, is 1 if clock i rises.

        Raises
        ------
        ValueError
            If a port does not exist, or one is a memory.
        """
        ports = [self._find(name) for name in names]
        for port in ports:
            if port.kind == "memory":
                raise ValueError(f"{port.name} is a memory: watch ports and registers")
        if edges and not self.clocks:
            raise ValueError("there are not several clocks, whose edges could be watched")
        self._library.ml_watch(self._handle, (ctypes.c_uint32 * len(ports))(*(port.index for port in ports)), len(ports), edges)

    def watched(self) -> bytes:
        """The values since ``watch``, or since the last call.  Each cycle has ceil(width / 8) bytes of each port in order.  Byte 0 is bits
        [7:0]."""
        count = int(self._library.ml_watched_bytes(self._handle))
        buffer = ctypes.create_string_buffer(max(1, count))
        self._library.ml_watched_take(self._handle, buffer)
        return buffer.raw[:count]

    def step(self, n: int = 1) -> None:
        """Runs n clock cycles."""
        if n < 0:
            raise ValueError(f"the number of cycles must not be negative, not {n}")
        self._library.ml_step(self._handle, n)

    def reset(self, cycles: int = 2) -> None:
        """Sets the state to its initial values, and then holds the reset port, if there is one, for `cycles` cycles.

        The inputs keep their values, and the count of cycles continues.
        """
        self._library.ml_power_on(self._handle)
        if self._reset is not None:
            self.set(self._reset, int(not self._reset_low))
            self.step(cycles)
            self.set(self._reset, int(self._reset_low))
