# SPDX-License-Identifier: Apache-2.0
"""The ports of the top of a core: clock and reset, then the ports of its interfaces in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modeloom.interfaces import Interface, Side, Unit
from modeloom.interfaces.table import CoreShape
from modeloom.product.description import Port

__all__ = ["CLOCK", "CPLUSPLUS", "INTERFACE_NAMES", "KEYWORDS", "TopPort", "top_ports"]

# Words that Verilog and SystemVerilog keep for themselves, so that nothing may have such a name.

INTERFACE_NAMES = AXI_STREAM, AXI_LITE, APB = ("modeloom_axi_stream", "modeloom_axi_lite", "modeloom_apb")
"""The SystemVerilog interfaces beside each core.  Interfaces and modules share their names."""

CPLUSPLUS = frozenset(
    "alignas alignof and_eq asm auto bitand bitor bool catch char compl concept constexpr const_cast decltype delete double "
    "dynamic_cast explicit false float friend goto inline long mutable namespace noexcept not_eq nullptr operator or_eq private "
    "public register reinterpret_cast requires short sizeof static_assert static_cast template thread_local throw true try "
    "typeid typename volatile wchar_t xor_eq".split()
)
"""Words of C++ that Verilog does not keep for itself.  Verilator makes C++ of the Verilog, and warns of them."""

KEYWORDS = frozenset(
    "accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind bins binsof "
    "bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const constraint context "
    "continue cover covergroup coverpoint cross deassign default defparam design disable dist do edge else end endcase "
    "endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive "
    "endprogram endproperty endspecify endsequence endtable endtask enum event eventually expect export extends extern final "
    "first_match for force foreach forever fork forkjoin function generate genvar global highz0 highz1 if iff ifnone "
    "ignore_bins illegal_bins implements implies import incdir include initial inout input inside instance int integer "
    "interconnect interface intersect join join_any join_none large let liblist library local localparam logic longint "
    "macromodule matches medium modport module nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 "
    "null or output package packed parameter pmos posedge primitive priority program property protected pull0 pull1 pulldown "
    "pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg "
    "reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until "
    "s_until_with scalared sequence shortint shortreal showcancelled signed small soft solve specify specparam static string "
    "strong strong0 strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout time "
    "timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union unique unique0 unsigned "
    "until until_with untyped use uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard wire "
    "with within wor xnor xor".split()
)
"""Reserved words of IEEE 1364-2005 and 1800-2017."""


# -- ports -------------------------------------------------------------------------------------------------------------------------

CLOCK = "clock"
"""The group of clock and reset."""


@dataclass(frozen=True)
class TopPort:
    """A port of the top.  ``stream`` is its group, "clock" for clock and reset.  A ``vector`` has a range even if it has one bit."""

    name: str
    output: bool
    width: int
    stream: str
    vector: bool = False

    @property
    def declaration(self) -> str:
        """Its Verilog declaration without a comma."""
        width = f"[{self.width - 1}:0]" if self.width > 1 or self.vector else ""
        return f"{'output' if self.output else 'input '} wire {width:>8} {self.name}"

    @property
    def described(self) -> Port:
        """The port for ``core.json``."""
        return Port(name=self.name, direction="output" if self.output else "input", width=self.width, stream=self.stream)


def top_ports(interfaces: Sequence[Interface], shape: CoreShape) -> tuple[TopPort, ...]:
    """All ports of a top in order."""
    ports = [TopPort("aclk", False, 1, CLOCK), TopPort("aresetn", False, 1, CLOCK)]
    for group in interfaces:
        for port in group.ports:
            output, width = group.driven_by(port) is Side.CORE, port.width.bits(shape)
            ports.append(TopPort(group.port_name(port), output, width, group.name, port.width.unit is Unit.KEY_SLOT))
    return tuple(ports)
