# SPDX-License-Identifier: Apache-2.0
"""The part that takes the tag off a packet gives each byte to the text or to the tag, and the order of parts is header, text, tag.

::

    TagSplitter   byte of a beat ──▶ THERE: the beat is kept ──▶ GONE: with the text, or TAG: its place in the tag
    PieceOrder    heads, header, text, ended, finals ──▶ one part in each cycle
"""

from __future__ import annotations

from typing import Any, ClassVar

from tests.formal.bits import Bits, all_of, concat, constant
from tests.formal.machine import State
from tests.formal.wire_rules import COUNT, GONE, IDLE, NUMBER, THERE, Part, byte_of, first

from modeloom.rtl.stream.parameters import MessageParameters

__all__ = ["ORDER", "SPLITTER"]


# -- TagSplitter ----------------------------------------------------------------------------------------------------------------


class Splitter(Part):
    """The splitter, without a limit for packets that are held.  Its input is what it has counted of a beat.

    ``at`` is the place of the byte that is followed in the beat that is kept.  ``out`` says that a beat of the packet has left that is not
    the last one.
    """

    WIDTHS: ClassVar[dict[str, int]] = {"where": 2, "at": COUNT, "byte": 8, "packet": NUMBER, "begun": NUMBER, "done": NUMBER, "out": 1}

    def __init__(self, state: State, p: MessageParameters, values: dict[str, Bits]):
        super().__init__(state, p, values)
        self.data, counted, wrong, last = (self[f"counted.o__payload.{name}"] for name in ("data", "nbytes", "wrong", "last"))
        self.inside, self.valid = self["inside_reg"], self["valid_reg"]
        self.wrong = wrong | (self.inside & counted.equals(0))
        self.ends = self.wrong | last
        self.bytes = self.wrong.choose(constant(0, COUNT), counted.extend(COUNT))
        self.tag_bytes = self["shape__payload.tag_bytes"].extend(COUNT)
        self.move = all_of([
            self["counted.o__valid"], ~self["discard_reg"], self["shape__valid"], self["endings.i__ready"] | ~self.ends,
            self["o__ready"] | ~self.valid,
        ])  # fmt: skip
        self.right = self["endings.i__payload.code"].equals(0)
        # The last beat has no text: what is left of the tag is in the beat that is kept.
        self.back = self.ends & self.inside & (self.bytes <= self.tag_bytes)
        whole = self.back.choose(constant(self.size, COUNT), constant(0, COUNT))
        self.left = whole + self.bytes - self.tag_bytes

    @property
    def comes(self) -> Bits:
        """The byte that is followed comes in this cycle."""
        return self["where"].equals(IDLE) & self.move & self.pick & (self.place < self.bytes)

    @property
    def gone(self) -> Bits:
        """It leaves with the text."""
        return self["where"].equals(THERE) & self.moves("o") & (self["at"] < self["o__payload.nbytes"].extend(COUNT))

    @property
    def cut(self) -> Bits:
        """It is in the beat that is kept, which leaves without it."""
        return self["where"].equals(THERE) & self.moves("o") & ~self.gone

    @property
    def beyond(self) -> Bits:
        """It comes with the last beat, and is behind the text."""
        more = self.back.choose(constant(self.size, COUNT), constant(0, COUNT))
        return self.comes & self.ends & ((self["endings.i__payload.code"].some()) | (self.place + more >= self.left) | self.back)

    @property
    def in_tag(self) -> Bits:
        """The place in the tag of a byte that is cut or beyond."""
        more = self.back.choose(constant(self.size, COUNT), constant(0, COUNT))
        return self.comes.choose(self.place + more, self["at"]) - self.left

    def followed(self) -> dict[str, Bits]:
        stays = self.comes & ~self.beyond
        out = self.gone | self.cut | self.beyond
        ends = self.moves("o") & self["o__payload.last"]
        return {
            "where": out.choose(constant(GONE, 2), stays.choose(constant(THERE, 2), self["where"])),
            "at": stays.choose(self.place, self["at"]), "byte": self.comes.choose(byte_of(self.data, self.place), self["byte"]),
            "packet": self.comes.choose(self["begun"], self["packet"]),
            "begun": self["begun"] + (self.move & self.ends).extend(NUMBER), "done": self["done"] + ends.extend(NUMBER),
            "out": self.moves("o").choose(~self["o__payload.last"], self["out"]),
        }  # fmt: skip


def kept_beat(s: Splitter) -> Bits:
    """A beat is kept within a packet, and it is whole; the last beat of a packet is kept until it leaves."""
    nbytes, last = s["kept_reg.nbytes"], s["kept_reg.last"]
    return all_of([
        s.inside.implies(s.valid & nbytes.equals(s.size)), s.valid.implies(last.equals(~s.inside)), nbytes <= s.size,
        (s["begun"] - s["done"]).equals((s.valid & last).extend(NUMBER)), s["discard_reg"].implies(~s.inside),
        (s["out"] & s.valid).implies(nbytes.some()), s["out"].implies(s.valid),
    ])  # fmt: skip


def splitter_keeps_the_byte(s: Splitter) -> Bits:
    """The byte that is followed is in its place of the beat that is kept, before the tag."""
    kept = all_of([
        s.valid, s["at"] < s["kept_reg.nbytes"].extend(COUNT), byte_of(s["kept_reg.data"], s["at"]).equals(s["byte"]),
        s["packet"].equals(s["done"]),
    ])  # fmt: skip
    return s["where"].equals(THERE).implies(kept)


def splitter_surroundings(s: Splitter) -> Bits:
    """A beat without fault is whole unless it is the last one.  This is the rule ``beats_are_counted``."""
    nbytes = s["counted.o__payload.nbytes"]
    whole = s["counted.o__payload.last"] | nbytes.equals(s.size)
    return (nbytes <= s.size) & (s["counted.o__payload.wrong"] | whole) & (s.tag_bytes <= s.p.block_bytes)


def beats_are_counted(s: Splitter, t: Splitter) -> Bits:
    """A beat without fault has its ones of ``tkeep`` from bit 0 on, and all of them unless it is the last one.  They are counted."""
    keep, last = s["taken.o__payload.keep"], s["taken.o__payload.last"]
    front = concat([keep, constant(0, 1)])
    total = constant(0, COUNT)
    for n in range(s.size):
        total = total + keep[n].extend(COUNT)
    good = (front & (front + 1)).equals(0) & (last | keep.equals((1 << s.size) - 1))
    nbytes = s["counted.i__payload.nbytes"].extend(COUNT)
    same = all_of(s[f"counted.i__payload.{name}"].equals(s[f"taken.o__payload.{name}"]) for name in ("data", "last"))
    return same & s["counted.i__payload.wrong"].equals(~good) & good.implies(nbytes.equals(total))


def text_leaves_unchanged(s: Splitter, t: Splitter) -> Bits:
    """A byte that leaves with the text has its place in its beat, and its packet."""
    return s.gone.implies(byte_of(s["o__payload.data"], s["at"]).equals(s["byte"]) & s["done"].equals(s["packet"]))


def bytes_are_text_or_tag(s: Splitter, t: Splitter) -> Bits:
    """A byte that does not leave with the text is in the tag, in its place.  It is lost only with a packet that is answered with a code."""
    closes = s.move & s.ends
    at = s.in_tag
    data, place = s["endings.i__payload.data"], s["endings.i__payload.place"].extend(COUNT)
    turned = (at + place) & (s.size - 1)
    byte = s.comes.choose(byte_of(s.data, s.place), s["byte"])
    there = (at < s.tag_bytes) & byte_of(data, turned).equals(byte)
    return (s.cut | s.beyond).implies(closes & s["endings.i__valid"] & (s.right.implies(there)))


def text_has_whole_beats(s: Splitter, t: Splitter) -> Bits:
    """A beat is whole unless it is the last one.  None is without bytes behind another, unless the packet has a fault."""
    nbytes, last = s["o__payload.nbytes"], s["o__payload.last"]
    fault = s.move & s.ends & ~s.right
    return s.moves("o").implies((last | nbytes.equals(s.size)) & (nbytes <= s.size) & (s["out"].implies(nbytes.some()) | fault))


def tag_is_turned(s: Splitter, t: Splitter) -> Bits:
    """The tag that is given begins with its first byte."""
    place = s["endings.o__payload.place"].extend(COUNT)
    at = s.place & (s.p.block_bytes - 1)
    same = byte_of(s["ending__payload.tag"], at).equals(byte_of(s["endings.o__payload.data"], (at + place) & (s.size - 1)))
    return same & s["ending__payload.code"].equals(s["endings.o__payload.code"]) & s["ending__valid"].equals(s["endings.o__valid"])


def one_ending_a_packet(s: Splitter, t: Splitter) -> Bits:
    """The end of a packet is told once, with its shape, and nothing else of it is text."""
    closes = s.move & s.ends
    told = s["endings.i__valid"] & s["endings.i__ready"]
    return told.equals(closes) & (s["shape__valid"] & s["shape__ready"]).equals(closes)


SPLITTER = (
    Splitter, (kept_beat, splitter_keeps_the_byte),
    (beats_are_counted, text_leaves_unchanged, text_has_whole_beats, bytes_are_text_or_tag, tag_is_turned, one_ending_a_packet),
    splitter_surroundings,
)  # fmt: skip


# -- PieceOrder -----------------------------------------------------------------------------------------------------------------


class Order(Part):
    """The order of parts.  ``header_over`` and ``text_over`` say what of the packet has left."""

    WIDTHS: ClassVar[dict[str, int]] = {"header_over": 1, "text_over": 1}

    def __init__(self, state: State, p: MessageParameters, values: dict[str, Bits]):
        super().__init__(state, p, values)
        self.ends = self["o__payload.ends"]
        self.headed = self["heads__payload.headed"]
        self.header_ends = self.moves("header") & self["header__payload.last"]
        self.text_ends = self.moves("text") & self["text__payload.last"]
        self.without_text = self["ended__valid"] & ~self["ended__payload"]

    def followed(self) -> dict[str, Bits]:
        over = self.moves("o") & self.ends
        return {
            "header_over": ~over & (self["header_over"] | self.header_ends), "text_over": ~over & (self["text_over"] | self.text_ends),
        }  # fmt: skip


def registers_know_what_is_over(s: Order) -> Bits:
    """The two registers say it."""
    flags = [cell["Q"] for cell in s.state.machine.netlist.cells if cell.type == "$dff"]
    text = s.state.machine.netlist.net("text_done_reg")
    (header,) = (bits for bits in flags if list(bits) != list(text))
    return s["text_done_reg"].equals(s["text_over"]) & s.state.value(header).equals(s["header_over"])


def order_surroundings(s: Order) -> Bits:
    """Parts have zeros behind their bytes, bytes from bit 0 on, and a verdict comes behind what says that its message has ended."""
    keep = concat([s["text__payload.keep"], constant(0, 1)])
    final = s["finals__payload.nbytes"]
    return all_of([
        s["header__payload.nbytes"] <= s.size,
        s["header__payload.data"].equals(first(s["header__payload.data"], s["header__payload.nbytes"])),
        (keep & (keep + 1)).equals(0), s["text__payload.data"].equals(first(s["text__payload.data"], text_bytes(s))),
        final <= s.p.block_bytes, s["finals__payload.tag"].equals(first(s["finals__payload.tag"], final)),
        s["finals__valid"].implies(s["ended__valid"]),
    ])  # fmt: skip


def text_bytes(s: Order) -> Bits:
    """The bytes of a beat of text."""
    total = constant(0, COUNT)
    for n in range(s.size):
        total = total + s["text__payload.keep"][n].extend(COUNT)
    return total


def header_then_text_then_tag(s: Order, t: Order) -> Bits:
    """Pieces of the header leave before the text, and the end of the packet behind both."""
    header, text, over = s.moves("header"), s.moves("text"), s.moves("o") & s.ends
    header_over = ~s.headed | s["header_over"]
    text_over = s["text_over"] | s.without_text
    return all_of([
        header.implies(s["heads__valid"] & ~header_over), text.implies(s["heads__valid"] & header_over & ~text_over),
        over.implies((header_over | s.header_ends) & (text_over | s.text_ends)),
    ])  # fmt: skip


def each_part_leaves_once(s: Order, t: Order) -> Bits:
    """A part is one piece of the header, one beat of text, or the end alone.  With the end, all that is known of the message goes."""
    header, text, out = s.moves("header"), s.moves("text"), s.moves("o")
    over = out & s.ends
    return all_of([
        ~(header & text), (header | text).implies(out), (out & ~header & ~text).implies(s.ends),
        *(s.moves(name).equals(over) for name in ("heads", "ended", "finals")),
    ])  # fmt: skip


def parts_are_unchanged(s: Order, t: Order) -> Bits:
    """A part has the bytes of its piece, and the tag behind them if it is the last one.  It tells whether the message failed."""
    none, zero = constant(0, COUNT), constant(0, 8 * s.size)
    header, text, over = s.moves("header"), s.moves("text"), s.ends
    nbytes = header.choose(s["header__payload.nbytes"].extend(COUNT), text.choose(text_bytes(s), none))
    data = header.choose(s["header__payload.data"], text.choose(s["text__payload.data"], zero))
    tag = over.choose(s["finals__payload.tag"].extend(8 * s.size), zero) << (nbytes.extend(8 * s.size) << 3)
    more = over.choose(s["finals__payload.nbytes"].extend(COUNT), none)
    out = s["o__payload.nbytes"].extend(COUNT)
    same = s["o__payload.data"].equals(data | tag) & out.equals(nbytes + more) & (out <= s.size)
    failed = s["o__payload.failed"].equals(over & s["finals__payload.failed"])
    return s.moves("o").implies(same & failed & s["o__payload.held"].equals(s["heads__payload.held"]))


ORDER: Any = (
    Order, (registers_know_what_is_over,), (header_then_text_then_tag, each_part_leaves_once, parts_are_unchanged), order_surroundings,
)  # fmt: skip
