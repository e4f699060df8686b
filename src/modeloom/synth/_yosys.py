# SPDX-License-Identifier: Apache-2.0
"""Child process: runs Yosys commands, one for each argument, with nothing of ours imported.

The Yosys library keeps its design and log in globals, and only a process of its own can be stopped when time runs out.
"""

import sys

from pyosys import libyosys as ys


def main(commands: list[str]) -> None:
    design = ys.Design()
    for command in commands:
        ys.run_pass(command, design)


if __name__ == "__main__":
    main(sys.argv[1:])
