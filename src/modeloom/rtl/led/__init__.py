# SPDX-License-Identifier: Apache-2.0
"""LED, a cipher of 64-bit blocks: the parts of a round, and a round core for several blocks at a time."""
