# SPDX-License-Identifier: Apache-2.0
"""Fills in the placeholders of a text: ``@NAME@`` in a file of ``templates``.

If a placeholder is the first in its line, all lines of its value get its indentation.  A line with ``include`` is replaced by a file that
the benches of all kinds of cores share::

    (indented) @RULES@     ──▶    (indented) the first line
                                  (indented) the second
    @include keys.sv@      ──▶    the text of cores/templates/keys.sv, with its placeholders
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from importlib import resources

__all__ = ["filled", "template", "without"]

_PLACE = re.compile(r"(^ +)?@([A-Z_]+)@", re.M)

_INCLUDE = re.compile(r"^@include ([\w.]+)@\n", re.M)


def template(package: str, name: str) -> str:
    """The text of a file in the ``templates`` of a package, with the files that it includes."""
    text = _read(package, name)
    return _INCLUDE.sub(lambda line: _read(__package__ or "", line[1]), text)


def without(text: str, word: str) -> str:
    """A text without the lines that have a word."""
    return "".join(line for line in text.splitlines(keepends=True) if word not in line)


def _read(package: str, name: str) -> str:
    return resources.files(package).joinpath("templates", name).read_text(encoding="utf-8")


def filled(package: str, name: str, values: Mapping[str, object]) -> str:
    """The text of a template with the values filled in.

    Parameters
    ----------
    package : str
        The package that has the template.
    name : str
        A file in its ``templates``.
    values : mapping
        A value for each placeholder, which may be text of several lines.

    Raises
    ------
    KeyError
        A placeholder has no value.
    """
    return _PLACE.sub(lambda place: textwrap.indent(str(values[place[2]]), place[1] or ""), template(package, name))
