# SPDX-License-Identifier: Apache-2.0
"""The page of each kind of core is whole: its tags match, its links lead somewhere, and it loads nothing."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.emit.html.cores import CHOICES, core_of, page_of
from tests.emit.html.reader import Reader, read

from modeloom.cores.described import OF_MODES, gives
from modeloom.emit.html import html_datasheet
from modeloom.emit.html.page import NEUTRAL
from modeloom.modes import VARIANTS, all_modes, all_streams
from modeloom.product.page import ROUND_KEYS, Box, Diagram, DiagramRow, Page, Read


def loaded(page: Reader) -> list[str]:
    """What a browser would fetch for a page: sources, styles and scripts of others, and pictures in styles."""
    code = [part for text in page.code for part in re.findall(r"@import[^;]*|url\([^)]*\)|\bimport\b[^;]*|fetch\(|XMLHttpRequest", text)]
    return [*(one for one in page.loads if not one.startswith(("#", "data:,", "url(#"))), *code]


def faults(text: str, core) -> list[str]:
    """What is wrong with a page."""
    page = read(text)
    ids = set(page.ids)
    files = set(core.describe("core", "modeloom build").files.by_kind.values())
    found = [*page.wrong, *(f"<{tag}> is open" for tag in page.open), *(f"loads {one}" for one in loaded(page))]
    found += [f"two {one}" for one in ids if page.ids.count(one) > 1]
    found += [f"no {link}" for link in page.links if not (link[1:] in ids if link.startswith("#") else link in files)]
    return found


@pytest.mark.parametrize("name", CHOICES)
def test_whole(name):
    assert faults(page_of(name), core_of(name)) == []


def test_faults_are_seen():
    text, core = page_of("sectors"), core_of("sectors")
    linked = next(cell for cell in read(text).cells if cell)[1:]
    for before, after, fault in (
        ("</style>", '</style><script src="https://example.org/a.js"></script>', "loads https"),
        ("<style>", "<style>@import 'other.css';", "loads @import"),
        ("</section>", "", "within"),
        (f'id="{linked}"', 'id="other"', f"no #{linked}"),
        ('<section id="timing"', '<section id="figures"', "two figures"),
        ('<section id="timing"', '<section id="other"', "no #timing"),
        ("[", '<a href="absent.txt">', "no absent.txt"),
    ):  # fmt: skip
        assert before in text
        assert any(fault in one for one in faults(text.replace(before, after, 1), core)), fault


@pytest.mark.parametrize("name", CHOICES)
def test_each_operation_has_a_line_of_the_definition(name):
    core, page = core_of(name), read(page_of(name))
    shown = core.page(core.describe("core", "modeloom build"))
    cells = [cell for chart in shown.charts for cell in chart.cells]
    assert len(page.cells) == len(cells) >= 3
    assert page.cells == [f"#{cell.line}" if cell.line else None for cell in cells]
    anchors = set(shown.anchors())
    assert all(cell.line in anchors for cell in cells if cell.line)
    # Only state, and what set-ups and chains add, comes from no line.
    without = [cell.tip for cell in cells if not cell.line]
    assert all(tip.startswith("state ") or "line" not in tip for tip in without)
    assert len(without) < len(cells) / 2


def test_every_operation_of_a_schedule_is_a_cell():
    core = core_of("sizes")
    shown = core.page(core.describe("core", "modeloom build"))
    for one, chart in zip(core.compiled.sizes, shown.charts, strict=True):
        assert sorted(cell.at for cell in chart.cells) == sorted(one.schedule.start)
        assert chart.repeats[1] == one.schedule.ii and chart.length == one.schedule.latency + 1


def test_lines_are_those_of_the_file():
    core = core_of("partial")
    (own, *_) = core.page(core.describe("core", "modeloom build")).definition
    source = open(core.compiled.source.file, encoding="utf-8").read().split("\n")  # noqa: SIM115
    assert own.file == "hctr2.py" and len(own.lines) > 10
    for line in own.lines:
        assert source[line.number - 1].strip() == line.text.strip()


@pytest.mark.parametrize("name", ["sectors", "gcm", "lwc"])
def test_same_bytes(name):
    core = core_of(name)
    again = html_datasheet(core, core.describe("core", "modeloom build"))
    assert again == page_of(name) and "0x7f" not in again


def test_the_diagram_has_each_unit_bank_and_stream():
    core = core_of("lanes")
    d = core.describe("core", "modeloom build")
    boxes = [box.title for row in core.page(d).diagram.rows for box in row.boxes]
    program = core.compiled.core_program
    assert [one for one in boxes if one.startswith("bank ")] and {f"bank {name}" for name in program.banks} <= set(boxes)
    assert sum(box.kind == "unit" for row in core.page(d).diagram.rows for box in row.boxes) == len(program.units) + len(program.chains)
    # Ciphers, and nothing else, read round keys.
    ciphers = sum(unit.kind.type.keyed for unit in program.units)
    assert sum(read.tracks == (ROUND_KEYS,) for row in core.page(d).diagram.rows for read in row.reads) == ciphers > 0
    for group in d.interfaces:
        if group.stream:
            assert any(box.startswith(group.name) for box in boxes), group.name
    page = page_of("lanes")
    assert all(f">{box}<" in page for box in boxes)


@pytest.mark.parametrize("name", ["sizes", "lanes", "gcm"])
def test_every_unit_reads_something(name):
    core = core_of(name)
    rows = core.page(core.describe("core", "modeloom build")).diagram.rows
    assert all(row.reads for row in rows if row.boxes[0].kind == "unit")
    # What is stored of a key besides its round keys is drawn only if there is any.
    assert not [box for row in rows for box in row.boxes if box.detail.startswith("0 ")]
    ((keys,),) = ({box.drives for box in row.boxes} & {ROUND_KEYS} for row in rows if any(box.drives == ROUND_KEYS for box in row.boxes))
    assert any(read.tracks == (keys,) for row in rows for read in row.reads)


def test_diagrams_are_checked():
    with pytest.raises(ValueError, match="no box of the diagram drives b"):
        Diagram((DiagramRow((Box("unit", "u", drives="a"),), (Read("", ("b",)),)),))
    with pytest.raises(ValueError, match="two boxes"):
        Diagram((DiagramRow((Box("unit", "u", drives="a"), Box("unit", "v", drives="a"))),))


def test_first_lines_say_what_the_mode_gives():
    for name, words in (("partial", "wide-block"), ("gcm", "must never be used twice"), ("two passes", "If a nonce is used twice")):
        text = page_of(name)
        first = text[text.index("<h1>") : text.index('<section id="figures"')]
        assert words in first and "not protected against power" in first and core_of(name).compiled.mode.security[1:40] in first
    text = page_of("own")
    assert "This mode is broken." in text and text.index("This mode is broken") < text.index('id="security"')
    assert "no authentic" in page_of("partial") or "authenticates nothing" in page_of("partial")
    assert "This mode is broken." not in page_of("gcm")


def test_each_mode_has_its_sentences():
    assert set(OF_MODES) == {mode.name for mode in (*all_modes().values(), *VARIANTS, *all_streams().values())}
    brought = type("Own", (type(core_of("gcm").compiled.mode),), {"name": "own"})()
    assert "its author" in gives(brought)[0]
    named = replace(core_of("gcm").compiled, mode=core_of("gcm").compiled.mode)
    assert gives(named.mode)[0].startswith("This is authenticated encryption")


def test_a_core_without_a_page_of_its_own():
    core = core_of("sectors")
    plain = type("Plain", (type(core),), {"page": lambda self, description: Page()})(core.compiled)
    text = html_datasheet(plain, plain.describe("core", "modeloom build"))
    assert NEUTRAL in text and faults(text, core) == [] and 'id="diagram"' not in text and 'id="schedule"' not in text


def test_nothing_is_claimed_that_was_not_run():
    text = page_of("sectors")
    assert "The program was not proved" in text and "Not simulated yet" in text and "Not synthesised yet" in text
