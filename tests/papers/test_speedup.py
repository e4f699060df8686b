# SPDX-License-Identifier: Apache-2.0
"""luts2017, section 2.3: the formula, the stored cycles beside it, and the round simulated again."""

import pytest
from amaranth.back import rtlil
from tests.scripts import script

from modeloom.sim import Simulation
from modeloom_circuits.aes.rounds import AESMultiStream
from modeloom_papers.speedup import BLOCKS, ROUNDS, STREAMS, gain, name_of, round_cycles, rows, unrolled_cycles
from modeloom_papers.stored import measured


def test_formula():
    assert (BLOCKS[0], BLOCKS[-1]) == (1, 1024)
    assert unrolled_cycles(4, 1024) == 40 + 1023 and round_cycles(4, 1022) == 10240 and gain(1, 1) == 1
    for streams in STREAMS:
        gains = [gain(streams, blocks) for blocks in BLOCKS]
        assert gains == sorted(gains) and gains[-1] < ROUNDS and gain(streams, 10**7) == pytest.approx(ROUNDS, rel=1e-4)


def test_measured_cycles_are_those_of_the_formula():
    """Beside what buses and control take, which is the same for every message of some blocks; and what a last batch takes to leave."""
    assert list(measured("speedups")) == [name_of(streams, blocks) for streams in STREAMS for blocks in BLOCKS]
    for row in measured("speedups").values():
        streams, blocks = row["streams"], row["blocks"]
        assert row["unrolled_cycles"] == unrolled_cycles(streams, blocks) + row["bus_cycles"]
        assert row["bus_cycles"] == 15 if blocks >= 4 else 12 <= row["bus_cycles"] <= 15, row
        assert row["round_cycles"] == round_cycles(streams, blocks) + min(streams, blocks), row


def test_the_gain_comes_close_to_the_formula():
    last = rows()[-1]["ours"]
    for streams in STREAMS:
        assert last[f"measured_{streams}"] == pytest.approx(last[f"formula_{streams}"], rel=0.02)


def test_a_round_simulated_again():
    bench = script("bench/speedup.py")
    unit = AESMultiStream(128, 2)
    simulation = Simulation.of(rtlil.convert(unit, name="aes"), "aes", optimize=0)
    for blocks in (1, 2, 3, 16):
        cycles = bench.of_a_round(simulation, unit, blocks)
        assert cycles == round_cycles(2, blocks) + (1 if blocks % 2 else 2)
        if blocks in BLOCKS:
            assert cycles == measured("speedups")[name_of(2, blocks)]["round_cycles"]
