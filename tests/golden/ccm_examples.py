# SPDX-License-Identifier: Apache-2.0
"""The examples of SP 800-38C, for its reference and for its definition."""

EXAMPLES = [
    (7, bytes(range(8)), 4, 4, "7162015b4dac255d"),
    (8, bytes(range(16)), 16, 6, "d2a1f0e051ea5f62081a7792073d593d1fc64fbfaccd"),
    (12, bytes(range(20)), 24, 8, "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5484392fbc1b09951"),
    (13, bytes(range(256)) * 256, 32, 14,
     "69915dad1e84c6376a68c2967e4dab615ae0fd1faec44cc484828529463ccf72b4ac6bec93e8598e7f0dadbcea5b"),
]  # fmt: skip
"""Appendix C: bytes of nonce, associated data, bytes of payload, of tag, and the ciphertext."""
