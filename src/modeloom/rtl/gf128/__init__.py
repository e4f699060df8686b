# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of binary fields: word graphs, their lowering with pipeline registers, multiplier, squarer, reduction, powers of x."""
