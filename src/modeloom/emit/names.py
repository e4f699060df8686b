# SPDX-License-Identifier: Apache-2.0
"""Makes plain Verilog names of Yosys' escaped ones, a module at a time."""

from __future__ import annotations

import re

__all__ = ["plain_names"]

_ESCAPED = re.compile(r"\\(\S+)\s")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")


def plain_names(verilog: str) -> str:
    """The same text without escaped identifiers; every name stays unique within its module.

    Ports of inner modules that two modules share are renamed by the same rule in both: the rule looks at the name alone, and a
    clash within a module is an error.
    """
    result = []
    for module in re.split(r"(?<=\nendmodule\n)", verilog):
        taken: dict[str, str] = {}

        def rename(match: re.Match[str], taken: dict[str, str] = taken) -> str:
            old = match[1]
            new = re.sub(r"[^A-Za-z0-9_]+", "_", old).strip("_")
            new = re.sub(r"^(?=\d)", "n", new) or "n"
            if taken.setdefault(new, old) != old:
                raise ValueError(f"names {taken[new]} and {old} become one: {new}")
            return new + " "

        plain = set(_PLAIN.findall(re.sub(_ESCAPED, " ", module)))
        text = _ESCAPED.sub(rename, module)
        for new, old in taken.items():
            if new in plain and new != old:
                raise ValueError(f"name {old} becomes {new}, which is taken")
        result.append(text)
    return "".join(result)
