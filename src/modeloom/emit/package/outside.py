# SPDX-License-Identifier: Apache-2.0
"""What a system sees of a core: its outermost module, clock and reset, buses, and the other ports.

::

    s_axis_tdata   ──▶  Bus "s_axis",  TDATA       pdi_data  ──▶  Bus "pdi", TDATA
    s_axil_awaddr  ──▶  Bus "s_axil",  AWADDR      s_apb_psel  ──▶  Bus "s_apb", PSEL
    zeroize        ──▶  a port of no bus
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from modeloom.product.description import Description
from modeloom.product.front import Port
from modeloom.product.ports import CLOCK

__all__ = ["APB", "AXI_LITE", "MAPPED", "STREAM", "Bus", "Outside", "outside"]

STREAM = "AXI4-Stream"
AXI_LITE = "AXI4-Lite"
APB = "APB"

MAPPED = {AXI_LITE: ("AWADDR", "WDATA"), APB: ("PADDR", "PWDATA")}
"""The buses for registers: their ports for addresses and for data that are written."""


@dataclass(frozen=True)
class Bus:
    """A bus of the outermost module.

    Attributes
    ----------
    name : str
        The prefix of its ports.
    kind : str
        ``STREAM``, ``AXI_LITE`` or ``APB``.
    from_host : bool
        Whether the host begins its transfers: the core is the receiver of a stream, or is read and written.
    ports : tuple of (str, Port)
        Each port after its name in the standard, such as ``TDATA``.
    """

    name: str
    kind: str
    from_host: bool
    ports: tuple[tuple[str, Port], ...]

    def port(self, logical: str) -> Port | None:
        """The port with this name in the standard; None if the bus has none."""
        return dict(self.ports).get(logical)


@dataclass(frozen=True)
class Outside:
    """The outermost module of a core.

    Attributes
    ----------
    top : str
        Its name.
    verilog : tuple of str
        The files that it needs, those of inner modules first.
    ports : tuple of Port
        All ports in order.
    clock, reset : str
        The names of both ports: the clock of the core, and its reset.
    reset_high : bool
        Whether the reset is active high.
    clocks : mapping
        The clocks of the host, each with the names of its buses.
    buses : tuple of Bus
    others : tuple of Port
        The ports that belong to no bus, without clock and reset.
    """

    top: str
    verilog: tuple[str, ...]
    ports: tuple[Port, ...]
    clock: str
    reset: str
    reset_high: bool
    clocks: Mapping[str, tuple[str, ...]]
    buses: tuple[Bus, ...]
    others: tuple[Port, ...]

    @property
    def all_clocks(self) -> dict[str, tuple[str, ...]]:
        """All clocks with the names of their buses, that of the core first."""
        elsewhere = {name for names in self.clocks.values() for name in names}
        return {self.clock: tuple(bus.name for bus in self.buses if bus.name not in elsewhere), **self.clocks}

    @property
    def interrupt(self) -> Port | None:
        """The interrupt; None if there is none."""
        return next((port for port in self.others if port.name == "irq"), None)


def outside(description: Description) -> Outside:
    """The outermost module of a core: that around the core and its front end, or the core itself.

    Raises ``ValueError`` if it has not one clock and one reset beside the clocks of the host.
    """
    front = description.front
    told = None if front is None else front.clocks
    of_host = {} if told is None else {one.name: one.buses for one in told.clocks}
    ports = description.ports if front is None else front.ports
    verilog = (description.verilog,) if front is None else (description.verilog, front.verilog)
    clocks = [port.name for port in ports if port.stream == CLOCK and port.name not in of_host]
    if len(clocks) != 2:
        raise ValueError(f"one clock and one reset, not {', '.join(clocks)}")
    buses: list[Bus] = []
    others: list[Port] = []
    for name, members in groupby((port for port in ports if port.stream != CLOCK), lambda port: port.stream):
        group = tuple(members)
        bus = _bus(name, group)
        if bus is None:
            others += group
        else:
            buses.append(bus)
    top = description.top if front is None else front.top
    high = told is not None and told.reset_high
    return Outside(top, verilog, ports, clocks[0], clocks[1], high, of_host, tuple(buses), tuple(others))


def _bus(name: str, group: tuple[Port, ...]) -> Bus | None:
    """The bus of a group of ports; None if it is none."""
    words = {port.name.removeprefix(f"{name}_").upper(): port for port in group}
    if "AWVALID" in words:
        return Bus(name, AXI_LITE, not words["AWVALID"].output, tuple(words.items()))
    if "PSEL" in words:
        return Bus(name, APB, not words["PSEL"].output, tuple(words.items()))
    # LWC has the same handshake, and calls its signals valid, ready, data and last.
    words = {word if word.startswith("T") else f"T{word}": port for word, port in words.items()}
    if {"TVALID", "TREADY"} <= set(words):
        return Bus(name, STREAM, not words["TVALID"].output, tuple(words.items()))
    return None
