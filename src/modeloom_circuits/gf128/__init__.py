# SPDX-License-Identifier: Apache-2.0
"""Arithmetic circuits of binary fields that no core of a mode uses yet."""
