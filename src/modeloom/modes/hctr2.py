# SPDX-License-Identifier: Apache-2.0
"""HCTR2: hash, counter mode, hash.  Crowley, Huckleberry, Biggers, eprint 2021/1441."""

from modeloom.spec import POLYVAL_ORDER, Keys, Mode


class HCTR2(Mode):
    """HCTR2 with POLYVAL and XCTR (eprint 2021/1441, section 2)."""

    name = "hctr2"
    title = "HCTR2"
    source = "Crowley, Huckleberry, Biggers: Length-preserving encryption with HCTR2, eprint 2021/1441"
    security = "strong tweakable PRP up to about sigma^2/2^128 (birthday bound); no attack known"
    field = POLYVAL_ORDER
    tweak_sizes = (16, 32)
    any_tweak = True
    partial = True

    def setup(self, o, key):
        return Keys(h=o.enc(o.const(0)), L=o.enc(o.const(1)))

    def hash(self, o, k, t, n):
        """H: the bit length of the tweak, whether the message is whole, the tweak, the message."""
        length = o.const(16 * t.nbytes + (2 if n.whole else 3))
        padded = [*n[:-1], o.pad(n[-1], n.tail, 0x01)] if n else []
        return o.poly(k.h, [length, *t, *padded])

    def xctr(self, o, s, n):
        """N xor the key stream E(S xor i), i = 1, 2, ... little-endian."""
        stream = [o.enc(s ^ o.const(i)) for i in range(1, len(n) + 1)]
        return n.like(x ^ o.head(e, len_i) for x, e, len_i in zip(n, stream, n.lengths))

    def encrypt(self, o, k, t, p):
        m, n = p[0], p[1:]
        mm = m ^ self.hash(o, k, t, n)
        uu = o.enc(mm)
        v = self.xctr(o, mm ^ uu ^ k.L, n)
        return [uu ^ self.hash(o, k, t, v), *v]

    def decrypt(self, o, k, t, c):
        u, v = c[0], c[1:]
        uu = u ^ self.hash(o, k, t, v)
        mm = o.dec(uu)
        n = self.xctr(o, mm ^ uu ^ k.L, v)
        return [mm ^ self.hash(o, k, t, n), *n]
