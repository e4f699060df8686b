# SPDX-License-Identifier: Apache-2.0
"""Assertions of an emitted core for messages, for simulation: the rules of its streams and its promises, in a module behind a macro.

The module is plain Verilog-2005, so that every simulator takes it; without the macro it is not there.
"""

from __future__ import annotations

from modeloom.compiler.streams import CompiledStream
from modeloom.cores.packing import command_read
from modeloom.cores.port_rules import PortRules
from modeloom.cores.stream.bench import key_cycles
from modeloom.cores.stream.hardware import bus_parameters
from modeloom.cores.stream.packing import message_places
from modeloom.cores.template import filled
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.product.messages import StreamDescription
from modeloom.product.ports import top_ports

__all__ = ["rules_module"]

KEEP = (
    "  if (m_axis_tuser && !m_axis_tlast)",
    '    broken("m_axis_tuser is high before the last beat");',
    "  if (m_axis_tuser ? |m_axis_tkeep : m_axis_tlast ? !counts(m_axis_tkeep) : !(&m_axis_tkeep))",
    '    broken("m_axis_tkeep has a gap, or is not all ones before the last beat");',
)
"""What ``tkeep`` of the text is."""


def _key_wrong(sizes: tuple[int, ...]) -> str:
    """Whether a beat belongs to no packet of a key of these sizes: behind the longest one, not whole, or last where no key ends."""
    width, all_ones = KEY_BEAT_BYTES, (1 << KEY_BEAT_BYTES) - 1
    beats = max(-(-nbytes // width) for nbytes in sizes)
    ends = []
    for nbytes in sizes:
        count = -(-nbytes // width)
        ends.append(f"key_beats == {count} && s_axis_key_tkeep == {width}'h{(1 << nbytes - (count - 1) * width) - 1:x}")
    end = " || ".join(ends)
    return f"s_axis_key_tlast ? !({end}) : key_beats >= {beats} || s_axis_key_tkeep != {width}'h{all_ones:x}"


def rules_module(compiled: CompiledStream, d: StreamDescription) -> str:
    """The module with the assertions, in its ``ifdef``."""
    p = bus_parameters(compiled)
    interfaces = p.interfaces
    rules = PortRules(interfaces, "id", d.key_slots)
    packing = next(group.packing for group in interfaces if group.name == "s_axis_cmd")
    # Messages of which nothing is told yet: tags under way, tokens that wait, and the registers of commands and statuses.
    in_flight = p.tag_depth + p.token_depth + 16
    values = {
        **message_places(d.block_bytes, d.key_slots),
        **rules.values(top_ports(interfaces, p), KEEP),
        "NAME": d.name,
        "BEAT_BYTES": d.beat_bytes,
        "SLOTS": d.key_slots,
        "IN_FLIGHT": in_flight,
        "ERASE_CYCLES": d.erase_cycles,
        "PATIENCE": d.message_cycles(0, 0) + key_cycles(d) + p.token_depth * d.cycles_of(0, d.beat_bytes),
        "KEY_WRONG": _key_wrong(d.packet_sizes),
        "COMMAND_READ": f"{packing.bits}'h{command_read(packing, {}):0{packing.bits // 4}x}",
        # A core that holds text gives that of messages alone whose tag is right.
        "GIVES_TEXT": " || ".join(f"code == {int(each)}" for each in (MessageCode.OK, MessageCode.WRONG_TAG)[: 1 if d.hold else 2]),
        "CODES": rules.codes(MessageCode),
    }
    return filled(__package__ or "", "rules.v", values)
