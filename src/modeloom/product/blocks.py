# SPDX-License-Identifier: Apache-2.0
"""The blocks in the area report of a core, and the instances that belong to each block.

::

    core.engine.cipher0.enc ──▶ aes          core.engine.bank_t      ──▶ storage       core.engine (else) ──▶ engine
    core.bus.key_schedule   ──▶ aes          core.engine.key_memory  ──▶ storage       core.bus    (else) ──▶ bus
    core.engine.mul0.mul    ──▶ multipliers  core.bus.ring           ──▶ storage
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from modeloom.spec.kinds import CIPHER, UNITS

__all__ = ["groups_of", "sector_groups", "stream_groups"]

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
        Instance paths below the top, from ``synth.hierarchy.instances``.
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

DERIVES = ("deriver", "key_port", "key_schedule")
"""What derives keys, in front of the message control."""


def _inside(groups: dict[str, list[str]], part: str, prefix: str) -> dict[str, list[str]]:
    """The same groups in a part of the buses."""
    return {name: [path.replace(f"{prefix}bus", f"{prefix}bus.{part}", 1) for path in each] for name, each in groups.items()}


def _within(paths: Iterable[str], part: str, prefix: str) -> list[str]:
    """The paths in a part of the buses, as if it were the buses."""
    start = f"{prefix}bus.{part}."
    return [f"{prefix}bus.{path.removeprefix(start)}" for path in paths if path.startswith(start)]


def groups_of(
    paths: Iterable[str], cipher: str = "aes", prefix: str = "core.", *, derives: bool = False, stores: bool = False,
    lwc: bool = False,
) -> dict[str, list[str]]:
    """The blocks of a core for messages, by prefixes of instance paths.

    A core that derives keys has the block ``deriver`` with master keys and round cores, one that stores messages has ``buffer``, and one
    behind the LWC interface has ``interface``.
    """
    paths = list(paths)
    if lwc:
        groups = _inside(stream_groups(_within(paths, "messages", prefix), cipher, prefix), "messages", prefix)
        return {**groups, "interface": [f"{prefix}bus"]}
    if stores:
        groups = _inside(groups_of(_within(paths, "core", prefix), cipher, prefix, derives=derives), "core", prefix)
        return {**groups, "buffer": [f"{prefix}bus.buffer"], "bus": [f"{prefix}bus"]}
    if derives:
        groups = _inside(stream_groups(_within(paths, "messages", prefix), cipher, prefix), "messages", prefix)
        return {**groups, "deriver": [f"{prefix}bus.{part}" for part in DERIVES], "bus": [f"{prefix}bus"]}
    return stream_groups(paths, cipher, prefix)


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
