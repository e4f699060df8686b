# SPDX-License-Identifier: Apache-2.0
"""The core of ours that is compared with a row of the papers, and its target.

::

    row: mode "HCH", core "full", device "Virtex 4"  ──▶  hch --preset tes2010-full --exact      one sector at a time
                                                          hch --preset tes2010-full --overlap    sectors overlap
                                                          target xc4v
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from modeloom.options.row import Value
from modeloom.options.sectors import Options, preset
from modeloom.papers.printed import PAPERS, Row, printed

__all__ = ["AREA_TABLES", "Core", "areas", "cores", "matched", "mode_of", "overlapped", "plain", "schedules", "target_of"]

TES2010_MODES = {"HCH": "hch", "HCHfp": "hchfp", "HCTR": "hctr", "XCB": "xcb", "EME": "eme", "TET": "tet", "HEH": "heh-poly"}
BRW2013_MODES = {"HMCH[BRW]": "hmch-brw", "HEH[BRW]": "heh-brw", "HMCH[Poly]": "hmch-poly", "HEH[Poly]": "heh-poly"}

TARGETS = {"Virtex 4": "xc4v", "Virtex 5": "xc5v", "Virtex 2 pro": "xc4v", "Spartan 3E": "xc3se"}
"""The nearest target in Yosys.  Virtex-II Pro has four-input LUTs, like Virtex-4."""

MATCHED: dict[str, tuple[tuple[str, Value], ...]] = {"eme": (("cipher_cores", 2),)}
"""Options with which a mode takes about m cycles for a sector of m blocks.  EME has two cipher calls for each block."""

AREA_TABLES = (("tes2010", "6"), ("tes2010", "7"), ("tes2010", "8"), ("tes2010", "9"), ("brw2013", "3"))
"""Tables of whole cores."""


@dataclass(frozen=True)
class Core:
    """A mode on the units of a preset.

    Attributes
    ----------
    mode, preset : str
    overlap : bool
        Whether sectors overlap.  A plain schedule is the shortest that the solver finds.
    more : tuple of pairs
        Further options.
    """

    mode: str
    preset: str
    overlap: bool
    more: tuple[tuple[str, Value], ...] = ()

    def options(self) -> Options:
        """The options.  Raises ``UnknownName`` for an unknown preset."""
        return preset(self.preset).but(overlap=self.overlap, exact=not self.overlap, **dict(self.more))

    @property
    def arguments(self) -> str:
        """The arguments of ``modeloom explain`` and ``build``: mode and options."""
        words = [self.mode]
        words += [] if self.preset == "default" else [f"--preset {self.preset}", "--overlap" if self.overlap else "--exact"]
        return " ".join([*words, *(f"--{name.replace('_', '-')} {value}" for name, value in self.more)])


def mode_of(paper: str, row: Row) -> str:
    """Our mode for a row."""
    return TES2010_MODES[row["mode"]] if paper == "tes2010" else BRW2013_MODES[row["mode"].split("]")[0] + "]"]


def target_of(row: Row) -> str:
    """The target that is nearest to the device of the row."""
    return TARGETS[row["device"]]


def _preset(paper: str, row: Row) -> str:
    if paper == "tes2010":
        return f"tes2010-{row.get('core', 'full')}"
    return f"brw2013-{row['mode'].lower().replace('[', '-').replace(']', '')}"


def plain(paper: str, row: Row) -> Core:
    """The units of the row, with one sector at a time."""
    return Core(mode_of(paper, row), _preset(paper, row), False)


def overlapped(paper: str, row: Row) -> Core:
    """The units of the row, with overlapped sectors."""
    return Core(mode_of(paper, row), _preset(paper, row), True)


def matched(paper: str, row: Row) -> Core:
    """The mode of the row on default units, with as many multipliers as the AES pipelines can feed."""
    mode = mode_of(paper, row)
    return Core(mode, "default", True, MATCHED.get(mode, ()))


def _rows(tables: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, Row]]:
    for paper in PAPERS:
        for table in printed(paper):
            if (paper, table["table"]) in tables:
                yield from ((paper, row) for row in table["rows"])


def cores() -> list[Core]:
    """Every core whose hardware is compared, once.  Cores with one sector at a time come first."""
    both = [(plain(*row), overlapped(*row)) for row in _rows(AREA_TABLES)]
    return list(dict.fromkeys([core for core, _ in both] + [core for _, core in both]))


def schedules() -> list[Core]:
    """Every core whose schedule is compared, once."""
    return list(dict.fromkeys([*cores(), *(matched(*row) for row in _rows((("tes2010", "2"),)))]))


def areas() -> list[tuple[Core, str]]:
    """Every core with each of its targets."""
    both = [((plain(*row), target_of(row[1])), (overlapped(*row), target_of(row[1]))) for row in _rows(AREA_TABLES)]
    return list(dict.fromkeys([one for one, _ in both] + [one for _, one in both]))
