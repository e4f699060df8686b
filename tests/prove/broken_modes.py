# SPDX-License-Identifier: Apache-2.0
"""Definitions whose directions are not inverse to each other, each for one reason, and some that are for reasons that are hard to see."""

from __future__ import annotations

from modeloom.modes.cmc import CMC
from modeloom.modes.eme import EME
from modeloom.modes.eme2 import EME2
from modeloom.modes.hch import HCH
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.heh import HEH
from modeloom.modes.tet import TET
from modeloom.modes.xcb import XCB
from modeloom.modes.xcb_1619 import XCB1619
from modeloom.modes.xts import XTS
from modeloom.spec import CIPHER, Keys, Mode


class OtherFunction(HCTR2):
    """Another hash in decryption: POLYVAL without the length."""

    def decrypt(self, o, k, t, c):
        u, v = c[0], c[1:]
        uu = u ^ o.poly(k.h, [*t, *v])
        mm = o.dec(uu)
        n = self.xctr(o, mm ^ uu ^ k.L, v)
        return [mm ^ self.hash(o, k, t, n), *n]


class ForgottenTweak(HEH):
    """Decryption without the tweak's mask on the last block."""

    def decrypt(self, o, k, t, c):
        b1 = o.enc(t[0])
        b2 = o.double(b1)
        u = c[-1] ^ self.psi(o, k, c[:-1])
        v = o.dec(u ^ b2)
        p = [o.dec(x ^ u ^ o.double(b2, i)) ^ o.double(b1, i) ^ v for i, x in enumerate(c[:-1], 1)]
        return [*p, v ^ self.psi(o, k, p)]


class DecForEnc(HCTR2):
    """The key stream of decryption from the inverse cipher."""

    def decrypt(self, o, k, t, c):
        u, v = c[0], c[1:]
        uu = u ^ self.hash(o, k, t, v)
        mm = o.dec(uu)
        n = [x ^ o.head(o.dec(mm ^ uu ^ k.L ^ o.const(i)), length) for i, (x, length) in enumerate(zip(v, v.lengths), 1)]
        return [mm ^ self.hash(o, k, t, v.like(n)), *n]


class EncForDec(HCTR2):
    """The cipher in the place of its inverse."""

    def decrypt(self, o, k, t, c):
        u, v = c[0], c[1:]
        uu = u ^ self.hash(o, k, t, v)
        mm = o.enc(uu)
        n = self.xctr(o, mm ^ uu ^ k.L, v)
        return [mm ^ self.hash(o, k, t, n), *n]


class BlockOrder(EME):
    """The last two blocks of decryption exchanged."""

    def decrypt(self, o, k, t, c):
        *head, a, b = super().decrypt(o, k, t, c)
        return [*head, b, a]


class SwappedKeys(XTS):
    """The two keys of the cipher exchanged in decryption."""

    def decrypt(self, o, k, t, c):
        return super().decrypt(o, Keys(K1=k.K2, K2=k.K1), t, c)


class WrongConstant(HCTR2):
    """A counter that starts at 2 in decryption."""

    def decrypt(self, o, k, t, c):
        u, v = c[0], c[1:]
        uu = u ^ self.hash(o, k, t, v)
        mm = o.dec(uu)
        n = v.like(x ^ o.head(o.enc(mm ^ uu ^ k.L ^ o.const(i)), length) for i, (x, length) in enumerate(zip(v, v.lengths), 2))
        return [mm ^ self.hash(o, k, t, n), *n]


class WrongPad(HCTR2):
    """The partial block of the second hash without the byte behind it, in decryption: whole blocks work."""

    def decrypt(self, o, k, t, c):
        u, v = c[0], c[1:]
        uu = u ^ (o.poly(k.h, [o.const(16 * t.nbytes + (2 if v.whole else 3)), *t, *v]) if v else self.hash(o, k, t, v))
        mm = o.dec(uu)
        n = self.xctr(o, mm ^ uu ^ k.L, v)
        return [mm ^ self.hash(o, k, t, n), *n]


class StolenMasks(XTS):
    """Masks of the last two blocks not exchanged when ciphertext is stolen: whole blocks work."""

    def decrypt(self, o, k, t, c):
        return self.layers(o, k, t, c, o.dec, False)


class NoHead(HCTR2):
    """A key stream that is not cut to the partial block, so that the hash takes bytes that nobody sends: whole blocks work."""

    def xctr(self, o, s, n):
        return n.like(x ^ o.enc(s ^ o.const(i)) for i, x in enumerate(n, 1))


class MovedTooFar(XCB1619):
    """The special block of the receiver one byte further on: whole blocks work."""

    def decrypt(self, o, k, t, c):
        if c.whole:
            return super().decrypt(o, k, t, c)
        e, a = self.split(o, c)
        d = o.enc(a, k.Kd) ^ self.second_hash(o, k, t, e)
        b = self.counter(o, k, d, e)
        back = o.dec(d ^ self.first_hash(o, k, t, b), k.Ke)
        return self.join(o, b, o.double(o.head(back, 15), 8))


class WrongInverse(TET):
    """tau in the place of tau / sigma in both directions."""

    def encrypt(self, o, k, t, p):
        return self.layers(o, k, t, p, o.enc, k.tau)


class WrongCounter(XCB):
    """A counter one further in decryption."""

    def decrypt(self, o, k, t, c):
        s = o.enc(c[0], k.Kd) ^ self.hash(o, k.h2, c[1:], t)
        p = self.counter(o, k, o.add32(s, 1), c[1:])
        return [o.dec(s ^ self.hash(o, k.h1, p, t), k.Ke), *p]


class WrongPower(HCH):
    """One mask doubled once more in decryption."""

    def decrypt(self, o, k, t, c):
        r, q = self.hash_keys(o, k, t, len(c))
        u1 = c[0] ^ o.double(q, 2) ^ o.poly(r, c[1:])
        m1 = o.dec(u1)
        p = self.counter(o, o.enc(m1 ^ u1), c[1:])
        return [m1 ^ q ^ o.poly(r, p), *p]


class NoMask(CMC):
    """Decryption without the mask between the passes."""

    def decrypt(self, o, k, t, c):
        t1 = above = o.enc(t[0], k.K2)
        first = []
        for block in c:
            above = o.dec(block ^ above, k.K)
            first.append(above)
        second = first[::-1]
        result = [o.dec(b, k.K) for b in second]
        return [result[0] ^ t1, *(a ^ b for a, b in zip(result[1:], second))]


class LostBlock(EME2):
    """Decryption that puts the first block in the place of the last one."""

    def decrypt(self, o, k, t, c):
        *head, _ = super().decrypt(o, k, t, c)
        return [*head, head[0] if head else c[0]]


BROKEN: tuple[tuple[type[Mode], int, int, str], ...] = (
    (OtherFunction, 64, 0, "return [mm ^ self.hash(o, k, t, n), *n]"),
    (ForgottenTweak, 64, 0, "p = [o.dec(x ^ u"),
    (DecForEnc, 64, 0, "return [mm ^ self.hash"),
    (EncForDec, 64, 0, "return [mm ^ self.hash(o, k, t, n), *n]"),
    (BlockOrder, 64, 2, "return [cipher(b) ^ o.double(k.L, i)"),
    (SwappedKeys, 64, 0, "return cipher(b ^ o.double(mask, i), k.K1)"),
    (WrongConstant, 64, 0, "return [mm ^ self.hash"),
    (WrongPad, 40, 0, "return [mm ^ self.hash"),
    (StolenMasks, 40, 1, "return cipher(b ^ o.double(mask, i), k.K1)"),
    (NoHead, 40, 0, "return [mm ^ self.hash"),
    (MovedTooFar, 40, 1, "down(o, a, b.block_bytes - b.tail)]"),
    (WrongInverse, 64, 0, "return [b ^ s for b in y]"),
    (WrongCounter, 64, 0, "return [o.dec(s ^ self.hash"),
    (WrongPower, 64, 0, "return [m1 ^ q ^ o.poly"),
    (NoMask, 64, 0, "return [result[0] ^ t1"),
    (LostBlock, 64, 3, "result = [cipher(b)"),
)
"""A definition, a sector size at which it is wrong, the first block that comes back changed, and words of its line."""


class _Two(Mode):
    title = source = security = "a test"
    key_parts = (CIPHER, "h")

    def setup(self, o, key):
        return Keys(h=key.h)


class CountersBack(_Two):
    """Numbers on counters that decryption takes away again."""

    name = "counters-back"

    def encrypt(self, o, k, t, p):
        return [o.add32(o.enc(o.add64(o.add64(x, 5), 1 << 63)), i) for i, x in enumerate(p)]

    def decrypt(self, o, k, t, c):
        return [o.add64(o.dec(o.add32(x, -i)), (1 << 63) - 5) for i, x in enumerate(c)]


class OutsideTheCounter(_Two):
    """A counter in the last bytes leaves the first ones as they are, which the normal forms do not know."""

    name = "outside-the-counter"

    def encrypt(self, o, k, t, p):
        return [o.enc(x ^ o.head(o.add32(t[0], 1), 12)) for x in p]

    def decrypt(self, o, k, t, c):
        return [o.dec(x) ^ o.head(t[0], 12) for x in c]


class KeyInverse(_Two):
    """A product with a key value, and the inverse of the same value."""

    name = "key-inverse"

    def setup(self, o, key):
        s = o.mul(key.h, key.h) ^ o.enc(o.const(0)) ^ o.const(1)
        return Keys(s=s, r=o.inverse(s, "s"))

    def encrypt(self, o, k, t, p):
        return [o.enc(o.mul(x, k.s) ^ t[0]) for x in p]

    def decrypt(self, o, k, t, c):
        return [o.mul(o.dec(x) ^ t[0], k.r) for x in c]
