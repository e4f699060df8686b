# SPDX-License-Identifier: Apache-2.0
"""Cores for sectors of one block, of less than a beat, and of one beat among others."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.built import compiled, folder, simulated, slow
from tests.external import needs

import modeloom_golden as golden
from modeloom import vectors
from modeloom.cores.sector import latency_pins
from modeloom.emit import run_bench
from modeloom.interfaces.sector import StatusCode
from modeloom.modes import all_modes
from modeloom.product.simulated import Sector
from modeloom.spec import InputError

SEARCH = {"restarts": 50, "cipher_stages": 1}

MODES = ("eme", "eme2", "hctr", "hctr2", "tet", "xcb-1619", "xts")
"""Those defined for one block."""

NOT_THE_TWEAK = ("hmch-brw", "hmch-poly")
"""Those whose formulas for one block leave the tweak out."""

CORES: dict[str, tuple[str, dict[str, Any]]] = {
    "sizes mixed": ("hctr2", {"sector": 48, "more_sectors": (16, 25), "cipher_arch": "sequential", "key_slots": 2, **SEARCH}),
    **{f"{mode}, one block": (mode, {"sector": 16, **SEARCH}) for mode in MODES},
    "sizes mixed, half a beat": ("eme2", {"sector": 80, "more_sectors": (16, 25), "cipher_cores": 2, "key_slots": 2, **SEARCH}),
    "half a beat": ("eme2", {"sector": 16, "cipher_cores": 2, **SEARCH}),
    "three quarters of a beat": ("xts", {"sector": 47, "cipher_cores": 4, **SEARCH}),
    "sequential": ("hctr2", {"sector": 16, "cipher_arch": "sequential", **SEARCH}),
    "one at a time": ("hctr", {"sector": 16, "overlap": False, **SEARCH}),
    "all sizes one beat": ("xcb-1619", {"sector": 16, "more_sectors": (17, 32), "cipher_cores": 2, **SEARCH}),
}


def each(default: str) -> list[Any]:
    """Cases of ``parametrize``: one of them by default."""
    return [pytest.param(*core, id=name, marks=() if name == default else slow) for name, core in CORES.items()]



@pytest.mark.parametrize("mode", all_modes())
def test_which_modes_take_one_block(mode: str) -> None:
    """Those that an independent reference takes, too, and that depend on the tweak then."""
    reference = golden.mode(mode, random.Random(mode).randbytes(all_modes()[mode].key_bytes(16)))
    if mode in MODES:
        result = compiled(mode, sector=16, **SEARCH)
        assert result.proved and result.schedule.ii == result.schedule.problem.ii_bound()
        assert reference.encrypt(bytes(16), bytes(16)) != reference.encrypt(bytes(15) + b"1", bytes(16))
        return
    with pytest.raises(InputError, match="a sector must have at least 32 bytes, not 16"):
        compiled(mode, sector=16)
    if mode in NOT_THE_TWEAK:
        assert reference.encrypt(bytes(16), bytes(16)) == reference.encrypt(bytes(15) + b"1", bytes(16))
    else:
        with pytest.raises(ValueError, match="data must be at least 2 blocks"):
            reference.encrypt(bytes(16), bytes(16))


@pytest.mark.parametrize(("mode", "changes"), each("sizes mixed"))
def test_core(mode: str, changes: dict[str, Any]) -> None:
    """Sectors of all sizes in any order, with random gaps and some of them wrong, against the reference; published vectors."""
    rng = random.Random(f"{mode} {changes}")
    core = simulated(mode, **changes)
    description = core.description
    keys = [rng.randbytes(description.key_bytes) for _ in range(description.key_slots)]
    for slot, key in enumerate(keys):
        core.load_key(key, slot)
    references = [golden.mode(mode, key) for key in keys]
    sizes = [size.sector_bytes for size in description.sizes]

    def sectors(count: int) -> tuple[list[Sector], list[bytes]]:
        lengths = [size for _ in range(count) for size in [rng.choice(sizes)] * rng.randrange(1, 4)]
        jobs = [Sector(rng.randbytes(16), rng.randbytes(n), rng.random() < 0.5, rng.randrange(len(keys))) for n in lengths]
        return jobs, [getattr(references[job.slot], "decrypt" if job.decrypt else "encrypt")(job.tweak, job.data) for job in jobs]

    for gap in (0.0, 0.3):
        core.runner.set_gaps({"s_axis": gap, "s_axis_cmd": gap, "m_axis": gap, "m_axis_status": gap})
        jobs, wanted = sectors(20)
        assert core.run(jobs) == wanted
    core.runner.set_gaps({})
    wrong = []
    for tag in range(24):
        number = rng.randrange(len(sizes))
        # Up to two beats behind the sector.
        length = sizes[number] + rng.choice((-1, 1, 16, 33 * 16))
        core.send_command(bytes(16), size=number, tag=tag)
        core.send_packet(rng.randbytes(max(1, length)))
        wrong.append((tag, int(StatusCode.TOO_SHORT if length < sizes[number] else StatusCode.TOO_LONG)))
    assert core.runner.run({"m_axis_status": len(wrong)}, max_cycles=20_000).done
    given = [int(value) for value in core.runner.take("m_axis_status").values("m_axis_status_tdata")]
    assert [(value & 0xFFFF, value >> 16) for value in given] == wrong
    assert not core.runner.waiting("m_axis")
    jobs, wanted = sectors(4)
    assert core.run(jobs) == wanted
    assert not core.runner.violations()

    fitting = [
        test for test in vectors.for_mode(mode, "aes")
        if len(test["key"]) == 2 * description.key_bytes and len(test["tweak"]) == 32 and len(test["pt"]) // 2 in sizes
    ]  # fmt: skip
    for test in fitting[:5]:
        tweak, plain, cipher = (bytes.fromhex(test[name]) for name in ("tweak", "pt", "ct"))
        core.load_key(bytes.fromhex(test["key"]))
        assert core.run([Sector(tweak, plain), Sector(tweak, cipher, True)]) == [cipher, plain]
    assert fitting or mode not in ("hctr2", "eme2", "xts") or 16 not in sizes, "one-block vectors are published"


@needs("iverilog")
@pytest.mark.parametrize(("mode", "changes"), each("hctr2, one block"))
def test_bench_counts_what_is_stated(mode: str, changes: dict[str, Any]) -> None:
    figures = run_bench(folder(mode, **changes))
    assert figures["latency_pins"] == latency_pins(compiled(mode, **changes))
