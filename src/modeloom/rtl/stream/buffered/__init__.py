# SPDX-License-Identifier: Apache-2.0
"""Messages to seal that a core with two passes stores, so that a host sends them once: a part in front of the core."""

from modeloom.rtl.stream.buffered.bus import BufferedBus
from modeloom.rtl.stream.buffered.parameters import BufferedParameters

__all__ = ["BufferedBus", "BufferedParameters"]
