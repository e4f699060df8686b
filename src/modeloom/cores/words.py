# SPDX-License-Identifier: Apache-2.0
"""Words of the name of a core: one for each option that is not as it is by default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

__all__ = ["option_words"]

ABBREVIATED = {"encrypt": "enc", "decrypt": "dec", "both": "encdec", "sequential": "seq"}


def option_words(chosen: Mapping[str, object], usual: Mapping[str, object], words: Mapping[str, str]) -> Iterator[str]:
    """A word for each option that differs.

    Parameters
    ----------
    chosen, usual : mapping
        The values of options by name; None takes the default, too.
    words : mapping
        For an option what its value makes, such as "k{}"; an option without a word gives its name and value, behind the others.
    """
    for name in (*words, *sorted(name for name in chosen if name not in words)):
        value = chosen.get(name)
        if value not in (None, usual[name]):
            yield words.get(name, name + "{}").format(ABBREVIATED.get(str(value), value))
