# SPDX-License-Identifier: Apache-2.0
"""What goes over the pins of a core, said once.

::

    table.py    what an interface is: ports, widths, fields of a payload with their bytes, what is secret, who drives what
    shared.py   interfaces that every kind of core has: erasure, data, keys
    sector.py   those of cores for sectors: commands, statuses and their codes

Layouts of the hardware, Verilog comments, datasheets, the tables of ``docs/interfaces.md``, benches, host software, assertions
and the check for timing channels are made of these tables. Nothing here is hardware.
"""

from modeloom.interfaces.table import Field, Interface, Packing, Place, Port, Role, Side, Unit, Width

__all__ = ["Field", "Interface", "Packing", "Place", "Port", "Role", "Side", "Unit", "Width"]
