# SPDX-License-Identifier: Apache-2.0
"""Banks in block memories: which ones, what they map to, and that no result depends on what a read gives while its word is written."""

from __future__ import annotations

import random
import re
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from tests import built

import modeloom_golden as golden
from modeloom.allocate.build import merge
from modeloom.product.folder import read_description
from modeloom.product.simulated import Sector, SimulatedCore
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.sim.build import verilog_to_rtlil
from modeloom.synth import synthesize
from modeloom_verilog.modules import component_rtlil, inner_verilog

LONG = {"sector": 1024, "storage": "bram", "restarts": 0, "prove": False}
SHORT = {"sector": 96, "storage": "bram", "cipher_stages": 1, "restarts": 50, "prove": False}

CORES = [
    pytest.param("eme2", {**SHORT, "sector": 64, "cipher_arch": "sequential"}, id="eme2-sequential"),
    pytest.param("eme2", SHORT, id="eme2", marks=built.slow),
    pytest.param("heh-brw", SHORT, id="heh-brw", marks=built.slow),
    pytest.param("hctr2", {**SHORT, "storage": "auto", "sector": 1040, "restarts": 0}, id="hctr2-auto", marks=built.slow),
    pytest.param("hctr2", {**SHORT, "storage": "auto", "sector": 512, "restarts": 0}, id="hctr2-auto-buffers", marks=built.slow),
    # The bank of a short sector is that of the long one.
    pytest.param("eme2", {**SHORT, "storage": "auto", "more_sectors": (1040,), "restarts": 0}, id="eme2-auto-sizes", marks=built.slow),
]

MEMORIES = re.compile(r"^module \w+(?:_bank_\w+|_ring_lane\d+) \(.*?^endmodule", re.MULTILINE | re.DOTALL)
"""Modules of banks and of the result buffer."""


def verilog(mode: str, **changes) -> Path:
    folder = built.folder(mode, **changes)
    return folder / read_description(folder).verilog


def styles(text: str) -> dict[str, tuple[int, str]]:
    """Words and style of the memories of banks and of the result buffer; "registers" if there is no memory."""
    found = {}
    for module in re.findall(r"^module \w+_(?:bank_|ring_(?=lane))(\w+) \((.*?)^endmodule", text, re.MULTILINE | re.DOTALL):
        memories = re.findall(r"(?:\(\*([^\n]*)\*\)\n)?  reg \[127:0\] \w+ \[(\d+):0\]", module[1])
        given = {(re.search(r'ram_style = "(\w+)"', attributes) or ("", ""))[1] for attributes, _ in memories} or {"registers"}
        found[module[0]] = sum(int(last) + 1 for _, last in memories), *given
    return found


def test_large_banks_are_block_memories():
    found = styles(verilog("xts", **LONG).read_text())
    assert found["in0"][0] > 64 and {name: style for name, (_, style) in found.items()} == {
        name: "block" if name == "in0" else "distributed" for name in found
    }


@built.slow
def test_banks_are_lut_memories_unless_told():
    found = styles(verilog("xts", **{**LONG, "storage": "lut"}).read_text())
    assert "in0" in found and {style for _, style in found.values()} == {"distributed"}


AUTO = {"storage": "auto", "restarts": 0, "prove": False, "cipher_stages": 1}


@pytest.mark.parametrize(("sector", "mode", "wanted"), [
    (16, "xts", {"in0": "distributed", "lane0": "distributed", "tweak": "registers"}),
    (64, "hctr2", {"in0": "", "lane0": "", "tweak": "registers", "cipher0": "distributed", "acc0": "registers"}),
    pytest.param(512, "hctr2", {"in0": "", "lane0": "", "tweak": "registers", "cipher0": "distributed"}, marks=built.slow),
    pytest.param(2048, "eme2", {"in0": "", "lane0": "", "cipher0": "block"}, marks=built.slow),
])  # fmt: skip
def test_the_tool_chooses_for_large_buffers(sector, mode, wanted):
    """With ``auto``, a few words are registers, buffers are left to the tool, and banks of results of long sectors are block memories."""
    found = styles(verilog(mode, sector=sector, **AUTO).read_text())
    assert {name: found[name][1] for name in wanted} == wanted
    assert all(words <= 3 for words, style in found.values() if style == "registers")


def test_cells_of_all_sizes_rest_alike():
    """A short sector beside a long one uses its banks, which are block memories."""
    options = {"mode": "eme2", "sector": 64, "restarts": 0, "prove": False, "storage": "auto"}
    assert built.compiled(**options).core_program.rest == 0
    both = built.compiled(**options, more_sectors=(1040,))
    assert [one.allocation.program.rest for one in both.sizes] == [1, 1] and both.core_program.rest == 1
    programs = [replace(one.allocation.program, rest=rest) for rest, one in enumerate(both.sizes)]
    with pytest.raises(ValueError, match="programs for one core differ in rest"):
        merge(programs)


def test_a_bank_is_nothing_but_block_memories(tmp_path):
    """No logic behind the read ports of four copies with 36 bits of each word."""
    path = tmp_path / "bank.v"
    path.write_text(inner_verilog(component_rtlil(BlockMemory(128, 400, 4, style="block", erase_bits=9), "bank"), "bank"))
    cells = synthesize(verilog_to_rtlil(path, "bank"), "bank", "ecp5").total.cells
    assert cells["DP16KD"] == 16 and cells["LUT4"] < 40 and not cells.get("TRELLIS_DPR16X4")


def colliding(module: re.Match[str], late: bool, chosen: bool) -> str:
    """Memories of which a read of the word that is written (``late``: that was written a cycle before) gives ones.

    Registers stay, and with ``chosen`` all memories that are not left to the choice of the tool.
    """
    text = module[0]
    if not re.search(r"reg \[127:0\] \w+ \[\d+:0\];", text) or chosen and "ram_style" in text:
        return text
    writes = re.findall(r"if \((\w+)\)\s+(\w+)\[(.*)\] <= ", text)
    assert writes
    for enable, name, address in writes:
        if late:
            watch = f"  always @(posedge clk) begin {name}_we <= {enable}; {name}_at <= {address}; end"
            text = text.replace("\nendmodule", f"\n{watch}\nendmodule")
            text = text.replace("\n);\n", f"\n);\n  reg {name}_we = 1'h0; reg [15:0] {name}_at = 16'h0;\n", 1)
            enable, address = f"{name}_we", f"{name}_at"
        text, count = re.subn(
            rf"(\w+) <= {name}\[(.*)\];", rf"\1 <= {enable} & ({address} == \2) ? {{128{{1'b1}}}} : {name}[\2];", text
        )
        assert count
    return text


@pytest.mark.parametrize(("mode", "changes"), CORES)
def test_what_a_read_gives_while_its_word_is_written_is_not_used(mode, changes, tmp_path):
    """The second edit, of a word that was written a cycle before, shows that such reads do come to the results."""
    source = verilog(mode, **changes)
    rng = random.Random(mode)
    design = built.compiled(mode, **changes)
    key = rng.randbytes(design.mode.key_bytes(16))
    sectors = [Sector(rng.randbytes(design.source.tweak_bytes), rng.randbytes(changes["sector"]), rng.random() < 0.5) for _ in range(12)]
    reference = golden.mode(mode, key)
    expected = [(reference.decrypt if each.decrypt else reference.encrypt)(each.tweak, each.data) for each in sectors]
    outcome = {}
    chosen = not design.core_program.rest
    for name, late in (("same cycle", False), ("next cycle", True)):
        folder = Path(shutil.copytree(source.parent, tmp_path / name))
        text = MEMORIES.sub(partial(colliding, late=late, chosen=chosen), source.read_text())
        (folder / source.name).write_text(text)
        core = SimulatedCore(folder, optimize=0)
        core.load_key(key)
        outcome[name] = core.run(sectors) == expected
    assert outcome == {"same cycle": True, "next cycle": False}
