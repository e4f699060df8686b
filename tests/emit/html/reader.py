# SPDX-License-Identifier: Apache-2.0
"""Reads a page as a browser would, with the parser of Python's library: what it loads, where it leads, and whether its tags match."""

from __future__ import annotations

from html.parser import HTMLParser

__all__ = ["Reader", "read"]

VOID = {"meta", "link", "br", "input", "img"}
LOADS = {("script", "src"), ("img", "src"), ("iframe", "src"), ("link", "href"), ("use", "href"), ("image", "href"), ("object", "data")}


class Reader(HTMLParser):
    """Collects identifiers, links, what is loaded, and texts of styles and scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.code: list[str] = []
        self.titles: list[str] = []
        self.cells: list[str | None] = []
        """For each cell of a chart, where its link leads; None without a link."""
        self.wrong: list[str] = []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in values:
            self.ids.append(values["id"])
        for name, value in attrs:
            if (tag, name) in LOADS:
                self.loads.append(value)
            if name in ("style", "fill", "filter") and value and "url(" in value:
                self.loads.append(value)
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag == "rect" and (values.get("class") or "").split()[:1] == ["cell"]:
            self.cells.append(self.links[-1] if "a" in self.open else None)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()} within {self.open[-3:]}")
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] in ("style", "script"):
            self.code.append(data)
        if self.open and self.open[-1] == "title":
            self.titles.append(data)


def read(text: str) -> Reader:
    """The page, read to its end."""
    reader = Reader()
    reader.feed(text)
    reader.close()
    return reader
