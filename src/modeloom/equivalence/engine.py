# SPDX-License-Identifier: Apache-2.0
"""What the execution on symbols has to know of a core: the compiled mode whose program its engine runs, and the components of its units.

Cores for sectors have that; a core of another kind is proved in another way.
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
        """The mode; proved."""

    @property
    def erase_cycles(self) -> int:
        """Cycles that a reset takes."""

    @property
    def key_erase_cycles(self) -> int:
        """Cycles after which nothing is left of a key that is erased."""

    def components(self, kind: UnitKind, operations: Sequence[Kind]) -> Mapping[str, UnitCore]:
        """The components of a unit for some operations, new at each call, by their names in Verilog."""
