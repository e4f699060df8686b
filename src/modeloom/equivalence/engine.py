# SPDX-License-Identifier: Apache-2.0
"""The requirements of the execution on symbols: the compiled mode whose program the engine runs, and the components of the units.

Cores for sectors meet them.  Cores of other kinds are proved in other ways.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from modeloom.compiler.compile import Compiled
from modeloom.rtl.engine.unit import UnitCore
from modeloom.spec.kinds import Kind, UnitKind

__all__ = ["EngineCore"]


class EngineCore(Protocol):
    """A core whose engine runs the program of a compiled mode."""

    @property
    def compiled(self) -> Compiled:
        """The mode, after the proof."""

    @property
    def erase_cycles(self) -> int:
        """Number of cycles of a reset."""

    @property
    def key_erase_cycles(self) -> int:
        """Number of cycles after which nothing is left of an erased key."""

    def components(self, kind: UnitKind, operations: Sequence[Kind]) -> Mapping[str, UnitCore]:
        """The components of a unit for some operations, by their names in Verilog.  Each call makes new ones."""
