# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of binary fields that no core of a mode has yet."""
