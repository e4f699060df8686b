# SPDX-License-Identifier: Apache-2.0
"""HCH and HCHfp: hash, counter mode, hash.  Chakraborty, Sarkar, IEEE Trans. IT 54(4), 2008; tes2010, Fig. 2."""

from modeloom.modes.words import big_endian
from modeloom.spec import CIPHER, Keys, Mode


class HCH(Mode):
    """HCH on whole blocks: H_{R,Q}(X_1 ... X_p) = Q + X_1 R^p + ... + X_p R with R = E(T) (tes2010, Fig. 2, (3) corrected).

    The second hash adds 2Q, as section 6 of the paper and the original have it; Fig. 2 prints Q.
    """

    name = "hch"
    title = "HCH"
    source = "Chakraborty, Sarkar: HCH, IEEE Trans. IT 54(4), 2008; tes2010, Fig. 2"
    security = "strong tweakable PRP up to about sigma^2/2^128 (birthday bound); no attack known"
    min_bytes = 32

    def setup(self, o, key):
        return Keys()

    def hash_keys(self, o, k, t, m):
        """R and Q."""
        r = o.enc(t[0])
        return r, o.enc(r ^ big_endian(o, 128 * m))

    def counter(self, o, s, x):
        """X_i xor the key stream E(S xor i), i = 1, 2, ..."""
        return [block ^ o.enc(s ^ big_endian(o, i)) for i, block in enumerate(x, 1)]

    def encrypt(self, o, k, t, p):
        r, q = self.hash_keys(o, k, t, len(p))
        m1 = p[0] ^ q ^ o.poly(r, p[1:])
        u1 = o.enc(m1)
        c = self.counter(o, o.enc(m1 ^ u1), p[1:])
        return [u1 ^ o.double(q) ^ o.poly(r, c), *c]

    def decrypt(self, o, k, t, c):
        r, q = self.hash_keys(o, k, t, len(c))
        u1 = c[0] ^ o.double(q) ^ o.poly(r, c[1:])
        m1 = o.dec(u1)
        p = self.counter(o, o.enc(m1 ^ u1), c[1:])
        return [m1 ^ q ^ o.poly(r, p), *p]


class HCHfp(HCH):
    """HCH for messages of one length: the hash key alpha belongs to the key, and Q = E(T) (tes2010, sections 3.1 and 5)."""

    name = "hchfp"
    title = "HCHfp"
    source = "Chakraborty, Sarkar: HCH, IEEE Trans. IT 54(4), 2008; tes2010, section 3"
    security = (
        "strong tweakable PRP up to about sigma^2/2^128 (birthday bound) as long as all messages under a key have one length; "
        "no attack known"
    )
    key_parts = (CIPHER, "alpha")

    def setup(self, o, key):
        return Keys(alpha=key.alpha)

    def hash_keys(self, o, k, t, m):
        return k.alpha, o.enc(t[0])
