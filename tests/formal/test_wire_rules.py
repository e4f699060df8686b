# SPDX-License-Identifier: Apache-2.0
"""Packets on the wire are taken apart and joined without a byte that is lost, doubled or mixed.  This is proved by induction."""

from __future__ import annotations

import inspect
import sys
import textwrap
from functools import lru_cache
from typing import Any

import pytest
from amaranth.back import rtlil
from tests.built import slowly
from tests.formal.bits import all_of
from tests.formal.induction import unproved_by_induction
from tests.formal.machine import Machine
from tests.formal.proof import holds
from tests.formal.split_rules import ORDER, SPLITTER
from tests.formal.wire_rules import ALIGNER, JOINER
from tests.rtl.stream.wire_bench import parameters

from modeloom.rtl.stream.wire import PacketJoiner, PieceOrder, TagSplitter, TextAligner
from modeloom.taint.graph import netlist_of_rtlil

PARTS: dict[str, tuple[type, Any]] = {
    "splitter": (TagSplitter, SPLITTER), "aligner": (TextAligner, ALIGNER), "order": (PieceOrder, ORDER), "joiner": (PacketJoiner, JOINER),
}  # fmt: skip


@lru_cache
def machine(part: str, lanes: int, old: str = "", new: str = "") -> tuple[Machine, Any]:
    """A part, or one with a mistake in its text, and its parameters."""
    kind, p = PARTS[part][0], parameters(lanes)
    if old:
        source = textwrap.dedent(inspect.getsource(kind.elaborate))  # type: ignore[attr-defined]
        assert source.count(old) == 1
        names = dict(vars(sys.modules[kind.__module__]))
        exec(source.replace(old, new), names)
        kind = type(kind.__name__, (kind,), {"elaborate": names["elaborate"]})
    return Machine(netlist_of_rtlil(rtlil.convert(kind(p), name="part", emit_src=False), "part")), p


def unproved(part: str, lanes: int, old: str = "", new: str = "") -> list[str]:
    """The invariants and rules of a part that are not proved."""
    built, p = machine(part, lanes, old, new)
    state, invariants, rules, surroundings = PARTS[part][1]
    before = built.free("any")
    s = state.any(built, p, "s")
    t = s.next()
    return unproved_by_induction(invariants, rules, state.nothing(before.next(), p), [before["rst"]], s, t, [surroundings(s), ~s["rst"]])


@pytest.mark.parametrize("lanes", [1, *slowly(2, 4)])
@pytest.mark.parametrize("part", PARTS)
def test_no_byte_is_lost_doubled_or_mixed(part: str, lanes: int) -> None:
    assert not unproved(part, lanes)


@pytest.mark.parametrize("part", ["splitter", "aligner", "joiner"])
def test_the_surroundings_are_possible(part: str) -> None:
    """There are states in which the byte that is followed leaves."""
    built, p = machine(part, 1)
    state, invariants, _, surroundings = PARTS[part][1]
    s = state.any(built, p, "s")
    leaves = s.gone if part == "splitter" else s.leaves & s["where"].some()
    assert holds(~leaves, all_of(each(s) for each in invariants), surroundings(s), ~s["rst"]) is not None


MISTAKES = {
    "a tag of a byte too few": (
        "splitter", "left.eq(Mux(back, size, 0) + nbytes - shape.tag_bytes)",
        "left.eq(Mux(back, size, 0) + nbytes + 1 - shape.tag_bytes)",
    ),
    "a whole last beat of the tag is text": ("splitter", "(nbytes <= shape.tag_bytes)", "(nbytes < shape.tag_bytes)"),
    "the tag begins at another byte": ("splitter", "place.eq(nbytes - shape.tag_bytes)", "place.eq(nbytes)"),
    "the tag is not read from the beat before": ("splitter", "(kept_reg.data & ~kept_bytes)", "0"),
    "a kept beat does not wait": ("splitter", "& (self.o.ready | ~valid_reg)", ""),
    "a hole is not seen": (
        "splitter", "counted.i.payload.wrong.eq(hole | (~raw.keep.all() & ~raw.last))",
        "counted.i.payload.wrong.eq(~raw.keep.all() & ~raw.last)",
    ),
    "a rest does not leave": (
        "aligner", "drain_reg.eq(~drain_reg & beat.last & more & (beat.offset != 0) & (beat.ends_header | ~beat.header))",
        "drain_reg.eq(0)",
    ),
    "text is in a beat of the header": (
        "aligner", "nbytes.eq(Mux(beat.ends_header & more, behind, beat.nbytes))", "nbytes.eq(beat.nbytes)",
    ),
    "a beat is taken while a rest leaves": (
        "aligner", "self.i.ready.eq(self.o.ready & ~drain_reg &", "self.i.ready.eq(self.o.ready &",
    ),
    "a header goes on although nobody takes it": (
        "aligner", "give.eq((self.i.valid | drain_reg) & self.o.ready & (self.header.ready | ~to_header))",
        "give.eq((self.i.valid | drain_reg) & self.o.ready)",
    ),
    "a rest that is a byte too long": ("aligner", "size - beat.offset > at", "size - beat.offset >= at"),
    "text comes before the header": ("order", "in_text.eq(has_head & ~in_header & ~no_text)", "in_text.eq(has_head & ~no_text)"),
    "text of the next message": (
        "order", "no_text.eq(text_done_reg | (self.ended.valid & ~self.ended.payload))", "no_text.eq(text_done_reg)",
    ),
    "a tag where there is no room": (
        "order", "short.eq(nbytes <= size - p.block_bytes)", "short.eq(nbytes <= size - p.block_bytes + 1)",
    ),
    "the tag of the next message": ("order", "self.o.valid.eq(valid & (self.finals.valid | ~done))", "self.o.valid.eq(valid)"),
    "the text does not end": ("order", "(in_text & text.last)", "in_text & text.last & header_done_reg"),
    "a rest of the packet before": ("joiner", "count.eq(Mux(ended_reg, 0, count_reg))", "count.eq(count_reg)"),
    "a whole beat leaves early": ("joiner", "overflows.eq(total > size)", "overflows.eq(total >= size)"),
    "what waits is not moved": (
        "joiner", "waiting_reg.eq(Mux(overflows, turned & behind, waiting | (turned & ~behind)))",
        "waiting_reg.eq(waiting | (turned & ~behind))",
    ),
    "a failure is not told": ("joiner", "failed_reg.eq(part.failed),", "failed_reg.eq(failed_reg),"),
    "a part is taken twice": ("joiner", "self.i.ready.eq(self.o.ready)", "self.i.ready.eq(self.o.ready & ~overflows)"),
}  # fmt: skip
"""The part, what is replaced in it, and by what."""


@pytest.mark.parametrize("what", [list(MISTAKES)[-1], *slowly(*list(MISTAKES)[:-1])])
def test_a_mistake_is_found(what: str) -> None:
    part, *mistake = MISTAKES[what]
    # The order of parts has work of its own where the tag shares a part.
    assert unproved(part, 2 if part == "order" else 1, *mistake)
