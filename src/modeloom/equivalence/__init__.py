# SPDX-License-Identifier: Apache-2.0
"""Proves that an emitted core computes its mode.  It executes the Verilog on symbols and compares the result with the lowered graph."""

from modeloom.equivalence.proof import EquivalenceReport, Recurrence, forever, prove_engine

__all__ = ["EquivalenceReport", "Recurrence", "forever", "prove_engine"]
