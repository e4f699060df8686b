# SPDX-License-Identifier: Apache-2.0
"""The sectors of the bench for a test in the user's own flow."""

from __future__ import annotations

from modeloom.compiler.compile import Compiled
from modeloom.cores.bench_text import first_keys
from modeloom.cores.sector.bench import bench_limit
from modeloom.cores.sector.vectors import BenchSector, bench_vectors
from modeloom.interfaces.sector import StatusCode
from modeloom.product.cases import Case, Cases

__all__ = ["sector_cases"]


def _case(sector: BenchSector) -> Case:
    return Case(sector.command, sector.beats, sector.wanted, sector.code)


def sector_cases(compiled: Compiled) -> Cases:
    """Sectors without a key, and then good ones and each error that a host can make."""
    vectors = bench_vectors(compiled)
    begin, end = vectors.phases["empty"], vectors.phases["wrong"]
    cases = [_case(sector) for sector in vectors.sectors[:end]]
    return Cases(first_keys(vectors.keys), cases[:begin], cases[begin:], bench_limit(compiled, vectors), int(StatusCode.BAD_KEEP))
