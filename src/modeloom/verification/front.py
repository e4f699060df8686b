# SPDX-License-Identifier: Apache-2.0
"""The checks of ``modeloom verify`` for a front end.

::

    front        the netlists of the front end       no control signal depends on a key or on data
                 the netlist of the whole            no output depends on an input of the same cycle
    width        core and converters in simulation   the checks of a bare core: statuses, erasure, random work; and its pace
    clocks       the netlist of the crossings        no other paths between clocks than core.json lists, each of its kind
                 the whole in simulation             the checks of a bare core at several ratios of clocks; erasure and reset
    registers    the whole in simulation             keys, work, statuses, counters, interrupt and erasure over registers
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from modeloom.emit import CheckFailed
from modeloom.interfaces import Role
from modeloom.interfaces.front import AXI_LITE, register_bus
from modeloom.product.description import Declassified, Description, Result, Secret
from modeloom.product.driven import DrivenCore, simulation_library
from modeloom.product.front import CommandRunner, FrontDescription, RegisterHost, RegisterRefused, WidthDescription, WidthRate
from modeloom.product.messages import StreamDescription
from modeloom.taint import TaintReport, check_netlist, combinational_paths, flat_netlist
from modeloom.verification.clocks import check_clocks, crossing_control
from modeloom.verification.host import CoreSubject
from modeloom.verification.steps import Step, run_check
from modeloom.version import VERSION

__all__ = [
    "CLOCKED", "CONVERTED", "GATE", "KEY_RESULT", "KEY_SECRET", "PIECES", "Work", "check_registers", "check_width", "front_steps",
    "key_secret",
]  # fmt: skip

KEY_SECRET = Secret("key", "s_axil_wdata", 0, 32)
"""What a host writes may be part of a key."""


def key_secret(front: FrontDescription) -> Secret:
    """The same for the bus of a front end: the port that takes keys, as its interface has it."""
    bus = register_bus(front.bus or AXI_LITE, front.address_bits or 0)
    (port,) = (port for port in bus.ports if port.role is Role.KEY)
    return Secret(Role.KEY.value, bus.port_name(port), 0, port.width.count)


KEY_RESULT = Result("s_axis_key_tdata", 128)
"""Where keys go: into the core."""

GATE = Declassified("bits of words that are written to registers without keys", ("registers.gate.public",))
"""What is public of the words that a host writes."""

COMMAND_GATE = Declassified("bits of words of commands", ("registers.command_data_gate.public",))
"""Words of commands, which are no part of a key."""

D = TypeVar("D", bound=Description)
C = TypeVar("C", bound=DrivenCore[Description])

PATIENCE = 100_000
"""Cycles that an erasure or a key may take."""

CONVERTED = 400
"""Random sectors or messages that go through converters."""

CLOCKED = 40
"""Random sectors or messages with each ratio of clocks."""

PIECES = 6
"""Sectors of each size and direction, or messages of each direction, with each key."""


class Work(ABC, Generic[D, C]):
    """What the check knows of one kind of core.

    Attributes
    ----------
    subject : CoreSubject
    kind : int
        Its number in the register ``capabilities``.
    what : str
        What it works on, such as "sectors".
    """

    kind: int
    what: str

    def __init__(self, subject: CoreSubject[D, C, object]):
        self.subject = subject

    @property
    @abstractmethod
    def key_bytes(self) -> int:
        """Bytes of the longest key packet."""

    @abstractmethod
    def core(self, library: Path) -> C:
        """The core with its front end, after a reset."""

    @abstractmethod
    def check_converted(self, subject: CoreSubject[D, C, object]) -> int:
        """Runs the checks of a bare core.  Returns the number of sectors or messages.  Raises ``CheckFailed``."""

    @abstractmethod
    def check_clocked(self, subject: CoreSubject[D, C, object], statuses: bool) -> int:
        """Runs random work under many keys with pauses, and before it, with *statuses*, work of which each piece has a fault.

        Returns the number of sectors or messages.  Raises ``CheckFailed``.
        """

    @abstractmethod
    def fill(self, core: C, rng: random.Random, cycles: int) -> None:
        """Brings a core into the middle of its work, with keys and data from a random generator."""

    @abstractmethod
    def pace(self, core: C, rate: WidthRate, rng: random.Random) -> tuple[int, int]:
        """Runs work without pauses.  Returns the cycles that so many of what the rate is for take in a steady state."""

    @abstractmethod
    def run(self, core: C, key: bytes, slot: int, rng: random.Random) -> int:
        """Works with a key in both directions.  Returns the number of sectors or messages.  Raises ``CheckFailed`` if a result is wrong."""

    @abstractmethod
    def without_key(self, core: C, slot: int, rng: random.Random) -> int:
        """Sends a command for an empty slot.  Returns the code of its status, or 0."""


def front_steps(work: Work[D, C]) -> Iterator[Callable[[], Step]]:
    """The checks of a core with a front end; none for a core without one."""
    subject = work.subject
    if subject.description.front is not None:
        yield lambda: _front(subject.directory, subject.description)
        if subject.description.front.width is not None:
            yield lambda: run_check(subject, "width", lambda _: check_width(work))
        if subject.description.front.clocks is not None:
            yield lambda: run_check(subject, "clocks", lambda _: check_clocks(work))
        if subject.description.front.registers:
            yield lambda: run_check(subject, "registers", lambda _: check_registers(work))


def _front(directory: Path, description: Description) -> Step:
    """Checks that nothing but the core learns of a key, and that no output depends on an input of the same cycle."""
    front = description.front
    assert front is not None
    around, core = directory / front.verilog, directory / description.files.verilog
    told, control = [], 0
    if front.registers:
        control = _registers(around, description, front)
        told.append(f"no register and none of {control} control signals depends on a key that goes through registers")
        if front.commands is not None:
            told.append("what is written as a command goes to the core alone")
    if front.width is not None:
        more = _converters(around, description, front.width).control
        told.append(f"none of {more} control signals of the converters depends on data")
        control += more
    if front.clocks is not None and front.clocks.clocks:
        more = crossing_control(around, description)
        told.append(f"none of {more} control signals between the clocks depends on what the buses carry")
        control += more
    for (source, target), names in combinational_paths(flat_netlist(core, front.top, around)).items():
        raise CheckFailed(f"{directory}: {target} depends on {source} without a register: {' -> '.join(names)}")
    return Step("front", "; ".join(told) or "no output depends on an input of the same cycle", {"control_signals": control})


def _registers(around: Path, description: Description, front: FrontDescription) -> int:
    """Checks where keys, commands and tags go in the registers.  Returns the number of control signals."""
    netlist, secret = flat_netlist(around, f"{description.name}_front"), key_secret(front)
    if front.commands is None:
        return check_netlist(netlist, [secret], [KEY_RESULT], (), [GATE]).control
    streams = {one.member: one for one in description.interfaces}
    command, status = streams["cmd"], streams["status"]
    # A key goes to the key port alone, and a command, which has a tweak or a nonce, to the port for commands alone.
    found = check_netlist(netlist, [secret], [KEY_RESULT], (), [GATE, COMMAND_GATE]).control
    words = Secret("word of a key or of a command", secret.port, secret.low, secret.width)
    check_netlist(netlist, [words], [KEY_RESULT, Result(f"{command.name}_tdata", command.packing.bits)], (), [GATE])
    # Of a status, the tag comes back as data.
    bus = register_bus(front.bus or AXI_LITE, front.address_bits or 0)
    tags = [Secret("tag", f"{status.name}_tdata", bits.start, len(bits)) for bits in status.packing.of_role(Role.RESULT)]
    if tags:
        (port,) = (port for port in bus.ports if port.name.endswith("rdata"))
        check_netlist(netlist, tags, [Result(bus.port_name(port), port.width.count)])
    return found


def _converters(around: Path, description: Description, width: WidthDescription) -> TaintReport:
    """Checks that nothing but the bytes of beats depends on the bytes of beats."""
    core_bits = {port.name: port.width for port in description.ports}["s_axis_tdata"]
    secrets = [Secret("data", "s_axis_tdata", 0, width.bits), Secret("data", "core_m_axis_tdata", 0, core_bits)]
    results = [Result("core_s_axis_tdata", core_bits), Result("m_axis_tdata", width.bits)]
    return check_netlist(flat_netlist(around, f"{description.name}_converters"), secrets, results)


def check_width(work: Work[D, C]) -> tuple[str, dict[str, object]]:
    """Runs the checks of a bare core with its converters, and measures what ``core.json`` states of them."""
    front = work.subject.description.front
    assert front is not None and front.width is not None
    subject = work.subject.again(converters=True)
    try:
        pieces = work.check_converted(subject)
        for rate in front.width.rates:
            found, count = work.pace(subject.core(), rate, subject.rng("width pace"))
            # One more may come into it, as work begins at any cycle of an interval.
            most = (count + 1) * rate.interval
            # What the bare core needs besides is not for the converters to save.
            if found > most and found > work.pace(work.subject.core(), rate, subject.rng("width pace"))[0] + rate.interval:
                what = f"{count} times a {rate.what} of {rate.bytes} bytes"
                raise CheckFailed(f"{what} takes {found} cycles, core.json states {rate.interval} for each")
    finally:
        work.subject.cores += subject.cores
    paces = ", ".join(f"{rate.bytes} bytes every {rate.interval} cycles" for rate in front.width.rates)
    return f"{pieces} {work.what} over streams of {front.width.bits} bits are right ({paces})", {work.what: pieces}


def check_registers(work: Work[D, C]) -> tuple[str, dict[str, object]]:
    """Loads keys, works, erases and zeroizes over registers, and compares what the registers tell."""
    subject = work.subject
    d, rng = subject.description, subject.rng("registers")
    core = work.core(simulation_library(subject.directory, subject.optimize, front=True))
    subject.cores.append(core)
    host = core.registers
    if host is None:
        raise CheckFailed(f"{subject.directory} has no front end")
    _identity(work, host)
    host.write("interrupt_pending", 7)
    host.write("interrupt_enable", 7)
    slots = sorted({0, d.key_slots - 1, rng.randrange(d.key_slots)})
    keys = {slot: subject.user_key(rng) for slot in slots}
    pieces = 0
    for last in (False, True):
        for slot, key in keys.items():
            core.load_key(key, slot)
            _event(core, host, "key_done", 0)
        host.write("control", 2)
        seen = _Seen(core)
        pieces += sum(work.run(core, key, slot, rng) for slot, key in keys.items())
        seen.compare(host)
        core.erase_key(slots[0])
        _event(core, host, "key_done", 0)
        code = work.without_key(core, slots[0], rng)
        if not code:
            raise CheckFailed(f"registers: work for an erased slot is not refused ({work.what})")
        _event(core, host, "failed", 2)
        _same("the last failure", host.read("last_failure") & 0xFF, code)
        _same("failures of this code", host.read(f"failures{code - 1}"), 1)
        if not last:
            host.write("control", 1)
            _event(core, host, "zeroized", 1)
            _same("keys after zeroize", host.flag("key_loaded"), 0)
    if violations := core.runner.violations():
        raise CheckFailed(f"an output changed while it waited, in cycle {violations.first_cycle}")
    return f"{pieces} {work.what} with keys over registers; their counters, failures and erasures are right", {work.what: pieces}


def _identity(work: Work[D, C], host: RegisterHost) -> None:
    """Checks what the registers say of the core, and that nothing can be read that can only be written."""
    d = work.subject.description
    beat_bytes = work.subject.cores[-1].host_bytes
    major, minor, patch = (int(part) for part in VERSION.split("."))
    directions: tuple[str, ...] = getattr(d, "directions", ())
    front = d.front
    commands = front is not None and front.commands is not None
    flags = ("encrypt" in directions) << 8 | ("decrypt" in directions) << 9 | commands << 10
    if isinstance(d, StreamDescription):
        flags |= bool(d.states_text) << 4 | bool(d.text_first) << 5 | bool(d.two_passes) << 6 | d.block_bytes // 4 << 11
    wanted = {
        "identification": 0x4D4C4F4D, "version": major << 16 | minor << 8 | patch,
        "capabilities": beat_bytes << 16 | flags | work.kind, "key_sizes": work.key_bytes << 16 | d.key_slots,
    }  # fmt: skip
    _same("what the core is", {name: host.read(name) for name in wanted}, wanted)
    for name in ("key_data", "key_send", "control", *(("command_data", "command_submit") if commands else ())):
        _refused(f"a read of {name}", partial(host.read, name))


def _same(what: str, found: object, wanted: object) -> None:
    if found != wanted:
        raise CheckFailed(f"registers: {what}: {found}, not {wanted}")


def _refused(what: str, access: Callable[[], object]) -> None:
    """Checks that an access is refused."""
    try:
        access()
    except RegisterRefused:
        return
    raise CheckFailed(f"registers: {what} is not refused")


def _event(core: DrivenCore[D], host: RegisterHost, name: str, bit: int) -> None:
    """Waits for an interrupt, which has to come with this event, and clears it."""
    for _ in range(PATIENCE // 16):
        if core.simulation.get("irq"):
            break
        core.runner.run(max_cycles=16)
    pending = host.read("interrupt_pending")
    if not pending >> bit & 1:
        raise CheckFailed(f"registers: no interrupt for {name}: pending is {pending}")
    host.write("interrupt_pending", pending)
    core.runner.run(max_cycles=4)
    if core.simulation.get("irq"):
        raise CheckFailed(f"registers: the interrupt stays high after {name} was cleared")


class _Seen:
    """What goes over the streams of a core from now on."""

    PORTS = (
        "s_axis_cmd_tvalid", "s_axis_cmd_tready", "s_axis_tvalid", "s_axis_tready", "s_axis_tkeep", "m_axis_tvalid", "m_axis_tready",
        "m_axis_tkeep", "m_axis_status_tvalid", "m_axis_status_tready",
    )  # fmt: skip

    def __init__(self, core: DrivenCore[D]):
        self.simulation, self.runner = core.simulation, core.runner
        # With commands over registers, the top has no streams for them, and the runner counts what went over registers.
        self.ports = [name for name in self.PORTS if name in self.simulation.ports]
        self.before = self._over_registers()
        # A beat moves with the clock of its stream, which other clocks see several times, or not at all.
        self.clocks = list(self.simulation.clocks)
        self.simulation.watch(self.ports, edges=bool(self.clocks))

    def _over_registers(self) -> dict[str, int]:
        """Commands and statuses over registers so far."""
        runner = self.runner
        return {"commands": runner.submitted, "succeeded": runner.received} if isinstance(runner, CommandRunner) else {}

    def compare(self, host: RegisterHost) -> None:
        """Compares the counters with it.  All statuses must have been OK."""
        sizes = [-(-self.simulation.width(name) // 8) for name in self.ports]
        record, marks = self.simulation.watched(), 4 if self.clocks else 0
        self.simulation.watch([])
        streams = ("s_axis_cmd", "s_axis", "m_axis", "m_axis_status")
        bits = {one.name: 1 << (self.clocks.index(one.clock) if one.clock else 0) for one in self.runner.by_name.values()}
        found = dict.fromkeys(("commands", "bytes_in", "bytes_out", "succeeded"), 0)
        for at in range(0, len(record), marks + sum(sizes)):
            values, place = dict.fromkeys(self.PORTS, 0), at + marks
            rising = int.from_bytes(record[at : at + marks], "little") if marks else 1
            for name, size in zip(self.ports, sizes, strict=True):
                values[name] = int.from_bytes(record[place : place + size], "little")
                place += size
            moved = {name: bool(values[f"{name}_tvalid"] & values[f"{name}_tready"] and rising & bits[name]) for name in streams
                     if name in bits}  # fmt: skip
            found["commands"] += moved.get("s_axis_cmd", False)
            found["succeeded"] += moved.get("m_axis_status", False)
            found["bytes_in"] += values["s_axis_tkeep"].bit_count() * moved["s_axis"]
            found["bytes_out"] += values["m_axis_tkeep"].bit_count() * moved["m_axis"]
        found |= {name: count - self.before[name] for name, count in self._over_registers().items()}
        found["failed"] = 0
        _same("counters", {name: host.counter(name) for name in found}, found)
