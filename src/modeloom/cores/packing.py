# SPDX-License-Identifier: Apache-2.0
"""The positions of the fields of commands, statuses and keys, for the templates of Verilog files.

::

    s_axis_cmd_tdata@COMMAND_TAG@    ──▶    s_axis_cmd_tdata[271:256]
"""

from __future__ import annotations

from collections.abc import Sequence

from modeloom.interfaces import Interface
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.interfaces.table import LISTED_SLOTS, RESERVED, Packing, slot_number_bits

__all__ = ["bit_range", "command_read", "packing_places"]


def bit_range(bits: int) -> str:
    """The range of a vector of ``bits`` bits."""
    return f"[{bits - 1}:0]"


def packing_places(interfaces: Sequence[Interface], identity: str, slots: int = 1) -> dict[str, object]:
    """Values for the placeholders that the templates of every kind of core have.

    Parameters
    ----------
    interfaces : sequence of Interface
        The interfaces of the core.
    identity : str
        The field of commands that the status returns.
    slots : int
        Key slots of the core.
    """
    groups = {group.name: group for group in interfaces}
    commands, statuses = groups["s_axis_cmd"].packing, groups["m_axis_status"].packing
    rest = next(field.name for field in statuses.fields if field.name in (RESERVED, "channel"))
    slot_bits, listed = slot_number_bits(slots), slots <= LISTED_SLOTS
    return {
        "COMMAND_BITS": commands.bits,
        "COMMAND_RANGE": bit_range(commands.bits),
        "COMMAND_TAG": commands.verilog(identity),
        "STATUS_RANGE": bit_range(statuses.bits),
        "STATUS_TAG": statuses.verilog(identity),
        "STATUS_CODE": statuses.verilog("code"),
        "STATUS_REST": statuses.verilog(rest),
        "TAG_RANGE": bit_range(commands.field(identity).bits),
        "CODE_BITS": statuses.field("code").bits,
        "CODE_RANGE": bit_range(statuses.field("code").bits),
        "REST_BITS": statuses.field(rest).bits,
        "KEY_BITS": 8 * KEY_BEAT_BYTES,
        "KEY_RANGE": bit_range(8 * KEY_BEAT_BYTES),
        "KEY_KEEP_BITS": KEY_BEAT_BYTES,
        "KEY_KEEP_RANGE": bit_range(KEY_BEAT_BYTES),
        "KEY_ALL": f"{KEY_BEAT_BYTES}'h{(1 << KEY_BEAT_BYTES) - 1:x}",
        "SLOT_BITS": slot_bits,
        "SLOT_RANGE": bit_range(slot_bits),
        # With many slots there is one flag, of the slot of the last key packet.
        "FLAGS": "SLOTS" if listed else "1",
        "OF_KEY": "[key_slot[number]]" if listed else "",
        "OF_SLOT": "[slot]" if listed else "",
        "NO_SLOT": "wrong_key(0, KEY_BEATS, KEY_LAST_KEEP, SLOTS);" if slots < 1 << slot_bits else "",
    }


def command_read(packing: Packing, ways: dict[str, int]) -> int:
    """A mask of the bits of a command that a core reads.  ``ways`` has the number of bits of fields that are read in part."""
    mask = 0
    for field in packing.fields:
        if field.name != RESERVED:
            mask |= ((1 << ways.get(field.name, field.bits)) - 1) << packing.offset(field.name)
    return mask
