# SPDX-License-Identifier: Apache-2.0
"""The parts that take packets on the wire apart and join them lose, double and mix no byte.  Any byte is followed through each part.

::

    bytes in  ──▶ numbered as they come ──▶ IDLE ─▶ THERE ─▶ GONE        its number tells its place in the beat with which it leaves
                                                      └────▶ TAG         (split_rules) its place in the tag

The numbers are those of all bytes that came and left, modulo 256, so a beat is always told from the next ones.
"""

from __future__ import annotations

from typing import Any, ClassVar

from tests.formal.bits import Bits, all_of, concat, constant, fresh
from tests.formal.machine import Machine, State

from modeloom.rtl.stream.parameters import MessageParameters

__all__ = ["ALIGNER", "COUNT", "GONE", "IDLE", "JOINER", "NUMBER", "TAG", "THERE", "Part", "byte_of", "first"]

IDLE, THERE, GONE, TAG = range(4)
COUNT, NUMBER = 8, 4


def byte_of(data: Bits, place: Bits) -> Bits:
    """A byte of a beat."""
    return (data >> (place.extend(data.width) << 3))[:8]


def first(data: Bits, count: Bits) -> Bits:
    """The first bytes of a beat, with zeros behind them."""
    wide = constant(1, data.width + 1) << (count.extend(data.width + 1) << 3)
    return data & (wide - 1)[: data.width]


class Part:
    """A part in one cycle, with what is followed.  Variables are 0 after a reset."""

    WIDTHS: ClassVar[dict[str, int]] = {}

    def __init__(self, state: State, p: MessageParameters, values: dict[str, Bits]):
        self.state, self.p, self.size, self.values = state, p, p.beat_bytes, values
        self.pick, self.place = fresh(f"{state.label}.pick", 1), fresh(f"{state.label}.place", COUNT)

    @classmethod
    def any(cls, machine: Machine, p: MessageParameters, label: str) -> Any:
        return cls(machine.free(label), p, {name: fresh(f"{label}.{name}", width) for name, width in cls.WIDTHS.items()})

    @classmethod
    def nothing(cls, state: State, p: MessageParameters) -> Any:
        return cls(state, p, {name: constant(0, width) for name, width in cls.WIDTHS.items()})

    def __getitem__(self, name: str) -> Bits:
        return self.values[name] if name in self.values else self.state[name]

    def moves(self, stream: str) -> Bits:
        """A transfer in this cycle."""
        return self[f"{stream}__valid"] & self[f"{stream}__ready"]

    def next(self) -> Any:
        t = type(self)(self.state.next(), self.p, {})
        t.values = self.followed()
        return t

    def followed(self) -> dict[str, Bits]:
        """The variables of the cycle after."""
        return dict(self.values)


class Passing(Part):
    """A part that gives the bytes that it takes, in order.

    ``came`` and ``left`` count bytes, ``begun`` and ``done`` packets whose ends came and left.
    """

    WIDTHS: ClassVar[dict[str, int]] = {
        "came": COUNT, "left": COUNT, "begun": NUMBER, "done": NUMBER, "where": 2, "index": COUNT, "byte": 8, "packet": NUMBER, "text": 1,
    }  # fmt: skip
    data_in: Bits
    bytes_in: Bits
    ends_in: Bits
    data_out: Bits
    bytes_out: Bits
    ends_out: Bits

    @property
    def comes(self) -> Bits:
        """The byte that is followed comes in this cycle."""
        return self["where"].equals(IDLE) & self.moves("i") & self.pick & (self.place < self.bytes_in.extend(COUNT))

    def now(self, name: str) -> Bits:
        """A variable of the byte that is followed, which may have come in this cycle."""
        new = {
            "where": constant(THERE, 2), "index": self["came"] + self.place, "byte": byte_of(self.data_in, self.place),
            "packet": self["begun"], "text": self.is_text,
        }  # fmt: skip
        return self.comes.choose(new[name], self[name])

    @property
    def is_text(self) -> Bits:
        """Whether the byte that comes belongs to the text."""
        return constant(0, 1)

    @property
    def leaves(self) -> Bits:
        """The byte that is followed leaves in this cycle."""
        return self.now("where").equals(THERE) & self.moves("o") & ((self.now("index") - self["left"]) < self.bytes_out.extend(COUNT))

    def followed(self) -> dict[str, Bits]:
        takes, gives = self.moves("i"), self.moves("o")
        none = constant(0, COUNT)
        values = {name: self.now(name) for name in ("index", "byte", "packet", "text")}
        return values | {
            "came": self["came"] + takes.choose(self.bytes_in.extend(COUNT), none),
            "left": self["left"] + gives.choose(self.bytes_out.extend(COUNT), none),
            "begun": self["begun"] + (takes & self.ends_in).extend(NUMBER), "done": self["done"] + (gives & self.ends_out).extend(NUMBER),
            "where": self.leaves.choose(constant(GONE, 2), self.now("where")),
        }  # fmt: skip


def bytes_leave_unchanged(s: Passing, t: Passing) -> Bits:
    """A byte leaves as it came, in the packet with which it came."""
    same = byte_of(s.data_out, s.now("index") - s["left"]).equals(s.now("byte"))
    return s.leaves.implies(same & s["done"].equals(s.now("packet")))


# -- PacketJoiner ---------------------------------------------------------------------------------------------------------------


class Joiner(Passing):
    """The part that joins."""

    WIDTHS: ClassVar[dict[str, int]] = Passing.WIDTHS | {"failed": 1, "held": 1}

    def __init__(self, *given: Any):
        super().__init__(*given)
        self.data_in, self.bytes_in, self.ends_in = (self[f"i__payload.{name}"] for name in ("data", "nbytes", "ends"))
        self.data_out, self.bytes_out, self.ends_out = (self[f"o__payload.{name}"] for name in ("data", "nbytes", "last"))
        self.told = {name: (self[f"i__payload.{name}"], self[f"o__payload.{name}"]) for name in ("failed", "held")}

    def followed(self) -> dict[str, Bits]:
        ends = self.moves("i") & self.ends_in
        return super().followed() | {name: ends.choose(came, self[name]) for name, (came, _) in self.told.items()}


def joiner_counts(s: Joiner) -> Bits:
    """What waits is what came less what left, and no more than a beat.  A packet that has ended waits for its last beat alone."""
    # The register that says that a packet has ended is ``last`` of the output.
    waits, ended = s["count_reg"], s.ends_out
    return all_of([
        (s["came"] - s["left"]).equals(waits.extend(COUNT)), waits <= s.size, (s["begun"] - s["done"]).equals(ended.extend(NUMBER)),
        s["waiting_reg"].equals(first(s["waiting_reg"], waits)),
        *(ended.implies(out.equals(s[name])) for name, (_, out) in s.told.items()),
    ])  # fmt: skip


def joiner_keeps_the_byte(s: Joiner) -> Bits:
    """The byte that is followed waits in its place."""
    at = s["index"] - s["left"]
    kept = (at < s["count_reg"].extend(COUNT)) & byte_of(s["waiting_reg"], at).equals(s["byte"]) & s["packet"].equals(s["done"])
    return s["where"].equals(THERE).implies(kept)


def joiner_surroundings(s: Joiner) -> Bits:
    """A part has at most the bytes of a beat, and zeros behind them."""
    return (s.bytes_in <= s.size) & s.data_in.equals(first(s.data_in, s.bytes_in))


def beats_are_whole_but_the_last(s: Joiner, t: Joiner) -> Bits:
    """A beat before the last one has all bytes, and all have zeros behind their bytes."""
    shape = (s.ends_out | s.bytes_out.equals(s.size)) & s.data_out.equals(first(s.data_out, s.bytes_out))
    return s.moves("o").implies(shape & (s.bytes_out <= s.size))


def the_end_is_told(s: Joiner, t: Joiner) -> Bits:
    """The last beat says of its packet what the part that ended it said."""
    return (s.moves("o") & s.ends_out).implies(all_of(out.equals(s[name]) for name, (_, out) in s.told.items()))


# -- TextAligner ----------------------------------------------------------------------------------------------------------------


class Aligner(Passing):
    """The part that aligns text.

    ``inside`` says that a packet has begun, ``in_text`` that its header is over, and ``offset`` is its own.
    """

    WIDTHS: ClassVar[dict[str, int]] = Passing.WIDTHS | {"inside": 1, "in_text": 1, "offset": COUNT}

    def __init__(self, state: State, p: MessageParameters, values: dict[str, Bits]):
        super().__init__(state, p, values)
        self.data_in, self.bytes_in, self.ends_in, self.at, self.header, self.ends_header = (
            self[f"i__payload.{name}"] for name in ("data", "nbytes", "last", "offset", "header", "ends_header")
        )
        self.data_out, self.keep, self.ends_out = (self[f"o__payload.{name}"] for name in ("data", "keep", "last"))
        ones = [self.keep[n].extend(COUNT) for n in range(self.size)]
        self.bytes_out = constant(0, COUNT)
        for one in ones:
            self.bytes_out = self.bytes_out + one

    @property
    def is_text(self) -> Bits:
        bits = COUNT
        behind = self.at.some().choose(self.at.extend(bits), constant(self.size, bits))
        return ~self.header | (self.ends_header & (self.place >= behind))

    @property
    def waits(self) -> Bits:
        """The number of bytes that wait."""
        none, size = constant(0, COUNT), constant(self.size, COUNT)
        rest = (self["inside"] & self["in_text"] & self["offset"].some()).choose(size - self["offset"], none)
        return self["drain_reg"].choose(self["rest_bytes_reg"].extend(COUNT), rest)

    def followed(self) -> dict[str, Bits]:
        takes = self.moves("i")
        return super().followed() | {
            "inside": takes.choose(~self.ends_in, self["inside"]),
            "in_text": takes.choose(~self.header | self.ends_header, self["in_text"]),
            "offset": takes.choose(self.at.extend(COUNT), self["offset"]),
        }  # fmt: skip


def aligner_counts(s: Aligner) -> Bits:
    """What waits is what came less what left; it leaves alone when its packet has ended, and before the next one."""
    drains = s["drain_reg"]
    return all_of([
        (s["came"] - s["left"]).equals(s.waits), (s["begun"] - s["done"]).equals(drains.extend(NUMBER)),
        drains.implies(~s["inside"] & s["rest_bytes_reg"].some()),
    ])  # fmt: skip


def aligner_keeps_the_byte(s: Aligner) -> Bits:
    """The byte that is followed waits in its place, and is text."""
    at = s["index"] - s["left"]
    kept = (at < s.waits) & byte_of(s["rest_reg"], at).equals(s["byte"]) & s["packet"].equals(s["done"]) & s["text"]
    return s["where"].equals(THERE).implies(kept)


def aligner_surroundings(s: Aligner) -> Bits:
    """A packet without its tag: whole beats but the last, and a header in front of the text."""
    inside, valid = s["inside"], s["i__valid"]
    return valid.implies(all_of([
        s.bytes_in <= s.size, s.ends_in | s.bytes_in.equals(s.size), inside.implies(s.at.extend(COUNT).equals(s["offset"])),
        s.header.implies(~inside | ~s["in_text"]), (inside & ~s.header).implies(s["in_text"]), s.ends_header.implies(s.header),
        (~inside & ~s.header).implies(~s.at.some()),
    ]))  # fmt: skip


def text_begins_with_a_beat(s: Aligner, t: Aligner) -> Bits:
    """Bytes of the header leave on both outputs, bytes of the text on one, and no beat has both."""
    return s.leaves.implies(s["header__valid"].equals(~s.now("text")))


def headers_are_the_same(s: Aligner, t: Aligner) -> Bits:
    """A piece of the header has the bytes of its beat, with zeros behind them, and the last one is marked."""
    data, nbytes, last = (s[f"header__payload.{name}"] for name in ("data", "nbytes", "last"))
    same = nbytes.extend(COUNT).equals(s.bytes_out) & data.equals(first(s.data_out, s.bytes_out))
    return s["header__valid"].implies(s.moves("o") & same & s.moves("header") & last.equals(s.ends_header | s.ends_out))


def bytes_are_in_front(s: Aligner, t: Aligner) -> Bits:
    """``tkeep`` has its ones from bit 0 on, and a beat of text is whole unless it is the last one."""
    front = concat([s.keep, constant(0, 1)])
    whole = s.ends_out | s["header__valid"] | s.keep.equals((1 << s.size) - 1)
    return s.moves("o").implies((front & (front + 1)).equals(0) & whole)


JOINER = (
    Joiner, (joiner_counts, joiner_keeps_the_byte), (bytes_leave_unchanged, beats_are_whole_but_the_last, the_end_is_told),
    joiner_surroundings,
)  # fmt: skip
ALIGNER = (
    Aligner, (aligner_counts, aligner_keeps_the_byte),
    (bytes_leave_unchanged, text_begins_with_a_beat, headers_are_the_same, bytes_are_in_front), aligner_surroundings,
)  # fmt: skip
"""The states of a part, its invariants, its rules, and what is assumed of its inputs."""
