# SPDX-License-Identifier: Apache-2.0
"""The page of a sweep: what is in it, and what Chromium makes of it."""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser

import pytest
from tests.browser import needs_chromium, opened
from tests.report.explored import on_front, plotted, row, rows, shown, stored

from modeloom.modes import find_any
from modeloom.report import explorer
from modeloom.report.explorer import explorer_data, explorer_page, references
from modeloom.sweep.tables import pareto_front

PLANTED = "</script><script>document.documentElement.id = 'planted'</script><img src=x onerror=\"document.documentElement.id='planted'\">"


class Elements(HTMLParser):
    """Tags with their attributes.  Tags must be closed in the order in which they are opened."""

    VOID = ("meta", "img", "link", "br")

    def __init__(self, text):
        super().__init__()
        self.found, self.open = [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_and_loads_nothing():
    page = explorer_page(rows(), "a & b <c>")
    elements = Elements(page).found
    assert [tag for tag, _ in elements].count("script") == 2 and "<title>a &amp; b &lt;c&gt;</title>" in page
    assert not [tag for tag, attributes in elements if {"src", "href", "srcset", "action"} & attributes.keys()]
    assert set(re.findall(r"https?://[^\"' ]+", page)) == {"http://www.w3.org/2000/svg"} and "@import" not in page and "url(" not in page
    assert "default-src 'none'" in page and explorer_page(rows(), "a & b <c>") == page


def test_each_point_and_the_front_of_the_sweep_are_in_the_data():
    given = rows()
    points = stored(explorer_page(given, "t"))["points"]
    assert {point["key"] for point in points} == {each["key"] for each in given} and len(points) == len(given)
    assert {point["key"] for point in points if point["front"]} == pareto_front(given) != set()
    by_key = {point["key"]: point for point in points}
    for each in given:
        point = by_key[each["key"]]
        assert (point["command"], point["error"], point["figures"]["latency"]) == (each["command"], each["error"], each["latency"])
    assert by_key[given[3]["key"]]["figures"]["luts_all"] == 7100 and by_key[given[7]["key"]]["figures"]["gbit"] == 19.2


def with_keys(bits, *given, **figures):
    return row(*given, result=json.dumps({"explain": {"key_bits": bits}}), **figures)


@needs_chromium
def test_key_sizes_are_a_column_and_a_filter_if_they_differ(tmp_path):
    given = [with_keys(128, "xts", 100, 15.5), with_keys(256, "gcm", 200, 16.0, kind="stream"), row("karatsuba", 3000, kind="circuit")]
    data = explorer_data(given)
    assert data["columns"]["key_bits"] == "key bits" and [point["figures"]["key_bits"] for point in data["points"]] == [128, 256, None]
    text, console = opened(explorer_page(given, "t"), tmp_path, fragment="#key_bits=256")
    assert shown(text) == [given[1]["key"]] and console == [] and 'name="key_bits"' in text
    assert "key_bits" not in explorer_data(given[1:])["columns"]


def test_text_of_the_file_is_never_html():
    page = explorer_page([row(PLANTED, 1, 1.0, error=PLANTED, status="failed")], PLANTED)
    assert [tag for tag, _ in Elements(page).found].count("script") == 2 and "<img" not in page
    assert stored(page)["points"][0]["name"] == PLANTED


def test_no_slices_become_luts():
    """An area of a reference is on an axis only in its own unit, and only its family is named."""
    for one in references():
        figures = one["figures"]
        if one["area"].endswith("slices"):
            assert "luts_all" not in figures and "nand2" not in figures and one["targets"] == []
        elif one["area"].endswith("LUTs"):
            assert figures["luts_all"] == int(one["area"].split()[0]) and "nand2" not in figures
            assert one["targets"] == (["xc7", "xc6v"] if "series" in one["device"] else [])
        else:
            assert figures["nand2"] == int(one["area"].split()[0]) and "luts_all" not in figures and one["targets"] == ["gates", "liberty"]
        assert one["device"] and one["source"]


def test_references_are_as_printed():
    heh = next(one for one in references() if one["source"] == "brw2013, table 3" and "HEH[BRW]-1" in one["text"])
    assert (heh["figures"]["latency"], heh["figures"]["gbit"], heh["area"], heh["device"]) == (55, 15.107, "11850 slices", "Virtex 5")
    gcm = next(one for one in references() if one["source"] == "gcm2008, table 4.1")
    assert (gcm["figures"]["nand2"], gcm["figures"]["gbit"], gcm["figures"]["mhz"]) == (219336, 51.0, 398)
    peer = next(one for one in references() if one["name"] == "freecores/tiny_aes")
    assert (peer["figures"]["luts_all"], peer["figures"]["latency"], peer["figures"]["bytes_per_cycle"]) == (12144, 21, 16)


@needs_chromium
def test_chromium_shows_every_point(tmp_path):
    given = rows()
    text, console = opened(explorer_page(given, "t"), tmp_path)
    assert sorted(shown(text)) == sorted(each["key"] for each in given) and console == []
    both = [each for each in given if each["luts"] is not None and each["bytes_per_cycle"] is not None]
    assert plotted(text) == {each["key"] for each in both} and 'data-axes="luts_all bytes_per_cycle"' in text
    # The ECP5 points all have clocks, so that the front of the sweep compares them by bytes a microsecond.
    xc7 = {each["key"] for each in given if each["target"] == "xc7"}
    assert on_front(text) & xc7 == pareto_front(given) & xc7 != set()


@needs_chromium
def test_the_front_of_a_target_with_clocks(tmp_path):
    given = [*rows()[:7], row("slow", 8000, 16.0, "ecp5", mhz=100.0), row("fast", 8100, 15.0, "ecp5", mhz=200.0)]
    text, _ = opened(explorer_page(given, "t"), tmp_path, fragment="#target=ecp5/core")
    ecp5 = {each["key"] for each in given if each["target"] == "ecp5"}
    assert 'data-axes="luts_all gbit"' in text and on_front(text) == pareto_front(given) & ecp5 == ecp5


FILTERS = {
    "#mode=hctr2": lambda each: each["name"] == "hctr2",
    "#mode=hctr2,gcm": lambda each: each["name"] in ("hctr2", "gcm"),
    "#sector=64&kind=sector": lambda each: each["sector_bytes"] == 64,
    "#pipelines=2&sbox=composite": lambda each: "composite" in each["options"],
    "#mul=lut6": lambda each: "lut6" in each["options"],
    "#multipliers=4": lambda each: each["multipliers"] == 4,
    "#target=ecp5/core": lambda each: each["target"] == "ecp5",
    "#status=refused": lambda each: each["status"] == "refused",
}


@needs_chromium
@pytest.mark.parametrize("fragment", FILTERS)
def test_filters(tmp_path, fragment):
    given = rows()
    text, console = opened(explorer_page(given, "t"), tmp_path, fragment=fragment)
    wanted = {each["key"] for each in given if FILTERS[fragment](each)}
    assert set(shown(text)) == wanted and 0 < len(wanted) < len(given) and plotted(text) <= wanted and console == []


@needs_chromium
def test_a_filter_that_does_nothing_is_found(tmp_path, monkeypatch):
    read = explorer._template
    monkeypatch.setattr(explorer, "_template", lambda name: read(name).replace("data.points.filter(passes)", "data.points"))
    text, _ = opened(explorer_page(rows(), "t"), tmp_path, fragment="#mode=hctr2")
    assert len(shown(text)) == len(rows())


@needs_chromium
def test_an_error_of_the_script_is_found(tmp_path, monkeypatch):
    read = explorer._template
    monkeypatch.setattr(explorer, "_template", lambda name: read(name).replace("references();\nstart();", "start();nothing();"))
    _, console = opened(explorer_page(rows(), "t"), tmp_path)
    assert len(console) == 1 and "nothing is not defined" in console[0]


@needs_chromium
@pytest.mark.parametrize("sign", ["", "-"])
def test_order(tmp_path, sign):
    given = rows()
    text, _ = opened(explorer_page(given, "t"), tmp_path, fragment=f"#sort={sign}luts_all")
    luts = {each["key"]: each["luts"] and each["luts"] + (each["lutram_luts"] or 0) for each in given}
    order = [luts[key] for key in shown(text)]
    known = [each for each in order if each is not None]
    assert known == sorted(known, reverse=sign == "-") and order[len(known) :] == [None] * (len(order) - len(known)) and len(known) > 5


@needs_chromium
def test_a_point_shows_its_command(tmp_path):
    given = rows()
    text, _ = opened(explorer_page(given, "t"), tmp_path, fragment=f"#point={given[0]['key']}")
    assert f'<pre class="command">{html.escape(given[0]["command"], quote=False)}</pre>' in text
    assert "the program computes the mode" in text and text.count('class="chosen"') == 1


@needs_chromium
def test_a_broken_mode_is_marked_and_on_no_front(tmp_path):
    given = [*rows(), row("hmch-brw", 5000, 16.0)]
    page = explorer_page(given, "t")
    text, console = opened(page, tmp_path, fragment=f"#point={given[-1]['key']}")
    key = given[-1]["key"]
    (node,) = re.findall(rf'<(?:circle|polygon)[^>]*data-point="{key}"[^>]*>', text)
    assert "broken" in node and key not in on_front(text) and console == []
    assert '<p class="warn">This mode is broken.' in text and "hmch-brw (broken)" in text
    assert html.escape(find_any("hmch-brw").security, quote=False) in text
    assert [point["broken"] for point in stored(page)["points"]].count(True) == 1
    other, _ = opened(page, tmp_path, fragment=f"#point={given[0]['key']}")
    assert '<p class="warn">' not in other and html.escape(find_any("hctr2").security, quote=False) in other


@needs_chromium
def test_a_filter_whose_value_no_point_has_is_shown(tmp_path):
    text, console = opened(explorer_page(rows(), "t"), tmp_path, fragment="#target=asic/core")
    assert shown(text) == [] and re.search(r'<option value="asic/core"[^>]*>asic/core</option>', text) and console == []


@needs_chromium
@pytest.mark.parametrize(
    ("fragment", "sources"),
    [
        ("#target=xc7/core", {"the sources of freecores/tiny_aes", "the sources of secworks/aes"}),
        ("#target=ecp5/core&y=bytes_per_cycle", set()),
        ("#x=latency&y=bytes_per_cycle",
         {"the sources of freecores/tiny_aes", "brw2013, table 3", *(f"tes2010, table {n}" for n in "6789")}),
        ("#x=latency&y=bytes_per_cycle&references=none", set()),
    ],
)  # fmt: skip
def test_designs_of_others_need_the_unit_of_the_axis(tmp_path, fragment, sources):
    text, _ = opened(explorer_page(rows(), "t"), tmp_path, fragment=fragment)
    by_id = {one["id"]: one for one in references()}
    assert {by_id[name]["source"] for name in re.findall(r'data-reference="([\w-]+)"', text)} == sources


@needs_chromium
def test_planted_scripts_do_not_run(tmp_path):
    given = [row(PLANTED, 10, 1.0, options={"sector": 512, "preset": PLANTED}), row("eme", 1, 1.0, status="failed", error=PLANTED)]
    text, console = opened(explorer_page(given, PLANTED), tmp_path, fragment=f"#point={given[0]['key']}")
    assert 'id="planted"' not in text and "<img" not in text and sorted(shown(text)) == sorted(each["key"] for each in given)
    assert console == [] and html.escape(PLANTED, quote=False) in text


def test_the_data_have_what_the_script_reads():
    script = explorer._template("explorer.js")
    assert set(re.findall(r"\bdata\.(\w+)", script)) - {"default"} <= explorer_data(rows()).keys()
