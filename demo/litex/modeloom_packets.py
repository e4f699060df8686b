# SPDX-License-Identifier: Apache-2.0
"""Packets of the data streams of a core, made of words that DMA reads.

Sectors lie in memory one after another.  A message begins with its lengths, since memory has no ends of packets::

    word   0            1            2 ...                         then
           bytes of     bytes of     the first part, and zeros     the second part, and zeros
           the first    the second   up to a whole word            up to a whole word

The first part is the associated data, and the second one is the text.  If associated data and text touch each other in the packets of a
core (``--packet wire``), the first part is empty and the second one has all bytes.  Lengths are little-endian numbers of 32 bits.  On a
bus of 64 bits, both are in one word.
"""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from litex.soc.interconnect.csr import CSRStorage
from migen import FSM, If, Mux, NextState, NextValue, Signal

__all__ = ["MessagePackets", "SectorPackets"]

LENGTH_BITS = 32


class SectorPackets(LiteXModule):
    """Ends sectors with ``last``.  The reader knows the end of a transfer alone, which may have many sectors.

    Parameters
    ----------
    core : ModeloomCore
    bus_width : int
        Bits of a word.  Converters join or part words if the core has another width.

    Attributes
    ----------
    sink, source : Endpoint
        Words from the reader, and words for the writer.
    sector : CSRStorage
        Beats of a sector, for cores with several sizes.

    Raises
    ------
    ValueError
        A sector is no whole number of words or beats.
    """

    def __init__(self, core, bus_width):
        beat = len(core.sink.data)
        sizes = [size["sector_bytes"] for size in core.description["sizes"]]
        if wrong := [size for size in sizes if 8 * size % beat or 8 * size % bus_width]:
            raise ValueError(f"sectors of {wrong[0]} bytes are no whole number of words of {bus_width} bits and beats of {beat} bits")
        self.into, self.out = stream.Converter(bus_width, beat), stream.Converter(beat, bus_width)
        self.sink, self.source = self.into.sink, self.out.source
        self.sector = CSRStorage(16, reset=8 * sizes[0] // beat, description="Beats of a sector, for cores with several sizes.")
        left = Signal(16, reset=8 * sizes[0] // beat - 1)
        taken = Signal()
        self.comb += [
            self.into.source.connect(core.sink, omit={"last"}),
            core.sink.keep.eq(2 ** len(core.sink.keep) - 1),
            core.sink.last.eq(left == 0),
            taken.eq(core.sink.valid & core.sink.ready),
            core.source.connect(self.out.sink, omit={"last", "keep"}),  # with "last", the writer would end with the first sector
        ]
        self.sync += If(self.sector.re | (taken & (left == 0)), left.eq(self.sector.storage - 1)).Elif(taken, left.eq(left - 1))


class MessagePackets(LiteXModule):
    """Makes packets of messages, whose lengths come first.  Text of the core goes to the writer, each message from a new word on.

    A last word has zeros behind its bytes, as the core gives them.  A word takes one cycle, and the lengths take one for each of their
    words.

    Parameters
    ----------
    core : ModeloomCore
    bus_width : int
        Bits of a word, which are those of a beat.

    Attributes
    ----------
    sink, source : Endpoint
        Words from the reader, and words for the writer.

    Raises
    ------
    ValueError
        The core has beats of another width.
    """

    def __init__(self, core, bus_width):
        beat = len(core.sink.data)
        if beat != bus_width:
            raise ValueError(f"beats of {beat} bits do not fit words of {bus_width} bits; build the core with --data-width {bus_width}")
        self.sink, self.source = stream.Endpoint([("data", bus_width)]), stream.Endpoint([("data", bus_width)])
        self.fsm = FSM(reset_state="LENGTHS")
        first, second = (Signal(LENGTH_BITS) for _ in range(2))
        self.read_lengths(first, second, bus_width)
        self.send(core.sink, first, second)
        # A beat without bytes ends text that was cut off. Without "last", the writer goes on with the next message.
        empty = core.source.keep == 0
        self.comb += [
            self.source.data.eq(core.source.data),
            self.source.valid.eq(core.source.valid & ~empty),
            core.source.ready.eq(self.source.ready | empty),
        ]

    def read_lengths(self, first, second, bus_width):
        """Takes the words with the lengths."""
        data = self.sink.data
        if bus_width == LENGTH_BITS:
            self.fsm.act("LENGTHS", self.sink.ready.eq(1), If(self.sink.valid, NextValue(first, data), NextState("SECOND")))
            state, lengths, there = "SECOND", [NextValue(second, data)], first | data
        else:
            lengths = [NextValue(first, data[:LENGTH_BITS]), NextValue(second, data[LENGTH_BITS : 2 * LENGTH_BITS])]
            state, there = "LENGTHS", data[: 2 * LENGTH_BITS]
        begin = If(there != 0, NextState("WORDS")).Else(NextState("EMPTY"))
        self.fsm.act(state, self.sink.ready.eq(1), If(self.sink.valid, *lengths, begin))

    def send(self, packet, first, second):
        """Sends the beats of a packet."""
        size = len(packet.keep)
        left, in_first, ends = Signal(LENGTH_BITS), Signal(), Signal()
        self.comb += [
            in_first.eq(first != 0),
            left.eq(Mux(in_first, first, second)),
            ends.eq(left <= size),
            packet.data.eq(self.sink.data),
        ]
        after = Mux(ends, 0, left - size)
        self.fsm.act(
            "WORDS",
            packet.valid.eq(self.sink.valid),
            self.sink.ready.eq(packet.ready),
            [packet.keep[byte].eq(left > byte) for byte in range(size)],
            packet.last.eq(ends & (~in_first | (second == 0))),
            If(
                packet.valid & packet.ready,
                If(in_first, NextValue(first, after)).Else(NextValue(second, after)),
                If(packet.last, NextState("LENGTHS")),
            ),
        )
        # A message without associated data and text has one beat without bytes, and no word in memory.
        self.fsm.act("EMPTY", packet.valid.eq(1), packet.last.eq(1), If(packet.ready, NextState("LENGTHS")))
