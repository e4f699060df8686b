# SPDX-License-Identifier: Apache-2.0
"""Proves that an emitted core computes its mode: its Verilog is executed on symbols and compared with the lowered graph."""

from modeloom.equivalence.forever import Recurrence, forever
from modeloom.equivalence.proof import EquivalenceReport, prove_engine

__all__ = ["EquivalenceReport", "Recurrence", "forever", "prove_engine"]
