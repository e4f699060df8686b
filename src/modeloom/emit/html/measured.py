# SPDX-License-Identifier: Apache-2.0
"""What the page holds that was measured after the build: the timing of a simulation, and areas.

::

    <!-- timing -->  picture, and the WaveJSON of which it was drawn               <!-- end of timing -->
    <!-- area -->    treemaps and tables, and the JSON of ``modeloom synth``       <!-- end of area -->

Each part is a function of its JSON alone, and the JSON stands in the page.  So a page can be read, and drawn again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from modeloom.emit.html.luts import blocks_of, lut_figure
from modeloom.emit.html.treemap import treemap
from modeloom.emit.html.waves import Wave, WaveJson, waves

__all__ = ["Measured", "area_lines", "read_measured", "timing_lines", "with_measured"]

_JSON = re.compile(r'<script type="application/json" class="(wavejson|synthesis)">(.*?)</script>', re.S)
_PART = "<!-- {0} -->\n.*?<!-- end of {0} -->\n"


@dataclass(frozen=True)
class Measured:
    """The measured contents of a page.

    Attributes
    ----------
    timing : mapping or None
        WaveJSON that was recorded in a simulation of the core.
    areas : sequence of mapping
        Results of ``modeloom synth``, each for another target.
    """

    timing: WaveJson | None = None
    areas: Sequence[Mapping[str, object]] = ()


def timing_lines(measured: Measured) -> Iterator[str]:
    """The part with the timing, between its marks."""
    yield "<!-- timing -->"
    wavejson = measured.timing
    if wavejson is None:
        yield "<p>Not simulated yet: <code>modeloom datasheet</code> on this folder simulates the core and adds the timing here.</p>"
    else:
        yield f"<figure><figcaption>{escape(wavejson['head']['text'], quote=False)}</figcaption>"
        yield from waves(wavejson)
        yield "</figure>"
        yield (
            "<details><summary>WaveJSON of this picture, for <code>wavedrom</code></summary>"
            f"<pre><code>{escape(_pretty(wavejson), quote=False)}</code></pre></details>"
        )
        yield _script("wavejson", wavejson)
    yield "<!-- end of timing -->"


def area_lines(measured: Measured) -> Iterator[str]:
    """The part with the areas, between its marks."""
    yield "<!-- area -->"
    if not measured.areas:
        yield (
            "<p>Not synthesised yet: <code>modeloom synth</code> on this folder stores a result in it, and <code>modeloom datasheet</code> "
            "then adds the area of the blocks here.</p>"
        )
    for result in measured.areas:
        yield f"<h3>{escape(str(result['device']))}</h3>"
        yield f"<p>{_told(result)}</p>"
        yield "<figure>"
        yield from treemap(result)
        yield "</figure>"
        yield from _table(result)
        yield _script("synthesis", result)
    yield "<!-- end of area -->"


def _told(result: Mapping[str, object]) -> str:
    used = result["tools"]
    tools = ", ".join(f"{name} {version}" for name, version in used.items()) if isinstance(used, Mapping) else ""
    depth = f"Depth: {result['levels']} levels. "
    clock = "" if result.get("clock_mhz") is None else f"Clock after place and route: {result['clock_mhz']} MHz. "
    blocks = (
        "Each block is mapped alone. The core was mapped as a whole, so it may have fewer or more LUTs than the sum of its blocks."
        if result.get("blocks") else "The core was mapped as a whole, so that there are no figures of its blocks."
    )  # fmt: skip
    return escape(f"Made with {result['command']} ({tools}). {depth}{clock}{blocks}", quote=False)


def _table(result: Mapping[str, object]) -> Iterator[str]:
    kinds = [("area", "area"), ("ffs", "registers")] if result.get("luts") is None else [
        ("luts", "logic LUTs"), ("memory_luts", "memory LUTs"), ("all_luts", "all LUTs"), ("ffs", "registers"),
        ("bram_cells", "block memories"),
    ]  # fmt: skip
    total = result.get("blocks_total")
    rows = [*blocks_of(result).items(), *([("sum of blocks", total)] if total and isinstance(total, Mapping) else []), ("core", result)]
    yield '<div class="wide"><table>'
    yield f"<tr><th></th>{''.join(f'<th>{head}</th>' for _, head in kinds)}</tr>"
    for name, figures in rows:
        cells = "".join(f'<td class="n">{_number(lut_figure(figures, kind))}</td>' for kind, _ in kinds)
        yield f"<tr><td>{escape(name)}</td>{cells}</tr>"
    yield "</table></div>"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,}".replace(",", " ")


def _script(kind: str, content: Mapping[str, object]) -> str:
    # A script ends at the first "</", wherever it stands.
    return f'<script type="application/json" class="{kind}">{json.dumps(content).replace("</", "<" + chr(92) + "/")}</script>'


def _pretty(wavejson: WaveJson) -> str:
    """WaveJSON with a signal on each line."""
    def signals(each: Sequence[str | Wave | list[str | Wave]], indent: str) -> Iterator[str]:
        for one in each:
            if isinstance(one, list):
                yield f"{indent}[{json.dumps(one[0])},\n" + ",\n".join(signals(one[1:], indent + "  ")) + "]"
            else:
                yield indent + json.dumps(one)

    rest = "".join(f',\n "{name}": {json.dumps(value)}' for name, value in wavejson.items() if name != "signal")
    return '{"signal": [\n' + ",\n".join(signals(wavejson["signal"], "  ")) + f"]{rest}}}"


def read_measured(page: str) -> Measured:
    """The measured contents of a page.  Raises ``ValueError`` if their JSON cannot be read."""
    timing, areas = None, []
    for kind, text in _JSON.findall(page):
        content = json.loads(text)
        if kind == "wavejson":
            timing = content
        else:
            areas.append(content)
    return Measured(timing, tuple(areas))


def with_measured(page: str, measured: Measured) -> str:
    """A page with other measured contents.  Raises ``ValueError`` if it has no place for them."""
    for name, lines in (("timing", timing_lines(measured)), ("area", area_lines(measured))):
        text = "".join(f"{line}\n" for line in lines)
        before, *rest = re.split(_PART.format(name), page, flags=re.S)
        page, count = before + "".join(text + part for part in rest), len(rest)
        if count != 1:
            raise ValueError(f"the page has no place for {name}")
    return page
