# SPDX-License-Identifier: Apache-2.0
"""Stream modes of the tests' own with a chain through the cipher: other widths, lengths and starts than CCM."""

from tests.generality.quad256 import QUAD256
from tests.generality.wide_modes import ORDER_256

from modeloom.spec import CIPHER, Keys
from modeloom.spec.stream import LengthPrefix, State, StreamMode


class WideChain(StreamMode):
    """Counter mode and a chain over the ciphertext in blocks of 256 bits, with a prefix of 3 or 5 bytes and steps for partial blocks.

    The first block has the lengths at other places, and the tag is another cipher call.
    """

    name = "wide-chain"
    title = "a chain of 256-bit blocks"
    source = "for tests"
    security = "for tests: nobody has analysed it"
    field = ORDER_256
    block_bytes = 32
    cipher = QUAD256
    key_parts = (CIPHER,)
    nonce_bytes = ((12,), (16, 20))
    tag_bytes = (32, 20, 8)
    lengths_first = True
    most_text_with_nonce = {20: 600}
    associated_prefix = (LengthPrefix(1, b"\xa5", 2), LengthPrefix(70, b"\x5a\xff", 3))

    def setup(self, o, key):
        return Keys()

    def start(self, o, k, nonce, n):
        first = o.number(n.text, 24, 8) ^ o.number(3 * n.tag + nonce.nbytes % 7 + 128 * (n.associated > 0), 20, 2) ^ nonce.block
        return State(counter=nonce.block, y=o.enc(first), mask=o.enc(nonce.block ^ o.const(1 << 255)))

    def associated(self, o, k, s, a):
        return s.replace(y=o.enc(s.y ^ o.double(a)))

    def partial_associated(self, o, k, s, a):
        return s.replace(y=o.enc(s.y ^ o.pad10(a, a)))

    def encrypt(self, o, k, s, p):
        counter = o.add64(s.counter, 3)
        c = o.cut(p ^ o.enc(counter), p)
        return s.replace(counter=counter, y=o.enc(s.y ^ c)), c

    def decrypt(self, o, k, s, c):
        counter = o.add64(s.counter, 3)
        return s.replace(counter=counter, y=o.enc(s.y ^ c)), o.cut(c ^ o.enc(counter), c)

    def tag(self, o, k, s, n):
        return o.double(s.y) ^ s.mask


class ChainFromZero(StreamMode):
    """A chain over associated data that begins with 0, so that its cipher stays behind the block, and counter mode with a checksum."""

    name = "chain-from-zero"
    title = "a chain that begins with 0"
    source = "for tests"
    security = "for tests: the tag is linear in the text, so that anybody can forge it"

    def setup(self, o, key):
        return Keys()

    def start(self, o, k, nonce):
        return State(counter=nonce.block, y=o.const(0), sum=nonce.block)

    def associated(self, o, k, s, a):
        return s.replace(y=o.enc(s.y ^ a))

    def encrypt(self, o, k, s, p):
        counter = o.add32(s.counter, 1)
        return s.replace(counter=counter, sum=o.double(s.sum) ^ p), o.cut(p ^ o.enc(counter), p)

    def decrypt(self, o, k, s, c):
        counter = o.add32(s.counter, 1)
        p = o.cut(c ^ o.enc(counter), c)
        return s.replace(counter=counter, sum=o.double(s.sum) ^ p), p

    def tag(self, o, k, s, n):
        return s.y ^ o.enc(s.sum ^ o.bit_lengths(n.associated, n.text))
