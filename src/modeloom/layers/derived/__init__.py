# SPDX-License-Identifier: Apache-2.0
"""Each message has a key that is derived of its nonce and a master key."""

from modeloom.layers.derived.deriver import KeyDerivation, SoftwareDerivation

__all__ = ["KeyDerivation", "SoftwareDerivation"]
