# SPDX-License-Identifier: Apache-2.0
"""``modeloom verify``: proves, lints and tests an emitted core again."""

from __future__ import annotations

import click

from modeloom.cli.options import optimize_option

__all__ = ["verify"]


@click.command()
@click.argument("directory")
@click.option("--sectors", type=click.IntRange(min=1), default=200, help="Random sectors against the reference (200).")
@click.option("--seed", type=int, default=1, help="Seed of the random data, gaps and back-pressure (1).")
@optimize_option
def verify(directory: str, sectors: int, seed: int, optimize: int) -> None:
    """Checks the core in DIRECTORY: the proof, lint, timing channels, published vectors that fit, random sectors, the plain bench."""
    from modeloom.verification import verify_core

    for line in verify_core(directory, sectors=sectors, seed=seed, optimize=optimize):
        click.echo(line)
