# SPDX-License-Identifier: Apache-2.0
"""Gives operands and results of operators the widths that Verilog linters want; zeros above change no unsigned value.

::

    key_round == 1'h1            ──▶   key_round == 4'h1
    a[2:0] + b (5 bits)          ──▶   { 2'h0, a[2:0] } + b
    y (1 bit) = a[3:0] >> b      ──▶   w[3:0] = a[3:0] >> b,  y = w[0]
"""

from __future__ import annotations

import re

from modeloom_verilog.rtlil import RtlilModule, Statement

__all__ = ["level_widths"]

_COMPARISONS = {"$eq", "$ne", "$lt", "$le", "$gt", "$ge"}
_SUMS = {"$add", "$sub", "$and", "$or", "$xor"}
_SHIFTS = {"$shr", "$shift", "$shl"}


def level_widths(modules: list[RtlilModule]) -> None:
    """Widens the narrower of operands and result of unsigned two-operand cells, in place."""
    for module in modules:
        statements: list[Statement] = []
        for statement in module.statements:
            statements.append(statement)
            if statement.kind == "cell" and statement.type in _COMPARISONS | _SUMS | _SHIFTS:
                _level(statement, statements)
        module.statements = statements


def _level(cell: Statement, statements: list[Statement]) -> None:
    if cell.parameter("\\A_SIGNED") != "0" or cell.parameter("\\B_SIGNED") != "0":
        return
    old = {side: int(cell.parameter(f"\\{side}_WIDTH") or 0) for side in "ABY"}
    new = dict(old)
    if cell.type in _SHIFTS:
        new["A"] = new["Y"] = max(old["A"], old["Y"])
    elif cell.type in _COMPARISONS:
        new["A"] = new["B"] = max(old["A"], old["B"])
    else:
        new["A"] = new["B"] = new["Y"] = max(old.values())
    wide = f"{cell.name}_wide"
    for line in cell.lines:
        side = line[1][1] if line[0] == "connect" else line[-2][1] if line[0] == "parameter" else ""
        if line[0] == "parameter" and line[-2] == f"\\{side}_WIDTH" and side in new:
            line[-1] = str(new[side])
        elif line[0] == "connect" and side in ("A", "B"):
            line[2:] = _widened(line[2:], new[side] - old[side])
        elif line[0] == "connect" and side == "Y" and new["Y"] > old["Y"]:
            statements.append(Statement("connect", [["connect", *line[2:], wide, f"[{old['Y'] - 1}:0]"]]))
            statements.insert(-2, Statement("wire", [["wire", "width", str(new["Y"]), wide]]))
            line[2:] = [wide]


def _widened(signal: list[str], bits: int) -> list[str]:
    if not bits:
        return signal
    if constant := re.fullmatch(r"(\d+)'(\S+)", " ".join(signal)):
        return [f"{int(constant[1]) + bits}'{'0' * bits}{constant[2]}"]
    return ["{", f"{bits}'{'0' * bits}", *signal, "}"]
