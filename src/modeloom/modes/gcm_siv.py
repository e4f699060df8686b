# SPDX-License-Identifier: Apache-2.0
"""GCM-SIV: a polynomial hash of the plaintext, enciphered, is the tag, and the tag is the counter of the key stream.  RFC 8452."""

from modeloom.spec import POLYVAL_ORDER, Keys
from modeloom.spec.stream import MessageKeys, State, StreamMode


class GCMSIV(StreamMode):
    """AES-GCM-SIV (RFC 8452, sections 4 and 5).  Each nonce has keys of its own."""

    name = "gcm-siv"
    title = "GCM-SIV"
    source = "RFC 8452, 2019"
    security = (
        "confidentiality and authenticity within the bounds of RFC 8452, section 9; a nonce that is used for a few messages reveals only "
        "which of them are equal"
    )
    field = POLYVAL_ORDER
    key_parts = ("authentication", "cipher")
    cipher_key_bits = (128, 256)
    most_associated = most_text = 1 << 36
    two_passes = True

    def derive(self, o, nonce, key_blocks):
        halves = [o.head(o.enc(o.shift(nonce.block, -32) ^ o.const(i)), 8) for i in range(2 + 2 * key_blocks)]
        first, *rest = (low ^ o.shift(high, -64) for low, high in zip(halves[::2], halves[1::2]))
        return MessageKeys(authentication=first, cipher=rest)

    def setup(self, o, key):
        return Keys(H=key.authentication)

    def start(self, o, k, nonce):
        return State(y=o.const(0), nonce=nonce.block, counter=o.const(0))

    def without_first_bit_of_byte_15(self, o, block):
        return o.prefix(block, 120) ^ o.shift(o.shift(block, 121), -121)

    def tagged(self, o, k, s, tag):
        return s.replace(counter=self.without_first_bit_of_byte_15(o, tag) ^ o.const(1 << 127))

    def associated(self, o, k, s, a):
        return s.replace(y=o.mul(s.y ^ a, k.H))

    absorb = associated

    def encrypt(self, o, k, s, p):
        return self.absorb(o, k, s, p).replace(counter=o.add(s.counter, 1, 32, "little")), o.cut(p ^ o.enc(s.counter), p)

    def decrypt(self, o, k, s, c):
        p = o.cut(c ^ o.enc(s.counter), c)
        return self.absorb(o, k, s, p).replace(counter=o.add(s.counter, 1, 32, "little")), p

    def tag(self, o, k, s, n):
        hashed = o.mul(s.y ^ o.bit_lengths(n.associated, n.text, order="little"), k.H)
        return o.enc(self.without_first_bit_of_byte_15(o, hashed ^ s.nonce))
