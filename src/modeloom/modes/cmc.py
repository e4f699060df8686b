# SPDX-License-Identifier: Apache-2.0
"""CMC: CBC, mask, CBC backwards.  Halevi, Rogaway, CRYPTO 2003."""

from modeloom.spec import XTS_ORDER, Keys, Mode


class CMC(Mode):
    """CMC, key K || K2.  The first pass is a chain from block to block; sectors that overlap fill the cipher none the less."""

    name = "cmc"
    title = "CMC"
    source = "Halevi, Rogaway: A tweakable enciphering mode, CRYPTO 2003, eprint 2003/148"
    security = "strong tweakable PRP up to about sigma^2/2^128 (birthday bound); no attack known"
    field = XTS_ORDER
    key_parts = ("K", "K2")
    cipher_keys = ("K", "K2")
    min_bytes = 32

    def setup(self, o, key):
        return Keys(K=key.K, K2=key.K2)

    def passes(self, o, k, t, x, cipher):
        """A chain, the mask, a chain backwards, which the mask makes parallel: PPP and CCC of the paper."""
        t1 = above = o.enc(t[0], k.K2)
        first = []
        for block in x:
            above = cipher(block ^ above, k.K)
            first.append(above)
        mask = o.double(first[0] ^ first[-1])
        second = [b ^ mask for b in reversed(first)]
        result = [cipher(b, k.K) for b in second]
        return [result[0] ^ t1, *(a ^ b for a, b in zip(result[1:], second))]

    def encrypt(self, o, k, t, p):
        return self.passes(o, k, t, p, o.enc)

    def decrypt(self, o, k, t, c):
        return self.passes(o, k, t, c, o.dec)
