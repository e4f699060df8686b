# SPDX-License-Identifier: Apache-2.0
"""Makes front ends of cores: the files beside the core, and what ``core.json`` and the datasheet say of them."""

from modeloom.cores.front.registers import RegisterFrontEnd, front_of

__all__ = ["RegisterFrontEnd", "front_of"]
