# SPDX-License-Identifier: Apache-2.0
"""Words of the LWC interface, as the specification and the test vectors of its development package have them."""

import pytest

from modeloom.interfaces import Role
from modeloom.interfaces.lwc import Header, Opcode, Segment, lwc_core, opcode_word, words_of


@pytest.mark.parametrize("header, value", [
    (Header(Segment.NPUB, 12, eoi=True), 0xD600000C), (Header(Segment.NPUB, 12), 0xD200000C), (Header(Segment.AD, 0), 0x12000000),
    (Header(Segment.PLAINTEXT, 1, True, True, True), 0x47000001), (Header(Segment.CIPHERTEXT, 1, True), 0x56000001),
    (Header(Segment.TAG, 16, last=True), 0x83000010), (Header(Segment.KEY, 16, True, True, True), 0xC7000010),
])  # fmt: skip
def test_headers(header, value):
    assert header.value == value and Header.of(value) == header


def test_opcodes():
    words = [opcode_word(code) for code in (Opcode.ACTIVATE_KEY, Opcode.ENCRYPT, Opcode.DECRYPT, Opcode.LOAD_KEY)]
    assert words == [0x70000000, 0x20000000, 0x30000000, 0x40000000]
    assert [opcode_word(code) for code in (Opcode.SUCCESS, Opcode.FAILURE)] == [0xE0000000, 0xF0000000]


def test_words_begin_with_their_upper_byte():
    assert words_of(b"\x11\x22\x33\x44\x55", 4) == [0x11223344, 0x55000000]
    assert words_of(b"", 4) == []
    assert words_of(b"\x01", 16) == [1 << 120]


def test_a_segment_has_at_most_65535_bytes():
    assert Header(Segment.AD, 65535).value & 0xFFFF == 65535
    with pytest.raises(ValueError, match="0 to 65535 bytes, not 65536"):
        print(Header(Segment.AD, 65536).value)


def test_ports():
    groups = {group.name: group for group in lwc_core(64)}
    names = [group.port_name(port) for group in groups.values() for port in group.ports]
    assert names == [
        "zeroize", "zeroizing", "pdi_valid", "pdi_ready", "pdi_data", "sdi_valid", "sdi_ready", "sdi_data", "do_valid", "do_ready",
        "do_data", "do_last",
    ]  # fmt: skip
    roles = {name: groups[name].port("data").role for name in ("pdi", "sdi", "do")}
    assert roles == {"pdi": Role.DATA, "sdi": Role.KEY, "do": Role.RESULT}
