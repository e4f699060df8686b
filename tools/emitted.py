#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are emitted files still the same bytes?  A change of structure is not a change of behaviour.

::

    python tools/emitted.py                    # builds all cores of the list; exit status 1 and a line for each file that differs
    python tools/emitted.py xts "two sizes"    # some of them
    python tools/emitted.py --keep /tmp/new    # leaves the folders there, for diff
    python tools/emitted.py --store            # after a change that is meant

``baselines/emitted.json`` holds SHA-256 of every file of every core, and the versions of Yosys and Amaranth that made them: others may
emit other text, and then there is nothing to compare.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STORED = ROOT / "baselines" / "emitted.json"
SMALL = "--aes-arch sequential --aes-stages 1"
ROUND = "--cipher-arch multistream --streams 1"
TINY = f"--key-bits 128 {ROUND}"
SHALLOW = "--key-bits 128 --cipher-stages 1 --mul-stages 1"

CORES = {
    # Every mode.
    "hctr2": f"hctr2 --sector 64 {SMALL}",
    "heh-brw": "heh-brw --sector 64 --aes-stages 1",
    "heh-brw-pi": f"heh-brw-pi --sector 64 {SMALL}",
    "heh-poly": f"heh-poly --sector 48 {SMALL}",
    "hmch-brw": f"hmch-brw --sector 64 {SMALL}",
    "hmch-poly": f"hmch-poly --sector 48 {SMALL}",
    "hctr": f"hctr --sector 40 {SMALL}",
    "hch": f"hch --sector 48 {SMALL}",
    "hchfp": f"hchfp --sector 48 {SMALL}",
    "xcb": f"xcb --sector 48 {SMALL}",
    "xcb-1619": f"xcb-1619 --sector 40 {SMALL}",
    "tet": f"tet --sector 48 {SMALL}",
    "eme": f"eme --sector 48 {SMALL}",
    "eme2": f"eme2 --sector 40 {SMALL}",
    "cmc": f"cmc --sector 48 {SMALL}",
    "xts": f"xts --sector 40 {SMALL}",
    # Shapes of cores.
    "two pipelines": "xts --sector 128 --aes 2 --aes-stages 1",
    "four pipelines": "hctr2 --sector 128 --aes 4 --aes-stages 1",
    "two sizes": f"hctr2 --sector 64,40,16 {SMALL}",
    "key slots": f"eme2 --sector 64 --key-slots 5 --key-bits 256 {SMALL}",
    "block memories": "heh-poly --sector 2048 --storage bram --aes-stages 1 --direction encrypt",
    "one direction": "tet --sector 64 --direction decrypt --aes-stages 1",
    "one sector at a time": f"hctr --sector 64 --no-overlap {SMALL}",
    "S-boxes of gates": "xts --sector 32 --aes-sbox composite",
    "multiplier of LUTs": f"heh-poly --sector 32 --mul-arch lut6 {SMALL}",
    "squares on the fly": f"heh-brw --sector 128 --squares fly {SMALL}",
    # Every preset.
    "default": "hmch-brw --sector 64 --preset default",
    "tes2010-full": "hctr --sector 64 --preset tes2010-full",
    "tes2010-encrypt-only": "heh-poly --sector 64 --preset tes2010-encrypt-only",
    "tes2010-sequential": "xcb --sector 64 --preset tes2010-sequential",
    "brw2013-1core": "xts --sector 64 --preset brw2013-1core",
    "brw2013-2core": "eme --sector 64 --preset brw2013-2core",
    "brw2013-hmch-brw-1": "hmch-brw --sector 128 --preset brw2013-hmch-brw-1",
    "brw2013-hmch-brw-2": "hmch-brw --sector 128 --preset brw2013-hmch-brw-2",
    "brw2013-hmch-brw-3": "hmch-brw --sector 128 --preset brw2013-hmch-brw-3",
    "brw2013-heh-brw-1": "heh-brw --sector 128 --preset brw2013-heh-brw-1",
    "brw2013-heh-brw-2": "heh-brw --sector 128 --preset brw2013-heh-brw-2",
    "brw2013-heh-brw-3": "heh-brw --sector 128 --preset brw2013-heh-brw-3",
    "brw2013-hmch-poly": "hmch-poly --sector 64 --preset brw2013-hmch-poly",
    "brw2013-heh-poly": "heh-poly --sector 64 --preset brw2013-heh-poly",
    # Every stream mode.
    "gcm": f"gcm {SHALLOW}",
    "ccm": f"ccm {TINY}",
    "ocb3": f"ocb3 {TINY}",
    "aes-otr": f"aes-otr {TINY}",
    "deoxys-i": f"deoxys-i {ROUND}",
    "deoxys-ii": f"deoxys-ii {ROUND}",
    "gcm-siv": f"gcm-siv --keys derived {TINY}",
    # Shapes of cores for messages.
    "two blocks a cycle": f"gcm {SHALLOW} --blocks-per-cycle 2",
    "held text": f"gcm {TINY} --hold 64",
    "packets on the wire": f"gcm {TINY} --packet wire",
    "packets on the wire, starts that run ahead": f"ocb3 {TINY} --packet wire",
    "channels": f"ccm {SHALLOW} --channels 2",
    "keys inline": f"gcm {SHALLOW} --keys inline --key-slots 4",
    "expanded keys": f"gcm {TINY} --keys expanded",
    "text first": f"deoxys-i {ROUND} --order text-first",
    "stored messages": f"deoxys-ii {ROUND} --message-buffer 256",
    "LWC interface": f"gcm {TINY} --interface lwc",
    # Front ends.
    "registers": f"gcm {TINY} --front registers",
    "clocks": f"xts --sector 64 {SMALL} --clock data=clk_data",
    "registers in another clock": f"xts --sector 64 {SMALL} --front registers --clock registers=clk_host",
    "APB in another clock": f"xts --sector 64 {SMALL} --front registers --register-bus apb --clock registers=clk_host",
    "many slots": f"xts --sector 64 --key-slots 100 {SMALL}",
    "data width": f"xts --sector 64 {SMALL} --data-width 32",
}
"""Arguments of ``modeloom build`` for each core."""


class BuildFailed(Exception):
    """``modeloom build`` has failed, and what it said."""


def build(name: str, folder: Path) -> dict[str, str]:
    """Builds a core; SHA-256 of each of its files.  Raises ``BuildFailed``."""
    command = [sys.executable, "-m", "modeloom.cli", "build", *shlex.split(CORES[name]), "-o", str(folder)]
    # The timing in the page is that of a C++ simulation of the same Verilog: ``verify`` records it again.
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"MODELOOM_TIMING": "0", "PYTHONPATH": path}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise BuildFailed(f"{name}: {done.stderr.strip()}")
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def versions(folder: Path) -> dict[str, str]:
    """Versions of the tools that emitted a core."""
    found = json.loads((folder / "core.json").read_text(encoding="utf-8"))["versions"]
    return {tool: found[tool] for tool in ("yosys", "amaranth")}


def differences(name: str, found: dict[str, str], stored: dict[str, str]) -> list[str]:
    """A line for each file that differs."""
    lines = []
    for file in sorted({*found, *stored}):
        if found.get(file) != stored.get(file):
            what = "is new" if file not in stored else "is not emitted" if file not in found else "differs"
            lines.append(f"{name}: {file} {what}")
    return lines


def main(argv: list[str] | None = None) -> int:
    """Builds, and compares or stores; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("cores", nargs="*", metavar="CORE", help="cores of the list (default: all)")
    parser.add_argument("--store", action="store_true", help="write baselines/emitted.json")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the emitted folders are left")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--list", action="store_true", help="print the cores and their options")
    options = parser.parse_args(argv)
    if options.list:
        print("\n".join(f"{name}: modeloom build {arguments}" for name, arguments in CORES.items()))
        return 0
    names = options.cores or list(CORES)
    if unknown := [name for name in names if name not in CORES]:
        parser.error(f"unknown core {unknown[0]!r}; see --list")
    known = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {"versions": {}, "cores": {}}
    lines: list[str] = []
    with nullcontext(options.keep) if options.keep else tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(options.jobs) as pool:
        folders = {name: Path(place) / name.replace(" ", "_") for name in names}
        found = dict(zip(names, pool.map(build, names, folders.values()), strict=True))
        tools = versions(folders[names[0]])
    if options.store:
        cores = {**known["cores"], **found}
        text = json.dumps({"versions": tools, "cores": {name: cores[name] for name in CORES if name in cores}}, indent=1)
        STORED.write_text(text + "\n", encoding="utf-8")
        return 0
    if tools != known["versions"]:
        print(f"made by {tools}, stored by {known['versions']}: nothing to compare", file=sys.stderr)
        return 2
    for name in names:
        lines += differences(name, found[name], known["cores"].get(name, {}))
    print("\n".join(lines) if lines else f"{len(names)} cores: every file is the same")
    return 1 if lines else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BuildFailed as error:
        sys.exit(f"tools/emitted.py: {error}")
