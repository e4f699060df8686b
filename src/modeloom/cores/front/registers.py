# SPDX-License-Identifier: Apache-2.0
"""The front end with registers as files: the Verilog around a core, the map, a C header, a page, and a section of the datasheet."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from hashlib import sha256

from modeloom.cores.front.around import Around
from modeloom.cores.front.clocks import ClockOptions, ClocksFrontEnd
from modeloom.cores.front.widths import PART as CONVERTERS
from modeloom.cores.front.widths import HostShape, WidthFrontEnd, check_data_width
from modeloom.front.map import COMMANDS, PARTS, SOURCE, TAGS, Register, RegisterMap, c_header, read_map, register_page, source_text
from modeloom.interfaces import Interface
from modeloom.interfaces.front import (
    APB,
    AXI_LITE,
    FRONT_CONTROL,
    QUEUE_ERASURE,
    REGISTER_BUSES,
    STATUS_ORDER,
    WORD_BITS,
    WORD_BYTES,
    register_bus,
)
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.sector import StatusCode
from modeloom.interfaces.shared import CONTROL, KEY_BEAT_BYTES, KEY_FLAGS
from modeloom.product.core import FrontEnd, FrontPart
from modeloom.product.description import FRONT_TOOLS, Description, Files, versions
from modeloom.product.front import FrontDescription
from modeloom.product.messages import StreamDescription
from modeloom.product.page import table
from modeloom.rtl.front import STATUS_PLACES, FrontParameters, RegisterFront
from modeloom.spec import InputError
from modeloom.version import VERSION

__all__ = ["RegisterFrontEnd", "front_of"]

MOST_KEY_BYTES = 256
"""Bytes of the longest key packet for which there is room among the addresses."""

BUS_ALONE = "--register-bus is the bus of the registers of --front registers; add it, or leave this out"
COMMANDS_ALONE = "--commands registers is for --front registers; add it, or leave this out"

MOST_BLOCK_WORDS = 31
"""Words of the largest block that the register ``capabilities`` can state."""

MOST_COMMAND_WORDS = 16
"""Words for a command in the map, between ``command_data`` and ``command_submit``."""

HEADER = "modeloom_registers.h"

DRIVER = {"driver_header": "modeloom.h", "driver": "modeloom.c"}
"""The files of the driver, by their kinds in ``Files``."""

COMMAND_DRIVER = {"command_header": "modeloom_commands.h", "command_driver": "modeloom_commands.c"}
"""Those of its part for commands over registers."""

STREAMS, REGISTERS = COMMAND_WAYS = ("streams", "registers")
"""How commands and statuses go, by their names in ``--commands``."""

COMMAND_STREAMS = ("cmd", "status")
"""The streams that go over registers, by their names in the hardware."""

PINS = {"erase_pin": "zeroize", "erasing_pin": "zeroizing"}
"""Ports of the front end that have another name in the module."""

BUS_NAMES = {AXI_LITE: "AXI4-Lite", APB: "APB"}
"""The names of buses for readers."""

BUS_TITLES = {AXI_LITE: "AXI4-Lite, one access at a time", APB: "APB4, three cycles per transfer"}
"""The titles of their modules."""

TITLES = {
    "": "Registers around a core: {bus}, keys, counters, interrupt", "bus": "{module}",
    "registers": "The registers of the map", "registers_gate": "What is written, unless it is part of a key",
    "keys": "The bytes of a key, which are sent to the core and overwritten", "counters": "Counters of 64 bits",
    "command_port": "A command that is written, and a queue of statuses", "command_port_queue": "Statuses that wait for the host",
    "registers_command_data_gate": "What is written to the words of a command, and nothing else",
}  # fmt: skip
"""The titles of modules, by their names without the name of the front end."""

REFUSALS = {AXI_LITE: "SLVERR", APB: "PSLVERR"}
"""What a refused access gets."""


IN_REGISTERS = (CONTROL.member, KEY_FLAGS.member)
"""Interfaces that are no streams, and that the host reads and writes in registers."""


class RegisterFrontEnd(Around):
    """The front end of one core.

    Parameters
    ----------
    description : Description
        The core.
    bits : int, optional
        Bits of a beat of data of the host, if it is not that of the core.
    bus : str
        One of ``interfaces.front.REGISTER_BUSES``.
    commands : bool
        Whether commands and statuses go over registers.
    ordered : bool
        Whether statuses wait, as ``interfaces.front.STATUS_ORDER`` says, since there are queues for data around.
    queued : bool
        Whether there are queues around, whose erasure belongs to that of everything (``interfaces.front.QUEUE_ERASURE``).

    Raises
    ------
    InputError
        The front end does not fit the core.
    """

    kind = "registers"
    refuses = {
        ("interface", "lwc"): "--front registers is for cores with AXI4-Streams; leave out --interface lwc",
        ("keys", "inline"): "--front registers loads keys into slots, and with --keys inline they come with messages; leave one out",
    }

    def __init__(
        self, description: Description, bits: int | None = None, bus: str = AXI_LITE, commands: bool = False, ordered: bool = False,
        queued: bool = False,
    ):  # fmt: skip
        super().__init__(description)
        self.bus, self.commands, self.ordered = bus, commands, commands and ordered
        self.queued = queued
        d = description
        self.widths = None if bits is None else WidthFrontEnd(description, bits)
        # Sectors and messages have a member of this name.
        beat_bytes: int = d.beat_bytes if bits is None else bits // 8  # type: ignore[attr-defined]
        self.shape = self.inner_shape = HostShape(beat_bytes, d.key_slots)
        self.inner = d.name if self.widths is None else self.widths.top
        if lost := [one.member for one in d.interfaces if not one.stream and one.member not in IN_REGISTERS]:
            raise InputError(f"--front registers has no register for {', '.join(lost)} of this core; leave it out")
        messages = isinstance(d, StreamDescription)
        lengths = d.packet_sizes if isinstance(d, StreamDescription) else d.key_lengths
        longest = max(lengths)
        if longest > MOST_KEY_BYTES:
            raise InputError(f"--front registers takes keys of at most {MOST_KEY_BYTES} bytes, and this core takes {longest}; leave it out")
        self.codes = max(MessageCode if messages else StatusCode)
        self.key_words = -(-longest // KEY_BEAT_BYTES) * KEY_BEAT_BYTES // WORD_BYTES
        directions: tuple[str, ...] = getattr(d, "directions", ())
        major, minor, patch = (int(part) for part in VERSION.split("."))
        self.figures = {
            "MAJOR": major, "MINOR": minor, "PATCH": patch, "KIND": 2 if messages else 1, "ENCRYPT": int("encrypt" in directions),
            "DECRYPT": int("decrypt" in directions),
            "BEAT_BYTES": self.shape.beat_bytes, "KEY_SLOTS": d.key_slots, "KEY_BYTES": longest,
            "KEY_WORDS": self.key_words, "CODES": int(self.codes),
        }  # fmt: skip
        if isinstance(d, StreamDescription):
            self.figures |= _layout(d)
        self.map_parts: tuple[str, ...] = ()
        if commands:
            streams = {one.member: one.packing for one in d.interfaces if one.member in COMMAND_STREAMS}
            self.map_parts = (COMMANDS, TAGS) if messages else (COMMANDS,)
            words = -(-streams["cmd"].bits // WORD_BITS)
            if words > MOST_COMMAND_WORDS:
                raise InputError(
                    f"--commands registers takes commands of at most {4 * MOST_COMMAND_WORDS} bytes, and those of this core have "
                    f"{streams['cmd'].bits // 8}; leave it out"
                )
            self.figures |= {"COMMAND_WORDS": words, "STATUS_PLACES": STATUS_PLACES}
            if messages:
                self.figures["TAG_WORDS"] = streams["status"].field("tag").bits // WORD_BITS

    @property
    def top(self) -> str:
        """The name of the module that has the core and the front end."""
        return f"{self.description.name}_registers"

    @cached_property
    def map(self) -> RegisterMap:
        """The registers, without the hash of the core."""
        return read_map(self.figures, self.map_parts)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The interfaces of the module around both."""
        inside = ("key", *(COMMAND_STREAMS if self.commands else ()))
        past = tuple(one for one in self.description.interfaces if one.stream and one.member not in inside)
        order = (*((STATUS_ORDER,) if self.ordered else ()), *((QUEUE_ERASURE,) if self.queued else ()))
        return (FRONT_CONTROL, register_bus(self.bus, self.map.address_bits), *order, *past)

    def described(self) -> Description:
        """The description of the core, with the front end and its files."""
        d = self.description
        files: Files = replace(d.files, **self.files, registers=f"{self.top}.rdl", header=HEADER, page=f"{self.top}.html", **self.drivers)
        widths = self.widths
        front = FrontDescription(
            kind=self.kind, bus=None if self.bus == AXI_LITE else self.bus, top=self.top, verilog=f"{self.top}.v",
            address_bits=self.map.address_bits, key_words=self.key_words,
            erase_cycles=max(self._erase_cycles, 0 if widths is None else widths.erase_cycles),
            commands=REGISTERS if self.commands else None,
            registers={one.name: one.address for one in self.map.registers},
            ports=tuple(port.described for port in self.host_ports), width=None if widths is None else widths.width,
        )  # fmt: skip
        return replace(d, versions=versions(*(d.versions or {}), *FRONT_TOOLS), files=files, front=front)

    @property
    def drivers(self) -> Mapping[str, str]:
        """The files of the driver, by their kinds in ``Files``."""
        return {**DRIVER, **(COMMAND_DRIVER if self.commands else {})}

    @property
    def _erase_cycles(self) -> int:
        """Cycles in which the registers are overwritten: those of a key, and the queue of statuses."""
        return max(self.key_words + 1, STATUS_PLACES + 2 if self.commands else 0)

    def parts(self, verilog: str) -> Mapping[str, FrontPart]:
        """The registers for the core with this Verilog, and the converters."""
        component = RegisterFront(
            FrontParameters(self._map(verilog), self.description.interfaces, self.shape, self.bus, self.ordered, self.queued)
        )
        words = {"bus": BUS_NAMES[self.bus], "module": BUS_TITLES[self.bus]}
        front = FrontPart(component, {name: (title.format_map(words),) for name, title in TITLES.items()})
        return {"front": front, **({} if self.widths is None else self.widths.parts(verilog))}

    @property
    def about(self) -> str:
        """What the module has besides the core."""
        return "registers around" if self.widths is None else f"registers, and data streams of {self.widths.bits} bits, around"

    def core_net(self, port: str) -> str:
        """What a port of the core, or of the module with the converters, is connected with."""
        outer = {one.name for one in self.host_ports}
        return f"core_{port}" if port not in outer or port in PINS.values() else port

    def net(self, port: str) -> str:
        """What a port of the registers is connected with."""
        return PINS.get(port) or (port if port in ("aclk", "aresetn") or port in {one.name for one in self.host_ports} - {*PINS.values()}
                                  else f"core_{port}")  # fmt: skip

    def modules(self, parts: Mapping[str, FrontPart]) -> list[str]:
        """The modules around the core, the outermost one first."""
        inner = [] if self.widths is None else self.widths.modules({CONVERTERS: parts[CONVERTERS]})
        return [self.module("front", parts["front"]), *inner]

    def texts(self, verilog: str) -> Mapping[str, str]:
        """The map, the C header, the page, and the driver."""
        driver = {kind: (SOURCE.parent / "driver" / file).read_text(encoding="utf-8") for kind, file in self.drivers.items()}
        # The header is the same for all cores with commands over registers, and for all others.
        header = c_header(HEADER.removesuffix(".h"), PARTS if self.commands else ())
        page = register_page(self._map(verilog), f"Registers of {self.top}")
        return {"registers": self._source(verilog), "header": header, "page": page, **driver}

    def registers(self, verilog: str) -> Sequence[Register]:
        """The registers."""
        return self._map(verilog).registers

    def _map(self, verilog: str) -> RegisterMap:
        """The map for the core with this Verilog."""
        return read_map(self._numbers(verilog), self.map_parts)

    def _numbers(self, verilog: str) -> dict[str, int]:
        """The parameters of the map for the core with this Verilog."""
        return {**self.figures, "BUILD": int.from_bytes(sha256(verilog.encode()).digest()[:4], "big")}

    def _source(self, verilog: str) -> str:
        """The source of the map, with the figures of this core as defaults."""
        text = source_text(self.map_parts)
        text = text.replace("The parameters are figures of one core.", f"The parameters are those of {self.top}.")
        for name, value in self._numbers(verilog).items():
            text, count = re.subn(rf"(longint unsigned {name} = )\d+", rf"\g<1>{value}", text)
            if count != 1:
                raise ValueError(f"{SOURCE.name} has no parameter {name}")
        return text

    def sheet(self) -> list[str]:
        """The section of the datasheet."""
        what = "Keys, commands and statuses" if self.commands else "Keys"
        commands = [
            "- To submit a command, write its words to `command_data`, and then 1 to `command_submit`. While `command_state.busy` is 1, "
            "writes to both are refused. The words are zero again when the core has taken the command.",
            f"- Statuses wait in a queue of {STATUS_PLACES} places. Reading `status` takes the oldest one out of it; "
            "`status.there` is 0 if there is none. While the queue is full, the core waits, and no status is lost."
            + (" `status_tag` has the tag of the status that was read last." if TAGS in self.map_parts else ""),
        ]  # fmt: skip
        lines = [
            "## Registers", "",
            f"`{self.top}` has the core and registers behind {BUS_NAMES[self.bus]}. {what} go through the registers, and all other streams "
            f"are those of the core. One access is served at a time. A refused access gets {REFUSALS[self.bus]} and changes nothing. "
            f"`{HEADER}` has the registers for C, and `modeloom.c` is a driver.", "",
            "- To load a key, write its bytes to `key_data` and their number to `key_length`, and then its slot to `key_send`. The bytes "
            "are overwritten as soon as the core has them. While `state.key_sending` is 1, writes to both are refused. There is room for "
            f"{WORD_BYTES * self.key_words} bytes.",
            "- No register gives a key back. Reading `key_data` is refused.",
            "- A counter has 64 bits. Read its register first, and then `high`.",
            *(commands if self.commands else ()),
            f"- `zeroize` erases the key here in {self.key_words + 1} cycles, while the core erases itself.",
            *(["- It also erases the command and the statuses here."] if self.commands else ()),
            "- The registers stay as they are in an erasure, and so do the counters.", "", self.port_words(), "",
        ]  # fmt: skip
        lines += table(*self.port_table())
        rows = []
        for one in self.map.registers:
            span = f"0x{one.address:03x}" if one.words == 1 else f"0x{one.address:03x} to 0x{one.address + 4 * one.words - 4:03x}"
            rows.append([span, f"`{one.name}`", "", one.access, one.about])
            for field in one.fields:
                bits = str(field.low) if field.width == 1 else f"{field.low + field.width - 1} to {field.low}"
                rows.append(["", f"`{field.name}`", bits, "", field.about])
        lines += table(["address", "register", "bits", "access", "meaning"], rows)
        return [*([] if self.widths is None else self.widths.figures()), *lines]


def _layout(d: StreamDescription) -> dict[str, int]:
    """The figures that say how the commands of a core for messages are laid out.  Raises ``InputError`` if there is no room for them."""
    words, rest = divmod(d.block_bytes, WORD_BYTES)
    if rest or words > MOST_BLOCK_WORDS:
        raise InputError(
            f"--front registers takes blocks of whole words of {WORD_BYTES} bytes, at most {MOST_BLOCK_WORDS} of them, "
            f"and those of this core have {d.block_bytes} bytes; leave it out"
        )
    return {"STATES_TEXT": int(d.states_text), "TEXT_FIRST": int(d.text_first), "TWO_PASSES": int(d.two_passes), "BLOCK_WORDS": words}


def front_of(
    kind: str | None, data_width: int | None = None, clocks: ClockOptions | None = None, *, options: Mapping[str, object] | None = None,
    bus: str | None = None, commands: str | None = None,
) -> Callable[[Description], FrontEnd] | None:
    """What makes the front end of this kind, with data streams of this width and with these clocks, for a core; None for none of them.
    ``bus`` is that of its registers, and ``commands`` the way of commands and statuses.

    Raises ``InputError`` for an unknown one, and for ``options`` of a core that it does not fit.
    """
    if kind not in (None, RegisterFrontEnd.kind):
        raise InputError(f"--front is registers, not {kind}")
    if bus is not None and kind is None:
        raise InputError(BUS_ALONE)
    if commands not in (None, *COMMAND_WAYS):
        raise InputError(f"--commands is {' or '.join(COMMAND_WAYS)}, not {commands}")
    if commands == REGISTERS and kind is None:
        raise InputError(COMMANDS_ALONE)
    if bus not in (None, *REGISTER_BUSES):
        raise InputError(f"--register-bus is {' or '.join(REGISTER_BUSES)}, not {bus}")
    end: Callable[[Description], Around] | None = None
    if data_width is not None:
        check_data_width(data_width)
        WidthFrontEnd.check(options or {})
        end = partial(WidthFrontEnd, bits=data_width)
    if kind is not None:
        RegisterFrontEnd.check(options or {})
        end = partial(
            RegisterFrontEnd, bits=data_width, bus=bus or AXI_LITE, commands=commands == REGISTERS,
            ordered=clocks is not None and clocks.queues_results, queued=clocks is not None and clocks.queues,
        )  # fmt: skip
    if clocks is None:
        return end
    ClocksFrontEnd.check(options or {})
    clocks.check(registers=kind is not None, commands=commands == REGISTERS)
    return partial(ClocksFrontEnd, inner=end, options=clocks)
