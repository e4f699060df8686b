# SPDX-License-Identifier: Apache-2.0
"""What the HTML datasheet shows of a core beside the Markdown one: its diagram, its charts and its definition, as plain data.

::

    generator ──▶ Page ─┬─ gives        sentences on the mode
                        ├─ diagram      rows of boxes, and what each row reads ──▶ emit.html.pictures
                        ├─ charts       rows, and cells in cycles or stages    ──▶ emit.html.pictures
                        └─ definition   lines with their anchors               ──▶ emit.html.page

Tables in Markdown, and the sections on commands, statuses and keys, which are made from the tables of the interfaces, are also here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from modeloom.interfaces import Interface
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.sector import StatusCode
from modeloom.interfaces.table import RESERVED, Place
from modeloom.product.description import Description
from modeloom.spec.mode import Definition

__all__ = [
    "ROUND_KEYS", "Box", "Cell", "Chart", "Diagram", "DiagramRow", "Page", "Read", "SourceLine", "SourceText", "code_table",
    "command_table", "key_table", "of_several", "status_line", "table",
]  # fmt: skip


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """The lines of a table, followed by an empty line."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(str(cell) for cell in row) + " |"
    yield ""


def of_several(count: int, what: str) -> str:
    """A phrase that is said of each of several things, and not of a single one."""
    return what if count > 1 else ""


# -- payloads ----------------------------------------------------------------------------------------------------------------------

def _field(place: Place, own: Mapping[str, str]) -> str:
    """The meaning of bytes of a command.  ``own`` has the texts for fields that are special in this core."""
    if place.single_bits:
        return "; ".join(f"bit {bit}: {field.meaning}" for bit, field in place.fields)
    field = place.fields[0][1]
    return own.get(field.name, f"{field.name}, {field.meaning}")


def _short(place: Place, zeros: Collection[str]) -> str:
    name = place.fields[0][1].name
    return "zero" if name == RESERVED or name in zeros else name


def command_table(commands: Interface, own: Mapping[str, str]) -> Iterator[str]:
    """The bytes of a command.  ``own`` has the texts for fields that are special in this core."""
    yield f"Command, {commands.packing.bits // 8} bytes, `{commands.name}_tdata`:"
    yield ""
    yield from table(["bytes", "field"], [[place.bytes(" to "), _field(place, own)] for place in commands.packing.places()])


def status_line(statuses: Interface, zeros: Collection[str] = ()) -> Iterator[str]:
    """The bytes of a status.  ``zeros`` has the fields that are always zero in this core."""
    places = (f"byte{'s' * (place.last > place.first)} {place.bytes(' to ')} {_short(place, zeros)}" for place in statuses.packing.places())
    yield f"Status, {statuses.packing.bits // 8} bytes, `{statuses.name}_tdata`: {', '.join(places)}."
    yield ""


def code_table(codes: Iterable[StatusCode | MessageCode]) -> Iterator[str]:
    """The codes of a status, members of an enumeration, with their meanings."""
    yield from table(["code", "name", "meaning"], [[int(code), code.name, code.meaning] for code in codes])


def key_table(d: Description, mode: type[Definition] | Definition) -> Iterator[str]:
    """The bytes of a key packet."""

    def what(name: str) -> str:
        cipher = f"{d.cipher.upper()} key"
        return cipher if name == "cipher" else f"{cipher} {name}" if name in mode.cipher_keys else name

    rows = [[f"{part.offset} to {part.offset + part.bytes - 1}", what(part.name)] for part in d.key_layout]
    yield from table(["bytes", "part"], rows)


# -- page --------------------------------------------------------------------------------------------------------------------------

ROUND_KEYS = "round keys"
"""The track of the round keys in a diagram, from the key schedule to the ciphers."""


@dataclass(frozen=True)
class Box:
    """A part of the core in the diagram.

    Attributes
    ----------
    kind : str
        "bus" (a group of ports), "unit", "storage" or "control".
    title, detail : str
        Its name, and a line below it.
    tip : str
        More about it.
    drives : str
        The name of the track that it drives, which rows may read.  Empty if nothing reads it.
    """

    kind: str
    title: str
    detail: str = ""
    tip: str = ""
    drives: str = ""


@dataclass(frozen=True)
class Read:
    """What an operand of the first box of a row is made of: the XOR of some tracks, of which each cycle takes its own.

    Attributes
    ----------
    operand : str
    tracks : tuple of str
        Tracks, each once.
    tip : str
    """

    operand: str
    tracks: tuple[str, ...]
    tip: str = ""


@dataclass(frozen=True)
class DiagramRow:
    """Boxes from left to right, each of which feeds the next, and what the first of them reads."""

    boxes: tuple[Box, ...]
    reads: tuple[Read, ...] = ()


@dataclass(frozen=True)
class Diagram:
    """The rows from top to bottom.  Raises ``ValueError`` if a row reads a track that no box drives, or two boxes drive the same."""

    rows: tuple[DiagramRow, ...] = ()
    about: str = ""

    def __post_init__(self) -> None:
        tracks = self.tracks
        if len(set(tracks)) != len(tracks):
            raise ValueError("two boxes of the diagram drive the same track")
        unknown = {track for row in self.rows for read in row.reads for track in read.tracks} - set(tracks)
        if unknown:
            raise ValueError(f"no box of the diagram drives {', '.join(sorted(unknown))}")

    @property
    def tracks(self) -> tuple[str, ...]:
        """All tracks in order."""
        return tuple(box.drives for row in self.rows for box in row.boxes if box.drives)


@dataclass(frozen=True)
class Cell:
    """An operation in a chart.

    Attributes
    ----------
    row : int
    at, length : int
        First column, and number of columns.
    tip : str
    line : str
        The anchor of its line of the definition.  Empty if it comes from none.
    colour : int
        Number of its colour, in a chart whose colours are steps.
    """

    row: int
    at: int
    length: int
    tip: str
    line: str = ""
    colour: int = 0


@dataclass(frozen=True)
class Chart:
    """A schedule, or a pipeline of tokens.

    Attributes
    ----------
    title, about : str
    columns : int
        Cycles or stages.
    column : str
        What a column is: "cycle" or "stage".
    rows : tuple of str
        Names of the rows.
    cells : tuple of Cell
    repeats : tuple of int
        First columns of the copies of all cells, each in a colour of its own: 0, and those of further sectors.
    length : int
        Columns from the first one of a copy to the end of its bar.  0 if there are no bars.
    legend : tuple of str
        The names of the colours.
    marks : tuple of (int, str)
        Columns with a mark, and its text.
    """

    title: str
    about: str
    columns: int
    column: str
    rows: tuple[str, ...]
    cells: tuple[Cell, ...]
    repeats: tuple[int, ...] = (0,)
    length: int = 0
    legend: tuple[str, ...] = ()
    marks: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class SourceLine:
    """A line of a definition, its number in the file, and whether it makes operations, so that charts link to it."""

    number: int
    text: str
    traced: bool = True


@dataclass(frozen=True)
class SourceText:
    """Lines of a file.  ``own`` says whether it is the file of the mode."""

    file: str
    lines: tuple[SourceLine, ...]
    own: bool = True

    def anchor(self, number: int) -> str:
        """The anchor of a line in the page."""
        return f"line-{number}" if self.own else f"line-{self.file.replace('.', '-')}-{number}"


@dataclass(frozen=True)
class Page:
    """The parts of the HTML datasheet that only the generator of the core knows.  Each may be absent.

    Attributes
    ----------
    gives : sequence of str
        What the mode gives and what it does not give, in a sentence or two each.
    diagram : Diagram
    charts : sequence of Chart
    definition : sequence of SourceText
    """

    gives: Sequence[str] = ()
    diagram: Diagram = field(default_factory=Diagram)
    charts: Sequence[Chart] = ()
    definition: Sequence[SourceText] = ()

    def anchors(self) -> Iterator[str]:
        """The anchors of all lines of the definition."""
        for text in self.definition:
            yield from (text.anchor(line.number) for line in text.lines)
