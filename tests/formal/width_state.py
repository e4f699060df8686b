# SPDX-License-Identifier: Apache-2.0
"""A state of the converters of ``--data-width``, and what is assumed of the core and of the host.

::

    s_axis ──▶ entry ──▶ rule ──▶ into ──▶ core_s_axis          core_m_axis ──▶ back ──▶ m_axis

``into`` and ``back`` are each a part that gathers narrow beats or one that splits wide ones.  A channel ``c`` is fixed for the whole proof,
and is any.  A byte of it is followed from the cycle in which its beat is taken (``width_rules``)::

    IDLE ──▶ THERE, at ``index`` in what waits ──▶ GONE
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tests.formal.bits import WIDE, Bits, all_of, any_of, concat, constant, fresh
from tests.formal.machine import Machine, State

from modeloom.rtl.width import WidthParameters, channels_of, packet_beat, seen_beat

__all__ = ["BAD", "GONE", "IDLE", "INDEX", "THERE", "Beat", "Converters", "byte_of", "front", "ones"]

IDLE, THERE, GONE = range(3)
INDEX = 8
"""Bits of the place of a byte in a beat of up to 128 bytes, and of a number of bytes."""

BAD = 2
"""``tkeep`` of a beat that no packet may have, which the core gets in the place of a wrong one."""


def byte_of(data: Bits, place: Bits) -> Bits:
    """A byte of a beat."""
    return (data >> (place.extend(data.width) << 3))[:8]


def bit_of(bits: Bits, place: Bits) -> Bits:
    """A bit."""
    return (bits >> place.extend(bits.width))[0]


def front(keep: Bits) -> Bits:
    """Whether the bytes that are there stand in front."""
    return ~any_of(~keep[at] & keep[at + 1] for at in range(keep.width - 1))


def ones(keep: Bits) -> Bits:
    """The number of bytes that stand in front."""
    result = constant(0, WIDE)
    for at in range(keep.width):
        result = keep[at].choose(constant(at + 1, WIDE), result)
    return result


def masked(data: Bits, keep: Bits) -> Bits:
    """Zeros in the place of bytes that are not there."""
    return data & concat(keep[at].choose(constant(255, 8), constant(0, 8)) for at in range(keep.width))


@dataclass
class Beat:
    """A beat on a stream or in a register, whether it is there, and whether what comes after takes it."""

    valid: Bits
    ready: Bits
    payload: Bits
    fields: Mapping[str, Bits]

    def __getitem__(self, name: str) -> Bits:
        return self.fields.get(name, constant(0, 1))

    @property
    def moves(self) -> Bits:
        """A transfer in this cycle."""
        return self.valid & self.ready

    def of(self, channel: Bits) -> Bits:
        """Whether it belongs to a channel.  With one channel, beats do not name it."""
        return self.fields["channel"].equals(channel) if "channel" in self.fields else constant(1, 1)

    def same(self, other: Beat) -> Bits:
        """Whether both have the same payload."""
        return self.payload.equals(other.payload)


def unpacked(bits: Bits, layout: Any) -> dict[str, Bits]:
    """The fields of a beat."""
    return {name: bits[layout[name].offset : layout[name].offset + layout[name].width] for name in layout.members}


class Converters:
    """A state of converters, with what is followed in one of their directions."""

    WIDTHS: ClassVar[dict[str, int]] = {"where": 2, "index": INDEX, "byte": 8, "used": 1, "begun": 1, "ended": 1}
    PORTS: ClassVar[dict[str, str]] = {"data": "tdata", "keep": "tkeep", "last": "tlast", "channel": "tid", "cut": "tuser"}
    inward: ClassVar[bool] = True
    """Whether the direction is that of the data of the host."""

    def __init__(self, state: State, p: WidthParameters, values: dict[str, Bits], channel: Bits):
        self.state, self.p, self.values, self.channel = state, p, values, channel
        self.pick, self.place = fresh(f"{state.label}.pick", 1), fresh(f"{state.label}.place", INDEX)
        self.narrow, self.wide = sorted((p.host_bytes, p.core_bytes))
        self.ratio = self.wide // self.narrow

    @classmethod
    def any(cls, machine: Machine, p: WidthParameters, label: str) -> Any:
        """Any state."""
        values = {name: fresh(f"{label}.{name}", width) for name, width in cls.WIDTHS.items()}
        return cls(machine.free(label), p, values, fresh("channel", 8))

    @classmethod
    def nothing(cls, state: State, p: WidthParameters) -> Any:
        """A state in which nothing is followed."""
        return cls(state, p, {name: constant(0, width) for name, width in cls.WIDTHS.items()}, fresh("channel", 8))

    def __getitem__(self, name: str) -> Bits:
        return self.values[name] if name in self.values else self.state[name]

    def next(self) -> Any:
        """The state of the cycle after.  An erasure ends what is followed."""
        values = self.followed() | {"used": constant(1, 1)}
        quiet = self.quiet
        t = type(self)(self.state.next(), self.p, {}, self.channel)
        t.values = {name: quiet.choose(values[name], constant(0, width)) for name, width in self.WIDTHS.items()}
        return t

    def followed(self) -> dict[str, Bits]:
        """The variables of the cycle after."""
        return dict(self.values) | {"begun": self.seen.moves.choose(~self.seen["last"], self["begun"])}

    def port(self, name: str) -> Beat:
        """A stream of the ports."""
        out = "m_axis" in name
        layout = packet_beat(
            self.p.core_bytes if name.startswith("core") else self.p.host_bytes, channels=self.p.channels, cut=self.p.cut and out
        )  # fmt: skip
        fields = {field: self.state[f"{name}_{self.PORTS[field]}"] for field in layout.members}
        return Beat(self.state[f"{name}_tvalid"], self.state[f"{name}_tready"], concat(fields.values()), fields)

    # -- erasure ----------------------------------------------------------------------------------------------------------------

    @property
    def quiet(self) -> Bits:
        """No erasure and no reset, in this cycle."""
        return self["aresetn"] & ~self["zeroize"] & ~self["zeroizing"]

    @property
    def sweeps(self) -> Bits:
        """The words of channels are being erased."""
        return self["sweep_reg"] | self["last_reg"]

    @property
    def part(self) -> str:
        """The part of the Verilog that converts."""
        return "into" if self.inward else "back"

    # -- what is kept of a channel -----------------------------------------------------------------------------------------------

    def context_of(self, channel: Bits) -> Bits:
        """The number of a channel among the words; those that the core does not have share one."""
        bits, count = channels_of(self.p.channels).bits, self.p.channels
        return channel[:bits] if channels_of(count).words == count else (channel < count).choose(channel, constant(count, 8))[:bits]

    def word(self, context: Bits | None = None) -> Bits:
        """What is kept of the channel, or in another word, in the part that converts."""
        if self.p.channels == 1:
            return self[f"{self.part}.kept_reg"]
        memories, name = (c for c in self.state.machine.netlist.cells if c.type == "$mem_v2"), f"{self.part}.of_channels."
        (cell,) = (memory for memory in memories if memory.name.startswith(name))
        return self.state.word(cell, self.channel if context is None else context)

    @property
    def kept_bytes(self) -> Bits:
        """The number of bytes that are kept."""
        return self.word()[: (self.ratio - 1).bit_length()].wide * self.narrow

    @property
    def kept(self) -> Bits:
        """The bytes that are kept, with zeros behind them."""
        return self.word()[(self.ratio - 1).bit_length() :].extend(8 * self.wide)

    # -- beats inside ------------------------------------------------------------------------------------------------------------

    @property
    def seen(self) -> Beat:
        """The beat between the rule and the part that converts."""
        bits = self["rule_o_payload"]
        valid = self["rule_o_valid"] if self.p.parts else self["entry_o_valid"]
        fields = unpacked(bits, seen_beat(packet_beat(self.p.host_bytes, channels=self.p.channels)))
        # A part that splits beats does not ask whether they end the associated data, so no wire of the payload says so.
        ends = fields["last"] | self["rule.ends_associated"] if self.p.parts else fields["last"]
        return Beat(valid, self["into_i_ready"], bits, fields | {"ends": ends})


def surroundings(s: Converters) -> Bits:
    """The core erases itself only with the converters, gives nothing then, and gives beats as they are proved of its buses."""
    results = s.port("core_m_axis")
    keep, full = results["keep"], results["keep"].equals((1 << s.p.core_bytes) - 1)
    empty = results["data"].equals(0) & keep.equals(0)
    return all_of([
        s["core_zeroizing"].implies(~s["aresetn"] | s["zeroize"] | s.sweeps | ~s["used"]),
        (s["zeroizing"] & ~s["zeroize"]).implies(~results.valid),
        results.valid.implies(front(keep) & (full | results["last"])), results.valid | empty & ~results["last"] & ~results["cut"],
        masked(results["data"], keep).equals(results["data"]), s.channel < s.p.channels if s.p.channels < 256 else constant(1, 1),
        (s.channel.equals(0) if s.p.channels == 1 else constant(1, 1)),
        (results["channel"] < s.p.channels) if 1 < s.p.channels < 256 else constant(1, 1),
    ])  # fmt: skip


def what_the_core_offers_stays(s: Converters, t: Converters) -> Bits:
    """The rule of AXI4-Stream on ``core_m_axis``, which is proved of the buses of cores."""
    here, then = s.port("core_m_axis"), t.port("core_m_axis")
    return (s.quiet & here.valid & ~here.ready).implies(then.valid & then.same(here))


def words_are_erased(s: Converters) -> Bits:
    """Invariant: a sweep leaves a zero in the word of the channel, and the core then runs with it."""
    if s.p.channels == 1 or not s.gathers:
        return constant(1, 1)
    bits, zero = channels_of(s.p.channels).bits, s.word().equals(0)
    where = f"{s.part}.of_channels" + (".words" if s.inward else "")
    writes = s[f"{where}.erase_reg"] & s[f"{where}.erase_address_reg"].equals(s.channel[:bits])
    sweep, last = s["sweep_reg"], s["last_reg"]
    return all_of([
        (sweep & (s.channel[:bits] < s["address_reg"])).implies(zero | writes), (~sweep & last).implies(zero | writes),
        (~sweep & ~last & ~s["used"]).implies(zero), s[f"{where}.erase_reg"].implies(last), s["used"].implies(~sweep & ~last),
        sweep.implies(s["address_reg"] <= max(2, channels_of(s.p.channels).words) - 1),
    ])  # fmt: skip
