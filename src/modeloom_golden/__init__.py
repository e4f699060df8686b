# SPDX-License-Identifier: Apache-2.0
"""Plain references of the ciphers, the field and the modes, written only from the standards and papers.

Nothing here imports another folder of modeloom.  The results of the compiler are compared with these references.
"""

from .aes import AES
from .brw import brw, collapsed_forest, permutation, schedule
from .ccm import CCM
from .checks import AuthenticationError, BlockCipher, CipherFactory
from .deoxys_bc import DeoxysBC256
from .deoxys_i import DeoxysI
from .deoxys_ii import DeoxysII
from .eme import CMC, EME, EME2
from .field import ghash, ghash_double, ghash_inverse, ghash_mul, poly, polyval, polyval_dot, xts_double
from .gcm import GCM
from .gcm_siv import GCMSIV
from .hch import HCH, HCHfp
from .hctr import HCTR, HCTR2, xctr
from .ocb3 import OCB3
from .otr import AESOTR
from .otr_chains import ChainedOTR
from .psi import HEH, HMCH
from .registry import Mode, StreamMode, mode, mode_names, stream_mode, stream_mode_names
from .sm4 import SM4
from .tet import TET
from .xcb import XCB, XCB1619
from .xts import XTS

__all__ = [
    "AES", "AESOTR", "CCM", "CMC", "EME", "EME2", "GCM", "GCMSIV", "HCH", "HCTR", "HCTR2", "HEH", "HMCH", "OCB3", "SM4", "TET",
    "XCB", "AuthenticationError", "BlockCipher", "ChainedOTR", "CipherFactory", "DeoxysBC256", "DeoxysI", "DeoxysII", "HCHfp",
    "Mode", "StreamMode", "XCB1619", "XTS", "brw", "collapsed_forest", "ghash", "ghash_double", "ghash_inverse", "ghash_mul",
    "mode", "mode_names", "permutation", "poly", "polyval", "polyval_dot", "schedule", "stream_mode", "stream_mode_names", "xctr",
    "xts_double",
]  # fmt: skip
