# SPDX-License-Identifier: Apache-2.0
"""HMCH: hash, masked counter, hash.  Sarkar, IEEE Trans. IT 55(10), 2009; brw2013, Fig. 10."""

from modeloom.modes.brw import brw
from modeloom.spec import CIPHER, Keys, Mode


class HMCH(Mode):
    """HMCH[BRW]: psi_h = h * BRW_h, blocks in their natural order (brw2013, Fig. 10).

    As printed, E takes M_1 without the tweak's mask.  Two encryptions of one sector under tweaks T and T' then have the same U_1, and
    C_1 xor C_1' = psi_h(C_2 ... C_m) xor psi_h(C_2' ... C_m'): a polynomial equation for h (for two blocks, h itself).  S suggests that
    U_1 = E(M_1 xor b1) xor b2 was meant, since it is then the XOR of the cipher's input and output; the printed form is the one that the
    paper's cycles and areas belong to.
    """

    name = "hmch-brw"
    title = "HMCH[BRW]"
    source = "Sarkar: Efficient tweakable enciphering schemes, IEEE Trans. IT 55(10), 2009; brw2013, Fig. 10"
    security = (
        "in the form of brw2013, Fig. 10, which is built here, the tweak does not reach M_1 and U_1, so one sector "
        "under two tweaks gives an equation in h; for comparison with the paper only"
    )
    broken = True
    key_parts = (CIPHER, "h")
    # A sector of one block would not depend on its tweak at all.
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
