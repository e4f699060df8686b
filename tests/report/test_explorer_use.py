# SPDX-License-Identifier: Apache-2.0
"""A reader uses the page of a sweep: clicks, a phone, and a dark screen."""

from __future__ import annotations

import json
import re

import pytest
from tests.browser import framed, needs_chromium, opened, planted, seen
from tests.report.explored import row, rows, stored

from modeloom.modes import find_any
from modeloom.report.explorer import FILTERS, explorer_page
from modeloom.sweep.run import Store

pytestmark = needs_chromium

PANEL = """
const panel = () => {
  const section = find("#panel"), lines = [...section.querySelectorAll("dt")].map(name => [name.textContent, name.nextSibling.textContent]);
  return {
    head: [...section.querySelectorAll("h3, h3 + p")].map(node => node.textContent), lines: Object.fromEntries(lines),
    commands: [...section.querySelectorAll(".command")].map(node => node.textContent), hash: location.hash,
    chosen: [...document.querySelectorAll(".chosen")].map(node => node.dataset.point || node.dataset.row),
  };
};
"""

TABLE = """
const table = () => [...document.querySelectorAll("tr[data-row]")].map(node => node.dataset.row);
"""

OVERLONG = "a_name_without_any_place_to_break_" * 4


def used(script, folder, given=None, change=("", ""), *options):
    """What a script returns that uses the page of some rows."""
    page = explorer_page(rows() if given is None else given, "t")
    assert change[0] in page
    document, console = opened(planted(page.replace(*change), PANEL + TABLE + script), folder, *options)
    assert console == []
    return seen(document)


def is_shown(told, point):
    """The panel has the figures of a point, and the command that builds it."""
    lines, mode = told["lines"], find_any(point["name"])
    assert told["head"][:1] == [point["name"]] and told["commands"] == [point["command"]]
    assert (lines["mode"], lines["security"]) == (mode.title, mode.security)
    assert (lines["status"], lines["target"]) == (point["status"], f"{point['target']}/{point['area']}")
    for name, title in (("bytes_per_cycle", "bytes per cycle"), ("latency", "latency (cycles)"), ("multipliers", "multipliers")):
        assert lines.get(title) == (None if point[name] is None else f"{point[name]:g}")
    assert lines["all LUTs"] == str(point["luts"] + (point["lutram_luts"] or 0))
    assert told["hash"] == f"#point={point['key']}" and told["chosen"] == [point["key"]] * 2


def test_a_click_on_a_point(tmp_path):
    given = rows()
    told = used(f"click(find('[data-point=\"{given[1]['key']}\"]')); return panel();", tmp_path, given)
    is_shown(told, given[1])
    assert "cipher-cores 2" in told["head"][1]


def test_points_at_the_same_place(tmp_path):
    """The one that is drawn last has the click, and names the other one."""
    given = rows()
    script = f"""click(find('[data-point="{given[4]["key"]}"]')); const first = panel();
        click(find("#panel p", "At the same place").querySelector("button")); return [first, panel()];"""
    first, second = used(script, tmp_path, given)
    is_shown(first, given[4])
    is_shown(second, given[3])


@pytest.mark.parametrize("how", ["click(row)", "press(row, 'Enter')"])
def test_a_row_of_the_table(tmp_path, how):
    given = rows()
    script = f"const row = find('tr[data-row=\"{given[0]['key']}\"]'); {how}; return panel();"
    told = used(script, tmp_path, given)
    is_shown(told, given[0])
    assert told["lines"]["proved"] == "the program computes the mode"


def test_the_panel_closes(tmp_path):
    script = "click(find('tr[data-row]:first-child')); click(find('#panel button', 'close')); return panel();"
    told = used(script, tmp_path)
    assert (told["head"], told["commands"], told["hash"], told["chosen"]) == ([], [], "", [])


def test_a_design_of_others(tmp_path):
    told = used("click(document.querySelector('[data-reference]')); return panel();", tmp_path)
    assert told["commands"] == told["chosen"] == [] and told["hash"] == "" and told["lines"]["source"].startswith("the sources of ")


def test_a_mode_of_a_user(tmp_path):
    """Its title and its security come from the row, since its file may be on another machine."""
    given = [row("mine.py:Mine", 100, 1.0, result=json.dumps({"mode": {"title": "My mode", "security": "<b>none</b>"}})), *rows()]
    lines = used("click(find('tr[data-row]', 'mine.py:Mine')); return panel();", tmp_path, given)["lines"]
    assert (lines["mode"], lines["security"]) == ("My mode", "<b>none</b>")


def test_numbers_have_the_order_of_numbers(tmp_path):
    """In filters, and in texts of the table."""
    sizes = (128, 1024, 64, 512)
    given = [row("xts", 100, 1.0, options={"sector": size}, sector_bytes=size) for size in sizes]
    script = """click(find("th button", "options")); const rows = table();
        return [[...find("select[name=sector]").options].map(each => each.value), rows];"""
    values, order = used(script, tmp_path, given)
    assert values == ["", "64", "128", "512", "1024"]
    assert [next(each["sector_bytes"] for each in given if each["key"] == key) for key in order] == sorted(sizes)


def test_the_table_takes_the_width_of_the_window(tmp_path):
    """At 1400 pixels, nothing of a whole table is cut off, and the page is no wider than the window.  The mark of the front is first."""
    figures = {"cycles_per_sector": 1.0, "storage_blocks": 1, "multipliers": 1, "ffs": 12345, "bram": 1, "levels": 1, "nand2": 12345.5}
    given = [*rows(), row("hctr2", 9100, 16.0, latency=60, mhz=100.0, cipher_cores=1, **figures)]
    script = """const frame = find(".full"), box = frame.getBoundingClientRect();
        return [frame.scrollWidth - frame.clientWidth, box.width > document.body.clientWidth, box.left >= 0 && box.right <= innerWidth,
          document.documentElement.scrollWidth <= innerWidth, find("th:first-child", "front").textContent];"""
    page = planted(explorer_page(given, "t"), PANEL + TABLE + script)
    document, console = opened(framed(page, tmp_path, 1400), tmp_path, "--hide-scrollbars")
    assert console == [] and seen(document) == [0, True, True, True, "front"]


def test_what_a_finger_takes_is_high_enough(tmp_path):
    script = """click(find("tr[data-row]:first-child"));
        const taken = [...document.querySelectorAll("#chips button, th button, #panel button, select, form button")];
        return [taken.length, Math.min(...taken.map(node => node.getBoundingClientRect().height))];"""
    document, _ = opened(framed(planted(explorer_page(rows(), "t"), script), tmp_path, 390), tmp_path, "--hide-scrollbars")
    count, least = seen(document)
    assert count > 15 and least >= 28


def test_clicks_on_a_column_head(tmp_path):
    """The first click sorts, and the second one the other way."""
    latencies = [9, 100, 20, None, 3]
    given = [row("xts", 100 * n, options={"sector": 16 * n}, latency=latency) for n, latency in enumerate(latencies, 1)]
    script = """const head = () => find("th button", "latency"), state = () => [table(), head().parentNode.ariaSort, location.hash];
        const before = state(); click(head()); const up = state(); click(head()); return [before, up, state()];"""
    before, up, down = used(script, tmp_path, given)
    latencies = {each["key"]: each["latency"] for each in given}
    assert [latencies[key] for key in up[0]] == [3, 9, 20, 100, None] and up[1:] == ["ascending", "#sort=latency"]
    assert [latencies[key] for key in down[0]] == [100, 20, 9, 3, None] and down[1:] == ["descending", "#sort=-latency"]
    assert before[0] not in (up[0], down[0]) and before[1:] == ["none", ""]


@pytest.fixture(scope="module")
def circuits(tmp_path_factory):
    """Rows of a file of results that has two multipliers and two S-boxes."""
    chosen = [{}, {"mul-arch": "lut6"}, {"mul-arch": "lut6", "cipher-sbox": "bram"}, {"cipher-sbox": "bram"}]
    with Store(tmp_path_factory.mktemp("circuits") / "a.sqlite") as store:
        for n, options in enumerate(chosen):
            store.add(row("gcm", 9000 - 1000 * n, 16.0, options=options, kind="stream", sector_bytes=None, latency=40 + n))
        return store.latest()


CHOICES = {"mul": ("mul-arch", ["default", "lut6"]), "sbox": ("cipher-sbox", ["bram", "default"])}


@pytest.mark.parametrize("name", CHOICES)
def test_a_choice_of_a_circuit(tmp_path, circuits, name):
    """The table and the plot have the points with the chosen circuit, and the address names it."""
    option, values = CHOICES[name]
    script = f"""const select = () => find("select[name={name}]"), offered = [...select().options].map(each => each.value);
        const plotted = () => [...document.querySelectorAll("[data-point]")].map(node => node.dataset.point);
        const told = offered.map(value => {{ take(select(), value); return [select().value, table(), plotted(), location.hash]; }});
        return [select().parentNode.firstChild.textContent, offered, told];"""
    label, offered, told = used(script, tmp_path, circuits)
    assert label == FILTERS[name] and offered == ["", *values]
    assert [each[0] for each in told] == offered and [each[3] for each in told] == ["", *(f"#{name}={value}" for value in values)]
    for value, found, plotted, _ in told:
        wanted = {each["key"] for each in circuits if value in ("", json.loads(each["options"]).get(option, "default"))}
        assert set(found) == set(plotted) == wanted and len(found) == len(plotted) == (2 if value else 4)


def test_two_choices_and_show_all(tmp_path, circuits):
    script = """take(find("select[name=mul]"), "lut6"); take(find("select[name=sbox]"), "bram"); const both = table();
        click(find("form button", "show all")); return [both, table(), location.hash];"""
    both, everything, address = used(script, tmp_path, circuits)
    assert both == [each["key"] for each in circuits if each["luts"] == 7000]
    assert len(everything) == 4 and address == ""


def test_another_axis_and_a_mode(tmp_path):
    given = rows()
    script = """take(find("select[name=x]"), "latency"); click(find("#chips button", "xts")); click(find("#chips button", "gcm"));
        return [find("#plot").dataset.axes, table(), location.hash];"""
    axes, found, address = used(script, tmp_path, given)
    assert axes.split()[0] == "latency" and address == "#x=latency&mode=xts%2Cgcm"
    assert set(found) == {each["key"] for each in given if each["name"] in ("xts", "gcm")}


def test_one_value_is_no_choice(tmp_path, circuits):
    """A filter stands on the page only if it leaves something out."""
    names = used("return [...document.querySelectorAll('select')].map(node => node.name);", tmp_path, circuits)
    points = stored(explorer_page(circuits, "t"))["points"]
    several = {name for name in FILTERS if len({str(each["filters"][name]) for each in points}) > 1}
    assert set(names) & FILTERS.keys() == several == {"mul", "sbox"}


WIDE = """
const beyond = node => !node.closest(".wide") && node.getBoundingClientRect().right > innerWidth;
const found = [...document.querySelectorAll("body *")].filter(beyond);
return [document.documentElement.scrollWidth, innerWidth, found.map(node => node.outerHTML)];
"""


def on_phone(folder, change=("", "")):
    given = [
        *rows(), row(f"{OVERLONG}.py:Mine", 5000, 16.0, options={"preset": OVERLONG, "sector": 512}),
        row("tet", status="failed", error=OVERLONG, options={"sector": 4096}),
    ]  # fmt: skip
    script = f"""const told = {json.dumps([given[-2]["key"], given[-1]["key"]])}.map(key => {{
        click(find(`tr[data-row="${{key}}"]`)); return (() => {{ {WIDE} }})(); }}); return told;"""
    page = explorer_page(given, OVERLONG)
    assert change[0] in page
    document, console = opened(framed(planted(page.replace(*change), script), folder, 390), folder, "--hide-scrollbars")
    assert console == []
    return seen(document)


def test_nothing_is_wider_than_a_phone(tmp_path):
    """Tables scroll within themselves.  No label of the plot is cut off."""
    assert on_phone(tmp_path) == [[390, 390, []]] * 2


@pytest.mark.parametrize("change", [(".wide { overflow-x: auto; }", ""), ("#panel { overflow-wrap: anywhere; }", "")])
def test_what_is_wider_is_found(tmp_path, change):
    assert max(width for width, _, _ in on_phone(tmp_path, change)) > 390


COLOURS = """
const style = node => getComputedStyle(node);
const ground = node => style(node).backgroundColor === "rgba(0, 0, 0, 0)" ? ground(node.parentElement) : style(node).backgroundColor;
click(find("tr[data-row]", "(broken)"));
const silent = ["SCRIPT", "NOSCRIPT", "OPTION", "title"];
const told = node => node.tagName === "SELECT" || [...node.childNodes].some(each => each.nodeType === 3 && each.data.trim());
const texts = [...document.querySelectorAll("body *")].filter(node => !silent.includes(node.tagName) && told(node));
const marks = [...document.querySelectorAll("#chips svg *")];
const pairs = texts.map(node => [node.tagName, node instanceof SVGElement ? style(node).fill : style(node).color, ground(node)]);
return [matchMedia("(prefers-color-scheme: dark)").matches, style(document.body).backgroundColor, pairs,
  marks.map(node => [node.tagName, style(node).fill, ground(node)])];
"""

MANY = ("aes-otr", "ccm", "cmc", "eme2", "gcm-siv", "hch", "ocb3")
"""More modes, so that each colour is on the page."""


def light(colour):
    """The relative luminance of WCAG."""
    levels = [int(each) / 255 for each in re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", colour).groups()]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in levels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, two):
    low, high = sorted((light(one), light(two)))
    return (high + 0.05) / (low + 0.05)


def faint(pairs, least):
    return [pair for pair in pairs if contrast(*pair[1:]) < least]


def coloured(folder, scheme, change=("", "")):
    given = [*rows(), row("hmch-brw", 5000, 16.0), *map(row, MANY)]
    return used(COLOURS, folder, given, change, f"--blink-settings=preferredColorScheme={scheme}")


@pytest.mark.parametrize(("scheme", "dark"), [(0, True), (1, False)])
def test_texts_are_read_on_a_dark_and_on_a_light_screen(tmp_path, scheme, dark):
    """Texts have the contrast that WCAG asks of them at level AA, and the colours of modes that of graphics."""
    matches, ground, pairs, marks = coloured(tmp_path, scheme)
    assert matches == dark and (light(ground) < 0.02) == dark and (light(ground) > 0.9) != dark
    assert {"H1", "P", "DT", "DD", "PRE", "TH", "TD", "BUTTON", "SELECT", "text"} <= {pair[0] for pair in pairs}
    assert faint(pairs, 4.5) == [] and len({mark[1] for mark in marks}) == 9 and faint(marks, 3) == []


def test_faint_texts_are_found(tmp_path):
    change = ("--quiet: #b0b0b0; --back: #161616", "--quiet: #505050; --back: #161616")
    assert {pair[0] for pair in faint(coloured(tmp_path, 0, change)[2], 4.5)} >= {"DT", "FIGCAPTION", "text"}


@pytest.mark.parametrize(
    "change",
    [
        ("figcaption {", "figcaption { position: fixed; inset: 0;"),
        ("figure {", "figure { visibility: hidden;"),
    ],
)
def test_a_point_under_something_takes_no_click(tmp_path, change):
    """Or it is not seen.  The script of the test stops there."""
    with pytest.raises(AssertionError, match="Uncaught Error"):
        used(f"click(find('[data-point=\"{rows()[1]['key']}\"]')); return 1;", tmp_path, None, change)
