# SPDX-License-Identifier: Apache-2.0
"""Our figures for a row of each table.  Figures that have not been measured are None."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from modeloom.ir.expand import expand
from modeloom.ir.graph import reached
from modeloom.ir.trace import trace
from modeloom.modes import all_modes, find
from modeloom.options.row import Value
from modeloom.options.sectors import Options, preset
from modeloom.spec import Mode
from modeloom.spec.kinds import MUL
from modeloom_papers.stored import PAPERS, Row, measured, printed, value

__all__ = [
    "AREA_TABLES", "BITS", "BLOCKS", "COUNTS", "Core", "area_key", "areas", "control_store", "cores", "cycles", "gbits", "hardware",
    "matched", "mode_of", "operations", "overlapped", "plain", "schedules", "software", "storage", "target_of", "uses",
]  # fmt: skip

# Numbers of operations in the definition of a mode, for Table 1 of tes2010: for a sector, and separately for the set-up.

COUNTS = ("calls", "multiplications", "setup_calls", "setup_multiplications", "keys")
"""Names of the figures."""


def operations(mode: Mode, blocks: int) -> dict[str, int]:
    """Cipher calls and products for a sector, with Horner's rule and no interleaved chains.  The larger number of both directions counts.

    Returns
    -------
    dict
        ``calls``, ``multiplications``, ``setup_calls``, ``setup_multiplications`` (both for one key and sector size) and ``keys``,
        the number of keys that the user provides.
    """
    source = expand(trace(mode, blocks * mode.block_bytes, mode.tweak_sizes[0]), 1)
    needed = [reached(source.nodes, outputs) for outputs in source.outputs.values()]
    # No output reads the cipher keys that the set-up makes.
    read = set().union(*needed, reached(source.nodes, [i for blocks in source.derived for i in blocks]))
    setup = [node for node in source.nodes if node.key_only and node.id in read]
    sectors = [[source.nodes[i] for i in ids if not source.nodes[i].key_only] for ids in needed]
    return {
        "calls": max(sum(node.keyed for node in nodes) for nodes in sectors),
        "multiplications": max(sum(node.kind == MUL for node in nodes) for nodes in sectors),
        "setup_calls": sum(node.keyed for node in setup),
        "setup_multiplications": sum(node.kind == MUL for node in setup),
        "keys": len(mode.key_parts),
    }


# -- cores -------------------------------------------------------------------------------------------------------------------------

# The core of ours that is compared with a row of the papers, and its target.
#
#     row: mode "HCH", core "full", device "Virtex 4"  ──▶  hch --preset tes2010-full --exact      one sector at a time
#                                                           hch --preset tes2010-full --overlap    sectors overlap
#                                                           target xc4v

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


# -- ours --------------------------------------------------------------------------------------------------------------------------

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
