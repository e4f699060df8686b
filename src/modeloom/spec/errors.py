# SPDX-License-Identifier: Apache-2.0
"""The errors that a user can cause; the command line prints them as one line and exits with status 2."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["InputError", "DefinitionError", "UnknownName"]


class InputError(ValueError):
    """Wrong usage or input; the message is one line that says what is wrong and what to do."""


class DefinitionError(InputError):
    """A mode's definition is wrong: it reads what was never written, or returns the wrong number of blocks."""


class UnknownName(InputError):
    """An unknown mode, unit, preset or target; the message names the nearest known ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str]):
        known = sorted(known)
        near = get_close_matches(name, known, n=3, cutoff=0.4) or known
        super().__init__(f"unknown {kind} {name!r}; did you mean {' or '.join(near)}?")
        self.name = name
