# SPDX-License-Identifier: Apache-2.0
"""The front end with registers as files: the Verilog around a core, the map, a C header, and a section of the datasheet."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256

from amaranth.lib import wiring

from modeloom.cores.front.wrapper import wrapper
from modeloom.front.map import SOURCE, Register, RegisterMap, c_header, read_map
from modeloom.interfaces import Interface
from modeloom.interfaces.front import FRONT_CONTROL, WORD_BYTES, axi_lite
from modeloom.interfaces.messages import MessageCode
from modeloom.interfaces.sector import StatusCode
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.interfaces.table import CoreShape
from modeloom.product.core import FrontEnd
from modeloom.product.description import Description, Files
from modeloom.product.front import FrontDescription
from modeloom.product.lwc import LwcDescription
from modeloom.product.markdown import table
from modeloom.product.messages import StreamDescription
from modeloom.product.ports import top_ports
from modeloom.product.versions import FRONT_TOOLS, versions
from modeloom.rtl.front import FrontParameters, RegisterFront
from modeloom.spec import InputError
from modeloom.version import VERSION

__all__ = ["RegisterFrontEnd", "front_of"]

MOST_KEY_BYTES = 256
"""Bytes of the longest key packet for which there is room among the addresses."""

LWC = "--front registers is for cores with AXI4-Streams; leave out --interface lwc"
INLINE = "--front registers loads keys into slots, and with --keys inline they come with messages; leave one out"

HEADER = "modeloom_registers.h"

DRIVER = {"driver_header": "modeloom.h", "driver": "modeloom.c"}
"""The files of the driver, by their kinds in ``Files``."""

TITLES = {
    "": "Registers around a core: AXI4-Lite, keys, counters, interrupt", "bus": "AXI4-Lite, one access at a time",
    "registers": "The registers of the map", "registers_gate": "What is written, unless it is part of a key",
    "keys": "The bytes of a key, which are sent to the core and overwritten", "counters": "Counters of 64 bits",
}  # fmt: skip
"""The titles of modules, by their names without the name of the front end."""


@dataclass(frozen=True)
class _Shape:
    """The figures on which the widths of ports depend."""

    beat_bytes: int
    key_slots: int


class RegisterFrontEnd(FrontEnd):
    """The front end of one core.

    Parameters
    ----------
    description : Description
        The core.

    Raises
    ------
    InputError
        The front end does not fit the core.
    """

    kind = "registers"

    def __init__(self, description: Description):
        if isinstance(description, LwcDescription):
            raise InputError(LWC)
        self.description = d = description
        messages = isinstance(d, StreamDescription)
        if isinstance(d, StreamDescription) and d.inline:
            raise InputError(INLINE)
        lengths = d.packet_sizes if isinstance(d, StreamDescription) else d.key_lengths
        longest = max(lengths)
        if longest > MOST_KEY_BYTES:
            raise InputError(f"--front registers takes keys of at most {MOST_KEY_BYTES} bytes, and this core takes {longest}; leave it out")
        self.codes = max(MessageCode if messages else StatusCode)
        self.key_words = -(-longest // KEY_BEAT_BYTES) * KEY_BEAT_BYTES // WORD_BYTES
        # Sectors and messages have a member of this name.
        beat_bytes: int = d.beat_bytes  # type: ignore[attr-defined]
        self.shape: CoreShape = _Shape(beat_bytes, d.key_slots)
        directions: tuple[str, ...] = getattr(d, "directions", ())
        major, minor, patch = (int(part) for part in VERSION.split("."))
        self.figures = {
            "MAJOR": major, "MINOR": minor, "PATCH": patch, "KIND": 2 if messages else 1, "ENCRYPT": int("encrypt" in directions),
            "DECRYPT": int("decrypt" in directions),
            "BEAT_BYTES": beat_bytes, "KEY_SLOTS": d.key_slots, "KEY_BYTES": longest, "KEY_WORDS": self.key_words, "CODES": int(self.codes),
        }  # fmt: skip

    @property
    def top(self) -> str:
        """The name of the module that has the core and the front end."""
        return f"{self.description.name}_registers"

    @cached_property
    def map(self) -> RegisterMap:
        """The registers, without the hash of the core."""
        return read_map(self.figures)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The interfaces of the module around both."""
        past = tuple(one for one in self.description.interfaces if one.stream and one.member != "key")
        return (FRONT_CONTROL, axi_lite(self.map.address_bits), *past)

    def described(self) -> Description:
        """The description of the core, with the front end and its files."""
        d = self.description
        files: Files = replace(
            d.files, front=f"{self.top}.v", registers=f"{self.top}.rdl", header=HEADER, wrapper=f"{self.top}_sv.sv",
            ip_xact=f"{self.top}.xml", vivado_ip=f"{self.top}_ip.tcl", vivado_run=f"{self.top}_vivado.tcl", **DRIVER,
        )  # fmt: skip
        front = FrontDescription(
            kind=self.kind, top=self.top, verilog=f"{self.top}.v", address_bits=self.map.address_bits, key_words=self.key_words,
            erase_cycles=self.key_words + 1, registers={one.name: one.address for one in self.map.registers},
            ports=tuple(port.described for port in top_ports(self.interfaces, self.shape)),
        )  # fmt: skip
        return replace(d, versions=versions(*(d.versions or {}), *FRONT_TOOLS), files=files, front=front)

    def component(self, verilog: str) -> RegisterFront:
        """The hardware beside the core with this Verilog."""
        return RegisterFront(FrontParameters(read_map(self._numbers(verilog)), self.description.interfaces, self.shape))

    def titles(self) -> Mapping[str, Sequence[str]]:
        """The titles of modules."""
        return {name: (title,) for name, title in TITLES.items()}

    def around(self, component: wiring.Component) -> str:
        """The head of the file, and the module around both."""
        d = self.description
        about = f"// {self.top}: registers around the core {d.name}, which is in {d.verilog}."
        head = ["// SPDX-License-Identifier: Apache-2.0", "//", about]
        module = wrapper(
            d.name, self.top, top_ports(self.interfaces, self.shape), top_ports(d.interfaces, self.shape),
            list(component.signature.members), self.interfaces,
        )  # fmt: skip
        return "\n".join([*head, "", module])

    def texts(self, verilog: str) -> Mapping[str, str]:
        """The map, the C header, and the driver."""
        driver = {kind: (SOURCE.parent / "driver" / file).read_text(encoding="utf-8") for kind, file in DRIVER.items()}
        return {"registers": self._source(verilog), "header": c_header({}, HEADER.removesuffix(".h")), **driver}

    def registers(self, verilog: str) -> Sequence[Register]:
        """The registers."""
        return read_map(self._numbers(verilog)).registers

    def _numbers(self, verilog: str) -> dict[str, int]:
        """The parameters of the map for the core with this Verilog."""
        return {**self.figures, "BUILD": int.from_bytes(sha256(verilog.encode()).digest()[:4], "big")}

    def _source(self, verilog: str) -> str:
        """The source of the map, with the figures of this core as defaults."""
        text = SOURCE.read_text(encoding="utf-8")
        text = text.replace("The parameters are figures of one core.", f"The parameters are those of {self.top}.")
        for name, value in self._numbers(verilog).items():
            text, count = re.subn(rf"(longint unsigned {name} = )\d+", rf"\g<1>{value}", text)
            if count != 1:
                raise ValueError(f"{SOURCE.name} has no parameter {name}")
        return text

    def sheet(self) -> list[str]:
        """The section of the datasheet."""
        ports = top_ports(self.interfaces, self.shape)
        comments = {one.name: one.comment.split(":")[0] for one in self.interfaces}
        comments["clock"] = "clock and reset"
        lines = [
            "## Registers", "",
            f"`{self.top}` has the core and registers behind AXI4-Lite. Keys go through the registers, and all other streams are those of "
            f"the core. One access is served at a time. A refused access gets SLVERR and changes nothing. `{HEADER}` has the registers "
            "for C, and `modeloom.c` is a driver.", "",
            "- To load a key, write its bytes to `key_data` and their number to `key_length`, and then its slot to `key_send`. The bytes "
            "are overwritten as soon as the core has them. While `state.key_sending` is 1, writes to both are refused. There is room for "
            f"{WORD_BYTES * self.key_words} bytes.",
            "- No register gives a key back. Reading `key_data` is refused.",
            "- A counter has 64 bits. Read its register first, and then `high`.",
            f"- `zeroize` erases the key here in {self.key_words + 1} cycles, while the core erases itself.",
            "- The registers stay as they are in an erasure, and so do the counters.", "",
        ]  # fmt: skip
        lines += table(
            ["port of the top", "direction", "bits", "group"],
            [[f"`{port.name}`", "output" if port.output else "input", port.width, comments[port.stream]] for port in ports],
        )
        rows = []
        for one in self.map.registers:
            span = f"0x{one.address:03x}" if one.words == 1 else f"0x{one.address:03x} to 0x{one.address + 4 * one.words - 4:03x}"
            rows.append([span, f"`{one.name}`", "", one.access, one.about])
            for field in one.fields:
                bits = str(field.low) if field.width == 1 else f"{field.low + field.width - 1} to {field.low}"
                rows.append(["", f"`{field.name}`", bits, "", field.about])
        lines += table(["address", "register", "bits", "access", "meaning"], rows)
        return lines


def front_of(
    kind: str | None, *, keys: str | None = None, interface: str | None = None
) -> Callable[[Description], RegisterFrontEnd] | None:
    """What makes the front end of this kind for a core; None for no kind.

    Raises ``InputError`` for an unknown one, and for options ``keys`` and ``interface`` of a core that it does not fit.
    """
    if kind is None:
        return None
    if kind != RegisterFrontEnd.kind:
        raise InputError(f"--front is registers, not {kind}")
    if interface == "lwc" or keys == "inline":
        raise InputError(LWC if interface == "lwc" else INLINE)
    return RegisterFrontEnd
