# SPDX-License-Identifier: Apache-2.0
"""Arithmetic in binary fields: word graphs and their lowering with pipeline registers, multipliers, squarer, reduction, powers of x."""
