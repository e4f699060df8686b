# SPDX-License-Identifier: Apache-2.0
"""OCB3: blocks under offsets, a checksum of the text, and a sum of the associated data.  RFC 7253."""

from modeloom.spec import CMAC_ORDER, Keys
from modeloom.spec.stream import State, StreamMode


class OCB3(StreamMode):
    """Offset codebook mode, version 3 (RFC 7253, sections 4.1 to 4.3)."""

    name = "ocb3"
    title = "OCB3"
    source = "RFC 7253, 2014"
    security = (
        "confidentiality and authenticity up to about sigma^2/2^128 (birthday bound; RFC 7253 allows 2^48 blocks under a key), as long as "
        "no nonce is used twice under a key; a repeated nonce breaks the confidentiality of its messages, and allows forgeries"
    )
    field = CMAC_ORDER
    nonce_bytes = ((12, *range(1, 12), *range(13, 16)),)
    tag_bytes = (16, 12, 8)
    most_associated = most_text = (1 << 36) - 1

    def setup(self, o, key):
        L = o.enc(o.const(0))
        return Keys(L_star=L, L_dollar=o.double(L), L_0=o.double(L, 2))

    def start(self, o, k, nonce):
        block = o.number(8 * nonce.tag_bytes % 128 * 2, 0, 1) ^ o.pad01(nonce)
        bottom = o.last_bits(block, 6)
        ktop = o.enc(o.prefix(block, 122))
        offset = o.window(ktop, ktop ^ o.shift(ktop, 8), bottom)
        return State(offset=offset, checksum=o.const(0), hash_offset=o.const(0), sum=o.const(0))

    def associated(self, o, k, s, a):
        offset = s.hash_offset ^ o.double(k.L_0, o.ntz(o.index(a)))
        return s.replace(hash_offset=offset, sum=s.sum ^ o.enc(a ^ offset))

    def partial_associated(self, o, k, s, a):
        return s.replace(sum=s.sum ^ o.enc(o.pad10(a, a) ^ s.hash_offset ^ k.L_star))

    def encrypt(self, o, k, s, p):
        offset = s.offset ^ o.double(k.L_0, o.ntz(o.index(p)))
        return s.replace(offset=offset, checksum=s.checksum ^ p), o.enc(p ^ offset) ^ offset

    def decrypt(self, o, k, s, c):
        offset = s.offset ^ o.double(k.L_0, o.ntz(o.index(c)))
        p = o.dec(c ^ offset) ^ offset
        return s.replace(offset=offset, checksum=s.checksum ^ p), p

    def partial_encrypt(self, o, k, s, p):
        offset = s.offset ^ k.L_star
        return s.replace(offset=offset, checksum=s.checksum ^ o.pad10(p, p)), o.cut(p ^ o.enc(offset), p)

    def partial_decrypt(self, o, k, s, c):
        offset = s.offset ^ k.L_star
        p = o.cut(c ^ o.enc(offset), c)
        return s.replace(offset=offset, checksum=s.checksum ^ o.pad10(p, c)), p

    def tag(self, o, k, s, n):
        return o.enc(s.checksum ^ s.offset ^ k.L_dollar) ^ s.sum
