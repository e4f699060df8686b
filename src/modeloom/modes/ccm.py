# SPDX-License-Identifier: Apache-2.0
"""CCM: counter mode with a CBC-MAC of the plaintext.  NIST SP 800-38C."""

from modeloom.spec import GHASH_ORDER, Keys
from modeloom.spec.stream import LengthPrefix, State, StreamMode


class CCM(StreamMode):
    """Counter with Cipher Block Chaining-Message Authentication Code (SP 800-38C); blocks as in its appendix A."""

    name = "ccm"
    title = "CCM"
    source = "NIST SP 800-38C, 2004"
    security = (
        "confidentiality and authenticity up to about sigma^2/2^128 (birthday bound), as long as no nonce is used twice under a key; a "
        "repeated nonce breaks the confidentiality of its messages; short tags allow forgeries (SP 800-38C, appendix B)"
    )
    field = GHASH_ORDER
    nonce_bytes = ((12, 7, 8, 9, 10, 11, 13),)
    tag_bytes = (16, 14, 12, 10, 8, 6, 4)
    most_text_with_nonce = {nbytes: 256 ** (15 - nbytes) - 1 for nbytes in range(7, 14)}
    lengths_first = True
    associated_prefix = (LengthPrefix(1, b"", 2), LengthPrefix(0xFF00, b"\xff\xfe", 4), LengthPrefix(1 << 32, b"\xff\xff", 8))

    def setup(self, o, key):
        return Keys()

    def start(self, o, k, nonce, n):
        q, behind_flags = 15 - nonce.nbytes, o.double(nonce.block, 8)
        flags = 64 * (n.associated > 0) + 8 * ((n.tag - 2) // 2) + q - 1
        b0 = o.number(flags, 0, 1) ^ behind_flags ^ o.number(n.text, 8, 8)
        counter0 = o.number(q - 1, 0, 1) ^ behind_flags
        return State(y=o.enc(b0), counter=counter0, mask=o.enc(counter0))

    def associated(self, o, k, s, a):
        return s.replace(y=o.enc(s.y ^ a))

    def encrypt(self, o, k, s, p):
        counter = o.add64(s.counter, 1)
        return s.replace(counter=counter, y=o.enc(s.y ^ p)), o.cut(p ^ o.enc(counter), p)

    def decrypt(self, o, k, s, c):
        counter = o.add64(s.counter, 1)
        p = o.cut(c ^ o.enc(counter), c)
        return s.replace(counter=counter, y=o.enc(s.y ^ p)), p

    def tag(self, o, k, s, n):
        return s.y ^ s.mask
