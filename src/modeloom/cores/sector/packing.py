# SPDX-License-Identifier: Apache-2.0
"""The positions of the fields of commands, statuses and keys of a core for sectors, for the templates of Verilog files."""

from __future__ import annotations

from modeloom.cores.packing import packing_places
from modeloom.interfaces.sector import SECTOR_CORE, StatusCode

__all__ = ["PACKING"]

PACKING: dict[str, object] = {**packing_places(SECTOR_CORE, "tag"), "OK": int(StatusCode.OK), "NO_KEY": int(StatusCode.NO_KEY)}
"""Values for the placeholders in ``templates``."""
