# SPDX-License-Identifier: Apache-2.0
"""The errors that the command line prints as one line.  All but those of failed checks are errors of a user, with exit status 2."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["AuthenticationError", "DefinitionError", "FailedCheck", "InputError", "MissingTool", "UnknownName"]

NAMED = 3
"""Largest number of known names in a message."""


class InputError(ValueError):
    """Wrong usage or input.  The message is one line that says what is wrong and what to do."""


class DefinitionError(InputError):
    """The definition of a mode, or the description of its cipher, is wrong.

    It reads a value that was never written, returns the wrong number of blocks, applies an operation that blocks do not have, or raises
    an exception.

    Parameters
    ----------
    message : str
    placed : bool
        Whether the message already names the file and the line.
    """

    def __init__(self, message: str, placed: bool = False):
        super().__init__(message)
        self.placed = placed


class UnknownName(InputError):
    """An unknown name of a mode, unit, preset or target.  The message has up to three similar known names, regardless of case.

    ``place`` says where the name is unknown, such as "of mastrovito".
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], place: str = ""):
        names = {each.lower(): each for each in sorted(known, reverse=True)}
        wanted = name.lower()
        close = [wanted] if wanted in names else get_close_matches(wanted, sorted(names), n=NAMED, cutoff=0.4)
        if close:
            hint = f"did you mean {' or '.join(names[each] for each in close)}?"
        else:
            first, others = sorted(names.values())[:NAMED], len(names) - NAMED
            hint = "the only one is " if len(names) == 1 else "choose from "
            hint += ", ".join(first) + (f" and {others} more" if others > 0 else "")
        super().__init__(f"unknown {kind} {name!r}{place and f' {place}'}; {hint}")
        self.name = name


class FailedCheck(Exception):
    """A check of a definition, of what is made of it, or of a message failed.  The exit status is 1."""


class MissingTool(Exception):
    """A compiler or a tool is missing, or refused its input."""


class AuthenticationError(FailedCheck):
    """The tag of a message is wrong.  Nothing of the message is given away."""
