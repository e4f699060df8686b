# SPDX-License-Identifier: Apache-2.0
"""LUT-FF pairs of a mapped netlist.

A slice is made of equal units.  Each has a LUT and the flip-flop behind it, and `luts2017` counts these pairs::

             ┌───────────────────── pair ─────────────────────┐
    inputs ──┤ LUT, or shift register, or LUT memory          │
             │    └─▶ wide multiplexer or carry ─▶ flip-flop  ├── outputs
             └────────────────────────────────────────────────┘

The rule of packing has four sentences.

1. Each LUT takes the LUT of a pair: a LUT of logic, a shift register, and each LUT of a memory in LUTs.
2. A flip-flop shares the pair of a LUT if its data come from that LUT, directly, through wide multiplexers (MUXF5 to MUXF9, PFUMX,
   L6MUX21) or through the carry logic at the LUT.
3. A pair has one flip-flop, so the second flip-flop behind a LUT has a pair of its own.
4. All other flip-flops have pairs of their own, because no data path joins them to a LUT.

The rule is on the safe side.  It does not put two small functions with common inputs, or two shift registers of 16 bits, into one LUT, and
it does not put a flip-flop next to a LUT that it has nothing to do with.  Tools of the manufacturers do the former where they can, and the
latter where space is short.  `luts2017` calls a register free if sentence 2 holds for it (section 3.3, Figures 7 and 8).

Source: Khairallah, Chattopadhyay and Peyrin, "Looting the LUTs", 2017 (`luts2017`), section 3.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from modeloom.synth.netlist import Bit, Netlist
from modeloom.synth.targets import Target

__all__ = ["Pairs", "lut_ff_pairs"]

_WIDE = re.compile(r"MUXF[5-9]|PFUMX|L6MUX21")
# Inputs of wide multiplexers that come from LUTs, and not the ones that select.
_WIDE_DATA = re.compile(r"I[01]|ALUT|BLUT|D[01]")
_REGISTER_DATA = ("D", "DI")

Place = tuple[str, int]
"""A cell, and the number of one of its LUTs."""


@dataclass(frozen=True)
class Pairs:
    """Pairs of a design with both parts used, with the LUT only, and with the flip-flop only."""

    both: int
    lut_only: int
    register_only: int

    @property
    def total(self) -> int:
        """Number of pairs."""
        return self.both + self.lut_only + self.register_only


def lut_ff_pairs(netlist: Netlist, top: str, target: Target) -> Pairs:
    """The LUT-FF pairs of a flattened netlist from ``write_json`` of Yosys.

    As many flip-flops as possible share a pair with a LUT, so the result does not depend on the order of cells.

    Raises
    ------
    ValueError
        If the target has no LUTs.
    """
    if target.kind != "lut":
        raise ValueError(f"target {target.name} has no LUTs, so it has no LUT-FF pairs")
    cells = netlist["modules"][top]["cells"]
    places = {name: _luts(cell["type"], target) for name, cell in cells.items()}
    driver: dict[Bit, tuple[str, str, int]]
    driver = {bit: (name, port, index) for name, cell in cells.items() for port, bits in cell["connections"].items()
              if cell["port_directions"][port] == "output" for index, bit in enumerate(bits) if isinstance(bit, int)}  # fmt: skip

    def behind(bit: Bit) -> Iterator[Place]:
        """The LUTs whose flip-flop can take this bit."""
        if bit not in driver:
            return
        name, port, index = driver[bit]
        cell = cells[name]
        if places[name]:
            yield from ((name, number) for number in range(places[name]))
        elif _WIDE.fullmatch(cell["type"]):
            for data, bits in cell["connections"].items():
                if _WIDE_DATA.fullmatch(data):
                    yield from behind(bits[0])
        elif cell["type"] == "CARRY4" and port in ("O", "CO"):
            yield from behind(cell["connections"]["S"][index])
        elif cell["type"] == "XORCY":
            yield from behind(cell["connections"]["LI"][0])

    registers = [name for name, cell in cells.items() if target.is_flip_flop(cell["type"])]
    choices = {name: [place for port in _REGISTER_DATA for bit in cells[name]["connections"].get(port, ()) for place in behind(bit)]
               for name in registers}  # fmt: skip
    both = _most(choices)
    return Pairs(both, sum(places.values()) - both, len(registers) - both)


def _luts(kind: str, target: Target) -> int:
    return target.luts_of(kind) + target.lutram_luts_of(kind) + int(target.is_shift_register(kind))


def _most(choices: Mapping[str, list[Place]]) -> int:
    """How many registers get a place of their own at most: a maximum matching by augmenting paths."""
    owner: dict[Place, str] = {}

    def settle(register: str, tried: set[Place]) -> bool:
        for place in choices[register]:
            if place not in tried:
                tried.add(place)
                if place not in owner or settle(owner[place], tried):
                    owner[place] = register
                    return True
        return False

    return sum(settle(register, set()) for register in choices)
