#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The generator of cores for FuseSoC: it reads what a ``.core`` file asks for, and calls ``modeloom build``.

``modeloom generator FOLDER`` copies this file.  It runs with the Python that FuseSoC finds, in which modeloom may not be installed.

::

    generate:                                  modeloom build xts --sector 512 --key-bits 256 --name disk -o core
      disk:
        generator: modeloom             ──▶
        parameters: {mode: xts, sector: 512, key_bits: 256, name: disk}
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping

FOLDER = "core"
"""Where the core is written, in the folder that FuseSoC has made."""

NOT_FOR_CORES = ("output", "o", "json", "lwc-vectors")
"""Options of ``modeloom build`` that the generator does not pass on."""


class Refused(Exception):
    """The parameters ask for something that cannot be.  The message is one line."""


def arguments(parameters: Mapping[str, object], root: str) -> list[str]:
    """The arguments of ``modeloom build`` for the parameters of a ``.core`` file in the folder ``root``.

    A name is that of an option, with ``_`` or ``-`` between its words.  A list is written with commas.  true is an option without a
    value, and false the one that turns it off.  Raises ``Refused``.
    """
    given = {name.replace("_", "-"): value for name, value in parameters.items()}
    mode = given.pop("mode", None)
    if not isinstance(mode, str):
        raise Refused("the parameter mode is missing: the name of a mode, or FILE.py:CLASS")
    file, mark, name = mode.rpartition(":")
    found = [f"{os.path.join(root, file)}{mark}{name}" if mark else mode]
    for option, value in given.items():
        if option in NOT_FOR_CORES:
            raise Refused(f"the parameter {option} is not for FuseSoC; leave it out")
        if value is True or value is False:
            found.append(f"--{option if value else 'no-' + option}")
        elif isinstance(value, list):
            found += [f"--{option}", ",".join(map(str, value))]
        else:
            found += [f"--{option}", str(value)]
    return found


def command() -> list[str]:
    """The command line of modeloom: of this Python, or the one on the path.  Raises ``Refused``."""
    if importlib.util.find_spec("modeloom") is not None:
        return [sys.executable, "-m", "modeloom.cli"]
    found = shutil.which("modeloom")
    if found is None:
        raise Refused("modeloom is not installed for this Python and not on the path; install it with: pip install modeloom")
    return [found]


def read(path: str) -> list[str]:
    """The arguments of ``modeloom build`` for what FuseSoC asks for.  Raises ``Refused``."""
    if importlib.util.find_spec("yaml") is None:
        raise Refused("PyYAML is not installed for this Python; install it with: pip install pyyaml")
    import yaml

    with open(path, encoding="utf-8") as file:
        asked = yaml.safe_load(file)
    if not isinstance(asked, dict):
        raise Refused(f"{path} is not what FuseSoC gives to generators")
    return arguments(asked.get("parameters") or {}, asked.get("files_root", "."))


def main(given: list[str]) -> int:
    """Builds the core; the exit status."""
    try:
        if len(given) != 1:
            raise Refused("FuseSoC calls this with one file")
        words = read(given[0])
        return subprocess.run([*command(), "build", *words, "-o", FOLDER], check=False).returncode
    except Refused as error:
        print(f"modeloom: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
