# SPDX-License-Identifier: Apache-2.0
"""The errors that the command line prints as one line, and ``blame``, which finds the line of a user's file that caused one.

All but those of failed checks are errors of a user, with exit status 2.
"""

from __future__ import annotations

import re
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from types import TracebackType

__all__ = [
    "AuthenticationError", "DefinitionError", "FailedCheck", "InputError", "MissingTool", "UnknownName", "blame", "is_users",
    "many", "numbers", "paced", "place_of",
]  # fmt: skip


# -- wording ---------------------------------------------------------------------------------------------------------------------------

# Numbers with their nouns, and lists of numbers, for messages.


def many(count: int, what: str) -> str:
    """A number of things, such as "1 block" and "2 blocks".  ``what`` is the noun for one of them."""
    return f"{count} {what}{'s' * (count != 1)}"


def paced(blocks: int, interval: int) -> str:
    """The rate of blocks, such as "2 blocks per cycle", or "4 cipher blocks every 40 cycles" of a cipher that takes them in batches."""
    if interval == 1:
        return f"{many(blocks, 'block')} per cycle"
    return f"{many(blocks, 'cipher block')} every {many(interval, 'cycle')}"


def numbers(values: Iterable[int]) -> str:
    """Numbers in their order, in which three or more that follow each other are a range, such as "4, 8, or 12 to 16"."""
    runs: list[list[int]] = []
    for value in sorted(set(values)):
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    parts = [text for run in runs for text in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run))]
    *head, last = parts
    if not head:
        return last
    return f"{', '.join(head)}{',' * any(' ' in part for part in parts)} or {last}"


# -- errors ----------------------------------------------------------------------------------------------------------------------------

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


# -- blame -------------------------------------------------------------------------------------------------------------------------

# Errors in code that a user wrote. Each becomes one line of text with the file and the line where it arose.
#
# Definitions, descriptions of ciphers and software of ciphers run inside ``blame``.  Frames of this package do not count as the user's
# code, except those of its modes, which are definitions like any other.

_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})


def is_users(module: str) -> bool:
    """Whether a module of this name holds definitions: it is one of the modes, or it does not belong to this package."""
    return module.startswith("modeloom.modes.") or not (module == "modeloom" or module.startswith("modeloom."))


def _innermost(trace: TracebackType | None, function: Callable[..., object] | None) -> tuple[str, int] | None:
    """File and line of the innermost frame of user code. Of installed packages, only the file of the function itself counts."""
    found = None
    own = getattr(getattr(getattr(function, "__func__", function), "__code__", None), "co_filename", None)
    while trace:
        file = trace.tb_frame.f_code.co_filename
        if file == own or (is_users(trace.tb_frame.f_globals.get("__name__", "")) and not file.startswith((*_LIBRARIES, "<"))):
            found = file, trace.tb_lineno
        trace = trace.tb_next
    return found


def place_of(function: Callable[..., object] | None) -> str:
    """``FILE, line N`` of a function or class that a user wrote; "" if it is unknown."""
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is not None:
        return f"{Path(code.co_filename).name}, line {code.co_firstlineno}"
    file = getattr(sys.modules.get(getattr(function, "__module__", "") or ""), "__file__", None)
    return Path(file).name if file else ""


@contextmanager
def blame(what: str, function: Callable[..., object] | None = None) -> Iterator[None]:
    """Turns an exception inside into ``DefinitionError``: "what: FILE, line N: what is wrong".

    ``InputError`` passes unchanged.  A ``DefinitionError`` gets the place if it has none.  An error of this project, in which no user code
    takes part, passes unchanged, too.

    Parameters
    ----------
    what : str
        The name of the mode or the cipher.
    function : callable or None
        The function that is called.  It is named if the error arose in the call itself, before the function ran.
    """
    try:
        yield
    except DefinitionError as error:
        innermost = _innermost(error.__traceback__, function)
        if error.placed or not innermost:
            raise
        raise _placed(what, innermost, str(error).removeprefix(f"{what}: ")) from error
    except InputError:
        raise
    except Exception as error:
        text = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
        text = re.sub(r"\b(Tracer|Numbers)\.", "o.", text)
        innermost = _innermost(error.__traceback__, function)
        if innermost:
            raise _placed(what, innermost, text) from error
        if function is None or not is_users(getattr(function, "__module__", None) or "") or not place_of(function):
            raise
        raise DefinitionError(f"{what}: {place_of(function)}: {text}", placed=True) from error


def _placed(what: str, place: tuple[str, int], text: str) -> DefinitionError:
    file, line = place
    return DefinitionError(f"{what}: {Path(file).name}, line {line}: {text}", placed=True)
