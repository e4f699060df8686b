# SPDX-License-Identifier: Apache-2.0
"""The hardware of front ends: registers behind AXI4-Lite or APB, from which keys go to a core and which count what it does."""

from modeloom.rtl.front.front import FrontParameters, RegisterFront
from modeloom.rtl.front.registers import STATUS_PLACES

__all__ = ["STATUS_PLACES", "FrontParameters", "RegisterFront"]
