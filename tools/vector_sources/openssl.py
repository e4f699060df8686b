# SPDX-License-Identifier: Apache-2.0
"""XTS with SM4 of OpenSSL's test data, in both forms; the file names the standard of each."""

from __future__ import annotations

from .files import VectorFile, vector_file
from .xts import xts_test

SOURCE = (
    "https://github.com/openssl/openssl, commit 12380b2e05da6842e9f604f85a1bfbc92ed4b83c: test/recipes/30-test_evp_data/evpciph_sm4.txt"
)
LICENCE = "Apache-2.0"

KEYS = ("2b7e151628aed2a6abf7158809cf4f3c", "000102030405060708090a0b0c0d0e0f")
TWEAK = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
PLAIN = (
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17"
)  # fmt: skip

RECORDS = {
    "gb": [
        ("GB/T 17964-2021", ["Standard"], KEYS, TWEAK, PLAIN,
         "e9538251c71d7b80bbe4483fef497bd12c5c581bd6242fc51e08964fb4f60fdb0ba42f63499279213d318d2c11f6886e903be7f93a1b3479"),
        ("no XTSStandard, which is GB", ["OpenSSL"], ("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0", "bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0"),
         "9a785634120000000000000000000000", "000102030405060708090a0b0c0d0e0f10", "9e52443a35410ca0ba5637b94c0766f469"),
    ],
    "ieee": [
        ("XTSStandard = IEEE", ["OpenSSL"], KEYS, TWEAK, PLAIN,
         "e9538251c71d7b80bbe4483fef497bd1b3db1a3e60408c575d63ff7db39f83260869f9e2585fec9f0b863bf8fd784b8627d16c0db6d2cfc7"),
    ],
}  # fmt: skip
"""Records by the standard: comment, flags, keys, tweak, plaintext, ciphertext."""


def convert_xts_sm4(standard: str) -> VectorFile:
    """The records of one standard, "gb" or "ieee"."""
    tests = [test for record in RECORDS[standard] if (test := xts_test(*record))]
    algorithm = f"XTS-SM4 of {'GB/T 17964' if standard == 'gb' else 'IEEE 1619'}"
    return {"algorithm": algorithm, "cipher": "sm4", **vector_file(algorithm, SOURCE, LICENCE, tests)}
