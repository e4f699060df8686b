# SPDX-License-Identifier: Apache-2.0
"""Gives the two operands of an operator one width, as Verilog linters want it; zeros above change no unsigned value.

::

    key_round == 1'h1   ──▶   key_round == 4'h1            a[2:0] + b (5 bits)   ──▶   { 2'h0, a[2:0] } + b
"""

from __future__ import annotations

from modeloom.emit.rtlil import RtlilModule, Statement

__all__ = ["level_widths"]

_COMPARISONS = {"$eq", "$ne", "$lt", "$le", "$gt", "$ge"}
_SUMS = {"$add", "$sub"}
_BITWISE = {"$and", "$or", "$xor"}


def level_widths(modules: list[RtlilModule]) -> None:
    """Widens the narrower operand of unsigned two-operand cells, in place; operands of sums get the width of the sum."""
    for module in modules:
        for statement in module.of_kind("cell"):
            if statement.type in _COMPARISONS | _SUMS | _BITWISE:
                _level(statement)


def _level(cell: Statement) -> None:
    if cell.parameter("\\A_SIGNED") != "0" or cell.parameter("\\B_SIGNED") != "0":
        return
    widths = {side: int(cell.parameter(f"\\{side}_WIDTH") or 0) for side in "ABY"}
    target = max(widths["A"], widths["B"], 0 if cell.type in _COMPARISONS else widths["Y"])
    for line in cell.lines:
        if line[0] == "parameter" and line[-2] in ("\\A_WIDTH", "\\B_WIDTH"):
            line[-1] = str(target)
        elif line[0] == "connect" and line[1] in ("\\A", "\\B") and widths[line[1][1]] < target:
            line[2:] = _widened(line[2:], target - widths[line[1][1]])


def _widened(signal: list[str], bits: int) -> list[str]:
    width, _, value = signal[0].partition("'")
    if len(signal) == 1 and width.isdigit() and value:
        return [f"{int(width) + bits}'{'0' * bits}{value}"]
    return ["{", f"{bits}'{'0' * bits}", *signal, "}"]
