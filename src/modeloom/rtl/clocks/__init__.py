# SPDX-License-Identifier: Apache-2.0
"""What carries buses from the clocks of the host to that of a core and back, and the reset into each of them."""

from modeloom.rtl.clocks.crossings import CORE, CrossingParameters, CrossingPath, Crossings, StreamCrossing, crossing_paths

__all__ = ["CORE", "CrossingParameters", "CrossingPath", "Crossings", "StreamCrossing", "crossing_paths"]
