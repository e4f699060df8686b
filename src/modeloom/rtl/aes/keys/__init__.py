# SPDX-License-Identifier: Apache-2.0
"""The key schedule of AES, and where pipelines keep round keys."""
