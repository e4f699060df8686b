# SPDX-License-Identifier: Apache-2.0
"""Named sets of options: the default, and the unit sets of the papers."""

from __future__ import annotations

from typing import Any

from modeloom.compiler.options import Options
from modeloom.spec import UnknownName

__all__ = ["PRESETS", "preset"]

_PAPERS: dict[str, Any] = {"cipher_stages": 1, "mul": 1, "registered": False, "overlap": False}
_TES2010 = {**_PAPERS, "mul_stages": 1, "lanes": 1, "cipher_sbox": "bram"}
_BRW2013 = {**_PAPERS, "mul_stages": 3}
_FLY, _SETUP = {"squares": "fly"}, {"squares": "setup"}

PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "tes2010-full": _TES2010,
    "tes2010-encrypt-only": {**_TES2010, "direction": "encrypt"},
    "tes2010-sequential": {**_TES2010, "cipher_arch": "sequential"},
    "brw2013-1core": {**_BRW2013, "cipher_cores": 1},
    "brw2013-2core": {**_BRW2013, "cipher_cores": 2},
    "brw2013-hmch-brw-1": {**_BRW2013, "cipher_cores": 2, **_FLY},
    "brw2013-hmch-brw-2": {**_BRW2013, "cipher_cores": 2, **_SETUP},
    "brw2013-hmch-brw-3": {**_BRW2013, "cipher_cores": 1, **_FLY},
    "brw2013-heh-brw-1": {**_BRW2013, "cipher_cores": 2, **_FLY},
    "brw2013-heh-brw-2": {**_BRW2013, "cipher_cores": 2, **_SETUP},
    "brw2013-heh-brw-3": {**_BRW2013, "cipher_cores": 1, **_FLY},
    "brw2013-hmch-poly": {**_BRW2013, "cipher_cores": 1},
    "brw2013-heh-poly": {**_BRW2013, "cipher_cores": 1},
}
"""Options by name.  All except the default have plain schedules.

- tes2010: an AES pipeline of 11 cycles or a core that does one round in each cycle, S-boxes in block memories as in the paper, a
  multiplier of one cycle, and an adder.
- brw2013: one or two AES pipelines of 11 cycles, a three-stage multiplier.  The ones for a mode are the rows of table 3: HMCH
  with a sequential decrypter beside the pipelines, and squares computed on the fly in the variants 1 and 3.
"""


def preset(name: str) -> Options:
    """The options of a preset.  Raises ``UnknownName``."""
    if name not in PRESETS:
        raise UnknownName("preset", name, PRESETS)
    return Options(**PRESETS[name])
