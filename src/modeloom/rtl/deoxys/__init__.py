# SPDX-License-Identifier: Apache-2.0
"""Deoxys-BC-256: tweakey schedule, pipeline, and a round core for several blocks at a time."""
