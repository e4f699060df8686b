# SPDX-License-Identifier: Apache-2.0
"""Cores for sectors whose cipher is one round for several blocks at a time."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests import built
from tests.built import slow, slowly
from tests.equivalence.cores import CORES
from tests.external import needs

import modeloom_golden as golden
from modeloom import verification
from modeloom.cores.sector import SectorCore, key_erase_cycles
from modeloom.emit import run_bench
from modeloom.equivalence import prove_engine
from modeloom.modes import BUILT_IN, find
from modeloom.product.simulated import Sector
from modeloom.spec import InputError
from modeloom.verification.sector.erasure import check_key_erasure
from modeloom.verification.sector.host import Subject

ROUND: dict[str, Any] = {"cipher_arch": "multistream", "restarts": 20}

CASES = [
    CORES["multistream"],
    *slowly(
        ("hctr2", {**ROUND, "sector": 64, "more_sectors": (40, 16), "streams": 2, "key_bits": 256}),
        ("heh-brw", {**ROUND, "sector": 128, "streams": 4, "cipher_cores": 2}),
        ("cmc", {**ROUND, "sector": 48, "streams": 1, "overlap": False}),
        ("eme2", {**ROUND, "sector": 40, "streams": 4, "key_bits": 192, "direction": "decrypt"}),
        ("xts", {**ROUND, "sector": 32, "streams": 1, "key_slots": 40}),
        ("xcb", {**ROUND, "sector": 48, "streams": 2, "key_slots": 3, "direction": "encrypt"}),
        ("tet", {**ROUND, "sector": 64, "streams": 4, "registered": False}),
        ("heh-poly", {**ROUND, "sector": 2048, "streams": 4, "storage": "bram"}),
    ),
]


@pytest.mark.parametrize(("mode", "changes"), CASES, ids=str)
def test_sectors(mode: str, changes: dict[str, Any]) -> None:
    """Sectors of all directions, slots and sizes, without and with pauses; and one after another at the interval of ``core.json``, which
    is its bound."""
    rng, core = random.Random(5), built.simulated(mode, **changes)
    slots = min(3, core.description.key_slots)
    keys = [rng.randbytes(core.description.key_bytes) for _ in range(slots)]
    for slot, key in enumerate(keys):
        core.load_key(key, slot)
    references = [golden.mode(mode, key) for key in keys]
    ways = core.description.directions

    def jobs(sizes: tuple[int, ...], count: int) -> list[Sector]:
        tweak = core.tweak_bytes
        return [
            Sector(rng.randbytes(tweak), rng.randbytes(rng.choice(sizes)), rng.choice(ways) == "decrypt", rng.randrange(slots))
            for _ in range(count)
        ]

    def expected(sectors: list[Sector]) -> list[bytes]:
        return [getattr(references[one.slot], "decrypt" if one.decrypt else "encrypt")(one.tweak, one.data) for one in sectors]

    for gaps in (0.0, 0.3):
        core.runner.set_gaps({"s_axis": gaps, "s_axis_cmd": gaps, "m_axis": gaps})
        some = jobs(core.description.sector_sizes, 24)
        assert core.run(some) == expected(some)
    core.runner.set_gaps({"s_axis": 0.0, "s_axis_cmd": 0.0, "m_axis": 0.0})
    for size in core.description.sizes:
        some = jobs((size.sector_bytes,), 24)
        assert core.run(some) == expected(some)
        steady = core.status_cycles[8:]
        assert {b - a for a, b in zip(steady, steady[1:], strict=False)} == {size.interval}
        assert not size.explain.overlap or size.explain.ii == size.explain.ii_bound
    assert not core.runner.violations()


@pytest.mark.parametrize("mode", ["xts", *slowly(*(mode.name for mode in BUILT_IN if mode.name != "xts"))])
def test_every_mode(mode: str) -> None:
    """Each mode on sectors is compiled and proved, at the bound of its interval."""
    least = max(64, find(mode).min_bytes)
    compiled = built.compiled(mode, **ROUND, sector=least, streams=4)
    figures = compiled.explain()
    assert figures["proved"] and figures["ii"] == figures["ii_bound"]
    (unit,) = (unit for kind, unit in figures["units"].items() if kind in ("cipher", "enc"))
    assert unit["blocks"] == 4 and unit["interval"] == 40 and figures["ii"] % 40 == 0


def test_the_figures() -> None:
    """33 blocks take nine batches of four; the options and the name of the core say what it is."""
    compiled = built.compiled("xts", sector=512, cipher_arch="multistream", restarts=0)
    figures = compiled.explain()
    assert (figures["ii"], figures["units"]["cipher"]) == (360, {"count": 1, "latency": 42, "interval": 40, "blocks": 4})
    assert compiled.options.as_dict()["streams"] == 4 and "streams" not in built.compiled("xts", restarts=0).options.as_dict()
    core = SectorCore(compiled)
    assert core.words == ("xts", "512", "multistream", "streams4", "search0")
    assert core.describe("core", "test").explain.units["cipher"].blocks == 4


@pytest.mark.parametrize(("changes", "message"), [
    ({"streams": 3}, "--streams must be 1, 2 or 4, not 3"),
    ({"cipher_arch": "pipelined", "streams": 2}, "--streams is for --cipher-arch multistream; leave it out"),
    ({"cipher": "sm4"}, "--cipher-arch multistream: sm4 has no round core for several streams; choose another --cipher-arch"),
    ({"cipher_stages": 2}, "--cipher-stages is for pipelines: --streams is the number of registers in the round; leave it out"),
    ({"cipher_sbox": "bram"}, "--cipher-sbox bram is for pipelines; a multistream core has S-boxes lut"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        built.compiled("xts", **{"sector": 64, "cipher_arch": "multistream", **changes})


def test_the_rows_that_are_left_count_for_an_erasure() -> None:
    """A short sector goes through the stages of the long ones, so the engine is busy after its last block."""
    changes = {**ROUND, "sector": 64, "more_sectors": (16,), "streams": 4}
    compiled = built.compiled("hctr2", **changes)
    program = compiled.core_program
    left = [main.rows * program.stages - main.latency for main in program.mains]
    alone = built.compiled("hctr2", **{**changes, "more_sectors": ()})
    assert key_erase_cycles(compiled) - key_erase_cycles(alone) >= left[1] - left[0] > 50


@slow
@pytest.mark.parametrize(("mode", "changes"), [("hctr2", {**ROUND, "sector": 64, "more_sectors": (16,), "streams": 4, "key_slots": 2})])
def test_erasure(mode: str, changes: dict[str, Any]) -> None:
    """Nothing of an erased key is left after the cycles that are stated."""
    assert check_key_erasure(Subject(built.folder(mode, **changes), optimize=0))


@slow
@needs("iverilog")
@pytest.mark.parametrize(("mode", "changes"), [CASES[0], ("hctr2", {**ROUND, "sector": 64, "more_sectors": (40,), "streams": 1})], ids=str)
def test_verify(mode: str, changes: dict[str, Any]) -> None:
    """Everything that ``modeloom verify`` checks, among it that nothing of an erased key goes round, and the bench."""
    folder = built.folder(mode, **changes)
    names = [step.name for step in verification.verify_core(folder, sectors=40)]
    assert {"engine", "timing", "pace", "erasure", "reloads", "zeroize"} <= set(names)
    assert run_bench(folder)
    assert prove_engine(folder, SectorCore(built.compiled(mode, **changes))).whole
