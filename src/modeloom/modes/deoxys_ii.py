# SPDX-License-Identifier: Apache-2.0
"""Deoxys-II-128-128: a sum of enciphered blocks is the tag, and the tag is the tweak of the key stream."""

from modeloom.spec import Keys
from modeloom.spec.stream import State, StreamMode

ASSOCIATED, PARTIAL_ASSOCIATED, PARTIAL_TEXT, TAG = 0x20, 0x60, 0x40, 0x10  # prefixes of tweaks, in the first 4 bits of byte 0


class DeoxysII(StreamMode):
    """Deoxys-II-128-128 (Deoxys v1.43, 2.5).  Tweaks have a prefix and the number of the block; those of the key stream begin with a 1."""

    name = "deoxys-ii"
    title = "Deoxys-II-128-128"
    source = "Jean, Nikolić, Peyrin, Seurin: Deoxys v1.43, 2021"
    security = (
        "confidentiality and authenticity up to 2^128 in theory if no nonce is used twice, and up to the birthday bound otherwise; a nonce "
        "that is used for a few messages reveals only which of them are equal"
    )
    cipher = "deoxys-bc"
    nonce_bytes = ((15,),)
    two_passes = True

    def setup(self, o, key):
        return Keys()

    def start(self, o, k, nonce):
        last = o.shift(nonce.block, -8)
        return State(nonce=last, associated=o.const(ASSOCIATED), number=o.const(0), auth=o.const(0), stream=o.const(0))

    def tagged(self, o, k, s, tag):
        return s.replace(stream=o.shift(o.shift(tag, 1), -1) ^ o.const(0x80))

    def associated(self, o, k, s, a):
        return s.replace(associated=o.add64(s.associated, 1), auth=s.auth ^ o.tenc(a, s.associated))

    def partial_associated(self, o, k, s, a):
        return s.replace(auth=s.auth ^ o.tenc(o.pad10(a, a), s.associated ^ o.const(ASSOCIATED ^ PARTIAL_ASSOCIATED)))

    def absorb(self, o, k, s, p):
        return s.replace(number=o.add64(s.number, 1), auth=s.auth ^ o.tenc(p, s.number))

    def partial_absorb(self, o, k, s, p):
        return s.replace(auth=s.auth ^ o.tenc(o.pad10(p, p), s.number ^ o.const(PARTIAL_TEXT)))

    def encrypt(self, o, k, s, p):
        return self.absorb(o, k, s, p), p ^ o.tenc(s.nonce, s.stream ^ s.number)

    def decrypt(self, o, k, s, c):
        p = c ^ o.tenc(s.nonce, s.stream ^ s.number)
        return self.absorb(o, k, s, p), p

    def partial_encrypt(self, o, k, s, p):
        return self.partial_absorb(o, k, s, p), o.cut(p ^ o.tenc(s.nonce, s.stream ^ s.number), p)

    def partial_decrypt(self, o, k, s, c):
        p = o.cut(c ^ o.tenc(s.nonce, s.stream ^ s.number), c)
        return s.replace(auth=s.auth ^ o.tenc(o.pad10(p, c), s.number ^ o.const(PARTIAL_TEXT))), p

    def tag(self, o, k, s, n):
        return o.tenc(s.auth, s.nonce ^ o.const(TAG))
