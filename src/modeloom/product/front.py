# SPDX-License-Identifier: Apache-2.0
"""What ``core.json`` says of a front end, and hosts that read and write its registers: in a simulation, and on a board."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from mmap import mmap
from pathlib import Path
from typing import Annotated, ClassVar

from modeloom.interfaces.front import APB, REGISTER_BUSES, WORD_BITS, WORD_BYTES
from modeloom.sim import Simulation, Stream, StreamRunner
from modeloom.sim.streams import Beats, RunResult

__all__ = [
    "ApbHost", "AxiLiteHost", "ClocksDescription", "CommandRunner", "Crossing", "FrontDescription", "HostClock", "MappedRegisters",
    "Port", "RegisterHost", "RegisterRefused", "Registers", "WidthDescription", "WidthRate", "register_host",
]  # fmt: skip

PATIENCE = 10_000
"""Cycles after which an access without an answer counts as lost, and reads of a flag after which something counts as stuck."""

MAPPED_BYTES = 4096
"""Bytes that are mapped of a file: a page."""

CHANNELS = {
    "aw": ("in", ("awaddr", "awprot")), "w": ("in", ("wdata", "wstrb")), "b": ("out", ("bresp",)), "ar": ("in", ("araddr", "arprot")),
    "r": ("out", ("rdata", "rresp")),
}  # fmt: skip
"""The channels of AXI4-Lite: their direction, seen from the host, and their payloads."""


@dataclass(frozen=True, kw_only=True)
class Port:
    """A port of the top module."""

    name: Annotated[str, "Its name in Verilog."]
    direction: Annotated[str, '"input" or "output", seen from the core.']
    width: Annotated[int, "Bits."]
    stream: Annotated[str, 'Prefix of its stream or group; "clock" for clock and reset.']

    def __post_init__(self) -> None:
        if self.direction not in ("input", "output"):
            raise ValueError('direction is not "input" or "output"')

    @property
    def output(self) -> bool:
        """Whether the core drives it."""
        return self.direction == "output"


@dataclass(frozen=True, kw_only=True)
class WidthRate:
    """The rate in a steady state if the data streams do not pause: so many bytes every so many cycles."""

    what: Annotated[str, 'What is processed, such as "sector".']
    bytes: Annotated[int, "Its bytes of data."]
    interval: Annotated[int, "Cycles."]


@dataclass(frozen=True, kw_only=True)
class WidthDescription:
    """Converters between data streams of other widths."""

    top: Annotated[str, "Name of the module that has the core and the converters, and no registers."]
    bits: Annotated[int, "Bits of a beat of data."]
    rates: Annotated[tuple[WidthRate, ...], "What the core processes with streams of this width."]
    erase_cycles: Annotated[int, "Cycles in which the converters are overwritten, at most, after a reset or `zeroize`."]


@dataclass(frozen=True, kw_only=True)
class HostClock:
    """A clock of the host, and the buses that have it."""

    name: Annotated[str, "Name of its port."]
    buses: Annotated[tuple[str, ...], "Prefixes of the ports of its buses."]
    zeroizing: Annotated[str, "Name of the output in this clock that is high while an erasure holds its buses."]


@dataclass(frozen=True, kw_only=True)
class Crossing:
    """Registers, or the memory of a queue, that registers of another clock read."""

    kind: Annotated[
        str,
        '"gray" for Gray code and "bit" for one bit, into a synchroniser; "word" and "memory" for what stands still; "reset" for an '
        "asynchronous reset.",
    ]
    source: Annotated[str, 'Instances and a register, with "/" between them; empty for a reset.']
    target: Annotated[str, "The same."]


@dataclass(frozen=True, kw_only=True)
class ClocksDescription:
    """Clocks of the host, and the reset."""

    reset: Annotated[str, "Name of the port of the reset."]
    reset_high: Annotated[bool, "Whether the reset is active high."]
    reset_asynchronous: Annotated[bool, "Whether the reset may begin and end at any time."]
    clocks: Annotated[tuple[HostClock, ...], "Clocks beside that of the core; empty if there are none."]
    instance: Annotated[str, "Name of the instance in the top that has all crossings."]
    crossings: Annotated[tuple[Crossing, ...], "All paths between clocks in this instance."]
    erase_cycles: Annotated[int, "Cycles of the core that an erasure takes at most for the queues, beside those of the core alone."]
    erase_host_cycles: Annotated[int, "Cycles of each clock of the host that it takes at most, beside these."]


@dataclass(frozen=True, kw_only=True)
class FrontDescription:
    """A front end around a core."""

    kind: Annotated[str, '"registers"; "width" if there are converters, but no registers; "clocks" if there is neither.']
    top: Annotated[str, "Name of the module that has the core and the front end."]
    verilog: Annotated[str, "The Verilog file of this module and of the front end, without the core."]
    bus: Annotated[str | None, '"apb"; absent for AXI4-Lite, and without registers.'] = None
    commands: Annotated[str | None, '"registers"; absent if commands and statuses go over their streams.'] = None
    width: Annotated[WidthDescription | None, "Converters of the data streams; absent if they are those of the core."] = None
    clocks: Annotated[ClocksDescription | None, "Clocks of the host and the reset; absent if there is one clock, and `aresetn`."] = None
    address_bits: Annotated[int | None, "Bits of an address in bytes; absent without registers."] = None
    key_words: Annotated[int | None, "Words of the memory for a key; absent without registers."] = None
    erase_cycles: Annotated[int, "Cycles in which the front end is overwritten, after a reset or `zeroize`."]
    registers: Annotated[Mapping[str, int], "Addresses of the registers in bytes, by name; empty without registers."]
    ports: Annotated[tuple[Port, ...], "All ports of its top in order."]


class RegisterRefused(RuntimeError):
    """The registers answered an access with SLVERR, or refused it with PSLVERR."""


class Registers(ABC):
    """The registers of a front end, by name.

    Parameters
    ----------
    addresses : mapping
        Addresses of the registers in bytes, by name (``front.registers`` of ``core.json``).
    """

    STATE: ClassVar[tuple[str, ...]] = ("zeroizing", "key_busy", "key_error", "key_sending")
    """The bits of the register ``state``."""

    def __init__(self, addresses: Mapping[str, int]):
        self.addresses = addresses

    @abstractmethod
    def read_word(self, address: int) -> int:
        """Reads a word.  Raises ``RegisterRefused`` for SLVERR."""

    @abstractmethod
    def write_word(self, address: int, value: int) -> None:
        """Writes a word.  Raises ``RegisterRefused`` for SLVERR."""

    def address(self, register: str | int, offset: int = 0) -> int:
        """The address of a register that is named, or an address, and ``offset`` words behind it."""
        return (register if isinstance(register, int) else self.addresses[register]) + WORD_BYTES * offset

    def write(self, register: str | int, value: int, *, offset: int = 0) -> None:
        """Writes a word, ``offset`` words behind a register.  Raises ``RegisterRefused`` for SLVERR."""
        self.write_word(self.address(register, offset), value)

    def read(self, register: str | int, *, offset: int = 0) -> int:
        """Reads a word, ``offset`` words behind a register.  Raises ``RegisterRefused`` for SLVERR."""
        return self.read_word(self.address(register, offset))

    def counter(self, name: str) -> int:
        """The whole value of a counter of 64 bits."""
        low = self.read(name)
        return self.read("high") << WORD_BITS | low

    def flag(self, name: str) -> int:
        """``key_loaded``, a bit of ``state``, or ``key_busy`` as long as a key is on its way."""
        if name == "key_loaded":
            return self.read("key_loaded0") | self.read("key_loaded1") << WORD_BITS
        state = self.read("state")
        bits = {one: state >> at & 1 for at, one in enumerate(self.STATE)}
        return bits["key_busy"] | bits["key_sending"] if name == "key_busy" else bits[name]

    def wait_for(self, name: str) -> None:
        """Waits until a flag is 0.  Raises ``TimeoutError`` if this takes too long."""
        for _ in range(PATIENCE):
            if not self.flag(name):
                return
        raise TimeoutError(f"{name} is still 1 after {PATIENCE} reads")

    def send_key(self, data: bytes, slot: int = 0, erase: bool = False) -> None:
        """Sends a key packet, or one that erases a slot.  Waits until no other one is on its way."""
        self.wait_for("key_sending")
        if not erase:
            for at in range(0, len(data), WORD_BYTES):
                self.write("key_data", int.from_bytes(data[at : at + WORD_BYTES], "little"), offset=at // WORD_BYTES)
            self.write("key_length", len(data))
        self.write("key_send", slot | erase << 16)

    def load_key(self, key: bytes, slot: int = 0) -> None:
        """Loads a key and waits until it is ready.  Raises ``ValueError`` if the core refuses it."""
        self.send_key(key, slot)
        self.wait_for("key_busy")
        if self.flag("key_error"):
            raise ValueError("the core refuses this key")

    def erase_key(self, slot: int = 0) -> None:
        """Erases a slot and waits until nothing is left of its key."""
        self.send_key(b"", slot, erase=True)
        self.wait_for("key_busy")

    def zeroize(self) -> None:
        """Erases all keys and data, and waits until this is done."""
        self.write("control", 1)
        self.wait_for("zeroizing")


    def submit(self, command: bytes) -> bool:
        """Submits the bytes of a command.  Returns False if another one still waits for the core, or an erasure is in progress.

        Raises ``KeyError`` if commands do not go over registers, and ``ValueError`` for a command of another length.
        """
        state = self.read("command_state")
        if state & 1:
            return False
        if len(command) > WORD_BYTES * (state >> 8 & 0xFF):
            raise ValueError(f"a command of this core has at most {WORD_BYTES * (state >> 8 & 0xFF)} bytes, not {len(command)}")
        for at in range(0, len(command), WORD_BYTES):
            # Words that are not written are zero.
            if any(command[at : at + WORD_BYTES]):
                self.write("command_data", int.from_bytes(command[at : at + WORD_BYTES], "little"), offset=at // WORD_BYTES)
        self.write("command_submit", 1)
        return True

    def poll(self) -> bytes | None:
        """Takes the bytes of the oldest status, as they come over the stream of a core; None if there is none."""
        status = self.read("status")
        if not status >> 7 & 1:
            return None
        tag = b"".join(
            self.read(f"status_tag{at}").to_bytes(WORD_BYTES, "little") for at in range(4) if f"status_tag{at}" in self.addresses
        )
        return tag + (status >> 16 & 0xFFFF).to_bytes(2, "little") + bytes([status & 0x7F, status >> 8 & 0xFF])


class MappedRegisters(Registers):
    """The registers of a core on a board, over a file that maps them, such as ``/dev/uio0``.

    A bus fault ends the process, as the file gives no way to see SLVERR.

    Parameters
    ----------
    path : path
    addresses : mapping
        As for ``Registers``.
    start : int
        Where they begin in the file.
    """

    def __init__(self, path: str | Path, addresses: Mapping[str, int], start: int = 0):
        super().__init__(addresses)
        with Path(path).open("r+b", buffering=0) as file:
            # Words are accessed as a whole.
            self._words = memoryview(mmap(file.fileno(), MAPPED_BYTES, offset=start)).cast("I")

    def read_word(self, address: int) -> int:
        """Reads a word."""
        return self._words[address // WORD_BYTES]

    def write_word(self, address: int, value: int) -> None:
        """Writes a word."""
        self._words[address // WORD_BYTES] = value


class RegisterHost(Registers):
    """The registers of a simulated core.  While an access waits for its answer, all other streams run.

    Parameters
    ----------
    runner : StreamRunner
        It drives ``streams()`` beside the streams of the core.
    description : FrontDescription
    """

    def __init__(self, runner: StreamRunner, description: FrontDescription):
        super().__init__(description.registers)
        self.runner = runner
        # A runner that serves commands over registers does so with this host.
        self._run = getattr(runner, "run_streams", runner.run)

    @classmethod
    def streams(cls) -> list[Stream]:
        """What the runner drives for it."""
        return []

    def write_word(self, address: int, value: int) -> None:
        """Writes a word."""
        self.write_bytes(address, value, (1 << WORD_BYTES) - 1)

    @abstractmethod
    def write_bytes(self, address: int, value: int, strobe: int) -> None:
        """Writes some bytes of a word.  Raises ``RegisterRefused`` for SLVERR."""

    def run_streams(self, cycles: int) -> None:
        """Runs the streams for so many cycles, while nothing is read or written."""
        self._run(max_cycles=cycles)


class AxiLiteHost(RegisterHost):
    """The same over AXI4-Lite."""

    @classmethod
    def streams(cls) -> list[Stream]:
        """The channels as streams."""
        return [
            Stream(f"s_axil_{name}", flow, f"s_axil_{name}valid", f"s_axil_{name}ready", tuple(f"s_axil_{one}" for one in payload))
            for name, (flow, payload) in CHANNELS.items()
        ]  # fmt: skip

    def feed(self, channel: str, columns: dict[str, list[int]]) -> None:
        """Queues a beat of a channel."""
        self.runner.feed(channel, columns)

    def _answer(self, channel: str) -> dict[str, int]:
        if self._run({f"s_axil_{channel}": 1}, max_cycles=PATIENCE).timed_out:
            raise TimeoutError(f"the registers gave no answer in {PATIENCE} cycles")
        beats = self.runner.take(f"s_axil_{channel}", 1)
        return {name: beats.values(name)[0] for name in beats.columns}

    def write_bytes(self, address: int, value: int, strobe: int) -> None:
        """Writes some bytes of a word.  Raises ``RegisterRefused`` for SLVERR."""
        self.feed("s_axil_aw", {"s_axil_awaddr": [address], "s_axil_awprot": [0]})
        self.feed("s_axil_w", {"s_axil_wdata": [value], "s_axil_wstrb": [strobe]})
        if self._answer("b")["s_axil_bresp"]:
            raise RegisterRefused(f"write to {address:#x}")

    def read_word(self, address: int) -> int:
        """Reads a word."""
        self.feed("s_axil_ar", {"s_axil_araddr": [address], "s_axil_arprot": [0]})
        answer = self._answer("r")
        if answer["s_axil_rresp"]:
            raise RegisterRefused(f"read of {address:#x}")
        return answer["s_axil_rdata"]


class ApbHost(RegisterHost):
    """The same over APB.  A transfer is a beat of one stream, and its answer is a beat of another one, which has the same clock."""

    BUS, ANSWER = "s_apb", "s_apb_answer"

    @classmethod
    def streams(cls) -> list[Stream]:
        """Transfers, and their answers.  PPROT stays as it is."""
        payload = tuple(f"s_apb_{name}" for name in ("paddr", "pwrite", "pwdata", "pstrb"))
        return [
            Stream(cls.BUS, "in", "s_apb_psel", "s_apb_pready", payload, second="s_apb_penable"),
            Stream(cls.ANSWER, "out", "s_apb_pready", None, ("s_apb_prdata", "s_apb_pslverr")),
        ]

    def _transfer(self, address: int, write: bool, value: int = 0, strobe: int = 0) -> int:
        """A transfer; the data of a read.  Raises ``RegisterRefused`` for PSLVERR."""
        beat = {"paddr": address, "pwrite": int(write), "pwdata": value, "pstrb": strobe}
        self.runner.feed(self.BUS, {f"s_apb_{name}": [level] for name, level in beat.items()})
        if self._run({self.ANSWER: 1}, max_cycles=PATIENCE).timed_out:
            raise TimeoutError(f"the registers gave no answer in {PATIENCE} cycles")
        answer = self.runner.take(self.ANSWER, 1)
        data, refused = (answer.values(f"s_apb_{name}")[0] for name in ("prdata", "pslverr"))
        if refused:
            raise RegisterRefused(f"{'write to' if write else 'read of'} {address:#x}")
        return data

    def write_bytes(self, address: int, value: int, strobe: int) -> None:
        """Writes some bytes of a word.  Raises ``RegisterRefused`` for PSLVERR."""
        self._transfer(address, True, value, strobe)

    def read_word(self, address: int) -> int:
        """Reads a word."""
        return self._transfer(address, False)


def register_host(bus: str | None) -> type[AxiLiteHost] | type[ApbHost]:
    """The host for a bus of ``FrontDescription``.  Raises ``ValueError`` for an unknown one."""
    if bus not in (None, *REGISTER_BUSES):
        raise ValueError(f"no bus {bus!r}; there are {', '.join(REGISTER_BUSES)}")
    return ApbHost if bus == APB else AxiLiteHost


# -- command runner ----------------------------------------------------------------------------------------------------------------

# Drives a simulated core whose commands and statuses go over registers.

PAUSE = 16
"""Cycles between polls."""


class CommandRunner(StreamRunner):
    """Drives a core whose commands and statuses go over registers as if they had streams, ``s_axis_cmd`` and ``m_axis_status``.

    ``registers`` has to be set before it runs.
    """

    COMMANDS, STATUSES = "s_axis_cmd", "m_axis_status"

    registers: Registers

    def __init__(self, simulation: Simulation, driven: Sequence[Stream], *, seed: int = 0, gaps: Mapping[str, float] | None = None):
        super().__init__(simulation, driven, seed=seed, gaps=gaps)
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
