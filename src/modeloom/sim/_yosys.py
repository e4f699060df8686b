# SPDX-License-Identifier: Apache-2.0
"""Child process that translates an RTLIL file into CXXRTL source.  It imports no other module of this package.

Usage: ``_yosys.py RTLIL TOP OUTPUT.cc``. The Yosys library keeps its design and log in globals, so each translation runs in its own
process.
"""

import re
import sys
from pathlib import Path

from pyosys import libyosys as ys

_FEEDBACK = re.compile(r"feedback arcs through wires:\n((?:  .+\n)+)")


def main(rtlil: str, top: str, output: str) -> None:
    design = ys.Design()
    ys.run_pass(f"read_rtlil {rtlil}", design)
    ys.run_pass(f"hierarchy -check -top {top}", design)
    # Without opt_expr (-noopt, -noproc), which would split masks into single bits; in one piece and with private wires the
    # code is half as long, and each cycle is evaluated once.
    ys.run_pass("proc -noopt", design)
    ys.run_pass("flatten", design)
    ys.run_pass("select w:* i:* %d o:* %d", design)
    ys.run_pass("rename -hide", design)
    ys.run_pass("select -clear", design)
    ys.run_pass("opt_clean", design)
    # A bus whose parts are driven apart may look like a loop through itself, and then each cycle is evaluated several times.
    # Ports cannot be split.
    split: set[str] = set()
    while True:
        # -g2 is the lowest level that shows every port: -g1 leaves the inputs out.
        ys.run_pass(f"tee -q -o {output}.log write_cxxrtl -noproc -g2 -header {output}", design)
        found = _FEEDBACK.search(Path(f"{output}.log").read_text(encoding="utf-8"))
        wires = set(found[1].split()) - split if found else set()
        if not wires:
            break
        for wire in sorted(wires):
            ys.run_pass(f"splitnets -driver w:{wire}", design)
        split |= wires


if __name__ == "__main__":
    main(*sys.argv[1:])
