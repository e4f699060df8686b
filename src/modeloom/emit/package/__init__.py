# SPDX-License-Identifier: Apache-2.0
"""What the tools of others read of a core.

::

    Description ──▶ outside   clock, reset, buses ──┬──▶ core_file       FuseSoC
                                                    ├──▶ ip_xact         IEEE 1685-2014
                                                    ├──▶ vivado          Tcl that packages an IP, and Tcl that measures the core
                                                    └──▶ system_verilog  a module with interfaces for ports
                paths between clocks ────────────────────▶ constraints     XDC and SDC
    hashes of the files ─────────────────────────────────▶ core_file       CycloneDX, SHA256SUMS
"""

from modeloom.emit.package.core_file import Bus, Outside, bill_of_materials, fusesoc, manifest, outside, to_json
from modeloom.emit.package.ip_xact import ip_xact
from modeloom.emit.package.system_verilog import interfaces_file, system_verilog
from modeloom.emit.package.vivado import quartus_sdc, sdc, vivado_ip, vivado_run, xdc

__all__ = [
    "Bus", "Outside", "bill_of_materials", "fusesoc", "interfaces_file", "ip_xact", "manifest", "outside", "quartus_sdc", "sdc",
    "system_verilog", "to_json", "vivado_ip", "vivado_run", "xdc",
]  # fmt: skip
