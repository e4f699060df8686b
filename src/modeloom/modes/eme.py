# SPDX-License-Identifier: Apache-2.0
"""EME: ECB, mask, ECB.  Halevi, Rogaway, CT-RSA 2004 (eprint 2003/147); tes2010, Fig. 2."""

from modeloom.modes.words import powers_of_two
from modeloom.spec import XTS_ORDER, Keys, Mode


class EME(Mode):
    """EME on 1 to 128 whole blocks, masks doubled in little-endian bytes as in IEEE 1619's EME-32-AES.

    The sum of all CCC_i = PPP_i + 2^(i-1) M, which tes2010 writes as a loop, is taken as the sum of the PPP_i and of
    (2 + ... + 2^(m-1)) M.
    """

    name = "eme"
    title = "EME"
    source = "Halevi, Rogaway: A parallelizable enciphering mode, CT-RSA 2004, eprint 2003/147; tes2010, Fig. 2"
    security = "strong tweakable PRP up to about sigma^2/2^128 (birthday bound), for at most 128 blocks; no attack known"
    field = XTS_ORDER
    max_blocks = 128
    max_blocks_reason = "EME is secure for at most as many blocks as a block has bits; take eme2"

    def setup(self, o, key):
        return Keys(L=o.double(o.enc(o.const(0))))

    def layers(self, o, k, t, x, cipher):
        """ECB between masks, the mask of all blocks, ECB between masks."""
        m = len(x)
        ppp = [cipher(b ^ o.double(k.L, i)) for i, b in enumerate(x)]
        rest = None
        for b in ppp[1:]:
            rest = b if rest is None else rest ^ b
        mp = (ppp[0] if rest is None else ppp[0] ^ rest) ^ t[0]
        mc = cipher(mp)
        if rest is None:
            return [cipher(mc ^ t[0]) ^ k.L]
        mask = mp ^ mc
        first = mc ^ t[0] ^ rest ^ o.double(powers_of_two(o, mask, m - 1))
        ccc = [first, *(b ^ o.double(mask, i) for i, b in enumerate(ppp[1:], 1))]
        return [cipher(b) ^ o.double(k.L, i) for i, b in enumerate(ccc)]

    def encrypt(self, o, k, t, p):
        return self.layers(o, k, t, p, o.enc)

    def decrypt(self, o, k, t, c):
        return self.layers(o, k, t, c, o.dec)
