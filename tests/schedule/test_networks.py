# SPDX-License-Identifier: Apache-2.0
"""Fewer sources of networks at the same interval and latency: legal, counted as the program has them, and never more."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from tests.built import slowly

from modeloom.allocate.build import Reading, better_ports
from modeloom.allocate.program import NetName, UnitName
from modeloom.compiler.compile import Compiled, compile_mode
from modeloom.ir.check import CheckError
from modeloom.modes import find
from modeloom.options.sectors import Options
from modeloom.schedule import networks
from modeloom.schedule.check import check_schedule
from modeloom.schedule.modulo import Schedule
from modeloom.schedule.networks import Networks, fewer_sources, in_lanes, least_sources, units_of_lanes
from modeloom.schedule.search import Moves
from modeloom.spec.kinds import MUL

SLOW: dict[str, Any] = {"cipher_arch": "sequential", "cipher_stages": 1, "cipher_cores": 2}

CASES: list[tuple[str, dict[str, Any]]] = [
    ("hctr2", {"sector": 96}), ("xcb-1619", {"sector": 64, "overlap": False}),
    ("eme2", {"sector": 80, "cipher_arch": "multistream", "streams": 2}),
    *slowly(("hctr2", {"sector": 512, "cipher_cores": 4}), ("heh-brw", {"sector": 128}), ("tet", {"sector": 96, **SLOW})),
]  # fmt: skip


def made(mode: str, effort: int = 0, **options: Any) -> Compiled:
    return compile_mode(find(mode), Options(restarts=20, wire_effort=effort, **options), prove=False)


def counted(schedule: Schedule) -> Networks:
    return Networks(schedule.problem, schedule.ii if schedule.overlap else 0, schedule.start, schedule.instance)


@pytest.mark.parametrize(("mode", "options"), CASES, ids=str)
def test_fewer_sources_at_the_same_latency(mode: str, options: dict[str, Any]) -> None:
    """The schedules are legal and as long as before, nothing costs more, and no bound is undercut."""
    before, after = made(mode, **options), made(mode, 60, **options)
    for old, new in ((before.schedule, after.schedule), (before.setup_schedule, after.setup_schedule)):
        check_schedule(new)
        assert (new.ii, new.overlap) == (old.ii, old.overlap)
        # Sums within lanes are others, and are taken if no sector takes longer.
        assert new.latency <= old.latency and (new.problem.units.lanes > 1 or new.latency == old.latency)
    assert counted(after.schedule).cost <= counted(before.schedule).cost
    figures = after.explain()["networks"]
    assert least_sources(after.schedule.problem) <= figures["least"] <= figures["sources"]
    assert figures["sources"] <= sum(len(net.sources) for net in before.allocation.program.nets.values())


@pytest.mark.parametrize(("mode", "options"), CASES[:3], ids=str)
def test_the_program_has_the_sources_that_are_counted(mode: str, options: dict[str, Any]) -> None:
    """But for the ports of banks, which the program tells apart, and with those of set-up."""
    core = made(mode, **options)
    program, wanted = core.allocation.program, set[tuple[object, ...]]()
    for schedule in (core.schedule, core.setup_schedule):
        wanted |= set(counted(schedule).used)
    found = Counter[tuple[str, str, str]]()
    for name, net in program.nets.items():
        if isinstance(name.owner, UnitName):
            found[name.owner.kind, str(name.owner.number), name.operand] += len({
                (source.kind, source.name, source.index if source.kind in ("y", "chain", "key") else 0, source.k, source.keep)
                for source in net.sources
            })  # fmt: skip
    counts = Counter((str(key[0]), str(key[1]), str(key[2])) for key in wanted if key[0] != "out")
    assert counts == found


def test_cost_after_moves_is_that_of_a_new_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Moves that are made and moves that are taken back leave the counts of the placement."""
    core = made("hctr2", sector=96)
    schedule = core.schedule
    tried, seen = networks._try, []

    def checked(moves: Moves, wires: Networks, move: list[tuple[int, int, int]], most: float) -> float:
        gain = tried(moves, wires, move, most)
        if random.Random(len(seen)).random() < 0.05:
            fresh = Networks(schedule.problem, schedule.ii, list(moves.start), list(moves.instance))
            fresh.port = wires.port
            fresh.port_cost, fresh.cost = {}, sum(sum(networks.STEP[:n]) for n in fresh.count.values())
            fresh.changed = set(fresh.slots)
            fresh.settle()
            assert wires.cost == pytest.approx(fresh.cost) and {k: n for k, n in wires.count.items() if n} == dict(fresh.count)
        seen.append(gain)
        return gain

    monkeypatch.setattr(networks, "_try", checked)
    fewer_sources(schedule.problem, schedule.ii, (schedule.start, schedule.instance), schedule.latency, 20)
    assert any(gain > 0 for gain in seen) and any(gain < 0 for gain in seen) and 0.0 in seen


def test_the_same_again_and_nothing_without_effort() -> None:
    once, again, none = made("hctr2", 30, sector=96), made("hctr2", 30, sector=96), made("hctr2", sector=96)
    assert once.schedule.start == again.schedule.start and once.schedule.start != none.schedule.start
    assert "networks" not in none.explain()


def test_sizes_share_sources() -> None:
    """The second size takes the sources of the first one where it can, and all of it is proved."""
    options = Options(sector=64, more_sectors=(96,), restarts=20, wire_effort=60)
    both = compile_mode(find("hctr2"), options)
    assert both.proved
    alone = [made("hctr2", 60, sector=size).allocation.program for size in (64, 96)]
    apart = {name: {s for program in alone if name in program.nets for s in program.nets[name].sources} for name in both.core_program.nets}
    assert sum(len(net.sources) for net in both.core_program.nets.values()) <= sum(map(len, apart.values()))


@pytest.mark.parametrize("fault", ["late", "early", "lost"])
def test_moves_beyond_their_bounds_are_found(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    """The checker of schedules knows nothing of the search."""
    bounds = Moves.bounds

    def wrong(self: Moves, i: int) -> tuple[int, int]:
        low, high = bounds(self, i)
        return {"late": (low, high + 2), "early": (max(0, low - 2), high), "lost": (0, self.latency - 1)}[fault]

    monkeypatch.setattr(Moves, "bounds", wrong)
    core = made("hctr2", 20, sector=96)
    with pytest.raises(CheckError):
        check_schedule(core.schedule)
        check_schedule(core.setup_schedule)


def test_lanes_keep_their_units() -> None:
    """Instances are only exchanged within a slot, and operations on blocks of a lane come to the units of the lane."""
    schedule = made("hctr2", sector=512, cipher_cores=2).schedule
    start, instance = in_lanes(schedule.problem, schedule.ii, (schedule.start, schedule.instance))
    new = Schedule(schedule.problem, schedule.ii, start, instance, True)
    check_schedule(new)
    assert start == schedule.start

    def astray(instances: list[int]) -> int:
        pairs, units, lanes = schedule.problem.graph.pairs, schedule.problem.unit, schedule.problem.units.lanes
        return sum(
            instances[pair.id] * lanes // units[pair.id].count != pair.block % lanes for pair in pairs
            if pair.block is not None and units[pair.id].kind == "mul"
        )  # fmt: skip

    assert astray(instance) < astray(schedule.instance)


def test_operations_have_the_lane_of_what_they_read() -> None:
    """Each product of either hash belongs to the lane of its block, and the search brings almost all of them to the units of the lane."""
    work = made("hctr2", 20, sector=512, cipher_cores=2)
    check_schedule(work.schedule)
    problem, instance = work.schedule.problem, work.schedule.instance
    units = units_of_lanes(problem)
    products = [i for i, unit in enumerate(problem.unit) if unit.kind == "mul" and units[i] is not None]
    blocks = 512 // 16
    assert len(products) >= 2 * (blocks - 1)
    for pair in problem.graph.pairs:
        if pair.block is not None and (own := units[pair.id]) is not None:
            assert own[0] * problem.units.lanes // problem.unit[pair.id].count == pair.block % problem.units.lanes
    assert sum(instance[i] not in (units[i] or ()) for i in products) < len(products) // 5


def test_ports_are_exchanged_within_their_slots() -> None:
    """Two networks that each read a bank at one port need no other, and no slot has a port twice."""
    a, b = (NetName(UnitName(MUL.unit, n)) for n in range(2))
    readings = {
        ("main", "in0", slot, (("encrypt", 2 * slot + n),)): Reading("in0", "main", slot, (n + slot) % 2, {((a, b)[n], 0, 0)})
        for slot in range(8) for n in range(2)
    }  # fmt: skip
    found = better_ports(readings, 50)
    for net in (a, b):
        assert len({found[key] for key, reading in readings.items() if reading.readers == {(net, 0, 0)}}) == 1
    for slot in range(8):
        assert {port for key, port in found.items() if key[2] == slot} == {0, 1}


def test_no_port_reads_twice_in_a_slot() -> None:
    """Whatever ports are exchanged, and also where some are free."""
    rng, nets = random.Random(3), [NetName(UnitName(MUL.unit, n)) for n in range(4)]
    readings = {
        ("main", "in0", slot, (("encrypt", 4 * slot + port),)):
            Reading("in0", "main", slot, port, {(rng.choice(nets), rng.randrange(2), 0)})
        for slot in range(20) for port in rng.sample(range(4), rng.randint(1, 4))
    }  # fmt: skip
    before = len({(reading.port, *reader) for reading in readings.values() for reader in reading.readers})
    found = better_ports(readings, 100)
    for slot in range(20):
        ports = [port for key, port in found.items() if key[2] == slot]
        assert len(set(ports)) == len(ports) and set(ports) <= set(range(4))
    assert len({(found[key], *reader) for key, reading in readings.items() for reader in reading.readers}) < before
