# SPDX-License-Identifier: Apache-2.0
"""Sizes of the LWC interface for the tests."""

from functools import cache

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.layers import Stack
from modeloom.modes import find_any


@cache
def parameters(mode="gcm", **options):
    """The sizes for a mode, each compiled once."""
    return Stack(compile_stream(find_any(mode), StreamOptions(interface="lwc", **options), prove=False)).top.words
