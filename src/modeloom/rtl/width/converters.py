# SPDX-License-Identifier: Apache-2.0
"""The converters beside a core.

::

    s_axis ──▶ [slice] ──▶ rule ──▶ gather or split ──▶ core_s_axis        s_axis_cmd ──▶ rule, for messages
    core_m_axis ──▶ gather or split ──▶ m_axis, in the same cycle
    zeroize, core_zeroizing ──▶ reset of all of it, and zeros to what is kept for each channel

The core sees the last beat of a packet taken when the host takes it.  So a status still comes after all data of its packet.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import ClockDomain, ClockSignal, Const, Module, ResetInserter, ResetSignal, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.data import StructLayout
from amaranth.lib.wiring import In, Out

from modeloom.rtl.bus.register_slice import RegisterSlice
from modeloom.rtl.width.beats import context_bits, contexts, is_own, packet_beat
from modeloom.rtl.width.gather import Gather
from modeloom.rtl.width.rules import LENGTH_BITS, MessageRule, SolidRule
from modeloom.rtl.width.split import DirectSplit, Split

__all__ = ["WidthConverters", "WidthParameters"]

PORTS = {"tdata": "data", "tkeep": "keep", "tlast": "last", "tid": "channel", "tuser": "cut"}
"""The names of ports, and of the fields of a beat."""


@dataclass(frozen=True)
class WidthParameters:
    """The figures of converters.

    Attributes
    ----------
    core_bytes, host_bytes : int
        Bytes of a beat on both sides: powers of two that differ.
    channels : int
    cut : bool
        Whether results have ``tuser``.
    parts : bool
        Whether associated data and text each begin with a beat of their own.
    """

    core_bytes: int
    host_bytes: int
    channels: int = 1
    cut: bool = False
    parts: bool = False

    def __post_init__(self) -> None:
        for name in ("core_bytes", "host_bytes"):
            value = getattr(self, name)
            if value < 2 or value & value - 1:
                raise ValueError(f"{name} is a power of two, at least 2, not {value}")
        if self.core_bytes == self.host_bytes:
            raise ValueError("core_bytes and host_bytes differ")

    def beat(self, nbytes: int, out: bool) -> StructLayout:
        """A beat of data in or out."""
        return packet_beat(nbytes, channels=self.channels, cut=self.cut and out)


class WidthConverters(wiring.Component):
    """Converts data in and data out.

    The narrower side of each stream has a beat in every cycle if the other side does not hold it up.  No output depends on an input of
    the same cycle on the side of the host.

    Parameters
    ----------
    parameters : WidthParameters

    Members
    -------
    aclk, aresetn : In
        Those of the core.
    zeroize, core_zeroizing, zeroizing : In, In, Out
        What erases the core, what it says, and whether the core or the converters are being erased.
    s_axis_*, m_axis_* : the data streams of the host
    core_s_axis_*, core_m_axis_* : those of the core, seen from the other side
    s_axis_cmd_*, core_s_axis_cmd_*, associated, channel
        With *parts* only: the handshakes of commands, and fields of the command that the host offers.
    """

    def __init__(self, parameters: WidthParameters):
        self.parameters = p = parameters
        members: dict[str, In | Out] = {
            "aclk": In(1), "aresetn": In(1), "zeroize": In(1), "core_zeroizing": In(1), "zeroizing": Out(1),
        }  # fmt: skip
        for name, nbytes, out, driven in (
            ("s_axis", p.host_bytes, False, In), ("core_s_axis", p.core_bytes, False, Out),
            ("core_m_axis", p.core_bytes, True, In), ("m_axis", p.host_bytes, True, Out),
        ):  # fmt: skip
            layout = p.beat(nbytes, out)
            members |= {f"{name}_tvalid": driven(1), f"{name}_tready": (Out if driven is In else In)(1)}
            members |= {f"{name}_{port}": driven(layout[field].width) for port, field in PORTS.items() if field in layout.members}
        if p.parts:
            members |= {
                "s_axis_cmd_tvalid": In(1), "s_axis_cmd_tready": Out(1), "core_s_axis_cmd_tvalid": Out(1), "core_s_axis_cmd_tready": In(1),
                "associated": In(LENGTH_BITS), **({"channel": In(8)} if p.channels > 1 else {}),
            }  # fmt: skip
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.parameters
        m.domains.sync = ClockDomain("sync")
        m.d.comb += [ClockSignal().eq(self.aclk), ResetSignal().eq(~self.aresetn)]
        held, erase, address = self._erasure(m)
        reset_all = Signal()
        m.d.comb += reset_all.eq(held | self.zeroize)
        reset = ResetInserter(reset_all)

        host, core = p.beat(p.host_bytes, False), p.beat(p.core_bytes, False)
        host_out, core_out = p.beat(p.host_bytes, True), p.beat(p.core_bytes, True)
        bits = len(address)
        narrows = p.host_bytes > p.core_bytes
        rule = MessageRule(host, p.host_bytes, p.channels, bits) if p.parts else SolidRule(host)
        into = Split(host, core) if narrows else Gather(host, core, p.channels, bits)
        back = Gather(core_out, host_out, p.channels, bits, direct=True) if narrows else DirectSplit(core_out, host_out)
        entry = RegisterSlice(host)
        for name, part in (("entry", entry), ("rule", rule), ("into", into), ("back", back)):
            m.submodules[name] = reset(part)
        for part in (rule, into, back):
            if isinstance(part, (MessageRule, Gather)):
                m.d.comb += [part.erase.eq(erase), part.erase_address.eq(address)]
        wiring.connect(m, entry.o, rule.i)
        wiring.connect(m, rule.o, into.i)
        # A beat that is there while all is held in reset waits on the bus.
        self._from(m, "s_axis", entry.i, ~held)
        own: Value = Const(1, 1)
        if p.channels > 1:
            # What names a channel that the core does not have: its beats are dropped here, and its commands have no packets.
            own = is_own(self.channel, p.channels) if p.parts else own
            m.d.comb += entry.i.valid.eq(self.s_axis_tvalid & ~held & is_own(self.s_axis_tid, p.channels))
        self._to(m, "core_s_axis", into.o)
        self._from(m, "core_m_axis", back.i, 1)
        if isinstance(back, Gather):
            m.d.comb += back.i.payload.ends.eq(self.core_m_axis_tlast)
        self._to(m, "m_axis", back.o)
        if isinstance(rule, MessageRule):
            may = Signal(name="command_may")
            m.d.comb += [
                may.eq(~rule.full & ~held), self.core_s_axis_cmd_tvalid.eq(self.s_axis_cmd_tvalid & may),
                self.s_axis_cmd_tready.eq(self.core_s_axis_cmd_tready & may),
                rule.put.eq(self.s_axis_cmd_tvalid & self.s_axis_cmd_tready & own), rule.associated.eq(self.associated),
            ]  # fmt: skip
            if p.channels > 1:
                m.d.comb += rule.channel.eq(self.channel)
        return m

    def _erasure(self, m: Module) -> tuple[Signal, Signal, Signal]:
        """Whether all is held in reset; and the word to which zeros are written."""
        p, held = self.parameters, Signal(name="held")
        sweep_reg = Signal(init=1)
        address_reg = Signal(context_bits(p.channels))
        with m.If(self.zeroize):
            m.d.sync += [sweep_reg.eq(1), address_reg.eq(0)]
        with m.Elif(sweep_reg):
            m.d.sync += [address_reg.eq(address_reg + 1), sweep_reg.eq(address_reg != max(2, contexts(p.channels)) - 1)]
        # The word is written in the cycle after its number is given.
        last_reg = Signal(init=1)
        m.d.sync += last_reg.eq(sweep_reg)
        m.d.comb += [held.eq(self.core_zeroizing | sweep_reg | last_reg), self.zeroizing.eq(held)]
        return held, sweep_reg, address_reg

    def _from(self, m: Module, name: str, stream: object, may: object) -> None:
        """A stream of the ports that is taken here."""
        payload = stream.payload  # type: ignore[attr-defined]
        m.d.comb += [
            stream.valid.eq(getattr(self, f"{name}_tvalid") & may),  # type: ignore[attr-defined]
            getattr(self, f"{name}_tready").eq(stream.ready & may),  # type: ignore[attr-defined]
        ]
        for port, field in PORTS.items():
            if f"{name}_{port}" in self.signature.members:
                m.d.comb += payload[field].eq(getattr(self, f"{name}_{port}"))

    def _to(self, m: Module, name: str, stream: object) -> None:
        """A stream of the ports that is given here."""
        m.d.comb += [
            getattr(self, f"{name}_tvalid").eq(stream.valid), stream.ready.eq(getattr(self, f"{name}_tready")),  # type: ignore[attr-defined]
        ]  # fmt: skip
        for port, field in PORTS.items():
            if f"{name}_{port}" in self.signature.members:
                m.d.comb += getattr(self, f"{name}_{port}").eq(stream.payload[field])  # type: ignore[attr-defined]
