# SPDX-License-Identifier: Apache-2.0
"""Finds tags that are a part of the state and a block: the sum that adds blocks to this part gives the tag, too.

::

    block:  sum = sum ^ E(a)        ──▶  sum_reg ^ E(...)  ──┬──▶ sum_reg
    tag:    sum ^ E(checksum)                                └──▶ tag

If messages have their text first, E(checksum) is in the sum already, and the tag is the sum alone.

The register of the part is cleared with the tag, so that it never holds one.
"""

from __future__ import annotations

from modeloom.streams.plan import StreamPlan
from modeloom.streams.steps import Form, Source, Step, Term

__all__ = ["tag_sum"]


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
