# SPDX-License-Identifier: Apache-2.0
"""A compiled stream mode as a ``Core``, and the same again from a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from amaranth.lib import wiring

from modeloom.ciphers import cipher_of
from modeloom.ciphers.check import check_cipher
from modeloom.compiler.streams import CompiledStream, StreamOptions, compile_stream
from modeloom.cores.stream.bench import bench_verilog
from modeloom.cores.stream.describe import describe
from modeloom.cores.stream.figures import cipher_name, directions
from modeloom.cores.stream.hardware import StreamHardware, bus_parameters
from modeloom.cores.stream.rules import rules_module
from modeloom.cores.stream.sections import TITLES
from modeloom.cores.stream.sheet import RELEASED, sheet
from modeloom.cores.stream.words import name_words
from modeloom.interfaces import Interface
from modeloom.interfaces.table import CoreShape
from modeloom.modes import find_any
from modeloom.modes.by_path import seen_from
from modeloom.product.core import Core, Sheet
from modeloom.product.messages import StreamDescription
from modeloom.spec import InputError, blame
from modeloom.spec.stream import StreamMode

__all__ = ["StreamCore", "same_stream", "stream_options_of"]


class StreamCore(Core[StreamDescription]):
    """The core of a compiled stream mode.

    Parameters
    ----------
    compiled : CompiledStream

    Raises
    ------
    InputError
        The buses do not fit the mode.
    """

    def __init__(self, compiled: CompiledStream):
        self.compiled = compiled
        self._shape = bus_parameters(compiled)

    # -- hardware ---------------------------------------------------------------------------------------------------------

    def component(self) -> wiring.Component:
        """Buses around the pipeline."""
        return StreamHardware(self.compiled)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """Those of cores for messages."""
        return self._shape.interfaces

    @property
    def shape(self) -> CoreShape:
        """Bytes of a beat, and key slots."""
        return self._shape

    @property
    def brought(self) -> str:
        """The cipher."""
        return self.compiled.options.cipher or ""

    # -- what is said of it -------------------------------------------------------------------------------------------------

    @property
    def words(self) -> tuple[str, ...]:
        """Mode, and a word for each option that is not as it is by default."""
        return name_words(self.compiled)

    @property
    def headline(self) -> str:
        """Mode, width, cipher and directions."""
        compiled = self.compiled
        return (
            f"{compiled.mode.title}, messages of any length, {8 * self._shape.beat_bytes} bits a cycle, {cipher_name(compiled)}, "
            f"{' and '.join(directions(compiled))}"
        )

    @property
    def figures(self) -> str:
        """Tokens, latencies, slots, whether the pipeline was proved, and whether plaintext leaves before its tag was compared."""
        compiled = self.compiled
        d = self.describe("core", "modeloom")
        released = f" {RELEASED}" if d.releases else ""
        return (
            f"Cycles: {d.cycles.associated} a block of associated data, {d.cycles.text} a block of text, {d.cycles.tag} a tag; latency "
            f"over the pins {d.latency}; key slots: {d.key_slots}; pipeline {'proved' if compiled.proof else 'NOT PROVED'}.{released}"
        )

    def describe(self, name: str, command: str) -> StreamDescription:
        """What ``core.json`` says of it."""
        return describe(self.compiled, name, command)

    def sheet(self, description: StreamDescription) -> Sheet:
        """Its sections of the datasheet."""
        return sheet(self.compiled, description)

    # -- what goes with it --------------------------------------------------------------------------------------------------

    def bench(self, name: str) -> str:
        """The bench, with results from the software model."""
        return bench_verilog(self.compiled, self.describe(name, "modeloom"))

    def rules(self, name: str) -> str:
        """Assertions over all ports."""
        return rules_module(self.compiled, self.describe(name, "modeloom"))

    def titles(self) -> Mapping[str, Sequence[str]]:
        """What each module is."""
        return TITLES

    def check(self) -> None:
        """The hardware of a cipher that a mode brings is what its software is."""
        cipher = cipher_of(self.compiled.mode, self.compiled.options.cipher)
        with blame(cipher.name):
            check_cipher(cipher, [self.compiled.cipher_request])

    def seen_from(self, folder: Path) -> StreamCore:
        """With the place of the mode's definition as seen from a folder."""
        return StreamCore(replace(self.compiled, mode=seen_from(self.compiled.mode, folder)))


def stream_options_of(description: StreamDescription) -> StreamOptions:
    """The options that a core was built with; raises ``InputError`` for what this version does not know."""
    values: dict[str, Any] = dict(description.options)
    try:
        return StreamOptions(**values | {"more_key_bits": tuple(values.get("more_key_bits", ()))})
    except TypeError as error:
        raise InputError(f"the options in core.json are not those of this version ({error}); build the core again") from None


def same_stream(description: StreamDescription, folder: Path) -> StreamCore:
    """The core that a description tells of, made again: its definition is compiled and proved.

    A core that was built without the proof says so in its files, and here too.
    """
    mode = find_any(description.definition, folder)
    if not isinstance(mode, StreamMode):
        raise InputError(f"{description.definition} is a mode on sectors, and core.json tells of a core for messages; build the core again")
    compiled = compile_stream(mode, stream_options_of(description))
    return StreamCore(compiled if description.explain.proved else replace(compiled, proof=None))
