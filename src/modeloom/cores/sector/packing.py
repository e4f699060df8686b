# SPDX-License-Identifier: Apache-2.0
"""The positions of the fields of commands, statuses and keys of a core for sectors, for the templates of Verilog files."""

from __future__ import annotations

from modeloom.cores.packing import packing_places
from modeloom.interfaces.sector import StatusCode, sector_interfaces

__all__ = ["sector_places"]


def sector_places(slots: int) -> dict[str, object]:
    """Values for the placeholders in ``templates``, for a core with so many key slots."""
    return {
        **packing_places(sector_interfaces(slots), "tag", slots), "OK": int(StatusCode.OK), "NO_KEY": int(StatusCode.NO_KEY),
    }  # fmt: skip
