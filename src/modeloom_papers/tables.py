# SPDX-License-Identifier: Apache-2.0
"""Every row of the papers' tables with our figures, as data: ``modeloom papers --json``."""

from __future__ import annotations

from collections.abc import Callable, Collection

from modeloom.spec import UnknownName
from modeloom_papers import ours, rounds, thesis
from modeloom_papers.ours import AREA_TABLES, matched, overlapped, plain, target_of
from modeloom_papers.stored import MESSAGE_PAPERS, PAPERS, Row, printed
from modeloom_papers.thesis import AREA_TABLES as VARIANT_TABLES
from modeloom_papers.thesis import target_of as variant_target
from modeloom_papers.thesis import variant_of

__all__ = ["SCHEMA", "names", "tables"]

SCHEMA = "modeloom-papers-1"


def _both(*parts: Callable[[str, Row], Row]) -> Callable[[str, Row], Row]:
    return lambda paper, row: {name: figure for part in parts for name, figure in part(paper, row).items()}


OURS: dict[tuple[str, str], Callable[[str, Row], Row]] = {
    ("tes2010", "1"): ours.uses,
    ("tes2010", "2"): ours.cycles,
    ("tes2010", "3"): ours.storage,
    ("tes2010", "6"): ours.hardware,
    ("tes2010", "7"): ours.hardware,
    ("tes2010", "8"): ours.hardware,
    ("tes2010", "9"): ours.hardware,
    ("brw2013", "3"): _both(ours.hardware, ours.control_store),
}
"""The functions that make our figures for the rows of each table."""


def names() -> list[str]:
    """The tables by name: paper and number."""
    return [_name(table) for paper in (*PAPERS, *MESSAGE_PAPERS) for table in printed(paper)]


def _name(table: Row) -> str:
    return f"{table['paper']}-{table['table'].replace(' ', '-')}"


def tables(wanted: Collection[str] = ()) -> list[Row]:
    """All tables, or those that are named by themselves or by their paper, in the order of the papers.

    Returns
    -------
    list of dict
        Each has ``name``, ``paper``, ``table``, ``title``, ``units``, ``notes`` and ``rows``.  A row has ``row``, ``mode``, ``printed``,
        ``corrected``, ``notes``, ``commands`` (our cores for the comparison, as arguments of ``modeloom explain`` and ``build``),
        ``target`` and ``ours``.  A figure that has not been measured is None.

    Raises
    ------
    UnknownName
        For an unknown table.
    """
    papers = (*PAPERS, *MESSAGE_PAPERS)
    for name in wanted:
        if name not in (*papers, *names()):
            raise UnknownName("table", name, [*papers, *names()])
    result = []
    for paper in papers:
        for table in printed(paper):
            name = _name(table)
            if {name, paper} & set(wanted) or not wanted:
                entry = {"name": name, **{key: table[key] for key in ("paper", "table", "title", "units")}}
                entry["notes"] = table.get("notes", [])
                if paper in MESSAGE_PAPERS:
                    entry["rows"] = MESSAGE_ROWS[paper](table)
                else:
                    entry["rows"] = [_row(paper, row) for row in table["rows"]]
                if name == "tes2010-10":
                    entry["rows"] += [_of_ours(row) for row in ours.software()]
                result.append(entry)
    return result


def _thesis_rows(table: Row) -> list[Row]:
    """The rows of a table of gcm2008, and then ours."""
    make = thesis.ours(table)
    return [_thesis_row(row, make(row)) for row in [*table["rows"], *thesis.more_rows(table)]]


def _thesis_row(row: Row, figures: Row) -> Row:
    """A row of gcm2008; one of ours has nothing printed but the maximum to which it is scaled."""
    area = row["table"] in VARIANT_TABLES
    return {
        "row": row["row"], "mode": row["mode"], "core": row.get("core"), "device": row.get("device"), "printed": row["values"],
        "corrected": row.get("corrected", {}), "notes": row.get("notes", []),
        "commands": {"core": variant_of(row).arguments} if area else {}, "target": variant_target(row) if area else None,
        "ours": figures,
    }  # fmt: skip


def _row(paper: str, row: Row) -> Row:
    place = (paper, row["table"])
    compared = place in OURS and place != ("tes2010", "1")
    commands = {"plain": plain(paper, row).arguments, "overlapped": overlapped(paper, row).arguments} if compared else {}
    if place == ("tes2010", "2"):
        commands["matched"] = matched(paper, row).arguments
    return {
        "row": row["row"],
        "mode": row["mode"],
        **{key: row.get(key) for key in ("core", "device")},
        "printed": row["values"],
        "corrected": row.get("corrected", {}),
        "notes": row.get("notes", []),
        "commands": commands,
        "target": target_of(row) if place in AREA_TABLES else None,
        "ours": OURS[place](paper, row) if place in OURS else {},
    }


def _of_ours(row: Row) -> Row:
    """A row that is not in the paper."""
    figures = {key: row[key] for key in ("frequency", "ns", "cycles", "throughput", "speedup", "library")}
    return {
        "row": row["row"], "mode": row["row"].split(",")[0], "core": None, "device": row["processor"], "printed": {}, "corrected": {},
        "notes": [], "commands": {}, "target": None, "ours": figures,
    }  # fmt: skip


MESSAGE_ROWS: dict[str, Callable[[Row], list[Row]]] = {thesis.PAPER: _thesis_rows, rounds.PAPER: rounds.rows}
"""What makes the rows of the tables of works on messages."""
