# SPDX-License-Identifier: Apache-2.0
"""The tables of luts2017 beside ours, as Markdown: a part of the page that ``modeloom papers`` prints."""

from __future__ import annotations

from collections.abc import Callable

from modeloom_papers.markdown import Column, aligned, ours, printed
from modeloom_papers.speedup import STREAMS
from modeloom_papers.stored import Row

__all__ = ["COLUMNS", "INTRODUCTION", "SENTENCES", "section"]

INTRODUCTION = """\
## luts2017: many streams through one round

This part has the tables of M. Khairallah, A. Chattopadhyay, T. Peyrin: Looting the LUTs: FPGA Optimization of AES and AES-like Ciphers
for Authenticated Encryption, 2017. `modeloom papers luts2017` prints it, and `python bench/papers_luts2017.py --store` measures our
figures. `modeloom papers luts2017 --json` has the command of each row.

The slices and clocks of the paper are those after place and route. Our LUTs (with those of memories), LUT-FF pairs (counted as
[circuits](circuits.md) says), registers and LUTs on the longest path (levels) are those of the netlist that Yosys has mapped. Cycles are
those of a block of one stream: a round core with N streams takes N blocks in N times as many. Our throughputs are at the printed clock,
and Mbit/s per pair are these throughputs divided by our pairs. A slice of Virtex-5, Virtex-6 and Spartan-6 has four pairs, and one of
Spartan-3 has two.
"""

SENTENCES = {
    "luts2017-section-2.3": """\
A cipher with r rounds of N stages each takes r N cycles for N blocks if it has one round, and r N + B - 1 cycles for B blocks if all
rounds are unrolled. The paper's formula for the gain is G = r B ÷ (r N + B - 1). Both forms of AES-128 (r = 10) were simulated
(`bench/speedup.py`). *One round* is the circuit `aes-multistream`, from the first block to the last result. *Unrolled* is a core of GCM
with N registers in each round, from the first beat of a message at its pins to the last beat of its ciphertext. It therefore includes the
cycles of the buses and of the control, 15 for each message of four blocks or more. *Measured* is the quotient of both.

![Speed-up of the unrolled form against the blocks of a message](img/speedup.svg)
""",
    "luts2017-2": """\
Ours is the circuit `aes-multistream`. Its round keys come from outside, so the rows with key schedule *offline* are comparisons of the data
path. Eleven round keys take 88 LUTs as memory (`modeloom circuit aes-sequential`). The last rows show what streams cost. Four streams take
as many LUTs as two. They have 256 registers that no LUT drives, because the state is delayed by one cycle in parallel with the first sums
of MixColumns, and by another one where the last round omits MixColumns. By the packing rule, each of these registers takes a separate pair.
The unrolled cores of [15] are compared with the circuit `aes-pipeline`, with four registers per round and one key slot.
""",
    "luts2017-3": "Ours is the circuit `aes-multistream --direction decrypt`, again with round keys from outside.\n",
    "luts2017-4": """\
The columns for two and four streams are ours. The data paths are the circuit `deoxys-bc`, which has more than the data path: a memory of
16 words for the key's part of the subtweakeys (88 LUTs), and the tweak schedule, with a shift register for the subtweakeys of four
blocks. The row of the tweak schedule therefore has no circuit of its own. The key schedule is `deoxys-key-schedule`.
""",
    "luts2017-5": """\
Ours is a whole core with one key slot. With `--mul-arch lut6`, each S-box has 32 LUTs, as in the paper. The last row is the circuit
`deoxys-bc --direction both --streams 4`, the cipher of this core with both directions in one data path. The paper compares designs without
the hardware API.

The second table has the blocks of the core, which were mapped separately. Nothing is shared across block boundaries, so together they have
more LUTs than the whole core. A block has at least as many pairs as LUTs, and as many as registers.

The third table has what the paper's design (about 3800 pairs) has: the pipeline with its cipher, its keys and the sums of the mode, and the
key schedule. Buses and storage have no counterpart in the paper: checks of packets, queues of texts and statuses, comparison of tags, and
erasure of all that is secret.
""",
    "luts2017-6": """\
Ours is the same core with `--direction encrypt`. The figures of the paper are slices of four LUTs: 566 slices have 2264.

The paper takes associated data after the text, so that checksum and tag share a register. The last row is our core with this order
(`--order text-first`), and `docs/streams.md` has a table of what it saves. Its pipeline with the cipher and its key schedule, mapped
alone, have fewer LUTs than the slices of the paper. The core of the first row takes associated data first, as packets have it. In both
orders, the counters of associated data and text share a register and an adder.
""",
    "luts2017-7": """\
TARGET is `liberty:bench/pitches.lib`, our own cell library: the area of a cell is its width in gate pitches, and a NAND2 gate is the unit.
The cells of the paper are those of a foundry for 65 nm. Compare figures within a column only. Ours is the core of Table 5, mapped block by
block. Memories are flip-flops here.
""",
    "luts2017-8": """\
Ours are the circuits `led` and `led-multistream` on `xc3se`. They have 64 registers more than those of the paper, which hold the result.
""",
}

_NAME: Column = ("row", lambda row: row["row"])


def _as_printed(name: str) -> Callable[[Row], str]:
    """The printed figure with its own decimals, and with the correct one in brackets."""

    def cell(row: Row) -> str:
        right = row["corrected"].get(name)
        return str(row["printed"].get(name, "-")) + ("" if right is None else f" ({right})")

    return cell


_PRINTED: list[Column] = [("printed: slices", printed("slices")), ("MHz", printed("frequency"))]

_AREA: list[Column] = [
    ("ours: LUTs", ours("luts")), ("pairs", ours("pairs")), ("registers", ours("registers")), ("levels", ours("levels")),
    ("cycles", ours("cycles")),
]  # fmt: skip


def _area(unit: str, digits: int) -> list[Column]:
    return [
        _NAME, *_PRINTED, (unit, _as_printed("throughput")), ("Mbit/s per slice", printed("efficiency")),
        *_AREA, (unit, ours("throughput", digits)), ("Mbit/s per pair", ours("efficiency")),
    ]  # fmt: skip


def _registers(columns: list[Column]) -> list[Column]:
    return [*columns[:2], ("registers", printed("registers")), *columns[2:]]


def _speedup() -> list[Column]:
    columns: list[Column] = [("blocks", lambda row: row["row"])]
    for streams in STREAMS:
        columns += [
            (f"N = {streams}: one round", ours(f"round_cycles_{streams}")), ("unrolled", ours(f"unrolled_cycles_{streams}")),
            ("G", ours(f"formula_{streams}", 2)), ("measured", ours(f"measured_{streams}", 2)),
        ]  # fmt: skip
    return columns


COLUMNS: dict[str, list[Column]] = {
    "luts2017-section-2.3": _speedup(),
    "luts2017-2": _area("Gbit/s", 2),
    "luts2017-3": _area("Gbit/s", 2),
    "luts2017-4": [
        _NAME, ("printed: pairs", printed("pairs")), ("MHz, 2 streams", printed("frequency_2")), ("MHz, 4 streams", printed("frequency_4")),
        ("2 streams: LUTs", ours("two_luts")), ("pairs", ours("two_pairs")), ("levels", ours("two_levels")),
        ("4 streams: LUTs", ours("four_luts")), ("pairs", ours("four_pairs")), ("levels", ours("four_levels")),
    ],
    **{f"luts2017-{number}": _area("Mbit/s", 0) for number in (5, 6)},
    "luts2017-7": [
        _NAME,
        ("printed: kGE", printed("kilogates")), ("MHz", printed("frequency")), ("Mbit/s", _as_printed("throughput")),
        ("Mbit/s per kGE", printed("efficiency")),
        ("ours: kGE", ours("kilogates")), ("registers", ours("registers")), ("cycles", ours("cycles")),
        ("Mbit/s", ours("throughput", 0)), ("Mbit/s per kGE", ours("efficiency")),
    ],
    "luts2017-8": _registers(_area("Mbit/s", 0)),
}  # fmt: skip


_BLOCKS: dict[str, Callable[[Row], str]] = {
    "LUTs": lambda block: str(block["luts"]), "kGE": lambda block: f"{block['gates'] / 1000:.2f}",
    "registers": lambda block: str(block["registers"]), "pairs, at least": lambda block: str(max(block["luts"], block["registers"])),
}  # fmt: skip


def _by_block(row: Row) -> str:
    """The blocks of a core as a table of their own.  Blocks with nothing in them are left out."""
    blocks = {name: block for name, block in row["ours"]["blocks"].items() if any(block.values())}
    heads = ["kGE", "registers"] if any("gates" in block for block in blocks.values()) else ["LUTs", "registers", "pairs, at least"]
    cells = [[name, *(_BLOCKS[head](block) for head in heads)] for name, block in blocks.items()]
    return aligned([f"{row['row']}: block", *heads], cells, 1)


def _by_part(row: Row) -> str:
    """The parts of a core that were mapped alone."""
    cells = [[name, *(str(part[figure]) for figure in ("luts", "registers", "pairs"))] for name, part in row["ours"]["parts"].items()]
    return aligned([f"{row['row']}: part, mapped alone", "LUTs", "registers", "pairs"], cells, 1)


def section(table: Row) -> str:
    """The part of the page for a table."""
    columns = COLUMNS[table["name"]]
    kind = "" if table["table"].startswith("section") else "Table "
    text = f"## luts2017, {kind}{table['table']}: {table['title']}\n\n{SENTENCES[table['name']]}\n"
    text += aligned([head for head, _ in columns], [[cell(row) for _, cell in columns] for row in table["rows"]], 1)
    text += "".join(f"\n{_by_block(row)}" for row in table["rows"] if row["ours"].get("blocks"))
    text += "".join(f"\n{_by_part(row)}" for row in table["rows"] if row["ours"].get("parts"))
    lines = [f"- {note}.\n" for note in table["notes"]]
    lines += [f"- {row['row']}: {note}.\n" for row in table["rows"] for note in row["notes"]]
    return text + ("\n" + "".join(lines) if lines else "")
