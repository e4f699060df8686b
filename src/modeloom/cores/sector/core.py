# SPDX-License-Identifier: Apache-2.0
"""A compiled mode as a ``Core``, and the same core made again from a folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from amaranth.lib import wiring

from modeloom.allocate.listing import listing
from modeloom.compiler.compile import Compiled, compile_mode
from modeloom.cores.own_cipher import check_own_cipher
from modeloom.cores.sector.bench import bench_verilog
from modeloom.cores.sector.cases import sector_cases
from modeloom.cores.sector.describe import describe
from modeloom.cores.sector.figures import cipher_name, interval_pins, latency_pins
from modeloom.cores.sector.hardware import ModeCore, bus_parameters, core_requests, erase_cycles, key_erase_cycles
from modeloom.cores.sector.page import page
from modeloom.cores.sector.rules import rules_module
from modeloom.cores.sector.sections import engine_sections, module_titles
from modeloom.cores.sector.sheet import sheet
from modeloom.cores.words import sector_words
from modeloom.definition.check import NOT_CHECKED, Checked
from modeloom.interfaces import Interface
from modeloom.interfaces.sector import sector_interfaces
from modeloom.modes import find
from modeloom.modes.by_path import seen_from
from modeloom.options.sectors import Options
from modeloom.product.cases import Cases
from modeloom.product.core import Core, Sections, Sheet
from modeloom.product.page import Page
from modeloom.product.sectors import SectorDescription
from modeloom.rtl.bus.sector import BusParameters
from modeloom.rtl.engine.unit import UnitCore
from modeloom.spec import InputError, blame
from modeloom.spec.kinds import Kind, UnitKind

__all__ = ["SectorCore", "listings", "options_of", "same_core"]


def listings(compiled: Compiled) -> str:
    """The listings of the programs of all sector sizes."""
    return "\n".join(listing(one.allocation.program) for one in compiled.sizes)


class SectorCore(Core[SectorDescription]):
    """The core of a compiled mode.

    Parameters
    ----------
    compiled : Compiled

    Raises
    ------
    InputError
        The buses do not fit the mode.
    """

    def __init__(self, compiled: Compiled):
        self.compiled = compiled
        self.parameters: BusParameters = bus_parameters(compiled)

    # -- hardware ---------------------------------------------------------------------------------------------------------

    def component(self) -> wiring.Component:
        """Buses around the engine."""
        return ModeCore(self.compiled)

    def components(self, kind: UnitKind, operations: Sequence[Kind]) -> dict[str, UnitCore]:
        """The components of a unit for some operations, by their names in Verilog.  Each call makes new ones."""
        return ModeCore(self.compiled).cores(kind, operations)

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The interfaces of cores for sectors."""
        return sector_interfaces(self.compiled.options.key_slots)

    @property
    def shape(self) -> BusParameters:
        """Bytes in a beat, and number of key slots."""
        return self.parameters

    @property
    def brought(self) -> str:
        """The cipher."""
        return self.compiled.architecture.cipher.name

    @property
    def erase_cycles(self) -> int:
        """Cycles that a reset or ``zeroize`` takes."""
        return erase_cycles(self.compiled)

    @property
    def key_erase_cycles(self) -> int:
        """Cycles after which nothing is left of a key that is erased, if no sector of it is in flight."""
        return key_erase_cycles(self.compiled)

    # -- what is said of it -------------------------------------------------------------------------------------------------

    @property
    def words(self) -> tuple[str, ...]:
        """Mode, sector sizes, and a word for each option that differs from its default."""
        return sector_words(self.compiled)

    @property
    def headline(self) -> str:
        """Mode, sectors, tweaks, cipher and directions."""
        compiled = self.compiled
        sizes = " or ".join(str(one.source.nbytes) for one in compiled.sizes)
        return (
            f"{compiled.mode.title}, sectors of {sizes} bytes, tweaks of {compiled.source.tweak_bytes} bytes, "
            f"{cipher_name(compiled)}, {' and '.join(compiled.options.directions)}"
        )

    @property
    def figures(self) -> str:
        """Cycles per sector, interval, latencies, slots, and whether the program was proved."""
        compiled = self.compiled
        cycles = compiled.schedule.ii if compiled.options.overlap else compiled.schedule.latency
        return (
            f"Cycles per sector: {cycles}; interval between sectors {interval_pins(compiled)}; latency "
            f"{compiled.schedule.latency}, at the pins {latency_pins(compiled)}; key slots: {compiled.options.key_slots}; program "
            f"{'proved' if compiled.proved else 'NOT PROVED'}."
        )

    def describe(self, name: str, command: str) -> SectorDescription:
        """The contents of ``core.json``."""
        return describe(self.compiled, name, command)

    def sheet(self, description: SectorDescription) -> Sheet:
        """Its sections of the datasheet."""
        return sheet(self.compiled, description)

    def page(self, description: SectorDescription) -> Page:
        """Its schedule, diagram and definition for the HTML datasheet."""
        return page(self.compiled, description)

    # -- what goes with it --------------------------------------------------------------------------------------------------

    def bench(self, name: str) -> str:
        """The bench, with results from the software model."""
        return bench_verilog(self.compiled, name)

    def cases(self) -> Cases:
        """Commands of the bench."""
        return sector_cases(self.compiled)

    def rules(self, name: str) -> str:
        """Assertions over all ports."""
        return rules_module(self.compiled, name)

    def sections(self) -> Mapping[str, Sections]:
        """The sections of the engine, one for each part of the program."""
        return {"engine": engine_sections(self.compiled.core_program)}

    def titles(self) -> Mapping[str, Sequence[str]]:
        """A title for each module, and the fields of the control store."""
        return module_titles(self.compiled.core_program)

    def listing(self) -> str:
        """The programs of all sector sizes."""
        return listings(self.compiled)

    def check(self) -> None:
        """Checks that the hardware of a mode's own cipher computes the same as its software."""
        cipher = self.compiled.architecture.cipher
        with blame(cipher.name):
            check_own_cipher(cipher, core_requests(self.compiled).values())

    def seen_from(self, folder: Path) -> SectorCore:
        """The same core, with the path of the definition of the mode relative to a folder."""
        return SectorCore(replace(self.compiled, mode=seen_from(self.compiled.mode, folder)))


def options_of(description: SectorDescription) -> Options:
    """The options that a core was built with.  Raises ``InputError`` for options that this version does not know."""
    make: Callable[..., Options] = Options
    try:
        return make(**description.options)
    except TypeError as error:
        raise InputError(f"the options in core.json are not those of this version ({error}); build the core again") from None


def same_core(description: SectorDescription, folder: Path) -> SectorCore:
    """Makes the core of a description again: compiles its definition and proves the program.

    If the core was built without the proof, the new core is marked as not proved, too.
    """
    compiled = compile_mode(find(description.definition, folder), options_of(description))
    if not description.explain.proved:
        unchecked = Checked(NOT_CHECKED, ())
        others = tuple(replace(one, proved=False, checked=unchecked) for one in compiled.others)
        compiled = replace(compiled, proved=False, checked=unchecked, others=others)
    return SectorCore(compiled)
