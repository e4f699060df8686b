# SPDX-License-Identifier: Apache-2.0
"""Messages as words of the LWC interface, and back."""

import pytest

from modeloom.interfaces.lwc import Header, Segment
from modeloom.product.message import Message
from modeloom.protocol.segments import LONGEST, SegmentReader, StatedWords, WordForm, words_in

FORM = WordForm(4)


def test_the_words_of_a_message():
    """A message of the test vectors of the development package: 12 bytes of nonce, 1 of associated data, 1 of plaintext."""
    message = Message(bytes.fromhex("81439E7295EC9AAFA878E4F4"), b"\x28", b"\xc3")
    assert words_in(FORM.message(message, 16)) == [
        0x20000000, 0xD200000C, 0x81439E72, 0x95EC9AAF, 0xA878E4F4, 0x12000001, 0xC3000000, 0x47000001, 0x28000000,
    ]  # fmt: skip
    opened = Message(message.nonce, b"\x0e" + bytes.fromhex("CDBCB6C2D0AABFC55CAF7482F69BDF08"), b"\xc3", True)
    assert words_in(FORM.message(opened, 16))[-7:] == [0x56000001, 0x0E000000, 0x83000010, 0xCDBCB6C2, 0xD0AABFC5, 0x5CAF7482, 0xF69BDF08]


@pytest.mark.parametrize("ad, text, npub, associated, plain", [
    (b"", b"", 0xD6000004, 0x12000000, 0x43000000), (b"a", b"", 0xD2000004, 0x16000001, 0x43000000),
    (b"", b"t", 0xD2000004, 0x12000000, 0x47000001),
])  # fmt: skip
def test_end_of_input_stands_in_the_last_segment_with_data(ad, text, npub, associated, plain):
    heads = [piece.words[0] for piece in FORM.message(Message(b"nonc", text, ad), 16)]
    assert heads == [0x20000000, npub, associated, plain]


def test_long_parts_have_several_segments():
    pieces = [Header.of(piece.words[0]) for piece in FORM.part(Segment.AD, bytes(3 * LONGEST))]
    assert [(head.length, head.eot) for head in pieces] == [(LONGEST, False), (LONGEST, False), (LONGEST, True)]
    assert 65535 - 64 < LONGEST <= 65535 and LONGEST % 64 == 0


def test_lengths_come_first():
    form = StatedWords(4)
    assert words_in(form.message(Message(b"nonc", b"text!", b"ad"), 16))[1:5] == [0xA2000008, 2, 5, 0xD2000004]


def test_what_lengths_that_come_first_change():
    """A length has 32 bits, and no text begins to leave before a message that is shorter than it says is refused."""
    form = StatedWords(4)
    assert set(form.segments) - set(FORM.segments) == {Segment.LENGTH} == set(Segment) - set(FORM.segments)
    assert [each.most_text(1 << 40) for each in (FORM, form)] == [1 << 40, (1 << 32) - 1] and form.most_text(9) == 9
    assert (FORM.cut_texts(4), form.cut_texts(4)) == ((0, 4), ())
    assert FORM.lengths(2, 5) == [] and not FORM.before_nonce and "a segment of lengths" in form.before_nonce


def test_reading():
    words = [0x50000004, 0x41424344, 0x52000002, 0x45460000, 0x83000004, 0x01020304, 0xE0000000, 0xF0000000]
    reader = SegmentReader(4)
    first, second = reader.answers((word, int(number > 5)) for number, word in enumerate(words))
    assert (first.text, first.tag, first.success) == (b"ABCDEF", b"\1\2\3\4", True)
    assert [head.eot for head in first.segments] == [False, True, True]
    assert (second.text, second.success, reader.begun) == (b"", False, False)


@pytest.mark.parametrize("words, what", [
    ([(0xE0000000, 0)], "not the last word"), ([(0xC7000010, 0)], "no header and no status"),
    ([(0x83000010, 1)], "no header and no status"),
    ([(0x52000002, 0), (0x41424300, 0)], "bytes behind its end"), ([(0x52000002, 0), (0x41420000, 1)], "bytes behind its end"),
])  # fmt: skip
def test_words_that_are_no_segments(words, what):
    with pytest.raises(ValueError, match=what):
        list(SegmentReader(4).answers(words))
