# SPDX-License-Identifier: Apache-2.0
"""The places of the fields of commands, statuses and keys of a core for messages, for the templates of Verilog files."""

from __future__ import annotations

from functools import cache

from modeloom.cores.packing import bit_range, packing_places
from modeloom.interfaces.messages import MessageCode, message_core

__all__ = ["message_places"]


@cache
def message_places(
    block_bytes: int, slots: int, inline: bool = False, channels: int = 1, lengths: bool = False, passes: int = 1,
    text_first: bool = False,
) -> dict[str, object]:  # fmt: skip
    """The values for the templates, for blocks of this number of bytes.

    They depend on key slots or keys that come with messages, on channels, and on whether a command has the bytes of text.  They also depend
    on the passes of a message to seal, and on the order of the parts of a packet.
    """
    interfaces = message_core(block_bytes, inline=inline, channels=channels, lengths=lengths, passes=passes, text_first=text_first)
    packings = {group.name: group.packing for group in interfaces if group.name in ("s_axis_cmd", "m_axis_status")}
    command, status = packings["s_axis_cmd"], packings["m_axis_status"]
    return {
        **packing_places(interfaces, "id", slots),
        **{f"CODE_{code.name}": int(code) for code in MessageCode},
        "OK": int(MessageCode.OK),
        "NO_KEY": int(MessageCode.NO_KEY),
        "SEALED_TAG": status.verilog("tag"),
        "SEALED_BITS": status.field("tag").bits,
        "SEALED_RANGE": bit_range(status.field("tag").bits),
        "COMMAND_FIRST": command.verilog("text" if text_first else "associated"),
        "COMMAND_CHANNEL": command.verilog("channel"),
        "COMMAND_DECRYPT": command.verilog("decrypt"),
        "COMMAND_TAG_BYTES": command.verilog("tag_bytes"),
        **({"FLAGS": "1", "OF_KEY": "", "OF_SLOT": "", "NO_SLOT": ""} if inline else {}),
    }
