# SPDX-License-Identifier: Apache-2.0
"""The blocks of a core for sectors, for the report of its area: which instances belong to each.

::

    core.engine.cipher0.enc ──▶ aes          core.engine.bank_t      ──▶ storage       core.engine (else) ──▶ engine
    core.bus.key_schedule   ──▶ aes          core.engine.key_memory  ──▶ storage       core.bus    (else) ──▶ bus
    core.engine.mul0.mul    ──▶ multipliers  core.bus.ring           ──▶ storage
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from modeloom.spec.kinds import CIPHER, UNITS

__all__ = ["sector_groups"]

STORAGE = r"engine\.bank_\w+|engine\.key_memory|bus\.ring"


def sector_groups(paths: Iterable[str], cipher: str = "aes", prefix: str = "core.") -> dict[str, list[str]]:
    """Blocks of a core by prefixes of instance paths; the longest prefix counts.

    The group with the name of the cipher is its cores with their key schedule, ``squarers`` and ``counters`` (adders of counter mode)
    are there if the core has some, ``storage`` the banks, the key memory (if the core reads key words: XTS has none) and the result
    buffer, ``engine`` what the compiler makes: networks, registers, control; ``bus`` the AXI side.

    Parameters
    ----------
    paths : iterable of str
        Instance paths below the top, as ``synth.hierarchy.instances`` gives them.
    """
    groups: dict[str, list[str]] = {cipher: [], "multipliers": [], "storage": []}
    for path in sorted(paths):
        below = path.removeprefix(prefix)
        # Its cores alone stand below a unit.
        unit = re.match(r"engine\.([a-z]+)(?:\d+_)?\d+\.", below)
        if below == "bus.key_schedule":
            groups[cipher].append(path)
        elif re.fullmatch(STORAGE, below):
            groups["storage"].append(path)
        elif unit and unit[1] in UNITS and (group := UNITS[unit[1]].group):
            block = groups.setdefault(cipher if group == CIPHER.type.group else group, [])
            if (name := prefix + unit[0]) not in block:
                block.append(name)
    groups["engine"] = [f"{prefix}engine"]
    groups["bus"] = [f"{prefix}bus"]
    return groups
