# SPDX-License-Identifier: Apache-2.0
"""The rules of the parts of a converter that part wide beats: no byte is lost, doubled or mixed.

::

    seen beat ──▶ [wide beat, which moves down by a narrow one] ──▶ narrow beat            Parted

    wide beat of the core, which stays ──▶ its part at place_reg ──▶ narrow beat           PartedDirectly
"""

from __future__ import annotations

from tests.formal.bits import WIDE, Bits, all_of, constant
from tests.formal.width_state import BAD, GONE, IDLE, INDEX, THERE, Beat, Converters, bit_of, byte_of, front, ones, unpacked

from modeloom.rtl.width import packet_beat

__all__ = ["DIRECT_INVARIANTS", "DIRECT_RULES", "SPLIT_INVARIANTS", "SPLIT_RULES", "Parted", "PartedDirectly"]


class Parted(Converters):
    """Data of the host, whose beats are wider."""

    gathers = False
    inward = True

    @property
    def held(self) -> Beat:
        """The wide beat, of which parts may have left."""
        bits, layout = self["into.beat_reg"], packet_beat(self.p.host_bytes, channels=self.p.channels)
        return Beat(self.out.valid, constant(0, 1), bits, unpacked(bits, layout))

    @property
    def out(self) -> Beat:
        """The narrow beat."""
        return self.port("core_s_axis")

    @property
    def told(self) -> Bits:
        """What is held tells the core of a wrong beat."""
        return self.held["keep"].equals(BAD)

    @property
    def waits(self) -> Bits:
        """The number of bytes that wait."""
        return (self.out.valid & ~self.told).choose(ones(self.held["keep"]), constant(0, WIDE))

    @property
    def comes(self) -> Bits:
        """The byte that is followed comes in this cycle."""
        seen = self.seen
        there = (self.place < self.p.host_bytes) & bit_of(seen["keep"], self.place)
        return self["where"].equals(IDLE) & self.pick & seen.moves & ~seen["bad"] & seen.of(self.channel) & there

    @property
    def leaves(self) -> Bits:
        """The byte that is followed leaves in this cycle."""
        return self["where"].equals(THERE) & self.out.moves & (self["index"] < self.narrow)

    def followed(self) -> dict[str, Bits]:
        seen, moves = self.seen, self["where"].equals(THERE) & self.out.moves
        return super().followed() | {
            "where": self.comes.choose(constant(THERE, 2), self.leaves.choose(constant(GONE, 2), self["where"])),
            "index": self.comes.choose(self.place, moves.choose(self["index"] - self.narrow, self["index"])),
            "byte": self.comes.choose(byte_of(seen["data"], self.place), self["byte"]),
            "ended": seen.moves.choose(seen["ends"], self["ended"]),
        }  # fmt: skip


def the_beat_is_right(s: Parted) -> Bits:
    """Invariant: a beat that is held tells of a wrong one or has its bytes in front; its parts are whole unless it ends something."""
    keep, size = s.held["keep"], s.narrow
    parts = [keep[at].equals(keep[at + size - 1]) for at in range(0, keep.width, size)]
    return s.out.valid.implies(s.told | front(keep) & (s["ended"] | all_of([keep[size - 1], *parts])))


def the_byte_is_held(s: Parted) -> Bits:
    """Invariant: the byte that is followed waits in its place."""
    held, index = s.held, s["index"]
    kept = bit_of(held["keep"], index) & byte_of(held["data"], index).equals(s["byte"]) & held.of(s.channel) & ~s.told
    return s["where"].equals(THERE).implies(s.out.valid & kept)


def parted_bytes_leave_unchanged(s: Parted, t: Parted) -> Bits:
    """A byte leaves in its place and in its channel, and no end of a packet leaves before it."""
    out, there = s.out, s["where"].equals(THERE)
    same = bit_of(out["keep"], s["index"]) & byte_of(out["data"], s["index"]).equals(s["byte"]) & out.of(s.channel)
    return s.quiet.implies(s.leaves.implies(same) & (there & out.moves & out["last"]).implies(s.leaves))


def parted_bytes_are_counted(s: Parted, t: Parted) -> Bits:
    """What waits is what came less what left.  A beat comes only when nothing is left of the one before it."""
    seen, out, none = s.seen, s.out, constant(0, WIDE)
    came = (seen.moves & ~seen["bad"]).choose(ones(seen["keep"]), none)
    left = (out.moves & ~s.told).choose(ones(out["keep"]), none)
    return s.quiet.implies((t.waits + left).equals(s.waits + came) & seen.moves.implies(s.waits.equals(left)))


def parted_ends_pass(s: Parted, t: Parted) -> Bits:
    """An end of a packet leaves once, and so does what tells of a wrong beat; this and only this has such a ``tkeep``."""
    seen, out = s.seen, s.out
    ends, ends_after = (one.out.valid & one.held["last"] for one in (s, t))
    told, told_after = (one.out.valid & one.told for one in (s, t))
    return s.quiet.implies(all_of([
        (ends_after.wide + (out.moves & out["last"]).wide).equals(ends.wide + (seen.moves & seen["last"]).wide),
        (told_after.wide + (out.moves & out["keep"].equals(BAD)).wide).equals(told.wide + (seen.moves & seen["bad"]).wide),
        (told & out.moves).implies(out["last"].equals(s.held["last"])),
    ]))  # fmt: skip


def parted_beats_are_whole(s: Parted, t: Parted) -> Bits:
    """A narrow beat has its bytes in front, and is whole unless it ends a part of its packet."""
    out = s.out
    whole = out["keep"].equals((1 << s.narrow) - 1)
    return (s.quiet & out.valid).implies(s.told | front(out["keep"]) & (whole | s["ended"]))


def parted_beats_do_not_wait_for_ready(s: Parted, t: Parted) -> Bits:
    """A wide beat is taken if no narrow one is offered; and with each narrow one that is taken, what is held becomes less."""
    seen, out = s.seen, s.out
    less = ~t.out.valid | seen.moves | (t.waits < s.waits)
    return s.quiet.implies((seen.valid & ~out.valid).implies(seen.ready) & out.moves.implies(less))


SPLIT_INVARIANTS = (the_beat_is_right, the_byte_is_held)
SPLIT_RULES = (
    parted_bytes_leave_unchanged, parted_bytes_are_counted, parted_ends_pass, parted_beats_are_whole, parted_beats_do_not_wait_for_ready,
)  # fmt: skip


# -- without a register --------------------------------------------------------------------------------------------------------------


class PartedDirectly(Converters):
    """Data of a core, whose beats are wider.  Any byte of the beat that it offers is at ``place``, in all cycles."""

    gathers = False
    inward = False

    @property
    def beat(self) -> Beat:
        """The wide beat."""
        return self.port("core_m_axis")

    @property
    def out(self) -> Beat:
        """The narrow beat."""
        return self.port("m_axis")

    @property
    def left(self) -> Bits:
        """The number of bytes of the wide beat that have left."""
        return self["back.place_reg"].wide * self.narrow


def what_has_left_was_there(s: PartedDirectly) -> Bits:
    """Invariant: bytes have left only of a beat that is still offered, and that has more."""
    begun = s.left.some()
    return begun.implies(s.beat.valid & bit_of(s.beat["keep"], s.left.extend(INDEX)))


def direct_bytes_leave_unchanged(s: PartedDirectly, t: PartedDirectly) -> Bits:
    """A byte of the wide beat leaves when those before it have left."""
    beat, out, at = s.beat, s.out, s.place.wide - s.left
    now = out.moves & (s.place.wide < s.wide) & (s.place.wide >= s.left) & (at < s.narrow)
    here = bit_of(beat["keep"], s.place)
    same = byte_of(out["data"], at.extend(INDEX)).equals(byte_of(beat["data"], s.place))
    return (s.quiet & now).implies(bit_of(out["keep"], at.extend(INDEX)).equals(here) & (~here | same))


def direct_bytes_are_counted(s: PartedDirectly, t: PartedDirectly) -> Bits:
    """The bytes that have left become more by those of each narrow beat, and all have left when the wide beat is taken."""
    beat, out, none = s.beat, s.out, constant(0, WIDE)
    came, left = (one.moves.choose(ones(one["keep"]), none) for one in (beat, out))
    return s.quiet.implies((t.left + came).equals(s.left + left))


def direct_ends_pass(s: PartedDirectly, t: PartedDirectly) -> Bits:
    """The wide beat is taken with its last part, which alone has its end, and says what it says of the packet."""
    beat, out = s.beat, s.out
    final = ~(out.moves & ~beat.moves)
    return s.quiet.implies(all_of([
        (beat.moves & beat["last"]).equals(out.moves & out["last"]), beat.moves.implies(out.moves & out["cut"].equals(beat["cut"])),
        out.valid.implies(beat.valid & out["channel"].equals(beat["channel"])), final | ~out["last"] & ~out["cut"],
    ]))  # fmt: skip


def direct_beats_are_whole(s: PartedDirectly, t: PartedDirectly) -> Bits:
    """A narrow beat has its bytes in front, and is whole unless it is the last one of its packet."""
    out = s.out
    whole = out["keep"].equals((1 << s.narrow) - 1)
    return (s.quiet & out.valid).implies(front(out["keep"]) & (whole | out["last"]))


def direct_beats_do_not_wait_for_ready(s: PartedDirectly, t: PartedDirectly) -> Bits:
    """A part is offered whenever the core offers a beat."""
    return s.out.valid.equals(s.beat.valid)


DIRECT_INVARIANTS = (what_has_left_was_there,)
DIRECT_RULES = (
    direct_bytes_leave_unchanged, direct_bytes_are_counted, direct_ends_pass, direct_beats_are_whole, direct_beats_do_not_wait_for_ready,
)  # fmt: skip
