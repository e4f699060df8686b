# SPDX-License-Identifier: Apache-2.0
"""Tables of the options of cores for the documents, from their rows."""

from __future__ import annotations

from collections.abc import Callable

from circuit_tables import table

from modeloom.options.messages import StreamOptions
from modeloom.options.row import option
from modeloom.options.spelled import spelled

__all__ = ["TABLES"]

KINDS = {"sector": "sectors", "stream": "messages"}


def options() -> str:
    """Every option of a core, the kinds of cores that have it, and what it means."""
    found = []
    for one in spelled().values():
        cores = "all" if len(one.kinds) == len(KINDS) else KINDS[one.kinds[0]]
        about = one.about.removeprefix("Stream modes: ")
        found.append((f"`{one.spellings[0]}`", cores, about))
    return table(("option", "cores for", "meaning"), found, 3)


def together() -> str:
    """Choices that a core for messages cannot have both of, and why."""
    rows = [(f"`{one}`, `{other}`", f"{why[0].upper()}{why[1:]}.") for (one, other), why in StreamOptions.pairs().items()]
    return table(("options", "why"), rows, 2)


def needs() -> str:
    """What choices need of a mode, or of other choices."""
    rows: list[tuple[str, ...]] = []
    for name, row in StreamOptions.rows().items():
        for choice, terms in {option(name): row.terms, **{f"{option(name)} {value}": of for value, of in row.values.items()}}.items():
            rows += [(f"`{choice}`", f"It is for {what}.") for what in terms.only.values()]
            rows += [(f"`{choice}`", f"It is for `{terms.needs}`.")] if terms.needs else []
            rows += [(f"`{choice}`", f"It is for cores that {what}.") for what in terms.direction.values()]
    return table(("option", "what it needs"), rows, 2)


TABLES: dict[str, Callable[[], str]] = {"options": options, "together": together, "needs": needs}
