# SPDX-License-Identifier: Apache-2.0
"""A plot of lines of points as text, with a letter for each line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["plot"]

WIDTH, HEIGHT = 72, 20
"""Characters and lines of the area."""

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
