# SPDX-License-Identifier: Apache-2.0
"""Parts of a signature, to be joined by ``wiring.connect``.

::

    component ── a, b, c, d ──▶  part_of(component, ("a", "b"))  ──▶  wiring.connect  ◀──  part_of(other, ("a", "b"))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module
from amaranth.lib import wiring

__all__ = ["join", "part_of"]


class _Part:
    """Some members of an interface."""

    def __init__(self, whole: Any, names: Sequence[str]):
        self.signature = wiring.Signature({name: whole.signature.members[name] for name in names})
        for name in names:
            setattr(self, name, getattr(whole, name))


def part_of(whole: Any, names: Sequence[str]) -> Any:
    """The interface with these members of a component or of another interface; raises ``KeyError`` if it lacks one."""
    return _Part(whole, names)


def join(m: Module, one: Any, other: Any, *names: str) -> None:
    """Connects members that two components have under the same name, in this order.

    Raises what ``wiring.connect`` raises where directions or widths do not fit.
    """
    for name in names:
        wiring.connect(m, part_of(one, [name]), part_of(other, [name]))
