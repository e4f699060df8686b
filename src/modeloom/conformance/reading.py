# SPDX-License-Identifier: Apache-2.0
"""Finds out the format of a vector file, and reads it."""

from __future__ import annotations

import json
from pathlib import Path

from modeloom.conformance.acvp import looks_like_acvp, read_acvp
from modeloom.conformance.case import Unreadable, VectorFile
from modeloom.conformance.cavp import looks_like_cavp, read_cavp
from modeloom.conformance.wycheproof import read_wycheproof

__all__ = ["read_file"]


def read_file(path: str | Path, expected: str | Path | None = None) -> VectorFile:
    """The tests of a file, whose format its contents tell.

    Parameters
    ----------
    path : path
        A file of ACVP, CAVP or Wycheproof.
    expected : path, optional
        The expected results of a vector set of ACVP.

    Raises
    ------
    Unreadable
        The file cannot be read, or is in none of these formats, or is wrong.
    """
    path = Path(path)
    text = _text(path)
    answers = None if expected is None else _answers(Path(expected))
    try:
        value = _json(text)
        if looks_like_acvp(value):
            if expected is not None and answers is None:
                raise Unreadable("the file with the expected results is not JSON")
            return read_acvp(path.name, value, answers)
        if expected is not None:
            raise Unreadable("it is no vector set of ACVP, and --expected is for these")
        if isinstance(value, dict) and "testGroups" in value:
            return read_wycheproof(path.name, value)
        if value is None and looks_like_cavp(text):
            return read_cavp(path.name, text)
        raise Unreadable("the file is neither JSON of ACVP or Wycheproof nor a response file of CAVP")
    except Unreadable as error:
        raise Unreadable(f"{path}: {error}") from None
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        detail = f"{error} is missing" if isinstance(error, KeyError) else "a member has the wrong type"
        raise Unreadable(f"{path}: {detail}") from None


def _answers(path: Path) -> object:
    """The value of a file with expected results."""
    text = _text(path)
    try:
        return _json(text)
    except Unreadable as error:
        raise Unreadable(f"{path}: {error}") from None


def _text(path: Path) -> str:
    """The text of a file, without a byte-order mark.  Raises ``Unreadable``."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise Unreadable(f"{path} cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise Unreadable(f"{path} is not a text") from None


def _json(text: str) -> object:
    """The value of JSON, or None if the text is none.  Raises ``Unreadable`` for an object that has a member twice."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except Unreadable:
        raise
    except (ValueError, RecursionError):
        return None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made: dict[str, object] = {}
    for name, value in pairs:
        if name in made:
            raise Unreadable(f"an object has the member {name!r} twice")
        made[name] = value
    return made
