# SPDX-License-Identifier: Apache-2.0
"""The tables of the interfaces of a core: ports, fields of payloads, and what is secret.

Each fact stands in one table::

    table.py    the types of the tables: ports, widths, fields of a payload with their bytes, what is secret, who drives a port
    shared.py   interfaces that every kind of core has: erasure, data, keys
    sector.py   interfaces of cores for sectors: commands, statuses and their codes
    messages.py interfaces of cores for messages: commands, statuses and their codes

Layouts of the hardware, Verilog comments, datasheets, the tables of ``docs/interfaces.md``, benches, host software, assertions
and the check for timing channels are generated from these tables.  Nothing here is hardware.
"""

from modeloom.interfaces.table import Field, Interface, Packing, Place, Port, Role, Side, Unit, Width

__all__ = ["Field", "Interface", "Packing", "Place", "Port", "Role", "Side", "Unit", "Width"]
