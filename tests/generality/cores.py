# SPDX-License-Identifier: Apache-2.0
"""The wide modes compiled, emitted and in simulation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests import built

from modeloom.compiler.compile import Compiled
from modeloom.product.simulated import SimulatedCore

MODES = Path(__file__).with_name("wide_modes.py")
OPTIMIZE = 0
"""Of the C++ compiler: these cores simulate a few hundred cycles, so that building them is nearly all of the time."""

RESTARTS = 20
"""A short search is enough."""


def compiled(name: str, **options: Any) -> Compiled:
    """A wide mode, named by its class, compiled and proved."""
    return built.compiled(f"{MODES}:{name}", restarts=RESTARTS, **options)


def folder(name: str, **options: Any) -> Path:
    """The folder of its emitted core."""
    return built.folder(f"{MODES}:{name}", restarts=RESTARTS, **options)


def simulated(name: str, **options: Any) -> SimulatedCore:
    """Its simulation, fresh out of reset."""
    return SimulatedCore(folder(name, **options), optimize=OPTIMIZE)
