# SPDX-License-Identifier: Apache-2.0
"""Layers of a round of AES: ShiftRows, MixColumns, the addition of the round key."""
