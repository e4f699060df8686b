# SPDX-License-Identifier: Apache-2.0
"""Cores for several sector sizes: every order of sizes is right, runs of one size reach their bound, errors are reported."""

import random

import pytest
from tests.built import SMALL, compiled, simulated

import modeloom_golden as golden
from modeloom.interfaces.sector import StatusCode
from modeloom.product.simulated import Sector
from modeloom.spec import InputError

MODE = "hctr2"
SIZES = (SMALL["sector"], *SMALL["more_sectors"])


@pytest.fixture(scope="module")
def core():
    return simulated(MODE, **SMALL)


def load(core, rng):
    keys = [rng.randbytes(core.description.key_bytes) for _ in range(2)]
    for slot, key in enumerate(keys):
        core.load_key(key, slot)
    return [golden.mode(MODE, key) for key in keys]


def test_all_orders_of_sizes(core):
    """Sectors of all sizes in random order give the results of the reference."""
    rng = random.Random(11)
    references = load(core, rng)
    orders = [size for _ in range(40) for size in rng.choices(SIZES, k=rng.randrange(1, 4))]
    jobs = [Sector(rng.randbytes(16), rng.randbytes(size), rng.random() < 0.5, rng.randrange(2)) for size in orders]
    core.runner.set_gaps({"s_axis": 0.2, "s_axis_cmd": 0.2, "m_axis": 0.2})
    try:
        assert core.run(jobs) == [
            getattr(references[job.slot], "decrypt" if job.decrypt else "encrypt")(job.tweak, job.data) for job in jobs
        ]
    finally:
        core.runner.set_gaps({"s_axis": 0.0, "s_axis_cmd": 0.0, "m_axis": 0.0})
    assert not core.runner.violations()


@pytest.mark.parametrize("number", range(len(SIZES)))
def test_runs_of_one_size_reach_the_bound(core, number):
    rng = random.Random(number)
    references = load(core, rng)
    jobs = [Sector(rng.randbytes(16), rng.randbytes(SIZES[number])) for _ in range(24)]
    assert core.run(jobs) == [references[0].encrypt(job.tweak, job.data) for job in jobs]
    steady = core.status_cycles[8:]
    figures = core.description.sizes[number]
    assert {b - a for a, b in zip(steady, steady[1:])} == {figures.interval}
    assert figures.explain.ii == figures.explain.ii_bound


@pytest.mark.parametrize(
    ("size", "length", "code"),
    [
        (len(SIZES), 64, StatusCode.UNKNOWN_SIZE),
        (255, 1000, StatusCode.UNKNOWN_SIZE),
        (0, 40, StatusCode.TOO_SHORT),
        (1, 64, StatusCode.TOO_LONG),
        (2, 95, StatusCode.TOO_SHORT),
        (1, 41, StatusCode.TOO_LONG),
    ],
)
def test_wrong_sizes_are_reported(core, size, length, code):
    rng = random.Random(7)
    references = load(core, rng)
    for number in range(3):
        core.send_command(bytes(16), size=size, tag=number)
        core.send_packet(rng.randbytes(length))
    result = core.runner.run({"m_axis_status": 3}, max_cycles=3000)
    assert not result.timed_out
    statuses = core.runner.take("m_axis_status").values("m_axis_status_tdata")
    assert [(int(value) & 0xFFFF, int(value) >> 16) for value in statuses] == [(number, code) for number in range(3)]
    assert not core.runner.waiting("m_axis")
    jobs = [Sector(rng.randbytes(16), rng.randbytes(nbytes)) for nbytes in SIZES]
    assert core.run(jobs) == [references[0].encrypt(job.tweak, job.data) for job in jobs]


def test_a_size_that_the_core_has_not(core):
    with pytest.raises(InputError, match="this core takes sectors of 64 or 40 or 96 bytes, not 48"):
        core.run([Sector(bytes(16), bytes(48))])


def test_each_size_is_proved():
    result = compiled(MODE, **SMALL)
    assert [one.source.nbytes for one in result.sizes] == list(SIZES)
    assert all(one.proved for one in result.sizes)
    assert result.explain()["proved"]
    assert [one["sector_bytes"] for one in result.explain()["more_sizes"]] == [40, 96]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sector": 96, "more_sectors": (48, 96)}, "--sector names 96 bytes twice"),
        ({"sector": 96, "more_sectors": (40,)}, "40 bytes are not"),
        ({"sector": 16 * 2, "more_sectors": tuple(range(48, 48 + 16 * 8, 16))}, "--sector takes at most 8 sizes, not 9"),
    ],
)
def test_bad_sizes(changes, message):
    with pytest.raises(InputError, match=message):
        compiled("heh-brw", **changes)
