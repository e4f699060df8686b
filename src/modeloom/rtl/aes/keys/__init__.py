# SPDX-License-Identifier: Apache-2.0
"""The key schedule of AES, and the storage of round keys in pipelines."""
