# SPDX-License-Identifier: Apache-2.0
"""HEH: hash, ECB, hash.  Sarkar, IEEE Trans. IT 55(10), 2009; brw2013, Fig. 9."""

from modeloom.modes.brw import brw, permutation
from modeloom.spec import CIPHER, Keys, Mode


class HEH(Mode):
    """HEH[BRW]: psi_h = h * BRW_h, blocks in their natural order (brw2013, Fig. 9)."""

    name = "heh-brw"
    title = "HEH[BRW]"
    source = "Sarkar: Efficient tweakable enciphering schemes, IEEE Trans. IT 55(10), 2009; brw2013, Fig. 9"
    security = "strong tweakable PRP up to about sigma^2/2^128 (birthday bound); no attack known"
    key_parts = (CIPHER, "h")
    min_bytes = 32

    def setup(self, o, key):
        return Keys(h=key.h)

    def order(self, m):
        """The order in which psi takes its m blocks."""
        return range(m)

    def psi(self, o, k, x):
        return o.mul(brw(o, k.h, [x[i] for i in self.order(len(x))]), k.h)

    def encrypt(self, o, k, t, p):
        b1 = o.enc(t[0])
        b2 = o.double(b1)
        u = p[-1] ^ self.psi(o, k, p[:-1])
        v = o.enc(u ^ b1) ^ b2
        c = [o.enc(x ^ u ^ o.double(b1, i)) ^ o.double(b2, i) ^ v for i, x in enumerate(p[:-1], 1)]
        return [*c, v ^ self.psi(o, k, c)]

    def decrypt(self, o, k, t, c):
        b1 = o.enc(t[0])
        b2 = o.double(b1)
        u = c[-1] ^ self.psi(o, k, c[:-1])
        v = o.dec(u ^ b2) ^ b1
        p = [o.dec(x ^ u ^ o.double(b2, i)) ^ o.double(b1, i) ^ v for i, x in enumerate(c[:-1], 1)]
        return [*p, v ^ self.psi(o, k, p)]


class HEHPermuted(HEH):
    """HEH[BRW] with the blocks of psi in the order pi of brw2013, section 4.2: another cipher, named apart."""

    name = "heh-brw-pi"
    title = "HEH[BRW], permuted"

    def order(self, m):
        return permutation(m)


class HEHPoly(HEH):
    """HEH[Poly]: psi_h = h * Poly_h (brw2013, section 4.5)."""

    name = "heh-poly"
    title = "HEH[Poly]"

    def psi(self, o, k, x):
        return o.poly(k.h, x)
