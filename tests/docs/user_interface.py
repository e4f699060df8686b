# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/user-api.md, made from the code.  ``python -m tests.docs.user_interface`` writes them into the page."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from modeloom.ciphers import BlockCipher, CoreRequest, CoreTiming
from modeloom.ciphers.description import CALLS, INTERFACE
from modeloom.modes import words
from modeloom.spec import CMAC_ORDER, GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER, Field, Keys, Mode, Numbers
from modeloom.spec.numbers import StreamNumbers
from modeloom.spec.stream import LengthPrefix, Lengths, MessageKeys, Nonce, State, StreamMode

PAGE = Path(__file__).parents[2] / "docs" / "user-api.md"

ORDERS = {"CMAC_ORDER": CMAC_ORDER, "GHASH_ORDER": GHASH_ORDER, "POLYVAL_ORDER": POLYVAL_ORDER, "XTS_ORDER": XTS_ORDER}


def form(name: str, function: Callable[..., Any], *, method: bool = False) -> str:
    """A call with the names of its arguments and their defaults."""
    found = []
    for parameter in list(inspect.signature(function).parameters.values())[method:]:
        mark = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        found.append(f"{mark}{parameter.name}{default}")
    return f"{name}({', '.join(found)})"


def made(kind: type) -> str:
    """A call that makes a dataclass."""
    if not dataclasses.is_dataclass(kind):
        return form(kind.__name__, kind)
    found = []
    for one in dataclasses.fields(kind):
        needed = one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING
        found.append(one.name if needed else f"{one.name}={one.default!r}")
    return f"{kind.__name__}({', '.join(found)})"


def own(kind: type, base: type | None = None) -> Iterator[tuple[str, Any]]:
    """The public members of a class and of its bases in this package, without those of another class."""
    for each in reversed(kind.__mro__[:-1]):
        for name, value in vars(each).items():
            if not name.startswith("_") and (base is None or not hasattr(base, name)):
                yield name, value


def operations(kind: type, base: type | None = None) -> list[str]:
    """The words of ``o``."""
    return sorted(form(f"o.{name}", value, method=True) for name, value in own(kind, base) if inspect.isfunction(value))


def members(kind: type) -> list[str]:
    """The attributes of a kind of modes with their defaults, and the methods that a definition may have."""
    attributes = {name for each in kind.__mro__ for name in each.__dict__.get("__annotations__", {}) if name not in ("place", "folder")}
    found = [f"{name} = {getattr(kind, name)!r}" if hasattr(kind, name) and plain(getattr(kind, name)) else name for name in attributes]
    methods = [
        form(name, value) for name, value in {name: value for name, value in own(kind)}.items()
        if inspect.isfunction(value) and list(inspect.signature(value).parameters)[:2] == ["self", "o"]
    ]  # fmt: skip
    return [*sorted(found), *sorted(methods)]


def plain(value: Any) -> bool:
    return isinstance(value, bool | int | str | tuple | frozenset | dict) or value is None


def tables() -> dict[str, list[str]]:
    """The rows of each table of the page, by its heading."""
    return {
        "from modeloom.ciphers import": [made(BlockCipher), made(CoreRequest), made(CoreTiming)],
        "functions of a BlockCipher": sorted(CALLS.values()),
        "from modeloom.spec import": [made(Field), form("Keys", Keys), *ORDERS, "CIPHER", "Mode", "Numbers"],
        "from modeloom.spec.stream import": [
            *(made(kind) for kind in (LengthPrefix, Lengths, MessageKeys, Nonce)), form("State", State), "StreamMode"
        ],
        "from modeloom.modes.words import": sorted(form(name, getattr(words, name)) for name in words.__all__),
        "members of a Mode": members(Mode),
        "members of a StreamMode": members(StreamMode),
        "words of o": operations(Numbers),
        "more words of o in a StreamMode": operations(StreamNumbers, Numbers),
    }  # fmt: skip


def rendered(title: str, rows: list[str]) -> str:
    return "\n".join([f"| {title} |", "|---|", *(f"| `{row}` |" for row in rows)])


def page(text: str) -> str:
    """The page with the tables and the version of today."""
    text = re.sub(r"version \d+ of the interface", f"version {INTERFACE} of the interface", text)
    for title, rows in tables().items():
        table = rendered(title, rows) + "\n"
        text = re.sub(rf"^\| {re.escape(title)} \|\n(?:\|[^\n]*\n)*", table.replace("\\", r"\\"), text, flags=re.M)
    return text


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
