# SPDX-License-Identifier: Apache-2.0
"""AES-OTR: pairs of blocks in a Feistel network of two rounds, in both directions by the cipher's forward direction alone."""

from modeloom.spec import CMAC_ORDER, Keys
from modeloom.spec.stream import State, StreamMode

PAD = 0x80  # pad10 of no bytes: the sum of a message without text, which its last step takes away again


class AESOTR(StreamMode):
    """AES-OTR v3.1, with associated data in parallel.  The tag adds 5 times the mask; what a step adds beyond that is in the sum."""

    name = "aes-otr"
    title = "AES-OTR"
    source = "Minematsu: AES-OTR v3.1, 2016"
    security = (
        "confidentiality and authenticity up to about sigma^2/2^128 (birthday bound), as long as no nonce is used twice under a key; a "
        "repeated nonce breaks both"
    )
    field = CMAC_ORDER
    text_blocks = 2
    nonce_bytes = ((12, *range(1, 12), *range(13, 16)),)
    tag_bytes = (16, *range(4, 16))

    def setup(self, o, key):
        Q = o.enc(o.const(0))
        return Keys(Q=Q, Q3=Q ^ o.double(Q))

    def start(self, o, k, nonce):
        mask = o.enc(o.number(8 * nonce.tag_bytes % 128 * 2, 0, 1) ^ o.pad01(nonce))
        return State(mask=mask, sum=o.const(PAD), ad_mask=o.const(0), ad_sum=o.const(0), ad_tag=o.const(0))

    def associated(self, o, k, s, a):  # the mask of block i is 2^i Q, from (2^i + 1) Q and Q
        return s.replace(ad_mask=o.double(s.ad_mask) ^ k.Q3, ad_sum=s.ad_sum ^ o.enc(a ^ s.ad_mask ^ k.Q))

    def last_associated(self, o, k, s, a):
        mask = s.ad_mask ^ k.Q
        times = mask ^ o.double(mask) ^ o.if_whole(o.double(mask) ^ o.double(mask, 2), a)  # 3, or 5 for a whole block
        return s.replace(ad_tag=o.enc(s.ad_sum ^ o.pad10(a, a) ^ times))

    def encrypt(self, o, k, s, p):
        c1 = o.enc(s.mask ^ p[0]) ^ p[1]
        return s.replace(mask=o.double(s.mask), sum=s.sum ^ p[1]), (c1, o.enc(s.mask ^ o.double(s.mask) ^ c1) ^ p[0])

    def decrypt(self, o, k, s, c):
        p1 = o.enc(s.mask ^ o.double(s.mask) ^ c[0]) ^ c[1]
        p2 = o.enc(s.mask ^ p1) ^ c[0]
        return s.replace(mask=o.double(s.mask), sum=s.sum ^ p2), (p1, p2)

    def last_pair(self, o, s, z, c2, last):  # 3 · 5, or 3 · 7 if it is whole
        times = o.double(s.mask) ^ o.double(s.mask, 3) ^ o.if_whole(o.double(s.mask) ^ o.double(s.mask, 2), last)
        return s.replace(sum=s.sum ^ o.const(PAD) ^ z ^ o.pad10(c2, last) ^ times)

    def last_encrypt(self, o, k, s, p):
        z = o.enc(s.mask ^ p[0])
        c2 = o.cut(z ^ p[1], p[1])
        c1 = o.enc(s.mask ^ o.double(s.mask) ^ o.pad10(c2, p[1])) ^ p[0]
        return self.last_pair(o, s, z, c2, p[1]), (c1, c2)

    def last_decrypt(self, o, k, s, c):
        p1 = o.enc(s.mask ^ o.double(s.mask) ^ o.pad10(c[1], c[1])) ^ c[0]
        z = o.enc(s.mask ^ p1)
        return self.last_pair(o, s, z, c[1], c[1]), (p1, o.cut(z ^ c[1], c[1]))

    def single(self, o, s, p, last):
        return s.replace(sum=s.sum ^ o.const(PAD) ^ o.pad10(p, last) ^ o.if_whole(o.double(s.mask), last))

    def single_encrypt(self, o, k, s, p):
        return self.single(o, s, p, p), o.cut(o.enc(s.mask) ^ p, p)

    def single_decrypt(self, o, k, s, c):
        p = o.cut(o.enc(s.mask) ^ c, c)
        return self.single(o, s, p, c), p

    def tag(self, o, k, s, n):
        return o.enc(s.sum ^ s.mask ^ o.double(s.mask, 2)) ^ s.ad_tag
