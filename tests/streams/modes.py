# SPDX-License-Identifier: Apache-2.0
"""Stream modes of the tests' own: what GCM does not do."""

from tests.generality.quad256 import QUAD256
from tests.generality.wide_modes import ORDER_256

from modeloom.spec import CIPHER, Keys
from modeloom.spec.stream import State, StreamMode


class WideAEAD(StreamMode):
    """Counter mode under offsets, a checksum of the plaintext, a polynomial hash, a tag that goes through the cipher.

    Blocks of 256 bits, another field, a hash key from the host, a key value that is wires of another, two classes of nonces.
    """

    name = "wide-aead"
    title = "an AEAD on 256-bit blocks"
    source = "for tests"
    security = "for tests: nobody has analysed it"
    field = ORDER_256
    block_bytes = 32
    cipher = QUAD256
    key_parts = (CIPHER, "h")
    nonce_bytes = ((16,), (24, 32))
    tag_bytes = (32, 20)

    def setup(self, o, key):
        return Keys(h=key.h)

    def start(self, o, k, nonce):
        first = nonce.block if nonce.nbytes == 16 else o.mul(nonce.block, k.h)
        return State(y=o.const(0), counter=first, sum=o.const(0), offset=o.double(first, 3))

    def associated(self, o, k, s, a):
        return s.replace(y=o.mul(s.y ^ o.double(a), k.h))

    def step(self, o, k, s, text):
        counter = o.add64(s.counter, 3)
        return s.replace(counter=counter, offset=o.double(s.offset)), o.cut(text ^ o.enc(counter ^ s.offset), text)

    def encrypt(self, o, k, s, p):
        s, c = self.step(o, k, s, p)
        return s.replace(y=o.mul(s.y ^ c, k.h), sum=s.sum ^ p), c

    def decrypt(self, o, k, s, c):
        s, p = self.step(o, k, s, c)
        return s.replace(y=o.mul(s.y ^ c, k.h), sum=s.sum ^ p), p

    def tag(self, o, k, s, n):
        return o.enc(o.mul(s.y ^ o.bit_lengths(n.text, n.associated, "little"), k.h) ^ s.sum) ^ o.head(s.offset, 5)


class NoHash(StreamMode):
    """A counter mode with a checksum: no product anywhere, and no tag of associated data alone."""

    name = "no-hash"
    title = "counter mode and a checksum"
    source = "for tests"
    security = "for tests: the tag is linear in the text, so that anybody can forge it"
    nonce_bytes = ((12,),)

    def setup(self, o, key):
        return Keys()

    def start(self, o, k, nonce):
        return State(counter=nonce.block, sum=o.const(0), mask=o.enc(nonce.block ^ o.const(1)))

    def associated(self, o, k, s, a):
        return s.replace(sum=o.double(s.sum) ^ a)

    def encrypt(self, o, k, s, p):
        counter = o.add32(s.counter, 1)
        return s.replace(counter=counter, sum=o.double(s.sum) ^ p), o.cut(p ^ o.enc(counter), p)

    def decrypt(self, o, k, s, c):
        counter = o.add32(s.counter, 1)
        p = o.cut(c ^ o.enc(counter), c)
        return s.replace(counter=counter, sum=o.double(s.sum) ^ p), p

    def tag(self, o, k, s, n):
        return s.mask ^ s.sum ^ o.bit_lengths(n.associated, n.text)
