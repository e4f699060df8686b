# SPDX-License-Identifier: Apache-2.0
"""Compiled modes whose programs the checkers' tests break."""

from functools import cache

from modeloom.compiler.compile import compile_mode
from modeloom.options.sectors import preset

__all__ = ["delays", "made"]


@cache
def made(mode, preset_name="default", **options):
    chosen = preset(preset_name).but(**{"tweak": 16, "restarts": 0, **options})
    return compile_mode(mode(), chosen, prove=False)


def delays(compiled):
    return {"out_delay": compiled.units.unit("out").latency, "key_delay": compiled.units.key_delay}
