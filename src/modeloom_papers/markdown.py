# SPDX-License-Identifier: Apache-2.0
"""Cells and tables in Markdown, for the pages of the papers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from modeloom_papers.stored import Row

__all__ = ["Column", "aligned", "ours", "plot", "printed", "shown"]

Column = tuple[str, Callable[[Row], str]]
"""The head of a column, and the function that makes the cell of a row."""

DIGITS = {"throughput": 3, "speedup": 2}
"""Number of decimals of a figure."""


def shown(value: float | str | None, name: str = "", digits: int | None = None) -> str:
    """A figure, with as many decimals as figures of this name have, or with so many."""
    decimals = DIGITS.get(name.split("_")[-1]) if digits is None else digits
    return "-" if value is None else str(value) if decimals is None else f"{value:.{decimals}f}"


def printed(name: str, digits: int | None = None) -> Callable[[Row], str]:
    """The printed figure, with the correct one in brackets."""

    def cell(row: Row) -> str:
        right = row["corrected"].get(name)
        return shown(row["printed"].get(name), name, digits) + ("" if right is None else f" ({shown(right, name, digits)})")

    return cell


def ours(name: str, digits: int | None = None) -> Callable[[Row], str]:
    """Our figure."""
    return lambda row: shown(row["ours"].get(name), name, digits)


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> str:
    """A Markdown table that is readable as text.  Columns from number ``left`` on hold figures."""
    widths = [max(3, *map(len, column)) for column in zip(head, *rows)]

    def line(cells: Sequence[str]) -> str:
        padded = (cell.ljust(width) if i < left else cell.rjust(width) for i, (cell, width) in enumerate(zip(cells, widths)))
        return f"| {' | '.join(padded)} |\n"

    rule = ["-" * width if i < left else "-" * (width - 1) + ":" for i, width in enumerate(widths)]
    return "".join(map(line, [head, rule, *rows]))


# -- plot --------------------------------------------------------------------------------------------------------------------------

WIDTH, HEIGHT = 72, 20
"""Characters and lines of the area."""

# A plot of lines of points as text, with a letter for each line.

TICKS = 6


def plot(lines: Mapping[str, Sequence[tuple[float, float]]], x: str, y: str) -> str:
    """The points of each line, both axes from 0.  Where lines meet, the letter of the first one stands.

    Parameters
    ----------
    lines : mapping
        For each name, points (x, y), none of them negative.
    x, y : str
        What the axes show.

    Raises
    ------
    ValueError
        There is no point.
    """
    points = [point for line in lines.values() for point in line]
    if not points:
        raise ValueError("a plot needs a point")
    most_x, most_y = (max(values) or 1 for values in zip(*points, strict=True))
    area = [[" "] * (WIDTH + 1) for _ in range(HEIGHT + 1)]
    letters = {name: chr(ord("A") + number) for number, name in enumerate(lines)}
    # The first line is drawn last.
    for name, line in reversed(list(lines.items())):
        for px, py in line:
            area[HEIGHT - round(HEIGHT * py / most_y)][round(WIDTH * px / most_x)] = letters[name]
    left = len(f"{most_y:.0f}")
    text = [y]
    for number, row in enumerate(area):
        tick = f"{most_y * (HEIGHT - number) / HEIGHT:.0f}" if number % (HEIGHT // 4) == 0 else ""
        text.append(f"{tick.rjust(left)} |{''.join(row)}".rstrip())
    text.append(f"{' ' * left} +{'-' * (WIDTH + 1)}")
    scale = [" "] * (WIDTH + 1 + len(f"{most_x:.0f}"))
    for number in range(TICKS + 1):
        label = f"{most_x * number / TICKS:.0f}"
        at = WIDTH * number // TICKS
        scale[at : at + len(label)] = label
    text.append(f"{' ' * left}  {''.join(scale)}".rstrip() + f"  {x}")
    return "\n".join([*text, "", *(f"{letter}  {name}" for name, letter in letters.items())]) + "\n"
