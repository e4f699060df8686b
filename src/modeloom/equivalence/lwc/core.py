# SPDX-License-Identifier: Apache-2.0
"""An emitted core behind the LWC interface, for execution on symbols, and a host at its pins."""

from __future__ import annotations

from modeloom.equivalence.host import Host
from modeloom.equivalence.run import Run
from modeloom.equivalence.stream.core import SymbolicMessageCore
from modeloom.product.messages import StreamDescription

__all__ = ["SymbolicLwcCore", "WordHost"]


class WordHost(Host):
    """A host whose streams are PDI, SDI and DO."""

    VALID, READY, DATA = "valid", "ready", "data"


class SymbolicLwcCore(SymbolicMessageCore):
    """A core as a circuit on symbols.  Its parser, loader and writer are part of the circuit."""

    @staticmethod
    def control(description: StreamDescription) -> str:
        """Path of the message control, behind the parts of the interface."""
        return "core.bus.messages"

    def host(self) -> WordHost:
        """A host of a new run, after its reset."""
        d = self.description
        host = WordHost(Run(self.circuit, lambda cell: self._makers[cell.type](cell)), d.beat_bytes, d.interfaces)
        host.reset(2 * d.erase_cycles)
        return host
