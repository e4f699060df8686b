# SPDX-License-Identifier: Apache-2.0
"""A core of modeloom in a LiteX SoC, from the folder that ``modeloom build`` has written.

::

    self.cipher = ModeloomCore(platform, "xts_512")
    self.bus.add_slave("cipher_registers", self.cipher.bus, SoCRegion(size=0x1000, cached=False))
    self.irq.add("cipher")

``modeloom_dma.py`` moves its data.  The file needs LiteX alone, without modeloom.  It takes all ports from ``core.json``.  Limits:
registers behind AXI4-Lite, one clock, the active-low synchronous reset, and messages of one channel.  Everything else is refused with a
``ValueError`` of one line.
"""

import json
from pathlib import Path

from litex.gen import LiteXModule
from litex.soc.interconnect import axi, stream, wishbone
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import ClockSignal, Instance, ResetSignal, Signal

__all__ = ["MESSAGES", "SECTORS", "ModeloomCore", "read_description"]

SECTORS, MESSAGES = "modeloom-core-1", "modeloom-stream-core-1"
"""The schemas of ``core.json`` of the two kinds of cores."""

ENDPOINTS = {"s_axis": "sink", "m_axis": "source", "s_axis_cmd": "command", "m_axis_status": "status"}
"""The attribute of ``ModeloomCore`` for each AXI4-Stream of a core."""

LITE_CHANNELS = ("aw", "w", "b", "ar", "r")


def read_description(folder):
    """``core.json`` of a folder, as a dictionary.  Raises ``ValueError`` if ``ModeloomCore`` cannot instance this core."""
    path = Path(folder) / "core.json"
    try:
        description = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise ValueError(f"{path}: not the description of a core: {problem}") from problem
    if not isinstance(description, dict) or description.get("schema") not in (SECTORS, MESSAGES):
        raise ValueError(f"{path}: the schema is neither {SECTORS} nor {MESSAGES}")
    front = description.get("front", {})
    if front.get("kind") != "registers":
        raise ValueError(f"{folder}: the core has no registers; build it with --front registers")
    if "bus" in front:
        raise ValueError(f"{folder}: the registers are behind {front['bus']}; build the core without --register-bus")
    if "clocks" in front:
        raise ValueError(f"{folder}: the core has several clocks or another reset; build it without --clock and --reset")
    if description.get("channels", 1) != 1:
        raise ValueError(f"{folder}: the core has several channels; build it without --channels")
    return description


class ModeloomCore(LiteXModule):
    """A core with its registers.

    Parameters
    ----------
    platform : GenericPlatform
        The Verilog files of the core are added to it.
    folder : str or Path
        The folder that ``modeloom build MODE --front registers`` has written.

    Attributes
    ----------
    description : dict
        ``core.json``.
    bus : wishbone.Interface
        The registers, 32 bits, for the bus of the SoC.  On a wider bus, Wishbone tells which word a read wants; AXI4-Lite does not, and
        the converter of LiteX for it would read the register beside, too.
    axi_lite : AXILiteInterface
        The same registers as the core has them, behind ``bus``.  The core looks at the low ``front.address_bits`` bits of an address.
    sink, source : Endpoint
        Packets in and out, with the fields ``data`` and ``keep``; ``last`` ends a sector or a message.  Byte 0 is the lowest of ``data``.
        A core for messages also has ``user`` in ``source``: the packet that ends failed.
    command, status : Endpoint
        Commands and statuses; not there with ``--commands registers``.
    zeroize : Signal
        Erases all keys and data; 1 bit, in.  A register does the same.
    zeroizing : Signal
        Is 1 while an erasure goes on.
    ev : EventManager
        The interrupt of the core as an event of the SoC, so that ``SoC.irq.add`` takes this module.

    Raises
    ------
    ValueError
        The folder has no core, or one that this class cannot instance.
    """

    def __init__(self, platform, folder):
        self.description = read_description(folder)
        front = self.description["front"]
        self.axi_lite = axi.AXILiteInterface(data_width=32, address_width=32)
        self.bus = wishbone.Interface(data_width=32, address_width=32, addressing="word")
        self.bridge = axi.Wishbone2AXILite(self.bus, self.axi_lite)
        self.zeroize, self.zeroizing, irq = Signal(), Signal(), Signal()
        self.ev = EventManager()
        self.ev.core = EventSourceLevel(description="The interrupt of the core, whose registers say what has happened.")
        self.ev.finalize()
        self.comb += self.ev.core.trigger.eq(irq)

        signals = {"aclk": ClockSignal("sys"), "aresetn": ~ResetSignal("sys")}
        signals |= {"zeroize": self.zeroize, "zeroizing": self.zeroizing, "irq": irq}
        for channel in LITE_CHANNELS:
            signals |= self.signals_of(f"s_axil_{channel}", getattr(self.axi_lite, channel))
        address = slice(front["address_bits"])
        signals |= {name: signals[name][address] for name in ("s_axil_awaddr", "s_axil_araddr")}
        for prefix, attribute in ENDPOINTS.items():
            if fields := self.fields_of(f"{prefix}_t", prefix):
                endpoint = stream.Endpoint(fields)
                setattr(self, attribute, endpoint)
                signals |= self.signals_of(f"{prefix}_t", endpoint)
        if missing := [port["name"] for port in front["ports"] if port["name"] not in signals]:
            raise ValueError(f"{folder}: no signal of LiteX for {', '.join(missing)}")
        ports = {f"{port['direction'][0]}_{port['name']}": signals[port["name"]] for port in front["ports"]}
        self.specials += Instance(front["top"], **ports)
        for name in (self.description["verilog"], front["verilog"]):
            platform.add_source(str(Path(folder).resolve() / name))

    def fields_of(self, prefix, group):
        """The payload of a stream: its fields with their widths."""
        ports = [port for port in self.description["front"]["ports"] if port["stream"] == group]
        fields = [(port["name"].removeprefix(prefix), port["width"]) for port in ports]
        return [(name, width) for name, width in fields if name not in ("valid", "ready", "last")]

    @staticmethod
    def signals_of(prefix, endpoint):
        """The signals of an endpoint, by the names of their ports."""
        names = ["valid", "ready", "last", *(name for name, _ in endpoint.description.payload_layout)]
        return {f"{prefix}{name}": getattr(endpoint, name) for name in names}
