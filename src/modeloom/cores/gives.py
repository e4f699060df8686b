# SPDX-License-Identifier: Apache-2.0
"""What a mode gives to those who use it, and what it does not give, in a sentence or two.

``security`` of a definition has bounds and attacks.  These sentences come before it in the HTML datasheet.
"""

from __future__ import annotations

from modeloom.spec import Mode
from modeloom.spec.keyed import Definition
from modeloom.spec.stream import StreamMode

__all__ = ["gives"]

WIDE = (
    "This is a wide-block mode: each bit of the result depends on each bit of the sector, of the tweak and of the key. If one bit of "
    "ciphertext changes, the whole sector decrypts to noise."
)  # fmt: skip

UNTAGGED = (
    "It is deterministic, and it authenticates nothing, because there is no tag. Equal sectors under equal keys and tweaks give equal "
    "results. Anyone who can write to the disk can put an old sector back, and no error tells the host that a sector was changed."
)  # fmt: skip

TAGGED = (
    "This is authenticated encryption: text is hidden, and a message is refused if its text, associated data, nonce or tag has changed."
)  # fmt: skip

NONCE = "**A nonce must never be used twice under a key.** The host must ensure this. The core does not track nonces."

MISUSE = (
    "If a nonce is used twice, no text and no key is revealed. An observer only sees which messages under this nonce are equal. Distinct "
    "nonces are still better."
)  # fmt: skip

MEANT = (
    "This mode was meant to be a wide-block mode, in which each bit of the result depends on each bit of the sector, of the tweak and of "
    "the key."
)  # fmt: skip

NARROW = (
    "This mode encrypts each block of 16 bytes separately. The place of a block in the sector is part of its tweak. It is not a wide-block "
    "mode: each output block depends on one input block, or on the last two blocks with ciphertext stealing."
)  # fmt: skip

OF_MODES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("hctr2", "hctr", "hch", "hchfp", "heh-brw", "heh-brw-pi", "heh-poly", "tet", "eme", "eme2", "cmc"), (WIDE, UNTAGGED)),
    **dict.fromkeys(("xts", "xts-gb", "xts-ieee"), (NARROW, UNTAGGED)),
    **dict.fromkeys(("hmch-brw", "hmch-poly", "xcb", "xcb-1619"), (MEANT, UNTAGGED)),
    **dict.fromkeys(("gcm", "ccm", "ocb3", "aes-otr", "deoxys-i"), (TAGGED, NONCE)),
    **dict.fromkeys(("gcm-siv", "deoxys-ii"), (TAGGED, MISUSE)),
}
"""The sentences by the names of modes.

Wide blocks: HCTR2 (Crowley, Huckleberry, Biggers, eprint 2021/1441), and the papers that ``source`` of each mode names.  XTS: SP 800-38E
and Rogaway's evaluation of 2011, chapter 6.  Nonces: SP 800-38D, SP 800-38C, RFC 7253, RFC 8452, and the Deoxys submission to CAESAR.
"""


def gives(mode: Definition) -> tuple[str, ...]:
    """The sentences for a mode.  A mode that a user brings has those that follow from its class alone, and a line that says so."""
    known = OF_MODES.get(mode.name)
    if known is not None and not mode.place:
        return known
    own = "This definition is not one of modeloom's. Its security properties are those that its author states."
    if isinstance(mode, StreamMode):
        return (own, "It is written as authenticated encryption: its core gives a tag, and refuses messages with another one.")
    if isinstance(mode, Mode):
        return (own, "It preserves the length of a sector and therefore has no tag.")
    return (own,)
