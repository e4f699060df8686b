# SPDX-License-Identifier: Apache-2.0
"""A core that is no mode and no engine, from a maker of the tests' own: it adds a key of 16 bytes to every beat of data.

::

    s_axis_key ──▶ key ──┐
    s_axis     ──────────⊕──▶ register ──▶ m_axis        a beat every two cycles

All that ``emit``, the simulation, the check for timing channels and the synthesis know of it they know from the contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from amaranth.hdl import Cat, ClockDomain, ClockSignal, Module, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.interfaces import Interface
from modeloom.interfaces.shared import CONTROL, DATA_IN, DATA_OUT, KEY_FLAGS, KEYS
from modeloom.product.core import Core, Sheet
from modeloom.product.description import Description, KeyPart, Rate, file_names, versions
from modeloom.version import VERSION

__all__ = ["PadCore", "PadDescription"]

INTERVAL = 2
"""Cycles from one beat to the next."""

PAD_CORE = (CONTROL, DATA_IN, DATA_OUT, KEYS, KEY_FLAGS)


@dataclass(frozen=True, kw_only=True)
class PadDescription(Description):
    """What ``core.json`` says of a pad."""

    SCHEMA: ClassVar[str] = "modeloom-tests-pad-1"

    interval: Annotated[int, "Cycles from one beat to the next."]

    @property
    def summary(self) -> str:
        return self.title

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"mode": self.mode, "beat_bytes": 16, "key_slots": self.key_slots, "command": self.command}

    @property
    def rates(self) -> tuple[Rate, ...]:
        return (Rate("beat", 16, self.interval),)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        return PAD_CORE

    @property
    def result_bytes(self) -> int:
        return 16

    @property
    def bench_figures(self) -> Mapping[str, int]:
        return {"interval": self.interval}

    def area_groups(self, paths: tuple[str, ...]) -> dict[str, list[str]]:
        return {"adder": [path for path in paths if path == "core.adder"], "pad": ["core"]}


@dataclass(frozen=True)
class Shape:
    """One key slot, 16 bytes a beat."""

    beat_bytes: int = 16
    key_slots: int = 1


class Adder(wiring.Component):
    """XOR of two blocks."""

    def __init__(self) -> None:
        super().__init__({"a": In(128), "b": In(128), "o": Out(128)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.o.eq(self.a ^ self.b)
        return m


class Pad(wiring.Component):
    """The hardware; ``leak`` lets a bit of the key decide whether beats are taken."""

    def __init__(self, ports: Any, leak: bool):
        self.leak = leak
        super().__init__({port.name: (Out if port.output else In)(port.width) for port in ports})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.domains.sync = ClockDomain("sync")
        m.submodules.adder = adder = Adder()
        key_reg, loaded_reg, error_reg, hold_reg = Signal(128), Signal(), Signal(), Signal(init=1)
        valid_reg, data_reg, keep_reg, last_reg = Signal(), Signal(128), Signal(16), Signal()
        whole = self.s_axis_key_tkeep.all() & self.s_axis_key_tlast & (self.s_axis_key_tdest == 0)
        bytes_kept = Cat(self.s_axis_tdata.word_select(n, 8) & self.s_axis_tkeep[n].replicate(8) for n in range(16))
        pad = Cat(key_reg.word_select(n, 8) & self.s_axis_tkeep[n].replicate(8) for n in range(16))
        ready = loaded_reg & ~valid_reg
        m.d.comb += [
            ClockSignal().eq(self.aclk), ResetSignal().eq(self.zeroize | ~self.aresetn), self.zeroizing.eq(hold_reg),
            self.s_axis_key_tready.eq(~hold_reg), self.key_loaded.eq(loaded_reg), self.key_error.eq(error_reg),
            self.s_axis_tready.eq(ready & ~key_reg[7] if self.leak else ready),
            adder.a.eq(bytes_kept), adder.b.eq(pad),
            self.m_axis_tvalid.eq(valid_reg), self.m_axis_tdata.eq(data_reg), self.m_axis_tkeep.eq(keep_reg),
            self.m_axis_tlast.eq(last_reg),
        ]  # fmt: skip
        m.d.sync += hold_reg.eq(0)
        with m.If(self.s_axis_key_tvalid & self.s_axis_key_tready):
            good = whole & ~self.s_axis_key_tuser
            m.d.sync += [
                loaded_reg.eq(good), error_reg.eq(~good & ~self.s_axis_key_tuser), key_reg.eq(self.s_axis_key_tdata & good.replicate(128)),
            ]  # fmt: skip
        with m.If(self.s_axis_tvalid & self.s_axis_tready):
            m.d.sync += [valid_reg.eq(1), data_reg.eq(adder.o), keep_reg.eq(self.s_axis_tkeep), last_reg.eq(self.s_axis_tlast)]
        with m.If(valid_reg & self.m_axis_tready):
            m.d.sync += [valid_reg.eq(0), data_reg.eq(0), keep_reg.eq(0), last_reg.eq(0)]
        return m


class PadCore(Core[PadDescription]):
    """The pad as a core."""

    def __init__(self, leak: bool = False):
        self.leak = leak

    def component(self) -> wiring.Component:
        return Pad(self.ports, self.leak)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        return PAD_CORE

    @property
    def shape(self) -> Shape:
        return Shape()

    @property
    def words(self) -> tuple[str, ...]:
        return ("Pad", "16 bytes")

    @property
    def headline(self) -> str:
        return "A key added to every beat"

    @property
    def figures(self) -> str:
        return f"A beat every {INTERVAL} cycles."

    def describe(self, name: str, command: str) -> PadDescription:
        files = file_names(name, listing=False)
        return PadDescription(
            schema=PadDescription.SCHEMA, version=VERSION, versions=versions(), command=command, name=name, top=name,
            verilog=files.verilog, files=files, mode="pad", definition="pad", title="Pad", source="tests/product/pad.py",
            security="every beat has the same pad", broken=True, definition_sha256="0" * 64, options={}, cipher="", key_bytes=16,
            key_parts=("pad",), refused_keys="", key_layout=(KeyPart(name="pad", offset=0, bytes=16),), key_slots=1, erase_cycles=1,
            key_erase_cycles=1, ports=tuple(port.described for port in self.ports), interval=INTERVAL,
        )  # fmt: skip

    def sheet(self, description: PadDescription) -> Sheet:
        return Sheet(summary=f"A beat every {description.interval} cycles.", bench="It checks four beats and the distance between them.")

    def bench(self, name: str) -> str:
        return BENCH.replace("@NAME@", name)


BENCH = """\
`timescale 1ns / 1ns
module @NAME@_tb;
  reg clock = 0, resetn = 0, key_valid = 0, valid = 0;
  reg [127:0] data = 128'h0;
  wire [127:0] out;
  wire ready, out_valid, loaded;
  integer beats = 0, errors = 0, last = 0, cycle = 0, interval = 0;
  localparam [127:0] KEY = 128'h000102030405060708090a0b0c0d0e0f;

  @NAME@ dut (
    .aclk(clock), .aresetn(resetn), .zeroize(1'b0), .zeroizing(), .s_axis_tvalid(valid), .s_axis_tready(ready), .s_axis_tdata(data),
    .s_axis_tkeep(16'hffff), .s_axis_tlast(1'b1), .m_axis_tvalid(out_valid), .m_axis_tready(1'b1), .m_axis_tdata(out), .m_axis_tkeep(),
    .m_axis_tlast(), .s_axis_key_tvalid(key_valid), .s_axis_key_tready(), .s_axis_key_tdata(KEY), .s_axis_key_tkeep(16'hffff),
    .s_axis_key_tlast(1'b1), .s_axis_key_tdest(8'd0), .s_axis_key_tuser(1'b0), .key_loaded(loaded), .key_busy(), .key_error()
  );

  always #5 clock = !clock;

  always @(posedge clock) begin
    cycle <= cycle + 1;
    resetn <= cycle > 2;
    key_valid <= cycle == 6;
    valid <= loaded;
    if (valid && ready) data <= data + 128'h1;
    if (out_valid) begin
      if (out !== (beats ^ KEY)) errors <= errors + 1;
      interval <= cycle - last;
      last <= cycle;
      beats <= beats + 1;
    end
    if (beats == 4) begin
      if (errors) $display("modeloom-bench: FAIL: %0d beats are wrong", errors);
      else $display("modeloom-bench: @NAME@ ok beats=%0d interval=%0d", beats, interval);
      $finish;
    end
  end
endmodule
"""
