# SPDX-License-Identifier: Apache-2.0
"""Whether ``modeloom build`` refuses a compiled mode: a mode that is compiled and proved may still have no core.

Its buses may not fit the mode, or a cipher that comes with the mode may not do in hardware what it does in software.
"""

from __future__ import annotations

from modeloom.compiler.compiled import Compiled
from modeloom.compiler.streams import CompiledStream
from modeloom.cores.of import core_of
from modeloom.spec import InputError

__all__ = ["refusal"]


def refusal(compiled: Compiled | CompiledStream) -> str | None:
    """The reason why ``modeloom build`` refuses a mode with these options; None if it does not."""
    try:
        core_of(compiled).check()
    except InputError as error:
        return str(error)
    return None
