# SPDX-License-Identifier: Apache-2.0
"""GCM: counter mode and a polynomial hash of the ciphertext.  NIST SP 800-38D."""

from modeloom.spec import GHASH_ORDER, Keys
from modeloom.spec.stream import State, StreamMode


class GCM(StreamMode):
    """Galois/Counter Mode (SP 800-38D, section 7); GMAC is GCM without text."""

    name = "gcm"
    title = "GCM"
    source = "NIST SP 800-38D, 2007"
    security = (
        "confidentiality and authenticity up to about sigma^2/2^128 (birthday bound), as long as no nonce is used twice under a key; a "
        "repeated nonce breaks the confidentiality of its messages and reveals the hash key, so that forgeries are possible (SP 800-38D, "
        "appendix A); short tags allow forgeries (appendix C)"
    )
    field = GHASH_ORDER
    nonce_bytes = ((12,), (*range(1, 12), *range(13, 17)))
    tag_bytes = (16, 15, 14, 13, 12, 8, 4)
    most_text = (1 << 36) - 32

    def setup(self, o, key):
        return Keys(H=o.enc(o.const(0)))

    def start(self, o, k, nonce):
        if nonce.nbytes == 12:
            j0 = nonce.block ^ o.const(1 << 120)
        else:
            j0 = o.mul(o.mul(nonce.block, k.H) ^ o.bit_lengths(0, nonce.nbytes), k.H)
        return State(y=o.const(0), counter=j0, mask=o.enc(j0))

    def associated(self, o, k, s, a):
        return s.replace(y=o.mul(s.y ^ a, k.H))

    def encrypt(self, o, k, s, p):
        counter = o.add32(s.counter, 1)
        c = o.cut(p ^ o.enc(counter), p)
        return s.replace(counter=counter, y=o.mul(s.y ^ c, k.H)), c

    def decrypt(self, o, k, s, c):
        counter = o.add32(s.counter, 1)
        p = o.cut(c ^ o.enc(counter), c)
        return s.replace(counter=counter, y=o.mul(s.y ^ c, k.H)), p

    def tag(self, o, k, s, n):
        return o.mul(s.y ^ o.bit_lengths(n.associated, n.text), k.H) ^ s.mask
