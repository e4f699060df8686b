# SPDX-License-Identifier: Apache-2.0
"""The tables of gcm2008, chapter 4, beside ours, as Markdown: a part of the page that ``modeloom papers`` prints."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from modeloom_papers.markdown import Column, aligned, ours, plot, printed
from modeloom_papers.stored import Row
from modeloom_papers.thesis import SIZES

__all__ = ["COLUMNS", "INTRODUCTION", "SENTENCES", "section"]

INTRODUCTION = """\
## gcm2008: GCM

This part compares the tables of chapter 4 of a thesis with GCM cores of the same kinds: P. Patel, Parallel Multiplier Designs for the
Galois/Counter Mode of Operation, University of Waterloo, 2008. `modeloom papers gcm2008` prints this part, and
`python bench/papers_gcm2008.py --store` measures our figures.

Our cores in tables 4.1 and 4.2 are those of

    modeloom build gcm --key-slots 1 --cipher-stages 1 --mul-stages 0 --mul-arch ARCH --cipher-sbox SBOX -o DIR

They take keys of 128, 192 and 256 bits. Like those of the thesis, they have one register in each round and compute a product in one
cycle. Unlike those of the thesis, they also have buses with queues, checks of lengths and tags, tags of seven sizes, nonces of 1 to 16
bytes, and the erasure of keys and states. All figures are for whole cores. Yosys maps them block by block.
"""

SENTENCES = {
    "gcm2008-4.1": """\
TARGET is `liberty:bench/pitches.lib`, our own cell library: the area of a cell is its width in gate pitches, and a NAND2 gate is the unit.
The cells of the thesis are those of a foundry for 130 nm. Compare figures within a column only. Yosys maps for area, so our core is the
same in the rows for area and for speed. Our kbit/s per gate are at the printed clock. *Memories* are those of the queues for messages, text
and verdicts, and of keys. The library has no memories, so each of their bits is a flip-flop with its multiplexers.
""",
    "gcm2008-4.2": """\
TARGET is `xc4v`. LUTs are those of logic and of memories. The paper prints slices after place and route, which have two LUTs each. Our
kbit/s per LUT are at the printed clock. Yosys maps each block twice, with and without wide multiplexers (MUXF5 to MUXF8), and the smaller
mapping counts. Blocks named in a note are only mapped without wide multiplexers: Yosys does not terminate if it uses them for composite
S-boxes.
""",
    "gcm2008-section-4.4": """\
The mix `gcm2008` of `modeloom traffic` has these packets.
""",
    "gcm2008-4.3": """\
Each packet of the mix has a new key. Lost cycles are those in which no block of a packet enters. Our figures for the two designs of the
thesis are simulated: `modeloom circuit aes-pipeline-agile` runs the packets, with keys of 256 bits and a block of zeros after each key for
the key of the hash. In the row with four cycles, three idle cycles follow this block. The figures for the designs of other works are
equation (4.1) with the printed latency. Our own cores take packets back to back: one changes the key slot at every packet, and the other
one takes a key of 256 bits with every packet (`--keys inline`). With slots, each packet costs one cycle, in which
E(K, Y0) is computed and the lengths are hashed. The thesis has no cycle for that. With keys inline, a key of 256 bits can come every
8 cycles, so only packets of less than seven blocks wait for their keys.
""",
    "gcm2008-4.11": """\
Average throughput in Gbit/s for packets of one size, each with a new key. The paper has a figure without numbers, so all figures are
ours: equation (4.1) for the designs of other works, and simulations of the other ones, as for Table 4.3.
""",
}

_NAME: Column = ("row", lambda row: row["row"])

_AREA_41: list[Column] = [
    _NAME,
    ("printed: gates", printed("gates")), ("ns", printed("delay")), ("Gbit/s", printed("throughput", 2)),
    ("kbit/s per gate", printed("efficiency")),
    ("ours: gates", ours("gates")), ("of these cipher", ours("cipher")), ("multiplier", ours("multiplier")),
    ("memories", ours("storage")), ("kbit/s per gate", ours("efficiency")),
]  # fmt: skip


def _luts(row: Row) -> str:
    logic = row["ours"].get("luts")
    return "-" if logic is None else str(logic + row["ours"]["lut_memory"])


_AREA_42: list[Column] = [
    _NAME,
    ("printed: slices", printed("slices")), ("block RAMs", printed("block_rams")), ("MHz", printed("frequency")),
    ("Gbit/s", printed("throughput", 2)), ("kbit/s per slice", printed("efficiency")),
    ("ours: LUTs", _luts), ("registers", ours("registers")), ("block memories", ours("block_rams")),
    ("of these LUTs cipher", ours("cipher")), ("multiplier", ours("multiplier")), ("kbit/s per LUT", ours("efficiency")),
]  # fmt: skip


def _range(where: str) -> Callable[[Row], str]:
    def cell(row: Row) -> str:
        least, most = (row[where].get(f"{name}_latency") for name in ("least", "most"))
        return "-" if least is None else str(least) if least == most else f"{least} to {most}"

    return cell


COLUMNS: dict[str, list[Column]] = {
    "gcm2008-4.1": _AREA_41,
    "gcm2008-4.2": _AREA_42,
    "gcm2008-section-4.4": [_NAME, ("printed: percent of the packets", printed("share"))],
    "gcm2008-4.3": [
        _NAME,
        ("maximum, Gbit/s", printed("maximum")), ("printed: lost cycles", _range("printed")), ("average", printed("average", 2)),
        ("percent", printed("percentage")),
        ("ours: lost cycles", _range("ours")), ("average", ours("average", 2)), ("percent", ours("percentage", 2)),
    ],
    "gcm2008-4.11": [_NAME, *((f"{size} bytes" if number == 0 else str(size), ours(str(size), 2)) for number, size in enumerate(SIZES))],
}  # fmt: skip


def section(table: Row) -> str:
    """The part of the page for a table."""
    columns = COLUMNS[table["name"]]
    kind = "Figure" if table["table"] == "4.11" else "" if table["table"].startswith("section") else "Table"
    text = f"## gcm2008, {' '.join(filter(None, (kind, table['table'])))}: {table['title']}\n\n{SENTENCES[table['name']]}\n"
    text += aligned([head for head, _ in columns], [[cell(row) for _, cell in columns] for row in table["rows"]], 1)
    if table["table"] == "4.11":
        text += f"\n{_figure(table['rows'])}"
    return text + _notes(table)


def _notes(table: Row) -> str:
    lines = [f"- {note}.\n" for note in table["notes"]]
    lines += [f"- {row['row']}: {note}.\n" for row in table["rows"] for note in [*row["notes"], *_ways(row)]]
    return "\n" + "".join(lines) if lines else ""


def _ways(row: Row) -> list[str]:
    """A note on blocks of ours that are mapped in one way only."""
    blocks = row["ours"].get("without_wide_multiplexers")
    return [f"ours: {', '.join(f'`{block}`' for block in blocks)} without wide multiplexers"] if blocks else []


def _figure(rows: Sequence[Row]) -> str:
    """Gbit/s against bytes of a packet, drawn with letters."""
    lines = {row["row"]: [(size, row["ours"][str(size)]) for size in SIZES if row["ours"][str(size)] is not None] for row in rows}
    drawn = plot({name: points for name, points in lines.items() if points}, "bytes of a packet", "Gbit/s")
    return "".join(f"    {line}".rstrip() + "\n" for line in drawn.splitlines())

