# SPDX-License-Identifier: Apache-2.0
"""Texts with places that are filled in: ``@NAME@`` in a file of ``templates``.

A place that begins its line gives its indentation to all lines of the value.  A line that includes a file stands for its text, which
benches of all kinds of cores share::

    (indented) @RULES@     ──▶    (indented) the first line
                                  (indented) the second
    @include keys.sv@      ──▶    the text of cores/templates/keys.sv, with its places
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from importlib import resources

__all__ = ["filled", "template"]

_PLACE = re.compile(r"(^ +)?@([A-Z_]+)@", re.M)

_INCLUDE = re.compile(r"^@include ([\w.]+)@\n", re.M)


def template(package: str, name: str) -> str:
    """The text of a file in the ``templates`` of a package, with what it includes."""
    text = _read(package, name)
    return _INCLUDE.sub(lambda line: _read(__package__ or "", line[1]), text)


def _read(package: str, name: str) -> str:
    return resources.files(package).joinpath("templates", name).read_text(encoding="utf-8")


def filled(package: str, name: str, values: Mapping[str, object]) -> str:
    """The text of a template with its values.

    Parameters
    ----------
    package : str
        The package that has the template.
    name : str
        A file in its ``templates``.
    values : mapping
        A value for each place; text of several lines, or anything that is printed.

    Raises
    ------
    KeyError
        A place has no value.
    """
    return _PLACE.sub(lambda place: textwrap.indent(str(values[place[2]]), place[1] or ""), template(package, name))
