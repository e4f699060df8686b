# SPDX-License-Identifier: Apache-2.0
"""Message modes that cannot open what they seal, each with the words of the line that its error names; and right ones that look unusual."""

from __future__ import annotations

from modeloom.modes.aes_otr import AESOTR
from modeloom.modes.ccm import CCM
from modeloom.modes.deoxys_ii import PARTIAL_TEXT, DeoxysII
from modeloom.modes.gcm import GCM
from modeloom.modes.gcm_siv import GCMSIV
from modeloom.modes.ocb3 import OCB3
from modeloom.spec.stream import StreamMode


class CounterBy2(GCM):
    """The counter of opening grows by 2."""

    def decrypt(self, o, k, s, c):
        counter = o.add32(s.counter, 2)
        p = o.cut(c ^ o.enc(counter), c)
        return s.replace(counter=counter, y=o.mul(s.y ^ c, k.H)), p


class HashOfPlaintext(GCM):
    """Opening hashes the plaintext."""

    def decrypt(self, o, k, s, c):
        counter = o.add32(s.counter, 1)
        p = o.cut(c ^ o.enc(counter), c)
        return s.replace(counter=counter, y=o.mul(s.y ^ p, k.H)), p


class TextLost(GCM):
    """Sealing gives the key stream alone."""

    def encrypt(self, o, k, s, p):
        counter = o.add32(s.counter, 1)
        c = o.cut(o.enc(counter), p)
        return s.replace(counter=counter, y=o.mul(s.y ^ c, k.H)), c


class NotCut(GCM):
    """The hash of a sealed partial block has the bytes behind the text."""

    def encrypt(self, o, k, s, p):
        counter = o.add32(s.counter, 1)
        c = p ^ o.enc(counter)
        return s.replace(counter=counter, y=o.mul(s.y ^ c, k.H)), c


class CounterKept(GCM):
    """The counter of opening does not move: only a second block shows it."""

    def decrypt(self, o, k, s, c):
        p = o.cut(c ^ o.enc(o.add32(s.counter, 1)), c)
        return s.replace(y=o.mul(s.y ^ c, k.H)), p


class EncForDec(OCB3):
    """Whole blocks are opened in the forward direction of the cipher."""

    def decrypt(self, o, k, s, c):
        offset = s.offset ^ o.double(k.L_0, o.ntz(o.index(c)))
        p = o.enc(c ^ offset) ^ offset
        return s.replace(offset=offset, checksum=s.checksum ^ p), p


class SumOfCiphertext(OCB3):
    """Opening sums the ciphertext."""

    def decrypt(self, o, k, s, c):
        offset = s.offset ^ o.double(k.L_0, o.ntz(o.index(c)))
        p = o.dec(c ^ offset) ^ offset
        return s.replace(offset=offset, checksum=s.checksum ^ c), p


class PaddingForgotten(OCB3):
    """A partial block that is opened is summed without its padding."""

    def partial_decrypt(self, o, k, s, c):
        offset = s.offset ^ k.L_star
        p = o.cut(c ^ o.enc(offset), c)
        return s.replace(offset=offset, checksum=s.checksum ^ p), p


class OneMoreZero(OCB3):
    """The offset of opening is that of the next number of zeros, and of the first block alone it is right."""

    def decrypt(self, o, k, s, c):
        offset = s.offset ^ o.double(k.L_0, o.ntz(o.index(c))) ^ o.if_whole(s.checksum, c) ^ s.checksum
        p = o.dec(c ^ o.double(offset)) ^ offset
        return s.replace(offset=offset, checksum=s.checksum ^ p), p


class MacOfCiphertext(CCM):
    """Opening chains the ciphertext."""

    def decrypt(self, o, k, s, c):
        counter = o.add64(s.counter, 1)
        p = o.cut(c ^ o.enc(counter), c)
        return s.replace(counter=counter, y=o.enc(s.y ^ c)), p


class SecondPassDiffers(GCMSIV):
    """The pass that encrypts hashes the block without the state."""

    def encrypt(self, o, k, s, p):
        return s.replace(y=o.mul(p, k.H), counter=o.add(s.counter, 1, 32, "little")), o.cut(p ^ o.enc(s.counter), p)


class BigEndian(GCMSIV):
    """The counter of opening is big-endian."""

    def decrypt(self, o, k, s, c):
        p = o.cut(c ^ o.enc(s.counter), c)
        return self.absorb(o, k, s, p).replace(counter=o.add(s.counter, 1, 32, "big")), p


class WrongPadding(DeoxysII):
    """A partial block that is opened is absorbed as a whole one."""

    def partial_decrypt(self, o, k, s, c):
        p = o.cut(c ^ o.tenc(s.nonce, s.stream ^ s.number), c)
        return s.replace(auth=s.auth ^ o.tenc(p, s.number ^ o.const(PARTIAL_TEXT))), p


class HalvesSwapped(AESOTR):
    """The blocks of an opened pair are exchanged."""

    def decrypt(self, o, k, s, c):
        p1 = o.enc(s.mask ^ o.double(s.mask) ^ c[0]) ^ c[1]
        p2 = o.enc(s.mask ^ p1) ^ c[0]
        return s.replace(mask=o.double(s.mask), sum=s.sum ^ p2), (p2, p1)


class LastPairUnpadded(AESOTR):
    """The last pair is opened without the padding of its second block."""

    def last_decrypt(self, o, k, s, c):
        p1 = o.enc(s.mask ^ o.double(s.mask) ^ c[1]) ^ c[0]
        z = o.enc(s.mask ^ p1)
        return self.last_pair(o, s, z, c[1], c[1]), (p1, o.cut(z ^ c[1], c[1]))


class SingleWithoutSum(AESOTR):
    """A last block without a partner is not summed when it is opened."""

    def single_decrypt(self, o, k, s, c):
        return s.replace(sum=s.sum), o.cut(o.enc(s.mask) ^ c, c)


class CarryBehind32Bits(GCM):
    """The counter of opening carries further: no message that anybody tries shows it."""

    def decrypt(self, o, k, s, c):
        counter = o.add64(s.counter, 1)
        p = o.cut(c ^ o.enc(counter), c)
        return s.replace(counter=counter, y=o.mul(s.y ^ c, k.H)), p


class HarmlessBeside(GCM):
    """A name of the state that no tag depends on differs, too, and comes before the one that is wrong."""

    def start(self, o, k, nonce):
        from modeloom.spec.stream import State

        return State(seen=o.const(0), **dict(super().start(o, k, nonce).items()))

    def encrypt(self, o, k, s, p):
        s, c = super().encrypt(o, k, s, p)
        return s.replace(seen=p), c

    def decrypt(self, o, k, s, c):
        counter = o.add32(s.counter, 1)
        p = o.cut(c ^ o.enc(counter), c)
        return s.replace(
            seen=c,
            counter=counter, y=o.mul(s.y ^ p, k.H),
        ), p  # fmt: skip


BROKEN: tuple[tuple[type[StreamMode], str], ...] = (
    (CounterBy2, "p = o.cut"),
    (HashOfPlaintext, "y=o.mul(s.y ^ p"),
    (TextLost, "c = o.cut(o.enc(counter), p)"),
    (NotCut, "y=o.mul(s.y ^ c, k.H)), c"),
    (CounterKept, "p = o.cut"),
    (EncForDec, "p = o.enc"),
    (SumOfCiphertext, "checksum=s.checksum ^ c"),
    (PaddingForgotten, "checksum=s.checksum ^ p), p"),
    (OneMoreZero, "p = o.dec"),
    (MacOfCiphertext, "y=o.enc(s.y ^ c)"),
    (SecondPassDiffers, "y=o.mul(p, k.H)"),
    (BigEndian, "p = o.cut"),
    (WrongPadding, "auth=s.auth ^ o.tenc(p,"),
    (HalvesSwapped, "p2 = o.enc"),
    (LastPairUnpadded, "p1 = o.enc"),
    (SingleWithoutSum, "def single_decrypt"),
    (CarryBehind32Bits, "o.add64(s.counter, 1)"),
    (HarmlessBeside, "y=o.mul(s.y ^ p"),
)
"""Definitions, and a part of the line that the error names."""


class OwnOfSealing(GCM):
    """Sealing keeps a sum that nothing else reads."""

    def start(self, o, k, nonce):
        from modeloom.spec.stream import State

        s = super().start(o, k, nonce)
        return State(**dict(s.items()), sealed=o.const(0))

    def encrypt(self, o, k, s, p):
        s, c = super().encrypt(o, k, s, p)
        return s.replace(sealed=s.sealed ^ p), c


class TwoThatBelongTogether(GCM):
    """Opening doubles the mask where sealing has it doubled already: not from every state, but in every message."""

    def start(self, o, k, nonce):
        from modeloom.spec.stream import State

        s = super().start(o, k, nonce)
        return State(**dict(s.items()), doubled=o.double(s.mask))

    def encrypt(self, o, k, s, p):
        counter = o.add32(s.counter, 1)
        c = o.cut(p ^ o.enc(counter ^ s.doubled), p)
        return s.replace(counter=counter, y=o.mul(s.y ^ c, k.H)), c

    def decrypt(self, o, k, s, c):
        counter = o.add32(s.counter, 1)
        p = o.cut(c ^ o.enc(counter ^ o.double(s.mask)), c)
        return s.replace(counter=counter, y=o.mul(s.y ^ c, k.H)), p


class SameInOtherWords(GCM):
    """Opening counts with a number whose bytes are exchanged before and after, which normal forms do not know."""

    def decrypt(self, o, k, s, c):
        back = o.shift(o.shift(s.counter, 96), -96)
        counter = o.shift(o.shift(o.add32(back, 1), 96), -96) ^ s.counter ^ back
        p = o.cut(c ^ o.enc(counter), c)
        return s.replace(counter=counter, y=o.mul(s.y ^ c, k.H)), p


class FewAssociated(GCM):
    """A block of associated data is the most."""

    most_associated = 16


class NoAssociated(GCM):
    """Text alone."""

    most_associated = 0


class NoText(GCM):
    """A code for messages."""

    most_text = 0


class FewText(GCM):
    """A text of ten bytes is the longest."""

    most_text = 10


RIGHT: tuple[tuple[type[StreamMode], str], ...] = (
    (OwnOfSealing, "proved"),
    (TwoThatBelongTogether, "tested"),
    (SameInOtherWords, "tested"),
    (FewAssociated, "proved"),
    (NoAssociated, "proved"),
    (NoText, "proved"),
    (FewText, "proved"),
)
"""Right definitions, and what is said of them."""
