# SPDX-License-Identifier: Apache-2.0
"""The powers of h in the squaring units in each slot, if squares are computed on the fly.  brw2013, section 3 and Fig. 7.

A unit is a squarer followed by a register.  At the end of each slot, it takes h^2, takes the square of its value, or keeps its value::

    h ──┬───── squarer ── register ──┬── h^2, h^4, h^8, …
        └──────────── back ──────────┘

    Schedule(31, 3) reads    2  2  2  4  2  4  8  2  2  4  16  4  2  2  8  4        (exponents)
    unit 1 holds             2  2  2  2  …
    unit 2 holds             2  2  2  4  4  4  8  2  2  4 …                         two units, as the paper has

Between messages every unit holds h^2.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product

__all__ = ["FIRST", "HOLD", "NEXT", "held_powers", "square_units"]

FIRST, HOLD, NEXT = "first", "hold", "next"
"""The next value of a unit: h^2, its old value, or the square of its old value."""


def square_units(powers: Sequence[int | None]) -> tuple[tuple[str, ...], ...]:
    """The smallest number of units that provide each power in its slot, and their actions.

    Parameters
    ----------
    powers : sequence
        The exponent that is read in each slot: a power of two, or None.  1 is the key itself, which no unit holds.

    Returns
    -------
    tuple of tuple of str
        The action of each unit at the end of each slot: ``FIRST``, ``HOLD`` or ``NEXT``.  It is ``FIRST`` in the last slot and wherever the
        unit holds h^2 next.  Among all solutions with the fewest units, this one changes the registers least often.

    Raises
    ------
    ValueError
        A number is not a power of two, or a power is read before it can be ready.  h^2 is ready in slot 0, h^4 in slot 1, ….
    """
    wanted: list[int] = []
    for power in powers:
        if power is not None and (power < 1 or power & (power - 1)):
            raise ValueError(f"square_units: {power} is not a power of two")
        wanted.append(power.bit_length() - 1 if power is not None else 0)
    for slot, need in enumerate(wanted):
        if need > slot + 1:
            raise ValueError(f"square_units: h^{1 << need} cannot be there in slot {slot}, h^2 being there at the start")
    units = 0
    while (found := _assign(wanted, units)) is None:
        units += 1
    return found


def held_powers(actions: Sequence[str]) -> tuple[int, ...]:
    """The exponent of the power in a unit with these actions, for each slot."""
    held = [2]
    for action in actions[:-1]:
        held.append({FIRST: 2, HOLD: held[-1], NEXT: 2 * held[-1]}[action])
    return tuple(held)


def _assign(wanted: list[int], units: int) -> tuple[tuple[str, ...], ...] | None:
    """A solution with this number of units.  0 in ``wanted`` means that no power is needed."""
    if not units:
        return () if not any(wanted) else None
    highest = max(wanted)
    # Units are interchangeable, so their values in a slot are kept in ascending order, with the changes so far and the previous state.
    reached: list[dict[tuple[int, ...], tuple[int, tuple[int, ...]]]] = [{(1,) * units: (0, ())}]
    for need in wanted[1:]:
        following: dict[tuple[int, ...], tuple[int, tuple[int, ...]]] = {}
        for contents, (changes, _) in reached[-1].items():
            for chosen in product(*({1, held, min(held + 1, highest)} for held in contents)):
                if need and need not in chosen:
                    continue
                new = tuple(sorted(chosen))
                candidate = (changes + _changes(contents, chosen), contents)
                following[new] = min(candidate, following.get(new, candidate))
        if not following:
            return None
        reached.append(following)
    contents = min((changes, contents) for contents, (changes, _) in reached[-1].items())[1]
    history = [contents]
    for step in reversed(reached[1:]):
        history.append(step[history[-1]][1])
    held = list(history.pop())
    actions: list[list[str]] = [[] for _ in range(units)]
    for contents in reversed(history):
        new = min((order for order in permutations(contents) if _possible(held, order)), key=lambda order: (_changes(held, order), order))
        for unit, (before, after) in enumerate(zip(held, new)):
            actions[unit].append(FIRST if after == 1 else HOLD if before == after else NEXT)
        held = list(new)
    return tuple((*unit, FIRST) for unit in actions)


def _changes(held: Sequence[int], new: Sequence[int]) -> int:
    return sum(before != after for before, after in zip(held, new))


def _possible(held: Sequence[int], new: Sequence[int]) -> bool:
    return all(after in (1, before, before + 1) for before, after in zip(held, new))
