# SPDX-License-Identifier: Apache-2.0
"""Our figures for the rows of luts2017, Tables 2 to 8.  Figures that have not been measured are None.

A row of the paper is compared with a circuit or a core of ours, which has the name of its command::

    {"2": {"Virtex 6, ours, 4 streams, key schedule none": {"": "circuit aes-multistream --streams 4 --target xc6v"}}}

``bench/papers_luts2017.py --store --missing`` measures every command of ``SUBJECTS`` and ``MORE`` that is not stored.  To compare another
row, add its command to ``SUBJECTS``, and run the bench.
"""

from __future__ import annotations

from typing import NamedTuple

from modeloom_papers import speedup
from modeloom_papers.stored import Row, measured, printed, value
from modeloom_papers.thesis import CELLS

__all__ = ["FIGURES", "MORE", "PAPER", "SUBJECTS", "More", "ours", "rows", "subjects"]

PAPER = "luts2017"

Subjects = dict[str, str]
"""Commands of ours for a row.  If there are several, the name of each is the prefix of its figures."""


class More(NamedTuple):
    """A row of ours that is not in the paper."""

    row: str
    mode: str
    core: str
    device: str
    command: str


FIGURES = ("luts", "pairs", "registers", "levels", "block_rams", "gates", "cycles", "blocks", "parts")
"""What is stored of a command: LUTs with those of memories, LUT-FF pairs, flip-flops, LUTs on the longest path, block memories; or gates;
the cycles of a block (of a stream); and of a core LUTs or gates, and flip-flops, for each of its blocks, and for parts that were mapped
alone, with their pairs."""


def _aes(streams: int, target: str, direction: str = "encrypt") -> str:
    return f"circuit aes-multistream --direction {direction} --streams {streams} --target {target}"


def _deoxys(streams: int, direction: str = "encrypt") -> str:
    return f"circuit deoxys-bc --direction {direction} --streams {streams} --target xc6v"


def _led(key_bits: int, streams: int) -> str:
    names = {1: "led", 2: "led-multistream --streams 2", 3: "led-multistream --streams 3"}
    return f"circuit {names[streams]} --key-bits {key_bits} --target xc3se"


DEOXYS_I = "build deoxys-i --cipher-arch multistream --streams 4 --key-slots 1"
"""The core of Tables 5 to 7: like that of the paper, it holds one key."""

IN_LUTS = f"{DEOXYS_I} --mul-arch lut6"
"""The same with S-boxes of 32 LUTs, as on the FPGAs of the paper."""

ENCRYPTION = f"{IN_LUTS} --direction encrypt"
"""The same for encryption alone."""


SUBJECTS: dict[str, dict[str, Subjects]] = {
    "2": {
        "Virtex 5, ours, 2 streams, key schedule offline": {"": _aes(2, "xc5v")},
        "Virtex 5, ours, 4 streams, key schedule offline": {"": _aes(4, "xc5v")},
        "Virtex 5, [15], unrolled, key schedule offline": {"": "circuit aes-pipeline --stages 4 --target xc5v"},
        "Virtex 6, ours, 4 streams, key schedule offline": {"": _aes(4, "xc6v")},
        "Virtex 6, ours, 4 streams, key schedule none": {"": _aes(4, "xc6v")},
        "Virtex 6, [15], unrolled, key schedule offline": {"": "circuit aes-pipeline --stages 4 --target xc6v"},
    },
    "3": {
        "Virtex 5, ours, 4 streams, key schedule none": {"": _aes(4, "xc5v", "decrypt")},
        "Virtex 5, ours, 4 streams, key schedule offline": {"": _aes(4, "xc5v", "decrypt")},
    },
    "4": {
        "Enc. data path": {"two": _deoxys(2), "four": _deoxys(4)},
        "Dec. data path": {"four": _deoxys(4, "decrypt")},
        "Key Schedule": dict.fromkeys(("two", "four"), "circuit deoxys-key-schedule --target xc6v"),
    },
    "5": {"Virtex 6, ours": {"": f"{IN_LUTS} --target xc6v"}},
    "6": {"Ours": {"": f"{ENCRYPTION} --target xc6v"}},
    "7": {"Ours": {"": f"{DEOXYS_I} --target {CELLS}"}},
    "8": {
        "[18], 1 stream": {"": _led(64, 1)},
        "Ours, 3 streams": {"": _led(64, 3)},
    },
}
"""Our commands by table and row.  Table 4 has the prefixes "two" and "four" for its numbers of streams."""

MORE: dict[str, list[More]] = {
    "2": [
        More("Virtex 6, 1 stream", "AES-128", "1 stream", "Virtex 6", _aes(1, "xc6v")),
        More("Virtex 6, 2 streams", "AES-128", "2 streams", "Virtex 6", _aes(2, "xc6v")),
    ],
    "5": [More("Virtex 6, cipher alone", "Deoxys-BC-256", "both directions", "Virtex 6", _deoxys(4, "both"))],
    "6": [More("Text first", "Deoxys-I-128", "text first", "Virtex 6", f"{ENCRYPTION} --order text-first --target xc6v")],
    "8": [
        More("LED-64, 2 streams", "LED-64", "2 streams", "Spartan 3", _led(64, 2)),
        More("LED-128, 1 stream", "LED-128", "1 stream", "Spartan 3", _led(128, 1)),
        More("LED-128, 3 streams", "LED-128", "3 streams", "Spartan 3", _led(128, 3)),
    ],
}

BLOCK_BITS = {"8": 64}
"""Bits of a block in a table, if they are not 128."""

SPEEDUP = "section 2.3"
"""The formula of the speed-up, which has a table of our own."""

GIGABIT = ("2", "3")
"""Tables with throughputs in Gbit/s, and not in Mbit/s."""


def subjects() -> list[str]:
    """Every command that is compared, once, in the order of the tables."""
    found: list[str] = []
    for table in printed(PAPER):
        number = table["table"]
        for row in table["rows"]:
            found += SUBJECTS.get(number, {}).get(row["row"], {}).values()
        found += [more.command for more in MORE.get(number, [])]
    return list(dict.fromkeys(found))


def ours(table: str, row: Row, commands: Subjects) -> Row:
    """The figures of our commands for a row, with throughput and efficiency at the printed clock."""
    figures: Row = {}
    for name, command in (commands or {"": ""}).items():
        found = measured("rounds").get(command, {})
        prefix = f"{name}_" if name else ""
        figures |= {prefix + key: found.get(key) for key in FIGURES}
        clock = value(row, f"frequency_{({'two': 2, 'four': 4}[name])}" if name else "frequency")
        rate = clock * BLOCK_BITS.get(table, 128) / found["cycles"] if clock and found.get("cycles") else None
        size = found.get("pairs") or (found["gates"] / 1000 if found.get("gates") else None)
        figures[f"{prefix}throughput"] = None if rate is None else round(rate / 1000, 2) if table in GIGABIT else round(rate)
        figures[f"{prefix}efficiency"] = round(rate / size, 2) if rate and size else None
        if found.get("gates"):
            figures[f"{prefix}kilogates"] = round(found["gates"] / 1000, 2)
    return figures


def rows(table: Row) -> list[Row]:
    """The rows of a table, those of the paper first."""
    number = table["table"]
    if number == SPEEDUP:
        return speedup.rows()
    found = [_shown(row, number, SUBJECTS.get(number, {}).get(row["row"], {})) for row in table["rows"]]
    for more in MORE.get(number, []):
        row = {"row": more.row, "mode": more.mode, "core": more.core, "device": more.device, "values": {}}
        found.append(_shown(row, number, {"": more.command}))
    return found


def _shown(row: Row, table: str, commands: Subjects) -> Row:
    named = {name or "ours": command for name, command in commands.items()}
    target = next((command.rpartition(" --target ")[2] for command in commands.values()), None)
    return {
        "row": row["row"], "mode": row["mode"], "core": row.get("core"), "device": row.get("device"), "printed": row["values"],
        "corrected": row.get("corrected", {}), "notes": row.get("notes", []), "commands": named,
        "target": target, "ours": ours(table, row, commands),
    }  # fmt: skip
