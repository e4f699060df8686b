# SPDX-License-Identifier: Apache-2.0
"""The part of a simulated core that is the same for all kinds: its simulation, its streams, and its key port."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Generic, TypedDict, TypeVar

from modeloom.definition.software import as_bytes
from modeloom.interfaces.shared import KEY_BEAT_BYTES as KEY_BEAT
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.product.description import Description, WithBeats
from modeloom.product.folder import read_description, verilog_of
from modeloom.product.front import CommandRunner, RegisterHost, register_host
from modeloom.protocol.transactions import KeyPacket
from modeloom.sim import Clock, Simulation, Stream, StreamRunner, build
from modeloom.sim.build import verilog_to_rtlil
from modeloom.spec import InputError
from modeloom.spec.errors import FailedCheck

__all__ = ["CoreFault", "DriveOptions", "DrivenCore", "check_slot", "simulation_library"]

D = TypeVar("D", bound=Description, covariant=True)

KEY_CYCLES = 100_000
"""Number of cycles after which a key that is not loaded counts as refused."""


class CoreFault(FailedCheck, RuntimeError):
    """A core does not behave as a core must.  Its Verilog was changed, or this is a bug of modeloom."""


def check_slot(slot: object) -> None:
    """Raises ``TypeError`` unless the number of a slot is an integer."""
    if not isinstance(slot, int) or isinstance(slot, bool):
        raise TypeError(f"slot is a number, not {slot!r}")


def simulation_library(directory: str | Path, optimize: int = 2, front: bool = False, converters: bool = False) -> Path:
    """Builds or finds the simulation of the Verilog in a folder.  ``front`` says whether its front end is part of it, and ``converters``
    whether the converters alone are.

    Raises
    ------
    InputError
        If the folder has no Verilog, or no front end.
    BuildError
        If Yosys or the C++ compiler fails.
    """
    description = read_description(directory)
    verilog = verilog_of(directory, description)
    if not front and not converters:
        return build(verilog_to_rtlil(verilog, description.top), description.top, optimize=optimize)
    if description.front is None:
        raise InputError(f"{directory} has no front end; build the core with --front registers, --data-width or --clock")
    width = description.front.width
    if converters and width is None:
        raise InputError(f"{directory} has no converters; build the core with --data-width")
    top = description.front.top if front or width is None else width.top
    around = Path(directory) / description.front.verilog
    if not around.is_file():
        raise InputError(f"{around.name} is missing in {directory}; build the core again")
    return build(verilog_to_rtlil(verilog, top, around), top, optimize=optimize)


def host_clocks() -> Iterator[Clock]:
    """The clock of a core, and then clocks of hosts: faster and slower ones, in no simple ratio."""
    yield Clock(1000)
    for number in count():
        yield Clock((1370, 810, 1130, 590)[number % 4], 130 * number + 70)


class DriveOptions(TypedDict, total=False):
    """The options of a ``DrivenCore``, which its subclasses pass on."""

    seed: int
    gaps: dict[str, float] | None
    optimize: int
    library: Path | None
    front: bool
    converters: bool
    clocks: Mapping[str, Clock] | None


class DrivenCore(Generic[D]):
    """The simulation of a built core of any kind.

    Parameters
    ----------
    directory : path
        A folder that ``modeloom build`` wrote.
    description : Description
        Its ``core.json``.
    seed, gaps
        Random gaps on the streams: see ``sim.StreamRunner``.
    optimize : int
        Optimisation level of the C++ compiler, 0 to 3.  At a lower level it builds sooner and runs slower.
    library : path, optional
        The result of ``simulation_library`` for the folder, which need not be found again then.
    front : bool
        Whether to run the core with its front end: keys are loaded over its registers, and data go through its converters.
    converters : bool
        Whether to run the core with its converters, but without registers.
    clocks : mapping, optional
        With *front*, when ``aclk`` and the clocks of the host rise, in this order.  By default they have unequal periods.

    Attributes
    ----------
    description : Description
        ``core.json``.
    registers : RegisterHost or None
        Reads and writes the registers of the front end.
    stretch : float
        How much longer the gaps make a run, in the mean.
    """

    def __init__(
        self, directory: str | Path, description: D, *, seed: int = 0, gaps: dict[str, float] | None = None, optimize: int = 2,
        library: Path | None = None, front: bool = False, converters: bool = False, clocks: Mapping[str, Clock] | None = None,
    ):  # fmt: skip
        self.description, self.directory = description, Path(directory)
        found = library or simulation_library(directory, optimize, front, converters)
        self._front = description.front if front else None
        told = None if self._front is None else self._front.clocks
        names = () if told is None else tuple(one.name for one in told.clocks)
        if clocks is not None and [*clocks] != ["aclk", *names]:
            raise ValueError(f"the clocks of this core are {', '.join(['aclk', *names])}")
        timing = clocks or (dict(zip(["aclk", *names], host_clocks(), strict=False)) if names else None)
        reset = "aresetn" if told is None else told.reset
        self.simulation = Simulation(found, clock="aclk", reset=reset, clocks=timing, seed=seed)
        self.registers: RegisterHost | None = None
        self._width = description.front.width if description.front is not None and (front or converters) else None
        self.runner = self.make_runner(seed, gaps or {})
        self.stretch = 1 / (1 - max((gaps or {"": 0.0}).values(), default=0.0))
        if self._front is not None and self._front.registers:
            self.registers = register_host(self._front.bus)(self.runner, self._front)
            if isinstance(self.runner, CommandRunner):
                self.runner.registers = self.registers
        self.runner.reset(4)

    def make_runner(self, seed: int, gaps: dict[str, float]) -> StreamRunner:
        """What drives the streams of the core."""
        streams = Stream.discover(self.simulation)
        if self._front is not None and self._front.registers:
            streams += register_host(self._front.bus).streams()
        told = None if self._front is None else self._front.clocks
        of_bus = {} if told is None else {bus: one.name for one in told.clocks for bus in one.buses}
        # The streams of a bus for registers have its name before theirs.
        of_registers = {f"{bus}_": clock for bus, clock in of_bus.items() if bus in ("s_axil", "s_apb")}
        clocked = [
            replace(one, clock=next((its for bus, its in of_registers.items() if f"{one.name}_".startswith(bus)), of_bus.get(one.name, "")))
            for one in streams
        ]
        over_registers = self._front is not None and self._front.commands is not None
        return (CommandRunner if over_registers else StreamRunner)(self.simulation, clocked, seed=seed, gaps=gaps)

    @property
    def erasing(self) -> bool:
        """Whether an erasure is in progress, in the clock of the core or in another one."""
        told = None if self._front is None else self._front.clocks
        names = () if told is None else tuple(one.zeroizing for one in told.clocks)
        return any(self.simulation.get(name) for name in ("zeroizing", *names))

    @property
    def host_bytes(self) -> int:
        """Bytes of a beat of data on the side of the host."""
        if self._width is not None:
            return self._width.bits // 8
        assert isinstance(self.description, WithBeats)
        return self.description.beat_bytes

    @property
    def cycles(self) -> int:
        """Number of cycles since the start of the simulation."""
        return self.simulation.cycle

    def wait_for_statuses(self, count: int, limit: int) -> None:
        """Runs until this number of statuses has come.  Raises ``CoreFault`` if they have not after ``limit`` cycles."""
        if self.runner.run({"m_axis_status": count}, max_cycles=limit).timed_out:
            raise CoreFault(f"the core gave fewer than {count} statuses in {limit} cycles")

    def send_key(self, data: bytes, slot: int = 0, erase: bool = False) -> None:
        """Queues a key packet, or writes it to the registers."""
        if self.registers is not None:
            self.registers.send_key(data, slot, erase)
            return
        self.feed_key(data, None, slot, erase)

    def feed_key(self, data: bytes, keeps: Sequence[int] | None, slot: int = 0, erase: bool = False) -> None:
        """Queues the beats of a key packet, whose ``tkeep`` may be others than its bytes have.  A core whose keys come with messages has no
        slots."""
        named = any(port.name == "s_axis_key_tdest" for port in self.description.ports)
        self.runner.feed("s_axis_key", KeyPacket.of(data, slot, erase, keeps).columns(named))

    def check_key(self, key: object, slot: int = 0) -> bytes:
        """The bytes of a key.  Raises ``InputError`` if their number is wrong or the slot does not exist."""
        data, slots, lengths = as_bytes("key", key), self.slots, self.description.key_lengths
        check_slot(slot)
        if not 0 <= slot < slots:
            raise InputError(f"this core has no key slot {slot}: it has {slots}, counted from 0")
        if len(data) not in lengths:
            raise InputError(
                f"{self.description.mode}: this core takes keys of {' or '.join(map(str, lengths))} bytes "
                f"({' || '.join(self.description.key_parts)}), not {len(data)}"
            )
        return data

    @property
    def slots(self) -> int:
        """The number of key slots that a host can name."""
        return self.description.key_slots

    def key_packet(self, key: bytes) -> bytes:
        """The bytes of the packet that loads a key."""
        return key

    def load_key(self, key: bytes, slot: int = 0) -> None:
        """Loads the whole key of the mode into a slot.

        Raises
        ------
        InputError
            If the length of the key is wrong, the mode refuses it, or the slot does not exist.
        """
        key = self.check_key(key, slot)
        self.send_key(self.key_packet(key), slot)
        self._wait_for_key_port()
        if self._flag("key_error") and self.description.refused_keys:
            mode, why = self.description.mode, self.description.refused_keys
            raise InputError(f"{mode}: the core refuses this key ({why}); choose another one")
        # With many slots there is one flag, which is that of the slot of the last key packet.
        if not self._flag("key_loaded") >> (slot if self.description.key_slots <= LISTED_SLOTS else 0) & 1:
            raise CoreFault(f"the core did not take the key for slot {slot}")

    def erase_key(self, slot: int = 0) -> None:
        """Overwrites the keys of a slot and everything derived from them."""
        check_slot(slot)
        self.send_key(b"\0" * KEY_BEAT, slot, erase=True)
        self._wait_for_key_port()

    def _wait_for_key_port(self) -> None:
        self.runner.run({}, drain=True, max_cycles=KEY_CYCLES)
        for _ in range(KEY_CYCLES // 16):
            if not self._flag("key_busy"):
                break
            self.runner.run(max_cycles=16)

    def _flag(self, name: str) -> int:
        """One of the flags of the key port."""
        return self.simulation.get(name) if self.registers is None else self.registers.flag(name)
