# SPDX-License-Identifier: Apache-2.0
"""Makes front ends of cores: the files beside the core, and what ``core.json`` and the datasheet say of them."""

from modeloom.cores.front.clocks import ClockOptions, chosen_clocks, clock_options
from modeloom.cores.front.registers import RegisterFrontEnd, front_of

__all__ = ["ClockOptions", "RegisterFrontEnd", "chosen_clocks", "clock_options", "front_of"]
