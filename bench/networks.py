# SPDX-License-Identifier: Apache-2.0
"""Sources of operand networks and read ports, as schedules have them and after the search for fewer.

Run: python bench/networks.py [MODE ...] [--sector BYTES] [--cores N] [--effort 0,100,400]

One JSON object a line: ``sources`` of all networks, the number ``least`` that no placement undercuts, ``bank_ports`` of all banks,
``key_ports`` of the key memory, and ``seconds`` of processor time to compile.  The command behind a line is
``modeloom explain MODE --sector BYTES --cipher-cores N --wire-effort EFFORT --json``.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from modeloom.compiler.compile import compile_mode
from modeloom.modes import find
from modeloom.options.sectors import Options

MODES = ("hctr2", "xcb-1619", "heh-brw", "heh-poly", "hch", "tet", "eme", "eme2")


def measure(mode: str, sector: int, cores: int, effort: int) -> dict[str, Any]:
    """The figures of one core."""
    begin = time.process_time()
    compiled = compile_mode(find(mode), Options(sector=sector, cipher_cores=cores, wire_effort=effort))
    return {
        "mode": mode, "sector": sector, "cipher_cores": cores, "wire_effort": effort, "ii": compiled.schedule.ii,
        "latency": compiled.schedule.latency, "proved": compiled.proved, **compiled.networks(),
        "seconds": round(time.process_time() - begin, 1),
    }  # fmt: skip


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modes", nargs="*", default=MODES, metavar="MODE")
    parser.add_argument("--sector", type=int, default=512)
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--effort", default="0,100,400")
    given = parser.parse_args()
    for mode in given.modes:
        for effort in map(int, given.effort.split(",")):
            print(json.dumps(measure(mode, given.sector, given.cores, effort)), flush=True)


if __name__ == "__main__":
    main()
