# SPDX-License-Identifier: Apache-2.0
"""The errors that a user can cause; the command line prints them as one line and exits with status 2."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["InputError", "DefinitionError", "UnknownName"]

NAMED = 3
"""Known names that a message has at most."""


class InputError(ValueError):
    """Wrong usage or input; the message is one line that says what is wrong and what to do."""


class DefinitionError(InputError):
    """A mode's definition, or the description of its cipher, is wrong: it reads what was never written, returns the wrong number of
    blocks, does with blocks what nothing can do with them, or raises an exception.

    Parameters
    ----------
    message : str
    placed : bool
        Whether the message names the file and the line.
    """

    def __init__(self, message: str, placed: bool = False):
        super().__init__(message)
        self.placed = placed


class UnknownName(InputError):
    """An unknown mode, unit, preset or target; the message names the nearest known ones, three at most, whatever the case of letters."""

    def __init__(self, kind: str, name: str, known: Iterable[str]):
        names = {each.lower(): each for each in sorted(known, reverse=True)}
        wanted = name.lower()
        close = [wanted] if wanted in names else get_close_matches(wanted, sorted(names), n=NAMED, cutoff=0.4)
        if close:
            hint = f"did you mean {' or '.join(names[each] for each in close)}?"
        else:
            first, others = sorted(names.values())[:NAMED], len(names) - NAMED
            hint = "the only one is " if len(names) == 1 else "choose from "
            hint += ", ".join(first) + (f" and {others} more" if others > 0 else "")
        super().__init__(f"unknown {kind} {name!r}; {hint}")
        self.name = name
