# SPDX-License-Identifier: Apache-2.0
"""The core of GCM that is compared with a row of gcm2008, Tables 4.1 and 4.2, and its target.

::

    row: core "FH, composite S-box, optimized for area"  ──▶  gcm --key-slots 1 --cipher-stages 1 --mul-stages 0
                                                              --mul-arch fan-hasan --cipher-sbox composite
         device "130 nm standard cells"                  ──▶  the cells of bench/pitches.lib
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from modeloom.compiler.streams import StreamOptions
from modeloom.papers.printed import Row, printed

__all__ = ["AREA_TABLES", "CELLS", "FPGA", "Variant", "target_of", "variant_of", "variants"]

CELLS = "liberty:bench/pitches.lib"
"""Standard cells of our own, from the folder of the project: areas in NAND2 gates."""

FPGA = "xc4v"

AREA_TABLES = {"4.1": CELLS, "4.2": FPGA}
"""Target of the rows of each table."""

MULTIPLIERS = {"FH": "fan-hasan", "KA": "karatsuba", "Mastrovito": "mastrovito", "brute force": "mastrovito"}
SBOXES = {"LUT": "lut", "BDD": "bdd", "composite": "composite", "block RAM": "bram"}

ONE_SIZE = "#5, KA, [39]"
"""A row for keys of 128 bits alone."""


@dataclass(frozen=True)
class Variant:
    """A core with one key slot, a register for each round of the cipher, and products in one cycle.

    Attributes
    ----------
    mul_arch, cipher_sbox : str
    key_bits : int or None
        None for keys of all sizes.
    """

    mul_arch: str
    cipher_sbox: str
    key_bits: int | None = None
    key_slots: int = 1
    cipher_stages: int = 1
    mul_stages: int = 0

    def options(self) -> StreamOptions:
        """The options of the core."""
        return StreamOptions(**asdict(self))

    def narrow(self, target: str) -> tuple[str, ...]:
        """Blocks that are mapped without wide multiplexers only: ciphers and key schedules with composite-field S-boxes on LUT4.

        With wide multiplexers, Yosys does not end: it takes exponential time to read the XORs of these S-boxes back from ABC.
        """
        return ("aes",) if self.cipher_sbox == "composite" and target == FPGA else ()

    @property
    def arguments(self) -> str:
        """The arguments of ``modeloom build``: mode and options."""
        given = {name: value for name, value in asdict(self).items() if value is not None}
        return " ".join(["gcm", *(f"--{name.replace('_', '-')} {value}" for name, value in given.items())])


def variant_of(row: Row) -> Variant:
    """The core for a row of Table 4.1 or 4.2."""
    multiplier, sbox, *_ = row["core"].split(", ")
    return Variant(MULTIPLIERS[multiplier], SBOXES[sbox.removesuffix(" S-box")], 128 if row["row"] == ONE_SIZE else None)


def target_of(row: Row) -> str:
    """The target for a row of Table 4.1 or 4.2."""
    return AREA_TABLES[row["table"]]


def variants() -> list[tuple[Variant, str]]:
    """Every core that is compared, once, with its target."""
    rows = [row for table in printed("gcm2008") if table["table"] in AREA_TABLES for row in table["rows"]]
    return list(dict.fromkeys((variant_of(row), target_of(row)) for row in rows))
