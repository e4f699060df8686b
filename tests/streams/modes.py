# SPDX-License-Identifier: Apache-2.0
"""Stream modes of the tests' own: what GCM does not do."""

from tests.generality.quad256 import QUAD256
from tests.generality.wide_modes import ORDER_256

from modeloom.spec import CIPHER, GHASH_ORDER, XTS_ORDER, Keys
from modeloom.spec.stream import MessageKeys, State, StreamMode


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


class OwnKeys(NoHash):
    """The same under a key for each nonce."""

    name = "own-keys"

    def derive(self, o, nonce, key_blocks):
        return MessageKeys(cipher=[o.enc(nonce.block ^ o.const(number)) for number in range(key_blocks)])


class Padded(StreamMode):
    """Counter mode and a polynomial hash, with steps of their own for partial last blocks: a bit 1 behind their bytes, other operands."""

    name = "padded"
    title = "a mode that pads partial blocks"
    source = "for tests"
    security = "for tests: nobody has analysed it"
    field = GHASH_ORDER
    tag_bytes = (16, 8)

    def setup(self, o, key):
        return Keys(H=o.enc(o.const(0)))

    def start(self, o, k, nonce):
        return State(y=o.const(0), counter=nonce.block, sum=o.const(0))

    def associated(self, o, k, s, a):
        return s.replace(y=o.mul(s.y ^ a, k.H))

    def partial_associated(self, o, k, s, a):
        return s.replace(y=o.mul(s.y ^ o.double(o.pad10(a, a), 2), k.H))

    def encrypt(self, o, k, s, p):
        counter = o.add32(s.counter, 1)
        c = p ^ o.enc(counter)
        return s.replace(counter=counter, y=o.mul(s.y ^ c, k.H), sum=o.double(s.sum) ^ p), c

    def decrypt(self, o, k, s, c):
        counter = o.add32(s.counter, 1)
        p = c ^ o.enc(counter)
        return s.replace(counter=counter, y=o.mul(s.y ^ c, k.H), sum=o.double(s.sum) ^ p), p

    def partial_encrypt(self, o, k, s, p):
        c = o.cut(p ^ o.enc(s.counter ^ o.const(1 << 7)), p)
        return s.replace(y=o.mul(s.y ^ o.pad10(c, p), k.H), sum=s.sum ^ o.pad10(p, p)), c

    def partial_decrypt(self, o, k, s, c):
        p = o.cut(c ^ o.enc(s.counter ^ o.const(1 << 7)), c)
        return s.replace(y=o.mul(s.y ^ o.pad10(c, c), k.H), sum=s.sum ^ o.pad10(p, c)), p

    def tag(self, o, k, s, n):
        return o.mul(s.y ^ s.sum ^ o.bit_lengths(n.associated, n.text), k.H) ^ s.counter


class Offsets(StreamMode):
    """Keystream of offsets that double, and a checksum of the plaintext, for which the tag waits, and then for its cipher.

    The text is a sum with a part of the state that the step changes.
    """

    name = "offsets"
    title = "text under offsets"
    source = "for tests"
    security = "for tests: nobody has analysed it"
    field = XTS_ORDER

    def setup(self, o, key):
        return Keys()

    def start(self, o, k, nonce):
        return State(offset=o.double(nonce.block), sum=nonce.block, a=o.const(0))

    def associated(self, o, k, s, a):
        return s.replace(a=s.a ^ o.enc(a ^ s.offset), offset=o.double(s.offset))

    def encrypt(self, o, k, s, p):
        return s.replace(offset=o.double(s.offset), sum=s.sum ^ p), o.cut(p ^ s.offset ^ o.enc(s.offset), p)

    def decrypt(self, o, k, s, c):
        p = o.cut(c ^ s.offset ^ o.enc(s.offset), c)
        return s.replace(offset=o.double(s.offset), sum=s.sum ^ p), p

    def tag(self, o, k, s, n):
        return o.enc(o.enc(s.sum ^ s.offset) ^ s.a)


class SecretOffsets(Offsets):
    """The same with a start that takes a token."""

    name = "secret-offsets"

    def start(self, o, k, nonce):
        return State(offset=o.enc(nonce.block), sum=o.const(0), a=o.const(0))


class Deciphering(StreamMode):
    """Blocks under offsets, which are deciphered to open them; a partial last block is enciphered in both directions."""

    name = "deciphering"
    title = "a mode that deciphers"
    source = "for tests"
    security = "for tests: nobody has analysed it"
    nonce_bytes = ((16,),)

    def setup(self, o, key):
        return Keys()

    def start(self, o, k, nonce):
        return State(offset=nonce.block, sum=o.const(0), a=o.const(0))

    def associated(self, o, k, s, a):
        return s.replace(offset=o.double(s.offset), a=s.a ^ o.enc(a ^ s.offset))

    def partial_associated(self, o, k, s, a):
        return s.replace(offset=o.double(s.offset), a=s.a ^ o.enc(o.pad10(a, a) ^ o.double(s.offset, 2)))

    def encrypt(self, o, k, s, p):
        return s.replace(offset=o.double(s.offset), sum=s.sum ^ p), o.enc(p ^ s.offset) ^ s.offset

    def decrypt(self, o, k, s, c):
        p = o.dec(c ^ s.offset) ^ s.offset
        return s.replace(offset=o.double(s.offset), sum=s.sum ^ p), p

    def partial_encrypt(self, o, k, s, p):
        return s.replace(sum=s.sum ^ o.pad10(p, p)), o.cut(p ^ o.enc(s.offset), p)

    def partial_decrypt(self, o, k, s, c):
        p = o.cut(c ^ o.enc(s.offset), c)
        return s.replace(sum=s.sum ^ o.pad10(p, c)), p

    def tag(self, o, k, s, n):
        return o.enc(s.sum ^ o.bit_lengths(n.associated, n.text)) ^ s.a


class Ladder(StreamMode):
    """Key values times x^n for numbers of blocks, a start whose result bits of the nonce move, and a tag that follows with lengths.

    Blocks of 256 bits, another field, and two classes of nonces with a start that runs ahead.
    """

    name = "ladder"
    title = "a mode on 256-bit blocks with offsets"
    source = "for tests"
    security = "for tests: nobody has analysed it"
    field = ORDER_256
    block_bytes = 32
    cipher = QUAD256
    key_parts = (CIPHER, "h")
    nonce_bytes = ((16,), (20, 31))
    tag_bytes = (32, 20)
    most_text = (1 << 20) - 1
    most_associated = (1 << 12) - 1

    def setup(self, o, key):
        return Keys(h=key.h)

    def start(self, o, k, nonce):
        block = o.pad01(nonce) ^ o.number(nonce.tag_bytes * 7, 1, 2)
        first = o.enc(o.prefix(block, 253) if nonce.nbytes == 16 else o.double(block, 5))
        offset = o.window(first, o.shift(first, 3), o.last_bits(block, 3))
        return State(offset=offset, sum=o.const(0), mask=o.head(block, 9) if nonce.nbytes == 16 else block, own=o.double(block))

    def associated(self, o, k, s, a):
        return s.replace(sum=s.sum ^ o.enc(a ^ o.double(k.h, o.ntz(o.index(a)))))

    def encrypt(self, o, k, s, p):
        offset = s.offset ^ o.double(o.double(k.h, o.ntz(o.index(p))), 3)
        return s.replace(offset=offset, sum=s.sum ^ o.double(p)), o.cut(p ^ o.enc(offset) ^ s.own, p)

    def decrypt(self, o, k, s, c):
        offset = s.offset ^ o.double(o.double(k.h, o.ntz(o.index(c))), 3)
        p = o.cut(c ^ o.enc(offset) ^ s.own, c)
        return s.replace(offset=offset, sum=s.sum ^ o.double(p)), p

    def tag(self, o, k, s, n):
        return o.enc(s.sum ^ s.offset ^ o.bit_lengths(n.associated, n.text)) ^ s.mask ^ k.h


class HashedTwice(StreamMode):
    """Two passes under one key: a hash of the plaintext, enciphered, is the tag, and the tag is the first counter."""

    name = "hashed-twice"
    title = "a hash and a counter mode, one after the other"
    source = "for tests"
    security = "for tests: nobody has analysed it"
    nonce_bytes = ((12,), (8, 16))
    two_passes = True

    def setup(self, o, key):
        return Keys(H=o.enc(o.const(1)))

    def start(self, o, k, nonce):
        block = o.double(nonce.block) if nonce.nbytes == self.nonce_bytes[0][0] else nonce.block
        return State(y=o.const(0), nonce=block, counter=o.const(0))

    def tagged(self, o, k, s, tag):
        return s.replace(counter=tag ^ o.const(2))

    def associated(self, o, k, s, a):
        return s.replace(y=o.mul(s.y ^ o.double(a), k.H))

    def absorb(self, o, k, s, p):
        return s.replace(y=o.mul(s.y ^ p, k.H))

    def partial_absorb(self, o, k, s, p):
        return s.replace(y=o.mul(s.y ^ o.pad10(p, p), k.H))

    def stream(self, o, s, text):
        return s.replace(counter=o.add32(s.counter, 3)), o.cut(text ^ o.enc(s.counter), text)

    def encrypt(self, o, k, s, p):
        s, c = self.stream(o, s, p)
        return self.absorb(o, k, s, p), c

    def decrypt(self, o, k, s, c):
        s, p = self.stream(o, s, c)
        return self.absorb(o, k, s, p), p

    def partial_encrypt(self, o, k, s, p):
        s, c = self.stream(o, s, p)
        return self.partial_absorb(o, k, s, p), c

    def partial_decrypt(self, o, k, s, c):
        s, p = self.stream(o, s, c)
        return s.replace(y=o.mul(s.y ^ o.pad10(p, c), k.H)), p

    def tag(self, o, k, s, n):
        return o.enc(o.mul(s.y ^ o.bit_lengths(n.associated, n.text), k.H) ^ s.nonce)


class WideTwice(HashedTwice):
    """The same on blocks of 256 bits, with a hash key from the host, in a core that is built quickly."""

    name = "wide-twice"
    field = ORDER_256
    block_bytes = 32
    cipher = QUAD256
    key_parts = (CIPHER, "h")
    nonce_bytes = ((16,), (24, 32))
    tag_bytes = (32,)

    def setup(self, o, key):
        return Keys(H=key.h)
