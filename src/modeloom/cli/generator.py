# SPDX-License-Identifier: Apache-2.0
"""``modeloom generator``: writes a library for FuseSoC, with which a ``.core`` file asks for a core by its options."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from modeloom.cli import fusesoc_generator
from modeloom.spec import InputError
from modeloom.version import VERSION

__all__ = ["SCHEMA", "generator"]

SCHEMA = "modeloom-generator-1"

SCRIPT = "modeloom_generator.py"

CORE = f"""\
CAPI=2:
# SPDX-License-Identifier: Apache-2.0
name: modeloom:modeloom:generator:{VERSION}
description: Cores of modeloom by their options

generators:
  modeloom:
    interpreter: python3
    command: {SCRIPT}
    cache_type: input
    description: Compiles a block-cipher mode to a core
    usage: |
      The parameters are the options of "modeloom build", with _ or - between their words: mode: xts, sector: 512, key_bits: 256.
      The parameter mode is needed: the name of a mode, or FILE.py:CLASS beside the file that asks for the core. The parameter name is
      the name of the module. A list such as [512, 4096] is written with commas. true is an option without a value.
      FuseSoC keeps what was generated until the parameters or the version of modeloom change: "fusesoc gen clean" removes it.
"""


@click.command()
@click.argument("directory", metavar="DIR")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def generator(directory: str, as_json: bool) -> None:
    """Write a FuseSoC library with a generator into DIR. A .core file can then request a core by its options.

    Register it with: fusesoc library add modeloom DIR
    """
    if not directory:
        raise InputError("DIR is empty; give a folder for the library")
    # The version makes FuseSoC call the script again when there is another one.
    source = Path(fusesoc_generator.__file__).read_text(encoding="utf-8")
    files = {"modeloom_generator.core": CORE, SCRIPT: f"{source}\n# For modeloom {VERSION}.\n"}
    target = Path(directory)
    if target.is_dir() and (others := sorted({entry.name for entry in target.iterdir()}.difference(files))):
        raise InputError(f"{directory} has other files ({others[0]}); choose another folder")
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (target / name).write_text(text, encoding="utf-8")
        os.chmod(target / SCRIPT, 0o755)
    except OSError as error:
        raise InputError(f"{directory} cannot be written: {error.strerror or error}") from None
    if as_json:
        click.echo(json.dumps({"schema": SCHEMA, "directory": directory, "files": list(files)}, indent=2))
        return
    click.echo(f"{directory}: make it known with: fusesoc library add modeloom {directory}")
