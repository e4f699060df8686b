# SPDX-License-Identifier: Apache-2.0
"""Child process that runs Yosys commands, one for each argument.  It imports no other module of this package.

The Yosys library keeps its design and log in globals, and only a separate process can be stopped at the time limit.
"""

import sys

from pyosys import libyosys as ys


def main(commands: list[str]) -> None:
    design = ys.Design()
    for command in commands:
        ys.run_pass(command, design)


if __name__ == "__main__":
    main(sys.argv[1:])
