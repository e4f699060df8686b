# SPDX-License-Identifier: Apache-2.0
"""Key files: raw bytes and hexadecimal digits are never taken for each other, and no message shows a byte of a key."""

import random

import pytest

from modeloom.cli.data import read_key
from modeloom.spec import InputError

KEY = bytes.fromhex("00112233445566778899aabbccddeeff")
LENGTHS = (16, 24, 32)


@pytest.fixture
def key(tmp_path):
    """``key(data, lengths, form)``: what is read from a file with these bytes."""

    def read(data, lengths=LENGTHS, form="auto"):
        path = tmp_path / "key"
        path.write_bytes(data)
        return read_key(str(path), lengths, "a key", form)

    return read


@pytest.mark.parametrize(
    "text",
    [
        "00112233445566778899aabbccddeeff\n", "00112233 44556677\n8899aabb ccddeeff", "00112233445566778899AABBCCDDEEFF\r\n",
        " " * 9 + KEY.hex(),
    ],
)  # fmt: skip
def test_hexadecimal(key, text):
    assert key(text.encode()) == key(text.encode(), form="hex") == KEY


def test_digits_of_a_length_that_fits_in_one_way_need_no_newline(key):
    assert key(KEY.hex().encode(), (16,)) == KEY
    assert key(KEY.hex().encode(), (32,), "raw") == KEY.hex().encode()


def test_raw(key):
    rng = random.Random(1)
    for length in LENGTHS:
        for _ in range(50):
            data = rng.randbytes(length)
            assert key(data) == key(data, form="raw") == data


@pytest.mark.parametrize("form", ["auto", "hex", "raw"])
def test_digits_are_a_hexadecimal_key_although_a_longer_raw_one_fits_too(key, form):
    digits = KEY.hex().encode()
    assert key(digits, LENGTHS, form) == (digits if form == "raw" else KEY)


@pytest.mark.parametrize("place", range(32))
@pytest.mark.parametrize("wrong", "gOol -:.é\t")
def test_a_wrong_digit_never_gives_a_key(key, place, wrong):
    """In any place, with a newline behind it or without one: the 32 characters would be a raw key."""
    text = KEY.hex()[:place] + wrong + KEY.hex()[place + 1 :]
    for data in (text.encode("latin-1"), text.encode("latin-1") + b"\n"):
        # A byte beyond ASCII is no text: alone it makes 32 raw bytes, which are a key.
        if wrong == "é" and len(data) in LENGTHS:
            assert key(data) == data
            continue
        with pytest.raises(InputError) as error:
            key(data)
        assert "\n" not in str(error.value) and KEY.hex()[:6] not in str(error.value)


@pytest.mark.parametrize("missing", range(1, 31))
def test_a_digit_too_few_or_too_many_never_gives_a_key(key, missing):
    for text in (KEY.hex()[:-missing], KEY.hex() + "a" * missing):
        if len(text) // 2 in LENGTHS and not len(text) % 2:
            continue
        with pytest.raises(InputError, match="hex digits"):
            key(text.encode() + b"\n")


@pytest.mark.parametrize("text", ["correct horse battery staple", "0x" + KEY.hex(), "-----BEGIN KEY-----", "MDEyMzQ1Njc4OWFiY2RlZg=="])
def test_text_is_a_key_only_when_asked_for(key, text):
    data = text[:16].encode()
    with pytest.raises(InputError, match="--key-format raw"):
        key(data)
    assert key(data, form="raw") == data


def test_messages_say_what_was_read(key):
    for data, form, message in (
        (bytes(range(15)), "auto", "has 15 raw bytes, but a key has 16, 24 or 32 bytes"),
        (KEY.hex().encode() + b"\n", "raw", "has 33 raw bytes"),
        (b"00" * 15, "auto", "has 30 hex digits \\(15 bytes\\), but a key has 16, 24 or 32 bytes"),
        (b"0011223344556677", "auto", "16 hex digits \\(8 bytes\\), but .*; if they are the bytes of the key, add --key-format raw"),
        (b"001", "auto", "has 3 hex digits, which is odd; a byte has two"),
        (bytes(range(16)), "hex", "byte 0 is not a hex digit"),
    ):
        with pytest.raises(InputError, match=message):
            key(data, form=form)
