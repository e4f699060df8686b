# SPDX-License-Identifier: Apache-2.0
"""Many pipelines and large sectors: the interval is its bound, the latency near that of a plain schedule, the storage near its bound.

The whole matrix takes about ten minutes of one core, with ``--slow``.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.built import slow

from modeloom.compiler.compile import SHARES, Compiled, compile_mode
from modeloom.modes import find
from modeloom.options.sectors import Options
from modeloom.schedule.modulo import schedule

MODES = ("hctr2", "heh-brw", "hmch-brw", "heh-poly", "hmch-poly")


def check(compiled: Compiled, storage: float) -> None:
    e = compiled.explain()
    assert e["proved"] and e["ii"] == e["ii_bound"]
    assert e["storage_blocks"] <= storage * e["storage_bound"]


def check_latency(compiled: Compiled) -> None:
    plain = schedule(compiled.schedule.problem, overlap=False, restarts=compiled.options.restarts)
    assert compiled.schedule.latency <= 1.2 * plain.latency


@pytest.mark.parametrize(("mode", "aes"), [("hctr2", 4), ("heh-brw", 8), ("hmch-poly", 2)])
def test_pipelines(mode: str, aes: int) -> None:
    compiled = compile_mode(find(mode), Options(cipher_cores=aes, restarts=200))
    check(compiled, 1.25)
    check_latency(compiled)


@pytest.mark.parametrize(("mode", "sector", "aes"), [("hctr2", 528, 2), ("hctr2", 520, 1), ("heh-poly", 528, 1)])
def test_sizes_that_do_not_fill_the_lanes(mode: str, sector: int, aes: int) -> None:
    check(compile_mode(find(mode), Options(sector=sector, cipher_cores=aes, restarts=100)), 1.25)


def test_eight_pipelines_on_a_large_sector() -> None:
    """No search to speak of: the sums of the hashes are as short as the multipliers allow."""
    compiled = compile_mode(find("hctr2"), Options(sector=4096, cipher_cores=8, mul=16, restarts=0), prove=False)
    assert compiled.schedule.ii == 32
    assert compiled.schedule.problem.latency_bound() <= 110


def test_progress_is_reported() -> None:
    seen: list[tuple[str, float]] = []
    compile_mode(find("hctr2"), Options(sector=256, restarts=60), progress=lambda step, done: seen.append((step, done)))
    assert list(dict.fromkeys(step for step, _ in seen)) == list(SHARES)
    assert all(0 <= a <= b <= 1 for (_, a), (_, b) in pairwise(seen))
    assert len(seen) > len(SHARES)


@slow
@pytest.mark.parametrize("aes", [1, 2, 4, 8])
@pytest.mark.parametrize("mode", MODES)
def test_32_blocks(mode: str, aes: int) -> None:
    compiled = compile_mode(find(mode), Options(cipher_cores=aes))
    check(compiled, 1.25)
    check_latency(compiled)


@slow
@pytest.mark.parametrize("aes", [1, 2, 4, 8])
@pytest.mark.parametrize("mode", MODES)
def test_256_blocks(mode: str, aes: int) -> None:
    check(compile_mode(find(mode), Options(sector=4096, cipher_cores=aes)), 1.4)


@slow
def test_hctr2_with_eight_pipelines() -> None:
    compiled = compile_mode(find("hctr2"), Options(sector=4096, cipher_cores=8, mul=16))
    check(compiled, 1.4)
    assert compiled.schedule.ii == 32 and compiled.schedule.latency <= 150


@slow
@pytest.mark.parametrize(("mode", "sector"), [
    (mode, sector) for mode in MODES for sector in (512, 520, 528, 4096, 4104, 4160, 4224)
    if find(mode).partial or sector % find(mode).block_bytes == 0
])  # fmt: skip
def test_sizes(mode: str, sector: int) -> None:
    check(compile_mode(find(mode), Options(sector=sector)), 1.4)
