# SPDX-License-Identifier: Apache-2.0
"""Expressions as Verilog, in lines that fit on a screen."""

from __future__ import annotations

from collections.abc import Callable

from modeloom.emit.expressions import Expr

__all__ = ["WIDTH", "literal", "text_of", "wrapped"]

WIDTH = 120
"""Characters in a line."""

_WORD_BITS = 256
"""Largest number of bits of a constant that is written in one piece."""

_PRECEDENCE = {
    "*": 11, "+": 10, "-": 10, "<<": 9, ">>": 9, ">>>": 9, "<": 8, "<=": 8, ">": 8, ">=": 8, "==": 7, "!=": 7, "&": 6, "^": 5, "|": 4,
}  # fmt: skip
_CHOICE, _UNARY, _ATOM = 1, 12, 13


def literal(width: int, bits: str, digits: int = 1) -> str:
    """A constant in hexadecimal with at least ``digits`` digits, or in binary if it has unknown bits."""
    if not bits.strip("0"):
        return f"{width}'h{'0' * digits}"
    if len(bits) > _WORD_BITS:
        pieces = [bits[max(0, end - _WORD_BITS) : end] for end in range(len(bits), 0, -_WORD_BITS)]
        return "{ " + ", ".join(literal(len(piece), piece, digits and -(-len(piece) // 4)) for piece in reversed(pieces)) + " }"
    if bits.strip("01"):
        return f"{width}'b{bits}"
    return f"{width}'h{int(bits, 2):0{digits}x}"


def text_of(value: Expr, width_of: Callable[[str], int]) -> str:
    """An expression in one line.

    Parameters
    ----------
    value : Expr
    width_of : callable
        Bits of a net, by its name.
    """

    def bounded(one: Expr, least: int) -> str:
        text, bound = write(one)
        return text if bound >= least else f"({text})"

    def write(one: Expr) -> tuple[str, int]:
        op = one.op
        if op == "net":
            name = one.name.removeprefix("\\")
            whole = width_of(one.name)
            if not one.low and one.width == whole:
                return name, _ATOM
            high = one.low + one.width - 1
            return f"{name}[{high}:{one.low}]" if one.width > 1 else f"{name}[{high}]", _ATOM
        if op == "const":
            return literal(one.width, one.name), _ATOM
        if op == "concat":
            return "{ " + ", ".join(write(arg)[0] for arg in one.args) + " }", _ATOM
        if op == "repeat":
            return "{" + f"{one.width // one.args[0].width}{{{write(one.args[0])[0]}}}" + "}", _ATOM
        if op == "signed":
            return f"$signed({write(one.args[0])[0]})", _ATOM
        if op == "~" or op.startswith("r"):
            return f"{op.removeprefix('r')}{bounded(one.args[0], _ATOM)}", _UNARY
        if op == "choice":
            condition, yes, no = one.args
            return f"{bounded(condition, _CHOICE + 1)} ? {bounded(yes, _CHOICE + 1)} : {bounded(no, _CHOICE)}", _CHOICE
        place = _PRECEDENCE[op]
        # Operands of "&", "|" and "^" with the same operator need no brackets.  For other operators, only the left operand needs none.
        left = bounded(one.args[0], place if op in "&|^+*" else place + (op in ("<", "<=", ">", ">=", "==", "!=")))
        right = bounded(one.args[1], place if op in "&|^" and one.args[1].op == op else place + 1)
        return f"{_readable(left, one.args[0], op)} {op} {_readable(right, one.args[1], op)}", place

    def _readable(text: str, arg: Expr, op: str) -> str:
        """Adds brackets that Verilog does not need but a reader does, around bit operators within other bit operators."""
        if arg.op == op or arg.op not in _PRECEDENCE or text.startswith("(") and text.endswith(")") and _closed(text):
            return text
        return f"({text})" if op in "&|^" and arg.op in ("&", "|", "^") else text

    return write(value)[0]


def _closed(text: str) -> bool:
    """Whether the last bracket closes the first one."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return at == len(text) - 1
    return False


def wrapped(text: str, indent: int = 2, width: int = WIDTH) -> list[str]:
    """A statement in lines.  Lines break at spaces, before operators and after commas."""
    margin = " " * indent
    if indent + len(text) <= width:
        return [margin + text]
    lines, line = [], margin
    for word in _words(text):
        if len(line) + 1 + len(word) > width and line.strip():
            lines.append(line)
            line = margin + "    " + word
        else:
            line = f"{line} {word}" if line.strip() else line + word
    return [*lines, line]


_OPERATORS = {"?", ":", "*", "+", "-", "<<", ">>", ">>>", "<", ">", ">=", "==", "!=", "&", "^", "|"}


def _words(text: str) -> list[str]:
    """Words that may begin a line.  An operator belongs to the word after it."""
    words: list[str] = []
    for word in text.split(" "):
        if words and words[-1] in _OPERATORS:
            words[-1] += " " + word
        else:
            words.append(word)
    return words
