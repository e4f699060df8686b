# SPDX-License-Identifier: Apache-2.0
"""Stream traffic: widths, gaps, back-pressure, time limits, and broken designs that must be reported."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from tests.built import slow
from tests.sim.designs import StreamFifo, Transfers, convert

from modeloom.sim import AT_REST, Simulation, Stream, StreamRunner

SEED = 20100


def fifo(width: int, fault: str | None = None, **options: object) -> Simulation:
    return Simulation.of(convert(StreamFifo(width, fault=fault), "fifo"), "fifo", optimize=0, **options)


def traffic(width: int, beats: int, seed: int) -> dict[str, list[int]]:
    rng = random.Random(seed)
    return {"s_axis_tdata": [rng.getrandbits(width) for _ in range(beats)],
            "s_axis_tlast": [rng.getrandbits(1) for _ in range(beats)]}


@pytest.mark.parametrize("width", [8, 33, 256, *(pytest.param(width, marks=slow) for width in (12, 32, 128))])
def test_every_beat_arrives_in_order(width):
    simulation = fifo(width)
    for gap_in, gap_out in ((0, 0), (0.5, 0), (0, 0.5), (0.7, 0.3), (0.2, 0.9)):
        runner = StreamRunner(simulation, seed=SEED, gaps={"s_axis": gap_in, "m_axis": gap_out})
        runner.reset()
        beats = traffic(width, 200, SEED + width)
        runner.feed("s_axis", beats)
        result = runner.run({"m_axis": 200}, max_cycles=5000)
        print(f"seed {SEED} width {width} gaps {gap_in} {gap_out}: {result.cycles} cycles")
        assert result.done and not result.timed_out
        taken = runner.take("m_axis")
        assert taken.values("m_axis_tdata") == beats["s_axis_tdata"]
        assert taken.values("m_axis_tlast") == beats["s_axis_tlast"]
        assert not runner.violations()
        accepted = runner.accepted("s_axis")
        assert len(accepted) == len(taken.cycles) == 200
        assert all(a < t for a, t in zip(accepted, taken.cycles, strict=True))
        if gap_in == gap_out == 0:
            assert result.cycles == 201
            assert list(taken.cycles) == [cycle + 1 for cycle in accepted]
        else:
            expected = 200 / (1 - max(gap_in, gap_out))
            assert 0.7 * expected < result.cycles < 1.6 * expected


def test_bytes_and_ints_are_the_same_beats():
    simulation = fifo(32)
    runner = StreamRunner(simulation)
    runner.reset()
    data = bytes(range(1, 33))
    assert runner.feed("s_axis", {"s_axis_tdata": data, "s_axis_tlast": bytes(7) + b"\x01"}) == 8
    assert runner.feed("s_axis", {"s_axis_tdata": [0x04030201], "s_axis_tlast": [1]}) == 1
    assert runner.waiting("s_axis") == 9
    assert runner.run({"m_axis": 9}, max_cycles=100).done
    first, rest = runner.take("m_axis", 8), runner.take("m_axis")
    assert first.columns["m_axis_tdata"] == data
    assert first.values("m_axis_tlast") == [0] * 7 + [1]
    assert (rest.count, rest.columns["m_axis_tdata"]) == (1, data[:4])
    assert runner.take("m_axis").values("m_axis_tdata") == []


def test_same_seed_same_cycles():
    simulation = fifo(16)
    runs = []
    for seed in (1, 1, 2):
        runner = StreamRunner(simulation, seed=seed, gaps={"s_axis": 0.4, "m_axis": 0.4})
        runner.reset()
        start = simulation.cycle
        runner.feed("s_axis", traffic(16, 100, 5))
        assert runner.run({"m_axis": 100}, max_cycles=2000).done
        runs.append([cycle - start for cycle in runner.take("m_axis").cycles])
    assert runs[0] == runs[1] != runs[2]


def test_one_and_two_evaluations_agree():
    logs = []
    for two_steps in (False, True):
        simulation = fifo(24, two_steps=two_steps)
        assert simulation.single_step is not two_steps
        runner = StreamRunner(simulation, seed=SEED, gaps={"s_axis": 0.3, "m_axis": 0.5})
        runner.reset()
        runner.feed("s_axis", traffic(24, 300, 6))
        assert runner.run({"m_axis": 300}, max_cycles=5000).done
        taken = runner.take("m_axis")
        logs.append((taken.columns, list(taken.cycles), list(runner.accepted("s_axis"))))
    assert logs[0] == logs[1]


def test_time_limit_is_a_result():
    simulation = fifo(8)
    runner = StreamRunner(simulation)
    runner.reset()
    runner.feed("s_axis", traffic(8, 3, 7))
    result = runner.run({"m_axis": 4}, max_cycles=50)
    assert result.timed_out and result.cycles == 50
    assert runner.take("m_axis").count == 3
    assert runner.run(max_cycles=17).cycles == 17
    assert runner.run({"m_axis": 0}, max_cycles=17).cycles == 0


def test_drain_waits_for_the_inputs():
    simulation = fifo(8)
    runner = StreamRunner(simulation, gaps={"s_axis": 0.5})
    runner.reset()
    runner.feed("s_axis", traffic(8, 10, 8))
    assert runner.run(drain=True, max_cycles=1000).done
    assert runner.waiting("s_axis") == 0
    assert runner.waiting("m_axis") >= 9


def test_nothing_moves_at_rest():
    # The driver draws 32 bits in each cycle.  None of them may be as large.
    assert AT_REST * 2**32 > 2**32 - 1
    runner = StreamRunner(fifo(8), seed=SEED)
    runner.reset()
    runner.set_gaps({"m_axis": AT_REST})
    runner.feed("s_axis", traffic(8, 2, 8))
    runner.run(max_cycles=10_000)
    assert runner.waiting("s_axis") == runner.waiting("m_axis") == 0
    runner.set_gaps({"s_axis": AT_REST, "m_axis": 0.0})
    runner.feed("s_axis", traffic(8, 2, 8))
    runner.run(max_cycles=10_000)
    assert (runner.waiting("s_axis"), runner.waiting("m_axis")) == (2, 2)


@pytest.mark.parametrize("two_steps", [False, True])
def test_dropped_valid_is_reported(two_steps):
    runner = StreamRunner(fifo(8, "drop", two_steps=two_steps), seed=SEED, gaps={"m_axis": 0.6})
    runner.reset()
    runner.feed("s_axis", traffic(8, 400, 9))
    assert runner.run({"m_axis": 400}, max_cycles=5000).done
    found = runner.violations("m_axis")
    assert found and found.dropped > 10 and found.changed == 0
    assert found.first_cycle is not None


def test_changed_payload_is_reported():
    runner = StreamRunner(fifo(64, "change"), seed=SEED, gaps={"m_axis": 0.6})
    runner.reset()
    runner.feed("s_axis", traffic(64, 400, 10))
    assert runner.run({"m_axis": 400}, max_cycles=5000).done
    found = runner.violations("m_axis")
    assert found.changed > 10 and found.dropped == 0


def test_lost_beats_are_a_timeout():
    runner = StreamRunner(fifo(8, "lose"), seed=SEED)
    runner.reset()
    runner.feed("s_axis", traffic(8, 400, 11))
    assert runner.run({"m_axis": 400}, max_cycles=5000).timed_out
    assert runner.waiting("m_axis") < 400


TRANSFERS = (
    Stream("transfer", "in", "select", "ready", ("number",), second="enable"), Stream("answer", "out", "ready", None, ("shown",)),
)  # fmt: skip
"""Transfers with two phases, and what comes with their end."""


@pytest.mark.parametrize("gap", [0, 0.6])
def test_a_beat_has_two_phases(gap):
    simulation = Simulation.of(convert(Transfers(), "transfers"), "transfers", optimize=0)
    runner = StreamRunner(simulation, TRANSFERS, seed=SEED, gaps={"transfer": gap})
    runner.reset()
    numbers = [1 + at % 255 for at in range(120)]
    runner.feed("transfer", {"number": numbers})
    result = runner.run({"answer": 120}, drain=True, max_cycles=2000)
    assert result.done and (gap or result.cycles == 2 * 120 + 30 * (1 + 2 + 3))
    assert runner.take("answer").values("shown") == numbers and not simulation.get("wrong") and not runner.violations()


def test_a_beat_with_one_phase_is_seen():
    simulation = Simulation.of(convert(Transfers(), "transfers"), "transfers", optimize=0)
    runner = StreamRunner(simulation, [replace(TRANSFERS[0], second=None), TRANSFERS[1]], seed=SEED)
    runner.reset()
    runner.feed("transfer", {"number": [1]})
    runner.run({"answer": 1}, max_cycles=20)
    assert simulation.get("wrong")


def test_discovery_and_errors():
    simulation = fifo(12)
    assert Stream.discover(simulation) == [
        Stream("m_axis", "out", "m_axis_tvalid", "m_axis_tready", ("m_axis_tdata", "m_axis_tlast")),
        Stream("s_axis", "in", "s_axis_tvalid", "s_axis_tready", ("s_axis_tdata", "s_axis_tlast")),
    ]
    runner = StreamRunner(simulation)
    with pytest.raises(ValueError, match="payload ports s_axis_tdata, s_axis_tlast"):
        runner.feed("s_axis", {"s_axis_tdata": [1]})
    with pytest.raises(ValueError, match="differ in length"):
        runner.feed("s_axis", {"s_axis_tdata": [1, 2], "s_axis_tlast": [1]})
    with pytest.raises(ValueError, match="does not fit the 12 bits"):
        runner.feed("s_axis", {"s_axis_tdata": [4096], "s_axis_tlast": [1]})
    with pytest.raises(ValueError, match="more than 12 bits"):
        runner.feed("s_axis", {"s_axis_tdata": b"\xff\x1f", "s_axis_tlast": b"\x01"})
    with pytest.raises(ValueError, match="not whole beats"):
        runner.feed("s_axis", {"s_axis_tdata": b"\xff", "s_axis_tlast": b"\x01"})
    with pytest.raises(ValueError, match="goes the other way"):
        runner.feed("m_axis", {})
    with pytest.raises(ValueError, match="no stream 'x'"):
        runner.run({"x": 1}, max_cycles=1)
    with pytest.raises(ValueError, match="probability"):
        runner.set_gaps({"s_axis": 1.1})
    with pytest.raises(ValueError, match="below 1 in a whole run"):
        StreamRunner(simulation, gaps={"s_axis": 1})
    with pytest.raises(ValueError, match="0 have arrived"):
        runner.take("m_axis", 1)
    with pytest.raises(ValueError, match="is no input port"):
        StreamRunner(simulation, [Stream("x", "in", "m_axis_tvalid", "m_axis_tready", ())])
    with pytest.raises(ValueError, match="12 bits instead of 1"):
        StreamRunner(simulation, [Stream("x", "in", "s_axis_tdata", "s_axis_tready", ())])
    with pytest.raises(ValueError, match="direction"):
        Stream("x", "up", "a", "b", ())
    with pytest.raises(ValueError, match="c is for a stream whose direction is 'in'"):
        Stream("x", "out", "a", "b", (), second="c")
    with pytest.raises(ValueError, match="no stream 'q'"):
        Stream.axis(simulation, "q")
