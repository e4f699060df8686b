# SPDX-License-Identifier: Apache-2.0
"""Cores of AES: pipelines, and one block at a time."""
