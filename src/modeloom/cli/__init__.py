# SPDX-License-Identifier: Apache-2.0
"""The command line: one file for each subcommand, as a thin layer over the Python functions.

Commands import their modules when they run, so ``modeloom list`` does not wait for the simulator.
"""

from __future__ import annotations

import os
import sys

import click

from modeloom.cli.build import build
from modeloom.cli.data import crypt, model, open_file, seal_file
from modeloom.cli.figures import aead, circuit, datasheet, papers, synth, traffic
from modeloom.cli.generator import generator
from modeloom.cli.list import explain, list_modes, vectors, verify
from modeloom.cli.sweeps import choose, compare, explore, sweep
from modeloom.spec import InputError, UnknownName
from modeloom.spec.errors import FailedCheck, MissingTool
from modeloom.version import VERSION

__all__ = ["cli", "main", "usage_text"]


class Commands(click.Group):
    """A command group that suggests the nearest command."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """See click.  Raises ``UnknownName``."""
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            raise UnknownName("command", args[0], self.commands)
        return super().resolve_command(ctx, args)


@click.group(
    cls=Commands,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)
@click.version_option(VERSION, prog_name="modeloom")
def cli() -> None:
    """Compile block-cipher modes to hardware."""


for command in (
    list_modes, explain, build, generator, crypt, model, seal_file, open_file, traffic, verify, vectors, synth, datasheet, circuit,
    papers, aead, sweep, compare, choose, explore,
):  # fmt: skip
    cli.add_command(command)


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line.  Exit status: 0 success, 1 a check failed, 2 wrong usage or input.  An error is one line."""
    arguments = sys.argv[1:] if arguments is None else arguments
    status = 0
    try:
        # ``list`` is a file of this folder.
        with cli.make_context("modeloom", [*arguments], obj=arguments) as context:
            cli.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        status = stop.exit_code
    except (KeyboardInterrupt, click.exceptions.Abort):
        _stop("interrupted", 130)
    except click.UsageError as error:
        command = f" {error.ctx.info_name}" if error.ctx and error.ctx.parent else ""
        _stop(f"{usage_text(error)} (see modeloom{command} --help)", 2)
    except (click.ClickException, InputError) as error:
        _stop(error.format_message() if isinstance(error, click.ClickException) else str(error), 2)
    except BrokenPipeError:
        # The reader has closed the pipe.  Without this, the interpreter would report another error when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except OSError as error:
        _stop(f"{error.strerror or error}" + (f": {error.filename}" if error.filename else ""), 2)
    except FailedCheck as error:
        _stop(str(error), 1)
    except MissingTool as error:
        _stop(str(error), 2)
    sys.exit(status)


def usage_text(error: click.UsageError) -> str:
    """The error message, in words that do not depend on the version of click."""
    if isinstance(error, click.NoSuchOption) and error.ctx:
        return str(UnknownName("option", error.option_name, [name for p in error.ctx.command.get_params(error.ctx) for name in p.opts]))
    if isinstance(error, click.MissingParameter) and error.param:
        name = error.param.human_readable_name.upper() if isinstance(error.param, click.Argument) else _long(error.param)
        return f"{name} is missing"
    if isinstance(error, click.BadParameter) and error.param:
        # click names the types of Python and of its own.
        told = error.message.removesuffix(".").replace("valid integer range", "valid integer").replace("valid float", "valid number")
        return f"{_long(error.param)}: {told}"
    return error.format_message().removesuffix(".")


def _long(option: click.Parameter) -> str:
    """The long name of an option, or the newest one if it has several."""
    return next((name for name in option.opts if name.startswith("--")), option.opts[-1])


def _stop(message: str, status: int) -> None:
    print("modeloom: " + " ".join(message.split()), file=sys.stderr)
    sys.exit(status)
