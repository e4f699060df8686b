# SPDX-License-Identifier: Apache-2.0
"""A cipher whose software is not what its hardware is."""

from tests.generality import quad256
from tests.generality.quad256 import Quad256

__all__ = ["OtherConstant"]


class OtherConstant(Quad256):
    """One round constant differs from that of the hardware."""

    def __init__(self, key: bytes):
        super().__init__(key)
        for r in range(12, quad256.ROUNDS):
            last = quad256.mix(quad256.substitute(self.round_keys[r]))
            self.round_keys[r + 1] = last ^ (r + 1) ^ (r == 12)
