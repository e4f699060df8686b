# SPDX-License-Identifier: Apache-2.0
"""EME2 (EME*): EME for messages and tweaks of any length.  Halevi, INDOCRYPT 2004; IEEE 1619.2."""

from functools import reduce
from operator import xor

from modeloom.modes.words import powers_of_two
from modeloom.spec import CIPHER, XTS_ORDER, Keys, Mode

GROUP = 128
"""Blocks that share a mask M; the next ones derive a mask of their own."""


class EME2(Mode):
    """EME2 of IEEE 1619.2, key K_AD || K_ECB || K_AES; a partial last block, and a tweak of any length."""

    name = "eme2"
    title = "EME2"
    source = "Halevi: EME*, INDOCRYPT 2004, eprint 2004/125; IEEE 1619.2-2010, EME2-AES"
    security = "strong tweakable PRP up to about sigma^2/2^128 (birthday bound); no attack known"
    field = XTS_ORDER
    key_parts = ("K_AD", "K_ECB", CIPHER)
    tweak_sizes = (16, 32)
    any_tweak = True
    partial = True

    def setup(self, o, key):
        return Keys(K_AD=key.K_AD, L=key.K_ECB, empty=o.enc(key.K_AD))

    def tweak(self, o, k, t):
        """T*, with E in both directions."""
        if not t:
            return k.empty
        total = None
        for j, block in enumerate(t, 1):
            partial = j == len(t) and not t.whole
            key = o.double(k.K_AD, j + partial)
            part = o.enc((o.pad(block, t.tail, 0x80) if partial else block) ^ key) ^ key
            total = part if total is None else total ^ part
        return total

    def layers(self, o, k, t, x, cipher):
        """ECB, mask of each group of blocks, ECB; a partial last block is masked alone."""
        star = self.tweak(o, k, t)
        whole, last = (x, None) if x.whole else (x[:-1], x[-1])
        c1 = [cipher(b ^ o.double(k.L, i)) for i, b in enumerate(whole)]
        mp = reduce(xor, c1) ^ star
        if last is not None:
            mm = cipher(mp ^ o.pad(last, x.tail, 0x80))
            mp, mc = mp ^ o.pad(last, x.tail, 0x80), cipher(mm)
            end = last ^ o.head(mm, x.tail)
        else:
            mc = cipher(mp)
        first, c2, sums = mp ^ mc, [], []
        for start in range(0, len(c1), GROUP):
            group = c1[start : start + GROUP]
            if start:
                pre = group[0] ^ first
                post = cipher(pre)
                mask, head = pre ^ post, post ^ first
                c2.append(head)
                sums.append(head)
            else:
                mask = first
                c2.append(None)
            c2 += [b ^ o.double(mask, i) for i, b in enumerate(group[1:], 1)]
            if len(group) > 1:
                sums += [*group[1:], o.double(powers_of_two(o, mask, len(group) - 1))]
        if last is not None:
            sums.append(o.pad(end, x.tail, 0x80))
        c2[0] = reduce(xor, sums, mc ^ star)
        result = [cipher(b) ^ o.double(k.L, i) for i, b in enumerate(c2)]
        return result if last is None else [*result, end]

    def encrypt(self, o, k, t, p):
        return self.layers(o, k, t, p, o.enc)

    def decrypt(self, o, k, t, c):
        return self.layers(o, k, t, c, o.dec)
