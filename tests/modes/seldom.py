# SPDX-License-Identifier: Apache-2.0
"""Modes of the tests' own that need one core of the cipher for each block, and the other twice in one direction.

They are no wide-block modes; all but the first block have the key stream of a counter.
"""

from __future__ import annotations

from modeloom.spec import Keys, Mode


class TwoDecryptions(Mode):
    """C_1 = D(D(P_1) xor T), and P_i xor E(T + i) for the others."""

    name = "test-two-decryptions"
    title = source = security = "a test"
    wide = False
    min_bytes = 32

    def setup(self, o, key):
        return Keys()

    def sector(self, o, t, x, first, stream):
        return [first(first(x[0]) ^ t[0]), *(b ^ stream(o.add128(t[0], i)) for i, b in enumerate(x[1:], 1))]

    def encrypt(self, o, k, t, p):
        return self.sector(o, t, p, o.dec, o.enc)

    def decrypt(self, o, k, t, c):
        return self.sector(o, t, c, o.enc, o.enc)


class TwoEncryptions(TwoDecryptions):
    """The same with the cores exchanged."""

    name = "test-two-encryptions"

    def encrypt(self, o, k, t, p):
        return self.sector(o, t, p, o.enc, o.dec)

    def decrypt(self, o, k, t, c):
        return self.sector(o, t, c, o.dec, o.dec)
