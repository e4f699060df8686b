# SPDX-License-Identifier: Apache-2.0
"""Assertions of an emitted core for sectors.  They check the rules of its streams and its promises in simulation, if a macro is defined.

::

    `ifdef MODELOOM_ASSERT       module NAME_rules: reads all ports of NAME, reports errors of the host or the core
                                 NAME has an instance of it
    `endif

The module is plain Verilog-2005, which every simulator accepts.  Without the macro, it does not exist.
"""

from __future__ import annotations

from modeloom.compiler.compile import Compiled
from modeloom.cores.port_rules import PortRules, command_read, packing_places
from modeloom.cores.sector.describe import interval_pins, latency_pins
from modeloom.cores.sector.hardware import bus_parameters, erase_cycles
from modeloom.cores.template import filled
from modeloom.interfaces.sector import COMMANDS, StatusCode, sector_interfaces
from modeloom.product.ports import top_ports
from modeloom.rtl.bus.parameters import key_beats, key_last_keep

__all__ = ["rules_module", "sector_places"]


# The positions of the fields of commands, statuses and keys of a core for sectors, for the templates of Verilog files.

def sector_places(slots: int) -> dict[str, object]:
    """Values for the placeholders in ``templates``, for a core with so many key slots."""
    return {
        **packing_places(sector_interfaces(slots), "tag", slots), "OK": int(StatusCode.OK), "NO_KEY": int(StatusCode.NO_KEY),
    }  # fmt: skip


# -- rules -------------------------------------------------------------------------------------------------------------------------

KEEP = (
    "  if (m_axis_tlast ? !counts(m_axis_tkeep) : !(&m_axis_tkeep))",
    '    broken("m_axis_tkeep has a gap, or is not all ones before the last beat");',
)
"""The assertion on the ``tkeep`` of results."""


def rules_module(compiled: Compiled, name: str) -> str:
    """The text of the module with the assertions, within its ``ifdef``."""
    p = bus_parameters(compiled)
    interfaces, places = sector_interfaces(p.key_slots), sector_places(p.key_slots)
    rules = PortRules(interfaces, "tag", p.key_slots)
    longest = max(interval_pins(one) + latency_pins(one) for one in compiled.sizes)
    read = command_read(COMMANDS.packing, {"tweak": p.tweak_bits})
    values = {
        **places,
        **rules.values(top_ports(interfaces, p), KEEP),
        "NAME": name,
        "BEAT_BYTES": p.beat_bytes,
        "KEY_BEATS": key_beats(p.keys),
        "SLOTS": p.key_slots,
        # The result buffer, the queue before it, and the registers for command and status all hold commands.
        "IN_FLIGHT": p.buffers.ring_sectors + 8,
        "ERASE_CYCLES": erase_cycles(compiled),
        # Twice the longest time, because the engine drains when the sector size changes.
        "PATIENCE": 2 * longest + 200,
        "KEY_LAST_KEEP": f"{places['KEY_KEEP_BITS']}'h{key_last_keep(p.keys):04x}",
        "KEY_WRONG": (
            "s_axis_key_tlast != (key_beats == KEY_BEATS) || s_axis_key_tkeep != (s_axis_key_tlast ? KEY_LAST_KEEP : "
            f"{places['KEY_ALL']})"
        ),
        "COMMAND_READ": f"{COMMANDS.packing.bits}'h{read:0{COMMANDS.packing.bits // 4}x}",
        "KNOWN_SIZE": " || ".join(f"length == {size.nbytes}" for size in p.sizes),
        "CODES": rules.codes(StatusCode),
    }
    return filled(__package__ or "", "rules.v", values)
