# SPDX-License-Identifier: Apache-2.0
"""Where the fields of commands, statuses and keys lie, for the templates of Verilog files.

::

    s_axis_cmd_tdata@COMMAND_TAG@    ──▶    s_axis_cmd_tdata[271:256]
"""

from __future__ import annotations

from modeloom.interfaces.sector import COMMANDS, STATUSES, StatusCode
from modeloom.interfaces.shared import KEY_BEAT_BYTES, KEYS
from modeloom.interfaces.table import RESERVED

__all__ = ["PACKING"]


def _range(bits: int) -> str:
    return f"[{bits - 1}:0]"


PACKING: dict[str, object] = {
    "COMMAND_BITS": COMMANDS.packing.bits,
    "COMMAND_RANGE": _range(COMMANDS.packing.bits),
    "COMMAND_TAG": COMMANDS.packing.verilog("tag"),
    "STATUS_RANGE": _range(STATUSES.packing.bits),
    "STATUS_TAG": STATUSES.packing.verilog("tag"),
    "STATUS_CODE": STATUSES.packing.verilog("code"),
    "STATUS_REST": STATUSES.packing.verilog(RESERVED),
    "TAG_RANGE": _range(COMMANDS.packing.field("tag").bits),
    "OK": int(StatusCode.OK),
    "NO_KEY": int(StatusCode.NO_KEY),
    "CODE_BITS": STATUSES.packing.field("code").bits,
    "CODE_RANGE": _range(STATUSES.packing.field("code").bits),
    "REST_BITS": STATUSES.packing.field(RESERVED).bits,
    "KEY_BITS": 8 * KEY_BEAT_BYTES,
    "KEY_RANGE": _range(8 * KEY_BEAT_BYTES),
    "KEY_KEEP_BITS": KEY_BEAT_BYTES,
    "KEY_KEEP_RANGE": _range(KEY_BEAT_BYTES),
    "KEY_ALL": f"{KEY_BEAT_BYTES}'h{(1 << KEY_BEAT_BYTES) - 1:x}",
    "SLOT_BITS": KEYS.port("tdest").width.count,
    "SLOT_RANGE": _range(KEYS.port("tdest").width.count),
}
"""Values of the places in ``templates``."""
