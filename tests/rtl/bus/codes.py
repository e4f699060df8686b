# SPDX-License-Identifier: Apache-2.0
"""The status that a command must get, from the table of codes in docs/interfaces.md and from nothing else.

Each sentence of the table is a condition on a command and its packet; the code is the highest one whose condition holds.  A sentence
that is not known here is an error, so a change of the document has to be followed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["Case", "documented_codes", "status_code"]

PAGE = Path(__file__).parents[3] / "docs/interfaces.md"


@dataclass(frozen=True)
class Case:
    """A command and its packet.

    ``keeps`` are the tkeep of the packet's beats of ``beat_bytes`` bytes, the last one with tlast; the sector has ``sector_bytes``.
    """

    keeps: tuple[int, ...]
    beat_bytes: int
    sector_bytes: int
    key: bool = True
    direction: bool = True
    size: bool = True

    @property
    def nbytes(self) -> int:
        """Bytes of the packet."""
        return sum(keep.bit_count() for keep in self.keeps)

    @property
    def bad_keep(self) -> bool:
        """Whether a tkeep has not the form that the document asks for."""
        *before, last = self.keeps
        full = "1" * self.beat_bytes
        whole = all(f"{keep:b}" == full for keep in before)
        # Bit 0 is the last digit: zeros, then at least one one up to it.
        return not (whole and re.fullmatch("0*1+", f"{last:0{self.beat_bytes}b}"))


CONDITIONS: dict[str, Callable[[Case], bool]] = {
    "The sector was processed, and all its data beats have been taken.": lambda case: True,
    "The packet has fewer bytes than a sector.": lambda case: case.nbytes < case.sector_bytes,
    "The packet has more bytes than a sector.": lambda case: case.nbytes > case.sector_bytes,
    "`tkeep` is not all ones before the last beat, or not ones from bit 0 on in the last beat.": (
        lambda case: case.bad_keep
    ),
    "The key slot is empty, is being loaded, or does not exist.": lambda case: not case.key,
    "The core was not built for this direction.": lambda case: not case.direction,
    "The core has no sector size with this index.": lambda case: not case.size,
}

PRIORITY = "If there are several errors, the status has the highest code"


@cache
def documented_codes() -> dict[str, int]:
    """Sentences of the table with their codes; raises ``ValueError`` if the document says anything that is not known here."""
    text = PAGE.read_text(encoding="utf-8")
    table = re.search(r"<!-- generated: codes -->\n(.*?)<!-- end -->", text, re.DOTALL)
    if table is None or PRIORITY not in text:
        raise ValueError("docs/interfaces.md has no table of codes, or does not say which code is given")
    rows = re.findall(r"^\| (\d+) \| `\w+` \| (.*?) \|$", table[1], re.MULTILINE)
    codes = {sentence: int(code) for code, sentence in rows}
    if codes.keys() != CONDITIONS.keys() or len(rows) != len(codes):
        raise ValueError(f"docs/interfaces.md has other conditions: {sorted(codes.keys() ^ CONDITIONS.keys())}")
    return codes


def status_code(case: Case) -> int:
    """The status that the document gives to a case."""
    return max(code for sentence, code in documented_codes().items() if CONDITIONS[sentence](case))
