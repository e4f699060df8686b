# SPDX-License-Identifier: Apache-2.0
"""XCB-AES of IEEE 1619.2 ("XCB v2").  Broken: two queries recover a plaintext."""

from modeloom.modes.words import big_endian, down, lengths, up
from modeloom.spec import Blocks, Keys, Mode


class XCB1619(Mode):
    """XCB-AES: the last 16 bytes are the special block A, the bytes B before them are encrypted in counter mode.

    Where the sector does not end with a block, A begins within the last block but one::

        P_(m-1)            P_m                     n = bytes of P_m
        B_last  A_0 ...    ... A_15
        n       16 - n     n bytes
    """

    name = "xcb-1619"
    title = "XCB-AES (IEEE 1619.2)"
    source = "IEEE 1619.2-2010, XCB-AES; McGrew, Fluhrer, SAC 2007"
    security = (
        "two queries recover the plaintext of a sector but for its last block, a third one that (eprint 2024/1554; Wang et al., "
        "eprint 2024/1527); for sectors that exist already, not for new ones"
    )
    broken = True
    tweak_sizes = (16, 32)
    any_tweak = True
    partial = True
    min_bytes = 16

    def setup(self, o, key):
        block = [o.enc(big_endian(o, i)) for i in range(7)]
        return Keys(H=block[0], Ke=o.cipher_key(*block[1:3]), Kd=o.cipher_key(*block[3:5]), Kc=o.cipher_key(*block[5:7]))

    def split(self, o, x):
        """B and A."""
        if x.whole:
            return x[:-1], x[-1]
        n, size = x.tail, x.block_bytes
        b = Blocks([*x[: len(x) - 2], o.head(x[len(x) - 2], n)], x.nbytes - size, size)
        return b, down(o, x[len(x) - 2], n) ^ up(o, x[-1], size - n)

    def join(self, o, b, a):
        """The blocks of B || A."""
        if b.whole:
            return [*b, a]
        return [*b[: len(b) - 1], b[-1] ^ up(o, a, b.tail), down(o, a, b.block_bytes - b.tail)]

    def first_hash(self, o, k, t, b):
        """GHASH(0^128 || Z, pad(B) || 0^128)."""
        return o.poly(k.H, [*t, *b, o.const(0), lengths(o, 128 + 8 * t.nbytes, 128 + 128 * len(b))])

    def second_hash(self, o, k, t, e):
        """GHASH(Z || 0^128, pad(E) || lengths of Z || 0^128 and E)."""
        inner = lengths(o, 128 + 8 * t.nbytes, 8 * e.nbytes)
        return o.poly(k.H, [*t, o.const(0), *e, inner, lengths(o, 128 + 8 * t.nbytes, 128 + 128 * len(e))])

    def counter(self, o, k, d, b):
        """B xor the key stream of D, D + 1, ... in the last 32 bits."""
        stream = [o.enc(o.add32(d, i), k.Kc) for i in range(len(b))]
        return b.like(x ^ o.head(e, length) for x, e, length in zip(b, stream, b.lengths))

    def encrypt(self, o, k, t, p):
        b, a = self.split(o, p)
        d = o.enc(a, k.Ke) ^ self.first_hash(o, k, t, b)
        e = self.counter(o, k, d, b)
        return self.join(o, e, o.dec(d ^ self.second_hash(o, k, t, e), k.Kd))

    def decrypt(self, o, k, t, c):
        e, a = self.split(o, c)
        d = o.enc(a, k.Kd) ^ self.second_hash(o, k, t, e)
        b = self.counter(o, k, d, e)
        return self.join(o, b, o.dec(d ^ self.first_hash(o, k, t, b), k.Ke))
