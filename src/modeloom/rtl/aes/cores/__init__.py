# SPDX-License-Identifier: Apache-2.0
"""Cores of AES: pipelines, and sequential cores for one block at a time."""
