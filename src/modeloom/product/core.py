# SPDX-License-Identifier: Apache-2.0
"""What a core is to everything behind its maker: the contract between those that make cores and those that use them.

::

    compiled mode ──▶ cores.sector ──▶ SectorCore ─┐
                                                   ├──▶ Core ──▶ emit ──▶ folder ──▶ simulation, taint, synthesis, verify
    another maker ──▶ ...          ──▶ its Core ───┘                       └─ core.json, read as a Description

A maker says what its core is: its hardware, its interfaces, and what stands in ``core.json``.  What only it can write it gives as text:
the bench with its vectors, the assertions, the listing, and its sections of the datasheet.  All else of a folder is the same for every
core.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Generic, Self, TypeVar

from amaranth.lib import wiring

from modeloom.interfaces import Interface
from modeloom.interfaces.table import CoreShape
from modeloom.product.description import Description
from modeloom.product.ports import TopPort, top_ports

__all__ = ["Core", "Sections", "Sheet"]

D = TypeVar("D", bound=Description)


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """What only the maker of a core can say in its datasheet: lines of Markdown, each paragraph with an empty line behind it.

    Attributes
    ----------
    summary : str
        What the core does, at the head: one paragraph.
    theory : sequence of str
        How it works.
    payloads : sequence of str
        What goes over its ports, behind the table of them.
    use : sequence of str
        The programmer's guide.
    figures : sequence of str
        Cycles and sizes.
    timing, kept : sequence of str
        Items of the security status: of the time that it takes, and of what it keeps of its keys.
    checked : sequence of str
        Items of what was verified, before those that every core has.
    bench : str
        What the bench checks, in a sentence or two.
    """

    summary: str
    theory: Sequence[str] = ()
    payloads: Sequence[str] = ()
    use: Sequence[str] = ()
    figures: Sequence[str] = ()
    timing: Sequence[str] = ()
    kept: Sequence[str] = ()
    checked: Sequence[str] = ()
    bench: str = ""


Sections = Callable[[str], tuple[int, str]]
"""The section of a net, memory or instance of a module, by its name: a number for the order, and a title ("" for none)."""


class Core(ABC, Generic[D]):
    """A core that can be emitted; ``D`` is the class of its description."""

    # -- hardware ---------------------------------------------------------------------------------------------------------

    @abstractmethod
    def component(self) -> wiring.Component:
        """The hardware, a new component at each call; its members are called as ``ports`` are.  It makes its clock domain of ``aclk``."""

    @property
    @abstractmethod
    def interfaces(self) -> tuple[Interface, ...]:
        """What goes over its ports, in the order of the top, with the role of each: secret or public."""

    @property
    @abstractmethod
    def shape(self) -> CoreShape:
        """What the widths of its ports depend on."""

    @cached_property
    def ports(self) -> tuple[TopPort, ...]:
        """The ports of the top in their order."""
        return top_ports(self.interfaces, self.shape)

    @property
    def brought(self) -> str:
        """What a user has brought into the hardware (the name of a cipher), to be named where making it fails; empty if nothing."""
        return ""

    # -- what is said of it -------------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def words(self) -> tuple[str, ...]:
        """Words of its name, if it is given none: what it is, then what was chosen about it."""

    @property
    @abstractmethod
    def headline(self) -> str:
        """What it is, with its sizes: one line for the head of the Verilog file."""

    @property
    @abstractmethod
    def figures(self) -> str:
        """Its cycles and slots: one line for the same place."""

    @abstractmethod
    def describe(self, name: str, command: str) -> D:
        """What ``core.json`` says of it under a name, but for the hashes of the other files."""

    @abstractmethod
    def sheet(self, description: D) -> Sheet:
        """What only its maker can say in its datasheet."""

    # -- what goes with it --------------------------------------------------------------------------------------------------

    @abstractmethod
    def bench(self, name: str) -> str:
        """The self-checking bench of the core of this name, a module NAME_tb in SystemVerilog.

        It ends with a line ``modeloom-bench: NAME ok``, and behind that each of ``Description.bench_figures`` as ``figure=number``; or with
        ``modeloom-bench: FAIL:`` and the reason.
        """

    def rules(self, name: str) -> str:
        """A module NAME_rules with assertions over all ports, within ``ASSERT_MACRO``; empty if there is none."""
        return ""

    def sections(self) -> Mapping[str, Sections]:
        """For modules, by their names below the core's ("engine"), the sections in which their Verilog is written."""
        return {}

    def titles(self) -> Mapping[str, Sequence[str]]:
        """For modules, by their names below the core's, the lines of the comment before them."""
        return {}

    def listing(self) -> str:
        """What the core runs, as text; asked for if ``describe`` names a file for it."""
        return ""

    def check(self) -> None:
        """What has to be true before it is emitted, beside what making it has shown; raises ``InputError`` or ``DefinitionError``."""
        return None

    def seen_from(self, folder: Path) -> Self:
        """The same core with the paths of a user's files as they are seen from a folder."""
        return self
