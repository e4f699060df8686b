# SPDX-License-Identifier: Apache-2.0
"""Area, logic depth and clock: Yosys maps, nextpnr places and routes, one result format holds the figures."""

from modeloom.synth.flow import synthesize
from modeloom.synth.result import SCHEMA, Figures, SynthesisError, SynthResult
from modeloom.synth.targets import TARGETS, Target, target_named

__all__ = ["SCHEMA", "TARGETS", "Figures", "SynthResult", "SynthesisError", "Target", "synthesize", "target_named"]
