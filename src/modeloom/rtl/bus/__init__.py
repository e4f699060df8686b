# SPDX-License-Identifier: Apache-2.0
"""The AXI4-Stream buses of cores.  This folder has the parts that every kind of core uses.

The parts that only cores for sectors use are in ``sector/``::

    ports.py            layouts and flat names, from the tables of interfaces; breaks the combinational paths of a stream; statuses in
                        the order of their commands
    key_port.py         loads keys into slots
    expanded_port.py    loads expanded keys into slots
    preparation.py      ports between the key port and the part of a core that computes with keys
    sector/             commands, packets of a sector, the entry into the engine, the result buffer
"""

from modeloom.rtl.bus.key_port import key_schedule_signature
from modeloom.rtl.bus.parameters import DataParameters, KeyParameters

__all__ = ["DataParameters", "KeyParameters", "key_schedule_signature"]
