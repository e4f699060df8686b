# SPDX-License-Identifier: Apache-2.0
"""``make site`` builds the pages of docs/, loads nothing from elsewhere, and stops at a link that leads nowhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.built import slow
from tests.scripts import ROOT, script

ELSEWHERE = re.compile(r"(?:[a-z]+:)?//")
"""The start of an address on another host."""

LOADED = {
    "img": ("src", "srcset"), "script": ("src",), "iframe": ("src",), "source": ("src", "srcset"), "video": ("src", "poster"),
    "audio": ("src",), "embed": ("src",), "object": ("data",), "link": ("href",), "input": ("src",),
}  # fmt: skip
"""Attributes from which a browser loads a file when it shows a page.  A link that a reader may follow is not one of them."""

NOT_FETCHED = {"canonical", "prev", "next", "alternate"}
"""Kinds of ``link`` that only name an address."""


class Loads(HTMLParser):
    """Collects the addresses of what a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "link" and set((given.get("rel") or "").split()) & NOT_FETCHED:
            return
        self.found += [given[name] or "" for name in LOADED.get(tag, ()) if name in given]


def elsewhere(text: str, *, css: bool = False) -> list[str]:
    """The addresses on other hosts from which a page or a style sheet loads something."""
    addresses = re.findall(r"url\(\s*['\"]?([^'\")]+)", text) + re.findall(r"@import\s+['\"]([^'\"]+)", text)
    if not css:
        parser = Loads()
        parser.feed(text)
        addresses += parser.found
    return [address for address in addresses if ELSEWHERE.match(address)]


def build(folder: Path, change: tuple[str, str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Runs ``make site`` in a copy of what it reads.  ``change`` is a file with a text in it and another one in its place."""
    for name in ("docs", "tools"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("mkdocs.yml", "Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    for path in ROOT.iterdir():
        if not path.name.startswith(".") and path.name != "build" and not (folder / path.name).exists():
            (folder / path.name).symlink_to(path)
    if change:
        path, old, new = folder / change[0], *change[1:]
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
    command = ["make", "-o", f"{sys.prefix}/.installed", f"VENV={sys.prefix}", "site"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@slow
def test_the_site_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    """Every page of docs/ is there, and every file that a page or a style sheet loads is in the site."""
    run = build(tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    site = tmp_path / "build" / "site"
    for page in (ROOT / "docs").rglob("*.md"):
        assert (site / page.relative_to(ROOT / "docs").with_suffix(".html")).is_file(), page
    pages = [*site.rglob("*.html"), *site.rglob("*.css")]
    found = {path.name: elsewhere(path.read_text(encoding="utf-8"), css=path.suffix == ".css") for path in pages}
    assert len(pages) > 20 and not {name: addresses for name, addresses in found.items() if addresses}
    assert re.search(r'<script src="[^"]*bundle[^"]*\.js"', (site / "layout.html").read_text(encoding="utf-8"))


@slow
@pytest.mark.parametrize(
    "change",
    [
        ("docs/layout.md", "(packages.md#litex)", "(package.md)"),
        ("docs/layout.md", "(packages.md#litex)", "(packages.md#no-such-place)"),
        ("docs/layout.md", "(packages.md#litex)", "(../src/no_such_file.py)"),
        ("mkdocs.yml", "  - Scaling: scaling.md\n", ""),
    ],
    ids=["a page", "a heading", "a source", "a page without a place"],
)
def test_a_link_that_leads_nowhere_stops_the_build(tmp_path: Path, change: tuple[str, str, str]) -> None:
    run = build(tmp_path, change)
    assert run.returncode != 0 and "Aborted" in run.stdout + run.stderr, run.stdout + run.stderr


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://cdn.example/a.js"></script>',
        '<link rel="stylesheet" href="//fonts.example/css">',
        "<img src='http://example.org/a.svg'>",
        "<style>p { background: url(https://example.org/a.png) }</style>",
    ],
)
def test_what_is_loaded_from_elsewhere_is_found(text: str) -> None:
    assert elsewhere(text)


def test_links_for_readers_are_not_loaded() -> None:
    assert not elsewhere('<a href="https://example.org">more</a><img src="img/a.svg"><script src="assets/a.js"></script>')


@pytest.mark.parametrize(
    ("address", "text", "expected"),
    [
        (None, "[spec](../src/modeloom/spec/kinds.py)", "spec (`src/modeloom/spec/kinds.py`)"),
        (None, "[`demo/fat.py`](../demo/fat.py)", "`demo/fat.py`"),
        ("https://example.org/m", "[more](../README.md#the-modes)", "[more](https://example.org/m/blob/main/README.md#the-modes)"),
        (None, "[no](../src/no.py) [here](model.md)", "[no](../src/no.py) [here](model.md)"),
        (None, "```\n[a](../README.md)\n```\n", "```\n[a](../README.md)\n```\n"),
    ],
)
def test_links_out_of_docs(address: str | None, text: str, expected: str) -> None:
    """A link to a file that is not there stays, so that the build refuses it."""
    assert script("tools/site_links.py").rewritten(text, Path("docs/page.md"), address) == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("<td><code>hctr2</code></td>", '<td class="name"><code>hctr2</code></td>'),
        ('<td style="text-align: right;">a + 2t + 2</td>', '<td class="name" style="text-align: right;">a + 2t + 2</td>'),
        ("<td>by the sender</td>", "<td>by the sender</td>"),
        (
            "<td><code>build gcm --streams 4 --order &quot;text-first&quot; --keys</code></td>",
            '<td class="command"><code>build gcm <span>--streams 4</span> <span>--order &quot;text-first&quot;</span> <span>--keys</span>'
            "</code></td>",
        ),
        (
            "<td>one bit for each byte;\nall ones except the last</td>",
            '<td class="sentence">one bit for each byte;\nall ones except the last</td>',
        ),
        ("<td><code>a.py::test_b</code>, <code>verify</code></td>", "<td><code>a.py<wbr>::test_b</code>, <code>verify</code></td>"),
    ],
    ids=["name", "few letters", "neither", "command", "sentence", "test"],
)  # fmt: skip
def test_marks_of_cells(cell: str, expected: str) -> None:
    """Only marks are added, and docs/css/tables.css has a rule for each."""
    assert script("tools/site_tables.py").marked(cell) == expected
    rules = (ROOT / "docs" / "css" / "tables.css").read_text(encoding="utf-8")
    assert all(f"td.{name}" in rules for name in re.findall('class="([^"]*)"', expected))
