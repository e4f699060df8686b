#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a core of modeloom behind DMA in a LiteX SoC with a CPU, in Verilator.

::

    pip install 'modeloom[litex]'
    apt-get install gcc-riscv64-unknown-elf verilator
    modeloom build xts --sector 512 --front registers --data-width 32 -o xts_512
    python demo/litex/run.py xts_512                                         # writes to build_litex
    modeloom build gcm --key-bits 128 --hold 2048 --front registers --data-width 64 -o gcm
    python demo/litex/run.py gcm --bus-width 64 --crossbar --build build_gcm

The exit status is that of the firmware: 0 for PASS, 1 if a result was wrong.  It is 2 if something is missing, or for a core that the
example does not take, and 3 if the firmware does not end.
"""

from __future__ import annotations

import argparse
import logging
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import messages
import sectors

HERE = Path(__file__).resolve().parent
FIRMWARE = HERE / "firmware"
COMPILER = "riscv64-unknown-elf-"
WARNINGS = ("-std=gnu11", "-Wall", "-Wextra", "-Werror")
# Nothing of a C library is linked, and loops that copy must not become calls of what they are in.
FREESTANDING = ("-O2", "-ffreestanding", "-nostdlib", "-fno-tree-loop-distribute-patterns", "-fno-pic", "-ffunction-sections")
MOST_CYCLES = 10_000_000

COMMON = ("start.S", "console.c", "core.c", "transfer.c")
"""Files of the firmware for every core."""

SECTORS, MESSAGES = ("sectors.c",), ("messages.c", "message.c")
"""Those for cores of one kind."""

PACKAGES = {COMPILER + "gcc": "apt-get install gcc-riscv64-unknown-elf", "verilator": "apt-get install verilator"}


class Missing(Exception):
    """Something that the example needs is not there, or does not fit."""


def generate(core: Path, build: Path, bus_width: int = 32, crossbar: bool = False) -> Any:
    """The SoC as Verilog in a folder, with the C headers of LiteX.  Returns the SoC."""
    try:
        from cipher_soc import CipherSoC, platform
        from litex.soc.integration import export
    except ModuleNotFoundError as missing:
        raise Missing(f"there is no package {missing.name}; run: pip install 'modeloom[litex]'") from missing
    logging.disable(logging.WARNING)  # LiteX tells every step
    pins = platform()
    soc = CipherSoC(pins, core, bus_width, crossbar)
    fragment = soc.get_fragment()
    pins.finalize(fragment)
    # The simulation reads the ROM from a file when it starts, so that another firmware does not need another simulation.
    soc.init_rom("rom", [0], auto_size=False)
    output = pins.get_verilog(fragment, name="sim")
    generated = build / "include" / "generated"
    generated.mkdir(parents=True, exist_ok=True)
    (build / "sim.v").write_text(output.main_source)
    for name, text in output.data_files.items():
        (build / name).write_text(text)
    (generated / "mem.h").write_text(export.get_mem_header(soc.bus.regions))
    (generated / "soc.h").write_text(export.get_soc_header(soc.constants))
    (generated / "csr.h").write_text(export.get_csr_header(soc.csr_regions, soc.constants, csr_base=soc.bus.regions["csr"].origin))
    (build / "regions.ld").write_text(export.get_linker_regions(soc.bus.regions))
    return soc


def is_for_sectors(soc: Any) -> bool:
    """Whether the core of the SoC is one for sectors, and not for messages."""
    return "sizes" in soc.cipher.description


def headers_of(soc: Any) -> dict[str, str]:
    """The headers with the data of the firmware.  Raises ``ValueError`` if there is no example for the core."""
    return (sectors if is_for_sectors(soc) else messages).headers(soc.cipher.description)


def compile_firmware(soc: Any, core: Path, build: Path, headers: dict[str, str], firmware: Path = FIRMWARE) -> None:
    """Compiles the firmware with the driver of the core, and writes it as contents of the ROM."""
    import litex

    for name, text in headers.items():
        (build / "include" / name).write_text(text)
    software = Path(litex.__file__).parent / "soc"
    folders = [build / "include", software / "software" / "include", software / "cores" / "cpu" / soc.cpu.name]
    driver = [core / name for name in ("modeloom.c", "modeloom_commands.c") if (core / name).is_file()]
    sources = [*(firmware / name for name in (*COMMON, *(SECTORS if is_for_sectors(soc) else MESSAGES))), *driver]
    elf, image = build / "firmware.elf", build / "firmware.bin"
    # Warnings in headers of LiteX are not ours.
    command = [COMPILER + "gcc", *soc.cpu.gcc_flags.split(), *WARNINGS, *FREESTANDING, f"-I{firmware}", f"-I{core}"]
    command += [part for folder in folders for part in ("-isystem", str(folder))]
    execute([*command, f"-L{build}", f"-T{firmware / 'memory.ld'}", "-Wl,--gc-sections", *map(str, sources), "-lgcc", "-o", str(elf)])
    execute([COMPILER + "objcopy", "-O", "binary", str(elf), str(image)])
    data, word = image.read_bytes(), soc.bus.data_width // 8
    words = (int.from_bytes(data[at : at + word], "little") for at in range(0, len(data), word))
    (build / "sim_rom.init").write_text("".join(f"{one:0{2 * word}x}\n" for one in words))


def verilate(soc: Any, build: Path) -> None:
    """Compiles the simulation."""
    sources = [str(name) for name, *_ in soc.platform.sources]
    # Generated Verilog of several projects has warnings of style. "modeloom verify" lints the core alone.
    options = ["-O3", "-MAKEFLAGS", "OPT_FAST=-O1", "--top-module", "sim", "-Wno-fatal", "-Wno-lint", "-Wno-style"]
    place = ["--Mdir", str(build / "obj_dir"), "-o", "Vsim"]
    execute(["verilator", "--cc", "--exe", "--build", *options, *place, str(build / "sim.v"), *sources, str(HERE / "sim.cpp")])


def simulate(build: Path, most_cycles: int = MOST_CYCLES) -> subprocess.CompletedProcess[str]:
    """Runs the simulation.  The exit status is that of the firmware, and the output what it has sent over the serial port."""
    command = [str(build.resolve() / "obj_dir" / "Vsim"), str(most_cycles)]
    return subprocess.run(command, cwd=build, capture_output=True, text=True)


def execute(command: list[str]) -> None:
    """Runs a tool.  Raises ``Missing`` if it is not there, or fails."""
    if not shutil.which(command[0]):
        raise Missing(f"there is no {command[0]}; run: {PACKAGES.get(command[0], PACKAGES[COMPILER + 'gcc'])}")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Missing(f"{command[0]} failed:\n{done.stdout}{done.stderr}")


def build_all(core: Path, build: Path, bus_width: int = 32, crossbar: bool = False) -> Any:
    """Everything up to the simulation.  Returns the SoC."""
    soc = generate(core, build, bus_width, crossbar)
    compile_firmware(soc, core, build, headers_of(soc))
    verilate(soc, build)
    return soc


def main(arguments: list[str] | None = None) -> int:
    """The command line; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("core", type=Path, help="folder of a core with registers")
    parser.add_argument("--build", type=Path, default=Path("build_litex"), help="folder for what is built (default: %(default)s)")
    parser.add_argument("--bus-width", type=int, choices=(32, 64), default=32, help="bits of the bus of the SoC (default: %(default)s)")
    parser.add_argument("--crossbar", action="store_true", help="a crossbar, and other RAMs for results and commands")
    options = parser.parse_args(arguments)
    try:
        build_all(options.core, options.build, options.bus_width, options.crossbar)
    except (Missing, ValueError) as problem:
        print(f"run.py: {problem}", file=sys.stderr)
        return 2
    done = simulate(options.build)
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
