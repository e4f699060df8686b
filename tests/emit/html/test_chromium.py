# SPDX-License-Identifier: Apache-2.0
"""A browser takes the page without errors, and its script runs."""

from __future__ import annotations

import re

import pytest
from tests.browser import needs_chromium, opened, planted, seen
from tests.emit.html.cores import page_of

from modeloom.emit.html.measured import COLUMN, Measured, with_measured

pytestmark = needs_chromium


@pytest.mark.parametrize("name", ["sizes", "gcm"])
def test_no_errors(name, tmp_path):
    document, console = opened(page_of(name), tmp_path)
    assert console == []
    # The clock of the reader has its throughput.
    assert re.search(r"<output[^>]*>[\d.]+ Gbit/s</output>", document)


def test_errors_are_seen(tmp_path):
    text = page_of("gcm")
    assert opened(text.replace('"use strict";', '"use strict"; missing();', 1), tmp_path)[1]
    # The page itself forbids what comes from elsewhere.
    assert opened(text.replace("</head>", '<script src="http://127.0.0.1:9/a.js"></script></head>', 1), tmp_path)[1]


def test_nothing_is_wider_than_a_phone(tmp_path):
    """Wide parts scroll within themselves.  The script tells the width of the document beside that of the window."""
    probe = '<script>document.title = document.documentElement.scrollWidth + " " + innerWidth;</script></body>'
    document, _ = opened(page_of("sizes").replace("</body>", probe), tmp_path, "--window-size=500,900")
    width, window = map(int, re.search(r"<title>(\d+) (\d+)</title>", document).groups())
    assert width <= window <= 500


ZOOM = """
const plus = document.querySelector('[data-zoom="1.5"]'), figure = plus.closest("figure"), group = figure.querySelector("g.zoom");
const state = () => [group.getAttribute("transform"), +group.ownerSVGElement.getAttribute("width"), group.getBoundingClientRect().width,
  [...figure.querySelectorAll("text[data-x]")].map(text => +text.getAttribute("x"))];
const told = [state()];
for (const zoom of ["1.5", "0.6667"]) { click(figure.querySelector(`[data-zoom="${zoom}"]`)); told.push(state()); }
return told;
"""


def zoomed(text, folder):
    """The first chart before a click, after one on plus, and after one on minus: its transform, widths and places of texts."""
    document, console = opened(planted(text, ZOOM), folder)
    assert console == []
    return seen(document)


def test_a_chart_zooms_in_and_out(tmp_path):
    """Cells are scaled along x, texts move without being scaled, and minus gives back what plus took."""
    (before, width, drawn, places), (zoomed_in, *wide), (out, *back) = zoomed(page_of("sizes"), tmp_path)
    assert before is None and zoomed_in == "scale(1.5 1)" and len(places) > 5
    assert wide == [1.5 * width, pytest.approx(1.5 * drawn, rel=0.01), [1.5 * place for place in places]]
    assert float(out.removeprefix("scale(").removesuffix(" 1)")) == pytest.approx(1, rel=1e-3)
    assert back == [pytest.approx(width, rel=1e-3), pytest.approx(drawn, rel=1e-3), pytest.approx(places, rel=1e-3)]


@pytest.mark.parametrize(
    "change",
    [('button.addEventListener("click"', 'button.addEventListener("none"'), ('group.setAttribute("transform"', 'svg.setAttribute("other"')],
    ids=["buttons", "transform"],
)
def test_a_chart_that_does_not_zoom_is_found(tmp_path, change):
    text = page_of("sizes")
    assert change[0] in text
    assert [each[0] for each in zoomed(text.replace(*change), tmp_path)] == [None] * 3


JUMP = """
const buttons = [...document.querySelectorAll("button[data-column]")], last = buttons[buttons.length - 1];
const scroll = last.closest("figure").querySelector(".scroll"), told = [scroll.scrollLeft];
click(last);
return [...told, scroll.scrollLeft, +last.dataset.column, scroll.clientWidth];
"""


def test_a_button_scrolls_to_a_transfer(tmp_path):
    """The column is in view after a click."""
    bus = [{"name": "tvalid", "wave": "0" + "." * 58 + "1."}, {"name": "tready", "wave": "1" + "." * 60}]
    timing = {"signal": [["m_axis", *bus]], "head": {"text": "one transfer"}, "foot": {"tock": " ".join(map(str, range(61)))}}
    document, console = opened(planted(with_measured(page_of("sizes"), Measured(timing)), JUMP), tmp_path)
    assert console == []
    before, after, column, width = seen(document)
    assert before == 0 and column == 59 * COLUMN and after <= column < after + width
