# SPDX-License-Identifier: Apache-2.0
"""The page of the registers has what their SystemRDL says, needs nothing else, and has no markup from texts."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

from systemrdl import RDLCompiler
from systemrdl.node import FieldNode, MemNode, RegNode

from modeloom.front.map import SOURCE, RegisterMap, read_map, register_page

VOID = ("meta",)


class Reader(HTMLParser):
    """Tables of a page as rows of texts, its anchors, and its elements."""

    def __init__(self, text: str):
        super().__init__()
        self.tables: list[tuple[str, list[list[str]]]] = []
        self.anchors: list[str] = []
        self.links: list[str] = []
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.spans: list[int] = []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.names.add(tag)
        self.attributes |= given.keys()
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append((given["class"], []))
        elif tag == "tr":
            self.tables[-1][1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][1][-1].append("")
            self.spans.append(int(given.get("colspan", 1)))
        elif tag == "h2":
            self.anchors.append(given["id"])
        elif tag == "a":
            self.links.append(given["href"])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and "td" in self.open:
            self.tables[-1][1][-1][-1] += data

    def of(self, kind):
        return [rows for name, rows in self.tables if name == kind]


def nodes():
    """Registers and memories, read by the compiler of SystemRDL alone."""
    compiler = RDLCompiler()
    compiler.compile_file(str(SOURCE))
    found = [node for node in compiler.elaborate().top.descendants(unroll=True) if isinstance(node, RegNode | MemNode)]
    return sorted(found, key=lambda node: node.absolute_address)


def test_it_is_what_the_source_says():
    page, source = Reader(register_page(read_map({}), "Registers")), nodes()
    names = [node.inst_name + "".join(map(str, node.current_idx or ())) for node in source]
    ((_, *rows),) = page.of("list")
    assert [row[1] for row in rows] == names == page.anchors == [link.removeprefix("#") for link in page.links]
    assert [int(row[0].split()[0], 16) for row in rows] == [node.absolute_address for node in source]
    tables = iter(page.of("fields"))
    for node in source:
        fields = [child for child in node.children() if isinstance(child, FieldNode)]
        if not fields:
            continue
        _, *rows = next(tables)
        assert [(row[1], row[0]) for row in rows] == [
            (one.inst_name, str(one.low) if one.width == 1 else f"{one.high}:{one.low}") for one in sorted(fields, key=lambda one: -one.low)
        ]  # fmt: skip
        for row, one in zip(rows, sorted(fields, key=lambda one: -one.low), strict=True):
            assert ("read" in row[2]) == one.is_sw_readable and ("write" in row[2]) == one.is_sw_writable
            assert row[4] == " ".join(one.get_property("desc").split())
    assert next(tables, None) is None


def test_pictures_have_all_bits():
    page = Reader(register_page(read_map({}), "Registers"))
    spans = iter(page.spans)
    for kind, rows in page.tables:
        for row in rows:
            widths = [next(spans) for _ in row]
            assert kind != "word" or sum(widths) == 32


def test_it_needs_nothing_else():
    page = Reader(register_page(read_map({}), "Registers"))
    assert not page.names & {"script", "link", "img", "iframe", "object"} and "src" not in page.attributes
    assert all(link.startswith("#") for link in page.links)


def test_texts_are_no_markup():
    nasty = '<script>"&\''
    base = read_map({})
    field = replace(base.registers[0].fields[0], name=nasty, about=nasty)
    one = replace(base.registers[0], name=nasty, title=nasty, about=nasty, fields=(field,))
    text = register_page(RegisterMap((one,), {}, nasty), nasty)
    assert "<script" not in text
    page = Reader(text)
    assert page.anchors == [nasty] and page.links == [f"#{nasty}"]
    assert page.of("fields")[0][1][1] == nasty
