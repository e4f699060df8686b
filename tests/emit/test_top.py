# SPDX-License-Identifier: Apache-2.0
"""The head of the Verilog file and its top module: short comment lines that lose no word, ports in a fixed order."""

from __future__ import annotations

import re

from tests.emit.emitted import COMMAND, SIZES, SMALLEST, made

from modeloom.cores.sector import CORE_PORTS
from modeloom.emit.files import header, top_module

WIDEST = 119
"""Characters of a comment's line."""


def test_comments_are_wrapped() -> None:
    """At any length of a line, so that some word would just not fit."""
    for extra in range(1, 9):
        command = " ".join(["y" * extra, *["x" * 7] * 30])
        text = header(made(SMALLEST), made(SMALLEST).describe("disk", command))
        lines = text.splitlines()
        assert all(line.startswith("//") and len(line) <= WIDEST and line == line.rstrip() for line in lines)
        assert command in " ".join(line.removeprefix("//").strip() for line in lines)
        assert max(map(len, lines)) > WIDEST - 8, "lines are filled"


def test_head_says_what_the_core_is() -> None:
    text = " ".join(line.removeprefix("//").strip() for line in header(made(SIZES), made(SIZES).describe("disk", COMMAND)).splitlines())
    for fact in ("disk: ", "sectors of 64 or 32 or 40 bytes", "AES-128", "encrypt and decrypt", COMMAND, "key slots: 3"):
        assert fact in text
    assert text.startswith("SPDX-License-Identifier: Apache-2.0") and text.endswith("program NOT PROVED.")


def test_ports_in_order_each_group_with_its_comment() -> None:
    text = top_module(made(SIZES), "disk")
    names = re.findall(r"^    (?:input |output) wire +(?:\[\d+:0\] )?(\w+),?$", text, re.M)
    assert names == ["aclk", "aresetn", *(port.name for port in CORE_PORTS)]
    outputs = re.findall(r"^    output wire +(?:\[\d+:0\] )?(\w+),?$", text, re.M)
    assert outputs == [port.name for port in CORE_PORTS if port.output]
    assert re.findall(r"^    \.(\w+)\((\w+)\),?$", text, re.M) == [(name, name) for name in names]
    widths = {name: width for width, name in re.findall(r"wire +(?:\[(\d+):0\] )?(\w+),?$", text, re.M)}
    assert (widths["key_loaded"], widths["s_axis_tdata"], widths["s_axis_tkeep"], widths["zeroize"]) == ("2", "127", "15", "")
    head = text[: text.index(");\n")]
    assert head.count("    // ") >= 7 and not head.rstrip().endswith(",")
    assert all(len(line) <= WIDEST for line in text.splitlines() if line.strip().startswith("//"))
