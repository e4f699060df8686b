# SPDX-License-Identifier: Apache-2.0
"""The first figures of a core, and its throughput for clocks."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from modeloom.product.description import Description
from modeloom.spec.wording import many

__all__ = ["CLOCKS", "figure_tiles", "throughput_table"]

CLOCKS = (100, 200, 300, 400, 500)
"""Clocks of the table in MHz.  What a device reaches is for place and route to say."""

FIRST = 200
"""The clock in the field of the reader, in MHz."""


def figure_tiles(d: Description) -> Iterator[str]:
    """The figures at the head."""
    tiles = []
    for rate in d.rates[:2]:
        tiles.append((many(rate.interval, "cycle"), f"for a {rate.what} of {rate.bytes} bytes"))
        tiles.append((f"{8 * rate.bytes / rate.interval:.2f} bits", f"per cycle, {rate.what}s of {rate.bytes} bytes"))
    tiles += [(str(d.key_slots), f"key slot{'s' * (d.key_slots != 1)}"), (f"{d.erase_cycles} cycles", "to erase everything")]
    yield '<div class="tiles">'
    yield from (f"<div><b>{escape(value)}</b><small>{escape(text)}</small></div>" for value, text in tiles)
    yield "</div>"


def throughput_table(d: Description) -> Iterator[str]:
    """Throughput of data for some clocks, and for one that the reader gives.  It is bits per cycle times the clock, and claims no clock."""
    yield '<div class="wide"><table>'
    heads = "".join(f"<th>{clock} MHz</th>" for clock in CLOCKS)
    field = f'<label><input type="number" min="1" max="2000" value="{FIRST}" data-clock> MHz</label>'
    yield f"<tr><th>throughput</th>{heads}<th>{field}</th></tr>"
    for rate in d.rates:
        bits = 8 * rate.bytes
        cells = "".join(f'<td class="n">{bits * clock / rate.interval / 1000:.2f} Gbit/s</td>' for clock in CLOCKS)
        own = f'<td class="n"><output data-bits="{bits}" data-interval="{rate.interval}"></output></td>'
        yield f"<tr><td>a {rate.what} of {rate.bytes} bytes every {many(rate.interval, 'cycle')}</td>{cells}{own}</tr>"
    yield "</table></div>"
    yield (
        '<p class="quiet">The throughput is bits per cycle times the clock frequency. Place and route shows which frequency a device '
        "reaches.</p>"
    )
