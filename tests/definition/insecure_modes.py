# SPDX-License-Identifier: Apache-2.0
"""Message modes that open what they seal and are insecure, each with words of the warning that it must get.

This file is also given to commands by its path.
"""

from __future__ import annotations

from modeloom.modes.aes_otr import AESOTR
from modeloom.modes.ccm import CCM
from modeloom.modes.gcm import GCM
from modeloom.modes.gcm_siv import GCMSIV
from modeloom.modes.ocb3 import OCB3
from modeloom.spec import Keys
from modeloom.spec.stream import MessageKeys, State, StreamMode


class Clear(GCM):
    """The text is hashed, and not enciphered."""

    def encrypt(self, o, k, s, p):
        return s.replace(y=o.mul(s.y ^ p, k.H)), p

    decrypt = encrypt


class ClearEnd(GCM):
    """The last byte of each block is not enciphered."""

    def encrypt(self, o, k, s, p):
        counter = o.add32(s.counter, 1)
        c = o.cut(p ^ o.head(o.enc(counter), 15), p)
        return s.replace(counter=counter, y=o.mul(s.y ^ c, k.H)), c

    def decrypt(self, o, k, s, c):
        counter = o.add32(s.counter, 1)
        p = o.cut(c ^ o.head(o.enc(counter), 15), c)
        return s.replace(counter=counter, y=o.mul(s.y ^ c, k.H)), p


class MaskOfNonce(GCM):
    """The key stream is the counter."""

    def encrypt(self, o, k, s, p):
        counter = o.add32(s.counter, 1)
        c = o.cut(p ^ counter, p)
        return s.replace(counter=counter, y=o.mul(s.y ^ c, k.H)), c

    def decrypt(self, o, k, s, c):
        counter = o.add32(s.counter, 1)
        p = o.cut(c ^ counter, c)
        return s.replace(counter=counter, y=o.mul(s.y ^ c, k.H)), p


class NoAssociated(GCM):
    """Associated data are left out of the hash."""

    def associated(self, o, k, s, a):
        return s


class PartOfAssociated(OCB3):
    """The last byte of a block of associated data is cut off."""

    def associated(self, o, k, s, a):
        offset = s.hash_offset ^ o.double(k.L_0, o.ntz(o.index(a)))
        return s.replace(hash_offset=offset, sum=s.sum ^ o.enc(o.head(a, 15) ^ offset))


class NoText(GCM):
    """The text is left out of the hash."""

    def encrypt(self, o, k, s, p):
        counter = o.add32(s.counter, 1)
        return s.replace(counter=counter), o.cut(p ^ o.enc(counter), p)

    decrypt = encrypt


class NoLengths(GCM):
    """The tag has no lengths: zeros at the end of a text, or of associated data, do not count."""

    def tag(self, o, k, s, n):
        return o.mul(s.y, k.H) ^ s.mask


class OneLength(GCM):
    """The tag has the length of both together."""

    def tag(self, o, k, s, n):
        return o.mul(s.y ^ o.bit_lengths(0, n.text), k.H) ^ s.mask


class PaddingNotSeparated(OCB3):
    """A partial block is padded, and summed under the offset of a whole one."""

    def partial_associated(self, o, k, s, a):
        offset = s.hash_offset ^ o.double(k.L_0, o.ntz(o.index(a)))
        return s.replace(hash_offset=offset, sum=s.sum ^ o.enc(o.pad10(a, a) ^ offset))


class FixedStream(GCM):
    """The key stream does not depend on the nonce, and the tag does."""

    def start(self, o, k, nonce):
        s = super().start(o, k, nonce)
        return s.replace(counter=o.const(1 << 120))


class PartOfNonce(GCM):
    """The counter leaves out a byte of the nonce."""

    nonce_bytes = ((12,),)

    def start(self, o, k, nonce):
        s = super().start(o, k, nonce)
        return s.replace(counter=o.head(nonce.block, 11) ^ o.const(1 << 120))


class SecondClass(GCM):
    """The key stream does not depend on nonces that are not of 12 bytes."""

    def start(self, o, k, nonce):
        s = super().start(o, k, nonce)
        return s if nonce.nbytes == 12 else s.replace(counter=o.const(5))


class TagWithoutNonce(GCM):
    """The tag does not depend on the nonce."""

    def start(self, o, k, nonce):
        s = super().start(o, k, nonce)
        return s.replace(mask=o.enc(o.const(7)))


class SameStream(GCM):
    """Each block has the same key stream."""

    def encrypt(self, o, k, s, p):
        c = o.cut(p ^ o.enc(s.counter), p)
        return s.replace(y=o.mul(s.y ^ c, k.H)), c

    def decrypt(self, o, k, s, c):
        p = o.cut(c ^ o.enc(s.counter), c)
        return s.replace(y=o.mul(s.y ^ c, k.H)), p


class Codebook(OCB3):
    """Whole blocks have no offset."""

    def encrypt(self, o, k, s, p):
        return s.replace(checksum=s.checksum ^ p), o.enc(p)

    def decrypt(self, o, k, s, c):
        p = o.dec(c)
        return s.replace(checksum=s.checksum ^ p), p


class TagOfLengths(GCM):
    """The tag is the lengths."""

    def tag(self, o, k, s, n):
        return o.bit_lengths(n.associated, n.text)


class UnusedKey(GCM):
    """A part of the key is read by nothing."""

    key_parts = ("cipher", "pepper")

    def setup(self, o, key):
        return Keys(H=o.enc(o.const(0)), pepper=key.pepper)


class SecondOfPair(AESOTR):
    """The second block of a pair is outside of the checksum, and in the clear."""

    def encrypt(self, o, k, s, p):
        return s.replace(mask=o.double(s.mask), sum=s.sum ^ p[0]), (o.enc(s.mask) ^ p[0], p[1])

    def decrypt(self, o, k, s, c):
        p0 = o.enc(s.mask) ^ c[0]
        return s.replace(mask=o.double(s.mask), sum=s.sum ^ p0), (p0, c[1])


class SyntheticWithoutAssociated(GCMSIV):
    """A mode with two passes whose tag leaves out associated data."""

    def associated(self, o, k, s, a):
        return s


class StreamWithoutTag(GCMSIV):
    """A mode with two passes whose key stream depends on the nonce alone."""

    def tagged(self, o, k, s, tag):
        return s.replace(counter=s.nonce)


class KeyWithoutNonce(GCMSIV):
    """The cipher key of all messages is the same."""

    def derive(self, o, nonce, key_blocks):
        made = super().derive(o, nonce, key_blocks).blocks()
        return MessageKeys(authentication=made["authentication"], cipher=[o.enc(o.const(77 + i)) for i in range(key_blocks)])


class ChainWithoutLengths(CCM):
    """The first block of the chain has no length of the text, and associated data have no prefix."""

    lengths_first = False
    associated_prefix = ()

    def start(self, o, k, nonce):
        behind_flags = o.double(nonce.block, 8)
        counter0 = o.const(2) ^ behind_flags
        return State(y=o.enc(o.const(0x42) ^ behind_flags), counter=counter0, mask=o.enc(counter0))


INSECURE: tuple[tuple[type[StreamMode], str], ...] = (
    (Clear, "leaves in the clear"),
    (ClearEnd, "byte 15 of a text of 16 bytes leaves in the clear"),
    (MaskOfNonce, "do not depend on the key"),
    (NoAssociated, "of the associated data"),
    (PartOfAssociated, "byte 15 of the associated data"),
    (NoText, "of the ciphertext"),
    (NoLengths, "have one tag by construction"),
    (OneLength, "have one tag by construction"),
    (PaddingNotSeparated, "have one tag by construction"),
    (FixedStream, "does not depend on a nonce of 12 bytes"),
    (PartOfNonce, "byte 11 of a nonce of 12 bytes"),
    (SecondClass, "does not depend on a nonce of 1 byte"),
    (TagWithoutNonce, "of the nonce"),
    (SameStream, "are enciphered alike"),
    (Codebook, "are enciphered alike"),
    (TagOfLengths, "of the tag"),
    (UnusedKey, "nothing depends on the part pepper of the key"),
    (SecondOfPair, "leaves in the clear"),
    (SyntheticWithoutAssociated, "of the associated data"),
    (StreamWithoutTag, "does not depend on the tag"),
    (KeyWithoutNonce, "the part cipher of the key of a message does not depend on the nonce"),
    (ChainWithoutLengths, "have one tag by construction"),
)
"""Definitions, and words of a warning that each gets."""
