# SPDX-License-Identifier: Apache-2.0
"""TET: hash, ECB, hash, with a hash of whole blocks that can be inverted.  Halevi, CRYPTO 2007; tes2010, Fig. 2."""

from modeloom.modes.words import big_endian
from modeloom.spec import Keys, Mode


class TET(Mode):
    """TET on whole blocks of one length: SP = (P_1 tau^m + ... + P_m tau) / sigma (tes2010, Fig. 2).

    sigma = 1 + tau + ... + tau^m, the sum from 0 on: with the sum from 1 on that the paper prints the hash has a kernel.  The factor
    tau / sigma is one key value, so that the division costs no product.
    """

    name = "tet"
    title = "TET"
    source = "Halevi: Invertible universal hashing and the TET encryption mode, CRYPTO 2007; tes2010, Fig. 2"
    security = (
        "strong tweakable PRP up to about sigma^2/2^128 (birthday bound) for messages of one length, if 1 + tau + ... + tau^m is not 0 "
        "(other keys are refused); no attack known"
    )
    key_parts = ("K1", "K2", "tau")
    cipher_keys = ("K1", "K2")
    refused_keys = "sigma = 0, which depends on tau and the sector's length"
    setup_of_size = True

    def setup(self, o, key):
        sigma = self.sigma(o, key.tau, o.blocks + 1)
        last = o.mul(key.tau, o.inverse(sigma, f"sigma = 1 + tau + ... + tau^{o.blocks}"))
        return Keys(tau=key.tau, sigma=sigma, last=last, X=o.enc(big_endian(o, 128 * o.blocks), key.K1), K1=key.K1, K2=key.K2)

    def sigma(self, o, tau, n):
        """1 + tau + ... + tau^(n-1), by halves."""
        if n == 1:
            return o.const(self.field.one)
        half = self.sigma(o, tau, n // 2)
        total = half ^ (o.mul(half, o.power(tau, n // 2)))
        return total ^ o.power(tau, n - 1) if n % 2 else total

    def layers(self, o, k, t, x, cipher, last):
        """Hash, ECB between two masks, hash.

        The inverse of a hash layer adds PP_1 tau^m + ... + PP_m tau, undivided: the P_i give SP sigma, and the m
        copies of SP that were added give SP (sigma + 1).
        """
        beta = o.enc(t[0] ^ o.double(k.X), k.K1)
        s = o.poly(k.tau, x, last)
        y = [cipher(b ^ s ^ o.double(beta, i), k.K2) ^ o.double(beta, i) for i, b in enumerate(x)]
        s = o.poly(k.tau, y, last)
        return [b ^ s for b in y]

    def encrypt(self, o, k, t, p):
        return self.layers(o, k, t, p, o.enc, k.last)

    def decrypt(self, o, k, t, c):
        return self.layers(o, k, t, c, o.dec, k.tau)
