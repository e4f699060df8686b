# SPDX-License-Identifier: Apache-2.0
"""Our figures for the rows of gcm2008, chapter 4.  Figures that have not been measured are None."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from modeloom.compiler.streams import StreamOptions
from modeloom_papers.stored import Row, measured, printed, value

__all__ = [
    "AREA_TABLES", "CELLS", "DESIGNS", "FIXED", "FPGA", "MIX", "OUR_DESIGNS", "PAPER", "SIZES", "Variant", "change_key", "curve",
    "more_rows", "ours", "target_of", "variant_of", "variants",
]  # fmt: skip

# The core of GCM that is compared with a row of gcm2008, Tables 4.1 and 4.2, and its target.
#
#     row: core "FH, composite S-box, optimized for area"  ──▶  gcm --key-slots 1 --cipher-stages 1 --mul-stages 0
#                                                               --mul-arch fan-hasan --cipher-sbox composite
#          device "130 nm standard cells"                  ──▶  the cells of bench/pitches.lib

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


# -- thesis ------------------------------------------------------------------------------------------------------------------------

PAPER = "gcm2008"

MIX = "gcm2008"
"""The mix of packets of section 4.4, as ``measure.traffic`` has it."""

DESIGNS: dict[str, int | None] = {"36 Gbps, 4-14": 4, "36 Gbps, 1-14": 1, "ours, key slots": None, "ours, keys inline": None}
"""Designs that are simulated, by the row of Table 4.3: cycles from a key to the first block of its packet, or None for a core of ours."""

OUR_DESIGNS = tuple(design for design, latency in DESIGNS.items() if latency is None)

FIXED = {"54 Gbps [31]": 40, "42 Gbps [29]": 14, "42.7 Gbps [29]": 14}
"""Rows of other works, with the cycles that the thesis takes for every packet."""

SIZES = (44, 64, 128, 256, 384, 512, 768, 1024, 1280, 1500)
"""Bytes of the packets of Figure 4.11."""

BLOCK_BITS = 128


def change_key(design: str, size: int | None) -> str:
    """The name of a row of ``key_changes``: a design, and packets of one size or the mix."""
    return f"{design}: {MIX if size is None else f'{size} bytes'}"


def _area(row: Row) -> Row:
    """The core with the row's multiplier and S-boxes, and the throughput for its area at the printed clock."""
    name = f"{variant_of(row).arguments} --target {target_of(row)}"
    found = measured("variants").get(name, {})
    blocks = found.get("blocks", {})
    figures = {key: found.get(key) for key in ("gates", "luts", "lut_memory", "registers", "block_rams")}
    size = found.get("gates") or found.get("luts", 0) + found.get("lut_memory", 0)
    # Gbit/s at the printed clock, in kbit/s for each gate or LUT.
    rate = round(value(row, "frequency") * BLOCK_BITS * 1000 / size, 2) if size else None
    parts = {"cipher": blocks.get("aes"), "multiplier": blocks.get("multiplier"), "storage": blocks.get("storage")}
    return {**figures, **parts, "efficiency": rate, "without_wide_multiplexers": found.get("without_wide_multiplexers")}


def _share(design: str, size: int | None) -> float | None:
    """Percent of the peak: measured, or of equation (4.1) for a fixed latency; None if it was not measured."""
    if design in FIXED and size is not None:
        blocks = 8 * size / BLOCK_BITS
        return 100 * blocks / (blocks + FIXED[design])
    found: float | None = measured("key_changes").get(change_key(design, size), {}).get("percent")
    return found


def _mean(row: Row, mix: list[tuple[int, float]]) -> float | None:
    """Percent of the peak for the mix."""
    if row["row"] in FIXED:
        return sum(share * (_share(row["row"], size) or 0) for size, share in mix)
    return _share(row["row"], None)


def _change(row: Row, mix: list[tuple[int, float]]) -> Row:
    share = _mean(row, mix)
    found = measured("key_changes").get(change_key(row["row"], None), {})
    return {
        "percentage": None if share is None else round(share, 2),
        "average": None if share is None else round(value(row, "maximum") * share / 100, 2),
        "least_latency": FIXED.get(row["row"], found.get("least_lost")), "most_latency": FIXED.get(row["row"], found.get("most_lost")),
        "simulated": row["row"] in DESIGNS,
    }  # fmt: skip


def curve(row: Row) -> Row:
    """Average throughput in Gbit/s for each size of packets of Figure 4.11."""
    shares = {size: _share(row["row"], size) for size in SIZES}
    most = value(row, "maximum")
    return {str(size): None if share is None else round(most * share / 100, 2) for size, share in shares.items()}


def ours(table: Row) -> Callable[[Row], Row]:
    """What makes our figures for the rows of a table."""
    if table["table"] in ("4.1", "4.2"):
        return _area
    if table["table"] == "4.11":
        return curve
    if table["table"] != "4.3":
        return lambda row: {}
    from modeloom_papers.stored import printed

    shares = next(each for each in printed(PAPER) if each["table"] == "section 4.4")["rows"]
    mix = [(row["values"]["bytes"], row["values"]["share"] / 100) for row in shares]
    return lambda row: _change(row, mix)


def more_rows(table: Row) -> list[Row]:
    """Rows of ours that are not in the paper, for the maximum of the thesis's own core."""
    if table["table"] not in ("4.3", "4.11"):
        return []
    like = next(row for row in table["rows"] if row["row"] == "36 Gbps, 1-14")
    maximum = {"maximum": like["values"]["maximum"]}
    return [
        {"table": table["table"], "row": design, "mode": "GCM", "core": None, "values": maximum}
        for design in OUR_DESIGNS
    ]
