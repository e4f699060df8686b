# SPDX-License-Identifier: Apache-2.0
"""The contract between the code that makes cores and the code that uses them.

::

    compiled mode ──▶ cores.sector ──▶ SectorCore ─┐
                                                   ├──▶ Core ──▶ emit ──▶ folder ──▶ simulation, taint, synthesis, verify
    another generator ──▶ ...      ──▶ its Core ───┘                       └─ core.json, read as a Description

A generator provides the hardware, the interfaces and the contents of ``core.json``.  It also provides the texts that only it can write: the
bench with its vectors, the assertions, the listing, and some sections of the datasheet.  The rest of a folder is the same for every core.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Generic, Self, TypeVar

from amaranth.lib import wiring

from modeloom.front.map import Register
from modeloom.interfaces import Interface, Side, Unit
from modeloom.interfaces.table import CoreShape
from modeloom.product.cases import Cases
from modeloom.product.description import Description, Port
from modeloom.product.page import Page
from modeloom_verilog.writer import Sections

__all__ = ["CLOCK", "CPLUSPLUS", "INTERFACE_NAMES", "Core", "FrontEnd", "FrontPart", "Sheet", "TopPort", "top_ports"]


# -- ports -----------------------------------------------------------------------------------------------------------------------------

# The ports of the top of a core: clock and reset, then the ports of its interfaces in order.

# Words that Verilog and SystemVerilog keep for themselves, so that nothing may have such a name.

INTERFACE_NAMES = AXI_STREAM, AXI_LITE, APB = ("modeloom_axi_stream", "modeloom_axi_lite", "modeloom_apb")
"""The SystemVerilog interfaces beside each core.  Interfaces and modules share their names."""

CPLUSPLUS = frozenset(
    "alignas alignof and_eq asm auto bitand bitor bool catch char compl concept constexpr const_cast decltype delete double "
    "dynamic_cast explicit false float friend goto inline long mutable namespace noexcept not_eq nullptr operator or_eq private "
    "public register reinterpret_cast requires short sizeof static_assert static_cast template thread_local throw true try "
    "typeid typename volatile wchar_t xor_eq".split()
)
"""Words of C++ that Verilog does not keep for itself.  Verilator makes C++ of the Verilog, and warns of them."""

CLOCK = "clock"
"""The group of clock and reset."""


@dataclass(frozen=True)
class TopPort:
    """A port of the top.  ``stream`` is its group, "clock" for clock and reset.  A ``vector`` has a range even if it has one bit."""

    name: str
    output: bool
    width: int
    stream: str
    vector: bool = False

    @property
    def declaration(self) -> str:
        """Its Verilog declaration without a comma."""
        width = f"[{self.width - 1}:0]" if self.width > 1 or self.vector else ""
        return f"{'output' if self.output else 'input '} wire {width:>8} {self.name}"

    @property
    def described(self) -> Port:
        """The port for ``core.json``."""
        return Port(name=self.name, direction="output" if self.output else "input", width=self.width, stream=self.stream)


def top_ports(interfaces: Sequence[Interface], shape: CoreShape) -> tuple[TopPort, ...]:
    """All ports of a top in order."""
    ports = [TopPort("aclk", False, 1, CLOCK), TopPort("aresetn", False, 1, CLOCK)]
    for group in interfaces:
        for port in group.ports:
            output, width = group.driven_by(port) is Side.CORE, port.width.bits(shape)
            ports.append(TopPort(group.port_name(port), output, width, group.name, port.width.unit is Unit.KEY_SLOT))
    return tuple(ports)


# -- core ------------------------------------------------------------------------------------------------------------------------------

D = TypeVar("D", bound=Description)


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """The parts of the datasheet that only the generator of the core can write: lines of Markdown, with an empty line after each paragraph.

    Attributes
    ----------
    summary : str
        One paragraph at the head: what the core does.
    theory : sequence of str
        How it works.
    payloads : sequence of str
        The data on its ports.  This follows the table of ports.
    use : sequence of str
        The programmer's guide.
    figures : sequence of str
        Cycles and sizes.
    timing, storage : sequence of str
        Items of the security status, on its timing and on the key material that it keeps.
    checked : sequence of str
        Items on verification, which come before the items that every core has.
    bench : str
        What the bench checks, in a sentence or two.
    """

    summary: str
    theory: Sequence[str] = ()
    payloads: Sequence[str] = ()
    use: Sequence[str] = ()
    figures: Sequence[str] = ()
    timing: Sequence[str] = ()
    storage: Sequence[str] = ()
    checked: Sequence[str] = ()
    bench: str = ""


@dataclass(frozen=True)
class FrontPart:
    """A part of the hardware beside a core, which is a module NAME_name.

    Attributes
    ----------
    component : wiring.Component
    titles : mapping
        The lines of the comment before each of its modules, by their names without that of the whole.
    """

    component: wiring.Component
    titles: Mapping[str, Sequence[str]]


class FrontEnd(ABC):
    """What stands around a core: more files beside those of the core, which stay as they are."""

    @abstractmethod
    def described(self) -> Description:
        """The description of the core with the front end, and with its files."""

    @abstractmethod
    def parts(self, verilog: str) -> Mapping[str, FrontPart]:
        """The hardware beside the core with this Verilog, by the ends of the names of its modules."""

    @abstractmethod
    def around(self, parts: Mapping[str, FrontPart]) -> str:
        """The Verilog module around the core and its parts."""

    @abstractmethod
    def texts(self, verilog: str) -> Mapping[str, str]:
        """The texts of its other files by their names in ``Files``, for the core with this Verilog."""

    @abstractmethod
    def registers(self, verilog: str) -> Sequence[Register]:
        """Its registers, for the core with this Verilog.  Empty if it has none."""

    @abstractmethod
    def sheet(self) -> Sequence[str]:
        """Its section of the datasheet, as lines of Markdown."""


class Core(ABC, Generic[D]):
    """A core that can be emitted.  ``D`` is the class of its description."""

    # -- hardware ---------------------------------------------------------------------------------------------------------

    @abstractmethod
    def component(self) -> wiring.Component:
        """The hardware.  Each call makes a new component.  Its members have the names of ``ports``.  Its clock domain comes from
        ``aclk``."""

    @property
    @abstractmethod
    def interfaces(self) -> tuple[Interface, ...]:
        """Its interfaces in the order of the top, with the role of each field: secret or public."""

    @property
    @abstractmethod
    def shape(self) -> CoreShape:
        """The figures on which the widths of its ports depend."""

    @cached_property
    def ports(self) -> tuple[TopPort, ...]:
        """The ports of the top in their order."""
        return top_ports(self.interfaces, self.shape)

    @property
    def brought(self) -> str:
        """The name of a cipher that the user brings, for error messages.  Empty if there is none."""
        return ""

    # -- descriptions -------------------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def words(self) -> tuple[str, ...]:
        """Words of the default name: what the core is, then the options that differ from their defaults."""

    @property
    @abstractmethod
    def headline(self) -> str:
        """One line for the head of the Verilog file: what the core is, with its sizes."""

    @property
    @abstractmethod
    def figures(self) -> str:
        """One line for the head of the Verilog file: its cycles and slots."""

    @abstractmethod
    def describe(self, name: str, command: str) -> D:
        """The contents of ``core.json`` for a given name, without the hashes of the other files."""

    @abstractmethod
    def sheet(self, description: D) -> Sheet:
        """The parts of the datasheet that only its generator can write."""

    def page(self, description: D) -> Page:
        """The parts of the HTML datasheet that only its generator can write.  By default there are none."""
        return Page()

    # -- further files ------------------------------------------------------------------------------------------------------

    @abstractmethod
    def bench(self, name: str) -> str:
        """The self-checking bench of the core with this name, a module NAME_tb in SystemVerilog.

        The last line that it prints begins with ``modeloom-bench: NAME ok``, followed by each of ``Description.bench_figures`` as
        ``figure=number``; or it is ``modeloom-bench: FAIL:`` with the reason.
        """

    def cases(self) -> Cases | None:
        """Commands and results for a test in the user's own flow.  None if the models of buses cannot drive this kind of core."""
        return None

    def rules(self, name: str) -> str:
        """A module NAME_rules with assertions on all ports, within ``ASSERT_MACRO``.  Empty if there is none."""
        return ""

    def sections(self) -> Mapping[str, Sections]:
        """The sections of the Verilog of modules, by the names of the modules without the name of the core ("engine")."""
        return {}

    def titles(self) -> Mapping[str, Sequence[str]]:
        """The lines of the comment before each module, by the names of the modules without the name of the core."""
        return {}

    def listing(self) -> str:
        """The program of the core as text.  This is called if ``describe`` names a file for it."""
        return ""

    def check(self) -> None:
        """Further checks before the core is emitted.  Raises ``InputError`` or ``DefinitionError``."""
        return None

    def seen_from(self, folder: Path) -> Self:
        """The same core, with the paths of the user's files relative to a folder."""
        return self
