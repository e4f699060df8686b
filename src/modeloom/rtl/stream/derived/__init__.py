# SPDX-License-Identifier: Apache-2.0
"""Keys of messages that the core derives of master keys: a part in front of the message control, whose keys come with messages."""

from modeloom.rtl.stream.derived.bus import DerivedBus
from modeloom.rtl.stream.derived.parameters import DerivedParameters

__all__ = ["DerivedBus", "DerivedParameters"]
