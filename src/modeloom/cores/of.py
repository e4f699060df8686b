# SPDX-License-Identifier: Apache-2.0
"""The core of a compiled mode: for sectors, or for messages with one of their interfaces."""

from __future__ import annotations

from typing import overload

from modeloom.compiler.compile import Compiled
from modeloom.compiler.streams import CompiledStream
from modeloom.cores.lwc import LwcCore
from modeloom.cores.sector import SectorCore
from modeloom.cores.stream import StreamCore
from modeloom.spec import InputError

__all__ = ["core_of", "refusal"]

INTERFACES: dict[str, type[StreamCore]] = {"axi": StreamCore, "lwc": LwcCore}
"""The cores for messages by ``--interface``."""


@overload
def core_of(compiled: Compiled) -> SectorCore: ...
@overload
def core_of(compiled: CompiledStream) -> StreamCore: ...
def core_of(compiled: Compiled | CompiledStream) -> SectorCore | StreamCore:
    """The core of a compiled mode.  Raises ``InputError`` if its buses do not fit the mode."""
    if isinstance(compiled, Compiled):
        return SectorCore(compiled)
    return INTERFACES[compiled.options.interface](compiled)


# Whether ``modeloom build`` refuses a compiled mode: a mode that is compiled and proved may still have no core.
#
# Its buses may not fit the mode, or a cipher that comes with the mode may not do in hardware what it does in software.

def refusal(compiled: Compiled | CompiledStream) -> str | None:
    """The reason why ``modeloom build`` refuses a mode with these options; None if it does not."""
    try:
        core_of(compiled).check()
    except InputError as error:
        return str(error)
    return None
