# SPDX-License-Identifier: Apache-2.0
"""``--ram ultra``: which memories ask for UltraRAM, that Yosys maps them to it, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from amaranth.hdl import ClockDomain, ClockSignal, Module
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from modeloom.cli import main
from modeloom.measure.area import measure_core
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.sim.build import verilog_to_rtlil
from modeloom.spec import InputError
from modeloom.synth import synthesize
from modeloom_verilog.memories import LEAST_BITS, MemoryDescription
from modeloom_verilog.modules import component_rtlil, inner_verilog


def emitted(component) -> tuple[str, list[MemoryDescription]]:
    """The Verilog of a component with UltraRAM, and its memories."""
    found: list[MemoryDescription] = []
    return inner_verilog(component_rtlil(component, "store"), "store", memories=found, ram="ultra"), found


class Clocked(wiring.Component):
    """A memory with its clock as a port."""

    def __init__(self, **changes):
        self.memory = BlockMemory(**{"width": 144, "depth": 512, "ports": 1, "style": "block", "erase_bits": 9, **changes})
        super().__init__({"aclk": In(1), **dict(self.memory.signature.members)})

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain("sync", reset_less=True)
        m.submodules.memory = self.memory
        m.d.comb += ClockSignal().eq(self.aclk)
        wiring.connect(m, wiring.flipped(BlockPorts(self)), BlockPorts(self.memory))
        return m


class BlockPorts:
    """The ports of a memory alone."""

    def __init__(self, of):
        self.signature = (of.memory if isinstance(of, Clocked) else of).signature
        for name in self.signature.members:
            setattr(self, name, getattr(of, name))


def test_a_large_block_memory_asks_for_it():
    text, (found,) = emitted(Clocked())
    assert found.style == "ultra" and found.name == "memory_words"
    assert re.search(r'\(\* ram_style = "ultra", no_rw_check = 1.*\n *reg \[143:0\] memory_words \[511:0\];', text)


def test_without_the_option_it_is_a_block_memory():
    text = inner_verilog(component_rtlil(Clocked(), "store"), "store")
    assert 'ram_style = "block"' in text and "ultra" not in text


@pytest.mark.parametrize(
    "changes",
    [
        {"ports": 2}, {"style": "distributed"}, {"style": ""}, {"depth": LEAST_BITS // 144 - 1},
        {"style": "distributed", "clears": True},
    ],
)  # fmt: skip
def test_others_stay(changes):
    """Two ports that read, memories of LUTs, which may show the old word, and small ones."""
    text, found = emitted(Clocked(**changes))
    assert found and "ultra" not in text and all(one.style != "ultra" for one in found)


class Parts(wiring.Component):
    """Memories that UltraRAM cannot hold: initial contents, enables for bytes, a second clock, and no statement on collisions."""

    def __init__(self, init=(), granularity=None, clocks=1, checked=False):
        self.init, self.granularity, self.clocks, self.checked = list(init), granularity, clocks, checked
        super().__init__({
            "aclk": In(1), "bclk": In(1), "we": In(144 // (granularity or 144)), "waddr": In(9), "wdata": In(144), "raddr": In(9),
            "rdata": Out(144),
        })  # fmt: skip

    def elaborate(self, platform):
        m = Module()
        m.domains.sync, m.domains.other = ClockDomain("sync", reset_less=True), ClockDomain("other", reset_less=True)
        attributes = {"ram_style": "block"} | ({} if self.checked else {"no_rw_check": 1})
        m.submodules.mem = mem = memory.Memory(shape=144, depth=512, init=self.init, attrs=attributes)
        write, read = mem.write_port(granularity=self.granularity), mem.read_port(domain="sync" if self.clocks == 1 else "other")
        m.d.comb += [
            ClockSignal().eq(self.aclk), ClockSignal("other").eq(self.bclk), write.en.eq(self.we), write.addr.eq(self.waddr),
            write.data.eq(self.wdata), read.en.eq(1), read.addr.eq(self.raddr), self.rdata.eq(read.data),
        ]  # fmt: skip
        return m


def test_what_ultraram_cannot_do():
    assert emitted(Parts())[1][0].style == "ultra"
    for cannot in ({"init": [1]}, {"granularity": 16}, {"clocks": 2}, {"checked": True}):
        assert emitted(Parts(**cannot))[1][0].style == "block", cannot


def test_yosys_maps_it_to_ultraram(tmp_path: Path):
    path = tmp_path / "store.v"
    path.write_text(emitted(Clocked())[0])
    cells = synthesize(verilog_to_rtlil(path, "store"), "store", "xcup").cells
    assert cells["URAM288"] == 2 and not any(name.startswith("RAMB") for name in cells)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ram", "huge"], "--ram is ultra, not huge"),
        (["--ram", "ultra"], "--ram ultra: this core has no block memory of 32 Kbit or more"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(tmp_path, capsys, arguments, message):
    command = ["build", "heh-brw", "--sector", "32", "--direction", "encrypt", "--cipher-arch", "sequential", *arguments]
    with pytest.raises(SystemExit) as stop:
        main([*command, "-o", str(tmp_path / "core")])
    told = capsys.readouterr().err
    assert stop.value.code == 2 and message in told and told.count("\n") == 1 and not (tmp_path / "core").exists()


def test_other_devices_have_none(monkeypatch):
    from modeloom.measure import area as core

    class Built:
        ram = "ultra"

    monkeypatch.setattr(core, "_description", lambda *_: Built())
    with pytest.raises(InputError, match="--ram ultra, which ecp5 does not have; use --target xcup"):
        measure_core("core", "ecp5")
