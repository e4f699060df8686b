# SPDX-License-Identifier: Apache-2.0
"""The chart of a schedule shows what the schedule says."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from modeloom.compiler.compile import compile_mode
from modeloom.modes import find
from modeloom.options.sectors import Options, preset
from modeloom.report.chart import BARS, COLOURS, LEFT, chart

SVG = "{http://www.w3.org/2000/svg}"
CELL = re.compile(r"M(\d+) (\d+)h(\d+)v\d+h-\d+z")


@pytest.fixture(scope="module", params=["overlapped", "plain", "two cores", "masks"])
def compiled(request):
    """Compiled modes, without the search for small latencies."""
    mode, options = {
        "overlapped": ("heh-brw", Options(sector=128)),
        "plain": ("heh-brw", preset("brw2013-1core").but(sector=128)),
        "two cores": ("heh-brw", preset("brw2013-2core").but(sector=128)),
        "masks": ("hctr2", Options(sector=100)),
    }[request.param]
    return compile_mode(find(mode), options.but(restarts=0), prove=False)


@pytest.fixture(scope="module")
def document(compiled):
    return ElementTree.fromstring(chart(compiled))


def texts(document):
    return [text.text for text in document.iter(f"{SVG}text")]


def cells(document):
    """(pixel, row) of each operation with its tooltip."""
    sector = next(group for group in document.iter(f"{SVG}g") if group.get("id") == "sector")
    found = []
    for path in sector.iter(f"{SVG}path"):
        x, y, width = map(int, CELL.fullmatch(path.get("d")).groups())
        found.append((x, y, width, path.find(f"{SVG}title").text))
    return found


def test_every_operation_has_its_cell(compiled, document):
    schedule, found = compiled.schedule, cells(document)
    assert len(found) == len(schedule.start)
    pitch = found[0][2] + 1
    columns = sorted((x - LEFT) // pitch for x, *_ in found)
    assert columns == sorted(schedule.start)
    assert all((x - LEFT) % pitch == 0 for x, *_ in found)
    rows = sorted({y for _, y, *_ in found})
    kinds = {(schedule.problem.unit[i].kind, n) for i, n in enumerate(schedule.instance)}
    assert len(rows) == len(kinds)


def test_no_two_cells_meet(compiled, document):
    """Not in one sector, and with overlapped sectors not modulo the interval."""
    pitch = cells(document)[0][2] + 1
    ii = compiled.schedule.ii
    slots = [(y, (x - LEFT) // pitch % ii) for x, y, *_ in cells(document)]
    assert len(slots) == len(set(slots))


def test_tooltips_name_operation_and_line(compiled, document):
    lines = {str(node.line) for node in compiled.source.nodes}
    named = set()
    for _, _, _, title in cells(document):
        first, *operations = title.splitlines()
        assert re.fullmatch(r"cycle \d+ of a sector", first) and operations
        for operation in operations:
            assert re.match(r"((encrypt|decrypt): )?(%\d+ = (enc|dec|mul|acc)\(.+\)|C\d+ = .+)", operation)
            named.add(re.search(r", line (\S+)$", operation)[1])
    assert named and named <= lines


def test_cells_are_links_to_lines_of_the_definition(compiled, document):
    shown = {text.get("id"): text.text for text in document.iter(f"{SVG}text") if text.get("id")}
    sector = next(group for group in document.iter(f"{SVG}g") if group.get("id") == "sector")
    links = [link for link in sector if link.tag == f"{SVG}a"]
    assert len(links) == len(cells(document)) == len(sector)
    folder = Path(compiled.source.file).parent
    for link in links:
        anchor = link.get("href").removeprefix("#")
        tip = link.find(f"{SVG}path/{SVG}title").text
        name, number = re.fullmatch(r"line-(?:(.+)-)?(\d+)", anchor).groups()
        assert f"line {name + ':' if name else ''}{number}" in tip
        path = folder / name if name else Path(compiled.source.file)
        assert shown[anchor].split(None, 1) == [number, path.read_text().splitlines()[int(number) - 1].strip()]


def test_titles_give_the_figures(compiled, document):
    figures = compiled.explain()
    title, subtitle = texts(document)[:2]
    assert title == document.find(f"{SVG}title").text and subtitle == document.find(f"{SVG}desc").text
    assert title.startswith(f"{compiled.mode.title}, sectors of {figures['sector_bytes']} bytes")
    if figures["overlap"]:
        assert f"a sector every {figures['ii']} cycles" in title
        assert f"initiation interval {figures['ii']} (bound {figures['ii_bound']})" in subtitle
    else:
        assert title.endswith(f" {figures['latency']} cycles")
        assert "one sector at a time" in subtitle
    assert f"latency {figures['latency']} cycles (bound {figures['latency_bound']})" in subtitle


def test_sectors_follow_each_other_by_the_interval(compiled, document):
    uses = list(document.iter(f"{SVG}use"))
    pitch = cells(document)[0][2] + 1
    schedule = compiled.schedule
    sectors = max(2, -(-(schedule.latency + 1) // schedule.ii)) if schedule.overlap else 1
    assert [int(use.get("x")) for use in uses] == [k * schedule.ii * pitch for k in range(sectors)]
    assert [use.get("fill") for use in uses] == [COLOURS[k % len(COLOURS)] for k in range(len(uses))]
    bars = [text for text in texts(document) if text.startswith("sector ")]
    assert bars == [f"sector {k}" for k in range(min(len(uses), BARS))]


def test_the_last_sector_is_shown_to_its_last_block(compiled, document):
    """Nothing is cut off: the cycles end with the last sector, and so does its bar."""
    schedule, pitch = compiled.schedule, cells(document)[0][2] + 1
    uses = [int(use.get("x")) for use in document.iter(f"{SVG}use")]
    shown = next(document.iter(f"{SVG}clipPath")).find(f"{SVG}rect")
    end = LEFT + int(shown.get("width"))
    length = schedule.latency + 1 if schedule.overlap else schedule.ii
    assert end == LEFT + uses[-1] + length * pitch
    assert max(x + width for x, _, width, _ in cells(document)) + uses[-1] <= end
    bars = [re.fullmatch(r"M(\d+) \d+H(\d+)", path.get("d")) for path in document.iter(f"{SVG}path") if path.get("stroke-width") == "5"]
    spans = [tuple(map(int, bar.groups())) for bar in bars]
    assert spans == [(LEFT + x, LEFT + x + (schedule.latency + 1) * pitch) for x in uses[:BARS]]
    assert "…" not in "".join(texts(document))


def test_everything_is_inside_the_picture(document):
    width, height = int(document.get("width")), int(document.get("height"))
    for text in document.iter(f"{SVG}text"):
        assert 0 <= int(text.get("x")) <= width and 0 <= int(text.get("y")) <= height
    for x, y, cell, _ in cells(document):
        assert LEFT <= x and x + cell <= width and 0 <= y < height


def test_it_brings_its_background(document):
    first = next(element for element in document if element.tag == f"{SVG}rect")
    assert (first.get("width"), first.get("height")) == (document.get("width"), document.get("height"))
    assert first.get("fill") not in (None, "none")


def test_same_schedule_same_text(compiled):
    assert chart(compiled) == chart(compiled)
    again = compile_mode(compiled.mode, compiled.options, prove=False)
    assert chart(again) == chart(compiled)
