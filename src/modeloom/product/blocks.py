# SPDX-License-Identifier: Apache-2.0
"""The blocks in the area report of a core, and the instances that belong to each block.

::

    core.engine.cipher0.enc ──▶ aes          core.engine.bank_t      ──▶ storage       core.engine (else) ──▶ engine
    core.bus.key_schedule   ──▶ aes          core.engine.key_memory  ──▶ storage       core.bus    (else) ──▶ bus
    core.engine.mul0.mul    ──▶ multipliers  core.bus.ring           ──▶ storage
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from modeloom.spec.kinds import CIPHER, UNITS

__all__ = ["DERIVER", "LWC", "STORE", "Around", "groups_of", "sector_groups", "stream_groups"]

STORAGE = r"engine\.bank_\w+|engine\.key_memory|bus\.ring"


def sector_groups(paths: Iterable[str], cipher: str = "aes", prefix: str = "core.") -> dict[str, list[str]]:
    """The blocks of a core, by prefixes of instance paths.  The longest prefix counts.

    The block with the name of the cipher contains the cipher cores and their key schedule.  ``squarers`` and ``counters`` (adders
    of counter mode) exist if the core has such units.  ``storage`` contains the banks, the result buffer, and the key memory if the
    core reads key words (XTS does not).  ``engine`` contains the networks, registers and control that the compiler makes.  ``bus``
    is the AXI side.

    Parameters
    ----------
    paths : iterable of str
        Instance paths below the top, from ``synth.blocks.instances``.
    """
    groups: dict[str, list[str]] = {cipher: [], "multipliers": [], "storage": []}
    for path in sorted(paths):
        below = path.removeprefix(prefix)
        # Below a unit, only cipher cores belong to the cipher.
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


STREAM_STORAGE = r"bus\.pipeline\.(?:key_memory|chains(?:_\d+)?)|bus\.(?:messages|texts|verdicts|window)(?:\.\w+)*\.memory"

@dataclass(frozen=True)
class Around:
    """What stands around the buses of a core for messages: the part of the buses that is the core inside, and the blocks beside it."""

    part: str
    blocks: Mapping[str, Sequence[str]]


LWC = Around("messages", {"interface": ("bus",)})
"""The LWC interface."""

STORE = Around("core", {"buffer": ("bus.buffer",), "bus": ("bus",)})
"""What stores messages to seal."""

DERIVER = Around("messages", {"deriver": ("bus.deriver", "bus.key_port", "bus.key_schedule"), "bus": ("bus",)})
"""What derives keys: master keys and round cores."""


def groups_of(paths: Iterable[str], cipher: str = "aes", prefix: str = "core.", around: Sequence[Around] = ()) -> dict[str, list[str]]:
    """The blocks of a core for messages, by prefixes of instance paths, with those of what is *around* it, the outermost first."""
    if not around:
        return stream_groups(paths, cipher, prefix)
    outer, *others = around
    whole, start = f"{prefix}bus", f"{prefix}bus.{outer.part}"
    within = [whole + path.removeprefix(start) for path in paths if path.startswith(f"{start}.")]
    groups = {
        name: [path.replace(whole, start, 1) for path in each] for name, each in groups_of(within, cipher, prefix, others).items()
    }
    return {**groups, **{name: [prefix + part for part in parts] for name, parts in outer.blocks.items()}}


def stream_groups(paths: Iterable[str], cipher: str = "aes", prefix: str = "core.") -> dict[str, list[str]]:
    """The blocks of a core for messages, by prefixes of instance paths.

    The block with the name of the cipher contains its pipeline and the key schedule.  ``multiplier`` is the multiplier of the hash.
    ``storage`` contains the key memory, the chains and the queues.  ``pipeline`` contains the parts around the units that the
    compiler makes, and ``bus`` the message control.
    """
    groups: dict[str, list[str]] = {cipher: [], "multiplier": [], "storage": []}
    for path in sorted(paths):
        below = path.removeprefix(prefix)
        if re.fullmatch(r"bus\.(?:keys\.)?key_schedule(?:_\d+)?|bus\.pipeline\.cipher(?:_\d+)*", below):
            groups[cipher].append(path)
        elif re.fullmatch(r"bus\.pipeline\.multiplier(?:_\d+)?", below):
            groups["multiplier"].append(path)
        elif re.fullmatch(STREAM_STORAGE, below):
            groups["storage"].append(path)
    groups["pipeline"] = [f"{prefix}bus.pipeline"]
    groups["bus"] = [f"{prefix}bus"]
    return groups
