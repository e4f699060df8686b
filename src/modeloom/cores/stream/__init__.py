# SPDX-License-Identifier: Apache-2.0
"""Cores for messages, from compiled stream modes."""
