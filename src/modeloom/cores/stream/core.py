# SPDX-License-Identifier: Apache-2.0
"""Makes a ``Core`` of a compiled stream mode, and makes the same core again from a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from modeloom.ciphers import cipher_of
from modeloom.compiler.streams import CompiledStream, StreamOptions, compile_stream
from modeloom.cores.own_cipher import check_own_cipher
from modeloom.cores.stream.bench import bench_verilog
from modeloom.cores.stream.buffered import BufferedHardware, buffered_parameters
from modeloom.cores.stream.cases import message_cases
from modeloom.cores.stream.derived import DerivedHardware, derived_parameters, deriver_request
from modeloom.cores.stream.describe import describe
from modeloom.cores.stream.figures import cipher_name, directions
from modeloom.cores.stream.hardware import StreamHardware, bus_parameters
from modeloom.cores.stream.page import page
from modeloom.cores.stream.rules import rules_module
from modeloom.cores.stream.sections import OF_BUFFERED, OF_DERIVED, TITLES, titles_around
from modeloom.cores.stream.sheet import RELEASED, sheet
from modeloom.cores.words import stream_words
from modeloom.definition.check import NOT_CHECKED, Checked
from modeloom.interfaces import Interface
from modeloom.interfaces.table import CoreShape
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
        self.compiled = compiled
        self._shape = (
            buffered_parameters(compiled) if compiled.options.message_buffer is not None
            else bus_parameters(compiled) if compiled.derived is None else derived_parameters(compiled)
        )

    # -- hardware ---------------------------------------------------------------------------------------------------------

    def component(self) -> StreamHardware:
        """Buses around the pipeline."""
        if self.compiled.options.message_buffer is not None:
            return BufferedHardware(self.compiled)
        return (StreamHardware if self.compiled.derived is None else DerivedHardware)(self.compiled)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The interfaces of cores for messages."""
        return self._shape.interfaces

    @property
    def shape(self) -> CoreShape:
        """The figures on which the widths of ports depend: bytes of a beat, and key slots."""
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
        return f"{d.summary}, {cipher_name(compiled)}, {' and '.join(directions(compiled))}"

    @property
    def figures(self) -> str:
        """Tokens, latencies, slots, whether the pipeline was proved, and whether plaintext leaves before its tag is checked."""
        compiled = self.compiled
        d = self.describe("core", "modeloom")
        slots = f"keys come with messages, {d.key_slots} at a time" if d.inline else f"key slots: {d.key_slots}"
        if d.derive_interval is not None:
            slots = f"slots for master keys: {d.key_slots}; keys of messages are derived, {d.derive_interval} cycles apart"
        released = f" {RELEASED}" if d.releases else ""
        if d.message_buffer is not None:
            slots = f"messages to seal are stored, up to {d.buffered_bytes} bytes; {slots}"
        most = "" if d.cadence is None and d.derive_interval is None and d.message_buffer is None else "at most "
        return (
            f"Cycles: {d.cycles.associated} per block of associated data, {d.cycles.text} per block of text, {d.cycles.tag} per tag; "
            f"latency at the pins {most}{d.latency}; {slots}; pipeline {'proved' if compiled.proof else 'NOT PROVED'}.{released}"
        )

    def describe(self, name: str, command: str) -> StreamDescription:
        """The contents of ``core.json``."""
        return describe(self.compiled, name, command)

    def sheet(self, description: StreamDescription) -> Sheet:
        """The sections of the datasheet for this core."""
        return sheet(self.compiled, description)

    def page(self, description: StreamDescription) -> Page:
        """Its pipeline, diagram and definition for the HTML datasheet."""
        return page(self.compiled, description)

    # -- what goes with it --------------------------------------------------------------------------------------------------

    def bench(self, name: str) -> str:
        """The bench, with results from the software model."""
        return bench_verilog(self.compiled, self.describe(name, "modeloom"))

    def cases(self) -> Cases:
        """Commands of the bench."""
        return message_cases(self.compiled, self.describe("core", "modeloom"))

    def rules(self, name: str) -> str:
        """Assertions over all ports."""
        return rules_module(self.compiled, self.describe(name, "modeloom"))

    def titles(self) -> Mapping[str, Sequence[str]]:
        """The titles of modules, by their names."""
        titles = TITLES if self.compiled.derived is None else titles_around(TITLES, OF_DERIVED)
        return titles if self.compiled.options.message_buffer is None else titles_around(titles, OF_BUFFERED, "core")

    def check(self) -> None:
        """Checks that the hardware of a cipher that a mode brings does the same as its software."""
        cipher = cipher_of(self.compiled.mode, self.compiled.options.cipher)
        requests = [self.compiled.cipher_request]
        if self.compiled.derived is not None:
            requests.append(deriver_request(self.compiled))
        with blame(cipher.name):
            check_own_cipher(cipher, requests)

    def seen_from(self, folder: Path) -> StreamCore:
        """The same core, where the path of the definition is relative to a folder."""
        return StreamCore(replace(self.compiled, mode=seen_from(self.compiled.mode, folder)))


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
