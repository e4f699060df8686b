# SPDX-License-Identifier: Apache-2.0
"""The command line: one file for each subcommand, a thin layer over the Python functions."""

from __future__ import annotations

import sys

import click

from modeloom.cli.build import build
from modeloom.cli.crypt import crypt
from modeloom.cli.explain import explain
from modeloom.cli.list import list_modes
from modeloom.cli.model import model
from modeloom.cli.synth import synth
from modeloom.cli.verify import verify
from modeloom.ir.check import CheckError
from modeloom.prove import ProofError
from modeloom.sim import BuildError
from modeloom.simulated import SectorError
from modeloom.spec import InputError
from modeloom.verification import CheckFailed
from modeloom.version import VERSION

__all__ = ["main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(VERSION, prog_name="modeloom")
def cli() -> None:
    """Compiles block-cipher modes to hardware."""


for command in (list_modes, explain, build, crypt, model, verify, synth):
    cli.add_command(command)


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line: exit status 0 done, 1 a check failed, 2 wrong usage or input."""
    try:
        status = cli.main(arguments, prog_name="modeloom", standalone_mode=False)
    except click.exceptions.Abort:
        print("modeloom: interrupted", file=sys.stderr)
        sys.exit(130)
    except click.UsageError as error:
        where = f" (see modeloom {error.ctx.info_name} --help)" if error.ctx and error.ctx.parent else " (see modeloom --help)"
        print(f"modeloom: {error.format_message()}{where}".replace("\n", " "), file=sys.stderr)
        sys.exit(2)
    except (InputError, BuildError) as error:
        print(f"modeloom: {error}".replace("\n", " "), file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"modeloom: {error.strerror}: {error.filename}", file=sys.stderr)
        sys.exit(2)
    except (ProofError, CheckError, SectorError, CheckFailed) as error:
        print(f"modeloom: {error}".replace("\n", " "), file=sys.stderr)
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)

