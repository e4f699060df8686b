# SPDX-License-Identifier: Apache-2.0
"""Makes a ``Core`` of a compiled stream mode behind the LWC interface, and makes the same core again from a folder."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import ClassVar

from modeloom.cores.lwc.bench import bench_verilog
from modeloom.cores.lwc.cases import lwc_cases
from modeloom.cores.lwc.sheet import RELEASED, sheet
from modeloom.cores.stream.core import StreamCore, same_stream
from modeloom.cores.stream.figures import cipher_name, directions
from modeloom.layers.lwc import LwcInterface
from modeloom.layers.lwc.parameters import LwcParameters
from modeloom.modes.by_path import seen_from
from modeloom.product.cases import Cases
from modeloom.product.core import Sheet
from modeloom.product.lwc import LwcDescription
from modeloom.product.messages import StreamDescription
from modeloom.product.ports import top_ports

__all__ = ["LwcCore", "same_lwc"]

class LwcCore(StreamCore):
    """The core of a compiled stream mode behind the LWC interface.

    Raises ``InputError`` if the interface does not fit the mode.
    """

    unverified: ClassVar[str] = RELEASED

    @property
    def _words(self) -> LwcParameters:
        """The sizes of the interface, which is the outermost layer."""
        assert isinstance(self.top, LwcInterface)
        return self.top.words

    @property
    def headline(self) -> str:
        """The mode, the width, the cipher and the directions."""
        compiled = self.compiled
        return (
            f"{compiled.mode.title}, messages of any length behind the LWC interface, words of {self._words.word_bits} bits, "
            f"{cipher_name(compiled)}, {' and '.join(directions(compiled))}"
        )

    @property
    def figures(self) -> str:
        """The words of a block, tags, whether the pipeline was proved, and whether plaintext leaves before its tag is checked."""
        compiled, p = self.compiled, self._words
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
                "schema": LwcDescription.SCHEMA, "interface_bits": self._words.word_bits, "ports": ports,
                "tag_bytes": (self._words.tag_bytes,),
            }
        )  # fmt: skip

    def sheet(self, description: StreamDescription) -> Sheet:
        """The sections of the datasheet for this core."""
        assert isinstance(description, LwcDescription)
        return sheet(self.stack, description, super().describe(description.name, description.command))

    def bench(self, name: str) -> str:
        """The bench, with results from the software model."""
        return bench_verilog(self.compiled, self.describe(name, "modeloom"))

    def cases(self) -> Cases:
        """Messages and faults of the bench."""
        return lwc_cases(self.compiled, self.describe("core", "modeloom"))

    def rules(self, name: str) -> str:
        """There are none; the bench looks at the ports."""
        return ""

    def seen_from(self, folder: Path) -> LwcCore:
        """The same core, where the path of the definition is relative to a folder."""
        return LwcCore(replace(self.compiled, mode=seen_from(self.compiled.mode, folder)))


def same_lwc(description: LwcDescription, folder: Path) -> LwcCore:
    """Makes a core again from its description.  The definition is compiled and proved, unless the core was built without the proof."""
    return LwcCore(same_stream(description, folder).compiled)
