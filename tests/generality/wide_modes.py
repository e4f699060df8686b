# SPDX-License-Identifier: Apache-2.0
"""Modes on blocks of 256 bits, over Quad256 and a field of their own, as a user would write them: ``wide_modes.py:WideHEH``."""

from tests.generality.quad256 import QUAD256

from modeloom.modes.hctr2 import HCTR2
from modeloom.spec import CIPHER, Field, Keys, Mode

ORDER_256 = Field("order-256", 256, (1 << 256) | (1 << 10) | (1 << 5) | (1 << 2) | 1)
"""GF(2^256): x^256 + x^10 + x^5 + x^2 + 1, coefficient i is bit i."""


class WideHEH(Mode):
    """Hash, ECB, hash: HEH[Poly] with a tweak that is hashed with h^6 and blinded with a key value of its own.

    With squares on the fly h^6 is the square of a key word, for which set-up has a square to make: h^3 = h^2 h.
    """

    name = "wide-heh"
    title = "HEH on 256-bit blocks"
    source = "for tests, after brw2013, Fig. 9"
    security = "for tests: nobody has analysed it"
    field = ORDER_256
    block_bytes = 32
    cipher = QUAD256
    key_parts = (CIPHER, "h")
    tweak_sizes = (32,)
    min_bytes = 64

    def setup(self, o, key):
        return Keys(h=key.h, h6=o.power(key.h, 6), s=o.enc(o.const(1)))

    def layers(self, o, k, x, b1, b2, cipher):
        u = x[-1] ^ o.poly(k.h, x[:-1])
        v = cipher(u ^ b1) ^ b2
        y = [cipher(a ^ u ^ o.double(b1, i)) ^ o.double(b2, i) ^ v for i, a in enumerate(x[:-1], 1)]
        return [*y, v ^ o.poly(k.h, y)]

    def encrypt(self, o, k, t, p):
        b = o.enc(o.mul(t[0], k.h6) ^ k.s)
        return self.layers(o, k, p, b, o.double(b), o.enc)

    def decrypt(self, o, k, t, c):
        b = o.enc(o.mul(t[0], k.h6) ^ k.s)
        return self.layers(o, k, c, o.double(b), b, o.dec)


class WideHCTR(HCTR2):
    """The definition of HCTR2 as it stands, on 256-bit blocks: partial blocks, and one inverse of the cipher a sector."""

    name = "wide-hctr"
    title = "HCTR2 on 256-bit blocks"
    source = "for tests, after eprint 2021/1441"
    security = "for tests: nobody has analysed it"
    field = ORDER_256
    block_bytes = 32
    cipher = QUAD256
    tweak_sizes = (32,)
