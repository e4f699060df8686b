# SPDX-License-Identifier: Apache-2.0
"""Texts with places that are filled in: ``@NAME@`` in a file of ``templates``.

A place that begins its line gives its indentation to all lines of the value::

    (indented) @RULES@     ──▶    (indented) the first line
                                  (indented) the second
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from importlib import resources

__all__ = ["filled"]

_PLACE = re.compile(r"(^ +)?@([A-Z_]+)@", re.M)


def filled(name: str, values: Mapping[str, object]) -> str:
    """The text of a template with its values.

    Parameters
    ----------
    name : str
        A file in ``templates``.
    values : mapping
        A value for each place; text of several lines, or anything that is printed.

    Raises
    ------
    KeyError
        A place has no value.
    """
    template = resources.files(__package__).joinpath("templates", name).read_text(encoding="utf-8")
    return _PLACE.sub(lambda place: textwrap.indent(str(values[place[2]]), place[1] or ""), template)
