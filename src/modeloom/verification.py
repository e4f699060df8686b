# SPDX-License-Identifier: Apache-2.0
"""What ``modeloom verify`` does with an emitted core: proofs, lint, timing channels, vectors, random sectors, the plain bench."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from modeloom import golden, vectors
from modeloom.ciphers import AES
from modeloom.compiler import compile_mode
from modeloom.emit import CheckFailed, lint, run_bench
from modeloom.emit.files import listings
from modeloom.equivalence import prove_engine
from modeloom.modes import find
from modeloom.options import Options
from modeloom.simulated import Sector, SimulatedCore, read_description, verilog_of
from modeloom.software import Model
from modeloom.taint import check_netlist, combinational_paths, flat_netlist

__all__ = ["CheckFailed", "verify_core"]


def verify_core(directory: str | Path, *, sectors: int = 200, seed: int = 1, optimize: int = 2) -> Iterator[str]:
    """Runs all checks and gives a line for each that passed; raises ``CheckFailed``, ``ProofError`` or ``TimingChannel`` for the
    first that did not.

    Parameters
    ----------
    sectors, seed : int
        Number of random sectors, and what they are made from.
    optimize : int
        See ``SimulatedCore``.
    """
    directory = Path(directory)
    description = read_description(directory)
    verilog_of(directory, description)
    options = Options(**description["options"])
    compiled = compile_mode(find(description["definition"], directory), options)
    if listings(compiled) != (directory / description["files"]["listing"]).read_text():
        raise CheckFailed(f"{directory}: the program differs from what this version compiles; build the core again")
    yield f"proof: the program computes {description['mode']} ({', '.join(description['directions'])})"
    if shutil.which("verilator"):
        lint(directory)
        yield "lint: verilator -Wall is silent but for the waivers"
    else:
        yield "lint: skipped, verilator is not installed (apt-get install verilator)"
    yield _timing(directory, description)
    yield _engine(directory, compiled)
    yield _vectors(directory, description, optimize)
    yield _random(directory, description, sectors, seed, optimize)
    if shutil.which("iverilog"):
        figures = run_bench(directory)  # compares with core.json what it counts
        yield f"bench: {figures['cycles_per_sector']} cycles a sector in Icarus Verilog"
    else:
        yield "bench: skipped, Icarus Verilog is not installed (apt-get install iverilog)"


def _timing(directory: Path, description: dict) -> str:
    """No control signal depends on a secret, and no output on an input of the same cycle."""
    netlist = flat_netlist(directory / description["files"]["verilog"], description["top"])
    longest = max(size["sector_bytes"] for size in description["sizes"])
    report = check_netlist(netlist, tweak=description["tweak_bytes"] > 0, beat_bytes=longest)
    for (source, target), names in combinational_paths(netlist).items():
        raise CheckFailed(f"{directory}: {target} depends on {source} without a register: {' -> '.join(names)}")
    exempt = ", ".join(f"{count} x {name}" for name, count in report.exempt.items()) or "none"
    told = "".join(f"; but for {count} x {name}" for name, count in report.declassified.items())
    return f"timing: none of {report.control} control signals depends on data, keys or tweaks (exempt: {exempt}){told}"


def _engine(directory: Path, compiled: Any) -> str:
    """The emitted core computes the mode on symbols."""
    report = prove_engine(directory, compiled)
    turned = "" if report.whole else ", not until every bank has turned"
    return f"engine: {report.sectors} sectors of symbols in {report.cycles} cycles of the Verilog are what the definition says{turned}"


def _vectors(directory: Path, description: dict, optimize: int) -> str:
    """Published vectors with the core's cipher, and with its lengths of key, tweak and sector."""
    fitting = [
        test
        for test in vectors.for_mode(description["mode"], description["cipher"])
        if len(test["key"]) == 2 * description["key_bytes"]
        and len(test["tweak"]) == 2 * description["tweak_bytes"]
        and len(test["pt"]) in {2 * size["sector_bytes"] for size in description["sizes"]}
    ]
    core = SimulatedCore(directory, optimize=optimize)
    for test in fitting:
        tweak, plain, cipher = (bytes.fromhex(test[name]) for name in ("tweak", "pt", "ct"))
        core.load_key(bytes.fromhex(test["key"]))
        for direction, data, expected in (("encrypt", plain, cipher), ("decrypt", cipher, plain)):
            if direction in description["directions"]:
                if core.run([Sector(tweak, data, direction == "decrypt")]) != [expected]:
                    raise CheckFailed(f"{directory}: vector {test['tcId']} fails to {direction}")
    return f"vectors: {len(fitting)} published ones fit this core and pass"


def _random(directory: Path, description: dict, sectors: int, seed: int, optimize: int) -> str:
    """Random sectors of all directions with random gaps, against the independent reference."""
    rng = random.Random(seed)
    key = rng.randbytes(description["key_bytes"])
    name = description["definition"]
    # The independent references are modes of AES.
    known = name in golden.mode_names() and description["cipher"] == AES.name
    reference = golden.mode(name, key) if known else Model(find(name, directory), key, description["cipher"])
    gaps = {"s_axis": 0.1, "s_axis_cmd": 0.1, "m_axis": 0.1, "m_axis_status": 0.1}
    core = SimulatedCore(directory, seed=seed, gaps=gaps, optimize=optimize)
    core.load_key(key)
    jobs, expected = [], []
    for _ in range(sectors):
        tweak, size = rng.randbytes(description["tweak_bytes"]), rng.choice(description["sizes"])
        data = rng.randbytes(size["sector_bytes"])
        decrypt = rng.choice(description["directions"]) == "decrypt"
        jobs.append(Sector(tweak, data, decrypt))
        expected.append((reference.decrypt if decrypt else reference.encrypt)(tweak, data))
    results = core.run(jobs)
    for i, (got, want) in enumerate(zip(results, expected)):
        if got != want:
            raise CheckFailed(f"{directory}: random sector {i} of seed {seed} differs from the reference")
    if core.runner.violations():
        raise CheckFailed(f"{directory}: a stream broke the rules of AXI4-Stream at cycle {core.runner.violations().first_cycle}")
    return f"random: {sectors} sectors with random gaps agree with the reference (seed {seed})"
