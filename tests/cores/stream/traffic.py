# SPDX-License-Identifier: Apache-2.0
"""Random messages for cores, with what must come of each."""

from __future__ import annotations

from dataclasses import dataclass

from tests.cores.stream.host import Sent

from modeloom.definition.messages import StreamModel

__all__ = ["Expected", "Traffic"]


@dataclass(frozen=True)
class Expected:
    """What a core has to tell of a message, and the text that it has to give."""

    code: str
    tag: bytes
    text: bytes


class Traffic:
    """Makes messages under the keys of some slots.

    Parameters
    ----------
    mode : StreamMode
    keys : list of bytes
        The key of each slot.
    rng : Random
    """

    def __init__(self, mode, keys, rng):
        self.mode, self.keys, self.rng = mode, keys, rng
        self.models = [StreamModel(mode, key) for key in keys]

    def one(self, nonce_bytes=None, ad=0, text=0, slot=None, decrypt=None, tag_bytes=None, wrong=False, nonce=None):
        """A message of given lengths; what is not given is drawn."""
        rng, mode = self.rng, self.mode
        slot = rng.randrange(len(self.models)) if slot is None else slot
        decrypt = rng.random() < 0.5 if decrypt is None else decrypt
        tag_bytes = tag_bytes or mode.tag_bytes[0]
        nonce = nonce or rng.randbytes(nonce_bytes or mode.nonce_bytes[0][0])
        ad, text = rng.randbytes(ad), rng.randbytes(text)
        made, tag = self.models[slot].run("encrypt", nonce, text, ad, tag_bytes)
        tag = tag[:tag_bytes]
        if not decrypt:
            return Sent(nonce, text, ad, slot, tag_bytes=tag_bytes), Expected("OK", tag, made)
        given = bytearray(tag)
        if wrong:
            given[rng.randrange(tag_bytes)] ^= 1 << rng.randrange(8)
        sent = Sent(nonce, made, ad, slot, True, bytes(given), tag_bytes)
        return sent, Expected("WRONG_TAG" if wrong else "OK", b"", text)

    def some(self, count, most=80):
        """Messages of all kinds."""
        rng, mode, size = self.rng, self.mode, self.mode.block_bytes
        lengths = [length for lengths in mode.nonce_bytes for length in lengths]

        def length():
            return rng.choice([0, 1, size - 1, size, size + 1, 2 * size, rng.randrange(most), rng.randrange(most)])

        return [
            self.one(
                rng.choice(lengths) if rng.random() < 0.1 else None, length(), length(), tag_bytes=rng.choice(mode.tag_bytes),
                wrong=rng.random() < 0.2,
            )
            for _ in range(count)
        ]  # fmt: skip


def check(host, made):
    """Runs messages and compares all that comes with what has to."""
    first = host.ids
    statuses, packets = host.run([sent for sent, _ in made])
    for number, (got, (_, expected)) in enumerate(zip(statuses, made, strict=True)):
        tag = expected.tag.ljust(host.size, b"\0")
        assert (got.code, got.id, got.tag) == (expected.code, first + number & 0xFFFF, tag), number
    assert packets == [(expected.text, 0) for _, expected in made if expected.text]
    return statuses


def tokens(made, size=16, lanes=1):
    """Cycles that messages need: one for as many blocks as there are lanes, and one for the tag unless a lane is free for it."""
    total = 0
    for sent, _ in made:
        blocks = [-(-len(part) // size) for part in (sent.ad, sent.text)]
        last = blocks[1] or blocks[0]
        total += sum(-(-count // lanes) for count in blocks) + (last % lanes == 0)
    return total
