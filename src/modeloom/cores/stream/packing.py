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
) -> dict[str, object]:  # fmt: skip
    """The values for the templates, for blocks of this number of bytes, for key slots or keys that come with messages, channels,
    commands with or without the bytes of text, and one or two passes of a message to seal."""
    interfaces = message_core(block_bytes, inline=inline, channels=channels, lengths=lengths, passes=passes)
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
        "COMMAND_ASSOCIATED": command.verilog("associated"),
        "COMMAND_CHANNEL": command.verilog("channel"),
        "COMMAND_DECRYPT": command.verilog("decrypt"),
        "COMMAND_TAG_BYTES": command.verilog("tag_bytes"),
        **({"FLAGS": "1", "OF_KEY": "", "OF_SLOT": "", "NO_SLOT": ""} if inline else {}),
    }
