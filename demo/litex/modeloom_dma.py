# SPDX-License-Identifier: Apache-2.0
"""DMA between the streams of a core of modeloom and the memory of a LiteX SoC.

::

    self.cipher_dma = ModeloomDMA(self.cipher, bus_width=self.bus.data_width)
    for name, host in self.cipher_dma.hosts.items():
        self.bus.add_master(f"cipher_{name}", host)
    self.irq.add("cipher_dma")

The DMA moves whole words of the bus from and to addresses that are multiples of a word.
"""

from litex.gen import LiteXModule
from litex.soc.cores.dma import WishboneDMAReader, WishboneDMAWriter
from litex.soc.interconnect import stream, wishbone
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from modeloom_litex import MESSAGES
from modeloom_packets import MessagePackets, SectorPackets

__all__ = ["ModeloomDMA"]


class ModeloomDMA(LiteXModule):
    """Moves packets from memory to a core and results back, with commands and statuses if the core has streams for them.

    Each part has the registers of LiteX: ``base`` and ``length`` in bytes, ``enable``, ``done``.  A transfer has any number of sectors or
    messages.  What the core refuses gives no data, so ``writer`` then waits for more: the statuses tell.

    Parameters
    ----------
    core : ModeloomCore
        The core.
    bus_width : int
        Bits of a word of the bus.

    Attributes
    ----------
    reader, writer : WishboneDMAReader, WishboneDMAWriter
        Packets and results.
    packets : SectorPackets or MessagePackets
        Says how packets lie in memory.
    commands, statuses : WishboneDMAReader, WishboneDMAWriter
        Commands, each as the driver makes it (``modeloom_sector_command``, ``modeloom_message_command``), and statuses.  Each begins with
        a word of the bus.  Not there with ``--commands registers``.
    hosts : dict
        The Wishbone hosts of all these, by name.
    ev : EventManager
        ``results`` is there while ``writer`` is done, and ``statuses`` while ``statuses`` is.

    Raises
    ------
    ValueError
        The packets of the core do not fit the words of the bus.
    """

    def __init__(self, core, bus_width=32):
        self.bus_width = bus_width
        self.hosts = {}
        self.ev = EventManager()
        self.packets = (MessagePackets if core.description["schema"] == MESSAGES else SectorPackets)(core, bus_width)
        self.reader, self.writer = self.new_reader("reader"), self.new_writer("writer")
        self.ev.results = EventSourceLevel(description="All results are in memory.")
        self.comb += [
            self.reader.source.connect(self.packets.sink, omit={"last"}),
            self.packets.source.connect(self.writer.sink),
            self.ev.results.trigger.eq(self.writer.done),
        ]
        if hasattr(core, "command"):
            self.add_commands(core)
        self.ev.finalize()

    def add_commands(self, core):
        """Commands and statuses by DMA."""
        self.commands, self.statuses = self.new_reader("commands"), self.new_writer("statuses")
        self.ev.statuses = EventSourceLevel(description="All statuses are in memory.")
        self.commands_into = stream.Converter(self.bus_width, self.whole_words(core.command.data))
        self.statuses_out = stream.Converter(self.whole_words(core.status.data), self.bus_width)
        self.comb += [
            self.commands.source.connect(self.commands_into.sink, omit={"last"}),
            self.commands_into.source.connect(core.command, omit={"last"}),
            core.status.connect(self.statuses_out.sink, omit={"last"}),
            self.statuses_out.source.connect(self.statuses.sink, omit={"last"}),
            self.ev.statuses.trigger.eq(self.statuses.done),
        ]

    def whole_words(self, data):
        """The bits of the words that data take."""
        return -(-len(data) // self.bus_width) * self.bus_width

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
