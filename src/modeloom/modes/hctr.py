# SPDX-License-Identifier: Apache-2.0
"""HCTR: hash, counter mode, hash.  Wang, Feng, Wu, CISC 2005; tes2010, Fig. 2."""

from modeloom.modes.words import big_endian, down, up
from modeloom.spec import CIPHER, Blocks, Keys, Mode


class HCTR(Mode):
    """HCTR (tes2010, Fig. 2 and (1)): the hash takes the rest of the message, the tweak behind it, and their bit length."""

    name = "hctr"
    title = "HCTR"
    source = "Wang, Feng, Wu: HCTR, CISC 2005; tes2010, Fig. 2"
    security = (
        "strong tweakable PRP up to about sigma^2/2^128 (birthday bound; Chakraborty, Nandi, FSE 2008); no attack known"
    )
    key_parts = (CIPHER, "h")
    tweak_sizes = (16, 32)
    any_tweak = True
    partial = True

    def setup(self, o, key):
        return Keys(h=key.h)

    def hash(self, o, k, t, n):
        """H_h(N || T)."""
        nbytes = n.nbytes + t.nbytes
        return o.poly(k.h, [*self.joined(o, n, t), big_endian(o, 8 * nbytes)])

    def joined(self, o, n, t):
        """The blocks of N || T, zeros behind them: where N ends with n bytes of a block, those of T move up by n bytes."""
        if n.whole:
            return [*n, *t]
        blocks, size = [*n], n.block_bytes
        for block, length in zip(t, t.lengths):
            blocks[-1] = blocks[-1] ^ up(o, block, n.tail)
            if n.tail + length > size:
                blocks.append(down(o, block, size - n.tail))
        return blocks

    def counter(self, o, s, n: Blocks):
        """N xor the key stream E(S xor i), i = 1, 2, ... big-endian."""
        stream = [o.enc(s ^ big_endian(o, i)) for i in range(1, len(n) + 1)]
        return n.like(x ^ o.head(e, length) for x, e, length in zip(n, stream, n.lengths))

    def encrypt(self, o, k, t, p):
        mm = p[0] ^ self.hash(o, k, t, p[1:])
        cc = o.enc(mm)
        c = self.counter(o, mm ^ cc, p[1:])
        return [cc ^ self.hash(o, k, t, c), *c]

    def decrypt(self, o, k, t, c):
        cc = c[0] ^ self.hash(o, k, t, c[1:])
        mm = o.dec(cc)
        p = self.counter(o, mm ^ cc, c[1:])
        return [mm ^ self.hash(o, k, t, p), *p]
