# SPDX-License-Identifier: Apache-2.0
"""Assertions for the simulation of an emitted core for messages: the rules of its streams, and its promises.

They are in a module that is there only if a macro is defined.  The module is plain Verilog-2005, so that every simulator takes it.
"""

from __future__ import annotations

from collections.abc import Iterable

from modeloom.cores.port_rules import PortRules, command_read
from modeloom.cores.stream.bench import key_cycles, message_places
from modeloom.cores.template import filled, without
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.interfaces.table import by_member
from modeloom.layers import Stack
from modeloom.product.messages import StreamDescription
from modeloom.product.ports import top_ports

__all__ = ["rules_module"]

def _key_wrong(sizes: tuple[int, ...]) -> str:
    """The condition that a beat belongs to no packet of a key of these sizes.

    The beat is behind the longest packet, or it is not whole, or it is the last one where no packet ends.
    """
    width, all_ones = KEY_BEAT_BYTES, (1 << KEY_BEAT_BYTES) - 1
    beats = max(-(-nbytes // width) for nbytes in sizes)
    ends = []
    for nbytes in sizes:
        count = -(-nbytes // width)
        ends.append(f"key_beats == {count} && s_axis_key_tkeep == {width}'h{(1 << nbytes - (count - 1) * width) - 1:x}")
    end = " || ".join(ends)
    return f"s_axis_key_tlast ? !({end}) : key_beats >= {beats} || s_axis_key_tkeep != {width}'h{all_ones:x}"


def rules_module(stack: Stack, d: StreamDescription) -> str:
    """The text of the module with the assertions, with its ``ifdef``."""
    sizes, interfaces = stack.top.sizes, d.interfaces
    ports = PortRules(interfaces, "id", d.named_slots)
    packing = by_member(interfaces, "cmd").packing
    rules = stack.rules(packing)
    values = {
        **ports.values(top_ports(interfaces, d), rules.keep),
        **message_places(d),
        "NAME": d.name,
        "BEAT_BYTES": d.beat_bytes,
        "SLOTS": d.named_slots,
        "IN_FLIGHT": sizes.most_commands,
        "PACKETS": sizes.most_packets,
        "ERASE_CYCLES": d.erase_cycles,
        "PATIENCE": d.message_cycles(0, 0) + key_cycles(d) + rules.waiting * max(d.cycles_of(0, d.beat_bytes), d.cycles_of(1, 0)),
        "KEY_WRONG": _key_wrong(d.packet_sizes),
        "COMMAND_READ": f"{packing.bits}'h{command_read(packing, dict.fromkeys(rules.unread, 0)):0{packing.bits // 4}x}",
        # A core that holds text gives the text of a message only if its tag is correct.
        "GIVES_TEXT": " || ".join(f"code == {int(each)}" for each in rules.text_codes),
        "CUTS_TEXT": " || ".join(f"code == {int(each)}" for each in rules.cut_codes),
        "CODES": ports.codes(MessageCode),
    }
    packets = filled(__package__ or "", rules.template, {**values, **rules.values}).rstrip()
    own = {"RINGS": rules.stored, "RINGED": rules.taken, "PACKET_RULES": packets}
    text = filled(__package__ or "", "rules.v", {**values, **rules.channel_values, **own})
    text = _changed(text, rules.changes)
    for word in rules.dropped:
        text = without(text, word)
    return text


def _changed(text: str, changes: Iterable[tuple[str, str]]) -> str:
    """The text with other words in some places, each of which is there once."""
    for before, after in changes:
        if text.count(before) != 1:
            raise ValueError(f"the rules have {before!r} {text.count(before)} times")
        text = text.replace(before, after)
    return text
