# SPDX-License-Identifier: Apache-2.0
"""Deoxys-I and Deoxys-II: published vectors, mistakes that these see, tweaks that differ, and what is refused."""

import inspect
from random import Random

import pytest
from tests.golden import aead
from tests.golden.aead import SAMPLE, check_one_shape, check_published, check_refusals, check_wrong_types, message, planted

from modeloom_golden import DeoxysBC256, DeoxysI, DeoxysII, deoxys_i, deoxys_ii
from modeloom_golden.checks import xor

BOTH = pytest.mark.parametrize(("name", "reference", "nonce_bytes"), [("deoxys_i", DeoxysI, 8), ("deoxys_ii", DeoxysII, 15)])


@BOTH
def test_published_vectors(name, reference, nonce_bytes):
    """Text and associated data of no bytes, of whole blocks (Deoxys-II alone), and with a partial last block."""
    assert check_published(name, reference) == (4, 0, 0)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("deoxys_i", "encrypt_block(m, text_tweak(0b0000, nonce, i))", "encrypt_block(m, text_tweak(0b0000, nonce, 0))"),
        ("deoxys_i", "            checksum = xor(checksum, m)\n        if", "            checksum = m\n        if"),
        ("deoxys_i", "0b0101, nonce, blocks + 1", "0b0101, nonce, blocks"),
        ("deoxys_i", "0b0001, nonce", "0b0000, nonce"),
        ("deoxys_i", "0b0100, nonce", "0b0000, nonce"),
        ("deoxys_i", "0b0010, i", "0b0000, i"),
        ("deoxys_i", "0b0110, len(whole)", "0b0110, len(whole) + 1"),
        ("deoxys_i", "checksum = xor(checksum, pad_one_zeros(partial))", "pass"),
        ("deoxys_i", "<< 60 | number", "<< 56 | number"),
        ("deoxys_ii", "0b0000, i", "0b0001, i"),
        ("deoxys_ii", "0b0100, len(whole)", "0b0000, len(whole)"),
        ("deoxys_ii", '(auth, b"\\x10" + nonce)', '(auth, b"\\0" + nonce)'),
        ("deoxys_ii", "^ i // BLOCK_BYTES", "^ i"),
        ("deoxys_ii", 'b"\\0" + nonce, tweak', 'nonce + b"\\0", tweak'),
    ],
)  # fmt: skip
def test_a_mistake_does_not_pass_the_vectors(name, old, new):
    reference = planted(name, old, new)["DeoxysI" if name == "deoxys_i" else "DeoxysII"]
    with pytest.raises(AssertionError):
        check_published(name, reference)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("range(ROUNDS + 1)", "range(ROUNDS)"),
        ("x >> 7 ^ x >> 5", "x >> 7 ^ x >> 6"),
        ("rcon = 0x2F", "rcon = 1"),
        ("[1, 2, 4, 8, *[rcon] * 4,", "[*[rcon] * 4, 1, 2, 4, 8,"),
        ("permute(lfsr_2(word))", "lfsr_2(word)"),
        ("state[(r + 4 * (c + r)) % 16]", "state[(r + 4 * (c - r)) % 16]"),
        ("9, 14, 3, 4, 13, 2, 7, 8", "9, 14, 3, 4, 13, 2, 8, 7"),
    ],
)
def test_a_mistake_in_the_cipher_does_not_pass_the_vectors(old, new, monkeypatch):
    monkeypatch.setattr(deoxys_ii, "DeoxysBC256", planted("deoxys_bc", old, new)["DeoxysBC256"])
    with pytest.raises((AssertionError, ValueError)):
        check_published("deoxys_ii", DeoxysII)


@BOTH
def test_both_ways_on_alignments(name, reference, nonce_bytes):
    random = Random(1)
    for ad_bytes, text_bytes in SAMPLE:
        nonce, text, ad = message(random, nonce_bytes, text_bytes, ad_bytes)
        keyed = reference(random.randbytes(16))
        sealed = keyed.seal(nonce, text, ad)
        assert len(sealed) == text_bytes + 16
        assert keyed.open(nonce, sealed, ad) == text


class Noted(DeoxysBC256):
    """The cipher, which keeps a note of each tweak it was given."""

    tweaks: list[bytes] = []

    def encrypt_block(self, block, tweak):
        Noted.tweaks.append(tweak)
        return super().encrypt_block(block, tweak)


def tweaks_of(monkeypatch, module, reference, ad_bytes, text_bytes):
    """The tweaks of one message, in hexadecimal, in the order of its blocks."""
    monkeypatch.setattr(module, "DeoxysBC256", Noted)
    Noted.tweaks = []
    reference(bytes(16)).seal(bytes.fromhex("1122334455667788") + bytes(7 * (reference is DeoxysII)), bytes(text_bytes), bytes(ad_bytes))
    return [tweak.hex() for tweak in Noted.tweaks]


def test_tweaks_of_deoxys_i(monkeypatch):
    """No published vector has text of whole blocks only: the tweaks of both ends are as the table of the specification says."""
    head = "112233445566778"
    whole = [f"0{head}8{i:015x}" for i in range(2)]
    assert tweaks_of(monkeypatch, deoxys_i, DeoxysI, 16, 32) == [*whole, f"1{head}8{2:015x}", f"2{0:031x}"]
    assert tweaks_of(monkeypatch, deoxys_i, DeoxysI, 17, 33) == [
        *whole, f"4{head}8{2:015x}", f"5{head}8{3:015x}", f"2{0:031x}", f"6{1:031x}",
    ]  # fmt: skip
    assert tweaks_of(monkeypatch, deoxys_i, DeoxysI, 0, 0) == [f"1{head}8{0:015x}"]


def test_tweaks_of_deoxys_ii(monkeypatch):
    """Those of the keystream begin with a 1, whatever the tag is; all published tags with more than a block begin with one."""
    tag_tweak, numbers = "101122334455667788" + 7 * "00", [f"{0:032x}", f"{1:032x}"]
    found = tweaks_of(monkeypatch, deoxys_ii, DeoxysII, 17, 33)
    assert found[:6] == [f"2{0:031x}", f"6{1:031x}", *numbers, f"4{2:031x}", tag_tweak]
    first, *others = (int(tweak, 16) for tweak in found[6:])
    assert others == [first ^ 1, first ^ 2]
    tags = set()
    for text_bytes in range(1, 9):
        *_, tweak = tweaks_of(monkeypatch, deoxys_ii, DeoxysII, 0, text_bytes)
        tag = DeoxysII(bytes(16)).seal(bytes.fromhex("1122334455667788") + bytes(7), bytes(text_bytes))[-16:]
        assert int(tweak, 16) == int.from_bytes(tag, "big") | 1 << 127
        tags.add(tag[0] >> 7)
    assert tags == {0, 1}


@BOTH
def test_what_is_refused(name, reference, nonce_bytes):
    keyed, nonce = reference(bytes(range(16))), bytes(range(nonce_bytes))
    check_refusals(keyed, nonce, bytes(range(35)), bytes(range(17)))
    check_refusals(keyed, nonce, bytes(range(32)), bytes(range(16)))
    check_wrong_types(keyed, nonce)
    title = reference.__name__.replace("Deoxys", "Deoxys-")
    for call in (keyed.seal, keyed.open):
        for tag_bytes in (0, 8, 15, 17):
            with pytest.raises(ValueError, match=f"a {title} tag has 16 bytes, not {tag_bytes}"):
                call(nonce, bytes(40), b"", tag_bytes)
        for wrong in (0, nonce_bytes - 1, nonce_bytes + 1):
            with pytest.raises(ValueError, match=f"a {title} nonce has {nonce_bytes} bytes, not {wrong}"):
                call(bytes(wrong), bytes(40))
    with pytest.raises(ValueError, match="Deoxys-BC-256 key must be 16 bytes"):
        reference(bytes(32))


@BOTH
def test_verdict_has_one_shape(name, reference, nonce_bytes, monkeypatch):
    class Counted(DeoxysBC256):
        def encrypt_block(self, block, tweak):
            aead.Counted.calls += 1
            return super().encrypt_block(block, tweak)

        def decrypt_block(self, block, tweak):
            aead.Counted.calls += 1
            return super().decrypt_block(block, tweak)

    monkeypatch.setattr(inspect.getmodule(reference), "DeoxysBC256", Counted)
    # Two blocks of associated data, four of text (in Deoxys-II: twice), and the tag.
    assert check_one_shape(reference(bytes(16)), bytes(nonce_bytes)) == 2 + 4 * (1 + (reference is DeoxysII)) + 1


def test_a_nonce_used_twice():
    """Deoxys-II: two texts that differ in one bit have nothing in common; the same text is sealed to the same bytes."""
    reference = DeoxysII(bytes(16))
    first, second, again = (reference.seal(bytes(15), text) for text in (bytes(40), b"\1" + bytes(39), bytes(40)))
    assert first == again
    assert all(any(xor(first[at : at + 8], second[at : at + 8])) for at in range(0, 56, 8))
