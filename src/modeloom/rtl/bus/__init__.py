# SPDX-License-Identifier: Apache-2.0
"""AXI4-Stream buses of cores: what every kind of core has stands here, what only one kind has in a folder of its own.

::

    ports.py            layouts and flat names, from the tables of interfaces
    register_slice.py   cuts a stream
    status.py           statuses in the order of their commands
    key_port.py         keys into slots; key_format.py, key_schedules.py
    preparation.py      what the key port asks of the part of a core that computes with keys
    sector/             commands, packets of a sector, the entry into the engine, the result buffer; links.py joins them
"""

from .key_port import key_schedule_signature
from .parameters import DataParameters, KeyParameters

__all__ = ["DataParameters", "KeyParameters", "key_schedule_signature"]
