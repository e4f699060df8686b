# SPDX-License-Identifier: Apache-2.0
"""Key expansions of FIPS 197, Appendix A: for each length in bits the cipher key, its first derived word, and the last round key."""

__all__ = ["FIPS_197_A"]

FIPS_197_A = {
    128: ("2b7e151628aed2a6abf7158809cf4f3c", "a0fafe17", "d014f9a8c9ee2589e13f0cc8b6630ca6"),
    192: ("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", "fe0c91f7", "e98ba06f448c773c8ecc720401002202"),
    256: (
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        "9ba35411",
        "fe4890d1e6188d0b046df344706c631e",
    ),
}
