# SPDX-License-Identifier: Apache-2.0
"""Plain references of the cipher, the field and the modes, written from the standards and papers alone.

Nothing here imports another room of modeloom: what the compiler derives is compared with what stands here.
"""

from .aes import AES
from .brw import brw, collapsed_forest, permutation, schedule
from .field import ghash_double, ghash_mul, polyval_dot, xts_double
from .hctr2 import HCTR2
from .heh import HEH
from .hmch import HMCH
from .poly import poly
from .polyval import ghash, polyval
from .registry import Mode, mode, mode_names
from .xctr import xctr

__all__ = [
    "AES",
    "HCTR2",
    "HEH",
    "HMCH",
    "Mode",
    "brw",
    "collapsed_forest",
    "ghash",
    "ghash_double",
    "ghash_mul",
    "mode",
    "mode_names",
    "permutation",
    "poly",
    "polyval",
    "polyval_dot",
    "schedule",
    "xctr",
    "xts_double",
]
