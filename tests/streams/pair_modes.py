# SPDX-License-Identifier: Apache-2.0
"""Modes of the tests' own whose tokens return to the cipher: pairs of blocks in networks of three rounds, and blocks enciphered twice.

This file is also given to commands by its path.
"""

from tests.generality.quad256 import QUAD256
from tests.generality.wide_modes import ORDER_256

from modeloom.spec import XTS_ORDER, Keys
from modeloom.spec.stream import State, StreamMode


class Braid(StreamMode):
    """Pairs of 256-bit blocks in a Feistel network of three rounds, with steps of their own for partial pairs and for a single block.

    A block of associated data is enciphered twice.  The tag follows, with lengths.
    """

    name = "braid"
    title = "a mode on pairs of 256-bit blocks"
    source = "for tests"
    security = "for tests: nobody has analysed it"
    field = ORDER_256
    block_bytes = 32
    text_blocks = 2
    cipher = QUAD256
    nonce_bytes = ((16,), (20, 31))
    tag_bytes = (32, 20)

    def setup(self, o, key):
        return Keys()

    def start(self, o, k, nonce):
        block = nonce.block if nonce.nbytes == 16 else o.double(nonce.block, 3)
        return State(mask=o.enc(block), sum=o.const(5), own=block)

    def associated(self, o, k, s, a):
        return s.replace(mask=o.double(s.mask), sum=s.sum ^ o.enc(o.enc(o.pad10(a, a) ^ s.mask) ^ o.double(a, 2)))

    def encrypt(self, o, k, s, p):
        a = p[0] ^ o.enc(p[1] ^ s.mask)
        b = p[1] ^ o.enc(a ^ o.double(s.mask))
        return s.replace(mask=o.double(s.mask, 3), sum=s.sum ^ p[0] ^ o.double(p[1])), (a ^ o.enc(b ^ o.double(s.mask, 2)), b)

    def decrypt(self, o, k, s, c):
        a = c[0] ^ o.enc(c[1] ^ o.double(s.mask, 2))
        b = c[1] ^ o.enc(a ^ o.double(s.mask))
        first = a ^ o.enc(b ^ s.mask)
        return s.replace(mask=o.double(s.mask, 3), sum=s.sum ^ first ^ o.double(b)), (first, b)

    def partial_encrypt(self, o, k, s, p):
        given = p[0] ^ o.enc(s.mask), o.cut(p[1] ^ o.enc(o.double(s.mask)), p[1])
        return s.replace(sum=s.sum ^ o.double(p[0], 2) ^ o.pad10(p[1], p[1])), given

    def partial_decrypt(self, o, k, s, c):
        given = c[0] ^ o.enc(s.mask), o.cut(c[1] ^ o.enc(o.double(s.mask)), c[1])
        return s.replace(sum=s.sum ^ o.double(given[0], 2) ^ o.pad10(given[1], c[1])), given

    def single_encrypt(self, o, k, s, p):
        return s.replace(sum=s.sum ^ o.pad10(p, p) ^ o.if_whole(s.own, p)), o.cut(p ^ o.enc(s.mask), p)

    def single_decrypt(self, o, k, s, c):
        p = o.cut(c ^ o.enc(s.mask), c)
        return s.replace(sum=s.sum ^ o.pad10(p, c) ^ o.if_whole(s.own, c)), p

    def tag(self, o, k, s, n):
        return o.enc(s.sum ^ o.bit_lengths(n.associated, n.text)) ^ s.own


class Twice(StreamMode):
    """Keystream of a counter that is enciphered twice.  Starts take no token, and the tag has no cipher: it enters like a block."""

    name = "twice"
    title = "a mode that enciphers twice"
    source = "for tests"
    security = "for tests: the tag is linear in the text, so that anybody can forge it"
    field = XTS_ORDER
    nonce_bytes = ((16,),)

    def setup(self, o, key):
        return Keys(L=o.enc(o.const(1)))

    def start(self, o, k, nonce):
        return State(counter=nonce.block, sum=o.const(0))

    def associated(self, o, k, s, a):
        return s.replace(sum=o.double(s.sum) ^ a)

    def last_associated(self, o, k, s, a):
        return s.replace(sum=o.double(s.sum) ^ o.pad10(a, a) ^ o.if_whole(o.const(3), a) ^ o.enc(s.counter ^ k.L))

    def encrypt(self, o, k, s, p):
        counter = o.add32(s.counter, 1)
        return s.replace(counter=counter, sum=o.double(s.sum) ^ p), o.cut(p ^ o.enc(o.enc(counter) ^ k.L), p)

    def decrypt(self, o, k, s, c):
        counter = o.add32(s.counter, 1)
        p = o.cut(c ^ o.enc(o.enc(counter) ^ k.L), c)
        return s.replace(counter=counter, sum=o.double(s.sum) ^ p), p

    def tag(self, o, k, s, n):
        return s.sum ^ o.bit_lengths(n.associated, n.text)
