# SPDX-License-Identifier: Apache-2.0
"""A mode of the FAST kind, written with its lines in several orders that mean the same.

Two hashes around a counter mode, a Feistel network of two rounds on the first two blocks, as in Chakraborty, Ghosh, Lopez, Sarkar: FAST:
Disk encryption and beyond (eprint 2017/849)::

    P0, P1, P2 … ──hash──▶ A ──Feistel──▶ F, G        C2 … = P2 … ⊕ E(F ⊕ G ⊕ i)
                           B                          C0, C1 = F ⊕ hash(C2 …), G ⊕ h·F

The product h·F (for decryption h·A) is free to stand in three places.  Its place decides which operations of the two directions have the
same number among those of their kind.
"""

from itertools import product

from modeloom.spec import CIPHER, GHASH_ORDER, Keys, Mode

PLACES = ("first", "middle", "last")
"""Before the counter mode, between it and the second hash, behind that."""


class FastLike(Mode):
    """The mode; ``places`` say where encryption and decryption have their last product."""

    name = "fast-like"
    title = "FAST-like"
    source = "after Chakraborty, Ghosh, Lopez, Sarkar: FAST: Disk encryption and beyond, eprint 2017/849"
    security = "for tests only"
    field = GHASH_ORDER
    key_parts = (CIPHER, "h")
    min_bytes = 48
    places = ("first", "first")

    def setup(self, o, key):
        return Keys(h=key.h)

    def hash(self, o, k, t, x):
        return o.poly(k.h, [*t, *x, o.const(128 * len(x))])

    def counter(self, o, s, x):
        return [b ^ o.enc(s ^ o.const(i)) for i, b in enumerate(x, 1)]

    def ending(self, o, k, t, x, f, g, z, place):
        """Counter mode, second hash and the product of z in one of three orders: the first two result blocks and the others."""
        product = o.mul(k.h, z) if place == "first" else None
        y = self.counter(o, f ^ g, x)
        product = o.mul(k.h, z) if place == "middle" else product
        h = self.hash(o, k, t, y)
        product = o.mul(k.h, z) if place == "last" else product
        return h, product, y

    def encrypt(self, o, k, t, p):
        a = p[0] ^ self.hash(o, k, t, p[2:])
        b = p[1] ^ o.mul(k.h, a)
        f = a ^ o.enc(b)
        g = b ^ o.enc(f)
        h, product, c = self.ending(o, k, t, p[2:], f, g, f, self.places[0])
        return [f ^ h, g ^ product, *c]

    def decrypt(self, o, k, t, c):
        f = c[0] ^ self.hash(o, k, t, c[2:])
        g = c[1] ^ o.mul(k.h, f)
        b = g ^ o.enc(f)
        a = f ^ o.enc(b)
        h, product, p = self.ending(o, k, t, c[2:], f, g, a, self.places[1])
        return [a ^ h, b ^ product, *p]


ORDERS = {
    f"{encrypt}-{decrypt}": type(f"FastLike{encrypt.title()}{decrypt.title()}", (FastLike,), {"places": (encrypt, decrypt)})
    for encrypt, decrypt in product(PLACES, PLACES)
}
"""The mode with its lines in each order."""
