# SPDX-License-Identifier: Apache-2.0
"""XCB: cipher, hash, counter mode, hash, inverse cipher.  McGrew, Fluhrer, eprint 2004/278; tes2010, Fig. 2."""

from modeloom.modes.words import big_endian, lengths
from modeloom.spec import Keys, Mode


class XCB(Mode):
    """XCB of 2004 as tes2010 has it: whole blocks, and the first block is the special one.

    All keys come from K; they are blocks, so that the mode is one of AES-128.  The counters are S + 1, S + 2, ... in the last 32 bits.
    """

    name = "xcb"
    title = "XCB (2004)"
    source = "McGrew, Fluhrer: The extended codebook (XCB) mode of operation, eprint 2004/278; tes2010, Fig. 2 and (4)"
    security = (
        "meant as a strong tweakable PRP; the bound that was claimed for XCB is wrong (Chakraborty, Hernandez-Jimenez, Sarkar, "
        "eprint 2013/823), and its successor is broken (eprint 2024/1554): for comparison, not for new designs"
    )
    cipher_key_bits = (128,)
    min_bytes = 32

    def setup(self, o, key):
        k0, k1, k2, k3, k4 = (o.enc(big_endian(o, i)) for i in range(5))
        return Keys(h1=k1, h2=k3, Ke=o.cipher_key(k0), Kc=o.cipher_key(k2), Kd=o.cipher_key(k4))

    def hash(self, o, h, x, t):
        """h_h(X, T), the lengths of X and T behind them."""
        return o.poly(h, [*x, t[0], lengths(o, 8 * x.nbytes, 8 * t.nbytes)])

    def counter(self, o, k, s, x):
        """X_i xor the key stream E(incr_i(S))."""
        return x.like(block ^ o.enc(o.add32(s, i), k.Kc) for i, block in enumerate(x, 1))

    def encrypt(self, o, k, t, p):
        s = o.enc(p[0], k.Ke) ^ self.hash(o, k.h1, p[1:], t)
        c = self.counter(o, k, s, p[1:])
        return [o.dec(s ^ self.hash(o, k.h2, c, t), k.Kd), *c]

    def decrypt(self, o, k, t, c):
        s = o.enc(c[0], k.Kd) ^ self.hash(o, k.h2, c[1:], t)
        p = self.counter(o, k, s, c[1:])
        return [o.dec(s ^ self.hash(o, k.h1, p, t), k.Ke), *p]
