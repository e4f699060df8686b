# SPDX-License-Identifier: Apache-2.0
"""The check of a core whose buses have clocks of their own, or whose reset is of another kind.

::

    paths      no path between clocks but those that core.json lists, each of its kind (crossings)
    gray       places of queues change in one bit at a time, seen from a clock that is faster than theirs
    work       the checks of a bare core, with clocks of several ratios and phases; with registers, work under keys that go over them
    erasure    two cores with other keys and data have the same state after zeroize and after a reset
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from modeloom.emit.simulators import CheckFailed
from modeloom.product.description import Description, Result, Secret
from modeloom.product.driven import D, DrivenCore
from modeloom.product.front import ClocksDescription, RegisterHost
from modeloom.sim import Clock
from modeloom.taint import check_netlist
from modeloom.taint.graph import Bit, Cell, Netlist, flat_netlist
from modeloom.verification.host import DataBits, data_bits, differences, request, scatter
from modeloom.verification.steps import FAULTS

if TYPE_CHECKING:
    from modeloom.verification.front import C, Work
    from modeloom.verification.host import CoreSubject

__all__ = ["check_clocks", "check_paths", "clock_ratios", "crossing_control"]

# Checks the paths between clocks in the netlist of a core: there are no others than ``core.json`` lists, and each is of its kind.
#
#     register of clock A ──▶ logic ──▶ register of clock B      refused, unless it is listed as a word that stands still
#     register of clock A ──▶ meta_reg ──▶ stable_reg            gray, bit: no logic up to the second register, and one reader
#     input of clock A ──▶ ... ──▶ register or output of B       refused
#
# The check knows nothing of how the crossings were made.  It reads the emitted Verilog and the lists of ``core.json``.

CORE_CLOCK = "aclk"
REGISTER_PORTS = ("s_axil", "s_apb")
"""Prefixes of the ports for registers, which have the interrupt beside them."""

CATCHER = "reset_catcher.caught_reg"
"""The registers that an asynchronous reset may reach."""

_OUTPUTS = ("Y", "Q", "RD_DATA")


class _Clocks:
    """The clock of each register, memory and port of a netlist."""

    def __init__(self, netlist: Netlist, told: ClocksDescription):
        self.netlist, self.told = netlist, told
        self.clock_ports = [CORE_CLOCK, *(one.name for one in told.clocks)]
        self.name_of = {bits[0]: name for name in self.clock_ports if (bits := netlist.inputs.get(name))}
        self.driver: dict[int, Cell] = {}
        for cell in netlist.cells:
            for port in _OUTPUTS:
                for bit in cell[port]:
                    if isinstance(bit, int):
                        self.driver[bit] = cell
        self.inputs = {bit: name for name, bits in netlist.inputs.items() for bit in bits if isinstance(bit, int)}
        self._cones: dict[int, frozenset[int]] = {}

    def of_cell(self, cell: Cell) -> str:
        """The clock of a register, or of the writes of a memory."""
        found = {self.name_of.get(bit) for bit in (cell["WR_CLK"] if cell.type == "$mem_v2" else cell["CLK"])}
        if len(found) != 1 or None in found:
            raise CheckFailed(f"{cell.name} has no clock of the top")
        return str(found.pop())

    def of_port(self, name: str) -> str:
        """The clock of a port.  Raises ``CheckFailed`` for a clock."""
        if name.startswith("core_") or name in ("zeroize", "zeroizing"):
            return CORE_CLOCK
        for one in self.told.clocks:
            if name == one.zeroizing:
                return one.name
            for bus in one.buses:
                flags = ("key_loaded", "key_busy", "key_error") if bus == "s_axis_key" else ("irq",) if bus in REGISTER_PORTS else ()
                if name in flags or name.startswith(f"{bus}_") and not self._longer(name, bus):
                    return one.name
        return CORE_CLOCK

    def _longer(self, name: str, bus: str) -> bool:
        """Whether another bus has a longer prefix of a name: s_axis_cmd is not s_axis."""
        others = {bus_name for one in self.told.clocks for bus_name in one.buses} | {"s_axis_cmd", "s_axis_key", "m_axis_status"}
        return any(len(other) > len(bus) and name.startswith(f"{other}_") for other in others)

    def sources(self, bits: Iterable[Bit]) -> frozenset[int]:
        """The bits of registers, memories and inputs on which some bits depend without a register in between."""
        return frozenset().union(*(self._cone(bit) for bit in bits if isinstance(bit, int)))

    def _cone(self, bit: int) -> frozenset[int]:
        if bit not in self._cones:
            cell = self.driver.get(bit)
            if cell is None or cell["Q"]:
                self._cones[bit] = frozenset((bit,))
            else:
                self._cones[bit] = frozenset()  # a loop would have been refused long before
                found: set[int] = set()
                for port, ends in cell.ports.items():
                    if port not in _OUTPUTS and not port.startswith(("WR_", "RD_CLK")):
                        found |= self.sources(ends)
                if cell.type == "$mem_v2":
                    found.add(bit)
                self._cones[bit] = frozenset(found)
        return self._cones[bit]

    def clock(self, source: int) -> str:
        """The clock of a source.  A word of a memory has that of its writes."""
        cell = self.driver.get(source)
        return self.of_port(self.inputs[source]) if cell is None else self.of_cell(cell)


def check_paths(directory: Path, description: Description) -> int:
    """Checks all paths between the clocks of a core.  Returns their number.  Raises ``CheckFailed``."""
    front = description.front
    assert front is not None and front.clocks is not None
    return check_netlist_paths(flat_netlist(directory / front.verilog, f"{description.name}_crossings"), front.clocks)


def check_netlist_paths(netlist: Netlist, told: ClocksDescription) -> int:
    """The same for a netlist."""
    clocks = _Clocks(netlist, told)
    allowed: dict[int, set[int]] = defaultdict(set)
    for one in told.crossings:
        sources, targets = ([] if not path else _bits(netlist, path) for path in (one.source, one.target))
        if not targets or one.source and not sources:
            raise CheckFailed(f"core.json lists a path from {one.source or 'the reset'} to {one.target}, which is not there")
        for bit in targets:
            allowed[bit] |= set(sources)
        if one.kind in ("gray", "bit"):
            _synchronizer(clocks, one.source, one.target, sources, targets)
    count = 0
    for cell in netlist.cells:
        if cell["Q"]:
            count += _register(clocks, cell, allowed)
        elif cell.type == "$mem_v2":
            here = clocks.of_cell(cell)
            for port in ("WR_ADDR", "WR_DATA", "WR_EN"):
                for source in clocks.sources(cell[port]):
                    if clocks.clock(source) != here:
                        raise CheckFailed(f"{cell.name} is written in {here}, and {_name(netlist, source)} is of {clocks.clock(source)}")
    for name, bits in netlist.outputs.items():
        here = clocks.of_port(name)
        for source in clocks.sources(bits):
            if clocks.clock(source) != here and name != "core_aresetn":
                raise CheckFailed(f"{name} is of {here}, and depends on {_name(netlist, source)}, which is of {clocks.clock(source)}")
    return count


def _register(clocks: _Clocks, cell: Cell, allowed: dict[int, set[int]]) -> int:
    """Checks what a register depends on.  Returns the number of its bits that come from another clock."""
    netlist, here, count = clocks.netlist, clocks.of_cell(cell), 0
    if cell["ARST"]:
        catcher = set(_bits(netlist, CATCHER.replace(".", "/")))
        if not catcher or not set(cell["Q"]) <= catcher:
            raise CheckFailed(f"{_name(netlist, cell['Q'][0])} has an asynchronous reset")
    for q, d in zip(cell["Q"], cell["D"], strict=True):
        if not isinstance(q, int):
            continue
        others = {source for source in clocks.sources([d]) if clocks.clock(source) != here}
        if clocks.told.reset_asynchronous:
            others |= {source for source in clocks.sources([d]) if clocks.inputs.get(source) == clocks.told.reset}
        if refused := others - allowed[q]:
            source = min(refused)
            whose = clocks.clock(source)
            raise CheckFailed(f"{_name(netlist, q)} is of {here}, and depends on {_name(netlist, source)}, which is of {whose}")
        count += bool(others)
    return count


def _synchronizer(clocks: _Clocks, source: str, target: str, sources: list[int], targets: list[int]) -> None:
    """Checks that registers take what they get as it is, and give it to one register of their clock and to nothing else."""
    netlist = clocks.netlist
    readers: dict[int, list[tuple[Cell, str, int]]] = defaultdict(list)
    for cell in netlist.cells:
        for port, ends in cell.ports.items():
            if port not in _OUTPUTS:
                for at, bit in enumerate(ends):
                    if isinstance(bit, int):
                        readers[bit].append((cell, port, at))
    outputs = {bit for bits in netlist.outputs.values() for bit in bits}
    for bit in targets:
        cell = clocks.driver[bit]
        place = list(cell["Q"]).index(bit)
        if cell["D"][place] not in sources:
            raise CheckFailed(f"{target} does not take {source} as it is")
        behind = readers[bit]
        if bit in outputs or len(behind) != 1 or behind[0][1] != "D" or clocks.of_cell(behind[0][0]) != clocks.of_cell(cell):
            raise CheckFailed(f"{target} has no second register behind it")


def _bits(netlist: Netlist, path: str) -> list[int]:
    """The bits of a register, or those that are read of a memory."""
    name = path.replace("/", ".")
    for cell in netlist.cells:
        if cell.type == "$mem_v2" and cell.name.removeprefix("\\") == name:
            return [bit for bit in cell["RD_DATA"] if isinstance(bit, int)]
    try:
        return [bit for bit in netlist.net(name) if isinstance(bit, int)]
    except KeyError:
        return []


def _name(netlist: Netlist, bit: Bit) -> str:
    return netlist.names.get(bit, str(bit)) if isinstance(bit, int) else str(bit)


# -- clocks ------------------------------------------------------------------------------------------------------------------------

RATIOS = ((1000, 1000, 0), (1000, 1497, 90), (1000, 431, 40), (1000, 3370, 700))
"""Ticks of a cycle of the core, of a cycle of each other clock, and of the jitter of both.  Several clocks of a host differ a little."""

CARRIED = ("_tdata", "s_axil_wdata", "s_axil_rdata", "s_apb_pwdata", "s_apb_prdata")
"""Ends of the names of ports that carry keys, data, or what a host reads."""

TAG_STATUSES, TAG_CYCLES = 40, 400
"""Statuses that may come before one with a tag, and cycles for each."""

PAUSES, ROUNDS = 0.3, 4
"""Probability of a pause, and the times that work is repeated under each key, with registers."""

STATUS_RATIO = 1
"""Number of the ratio with which faults are tried."""

MOMENTS = (3, 47, 170)
"""Cycles after which an erasure begins in the middle of the work."""


def clock_ratios(told: ClocksDescription) -> Iterator[Mapping[str, Clock]]:
    """The clocks that are tried: ``aclk``, and those of the host.  One without clocks of the host has one choice."""
    for core, host, jitter in RATIOS if told.clocks else RATIOS[:1]:
        others = {one.name: Clock(host + 61 * at, 137 * (at + 1), min(jitter, host // 2)) for at, one in enumerate(told.clocks)}
        yield {"aclk": Clock(core, 0, jitter), **others}


def crossing_control(around: Path, description: Description) -> int:
    """Checks that nothing between the clocks depends on what a bus carries but what carries it.  Returns the number of control signals."""
    netlist = flat_netlist(around, f"{description.name}_crossings")
    control = 0
    # What goes in somewhere comes out on the port of the same name on the other side, and may be seen nowhere else.
    carried = [name for name in netlist.inputs if name.endswith(CARRIED)]
    for name in carried:
        out = name.removeprefix("core_") if name.startswith("core_") else f"core_{name}"
        bits = len(netlist.inputs[name])
        report = check_netlist(netlist, [Secret("data", name, 0, bits)], [Result(out, bits)])
        control = max(control, report.control)
    return control


def check_clocks(work: Work[D, C]) -> tuple[str, dict[str, object]]:
    """Checks the paths between clocks, and runs the core with several clocks."""
    directory, description = work.subject.directory, work.subject.description
    front = description.front
    assert front is not None and front.clocks is not None
    told = front.clocks
    paths = check_paths(directory, description) if told.crossings else 0
    pieces = words = 0
    # First, because it names the cause of what the work below would only be stopped by.
    changes = _gray(work, told) if any(one.kind == "gray" for one in told.crossings) else 0
    for number, clocks in enumerate(clock_ratios(told)):
        subject = work.subject.again(front=True, clocks=clocks)
        try:
            if front.registers:
                pieces += _over_registers(work, subject, told)
            else:
                pieces += work.check_clocked(subject, number == STATUS_RATIO % (len(RATIOS) if told.clocks else 1))
            words = max(words, _erasures(work, subject, told))
        finally:
            work.subject.cores += subject.cores
    text = (
        f"{paths} bits go from clock to clock, on listed paths only; {pieces} {work.what} with {len(list(clock_ratios(told)))} ratios of "
        f"clocks are right; zeroize and {told.reset} leave nothing of {words} words that differed"
    )
    return text, {"paths": paths, work.what: pieces, "gray_changes": changes, "words_that_differed": words}


def _over_registers(work: Work[D, C], subject: CoreSubject[D, C, object], told: ClocksDescription) -> int:
    """Works with pauses under keys that are loaded over registers, and then under an erased one, which must be refused.

    Returns the number of sectors or messages.  Raises ``CheckFailed``.
    """
    core, rng = subject.core(), subject.rng("clocks and registers")
    _wait(core, told)
    core.runner.set_gaps(dict.fromkeys(core.runner.by_name, PAUSES))
    keys = {slot: subject.user_key(rng) for slot in sorted({0, core.description.key_slots - 1})}
    for slot, key in keys.items():
        core.load_key(key, slot)
    pieces: int = sum(work.run(core, key, slot, rng) for _ in range(ROUNDS) for slot, key in keys.items())
    core.erase_key(0)
    if not work.without_key(core, 0, rng):
        raise CheckFailed(f"{subject.directory}: work for an erased slot is not refused with these clocks")
    if violations := core.runner.violations():
        raise CheckFailed(f"{subject.directory}: an output changed while it waited, in cycle {violations.first_cycle}")
    return pieces


def _erasures(work: Work[D, C], subject: CoreSubject[D, C, object], told: ClocksDescription) -> int:
    """Aborts work in two cores that differ in keys and data only.  Returns the number of words that differed before."""
    front = work.subject.description.front
    assert front is not None
    differed, bits = 0, dict[str, DataBits]()
    for number, how in enumerate(("zeroize", "reset", "zeroize")):
        cores, tags = [], set()
        for seed in (1, 2):
            core = subject.core()
            _wait(core, told)
            rng = random.Random(f"{subject.seed} clocks {seed}")
            work.fill(core, rng, MOMENTS[number])
            if core.registers is not None:
                # The last word on the bus of registers is one of a key.
                core.registers.wait_for("key_sending")
                core.registers.write("key_data", rng.getrandbits(32))
                if number and "status_tag0" in core.registers.addresses:
                    tags.add(_read_tag(core, core.registers))
            cores.append(core)
        if len(tags) == 1:
            raise CheckFailed(f"{subject.directory}: two cores with different keys and data give the same tag, {tags}")
        differed = len(differences(cores))
        if differed < 20:
            raise CheckFailed(f"{subject.directory}: two cores with different keys and data differ in {differed} words only")
        bits = data_bits(cores, bits)
        for seed, core in enumerate(cores):
            scatter(core, bits, random.Random(f"{subject.seed} scatter {number} {seed}"))
            if front.commands is None:
                core.simulation.set("s_axis_cmd_tdata", 0)
            if core.registers is None:
                core.simulation.set("s_axis_key_tdata", 0)
            request(core, how)
            _wait(core, told)
        if left := differences(cores):
            raise CheckFailed(f"{subject.directory}: {left[0]} depends on keys or data after {how} ({len(left)} words do)")
        core = cores[0]
        core.runner.set_gaps(dict.fromkeys(core.runner.by_name, 0.0))
        key = subject.user_key(subject.rng("after an erasure"))
        core.load_key(key)
        work.run(core, key, 0, subject.rng("after an erasure"))
    return differed


def _read_tag(core: DrivenCore[D], host: RegisterHost) -> int:
    """Lets a core end messages until a tag comes over registers, and reads it last.  Raises ``CheckFailed`` if none comes."""
    core.runner.set_gaps({"m_axis": 0.0})
    for _ in range(TAG_STATUSES):
        if not host.read("command_state") >> 16 & 0xFF:
            # Nothing polls meanwhile.
            host.run_streams(TAG_CYCLES)
        if host.read("status") and (tag := host.read("status_tag0")):
            return tag
    raise CheckFailed("no tag comes over registers")


def _wait(core: DrivenCore[D], told: ClocksDescription) -> None:
    """Waits until an erasure is over in all clocks.  It may not take longer than ``core.json`` says."""
    slowest = max((one.period / core.simulation.clocks["aclk"].period for one in list(core.simulation.clocks.values())[1:]), default=0)
    # One cycle of each clock more, because they rise at any time.
    limit = core.description.erase_cycles + told.erase_cycles + (told.erase_host_cycles + 2) * slowest * 1.3 + 8
    cycles = 0
    # A reset that comes at any time begins two cycles late.
    core.runner.run(max_cycles=4)
    while core.erasing:
        core.runner.run(max_cycles=1)
        cycles += 1
        if cycles > limit:
            raise CheckFailed(f"an erasure takes more than {limit:.0f} cycles of aclk")


def _gray(work: Work[D, C], told: ClocksDescription) -> int:
    """Lets the core work with slow clocks of the host, and counts how often places of queues change.

    Raises ``CheckFailed`` for a change of several bits.
    """
    clocks = {"aclk": Clock(1000), **{one.name: Clock(2310 + 61 * at, 500) for at, one in enumerate(told.clocks)}}
    subject = work.subject.again(front=True, clocks=clocks)
    core = subject.core()
    fault: Exception | None = None
    try:
        _wait(core, told)
        known = core.simulation.objects
        names = [found for one in told.crossings if one.kind == "gray"
                 if (found := f"{told.instance}.{one.source.replace('/', '.')}") in known]  # fmt: skip
        if not names:
            raise CheckFailed(f"{work.subject.directory}: the simulation shows no places of queues")
        key = subject.user_key(subject.rng("gray"))
        core.simulation.watch(names)
        try:
            core.load_key(key)
            work.run(core, key, 0, subject.rng("gray"))
        except FAULTS as error:
            # A place that changes in several bits may be its cause.
            fault = error
        sizes = [-(-core.simulation.width(name) // 8) for name in names]
        record = core.simulation.watched()
        core.simulation.watch([])
    finally:
        work.subject.cores += subject.cores
    changes, before = 0, [0] * len(names)
    for at in range(0, len(record), sum(sizes)):
        place = at
        for number, size in enumerate(sizes):
            now = int.from_bytes(record[place : place + size], "little")
            changed = (now ^ before[number]).bit_count()
            if changed > 1:
                raise CheckFailed(f"{names[number]} changes in {changed} bits at a time")
            changes, before[number], place = changes + changed, now, place + size
    if fault is not None:
        raise fault
    if not changes:
        raise CheckFailed("no place of a queue changes while the core works")
    return changes
