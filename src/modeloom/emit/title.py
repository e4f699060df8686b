# SPDX-License-Identifier: Apache-2.0
"""The name of a core: mode, sector sizes, and a word for each option that differs from its default.

::

    modeloom build hctr2                                      ──▶  hctr2_512
    modeloom build hctr2 --sector 4096 --key-bits 256 --cipher-cores 2 ──▶  hctr2_4096_k256_aes2

All modules, all files and the FuseSoC name begin with it.  A design can therefore contain two cores of one mode.
"""

from __future__ import annotations

import hashlib
import re

from modeloom.product.core import Core, D
from modeloom.product.keywords import INTERFACE_NAMES, KEYWORDS
from modeloom.spec import InputError

__all__ = ["check_name", "core_name"]

LONGEST = 48
"""Most characters of a generated name.  The end of a longer name is replaced by its hash."""

HASH = 8
"""Number of hexadecimal digits of this hash."""

MOST_GIVEN = 63
"""Most characters of a name that a user gives."""


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def check_name(name: str) -> None:
    """Raises ``InputError`` if a core cannot have this name."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or name in KEYWORDS:
        raise InputError(
            f"{name!r} cannot be the name of a core; use letters, digits and underscores, begin with a letter, and do not use a "
            "Verilog keyword"
        )
    if len(name) > MOST_GIVEN:
        raise InputError(f"a text of {len(name)} characters cannot be the name of a core; use at most {MOST_GIVEN}")
    if name in INTERFACE_NAMES:
        raise InputError(f"{name!r} cannot be the name of a core: it is that of a SystemVerilog interface; choose another one")


def core_name(core: Core[D], name: str | None = None) -> str:
    """The given name after a check, or a name made from the words of the core.  Raises ``InputError``."""
    if name is None:
        name = "_".join(map(_plain, core.words))
        if len(name) > LONGEST:
            name = f"{name[: LONGEST - HASH - 1].rstrip('_')}_{hashlib.sha256(name.encode()).hexdigest()[:HASH]}"
    check_name(name)
    return name
