# SPDX-License-Identifier: Apache-2.0
"""Examples of RFC 8452 with keys of 256 bits, for reference and definition."""

ONE, THREE = b"\1" + bytes(31), b"\3" + bytes(11)

AES_256 = [
    (ONE, THREE, "", "07f5f4169bbf55a8400cd47ea6fd400f"),
    (ONE, THREE, "0100000000000000", "c2ef328e5c71c83b843122130f7364b761e0b97427e3df28"),
    (ONE, THREE, "010000000000000000000000", "9aab2aeb3faa0a34aea8e2b18ca50da9ae6559e48fd10f6e5c9ca17e"),
    (ONE, THREE, "01000000000000000000000000000000", "85a01b63025ba19b7fd3ddfc033b3e76c9eac6fa700942702e90862383c6c366"),
    (bytes(32), bytes(12), "000000000000000000000000000000004db923dc793ee6497c76dcc03a98e108",
     "f3f80f2cf0cb2dd9c5984fcda908456cc537703b5ba70324a6793a7bf218d3eaffffffff000000000000000000000000"),
    (bytes(32), bytes(12), "eb3640277c7ffd1303c7a542d02d3e4c0000000000000000",
     "18ce4f0b8cb4d0cac65fea8f79257b20888e53e72299e56dffffffff000000000000000000000000"),
]  # fmt: skip
"""Of RFC 8452, appendices C.2 and C.3, where the counter wraps around: key, nonce, text and what it is sealed to."""
