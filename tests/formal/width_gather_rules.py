# SPDX-License-Identifier: Apache-2.0
"""The rules of the part of a converter that joins narrow beats: no byte is lost, doubled or mixed.

::

    beat ──▶ [kept: so many bytes of its channel] ──▶ wide beat

What is kept is read from the registers, and the proof shows that it changes as a queue of bytes would.  So the n-th byte that comes is the
n-th that leaves, in runs of any length.
"""

from __future__ import annotations

from tests.formal.bits import WIDE, Bits, all_of, constant
from tests.formal.width_state import BAD, GONE, IDLE, INDEX, THERE, Beat, Converters, bit_of, byte_of, front, ones, unpacked

from modeloom.rtl.width import packet_beat, seen_beat

__all__ = ["GATHER_INVARIANTS", "GATHER_RULES", "Gathered"]

class Gathered(Converters):
    """A direction in which narrow beats are joined."""

    gathers = True

    @property
    def beat(self) -> Beat:
        """The narrow beat in question.  It is taken unless it completes a wide one that has to wait."""
        if not self.inward:
            found = self.port("core_m_axis")
            found.fields = {**found.fields, "ends": found["last"]}
            return found
        bits, out = self["into.beat_reg"], self.out
        layout = seen_beat(packet_beat(self.p.host_bytes, channels=self.p.channels))
        return Beat(self["into.valid_reg"], ~out.valid | out.ready, bits, unpacked(bits, layout))

    @property
    def out(self) -> Beat:
        """The wide beat."""
        return self.port("core_s_axis" if self.inward else "m_axis")

    @property
    def here(self) -> Bits:
        """The narrow beat belongs to the channel."""
        return self.beat.of(self.channel)

    @property
    def comes(self) -> Bits:
        """The byte that is followed comes in this cycle."""
        beat = self.beat
        there = (self.place < self.narrow) & bit_of(beat["keep"], self.place)
        return self["where"].equals(IDLE) & self.pick & beat.moves & ~beat["bad"] & self.here & there

    def now(self, name: str) -> Bits:
        """A variable of the byte that is followed, which may have come in this cycle."""
        new = {
            "where": constant(THERE, 2), "index": self.kept_bytes.extend(INDEX) + self.place,
            "byte": byte_of(self.beat["data"], self.place),
        }  # fmt: skip
        return self.comes.choose(new[name], self[name])

    @property
    def leaves(self) -> Bits:
        """The byte that is followed leaves, as all that wait of its channel do."""
        return self.now("where").equals(THERE) & self.out.moves & self.out.of(self.channel)

    def followed(self) -> dict[str, Bits]:
        return super().followed() | {
            "index": self.now("index"), "byte": self.now("byte"), "where": self.leaves.choose(constant(GONE, 2), self.now("where")),
        }  # fmt: skip


def kept_bytes_have_zeros_behind(s: Gathered) -> Bits:
    """Invariant: behind what is kept there are zeros.  What the part reads is the word of the channel of its beat."""
    rules = []
    data, used = s.kept, s.kept_bytes
    limit = constant(1, data.width + 1) << (used.extend(data.width + 1) << 3)
    if s.inward and s.p.channels > 1:
        beat, context = s.beat, s["into.context_reg"]
        its_own = context.equals(s.context_of(beat["channel"])) & s["into.of_channels_rdata_0"].equals(s.word(context))
        rules.append(beat.valid.implies(s["used"] & its_own))
    sound = data.equals(data & (limit - 1)[: data.width])
    # A word that is being erased may be anything.
    return all_of([*rules, sound | s.sweeps if s.p.channels > 1 else sound])


def kept_beats_are_right(s: Gathered) -> Bits:
    """Invariant: the narrow beat is wrong or has its bytes in front, and is whole unless it ends a part of its packet."""
    if not s.inward:
        return constant(1, 1)
    beat = s.beat
    keep, whole = beat["keep"], beat["keep"].equals((1 << s.narrow) - 1)
    return beat.valid.implies((beat["bad"] | front(keep) & (whole | beat["ends"])) & beat["last"].implies(beat["ends"]))


def the_byte_is_kept(s: Gathered) -> Bits:
    """Invariant: the byte that is followed waits in its place."""
    there = s["where"].equals(THERE)
    return there.implies((s["index"].wide < s.kept_bytes) & byte_of(s.kept, s["index"]).equals(s["byte"]))


def the_register_passes_beats_on(s: Gathered, t: Gathered) -> Bits:
    """What has been seen is the beat in question in the next cycle, once, and unchanged."""
    if not s.inward:
        return constant(1, 1)
    seen, here, then = s.seen, s.beat, t.beat
    return s.quiet.implies(all_of([
        seen.ready.equals(~here.valid | here.ready), then.valid.equals(seen.ready.choose(seen.valid, here.valid)),
        seen.moves.implies(then.payload.equals(seen.payload) & then["ends"].equals(seen["ends"])),
        (here.valid & ~here.ready).implies(then.same(here)),
    ]))  # fmt: skip


def gathered_bytes_leave_unchanged(s: Gathered, t: Gathered) -> Bits:
    """A byte leaves in its place and in its channel, unless a wrong beat that joins it takes it along: the core is then told."""
    out, index = s.out, s.now("index")
    same = bit_of(out["keep"], index) & byte_of(out["data"], index).equals(s.now("byte"))
    return (s.quiet & s.leaves).implies(same | (s.beat["bad"] & out["keep"].equals(BAD)))


def gathered_bytes_are_counted(s: Gathered, t: Gathered) -> Bits:
    """What waits of a channel is what came of it less what left, or was taken along by a wrong beat."""
    beat, out, none = s.beat, s.out, constant(0, WIDE)
    came = (beat.moves & s.here & ~beat["bad"]).choose(ones(beat["keep"]), none)
    left = (out.moves & out.of(s.channel)).choose(beat["bad"].choose(s.kept_bytes, ones(out["keep"])), none)
    return s.quiet.implies((t.kept_bytes + left).equals(s.kept_bytes + came))


def gathered_ends_pass(s: Gathered, t: Gathered) -> Bits:
    """An end of a packet leaves with its beat, once, and so does that of associated data; a wrong beat becomes one that is told."""
    beat, out = s.beat, s.out
    told = out.valid.implies(out["keep"].equals(BAD).equals(beat["bad"])) if s.inward else constant(1, 1)
    return s.quiet.implies(all_of([
        (beat.moves & beat["last"]).equals(out.moves & out["last"]), (beat.moves & (beat["ends"] | beat["bad"])).implies(out.moves), told,
        out.moves.implies(beat.moves & out["channel"].equals(beat["channel"]) & out["cut"].equals(beat["cut"])),
    ]))  # fmt: skip


def gathered_beats_are_whole(s: Gathered, t: Gathered) -> Bits:
    """A wide beat has its bytes in front, and is whole unless it ends a part of its packet."""
    out, beat = s.out, s.beat
    whole = out["keep"].equals((1 << s.wide) - 1)
    return (s.quiet & out.valid).implies(beat["bad"] | front(out["keep"]) & (whole | beat["ends"]))


def gathered_beats_do_not_wait_for_ready(s: Gathered, t: Gathered) -> Bits:
    """A narrow beat is taken if no wide one is offered; and a wide one that is taken makes room."""
    from_here = s.seen if s.inward else s.beat
    return (s.quiet & from_here.valid & (~s.out.valid | s.out.ready)).implies(from_here.ready)


GATHER_INVARIANTS = (kept_bytes_have_zeros_behind, kept_beats_are_right, the_byte_is_kept)
GATHER_RULES = (
    the_register_passes_beats_on, gathered_bytes_leave_unchanged, gathered_bytes_are_counted, gathered_ends_pass, gathered_beats_are_whole,
    gathered_beats_do_not_wait_for_ready,
)  # fmt: skip
