# SPDX-License-Identifier: Apache-2.0
"""The page that ``modeloom papers`` prints, which is ``docs/papers.md``: the tables of the papers beside our results."""

from __future__ import annotations

from collections.abc import Callable, Collection

from modeloom_papers import rounds, rounds_page, thesis, thesis_page
from modeloom_papers.markdown import Column, aligned, ours, printed, shown
from modeloom_papers.stored import Row
from modeloom_papers.tables import tables

__all__ = ["page"]

INTRODUCTION = """\
# The tables of the papers and our results

This page compares the tables of two papers on wide-block modes, of a thesis on GCM, and of a paper on round cores for several streams with
the results of modeloom for the same modes. It is for readers of these papers, and for engineers who compare hardware. The papers on
wide-block modes are:

- tes2010: Mancillas-López, Chakraborty, Rodríguez-Henríquez: Reconfigurable hardware implementations of tweakable enciphering
  schemes, IEEE Transactions on Computers 59(11), 2010.
- brw2013: Chakraborty, Mancillas-López, Rodríguez-Henríquez, Sarkar: Efficient hardware implementations of BRW polynomials and
  tweakable enciphering schemes, IEEE Transactions on Computers 62(2), 2013.

`modeloom papers` prints this page, and `modeloom papers --json` prints its figures. A sector has 32 blocks, and the cipher is
AES-128. Figures of the papers are given as printed. If one is a misprint, the correct figure follows in brackets. "-" means that
a figure was not printed, or has not been measured yet. `python bench/papers.py --store` measures schedules, areas, cycles at
the pins and software. Operations are counted when the page is made.

Tables 6 to 9 of tes2010 and table 3 of brw2013 are about whole cores. The papers print slices and the clock after place and
route. Our figures are for one sector at a time (*plain*) and for *overlapped* sectors:

- LUTs (logic and memory), registers and block memories of the whole core, including its buses and the erasure of keys. Yosys
  maps the core block by block, and the figures are the sums of the blocks that `modeloom synth` shows.
- Cycles for each sector, as the Verilog testbench counts them at the pins. For a plain core, they are counted from the first
  issue to the last block, and the next sector begins one cycle later.
- Throughput at the printed clock, because Yosys gives no clock for these devices.

These are the commands:

    modeloom build MODE --preset PRESET --exact -o DIR        # plain
    modeloom build MODE --preset PRESET --overlap -o DIR      # overlapped
    modeloom synth DIR --target TARGET
"""

SENTENCES = {
    "tes2010-1": """\
Cipher calls and products of a sector with m = 32 blocks, as the definition of the mode has them. The number after + is what the
set-up computes once for each key.
""",
    "tes2010-2": """\
*Plain* is `modeloom explain MODE --preset tes2010-full --exact`. A figure has "=" if no schedule on these units is shorter.
*Overlapped* is the same with `--overlap`, and the figure is the distance between sectors. *Matched* is `modeloom explain MODE`
on the default units, with as many multipliers as the AES pipelines can feed (EME: `--cipher-cores 2`).
""",
    "tes2010-3": """\
The paper counts what each mode adds, with registers of 128 bits. Our figures are for the plain core of Table 2, in blocks of
128 bits: cells for the values of a sector and their bound, input and result buffers, key memory, and registers that step masks.
The control store is given as words × bits in a word, including the set-up.
""",
    "tes2010-6": "PRESET is `tes2010-full`, and TARGET is `xc4v`. The printed cycles include one more for the reset.\n",
    "tes2010-7": "PRESET is `tes2010-sequential`, and TARGET is `xc4v`.\n",
    "tes2010-8": "PRESET is `tes2010-encrypt-only`, and TARGET is `xc4v`. The printed cycles include one more for the reset.\n",
    "tes2010-9": """\
The presets are those of Tables 6 to 8. Yosys does not support Virtex-II Pro. Its nearest target is Virtex-4, which has the same
LUTs.
""",
    "tes2010-10": """\
Our figures are for AES-NI with OpenSSL on one processor core (`bench/papers_software.py`). As in the paper, only the cipher
calls of EME count. Cycles are at the clock that the system states. The speedup in our rows is that of our EME core in Table 8,
overlapped, at the printed clock.
""",
    "brw2013-3": """\
PRESET is the name of the row with hyphens, for example `brw2013-hmch-brw-1`, and TARGET is `xc5v`. The control store is that of
the plain core, as words × bits in a word. Ours includes the set-up.
""",
}

def _product(where: str, first: str, second: str) -> Callable[[Row], str]:
    return lambda row: "-" if row[where].get(first) is None else f"{row[where][first]} × {row[where][second]}"


def _with_setup(name: str) -> Callable[[Row], str]:
    return lambda row: shown(row["ours"][name]) + (f" + {row['ours']['setup_' + name]}" if row["ours"]["setup_" + name] else "")


def _proved(row: Row) -> str:
    return ours("plain_cycles")(row) + (" =" if row["ours"]["plain_minimal"] else "")


_NAME: Column = ("row", lambda row: row["row"])


def _core(name: str) -> list[Column]:
    heads = (("registers", "registers"), ("block memories", "block_rams"), ("cycles", "cycles"), ("Gbit/s", "throughput"))
    return [(f"{name}: LUTs", _luts(name)), *((head, ours(f"{name}_{key}")) for head, key in heads)]


def _luts(name: str) -> Callable[[Row], str]:
    def cell(row: Row) -> str:
        logic = row["ours"].get(f"{name}_luts")
        return "-" if logic is None else str(logic + row["ours"][f"{name}_lut_memory"])

    return cell


def _area(*more: Column) -> list[Column]:
    heads = (
        ("printed: slices", "slices"), ("block RAMs", "block_rams"), ("MHz", "frequency"), ("cycles", "cycles"), ("Gbit/s", "throughput"),
    )  # fmt: skip
    paper = [(head, printed(key)) for head, key in heads]
    return [_NAME, *paper, *more, *_core("plain"), *_core("overlapped")]


_STORE: Column = ("printed: control store", _product("printed", "control_rows", "control_bits"))
_OUR_STORE: Column = ("ours: control store", _product("ours", "control_rows", "control_bits"))

COLUMNS: dict[str, list[Column]] = {
    "tes2010-1": [
        _NAME,
        ("printed: calls", printed("calls")), ("products", printed("multiplications")), ("keys", printed("keys")),
        ("ours: calls", _with_setup("calls")), ("products", _with_setup("multiplications")), ("keys", ours("keys")),
    ],
    "tes2010-2": [
        _NAME,
        ("printed: cycles", printed("cycles")), ("first block", printed("first_output")),
        ("plain: cycles", _proved), ("first block", ours("plain_first_output")),
        ("overlapped: cycles", ours("overlapped_cycles")), ("bound", ours("overlapped_bound")),
        ("matched: cycles", ours("matched_cycles")), ("bound", ours("matched_bound")),
        ("AES pipelines", ours("matched_pipelines")), ("multipliers", ours("matched_multipliers")),
    ],
    "tes2010-3": [
        _NAME,
        ("printed: registers", printed("registers_128")), ("block RAMs", printed("extra_block_rams")), ("x·A", printed("x_times")),
        ("inputs before AES", printed("mux_in_aes")), ("2:1 mux", printed("mux2")), ("3:1 mux", printed("mux3")),
        ("ours: stored values", ours("storage_blocks")), ("bound", ours("storage_bound")), ("input", ours("input_blocks")),
        ("results", ours("output_blocks")), ("keys", ours("key_words")), ("mask registers", ours("mask_registers")),
        ("control store", _OUR_STORE[1]),
    ],
    **{f"tes2010-{number}": _area() for number in "678"},
    "tes2010-9": _area(("target", lambda row: row["target"])),
    "tes2010-10": [
        _NAME, ("processor", lambda row: shown(row["device"])),
        ("MHz", lambda row: _either(row, "frequency")), ("cycles per sector", lambda row: _either(row, "cycles")),
        ("Gbit/s", lambda row: _either(row, "throughput")), ("speedup of the core", lambda row: _either(row, "speedup")),
    ],
    "brw2013-3": [*_area(), _STORE, _OUR_STORE],
}  # fmt: skip


def _either(row: Row, name: str) -> str:
    return shown(row["printed"].get(name, row["ours"].get(name)), name)


MESSAGE_PAGES: dict[str, tuple[str, Callable[[Row], str]]] = {
    thesis.PAPER: (thesis_page.INTRODUCTION, thesis_page.section), rounds.PAPER: (rounds_page.INTRODUCTION, rounds_page.section),
}  # fmt: skip
"""Introduction and sections of works on messages."""


def page(wanted: Collection[str] = ()) -> str:
    """The page in Markdown, with all tables, or with those that a name or a paper selects.  Raises ``UnknownName`` for others."""
    parts = [] if wanted else [INTRODUCTION]
    for table in tables(wanted):
        paper = table["paper"]
        if paper in MESSAGE_PAGES:
            introduction, section = MESSAGE_PAGES[paper]
            # Who asks for one table does not ask for the page.
            if introduction not in parts and (not wanted or paper in wanted):
                parts.append(introduction)
            parts.append(section(table))
        else:
            parts.append(_section(table))
    return "\n".join(parts)


def _section(table: Row) -> str:
    columns = COLUMNS[table["name"]]
    rows = [[cell(row) for _, cell in columns] for row in table["rows"]]
    left = 2 if table["name"] == "tes2010-10" else 1
    text = f"## {table['paper']}, Table {table['table']}: {table['title']}\n\n{SENTENCES[table['name']]}\n"
    text += aligned([head for head, _ in columns], rows, left)
    notes = [f"- {row['row']}: {note}.\n" for row in table["rows"] for note in row["notes"]]
    return text + ("\n" + "".join(notes) if notes else "")
