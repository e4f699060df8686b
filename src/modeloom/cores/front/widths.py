# SPDX-License-Identifier: Apache-2.0
"""The converters of a core: data streams that are wider or narrower than those of the core."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from modeloom.cores.front.around import Around
from modeloom.interfaces import Interface
from modeloom.interfaces.shared import DATA_IN, DATA_OUT
from modeloom.product.core import FrontPart
from modeloom.product.description import Description
from modeloom.product.front import FrontDescription, WidthDescription, WidthRate
from modeloom.product.messages import StreamDescription
from modeloom.product.page import table
from modeloom.protocol.contract import FORMS
from modeloom.rtl.width import WidthConverters, WidthParameters, channels_of
from modeloom.spec import InputError

__all__ = ["DATA_WIDTHS", "HostShape", "WidthFrontEnd", "check_data_width"]

DATA_WIDTHS = (32, 64, 128, 256, 512, 1024)
"""Bits of a beat of data that the converters give."""

LEAST_SWEEP = 3
"""Cycles of an erasure besides those of the words of each channel."""

PART = "converters"
"""The end of the name of their module."""

TITLES = {
    "": "Converters between the data streams of the core and those of the host", "entry": "A register for beats of the host",
    "rule": "Which beats end a part of a packet, and which no packet has",
    "into": "Data in, in beats of the core", "back": "Data out, in beats of the host",
}  # fmt: skip
"""The titles of modules, by their names without the name of the converters."""


def check_data_width(bits: int) -> None:
    """Raises ``InputError`` for a width that no converter has."""
    if bits not in DATA_WIDTHS:
        *others, last = map(str, DATA_WIDTHS)
        raise InputError(f"--data-width must be {', '.join(others)} or {last}, not {bits}")


@dataclass(frozen=True)
class HostShape:
    """The figures on which the widths of ports depend."""

    beat_bytes: int
    key_slots: int


class WidthFrontEnd(Around):
    """Converters around one core.

    Parameters
    ----------
    description : Description
        The core.
    bits : int
        Bits of a beat of data of the host.

    Raises
    ------
    InputError
        The core has this width, or no data streams.
    """

    refuses = {
        ("interface", "lwc"): "--data-width is for cores with AXI4-Streams; leave out --interface lwc",
        **{
            ("order", form.order) if form.order else ("packet", form.name): f"--data-width is for packets {form.cut_up}; leave it out, or "
            f"--{f'order {form.order}' if form.order else f'packet {form.name}'}" for form in FORMS.values() if form.cut_up
        },
    }  # fmt: skip

    def __init__(self, description: Description, bits: int):
        super().__init__(description)
        self.bits, self.host_bytes, self.inner = bits, bits // 8, description.name
        # Sectors and messages have a member of this name.
        self.core_bytes: int = description.beat_bytes  # type: ignore[attr-defined]
        if self.host_bytes == self.core_bytes:
            raise InputError(f"--data-width {bits} is the width that this core has; leave it out")
        self.inner_shape = HostShape(self.core_bytes, description.key_slots)
        self.shape = HostShape(self.host_bytes, description.key_slots)
        streams = {one.name: one for one in description.interfaces}
        self.commands: Interface = streams["s_axis_cmd"]
        messages = description if isinstance(description, StreamDescription) else None
        self.parameters = WidthParameters(
            core_bytes=self.core_bytes, host_bytes=self.host_bytes, channels=1 if messages is None else messages.channels,
            cut=any(port.name == "tuser" for port in streams[DATA_OUT.name].payload),
            parts=messages is not None and len(messages.form.layout(0)) > 1,
        )  # fmt: skip

    @property
    def top(self) -> str:
        """The name of the module that has the core and the converters."""
        return f"{self.description.name}_width"

    @property
    def about(self) -> str:
        """What the module has besides the core."""
        return f"data streams of {self.bits} bits around"

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """Those of the core."""
        return self.description.interfaces

    @cached_property
    def part(self) -> FrontPart:
        """The hardware."""
        return FrontPart(WidthConverters(self.parameters), {name: (title,) for name, title in TITLES.items()})

    def parts(self, verilog: str) -> Mapping[str, FrontPart]:
        """The converters."""
        return {PART: self.part}

    def core_net(self, port: str) -> str:
        """What a port of the core is connected with."""
        names: tuple[str, ...] = (f"{DATA_IN.name}_t", f"{DATA_OUT.name}_t", "zeroizing")
        if self.parameters.parts:
            names += ("s_axis_cmd_tvalid", "s_axis_cmd_tready")
        return f"core_{port}" if port.startswith(names) else port

    def net(self, port: str) -> str:
        """What a port of the converters is connected with."""
        if port not in ("associated", "channel"):
            return port
        bits = self.commands.packing.slice(port)
        return f"s_axis_cmd_tdata[{bits.stop - 1}:{bits.start}]"

    @property
    def erase_cycles(self) -> int:
        """Cycles of an erasure, at most."""
        return LEAST_SWEEP + channels_of(self.parameters.channels).swept

    @property
    def rates(self) -> tuple[WidthRate, ...]:
        """What the core processes with streams of this width."""
        return tuple(
            WidthRate(what=rate.what, bytes=rate.bytes, interval=max(rate.interval, -(-rate.bytes // self.host_bytes)))
            for rate in self.description.rates
        )

    @property
    def width(self) -> WidthDescription:
        """What ``core.json`` says of the converters."""
        return WidthDescription(top=self.top, bits=self.bits, rates=self.rates, erase_cycles=self.erase_cycles)

    def described(self) -> Description:
        """The description of the core, with the front end and its files."""
        d = self.description
        front = FrontDescription(
            kind="width", top=self.top, verilog=f"{self.top}.v", width=self.width, erase_cycles=self.erase_cycles, registers={},
            ports=tuple(port.described for port in self.host_ports),
        )  # fmt: skip
        return replace(d, files=replace(d.files, **self.files), front=front)

    def sheet(self) -> list[str]:
        """The section of the datasheet."""
        return [*self.figures(), self.port_words(), "", *table(*self.port_table())]

    def figures(self) -> list[str]:
        """The part of the datasheet on widths."""
        d = self.description
        lines = [
            "## Width of the data streams", "",
            f"`s_axis` and `m_axis` of the module around the core have {self.bits} bits. Those of the core have {8 * self.core_bytes}. "
            "Converters stand between them. The narrower side can move a beat in every cycle.", "",
        ]  # fmt: skip
        for bare, rate in zip(d.rates, self.rates, strict=True):
            limit = "the core is the limit" if rate.interval == bare.interval else f"the core alone takes {bare.interval}"
            cycles = f"{rate.interval} cycle{'s' * (rate.interval != 1)}"
            lines.append(f"- A {rate.what} of {rate.bytes} bytes takes {cycles} in a steady state ({limit}).")
        lines += [
            "- A packet has the same form as in a core of this width: every beat is full, except for the last one"
            + (" of the associated data and of the text." if self.parameters.parts else "."),
            *(["- A beat waits for the command of its message."] if self.parameters.parts else []),
            "- A beat that no packet has there is refused with `BAD_KEEP`. In a core that is wider than the streams, the beats before it "
            "in the same beat of the core go with it.",
            f"- `zeroize` erases the converters in {self.erase_cycles} cycles, while the core erases itself.", "",
        ]  # fmt: skip
        return lines
