# SPDX-License-Identifier: Apache-2.0
"""What a tag is made of: the block of lengths that its token reads, or a part of the state and a block.

A sum that adds blocks to this part gives the tag, too::

    block:  sum = sum ^ E(a)        ──▶  sum_reg ^ E(...)  ──┬──▶ sum_reg
    tag:    sum ^ E(checksum)                                └──▶ tag

If messages have their text first, E(checksum) is in the sum already, and the tag is the sum alone.

The register of the part is cleared with the tag, so that it never holds one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from amaranth.hdl import Cat, Const, Module, Signal, Value

from modeloom.streams.plan import StreamPlan
from modeloom.streams.steps import Form, Source, Step, Term

if TYPE_CHECKING:
    from modeloom.rtl.stream.parameters import MessageParameters

__all__ = ["lengths_block", "made_early", "tag_block", "tag_sum"]


# -- lengths -----------------------------------------------------------------------------------------------------------------------------

# Blocks of lengths: what a token reads in place of a block, as its step orders the lengths.
#
# The block of a tag is made where the lengths are counted, because nothing else chooses its bits there.  A block with the length of the
# nonce is made where tokens enter.


def _kinds(plan: StreamPlan) -> dict[int, tuple[Any, ...]]:
    """For each kind of token with lengths: the order of their bytes, and the two parts."""
    return {
        number: token.source.what for number, token in enumerate(plan.tokens)
        if token.source is not None and token.source.kind == "lengths" and isinstance(token.source.what, tuple)
    }  # fmt: skip


def made_early(plan: StreamPlan) -> int | None:
    """The kind of token of ``tag`` whose block is made of lengths of data only, and comes with the token; None if there is none."""
    own = [(number, what) for number, what in _kinds(plan).items() if plan.tokens[number].title == "tag"]
    return own[0][0] if len(own) == 1 and "nonce" not in own[0][1] and not plan.tag_lengths else None


def tag_block(p: MessageParameters, counted: Value) -> Value:
    """The block that comes with the token of a tag.  ``counted`` are the lengths of associated data and of text, 64 bits each."""
    kind = made_early(p.plan)
    return counted if kind is None else _ordered(p, _kinds(p.plan)[kind], counted, Const(0, 1))


def lengths_block(m: Module, p: MessageParameters, name: str, kind: Value, counted: Value, nonce_bytes: Value) -> Value:
    """The block of lengths for a token of this kind.  It is 0 if the kind has none, or if its block comes with it."""
    result = Signal(p.block_bits, name=name)
    with m.Switch(kind):
        for number, what in _kinds(p.plan).items():
            if number != made_early(p.plan):
                with m.Case(number):
                    m.d.comb += result.eq(_ordered(p, what, counted, nonce_bytes))
    return result


def _ordered(p: MessageParameters, what: tuple[Any, ...], counted: Value, nonce_bytes: Value) -> Value:
    half = p.block_bits // 2
    values = {"nonce": nonce_bytes, "associated": counted[:64], "text": counted[64:128]}
    ending, *parts = what
    halves = []
    for part in parts:
        bits = Cat(Const(0, 3), values[part]) if isinstance(part, str) else Const(8 * part, half)
        wide = Cat(bits, Const(0, half))[:half]
        halves.append(Cat(wide.word_select(at, 8) for at in reversed(range(half // 8))) if ending == "big" else wide)
    return Cat(halves)


# -- sum ---------------------------------------------------------------------------------------------------------------------------------

def tag_sum(plan: StreamPlan, contexts: int) -> str | None:
    """The part of the state whose sum gives the tag; None if there is no such part.

    Parameters
    ----------
    plan : StreamPlan
    contexts : int
        Messages that may interleave.  The state is in memories if there are several, and then it is not shared.
    """
    ends = [token for token in plan.tokens if token.title == "tag" and token.ends]
    if contexts > 1 or not plan.reservations.one_by_one("tag") or len(ends) != 1:
        return None
    step = plan.step("tag")
    for name, home in plan.placed.homes.items():
        if plan.kinds[name].mixes or home != plan.placed.outputs["tag"]:
            continue
        if step.output == (Term(Source("state", name)),):
            return name
        added = _added(plan, step, step.output, name)
        if added and any(_added(plan, each, each.updates.get(name), name) == added for each in plan.steps):
            return name
    return None


def _added(plan: StreamPlan, step: Step, form: Form | None, name: str) -> tuple[str, ...]:
    """The units whose results a form adds to a part of the state; none if it is anything else.  The step is one token."""
    if form is None or len(plan.placed.passes[step.title]) > 1 or any(term.maps for term in form):
        return ()
    others = [term.source for term in form if tuple(term.source) != ("state", name)]
    if len(others) != len(form) - 1:
        return ()
    units = []
    for kind, what in others:
        if kind != "op" or not isinstance(what, int) or plan.placed.later(step.title, what) or not plan.placed.units[step.title][what]:
            return ()
        units.append(plan.placed.units[step.title][what])
    return tuple(sorted(units))
