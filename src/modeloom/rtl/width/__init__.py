# SPDX-License-Identifier: Apache-2.0
"""Converters between the width of the data streams of a core and that of a host."""

from modeloom.rtl.width.converters import WidthConverters, WidthParameters

__all__ = ["WidthConverters", "WidthParameters"]
