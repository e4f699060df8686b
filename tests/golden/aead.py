# SPDX-License-Identifier: Apache-2.0
"""What the tests of several AEADs check: published vectors, oracles on random messages and on every alignment, refusals, mistakes."""

import importlib

import pytest
from tests.golden.relations import flipped

from modeloom import vectors
from modeloom_golden import AES, AuthenticationError

ALIGNMENTS = [(ad, text) for ad in range(65) for text in range(65)]
"""Bytes of associated data and of text: up to four blocks, every alignment."""

SAMPLE = ALIGNMENTS[::31] + [(ad, text) for ad in (0, 15, 16, 17) for text in (0, 15, 16, 17, 32, 33, 64)]


def check_published(file, reference_of_key, wrong_length=()):
    """Both directions of every test; tests with a flag of *wrong_length* are refused for a length, others for their tag.

    Returns how many opened, and how many were refused for each reason.
    """
    opened = wrong_tags = wrong_lengths = 0
    for test in vectors.load(file)["tests"]:
        key, nonce, ad, text, c, t = (bytes.fromhex(test[value]) for value in ("key", "nonce", "aad", "pt", "ct", "tag"))
        reference, place = reference_of_key(key), (test["tcId"], test["comment"])
        if test["result"] == "valid":
            assert reference.seal(nonce, text, ad, len(t)) == c + t, place
            assert reference.open(nonce, c + t, ad, len(t)) == text, place
            opened += 1
        elif set(test["flags"]) & set(wrong_length):
            for call, data in ((reference.seal, text), (reference.open, c + t)):
                with pytest.raises(ValueError, match="tag has|nonce has"):
                    call(nonce, data, ad, len(t))
            wrong_lengths += 1
        else:
            with pytest.raises(AuthenticationError, match="the tag is wrong"):
                reference.open(nonce, c + t, ad, len(t))
            wrong_tags += 1
    return opened, wrong_tags, wrong_lengths


def check_both_ways(reference, sealed, nonce, text, ad, tag_bytes=16):
    """*text* is sealed to *sealed*, and opens again."""
    assert reference.seal(nonce, text, ad, tag_bytes) == sealed, (len(nonce), len(ad), len(text), tag_bytes)
    assert reference.open(nonce, sealed, ad, tag_bytes) == text


def message(random, nonce_bytes, text_bytes, ad_bytes):
    """Nonce, text and associated data of these lengths."""
    return random.randbytes(nonce_bytes), random.randbytes(text_bytes), random.randbytes(ad_bytes)


def wrong_messages(nonce, sealed, ad):
    """Nonce, sealed message and associated data that must be refused: each flipped bit of a sealed message, some of nonce and associated
    data, and bytes at another place.
    """
    wrong = [(nonce, flipped(sealed, bit), ad) for bit in range(8 * len(sealed))]
    wrong += [(nonce, sealed, flipped(ad, bit)) for bit in range(0, 8 * len(ad), 5)]
    wrong += [(flipped(nonce, bit), sealed, ad) for bit in range(0, 8 * len(nonce), 5)]
    wrong += [(nonce, sealed, ad + b"\0"), (nonce, sealed, ad[:-1]), (nonce, ad[-1:] + sealed, ad[:-1])]
    return [*wrong, (nonce, sealed[1:], ad), (nonce, b"\0" + sealed, ad)]


def check_refusals(reference, nonce, text, ad, tag_bytes=16):
    """All of ``wrong_messages`` are refused."""
    sealed = reference.seal(nonce, text, ad, tag_bytes)
    for arguments in wrong_messages(nonce, sealed, ad):
        with pytest.raises(AuthenticationError, match="the tag is wrong"):
            reference.open(*arguments, tag_bytes)
    assert reference.open(nonce, sealed, ad, tag_bytes) == text
    with pytest.raises(AuthenticationError, match=f"{tag_bytes - 1} bytes has no tag of {tag_bytes} bytes"):
        reference.open(nonce, sealed[: tag_bytes - 1], ad, tag_bytes)


def check_wrong_types(reference, nonce):
    for call in (reference.seal, reference.open):
        for name, arguments in (("nonce", (1, b"", b"")), ("ad", (nonce, bytes(16), 1)), ("text|sealed", (nonce, "text", b""))):
            with pytest.raises(TypeError, match=f"({name}) must be bytes"):
                call(*arguments)


class Counted(AES):
    """AES that counts its calls, of all keys together."""

    calls = 0

    def encrypt_block(self, block):
        Counted.calls += 1
        return super().encrypt_block(block)

    def decrypt_block(self, block):
        Counted.calls += 1
        return super().decrypt_block(block)


def check_one_shape(reference, nonce):
    """A message with a wrong tag takes as many calls of the cipher as one with the right tag; how many."""
    ad, text = bytes(20), bytes(50)
    sealed = reference.seal(nonce, text, ad)
    counts = set()
    for given in (sealed, flipped(sealed, 8 * len(sealed) - 1), flipped(sealed, 8 * len(text)), flipped(sealed, 0)):
        Counted.calls = 0
        try:
            assert reference.open(nonce, given, ad) == text
            assert given == sealed
        except AuthenticationError:
            assert given != sealed
        counts.add(Counted.calls)
    (count,) = counts
    return count


def planted(name, old, new):
    """The reference module *name* with a mistake: *new* for *old* in its source."""
    module = importlib.import_module(f"modeloom_golden.{name}")
    with open(module.__file__, encoding="utf-8") as file:
        source = file.read()
    assert source.count(old) == 1, f"{old!r} stands {source.count(old)} times in golden/{name}.py"
    names = {"__name__": module.__name__, "__package__": module.__package__}
    exec(compile(source.replace(old, new), f"{name} with a mistake", "exec"), names)
    return names
