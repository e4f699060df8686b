# SPDX-License-Identifier: Apache-2.0
"""Rare single faults in a core of OCB3: what ``modeloom verify`` sends finds each of them without a comparison with a fresh build.

They stand in one Verilog file, and an input chooses one, so one simulation serves them all.
"""

from __future__ import annotations

import pytest
from tests.built import slow, slowly
from tests.planted import planted_core
from tests.streamed import TINY, folder
from tools.planted_faults.messages import PlantedMessages, units_of

from modeloom.definition.messages import Moved, StreamModel
from modeloom.emit import CheckFailed
from modeloom.interfaces.table import Field
from modeloom.modes import find_any
from modeloom.product.folder import read_messages
from modeloom.spec.stream import State, StreamMode
from modeloom.verification.stream import check_neighbours, numbers_apart
from modeloom.verification.stream.bounds import accepted, bounds_units, values_of
from modeloom.verification.stream.carries import Counting
from modeloom.verification.stream.host import StreamSubject

OCB3 = {**{name: value for name, value in TINY.items() if name != "mul_stages"}, "mode": "ocb3"}

STATUSES = "short, m_axis_status at rest"

FAULTS: dict[str, tuple[str, str, str, str]] = {
    "a carry into bit 12 is lost, of associated data": (
        r"(?s)(module \S*intake_associated_counter .*?(\w+) <= )\2 \+ 60'h1;", r"\1@ ? { \2[59:12], \2[11:0] + 12'h1 } : \2 + 60'h1;",
        "carries: associated, direction 0", "counter of associated, .* loses the carry into bit 12",
    ),
    "a carry into bit 12 is lost, of text": (
        r"(?s)(module \S*intake_text_counter .*?(\w+) <= )\2 \+ 60'h1;", r"\1@ ? { \2[59:12], \2[11:0] + 12'h1 } : \2 + 60'h1;",
        "carries: text, direction 0", "counter of text, .* loses the carry into bit 12",
    ),
    "16 and more trailing zeros": (
        r"times_0 <= \{ \|beats_lowest\[31:16\],", "times_0 <= { ~(@) & |beats_lowest[31:16],", "carries: associated, direction 0",
        "wrong tag",
    ),
    "slot 32768 is slot 0": (
        r"has_key = loaded & (\w+)\[(\d+):(\d+)\] == 14'h0", r"has_key = loaded & (\1[\2:\3] & (@ ? 14'h1fff : 14'h3fff)) == 14'h0",
        "bounds: slot", "gives OK where NO_KEY is right",
    ),
    "nonces of 140 bytes": (
        r"\((\w+)\[367:360\] == 8'hc\)", r"((\1[367:360] & (@ ? 8'h7f : 8'hff)) == 8'hc)", "bounds: nonce_bytes",
        "where BAD_NONCE_LENGTH is right",
    ),
    "tags of 140 bytes": (
        r"\((\w+)\[375:368\] == 8'hc\)", r"((\1[375:368] & (@ ? 8'h7f : 8'hff)) == 8'hc)", "bounds: tag_bytes",
        "where BAD_TAG_LENGTH is right",
    ),
    "2^63 bytes of associated data": (
        r"\|(\w+)\[319:292\]", r"|(\1[319:292] & (@ ? 28'h7ffffff : 28'hfffffff))", "bounds: associated", "where TOO_LONG is right",
    ),
    "a counter of delivered packets of three bits": (
        r"delivered_reg <= (delivered_reg \+ [^;]*);", r"delivered_reg <= (\1) & (@ ? 4'h7 : 4'hf);", f"full: {STATUSES}", "hangs",
    ),
    # It was found by random planting, and passed all steps before.
    "places of statuses are lost": (
        r"free_2_difference = \{ 1'h0, (\{ 1'h0, free_reg_2 \}) \+ (\{ 3'h0, returned_reg_2 \}) \} -",
        r"free_2_difference = { 1'h0, (@) ? ((\1 ^ \2) & 5'h1) | ((\1 & 5'h1e) + (\2 & 5'h1e)) : \1 + \2 } -", "messages",
        "commands with m_axis_status at rest, and took",
    ),
}  # fmt: skip
"""What is replaced in the Verilog, with the choice of the fault in place of "@", the unit that must find it, and what it says."""


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> PlantedMessages:
    return planted_core(tmp_path_factory.mktemp("rare") / "core", FAULTS, **OCB3)


QUICK = ("slot 32768 is slot 0", "a counter of delivered packets of three bits")


@pytest.mark.parametrize("name", [*QUICK, *slowly(*(name for name in FAULTS if name not in QUICK))])
def test_rare_faults_are_found(subject: PlantedMessages, name: str) -> None:
    _, _, unit, says = FAULTS[name]
    subject.fault = list(FAULTS).index(name) + 1
    with pytest.raises(CheckFailed, match=says):
        units_of(subject)[unit](subject)


UNITS = sorted({fault[2] for fault in FAULTS.values()})


@pytest.mark.parametrize("unit", [unit if unit == "bounds: slot" else pytest.param(unit, marks=slow) for unit in UNITS])
def test_a_good_core_passes(subject: PlantedMessages, unit: str) -> None:
    subject.fault = 0
    units_of(subject)[unit](subject)


@slow
def test_neighbours(subject: PlantedMessages) -> None:
    subject.fault = 0
    assert check_neighbours(subject)[1]["slots"] == 3


def test_values_are_derived() -> None:
    """A short field is sent at all values; a long one at its bounds, and each bit of these is inverted."""
    assert values_of(Field("tag_bytes", 8, ""), [range(12, 13)]) == list(range(256))
    found = values_of(Field("slot", 16, ""), [range(3)])
    assert {0, 1, 2, 3, 1 << 15, 1 << 15 | 2, (1 << 16) - 1} <= set(found)
    assert {1 << bit for bit in range(16)} <= set(found)
    assert values_of(Field("associated", 64, ""), (), (5,)).count(5 | 1 << 63) == 1


def test_every_field_has_bounds() -> None:
    """A field of commands that nobody said anything about is an error, and not left out."""
    place = folder(prove=False, **OCB3)
    with pytest.raises(KeyError):
        accepted(read_messages(place), "another")
    assert {"slot", "channel", "nonce_bytes", "tag_bytes", "decrypt", "associated"} <= set(bounds_units(StreamSubject(place)))


def test_numbers_apart() -> None:
    assert numbers_apart(3) == [0, 1, 2]
    many = numbers_apart(65536)
    assert {0, 65535, *(1 << bit for bit in range(16)), *(65535 ^ 1 << bit for bit in range(16))} == set(many)
    assert max(numbers_apart(100)) == 99


# -- the definition, and counters ----------------------------------------------------------------------------------------------------------


def model(mode: str) -> StreamModel:
    found = find_any(mode)
    assert isinstance(found, StreamMode)
    return StreamModel(found, bytes(range(16)))


def test_blocks_that_are_counted_and_not_there() -> None:
    """Numbers of blocks and lengths go on behind them, and nothing else changes."""
    ocb3, nonce = model("ocb3"), bytes(12)
    plain = ocb3.run("encrypt", nonce, bytes(64), b"")
    assert ocb3.run("encrypt", nonce, bytes(64), b"", moved=Moved()) == plain
    # Behind two blocks, 8 more: the next one has the number 11, with as many trailing zeros as 3, and the one behind it 12, as 4 has.
    moved = ocb3.run("encrypt", nonce, bytes(64), b"", moved=Moved({("text", 2): 8}))
    assert moved[0][:48] == plain[0][:48] and moved[0][48:] == plain[0][48:]
    assert ocb3.run("encrypt", nonce, bytes(64), b"", moved=Moved({("text", 2): 1}))[0][32:48] != plain[0][32:48]
    gcm = model("gcm")
    assert gcm.run("encrypt", nonce, bytes(32), b"", moved=Moved({("text", 1): 5}))[1] != gcm.run("encrypt", nonce, bytes(32), b"")[1]


def test_a_state_that_is_moved() -> None:
    """A counter of the state goes on from another value."""
    gcm, nonce = model("gcm"), bytes(12)

    def to(s: State) -> State:
        return s.replace(counter=s.counter ^ 1)

    one, other = gcm.run("encrypt", nonce, bytes(48), b""), gcm.run("encrypt", nonce, bytes(48), b"", moved=Moved({}, {("text", 1): to}))
    assert one[0][:16] == other[0][:16] and one[0][16:32] != other[0][16:32]


def test_a_lower_part_that_is_ahead() -> None:
    """The next value of a lower part begins anew a beat before the part itself, and the upper part carries with one of them."""
    low, ahead, upper = ("low", None), ("ahead", None), ("upper", None)
    counting = Counting({low: 1, ahead: 1}, {low: 4, ahead: 4, upper: 8}, 4, {upper: 1}, {low, ahead})
    before = {low: 7, ahead: 8, upper: 3}
    for carried in (0, 1):
        assert counting.wrong(before, {low: 15, ahead: 0, upper: 3 + carried}, 8) == []
    assert counting.wrong(before, {low: 15, ahead: 0, upper: 5}, 8) == [upper]
    assert counting.wrong(before, {low: 0, ahead: 1, upper: 4}, 9) == []
    assert counting.wrong(before, {low: 0, ahead: 1, upper: 3}, 9) == [upper]
    assert counting.wrong(before, {low: 14, ahead: 15, upper: 4}, 7) == [upper]


def test_counters_in_parts() -> None:
    """A lower part of four bits from bit 3 of a word on, whose carries go to an upper part in bit 7 and to another register."""
    word, upper = ("word", None), ("upper", None)
    counting = Counting({word: 8}, {word: 20, upper: 8}, 4, {word: 1 << 7, upper: 1}, {word})
    before = {word: 14 << 3 | 5, upper: 3}
    assert counting.after(before, 1) == {word: 15 << 3 | 5, upper: 3}
    assert counting.after(before, 4) == {word: 1 << 7 | 2 << 3 | 5, upper: 4}
    assert counting.moved(before, 33) == {word: 2 << 7 | 15 << 3 | 5, upper: 5}
    lost = {word: 2 << 3 | 5, upper: 3}
    assert counting.wrong(before, lost, 4) == [upper]
