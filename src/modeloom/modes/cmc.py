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

    def encrypt(self, o, k, t, p):
        t1 = above = o.enc(t[0], k.K2)
        ppp = []
        for block in p:
            above = o.enc(block ^ above, k.K)
            ppp.append(above)
        mask = o.double(ppp[0] ^ ppp[-1])
        ccc = [b ^ mask for b in reversed(ppp)]
        cc = [o.enc(b, k.K) for b in ccc]
        return [cc[0] ^ t1, *(a ^ b for a, b in zip(cc[1:], ccc))]

    def decrypt(self, o, k, t, c):
        t1 = above = o.enc(t[0], k.K2)
        ccc = []
        for block in c:
            above = o.dec(block ^ above, k.K)
            ccc.append(above)
        mask = o.double(ccc[0] ^ ccc[-1])
        ppp = [b ^ mask for b in reversed(ccc)]
        pp = [o.dec(b, k.K) for b in ppp]
        return [pp[0] ^ t1, *(a ^ b for a, b in zip(pp[1:], ppp))]
