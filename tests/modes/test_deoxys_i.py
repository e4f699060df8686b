# SPDX-License-Identifier: Apache-2.0
"""Deoxys-I as a definition: published vectors, the reference, its tweakable cipher in software, a core, and what is refused."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.built import slow
from tests.modes.stream_vectors import check
from tests.streamed import compiled, simulated

import modeloom
import modeloom_golden as golden
from modeloom import vectors
from modeloom.ciphers import AES, DEOXYS_BC
from modeloom.compiler.compile import compile_mode
from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.definition.messages import StreamModel
from modeloom.definition.software import Model
from modeloom.modes import find_any
from modeloom.modes.deoxys_i import DeoxysI
from modeloom.options.sectors import Options
from modeloom.spec import DefinitionError, InputError, Keys, Mode
from modeloom.spec.errors import AuthenticationError
from modeloom_golden.deoxys_bc import key_parts


def test_published_vectors() -> None:
    assert check(vectors.for_mode("deoxys-i", "deoxys-bc"), "deoxys-i", "deoxys-bc") == (4, 0, 0)


def test_the_cipher_in_software() -> None:
    """It shares no code with the reference."""
    rng = random.Random(1)
    for key in (bytes(16), b"\xff" * 16, *(rng.randbytes(16) for _ in range(20))):
        own, reference = DEOXYS_BC.software(key), golden.DeoxysBC256(key)
        assert list(DEOXYS_BC.expand(key)) == key_parts(key)
        for tweak in (bytes(16), rng.randbytes(16)):
            blocks = rng.randbytes(48)
            enciphered = own.encrypt(blocks, tweak)
            assert enciphered == b"".join(reference.encrypt_block(blocks[at : at + 16], tweak) for at in range(0, 48, 16))
            assert own.decrypt(enciphered, tweak) == blocks


def test_alignments() -> None:
    rng = random.Random(2)
    key, nonce, data = rng.randbytes(16), rng.randbytes(8), rng.randbytes(64)
    model, reference = modeloom.model("deoxys-i", key), golden.DeoxysI(key)
    for ad in range(0, 65, 2):
        for text in ((7 * ad + 13 * turn) % 65 for turn in range(4)):
            sealed = model.seal(nonce, data[:text], data[:ad])
            assert sealed == reference.seal(nonce, data[:text], data[:ad])
            assert model.open(nonce, sealed, data[:ad]) == data[:text]
    with pytest.raises(AuthenticationError):
        model.open(nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), data[:ad])


@pytest.mark.parametrize(
    ("step", "changed"),
    [
        ("encrypt", lambda self, o, k, s, p: (s.replace(tweak=o.add64(s.tweak, 2), checksum=s.checksum ^ p), o.tenc(p, s.tweak))),
        ("tag", lambda self, o, k, s, n: o.tenc(s.checksum, s.tweak ^ o.const(0x10)) ^ s.auth),
        ("start", lambda self, o, k, nonce: DeoxysI.start(self, o, k, nonce).replace(tweak=nonce.block)),
        ("associated", lambda self, o, k, s, a: s.replace(associated=o.add64(s.associated, 1), auth=s.auth ^ o.tenc(s.associated, a))),
    ],
)
def test_a_mistake_is_seen(step: str, changed: Any) -> None:
    """Numbers of blocks, the prefix of a partial block, the place of the nonce, operands that change places."""
    model = StreamModel(type("Wrong", (DeoxysI,), {step: changed})(), bytes(range(16)))
    reference = golden.DeoxysI(bytes(range(16)))
    assert any(model.seal(bytes(range(8)), bytes(n), bytes(n)) != reference.seal(bytes(range(8)), bytes(n), bytes(n)) for n in (33, 48))


def test_lengths_that_it_does_not_have() -> None:
    model = modeloom.model("deoxys-i", bytes(16))
    for nonce_bytes in (7, 12, 15):
        with pytest.raises(InputError, match=f"a nonce has 8 bytes, not {nonce_bytes}"):
            model.seal(bytes(nonce_bytes), b"")
    with pytest.raises(InputError, match="a tag has 16 bytes, not 12"):
        model.seal(bytes(8), b"", b"", 12)
    with pytest.raises(InputError, match="must have 16 bytes, not 32"):
        modeloom.model("deoxys-i", bytes(32))


def test_ciphers_that_do_not_fit() -> None:
    for cipher in ("aes", "sm4"):
        with pytest.raises(InputError, match=f"deoxys-i needs a tweakable cipher, such as deoxys-bc, and {cipher} is none"):
            compile_stream(find_any("deoxys-i"), StreamOptions(cipher=cipher))
    for name in ("gcm", "ocb3"):
        with pytest.raises(InputError, match=f"{name} needs a cipher without tweaks, such as aes, and deoxys-bc is none"):
            modeloom.model(name, bytes(16), "deoxys-bc")
    with pytest.raises(InputError, match="xts needs a cipher without tweaks"):
        modeloom.compile("xts", sector=64, cipher="deoxys-bc")


def test_words_for_the_other_kind_of_cipher() -> None:
    on_aes = type("OnAES", (DeoxysI,), {"cipher": AES, "name": "on-aes"})()
    plain = type("Plain", (DeoxysI,), {"name": "plain", "encrypt": lambda self, o, k, s, p: (s, o.enc(p))})()
    with pytest.raises(DefinitionError, match=r"o.tenc\(\) is not for aes, which has no tweaks"):
        compile_stream(on_aes, StreamOptions())
    with pytest.raises(DefinitionError, match=r"o.enc\(\) is not for deoxys-bc, which is a tweakable cipher"):
        compile_stream(plain, StreamOptions())
    with pytest.raises(DefinitionError, match=r"o.tenc\(\) is not for this cipher, which has no tweaks; use o.enc\(\)"):
        StreamModel(on_aes, bytes(16)).seal(bytes(8), b"")
    with pytest.raises(DefinitionError, match=r"o.enc\(\) is not for this cipher, which has tweaks; use o.tenc\(\)"):
        StreamModel(plain, bytes(16)).seal(bytes(8), bytes(16))


class TweakedSectors(Mode):
    """A mode for sectors on the tweakable cipher: each block under a tweak of its own."""

    name = title = source = security = "test-tweaked-sectors"
    wide = False
    cipher = "deoxys-bc"

    def setup(self, o: Any, key: Any) -> Keys:
        return Keys()

    def encrypt(self, o: Any, k: Any, tweak: Any, p: Any) -> list[Any]:
        return [o.tenc(x, o.add64(tweak[0], i + 1)) for i, x in enumerate(p)]

    def decrypt(self, o: Any, k: Any, tweak: Any, c: Any) -> list[Any]:
        return [o.tdec(x, o.add64(tweak[0], i + 1)) for i, x in enumerate(c)]


def test_sectors() -> None:
    """A mode for sectors may use the cipher, too: its program is proved, and its model is the reference."""
    design = compile_mode(TweakedSectors(), Options(sector=64, restarts=5))
    assert design.proved and design.checked.inverse == "proved"
    key, tweak, data = bytes(range(16)), bytes(range(100, 116)), bytes(range(64))
    cipher = golden.DeoxysBC256(key)
    tweaks = [tweak[:8] + (int.from_bytes(tweak[8:], "big") + i).to_bytes(8, "big") for i in range(1, 5)]
    expected = b"".join(cipher.encrypt_block(data[16 * i : 16 * i + 16], each) for i, each in enumerate(tweaks))
    assert Model(TweakedSectors(), key).encrypt(tweak, data) == expected


def test_pipeline() -> None:
    """A token for each block and for the tag, and none for the start."""
    plan = compiled("deoxys-i", prove=False).explain()
    assert plan["tokens"] == {"start": 0, "associated": 1, "text": 1, "tag": 1} and plan["key_words"] == 0


@slow
def test_core() -> None:
    """Messages of any length through a simulated core, messages without data among them."""
    core, rng = simulated("deoxys-i", cipher_stages=1, key_slots=2), random.Random(3)
    keys = [rng.randbytes(16) for _ in range(2)]
    for slot, key in enumerate(keys):
        core.load_key(key, slot)
    for ad, text in [(0, 0), (0, 0), (0, 16), (16, 0), (5, 0), (0, 5), (17, 33), (64, 64), (0, 0), (1, 100)]:
        slot, nonce, header, plain = rng.randrange(2), rng.randbytes(8), rng.randbytes(ad), rng.randbytes(text)
        sealed = golden.DeoxysI(keys[slot]).seal(nonce, plain, header)
        assert core.seal(nonce, plain, header, slot=slot) == sealed
        assert core.open(nonce, sealed, header, slot=slot) == plain
        with pytest.raises(modeloom.AuthenticationError):
            core.open(nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), header, slot=slot)
