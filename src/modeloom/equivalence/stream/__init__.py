# SPDX-License-Identifier: Apache-2.0
"""Proves that an emitted core for messages computes its plan.  It executes the Verilog on symbols."""

from modeloom.equivalence.stream.proof import MessageReport, prove_messages

__all__ = ["MessageReport", "prove_messages"]
