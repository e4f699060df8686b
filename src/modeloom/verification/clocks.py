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
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from modeloom.emit import CheckFailed
from modeloom.product.description import Description, Result, Secret
from modeloom.product.driven import D, DrivenCore
from modeloom.product.front import ClocksDescription, RegisterHost
from modeloom.sim import Clock
from modeloom.taint import check_netlist, flat_netlist
from modeloom.verification.crossings import check_paths
from modeloom.verification.steps import FAULTS
from modeloom.verification.twins import DataBits, data_bits, differences, request, scatter

if TYPE_CHECKING:
    from modeloom.verification.front import C, Work
    from modeloom.verification.subject import CoreSubject

__all__ = ["check_clocks", "clock_ratios", "crossing_control"]

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
        subject = work.clocked(clocks)
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
    core.runner.set_gaps(dict.fromkeys(core.runner.streams, PAUSES))
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
        core.runner.set_gaps(dict.fromkeys(core.runner.streams, 0.0))
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
    subject = work.clocked(clocks)
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
