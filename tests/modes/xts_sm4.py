# SPDX-License-Identifier: Apache-2.0
"""XTS on SM4 in both forms: examples of OpenSSL's ``evpciph_sm4.txt``, and the form of GB/T 17964 as a definition.

The standards differ in the order of the bits in which a mask is doubled: IEEE 1619 has that of ``XTS_ORDER``, GB/T 17964 that of GHASH.
Source: openssl/openssl, commit 12380b2e05da6842e9f604f85a1bfbc92ed4b83c, test/recipes/30-test_evp_data/evpciph_sm4.txt, Apache-2.0.
"""

from __future__ import annotations

from modeloom.modes.xts import XTS
from modeloom.spec import GHASH_ORDER

KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c000102030405060708090a0b0c0d0e0f")
TWEAK = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
PLAIN = bytes.fromhex(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17"
)
GB = bytes.fromhex(
    "e9538251c71d7b80bbe4483fef497bd12c5c581bd6242fc51e08964fb4f60fdb0ba42f63499279213d318d2c11f6886e903be7f93a1b3479"
)
IEEE = bytes.fromhex(
    "e9538251c71d7b80bbe4483fef497bd1b3db1a3e60408c575d63ff7db39f83260869f9e2585fec9f0b863bf8fd784b8627d16c0db6d2cfc7"
)


class GB17964XTS(XTS):
    """XTS of GB/T 17964-2021: masks double in the order of GHASH."""

    name = "xts-gb17964"
    title = "XTS of GB/T 17964"
    source = "GB/T 17964-2021"
    field = GHASH_ORDER
    cipher = "sm4"
