# SPDX-License-Identifier: Apache-2.0
"""The datasheet as Markdown: every table and paragraph stands apart, and its tables say what the core is."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.emit.emitted import COMMAND, SIZES, SMALLEST, core, made

from modeloom.cores.sector import CORE_PORTS, erase_cycles
from modeloom.cores.sector.describe import latency_pins
from modeloom.emit.datasheet import datasheet
from modeloom.emit.package import to_json

CHOICES = {"sizes": SIZES, "smallest": SMALLEST}


def text(name: str) -> str:
    disk = made(CHOICES[name])
    return datasheet(disk, disk.describe("disk", COMMAND))


def kind(line: str) -> str:
    """What a line of Markdown is a part of."""
    starts = {"#": "head", "|": "table", "- ": "list", "```": "fence"}
    return next((name for start, name in starts.items() if line.startswith(start)), "text" if line else "")


def tables(name: str) -> list[list[list[str]]]:
    """Tables with their rows, the head first."""
    result: list[list[list[str]]] = []
    before = ""
    for line in text(name).splitlines():
        if kind(line) == "table":
            if before != "table":
                result.append([])
            result[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        before = kind(line)
    return [[table[0], *table[2:]] for table in result]


@pytest.mark.parametrize("name", CHOICES)
def test_blocks_stand_apart(name: str) -> None:
    """A blank line before and behind each head, paragraph, list and table: without it Markdown takes a table for text."""
    assert text(name).startswith("# ") and text(name).endswith("\n")
    lines = text(name).splitlines()
    for above, below in zip(lines, lines[1:], strict=False):
        joined = kind(above) == kind(below) and kind(above) in ("table", "list")
        assert joined or not above or not below, f"{above}\n{below}"
    for table in tables(name):
        assert len(table) > 1 and len({len(row) for row in table}) == 1


def test_what_the_tables_say() -> None:
    compiled = core(SIZES)
    by_head = {tuple(table[0]): table[1:] for table in tables("sizes")}
    ports = by_head["port", "direction", "bits", "group"]
    assert [row[0].strip("`") for row in ports] == ["aclk", "aresetn", *(port.name for port in CORE_PORTS)]
    assert by_head["sector, bytes", "beats", "bytes of the last beat"] == [["64", "4", "16"], ["32", "2", "16"], ["40", "3", "8"]]
    assert by_head["bytes", "part"] == [["0 to 15", "AES key K1"], ["16 to 31", "AES key K2"]]
    command = dict(by_head["bytes", "field"])
    assert command["35"] == "sector size: 0 for 64 bytes, 1 for 32 bytes, 2 for 40 bytes" and command["34"] == "key slot, 0 to 2"
    assert command["0 to 31"] == "tweak; this core reads bytes 0 to 15"
    assert "A sector is one packet with 1 block in each beat. Byte i of beat b is byte 16b + i of the sector." in text("sizes")
    assert [row[0] for row in by_head["code", "name", "meaning"]] == ["0", "1", "2", "3", "4", "5", "6"]
    assert f"takes {erase_cycles(compiled)} cycles, in which `zeroizing` is high" in text("sizes")
    for size in compiled.sizes:
        assert f"Sectors of {size.source.nbytes} bytes:\n" in text("sizes")
    assert "Sectors of 32 bytes:" not in text("smallest")


def test_json_is_written_as_all_files_have_it() -> None:
    assert to_json({"a": [1, "ä"]}) == '{\n  "a": [\n    1,\n    "ä"\n  ]\n}\n'


@pytest.mark.parametrize("name", CHOICES)
def test_latency_over_the_pins_is_the_sum_of_its_parts(name: str) -> None:
    found = re.search(
        r"at the pins is (\d+) cycles longer .* (\d+) cycles from the last input beat to the entry of the sector, (\d+) to the first "
        r"cycle of the program, (\d+) from its last cycle to the first output beat, and (\d+) for the other beats", text(name),
    )  # fmt: skip
    overhead, *parts = map(int, found.groups())
    compiled = core(CHOICES[name])
    assert overhead == sum(parts) == latency_pins(compiled) - compiled.schedule.latency
    assert parts[-1] == 2 * (compiled.source.nbytes // 16 - 1)


@pytest.mark.parametrize(
    ("tweak", "said"),
    [
        (0, "tweak; this core ignores it"),
        (16, "tweak; this core reads bytes 0 to 15"),
        (20, "tweak; this core reads bytes 0 to 31, where zeros follow the 20 bytes of the tweak"),
        (32, "tweak; this core reads bytes 0 to 31"),
    ],
)
def test_what_is_read_of_a_tweak(tweak: int, said: str) -> None:
    disk = made(SMALLEST)
    description = replace(disk.describe("disk", COMMAND), tweak_bytes=tweak)
    assert f"| 0 to 31 | {said} |\n" in datasheet(disk, description)


@pytest.mark.parametrize("proved", [True, False])
def test_what_is_said_of_the_proof(proved: bool) -> None:
    disk = made(SMALLEST)
    description = disk.describe("disk", COMMAND)
    said = datasheet(disk, replace(description, explain=replace(description.explain, proved=proved)))
    assert ("proved that the program computes the definition" in said) == proved
    assert ("- **The program was not proved**" in said) != proved
