# SPDX-License-Identifier: Apache-2.0
"""Makes a ``Core`` of a compiled stream mode, and makes the same core again from a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from modeloom.ciphers import cipher_of
from modeloom.compiler.streams import CompiledStream, StreamOptions, compile_stream
from modeloom.cores.own_cipher import check_own_cipher
from modeloom.cores.stream.bench import bench_verilog, message_cases
from modeloom.cores.stream.describe import cipher_name, describe
from modeloom.cores.stream.hardware import StreamHardware
from modeloom.cores.stream.page import page
from modeloom.cores.stream.rules import rules_module
from modeloom.cores.stream.sheet import sheet
from modeloom.cores.words import stream_words
from modeloom.definition.check import NOT_CHECKED, Checked
from modeloom.interfaces import Interface
from modeloom.interfaces.table import CoreShape
from modeloom.layers import Stack
from modeloom.modes import find_any
from modeloom.modes.by_path import seen_from
from modeloom.product.cases import Cases
from modeloom.product.core import Core, Sheet
from modeloom.product.messages import StreamDescription
from modeloom.product.page import Page
from modeloom.spec import InputError, blame
from modeloom.spec.stream import StreamMode

__all__ = ["StreamCore", "same_stream", "stream_options_of"]


class StreamCore(Core[StreamDescription]):
    """The core of a compiled stream mode.

    Parameters
    ----------
    compiled : CompiledStream
        The pipeline, with the options of the core.

    Raises
    ------
    InputError
        If the buses do not fit the mode.
    """

    def __init__(self, compiled: CompiledStream):
        self.compiled, self.stack = compiled, Stack(compiled)
        self.top = self.stack.top
        self._shape = self.top.shape

    # -- hardware ---------------------------------------------------------------------------------------------------------

    def component(self) -> StreamHardware:
        """The layers around the pipeline."""
        return StreamHardware(self.compiled)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """Those of the outermost layer."""
        return self.top.interfaces

    @property
    def shape(self) -> CoreShape:
        """The figures on which the widths of ports depend."""
        return self._shape

    @property
    def brought(self) -> str:
        """The cipher."""
        return self.compiled.options.cipher or ""

    # -- what is said of it -------------------------------------------------------------------------------------------------

    @property
    def words(self) -> tuple[str, ...]:
        """The mode, and a word for each option that does not have its default."""
        return stream_words(self.compiled)

    @property
    def headline(self) -> str:
        """The mode, the rate, the cipher and the directions."""
        compiled, d = self.compiled, self.describe("core", "modeloom")
        return f"{d.summary}, {cipher_name(compiled)}, {' and '.join(compiled.options.directions)}"

    @property
    def figures(self) -> str:
        """Tokens, latencies, slots, whether the pipeline was proved, and whether plaintext leaves before its tag is checked."""
        compiled = self.compiled
        d = self.describe("core", "modeloom")
        released, most = f" {self.stack.unverified}" if d.releases else "", "at most " if self.top.varies else ""
        return (
            f"Cycles: {d.cycles.associated} per block of associated data, {d.cycles.text} per block of text, {d.cycles.tag} per tag; "
            f"latency at the pins {most}{d.latency}; {self.stack.texts(d).key_figure}; pipeline "
            f"{'proved' if compiled.proof else 'NOT PROVED'}.{released}"
        )

    def describe(self, name: str, command: str) -> StreamDescription:
        """The contents of ``core.json``."""
        return describe(self.stack, name, command)

    def sheet(self, description: StreamDescription) -> Sheet:
        """The sections of the datasheet for this core."""
        return sheet(self.stack, description)

    def page(self, description: StreamDescription) -> Page:
        """Its pipeline, diagram and definition for the HTML datasheet."""
        return page(self.stack, description)

    # -- what goes with it --------------------------------------------------------------------------------------------------

    def bench(self, name: str) -> str:
        """The bench, with results from the software model."""
        return bench_verilog(self.compiled, self.describe(name, "modeloom"))

    def cases(self) -> Cases:
        """Commands of the bench."""
        return message_cases(self.compiled, self.describe("core", "modeloom"))

    def rules(self, name: str) -> str:
        """Assertions over all ports."""
        return rules_module(self.stack, self.describe(name, "modeloom"))

    def titles(self) -> Mapping[str, Sequence[str]]:
        """The titles of modules, by their names."""
        return self.top.titles()

    def check(self) -> None:
        """Checks that the hardware of a cipher that a mode brings does the same as its software."""
        cipher = cipher_of(self.compiled.mode, self.compiled.options.cipher)
        with blame(cipher.name):
            check_own_cipher(cipher, self.top.requests())

    def seen_from(self, folder: Path) -> Self:
        """The same core, where the path of the definition is relative to a folder."""
        return type(self)(replace(self.compiled, mode=seen_from(self.compiled.mode, folder)))


def stream_options_of(description: StreamDescription) -> StreamOptions:
    """The options that a core was built with.  Raises ``InputError`` for options that this version does not know."""
    values: dict[str, Any] = dict(description.options)
    try:
        return StreamOptions(**values | {"more_key_bits": tuple(values.get("more_key_bits", ()))})
    except TypeError as error:
        raise InputError(f"the options in core.json are not those of this version ({error}); build the core again") from None


def same_stream(description: StreamDescription, folder: Path) -> StreamCore:
    """Makes a core again from its description.  The definition is compiled and proved.

    If the core was built without the proof, there is no proof here either, and its files say so.
    """
    mode = find_any(description.definition, folder)
    if not isinstance(mode, StreamMode):
        raise InputError(f"{description.definition} is a mode for sectors, but core.json is of a core for messages; build the core again")
    compiled = compile_stream(mode, stream_options_of(description))
    if not description.explain.proved:
        compiled = replace(compiled, proof=None, checked=Checked(NOT_CHECKED, ()))
    return StreamCore(compiled)
