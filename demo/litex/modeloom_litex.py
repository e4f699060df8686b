# SPDX-License-Identifier: Apache-2.0
"""Cores of modeloom in a LiteX SoC: an instance of a core from its folder, and DMA between its streams and the memory of the SoC.

::

    self.cipher = ModeloomCore(platform, "xts_512")                      # the folder that modeloom build has written
    self.bus.add_slave("cipher_registers", self.cipher.bus, SoCRegion(size=0x1000, cached=False))
    self.cipher_dma = ModeloomDMA(self.cipher, bus_width=self.bus.data_width)
    for name, host in self.cipher_dma.hosts.items():
        self.bus.add_master(f"cipher_{name}", host)
    self.irq.add("cipher")
    self.irq.add("cipher_dma")

The file needs LiteX alone, without modeloom.  It takes all ports from ``core.json``.  Limits: cores for sectors with registers behind
AXI4-Lite, one clock, and the active-low synchronous reset.  The DMA moves whole sectors between addresses that are multiples of a word of
the bus.  Everything else is refused with a ``ValueError`` of one line.
"""

import json
from pathlib import Path

from litex.gen import LiteXModule
from litex.soc.cores.dma import WishboneDMAReader, WishboneDMAWriter
from litex.soc.interconnect import axi, stream, wishbone
from litex.soc.interconnect.csr import CSRStorage
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import ClockSignal, If, Instance, ResetSignal, Signal

__all__ = ["ModeloomCore", "ModeloomDMA", "read_description"]

SCHEMA = "modeloom-core-1"

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
    if not isinstance(description, dict) or description.get("schema") != SCHEMA:
        raise ValueError(f"{path}: the schema is not {SCHEMA}")
    front = description.get("front", {})
    if "sizes" not in description:
        raise ValueError(f"{folder}: not a core for sectors; build a sector mode such as xts")
    if front.get("kind") != "registers":
        raise ValueError(f"{folder}: the core has no registers; build it with --front registers")
    if "bus" in front:
        raise ValueError(f"{folder}: the registers are behind {front['bus']}; build the core without --register-bus")
    if "clocks" in front:
        raise ValueError(f"{folder}: the core has several clocks or another reset; build it without --clock and --reset")
    return description


class ModeloomCore(LiteXModule):
    """A core for sectors with its registers.

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
        Sectors in and out, with the fields ``data`` and ``keep``; ``last`` ends a sector.  Byte 0 is the lowest of ``data``.
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


class ModeloomDMA(LiteXModule):
    """Moves sectors from memory to a core and results back, with commands and statuses if the core has streams for them.

    Each part has the registers of LiteX: ``base`` and ``length`` in bytes, ``enable``, ``done``.  The lengths of sectors and results are
    multiples of the sector size.  A sector that the core refuses gives no data, so ``writer`` then waits for more: the statuses tell.

    Parameters
    ----------
    core : ModeloomCore
        The core.
    bus_width : int
        Bits of a word of the bus.  Converters join or part words if the core has another width.

    Attributes
    ----------
    reader, writer : WishboneDMAReader, WishboneDMAWriter
        Sectors and results.
    commands, statuses : WishboneDMAReader, WishboneDMAWriter
        Commands, each as ``modeloom_sector_command`` makes it, and statuses, each in the low bits of a word of the bus.  Not there with
        ``--commands registers``.
    hosts : dict
        The Wishbone hosts of all these, by name.
    ev : EventManager
        ``results`` is there while ``writer`` is done, and ``statuses`` while ``statuses`` is.

    Raises
    ------
    ValueError
        A sector is no whole number of words or beats.
    """

    def __init__(self, core, bus_width=32):
        beat = len(core.sink.data)
        sizes = [size["sector_bytes"] for size in core.description["sizes"]]
        if wrong := [size for size in sizes if 8 * size % beat or 8 * size % bus_width]:
            raise ValueError(f"sectors of {wrong[0]} bytes are no whole number of words of {bus_width} bits and beats of {beat} bits")
        self.bus_width = bus_width
        self.hosts = {}
        self.ev = EventManager()
        self.reader, self.writer = self.new_reader("reader"), self.new_writer("writer")
        self.ev.results = EventSourceLevel(description="All results are in memory.")
        self.into = stream.Converter(bus_width, beat)
        self.out = stream.Converter(beat, bus_width)
        self.sector = CSRStorage(16, reset=8 * sizes[0] // beat, description="Beats of a sector, for cores with several sizes.")

        # The reader knows the end of a transfer alone, which may have many sectors.
        left = Signal(16, reset=8 * sizes[0] // beat - 1)
        taken = Signal()
        self.comb += [
            self.reader.source.connect(self.into.sink, omit={"last"}),
            self.into.source.connect(core.sink, omit={"last"}),
            core.sink.keep.eq(2 ** len(core.sink.keep) - 1),
            core.sink.last.eq(left == 0),
            taken.eq(core.sink.valid & core.sink.ready),
            core.source.connect(self.out.sink, omit={"last", "keep"}),  # with "last", the writer would end with the first sector
            self.out.source.connect(self.writer.sink),
            self.ev.results.trigger.eq(self.writer.done),
        ]
        self.sync += If(self.sector.re | (taken & (left == 0)), left.eq(self.sector.storage - 1)).Elif(taken, left.eq(left - 1))
        if hasattr(core, "command"):
            self.commands, self.statuses = self.new_reader("commands"), self.new_writer("statuses")
            self.ev.statuses = EventSourceLevel(description="All statuses are in memory.")
            self.commands_into = stream.Converter(bus_width, len(core.command.data))
            self.comb += [
                self.commands.source.connect(self.commands_into.sink, omit={"last"}),
                self.commands_into.source.connect(core.command, omit={"last"}),
                core.status.connect(self.statuses.sink, omit={"last"}),
                self.ev.statuses.trigger.eq(self.statuses.done),
            ]
        self.ev.finalize()

    def new_host(self, name):
        """A Wishbone host, with addresses of words."""
        self.hosts[name] = wishbone.Interface(data_width=self.bus_width, address_width=32, addressing="word")
        return self.hosts[name]

    # LiteX calls "little" what exchanges the bytes of a word. A core has byte 0 in the lowest bits, and so has a little-endian bus.

    def new_reader(self, name):
        """Reads memory."""
        return WishboneDMAReader(self.new_host(name), endianness="big", with_csr=True)

    def new_writer(self, name):
        """Writes memory.  Takes nothing while it is not enabled: LiteX lets writers drop what comes then, if not told otherwise."""
        writer = WishboneDMAWriter(self.new_host(name), endianness="big")
        writer.add_ctrl(ready_on_idle=0)
        writer.add_csr()
        return writer
