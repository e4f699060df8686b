# SPDX-License-Identifier: Apache-2.0
"""CBC with encrypted sector numbers, ``aes-cbc-essiv:sha256`` of dm-crypt, as a definition of the tests' own."""

from __future__ import annotations

from modeloom.spec import Keys, Mode


class ESSIV(Mode):
    """IV = E_S(sector number, little-endian), then CBC under K.

    The host gives K || S with S = SHA-256(K), so that S has 256 bits whatever K has; the tweak is the sector number in 16 bytes.
    """

    name = "test-cbc-essiv"
    title = "CBC-ESSIV"
    source = "Fruhwirth: New methods in hard disk encryption, 2005, section 4.2; dm-crypt's aes-cbc-essiv:sha256"
    security = "a test: bits of a plaintext block can be flipped through the ciphertext block before it, which garbles that one"
    wide = False
    key_parts = ("K", "S")
    cipher_keys = ("K", "S")
    fixed_key_bits = {"S": 256}

    def setup(self, o, key):
        return Keys(K=key.K, S=key.S)

    def encrypt(self, o, k, t, p):
        above, c = o.enc(t[0], k.S), []
        for block in p:
            above = o.enc(block ^ above, k.K)
            c.append(above)
        return c

    def decrypt(self, o, k, t, c):
        before = [o.enc(t[0], k.S), *c[:-1]]
        return [o.dec(block, k.K) ^ above for block, above in zip(c, before)]


class LastKeyMade(ESSIV):
    """Keys of two lengths before one that set-up makes; several of each length, both cores of the odd one."""

    name = "test-many-lengths"
    one_direction = "encrypt"
    key_parts = ("S", "K", "J", "W")
    cipher_keys = ("S", "K", "J")
    fixed_key_bits = {"S": 256}

    def setup(self, o, key):
        return Keys(S=key.S, K=key.K, J=key.J, D=o.cipher_key(o.enc(key.W, key.S), o.enc(key.W, key.J)))

    def encrypt(self, o, k, t, p):
        return [o.enc(o.dec(o.enc(x ^ o.double(t[0], i), k.K), k.D), k.J) ^ o.dec(o.enc(x, k.K), k.S) for i, x in enumerate(p)]
