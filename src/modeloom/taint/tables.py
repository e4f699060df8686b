# SPDX-License-Identifier: Apache-2.0
"""Finds constant tables and registers that are held in a netlist by their structure, independently of their names.

::

    byte ──┬─ bits 0..5 ─▶ table of 64 bytes ──[reg]──┐
           │   ...         (four of them)             ├─ choice ─ choice ─▶ looked-up byte
           └─ bits 6, 7 ───────────────────────[reg]──┘

A table is logic, like a gate: it has a result in the same cycle for every address. The same holds for the last two levels of a table
that is read in two steps: one register later, the rest of the same address selects between the bytes.

A register is held if one of the choices before it is its own value.
"""

from __future__ import annotations

from functools import cached_property

from modeloom.taint.cells import REGISTERS
from modeloom.taint.netlist import Bit, Cell, Netlist

__all__ = ["Tables"]

MOST_BITS, MOST_WORDS = 8, 512
"""A table of bytes, or one for each direction."""


class Tables:
    """The constant tables of a netlist.

    Parameters
    ----------
    netlist : Netlist
    """

    def __init__(self, netlist: Netlist):
        self._driver: dict[int, tuple[Cell, str, int]] = {}
        for cell in netlist.cells:
            for port in ("Y", "Q", "RD_DATA"):
                for index, bit in enumerate(cell[port]):
                    if isinstance(bit, int):
                        self._driver[bit] = cell, port, index
        self._known: dict[int, frozenset[int] | None] = {}
        self._registers = [cell for cell in netlist.cells if cell.type in REGISTERS]

    @staticmethod
    def is_table(cell: Cell) -> bool:
        """Whether a memory is a constant table of bytes, or one table for each direction, that is read in the same cycle."""
        if cell.type != "$mem_v2":
            return False
        p = cell.numbers
        return p["WIDTH"] <= MOST_BITS and p["SIZE"] <= MOST_WORDS and not p["WR_PORTS"] and not p["RD_CLK_ENABLE"]

    def is_last_level(self, cell: Cell) -> bool:
        """Whether a multiplexer selects between bytes of a table by another bit of their address."""
        if cell.type != "$mux" or len(cell["Y"]) > MOST_BITS:
            return False
        addresses: set[int] = set()
        for bit in (*cell["A"], *cell["B"]):
            found = self._looked_up(bit)
            if found is None:
                return False
            addresses |= found
        held = self._before(cell["S"][0])
        # The rest of the address has the same origin as the address.
        return bool(addresses) and held is not None and {self._source(bit) for bit in addresses} == {self._source(held)}

    def _before(self, bit: Bit) -> int | None:
        """The source of a bit of a plain register in the previous cycle."""
        cell, port, index = self._driver.get(bit, (None, "", 0)) if isinstance(bit, int) else (None, "", 0)
        if cell is None or cell.type != "$dff" or port != "Q":
            return None
        before = cell["D"][index]
        return before if isinstance(before, int) else None

    def _source(self, bit: int) -> str | int:
        """The cell that drives a bit."""
        return self._driver[bit][0].name if bit in self._driver else bit

    def _looked_up(self, bit: Bit) -> frozenset[int] | None:
        """The table address that gave a bit in the previous cycle; None if the bit does not come from a table."""
        if not isinstance(bit, int):
            return frozenset()
        if bit not in self._known:
            self._known[bit] = None
            self._known[bit] = self._find(bit)
        return self._known[bit]

    def _find(self, bit: int) -> frozenset[int] | None:
        if bit not in self._driver:
            return None
        cell, _, index = self._driver[bit]
        if cell.type == "$mux" and len(cell["Y"]) <= MOST_BITS:
            parts = [self._looked_up(cell[port][index]) for port in "AB"]
            return None if None in parts else frozenset().union(*(part for part in parts if part is not None))
        before = self._before(bit)
        if before is None or before not in self._driver:
            return None
        table, port, place = self._driver[before]
        if port != "RD_DATA" or not self.is_table(table):
            return None
        number, bits = place // table.numbers["WIDTH"], table.numbers["ABITS"]
        return frozenset(at for at in table["RD_ADDR"][number * bits : (number + 1) * bits] if isinstance(at, int))

    def decides_to_hold(self, cell: Cell) -> bool:
        """Whether a multiplexer has a register behind it that keeps its value with some choices of it, and not with others."""
        return cell.name in self._holding

    @cached_property
    def _holding(self) -> frozenset[str]:
        """The names of all such multiplexers."""
        found: set[str] = set()
        for register in self._registers:
            for d, q in zip(register["D"], register["Q"]):
                self._keeps(d, q, found, {})
        return frozenset(found)

    def _keeps(self, bit: Bit, own: Bit, found: set[str], known: dict[Bit, bool]) -> bool:
        """Whether a bit is a register's own value with some choices of the multiplexers before it.  These are added to ``found``."""
        if bit == own:
            return True
        if bit not in known:
            known[bit] = False
            cell, port, index = self._driver.get(bit, (None, "", 0)) if isinstance(bit, int) else (None, "", 0)
            if cell is not None and cell.type in ("$pos", "$buf"):
                known[bit] = index < len(cell["A"]) and self._keeps(cell["A"][index], own, found, known)
            elif cell is not None and cell.type in ("$mux", "$pmux", "$bmux", "$bwmux"):
                width = len(cell["Y"])
                names = "B" if self._decodes(cell) else "AB"
                choices = [cell[name][at + index] for name in names for at in range(0, len(cell[name]), width)]
                kept = [self._keeps(choice, own, found, known) for choice in choices]
                if any(kept) and not all(choice == own for choice in choices):
                    found.add(cell.name)
                known[bit] = any(kept)
        return known[bit]

    def _decodes(self, cell: Cell) -> bool:
        """Whether one of the selects of a multiplexer is always set, because they compare a word with all its values."""
        if cell.type != "$pmux":
            return False
        compared = [self._compares(bit) for bit in cell["S"]]
        words = {word for word, _ in compared}
        return len(words) == 1 and () not in words and len(set(compared)) == 1 << len(next(iter(words)))

    def _compares(self, bit: Bit) -> tuple[tuple[Bit, ...], int]:
        """The word that a bit compares with a constant, and the constant; an empty word if it does something else."""
        cell, _, index = self._driver.get(bit, (None, "", 0)) if isinstance(bit, int) else (None, "", 0)
        if cell is None or index:
            return (), 0
        if cell.type == "$logic_not":
            return tuple(cell["A"]), 0
        if cell.type == "$eq" and len(cell["A"]) == len(cell["B"]):
            for word, constant in ((cell["A"], cell["B"]), (cell["B"], cell["A"])):
                if all(bit in ("0", "1") for bit in constant) and any(isinstance(bit, int) for bit in word):
                    return tuple(word), sum(1 << n for n, bit in enumerate(constant) if bit == "1")
        return (), 0
