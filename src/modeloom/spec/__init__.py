# SPDX-License-Identifier: Apache-2.0
"""The vocabulary of mode definitions: blocks, field orders and operations."""

from modeloom.spec.attributes import checked_mode
from modeloom.spec.counters import COUNTERS, Counter
from modeloom.spec.errors import DefinitionError, InputError, UnknownName, blame
from modeloom.spec.field import CMAC_ORDER, GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER, Field
from modeloom.spec.mode import CIPHER, Blocks, CipherKey, Keys, Mode
from modeloom.spec.numbers import Cipher, Numbers

__all__ = [
    "CIPHER", "CMAC_ORDER", "COUNTERS", "GHASH_ORDER", "POLYVAL_ORDER", "XTS_ORDER", "Blocks", "Cipher", "CipherKey", "Counter",
    "DefinitionError", "Field", "InputError", "Keys", "Mode", "Numbers", "UnknownName", "blame", "checked_mode",
]  # fmt: skip
