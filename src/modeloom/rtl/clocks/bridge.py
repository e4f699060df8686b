# SPDX-License-Identifier: Apache-2.0
"""What the bridges of all buses of registers have in common: their ports, and signs between the clocks.

::

    host   [sign] ──▶ Synchronizer ──▶ asked         core
        answered ◀── Synchronizer ◀── [answer]
"""

from __future__ import annotations

from amaranth.hdl import DomainRenamer, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.clocks.synchronizer import Synchronizer

__all__ = ["Bridge"]


class Bridge(wiring.Component):
    """A bus of registers between the domains "core" and "host".

    Parameters
    ----------
    bus : wiring.Signature
        The signals of the bus, seen from the host.

    Members
    -------
    bus : In(bus)
        The port of the host.
    core : Out(bus)
        That of the registers.
    host_hold, core_hold : In(1)
        An erasure: the host side takes no write, and the core side erases words on their way.
    host_reset, core_reset : In(1)
        Sets back each side.  There is a time in which both are high, and that of the core ends first.
    core_reset_ends : In(1)
        The last cycle of ``core_reset``, in which ``host_reset`` is high.  What the host may read changes only then: before, an access that
        a reset meets would have an answer of none.
    """

    def __init__(self, bus: wiring.Signature):
        super().__init__({
            "bus": In(bus), "core": Out(bus), "host_hold": In(1), "core_hold": In(1), "host_reset": In(1), "core_reset": In(1),
            "core_reset_ends": In(1),
        })  # fmt: skip

    def _signs(self, m: Module, sign: str, prefix: str = "") -> tuple[Signal, Signal, Signal, Signal]:
        """The sign of the host with what the core sees of it, and that of the core with what the host sees of it."""
        request, answer = Signal(name=f"{prefix}{sign}_reg"), Signal(name=f"{prefix}answer_reg")
        m.submodules[f"{prefix}to_core"] = to_core = DomainRenamer("core")(Synchronizer())
        m.submodules[f"{prefix}to_host"] = to_host = DomainRenamer("host")(Synchronizer())
        m.d.comb += [to_core.i.eq(request), to_host.i.eq(answer)]
        return request, to_core.o, answer, to_host.o
