# SPDX-License-Identifier: Apache-2.0
"""The command line of benches that measure named cores, one row each, and keep the rows in a JSON file."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

__all__ = ["measure_rows"]

Row = dict[str, Any]


def _store(path: Path, cores: Collection[str], row: Row) -> None:
    """Puts a row among those that are stored, in the order of the cores."""
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    every = {each["core"]: each for each in [*known, row]}
    kept = [every[name] for name in cores if name in every]
    path.write_text("[\n" + ",\n".join(f" {json.dumps(each)}" for each in kept) + "\n]\n", encoding="utf-8")


def measure_rows(about: str | None, path: Path, cores: Collection[str], measured: Callable[[str], Row]) -> None:
    """Measures every core that is asked for, and prints its row.

    Parameters
    ----------
    about : str or None
        The text of ``--help``.
    path : Path
        Where ``--store`` puts the rows.
    cores : collection of str
        The names of all cores in their order.
    measured : callable
        The row of a core, whose ``core`` is its name.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--core", default=",".join(cores), help=f"some of {', '.join(cores)} (default: all)")
    parser.add_argument("--store", action="store_true", help=f"write the rows into {path.parent.name}/{path.name}")
    arguments = parser.parse_args()
    for name in arguments.core.split(","):
        if name not in cores:
            parser.error(f"unknown core {name!r}; choose some of {', '.join(cores)}")
        row = measured(name)
        print(json.dumps(row), flush=True)
        if arguments.store:
            _store(path, cores, row)
