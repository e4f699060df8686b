# SPDX-License-Identifier: Apache-2.0
"""A SystemVerilog module around a core whose buses are interfaces, and the interfaces.

::

    s_axis_tvalid ┐
    s_axis_tready ├─ NAME ─┬─ NAME_sv   modeloom_axi_stream.receiver s_axis
    s_axis_tdata  ┘        └─           modeloom_axi_stream.sender   m_axis
"""

from __future__ import annotations

from collections.abc import Iterator

from modeloom.emit.package.core_file import APB, AXI_LITE, MAPPED, STREAM, Bus, Outside, outside
from modeloom.product.core import INTERFACE_NAMES
from modeloom.product.description import Description
from modeloom.product.front import Port
from modeloom_verilog.names import KEYWORDS

__all__ = ["interfaces_file", "system_verilog"]

INTERFACES = dict(zip((STREAM, AXI_LITE, APB), INTERFACE_NAMES, strict=True))
"""The names of the interfaces."""

ABSENT = {"tkeep": "'1", "tlast": "1'b1", "tid": "'0", "tdest": "'0", "tuser": "'0"}
"""What a sender gives on signals that the core does not have (AXI4-Stream, section 3.1.3)."""

WIDTHS = {"DATA_BITS": "TDATA", "KEEP_BITS": "TKEEP", "ID_BITS": "TID", "DEST_BITS": "TDEST", "USER_BITS": "TUSER"}
"""The signals whose widths are parameters."""


def interfaces_file(description: Description) -> str:
    """The file with the interfaces.  It is the same for all cores with the same bus for registers."""
    return AXI_INTERFACES + (APB_INTERFACE if any(bus.kind == APB for bus in outside(description).buses) else "")


AXI_INTERFACES = """\
// SPDX-License-Identifier: Apache-2.0
// The interfaces of the modules NAME_sv. This file is the same for all cores of this version of modeloom.
//
//   modeloom_axi_stream   sender, receiver, monitor     AXI4-Stream. Signals that a core does not have are ignored by its receivers.
//                                                       Its senders give all ones on tkeep and tlast, and zeros on the others.
//   modeloom_axi_lite     host, device, monitor         AXI4-Lite
//   modeloom_apb          host, device, monitor         APB4, only in the files of cores with registers behind APB
//
// The widths must be those that the head of NAME_sv gives for each port.

// A core does not have all signals, and the file has several interfaces.
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNDRIVEN */
/* verilator lint_off DECLFILENAME */
`ifndef MODELOOM_INTERFACES_SV
`define MODELOOM_INTERFACES_SV

interface modeloom_axi_stream #(
    parameter int unsigned DATA_BITS = 128,
    parameter int unsigned KEEP_BITS = DATA_BITS / 8,
    parameter int unsigned ID_BITS = 1,
    parameter int unsigned DEST_BITS = 1,
    parameter int unsigned USER_BITS = 1
);
  logic                 tvalid;
  logic                 tready;
  logic [DATA_BITS-1:0] tdata;
  logic [KEEP_BITS-1:0] tkeep;
  logic                 tlast;
  logic [ID_BITS-1:0]   tid;
  logic [DEST_BITS-1:0] tdest;
  logic [USER_BITS-1:0] tuser;

  modport sender(output tvalid, tdata, tkeep, tlast, tid, tdest, tuser, input tready);
  modport receiver(input tvalid, tdata, tkeep, tlast, tid, tdest, tuser, output tready);
  modport monitor(input tvalid, tready, tdata, tkeep, tlast, tid, tdest, tuser);
endinterface

interface modeloom_axi_lite #(
    parameter int unsigned ADDRESS_BITS = 12,
    parameter int unsigned DATA_BITS = 32
);
  logic                    awvalid;
  logic                    awready;
  logic [ADDRESS_BITS-1:0] awaddr;
  logic [2:0]              awprot;
  logic                    wvalid;
  logic                    wready;
  logic [DATA_BITS-1:0]    wdata;
  logic [DATA_BITS/8-1:0]  wstrb;
  logic                    bvalid;
  logic                    bready;
  logic [1:0]              bresp;
  logic                    arvalid;
  logic                    arready;
  logic [ADDRESS_BITS-1:0] araddr;
  logic [2:0]              arprot;
  logic                    rvalid;
  logic                    rready;
  logic [DATA_BITS-1:0]    rdata;
  logic [1:0]              rresp;

  modport host(
      output awvalid, awaddr, awprot, wvalid, wdata, wstrb, bready, arvalid, araddr, arprot, rready,
      input awready, wready, bvalid, bresp, arready, rvalid, rdata, rresp
  );
  modport device(
      input awvalid, awaddr, awprot, wvalid, wdata, wstrb, bready, arvalid, araddr, arprot, rready,
      output awready, wready, bvalid, bresp, arready, rvalid, rdata, rresp
  );
  modport monitor(
      input awvalid, awready, awaddr, awprot, wvalid, wready, wdata, wstrb, bvalid, bready, bresp, arvalid, arready, araddr, arprot,
      input rvalid, rready, rdata, rresp
  );
endinterface

`endif
/* verilator lint_on DECLFILENAME */
/* verilator lint_on UNDRIVEN */
/* verilator lint_on UNUSEDSIGNAL */
"""

APB_INTERFACE = """
// modeloom_apb   host, device, monitor     APB4. This part is in the files of cores whose registers are behind APB.

/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNDRIVEN */
/* verilator lint_off DECLFILENAME */
`ifndef MODELOOM_APB_SV
`define MODELOOM_APB_SV

interface modeloom_apb #(
    parameter int unsigned ADDRESS_BITS = 12,
    parameter int unsigned DATA_BITS = 32
);
  logic                    psel;
  logic                    penable;
  logic [ADDRESS_BITS-1:0] paddr;
  logic [2:0]              pprot;
  logic                    pwrite;
  logic [DATA_BITS-1:0]    pwdata;
  logic [DATA_BITS/8-1:0]  pstrb;
  logic                    pready;
  logic [DATA_BITS-1:0]    prdata;
  logic                    pslverr;

  modport host(output psel, penable, paddr, pprot, pwrite, pwdata, pstrb, input pready, prdata, pslverr);
  modport device(input psel, penable, paddr, pprot, pwrite, pwdata, pstrb, output pready, prdata, pslverr);
  modport monitor(input psel, penable, paddr, pprot, pwrite, pwdata, pstrb, pready, prdata, pslverr);
endinterface

`endif
/* verilator lint_on DECLFILENAME */
/* verilator lint_on UNDRIVEN */
/* verilator lint_on UNUSEDSIGNAL */
"""


def system_verilog(description: Description) -> str:
    """The module NAME_sv around the outermost module NAME of a core."""
    seen = outside(description)
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// {seen.top}_sv: {seen.top} with interfaces for its buses. The interfaces are in {description.files.interfaces}.",
        "// Declare them so:",
        "//",
        *(f"//   {_declared(bus)}" for bus in seen.buses),
        "",
        *_head(seen),
        "",
        *_instance(seen),
        *_absent(seen),
        *_checks(seen),
        "",
        "endmodule",
    ]
    return "\n".join(lines) + "\n"


def _name(bus: Bus) -> str:
    """The name of a port for a bus.  LWC has a bus with the name of a keyword."""
    return f"{bus.name}_bus" if bus.name in KEYWORDS else bus.name


def _parameters(bus: Bus) -> dict[str, int]:
    """The parameters of the interface of a bus."""
    if bus.kind in MAPPED:
        address, data = MAPPED[bus.kind]
        return {"ADDRESS_BITS": _width(bus, address), "DATA_BITS": _width(bus, data)}
    found = {name: _width(bus, logical) for name, logical in WIDTHS.items() if bus.port(logical) is not None}
    return {name: width for name, width in found.items() if width > 1 or name in ("DATA_BITS", "KEEP_BITS")}


def _width(bus: Bus, logical: str) -> int:
    port = bus.port(logical)
    if port is None:
        raise ValueError(f"{bus.name} has no {logical}")
    return port.width


def _declared(bus: Bus) -> str:
    parameters = ", ".join(f".{name}({value})" for name, value in _parameters(bus).items())
    return f"{INTERFACES[bus.kind]} #({parameters}) {_name(bus)} ();"


def _head(seen: Outside) -> Iterator[str]:
    ports = [f"input  wire {name}" for name in (seen.clock, seen.reset, *seen.clocks)]
    for port in seen.others:
        width = f"[{port.width - 1}:0] " if port.width > 1 else ""
        ports.append(f"{'output' if port.output else 'input '} wire {width}{port.name}")
    for bus in seen.buses:
        ends = ("receiver", "sender") if bus.kind == STREAM else ("device", "host")
        ports.append(f"{INTERFACES[bus.kind]}.{ends[0 if bus.from_host else 1]} {_name(bus)}")
    yield f"module {seen.top}_sv ("
    for at, one in enumerate(ports):
        yield f"    {one}{'' if at == len(ports) - 1 else ','}"
    yield ");"


def _instance(seen: Outside) -> Iterator[str]:
    of_bus = {port.name: f"{_name(bus)}.{logical.lower()}" for bus in seen.buses for logical, port in bus.ports}
    yield f"  {seen.top} core ("
    for at, port in enumerate(seen.ports):
        yield f"      .{port.name}({of_bus.get(port.name, port.name)}){'' if at == len(seen.ports) - 1 else ','}"
    yield "  );"


def _absent(seen: Outside) -> Iterator[str]:
    """Values for the signals of senders that the core does not have."""
    for bus in seen.buses:
        if bus.kind == STREAM and not bus.from_host:
            missing = [(signal, value) for signal, value in ABSENT.items() if bus.port(signal.upper()) is None]
            if missing:
                yield ""
            for signal, value in missing:
                yield f"  assign {_name(bus)}.{signal} = {value};"


def _checks(seen: Outside) -> Iterator[str]:
    """Checks of the widths.  A tool would extend or cut the signals of an interface with other widths."""
    checked = [(bus, logical, port) for bus in seen.buses for logical, port in bus.ports if _has_width(bus, logical, port)]
    if not checked:
        return
    yield ""
    yield "`ifndef SYNTHESIS"
    yield "  initial begin"
    for bus, logical, port in checked:
        signal = f"{_name(bus)}.{logical.lower()}"
        yield f'    if ($bits({signal}) != {port.width}) $fatal(1, "{seen.top}_sv: {signal} must have {port.width} bits");'
    yield "  end"
    yield "`endif"


def _has_width(bus: Bus, logical: str, port: Port) -> bool:
    """Whether the width of a signal depends on the parameters of its interface."""
    return logical in MAPPED[bus.kind] if bus.kind in MAPPED else logical in WIDTHS.values()
