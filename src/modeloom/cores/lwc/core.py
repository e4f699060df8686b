# SPDX-License-Identifier: Apache-2.0
"""Makes a ``Core`` of a compiled stream mode behind the LWC interface, and makes the same core again from a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from modeloom.compiler.streams import CompiledStream
from modeloom.cores.lwc.bench import bench_verilog
from modeloom.cores.lwc.cases import lwc_cases
from modeloom.cores.lwc.hardware import LwcHardware, lwc_parameters
from modeloom.cores.lwc.page import LwcAround
from modeloom.cores.lwc.sheet import RELEASED, sheet
from modeloom.cores.stream.core import StreamCore, same_stream
from modeloom.cores.stream.figures import cipher_name, directions
from modeloom.cores.stream.page import page
from modeloom.cores.stream.sections import TITLES, titles_around
from modeloom.interfaces import Interface
from modeloom.interfaces.lwc import lwc_core
from modeloom.interfaces.table import CoreShape
from modeloom.modes.by_path import seen_from
from modeloom.product.cases import Cases
from modeloom.product.core import Sheet
from modeloom.product.lwc import LwcDescription
from modeloom.product.messages import StreamDescription
from modeloom.product.page import Page
from modeloom.product.ports import top_ports

__all__ = ["LwcCore", "same_lwc"]

OWN_TITLES = {
    "bus": "The LWC interface around the message control",
    "bus_parser": "Instructions and segments of PDI: commands, beats and tags",
    "bus_parser_gate": "Passes a word on if it is an instruction or a header",
    "bus_parser_expected": "Which segments may come",
    "bus_parser_assembler": "Words of associated data and text become beats",
    "bus_loader": "Keys of SDI, which go into two slots by turns",
    "bus_loader_gate": "Passes a word on if it is an instruction or a header",
    "bus_writer": "Segments and statuses on DO",
    "bus_messages": "The message control around the pipeline",
}
"""The titles of modules, by their names without the name of the core."""


@dataclass(frozen=True)
class _Shape:
    """The figures on which the widths of ports depend."""

    beat_bytes: int
    key_slots: int = 1


class LwcCore(StreamCore):
    """The core of a compiled stream mode behind the LWC interface.

    Raises ``InputError`` if the interface does not fit the mode.
    """

    def __init__(self, compiled: CompiledStream):
        super().__init__(compiled)
        self._lwc = lwc_parameters(compiled)

    def component(self) -> LwcHardware:
        """The interface and the buses around the pipeline."""
        return LwcHardware(self.compiled)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """PDI, SDI, DO and the erasure."""
        return lwc_core(self._lwc.word_bits)

    @property
    def shape(self) -> CoreShape:
        """Bytes of a word; there are no slots to name."""
        return _Shape(self._lwc.word_bytes)

    @property
    def headline(self) -> str:
        """The mode, the width, the cipher and the directions."""
        compiled = self.compiled
        return (
            f"{compiled.mode.title}, messages of any length behind the LWC interface, words of {self._lwc.word_bits} bits, "
            f"{cipher_name(compiled)}, {' and '.join(directions(compiled))}"
        )

    @property
    def figures(self) -> str:
        """The words of a block, tags, whether the pipeline was proved, and whether plaintext leaves before its tag is checked."""
        compiled, p = self.compiled, self._lwc
        released = f" {RELEASED}" if self.describe("core", "modeloom").releases else ""
        return (
            f"Words of a block: {p.block_words}; tags of {p.tag_bytes} bytes; pipeline {'proved' if compiled.proof else 'NOT PROVED'}."
            f"{released}"
        )

    def describe(self, name: str, command: str) -> LwcDescription:
        """The contents of ``core.json``."""
        inner = super().describe(name, command)
        values = {field.name: getattr(inner, field.name) for field in fields(StreamDescription)}
        ports = tuple(port.described for port in top_ports(self.interfaces, self.shape))
        return LwcDescription(
            **values | {
                "schema": LwcDescription.SCHEMA, "interface_bits": self._lwc.word_bits, "ports": ports, "tag_bytes": (self._lwc.tag_bytes,),
            }
        )  # fmt: skip

    def sheet(self, description: StreamDescription) -> Sheet:
        """The sections of the datasheet for this core."""
        assert isinstance(description, LwcDescription)
        return sheet(self.compiled, description, super().describe(description.name, description.command))

    def page(self, description: StreamDescription) -> Page:
        """Its pipeline, diagram and definition for the HTML datasheet, behind PDI, SDI and DO."""
        return page(self.compiled, description, LwcAround(description))

    def bench(self, name: str) -> str:
        """The bench, with results from the software model."""
        return bench_verilog(self.compiled, self.describe(name, "modeloom"))

    def cases(self) -> Cases:
        """Messages and faults of the bench."""
        return lwc_cases(self.compiled, self.describe("core", "modeloom"))

    def rules(self, name: str) -> str:
        """There are none; the bench looks at the ports."""
        return ""

    def titles(self) -> Mapping[str, Sequence[str]]:
        """The titles of modules, by their names."""
        return titles_around(TITLES, OWN_TITLES)

    def seen_from(self, folder: Path) -> LwcCore:
        """The same core, where the path of the definition is relative to a folder."""
        return LwcCore(replace(self.compiled, mode=seen_from(self.compiled.mode, folder)))


def same_lwc(description: LwcDescription, folder: Path) -> LwcCore:
    """Makes a core again from its description.  The definition is compiled and proved, unless the core was built without the proof."""
    return LwcCore(same_stream(description, folder).compiled)
