# SPDX-License-Identifier: Apache-2.0
"""HMCH: hash, masked counter, hash.  Sarkar, IEEE Trans. IT 55(10), 2009; brw2013, Fig. 10."""

from modeloom.modes.brw import brw
from modeloom.spec import CIPHER, Keys, Mode


class HMCH(Mode):
    """HMCH[BRW]: psi_h = h * BRW_h, blocks in their natural order (brw2013, Fig. 10)."""

    name = "hmch-brw"
    title = "HMCH[BRW]"
    source = "Sarkar: Efficient tweakable enciphering schemes, IEEE Trans. IT 55(10), 2009; brw2013, Fig. 10"
    security = "strong tweakable PRP up to about sigma^2/2^128 (birthday bound); no attack known"
    key_parts = (CIPHER, "h")
    min_bytes = 32

    def setup(self, o, key):
        return Keys(h=key.h)

    def psi(self, o, k, x):
        return o.mul(brw(o, k.h, x), k.h)

    def counter(self, o, b1, s, x):
        """X_i xor the key stream E(x^(i-2) b1 xor S), i = 2, 3, ..."""
        return [block ^ o.enc(o.double(b1, i) ^ s) for i, block in enumerate(x)]

    def encrypt(self, o, k, t, p):
        b1 = o.enc(t[0])
        m1 = p[0] ^ self.psi(o, k, p[1:])
        u1 = o.enc(m1)
        c = self.counter(o, b1, m1 ^ u1 ^ b1 ^ o.double(b1), p[1:])
        return [u1 ^ self.psi(o, k, c), *c]

    def decrypt(self, o, k, t, c):
        b1 = o.enc(t[0])
        u1 = c[0] ^ self.psi(o, k, c[1:])
        m1 = o.dec(u1)
        p = self.counter(o, b1, m1 ^ u1 ^ b1 ^ o.double(b1), c[1:])
        return [m1 ^ self.psi(o, k, p), *p]


class HMCHPoly(HMCH):
    """HMCH[Poly]: psi_h = h * Poly_h (brw2013, section 4.5)."""

    name = "hmch-poly"
    title = "HMCH[Poly]"

    def psi(self, o, k, x):
        return o.poly(k.h, x)
