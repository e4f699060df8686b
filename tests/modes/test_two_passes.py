# SPDX-License-Identifier: Apache-2.0
"""Modes with two passes as definitions: published vectors, the references, the ``cryptography`` package, and what is refused."""

from __future__ import annotations

import random
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
from tests.built import slow
from tests.golden.gcm_siv_examples import AES_256, ONE, THREE
from tests.modes.stream_vectors import check
from tests.streams.modes import HashedTwice

import modeloom
import modeloom_golden as golden
from modeloom import vectors
from modeloom.definition.messages import StreamModel, derived_key
from modeloom.modes.deoxys_ii import DeoxysII
from modeloom.modes.gcm_siv import GCMSIV
from modeloom.spec import DefinitionError, InputError
from modeloom.spec.attributes import checked_stream
from modeloom.spec.errors import AuthenticationError
from modeloom.spec.stream import MessageKeys, StreamMode


def test_published_vectors() -> None:
    """Deoxys-II as in its specification; Wycheproof's of GCM-SIV, 32 of which must be refused."""
    assert check(vectors.for_mode("deoxys-ii", "deoxys-bc"), "deoxys-ii", "deoxys-bc") == (4, 0, 0)
    assert check(vectors.for_mode("gcm-siv"), "gcm-siv") == (67, 32, 0)


@pytest.mark.parametrize(("key", "nonce", "text", "sealed"), AES_256, ids=range(1, 7))
def test_examples_of_rfc_8452_with_keys_of_256_bits(key: bytes, nonce: bytes, text: str, sealed: str) -> None:
    model = modeloom.model("gcm-siv", key)
    assert model.seal(nonce, bytes.fromhex(text)).hex() == sealed
    assert model.open(nonce, bytes.fromhex(sealed)).hex() == text


def test_derived_keys() -> None:
    """Those of the first example of RFC 8452, appendix C.2, and of the reference."""
    whole = derived_key(GCMSIV(), ONE, THREE)
    assert whole.hex() == "b5d3c529dfafac43136d2d11be284d7f" + "b914f4742be9e1d7a2f84addbf96dec3456e3c6c05ecc157cdbf0700fedad222"
    rng = random.Random(1)
    for nbytes in (16, 32):
        key, nonce = rng.randbytes(nbytes), rng.randbytes(12)
        assert derived_key(GCMSIV(), key, nonce) == b"".join(golden.GCMSIV(key).derive_keys(nonce))


def test_where_the_key_of_a_message_comes_from() -> None:
    """A user has a master key, as long as a cipher key; the core needs keys with its messages, and slots for those of others."""
    derives, plain = GCMSIV.keying(), HashedTwice.keying()
    assert [derives.key_bytes(GCMSIV, nbytes) for nbytes in (16, 32)] == [16, 32] and GCMSIV.key_bytes(16) == 32
    assert plain.key_bytes(HashedTwice, 16) == HashedTwice.key_bytes(16)
    assert (derives.options, plain.options) == ({"keys": "inline"}, {})
    with pytest.raises(InputError, match="gcm-siv has new keys for each nonce; build it with --keys derived, or --keys inline"):
        derives.check_slots("gcm-siv")
    plain.check_slots("hashed-twice")


def test_alignments() -> None:
    rng = random.Random(2)
    data, key = rng.randbytes(64), rng.randbytes(16)
    for name, reference in (("deoxys-ii", golden.DeoxysII(key)), ("gcm-siv", golden.GCMSIV(key))):
        model, nonce = modeloom.model(name, key), rng.randbytes(15 if name == "deoxys-ii" else 12)
        for ad in range(0, 65, 2):
            for text in ((7 * ad + 13 * turn) % 65 for turn in range(2)):
                sealed = model.seal(nonce, data[:text], data[:ad])
                assert sealed == reference.seal(nonce, data[:text], data[:ad])
                assert model.open(nonce, sealed, data[:ad]) == data[:text]
        with pytest.raises(AuthenticationError):
            model.open(nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), data[:ad])


def _against_cryptography(messages: int, seed: int) -> None:
    rng = random.Random(seed)
    for number in range(messages):
        key, nonce = rng.randbytes((16, 32)[number % 2]), rng.randbytes(12)
        ad, text = rng.randbytes(rng.randrange(50)), rng.randbytes(rng.randrange(70))
        model, sealed = modeloom.model("gcm-siv", key), AESGCMSIV(key).encrypt(nonce, text, ad)
        assert model.seal(nonce, text, ad) == sealed and model.open(nonce, sealed, ad) == text


def test_another_implementation() -> None:
    _against_cryptography(60, 3)


@slow
def test_another_implementation_for_long() -> None:
    _against_cryptography(10_000, 4)


@pytest.mark.parametrize(
    ("mode", "step", "changed"),
    [
        (DeoxysII, "tagged", lambda self, o, k, s, tag: s.replace(stream=tag)),
        (DeoxysII, "tag", lambda self, o, k, s, n: o.tenc(s.auth, s.nonce)),
        (DeoxysII, "partial_absorb", DeoxysII.absorb),
        (GCMSIV, "tagged", lambda self, o, k, s, tag: s.replace(counter=tag)),
        (GCMSIV, "derive", lambda self, o, nonce, blocks: GCMSIV.derive(self, o, type(nonce)(o.shift(nonce.block, 8), 12), blocks)),
        (GCMSIV, "without_first_bit_of_byte_15", lambda self, o, block: block),
    ],
)
def test_a_mistake_is_seen(mode: Any, step: str, changed: Any) -> None:
    key, nonce = bytes(range(16)), bytes(range(mode.nonce_bytes[0][0]))
    wrong, reference = type("Wrong", (mode,), {step: changed})(), golden.stream_mode(mode.name, key, mode.cipher)

    def sealed(nbytes: int) -> bytes:
        try:
            return StreamModel(wrong, key).seal(nonce, bytes(nbytes), bytes(nbytes))
        except DefinitionError:
            return b""

    assert any(sealed(n) != reference.seal(nonce, bytes(n), bytes(n)) for n in range(33, 49))


def test_passes_that_differ() -> None:
    """The tag of the second pass must be that of the first one, as cores compare both."""
    wrong = type("Wrong", (HashedTwice,), {"encrypt": lambda self, o, k, s, p: self.stream(o, s, p)})()
    with pytest.raises(DefinitionError, match="^hashed-twice: the second pass of a message gives another tag than the first one"):
        StreamModel(wrong, bytes(16)).seal(bytes(12), bytes(range(16)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"two_passes": False}, r"absorb\(\) is a step of modes with two passes; set two_passes = True"),
        ({"tag_bytes": (16, 12)}, r"a mode with two passes encrypts under its whole tag, so tag_bytes is \(16,\)"),
        ({"two_passes": 2}, "two_passes is 2; it must be True or False"),
    ],
)
def test_attributes(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        checked_stream(type("Wrong", (HashedTwice,), changes))


@pytest.mark.parametrize("missing", ["absorb", "tagged"])
def test_missing_steps(missing: str) -> None:
    with pytest.raises(DefinitionError, match=rf"a mode with two passes has a step {missing}\(\)"):
        checked_stream(type("Wrong", (HashedTwice,), {missing: getattr(StreamMode, missing)}))


def test_wrong_keys() -> None:
    for nbytes in (0, 24, 48):
        with pytest.raises(InputError, match=f"gcm-siv: a key must have 16 or 32 bytes, not {nbytes}"):
            modeloom.model("gcm-siv", bytes(nbytes))
    parts = type("Parts", (GCMSIV,), {"derive": lambda self, o, nonce, blocks: None})()
    with pytest.raises(DefinitionError, match=r"derive\(\) returns MessageKeys\(...\) with the parts authentication, cipher"):
        StreamModel(parts, bytes(16))
    short = type("Short", (GCMSIV,), {"derive": lambda self, o, nonce, blocks: MessageKeys(authentication=0, cipher=[])})()
    with pytest.raises(DefinitionError, match=r"derive\(\) gives 0 bytes of cipher, which has 16"):
        StreamModel(short, bytes(16))
