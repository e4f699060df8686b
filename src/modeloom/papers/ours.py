# SPDX-License-Identifier: Apache-2.0
"""Our figures for a row of each table.  Figures that have not been measured are None."""

from __future__ import annotations

from modeloom.modes import all_modes, find
from modeloom.papers.cores import Core, matched, mode_of, overlapped, plain, target_of
from modeloom.papers.counts import COUNTS, operations
from modeloom.papers.measured import measured
from modeloom.papers.printed import Row, printed, value

__all__ = ["BITS", "BLOCKS", "area_key", "control_store", "cycles", "gbits", "hardware", "software", "storage", "uses"]

BLOCKS = 32
"""Number of blocks of a sector in all tables."""

BITS = 128 * BLOCKS
"""Number of bits of a sector."""

_AREA = ("luts", "registers", "lut_memory", "block_rams")


def gbits(cycles: float | None, mhz: float) -> float | None:
    """Throughput in Gbit/s if a sector takes ``cycles`` cycles."""
    return None if cycles is None else round(BITS * mhz / cycles / 1000, 3)


def _schedule(core: Core) -> Row:
    return measured("schedules").get(core.arguments, {})


def uses(paper: str, row: Row) -> Row:
    """Operations of a sector and of set-up, counted in the definition."""
    mode = mode_of(paper, row)
    return operations(find(mode), BLOCKS) if mode in all_modes() else dict.fromkeys(COUNTS)


def cycles(paper: str, row: Row) -> Row:
    """Schedules on the paper's units, plain and overlapped, and on default units."""
    one, many, free = (_schedule(core(paper, row)) for core in (plain, overlapped, matched))
    return {
        "plain_cycles": one.get("cycles_per_sector"),
        "plain_first_output": one.get("first_output"),
        "plain_minimal": one.get("optimal"),
        "overlapped_cycles": many.get("cycles_per_sector"),
        "overlapped_bound": many.get("ii_bound"),
        "matched_cycles": free.get("cycles_per_sector"),
        "matched_bound": free.get("ii_bound"),
        "matched_multipliers": free.get("multipliers"),
        "matched_pipelines": free.get("pipelines"),
    }


def storage(paper: str, row: Row) -> Row:
    """What a core with one sector at a time keeps, in blocks, and its control store."""
    found = _schedule(plain(paper, row))
    names = ("storage_blocks", "storage_bound", "input_blocks", "output_blocks", "key_words", "mask_registers")
    return {**{name: found.get(name) for name in names}, **control_store(paper, row)}


def control_store(paper: str, row: Row) -> Row:
    """Words and bits of a word of the control store of the core with one sector at a time."""
    found = _schedule(plain(paper, row))
    return {name: found.get(name) for name in ("control_rows", "control_bits")}


def hardware(paper: str, row: Row) -> Row:
    """The core with one sector at a time, ``plain_…``, and the ``overlapped_…`` one.

    Returns
    -------
    dict
        ``luts`` of logic, ``registers``, ``lut_memory`` (LUTs) and ``block_rams`` on the row's target; ``cycles`` a sector, and the
        ``interval`` from one to the next, as the bench counted them at the pins; ``throughput`` in Gbit/s at the printed clock, a
        sector in those cycles, as the paper reckons.
    """
    mhz = value(row, "frequency")
    result: Row = {}
    for name, core in (("plain", plain(paper, row)), ("overlapped", overlapped(paper, row))):
        pins = measured("cores").get(core.arguments, {})
        counted = pins.get("cycles_per_sector")
        area = measured("areas").get(area_key(core, target_of(row)), {})
        result |= {f"{name}_{figure}": area.get(figure) for figure in _AREA}
        result |= {f"{name}_cycles": counted, f"{name}_interval": pins.get("interval"), f"{name}_throughput": gbits(counted, mhz)}
    return result


def area_key(core: Core, target: str) -> str:
    """The name of a row of ``areas``."""
    return f"{core.arguments} --target {target}"


def software() -> list[Row]:
    """Our rows of Table 10: processors, and the core that encrypts with EME, at its clock in the table."""
    rows = []
    eme = next(row for table in printed("tes2010") if table["table"] == "8" for row in table["rows"] if row["mode"] == "EME")
    core = hardware("tes2010", eme)["overlapped_throughput"]
    for name, what, number in _SOFTWARE:
        found = measured("software").get(what)
        ns = round(found["ns"] * number, 1) if found else None
        throughput = round(BITS / ns, 3) if ns else None
        rows.append(
            {
                "row": name,
                "processor": found["processor"] if found else None,
                "frequency": found["mhz"] if found else None,
                "library": found["library"] if found else None,
                "ns": ns,
                "cycles": round(ns * found["mhz"] / 1000, 1) if found and ns else None,
                "throughput": throughput,
                "speedup": round(core / throughput, 2) if core and throughput else None,
            }
        )
    return rows


_SOFTWARE = (
    ("EME, 66 calls of AES-128", "aes-128-ecb", 2 * (BLOCKS + 1)),
    ("XTS-AES-128, a context and a call each sector", "xts-aes-128, 512 bytes", 1),
    ("XTS-AES-128, 16 KiB a call", "xts-aes-128, 16384 bytes", 1),
)
"""The name of a row, the name of the measurement, and the number of these operations in a sector."""
