# SPDX-License-Identifier: Apache-2.0
"""Child process that translates an RTLIL file into CXXRTL source.  It imports no other module of this package.

Usage: ``_yosys.py RTLIL TOP OUTPUT.cc``. The Yosys library keeps its design and log in globals, so each translation runs in its own
process.
"""

import sys

from pyosys import libyosys as ys


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
    # -g2 is the lowest level that shows every port: -g1 leaves the inputs out.
    ys.run_pass(f"write_cxxrtl -noproc -g2 -header {output}", design)


if __name__ == "__main__":
    main(*sys.argv[1:])
