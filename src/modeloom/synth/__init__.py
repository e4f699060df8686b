# SPDX-License-Identifier: Apache-2.0
"""Area, logic depth and clock.  Yosys maps, nextpnr places and routes, and one format holds all results."""

from modeloom.synth.blocks import Known
from modeloom.synth.flow import find_nextpnr, synthesize, synthesize_blocks
from modeloom.synth.result import SCHEMA, BlockResult, Figures, SynthesisError, SynthResult
from modeloom.synth.targets import TARGETS, Target, target_named

__all__ = [
    "SCHEMA", "TARGETS", "BlockResult", "Figures", "Known", "SynthResult", "SynthesisError", "Target", "find_nextpnr", "synthesize",
    "synthesize_blocks", "target_named",
]  # fmt: skip
