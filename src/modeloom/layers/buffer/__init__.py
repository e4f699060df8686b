# SPDX-License-Identifier: Apache-2.0
"""Messages to seal that a core with two passes stores, so that a host sends them once."""

from modeloom.layers.buffer.buffer import MessageStore

__all__ = ["MessageStore"]
