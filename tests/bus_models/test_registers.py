# SPDX-License-Identifier: Apache-2.0
"""Cores with registers behind the bus models of cocotbext-axi, in Icarus Verilog."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import pytest
from cocotb_tools import runner as cocotb_runner
from tests import built
from tests.built import slow
from tests.cores.front.cores import SECTORS
from tests.external import needs

from modeloom.cores.front import front_of
from modeloom.cores.sector import SectorCore
from modeloom.emit import emit
from modeloom.product.description import Description

pytestmark = needs("iverilog")

ROOT = Path(__file__).parents[2]


TESTS = 6
"""Tests in ``sector_registers``."""


def emitted(folder: Path, bits: int | None = None) -> Description:
    """A core for sectors with registers, and with data streams of some bits."""
    core = SectorCore(built.compiled("xts", prove=False, **SECTORS))
    return emit(core, folder, command="modeloom build xts --front registers", front=front_of("registers", bits))


def run(folder: Path, description: Description, work: Path, seed: int) -> tuple[int, int]:
    """Runs the tests inside the simulator: their number, and how many failed."""
    runner = cocotb_runner.get_runner("icarus")
    top = description.front.top
    sources = [folder / description.front.verilog, folder / description.verilog]
    runner.build(sources=sources, hdl_toplevel=top, build_dir=work / "build", timescale=("1ns", "1ps"))
    told = {"CORE_FOLDER": str(folder), "SEED": str(seed), "COCOTB_LOG_LEVEL": "WARNING"}
    results = work / "results.xml"
    # The runner ends with an error if a test fails; the file tells how many.
    with contextlib.suppress(SystemExit, RuntimeError):
        runner.test(
            test_module="tests.bus_models.sector_registers", hdl_toplevel=top, build_dir=work / "build", test_dir=work,
            results_xml=str(results), extra_env={**told, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        )  # fmt: skip
    count, failed = cocotb_runner.get_results(results)
    return int(count), int(failed)


@slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_sectors(tmp_path, seed):
    assert run(tmp_path / "core", emitted(tmp_path / "core"), tmp_path, seed) == (TESTS, 0)


@slow
@pytest.mark.parametrize("bits", [32, 64, 256, 1024])
def test_sectors_over_streams_of_other_widths(tmp_path, bits):
    assert run(tmp_path / "core", emitted(tmp_path / "core", bits), tmp_path, bits) == (TESTS, 0)


@slow
def test_a_core_that_is_wrong_fails(tmp_path):
    """Two bits of each beat of a key are swapped on their way to the core."""
    description = emitted(tmp_path / "core")
    verilog = tmp_path / "core" / description.front.verilog
    text = verilog.read_text()
    assert text.count(".s_axis_key_tdata(core_s_axis_key_tdata)") == 2
    wrong = ".s_axis_key_tdata({core_s_axis_key_tdata[127:2], core_s_axis_key_tdata[0], core_s_axis_key_tdata[1]})"
    verilog.write_text(text.replace(".s_axis_key_tdata(core_s_axis_key_tdata)", wrong, 1))
    # All tests but that of refused accesses work with keys.
    assert run(tmp_path / "core", description, tmp_path, 1) == (TESTS, TESTS - 1)
