# SPDX-License-Identifier: Apache-2.0
"""Deoxys-I-128-128: blocks under tweaks of their own, a checksum of the text, and a sum of the associated data."""

from modeloom.spec import Keys
from modeloom.spec.stream import State, StreamMode

ASSOCIATED, PARTIAL_ASSOCIATED, PARTIAL_TEXT, TAG = 0x20, 0x60, 0x40, 0x10  # prefixes of tweaks, in the first 4 bits of byte 0


class DeoxysI(StreamMode):
    """Deoxys-I-128-128 (Deoxys v1.41, 2.4).  A tweak has a prefix of 4 bits, then nonce and number of the block, or its number alone."""

    name = "deoxys-i"
    title = "Deoxys-I-128-128"
    source = "Jean, Nikolić, Peyrin, Seurin: Deoxys v1.41, 2016"
    security = "confidentiality and authenticity up to 2^128 in theory, as long as no nonce is used twice; a repeated nonce breaks both"
    cipher = "deoxys-bc"
    nonce_bytes = ((8,),)

    def setup(self, o, key):
        return Keys()

    def start(self, o, k, nonce):
        associated = o.const(ASSOCIATED)
        return State(tweak=o.shift(nonce.block, -4), associated=associated, auth=o.const(0), checksum=o.const(0), last=o.const(0))

    def associated(self, o, k, s, a):
        return s.replace(associated=o.add64(s.associated, 1), auth=s.auth ^ o.tenc(a, s.associated))

    def partial_associated(self, o, k, s, a):
        return s.replace(auth=s.auth ^ o.tenc(o.pad10(a, a), s.associated ^ o.const(ASSOCIATED ^ PARTIAL_ASSOCIATED)))

    def encrypt(self, o, k, s, p):
        return s.replace(tweak=o.add64(s.tweak, 1), checksum=s.checksum ^ p), o.tenc(p, s.tweak)

    def decrypt(self, o, k, s, c):
        p = o.tdec(c, s.tweak)
        return s.replace(tweak=o.add64(s.tweak, 1), checksum=s.checksum ^ p), p

    def partial_encrypt(self, o, k, s, p):
        last = o.const(PARTIAL_TEXT)
        c = o.cut(p ^ o.tenc(o.const(0), s.tweak ^ last), p)
        return s.replace(tweak=o.add64(s.tweak, 1), last=last, checksum=s.checksum ^ o.pad10(p, p)), c

    def partial_decrypt(self, o, k, s, c):
        last = o.const(PARTIAL_TEXT)
        p = o.cut(c ^ o.tenc(o.const(0), s.tweak ^ last), c)
        return s.replace(tweak=o.add64(s.tweak, 1), last=last, checksum=s.checksum ^ o.pad10(p, c)), p

    def tag(self, o, k, s, n):
        return o.tenc(s.checksum, s.tweak ^ s.last ^ o.const(TAG)) ^ s.auth
