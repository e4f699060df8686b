# SPDX-License-Identifier: Apache-2.0
"""XTS: each block under a mask of its own, with ciphertext stealing.  IEEE 1619-2018; Rogaway's XEX, ASIACRYPT 2004.

GB/T 17964-2021 has XTS with SM4.  Its masks double in the order of GHASH and not in that of IEEE 1619, so the two differ from the
second block on.  The names keep them apart: ``xts-gb`` and ``xts-ieee``; ``xts`` is that of the standard that its cipher belongs
to.
"""

from modeloom.spec import GHASH_ORDER, XTS_ORDER, Keys, Mode


class XTS(Mode):
    """XTS, key K1 || K2: C_i = E_K1(P_i + 2^(i-1) E_K2(T)) + 2^(i-1) E_K2(T)."""

    name = "xts"
    title = "XTS"
    source = "IEEE 1619-2018; SP 800-38E"
    security = (
        "a tweakable cipher on each 16-byte block, not on the sector: equal blocks in equal places of a sector show, and a changed "
        "ciphertext block garbles its plaintext block alone; birthday bound sigma^2/2^128, and at most 2^20 blocks per sector"
    )
    field = XTS_ORDER
    key_parts = ("K1", "K2")
    cipher_keys = ("K1", "K2")
    distinct_keys = True
    refused_keys = "K1 = K2"
    wide = False
    partial = True
    max_blocks = 1 << 20
    max_blocks_reason = "IEEE 1619, section 5.1"

    def setup(self, o, key):
        return Keys(K1=key.K1, K2=key.K2)

    def layers(self, o, k, t, x, cipher, decrypts):
        """Every block between its masks.  With a partial last block, the two last ones exchange masks in decryption."""
        mask = o.enc(t[0], k.K2)

        def block(b, i):
            return cipher(b ^ o.double(mask, i), k.K1) ^ o.double(mask, i)

        if x.whole:
            return [block(b, i) for i, b in enumerate(x)]
        m, tail = len(x), x.tail
        result = [block(b, i) for i, b in enumerate(x[: m - 2])]
        whole = block(x[m - 2], m - 1 if decrypts else m - 2)
        stolen = x[m - 1] ^ o.tail(whole, tail)
        return [*result, block(stolen, m - 2 if decrypts else m - 1), o.head(whole, tail)]

    def encrypt(self, o, k, t, p):
        return self.layers(o, k, t, p, o.enc, False)

    def decrypt(self, o, k, t, c):
        return self.layers(o, k, t, c, o.dec, True)


class XTSGB(XTS):
    """XTS of GB/T 17964-2021, which is about SM4: masks double in the order of GHASH."""

    name = "xts-gb"
    title = "XTS of GB/T 17964"
    source = "GB/T 17964-2021"
    field = GHASH_ORDER
    cipher = "sm4"
    max_blocks_reason = "as IEEE 1619, section 5.1, has it"


class XTSIEEE(XTS):
    """XTS of IEEE 1619 with SM4, as OpenSSL has it beside that of GB/T 17964."""

    name = "xts-ieee"
    title = "XTS of IEEE 1619 with SM4"
    source = "IEEE 1619-2018, with a cipher other than AES"
    cipher = "sm4"
