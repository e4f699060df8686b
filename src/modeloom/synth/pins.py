# SPDX-License-Identifier: Apache-2.0
"""Sums that a circuit assigns to LUTs by hand.

A wire with the attribute ``keep`` that is driven by one wide XOR (``$reduce_xor``) of two to six bits is one LUT on targets with LUT6::

    (* keep *) wire s;  assign s = ^{a, b, c, d, e, f};   ──▶   LUT6

ABC would restructure networks of XORs for depth and ignore the attribute.  On other targets, the attribute is removed, so the mapper is
free.  If a wire also has the attribute ``lut4``, its sum has at most four bits, and it is one LUT on Xilinx targets with LUT4, too.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["FOUR", "pin_commands"]

FOUR = "lut4"
"""Attribute of a wire whose sum is made for LUTs with four inputs."""

_FILE = "pins.v"


def _parity_table(size: int) -> str:
    return f"{1 << size}'h{sum((n.bit_count() & 1) << n for n in range(1 << size)):x}"


def _cells() -> str:
    cases = []
    for size in range(2, 7):
        pins = ", ".join(f".I{n}(A[{n}])" for n in range(size))
        cases.append(f"  {size}: LUT{size} #(.INIT({_parity_table(size)})) _TECHMAP_REPLACE_ ({pins}, .O(Y));\n")
    return (
        '(* techmap_celltype = "$reduce_xor" *)\nmodule pinned (A, Y);\n'
        "parameter A_WIDTH = 1;\nparameter A_SIGNED = 0;\nparameter Y_WIDTH = 1;\ninput [A_WIDTH-1:0] A;\noutput Y;\n"
        f"generate case (A_WIDTH)\n{''.join(cases)}  default: wire _TECHMAP_FAIL_ = 1;\nendcase endgenerate\nendmodule\n"
    )


def pin_commands(rtlil: str, directory: Path, *, lut6: bool, lut4: bool = False) -> list[str]:
    """Yosys commands for a design that has just been read.  There are none if it has no such wires.

    Parameters
    ----------
    rtlil : str
        The design.
    directory : Path
        The folder in which Yosys runs.  A file with the LUTs is written there.
    lut6 : bool
        Whether the target has cells named LUT2 to LUT6.
    lut4 : bool
        Whether it has cells named LUT2 to LUT4, and no larger ones.
    """
    if "attribute \\keep " not in rtlil:
        return []
    commands = ["select -set sums w:* a:keep %i %ci1 t:$reduce_xor %i", "select -set pinned @sums %co1 w:* %i a:keep %i",
                "setattr -unset keep @pinned"]
    if lut4 and f"attribute \\{FOUR} 1" in rtlil:
        commands.append(f"select -set sums w:* a:{FOUR} %i %ci1 t:$reduce_xor %i")
    if lut6 or (lut4 and f"attribute \\{FOUR} 1" in rtlil):
        (directory / _FILE).write_text(_cells(), encoding="utf-8")
        commands.append(f"techmap -map {_FILE} @sums")
    return commands
