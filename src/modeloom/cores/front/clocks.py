# SPDX-License-Identifier: Apache-2.0
"""Clocks of the host around a core, and resets of another kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from modeloom.cores.front.around import CORE_INSTANCE, Around
from modeloom.interfaces import Interface, Side
from modeloom.interfaces.front import QUEUE_ERASURE, REGISTER_BUSES, STATUS_ORDER, register_bus
from modeloom.interfaces.shared import CONTROL, DATA_IN, DATA_OUT
from modeloom.interfaces.table import Port as InterfacePort
from modeloom.interfaces.table import Width
from modeloom.product.core import CLOCK, CPLUSPLUS, INTERFACE_NAMES, FrontPart, TopPort, top_ports
from modeloom.product.description import Description
from modeloom.product.front import ClocksDescription, Crossing, FrontDescription, HostClock
from modeloom.product.page import table
from modeloom.rtl.clocks import CORE, CrossingParameters, Crossings, StreamCrossing, crossing_paths
from modeloom.spec import InputError
from modeloom_verilog.names import KEYWORDS

__all__ = ["BUSES", "RESETS", "ClockOptions", "ClocksFrontEnd", "chosen_clocks", "clock_options"]

COMMANDS, STATUSES, KEYS = "s_axis_cmd", "m_axis_status", "s_axis_key"

REGISTERS = {register_bus(kind, 0).name: kind for kind in REGISTER_BUSES}
"""The buses of registers, by the prefix of their ports."""

BUSES: dict[str, tuple[str, ...]] = {
    "data": (DATA_IN.name, DATA_OUT.name), "data-in": (DATA_IN.name,), "data-out": (DATA_OUT.name,), "command": (COMMANDS,),
    "status": (STATUSES,), "key": (KEYS,), "registers": tuple(REGISTERS),
}  # fmt: skip
"""What ``--clock`` calls the buses."""

RESETS = {"low": (False, False), "high": (True, False), "async-low": (False, True), "async-high": (True, True)}
"""What ``--reset`` calls the resets: whether they are active high, and whether they come at any time."""

SIDES = ("core", "host", "asked", "resets", "answer")
"""The parts of the crossings for each clock."""

PART = "crossings"
"""The end of the name of their module."""

ERASE_CYCLES, ERASE_HOST_CYCLES = 32, 26
"""Cycles of an erasure, at most: zeros to all words on each side, one after the other, and two handshakes."""

TITLES = {
    "": "Crossings between the clocks of the host and that of the core", "reset_catcher": "A reset that comes at any time",
    "s_axil": "AXI4-Lite: an access at a time, each of which gets its response",
    "s_apb": "APB: a transfer at a time, each of which is answered", "key_flags": "The flags of keys, all of one cycle",
    "pushed_ends": "Counts ends of packets", "taken_ends": "Counts ends of packets",
    "order": "Whether a host has all data before a status", "order_gate": "Holds a status for registers back until the host has its data",
}  # fmt: skip
"""The titles of modules, by their names without the name of the crossings."""


@dataclass(frozen=True)
class ClockOptions:
    """What a user chooses.

    Attributes
    ----------
    buses : mapping
        The clock of each bus that has one of its own, by the prefix of its ports.
    reset : str
        One of ``RESETS``.
    everything : str
        The clock of all other buses; "" for that of the core.
    """

    buses: Mapping[str, str]
    reset: str = "low"
    everything: str = ""

    @property
    def queues_results(self) -> bool:
        """Whether the data that come out have a clock of their own."""
        return bool(self.buses.get(DATA_OUT.name, self.everything))

    @property
    def queues(self) -> bool:
        """Whether there are clocks of the host, and so something to erase between them and the core."""
        return bool(self.buses or self.everything)

    def check(self, registers: bool, commands: bool = False) -> None:
        """Raises ``InputError`` for a bus that a core does not have, with or without registers, or with commands over them."""
        if not registers and any(bus in self.buses for bus in REGISTERS):
            raise InputError("--clock registers is for --front registers; add it, or name another bus")
        if registers and KEYS in self.buses:
            raise InputError("--clock key: with --front registers, keys are written to registers; use --clock registers")
        for name, bus in (("command", COMMANDS), ("status", STATUSES)):
            if commands and bus in self.buses:
                raise InputError(f"--clock {name}: with --commands registers, commands and statuses use registers; use --clock registers")


def _pairs(clocks: Sequence[str]) -> Iterator[tuple[str, list[str], str]]:
    """Each text with names of buses and their clock.  Raises ``InputError`` for names without one."""
    for text in clocks:
        names: list[str] = []
        for part in text.split(","):
            name, mark, clock = part.partition("=")
            names.append(name)
            if mark:
                yield text, names, clock
                names = []
        if names or not all(text.split(",")):
            raise InputError(f"--clock is BUS=CLOCK, such as data=clk_data, not {text}")


def clock_options(clocks: Sequence[str], reset: str | None) -> ClockOptions | None:
    """The options of a command; None if they choose nothing.  Raises ``InputError``."""
    kind = reset or "low"
    if kind not in RESETS:
        raise InputError(f"--reset is {', '.join(list(RESETS)[:-1])} or {list(RESETS)[-1]}, not {reset}")
    buses: dict[str, str] = {}
    everything = ""
    for option, names, clock in _pairs(clocks):
        if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", clock):
            raise InputError(f"--clock {option}: the name of a clock has lower-case letters, digits and single underscores")
        better = f"clk_{names[0].partition('-')[0]}"
        if clock == "aclk":
            raise InputError(f"--clock {option}: aclk is the clock of the core; choose another name, such as {better}")
        if clock in KEYWORDS or clock in CPLUSPLUS:
            language = "Verilog" if clock in KEYWORDS else "C++"
            raise InputError(f"--clock {option}: {clock} is a {language} keyword; choose another name, such as {better}")
        for name in names:
            if name == "all":
                if everything:
                    raise InputError("--clock all is there twice; leave one out")
                everything = clock
                continue
            if name not in BUSES:
                raise InputError(f"--clock {option}: a bus is {', '.join(BUSES)} or all, not {name}")
            for bus in BUSES[name]:
                if bus in buses:
                    raise InputError(f"--clock gives {name} two clocks, {buses[bus]} and {clock}; leave one out")
                buses[bus] = clock
    return ClockOptions(buses, kind, everything) if buses or everything or kind != "low" else None


def chosen_clocks(told: ClocksDescription) -> ClockOptions:
    """The options of a core that was built, from its ``core.json``."""
    reset = next(name for name, kind in RESETS.items() if kind == (told.reset_high, told.reset_asynchronous))
    return ClockOptions({bus: one.name for one in told.clocks for bus in one.buses}, reset)


class ClocksFrontEnd(Around):
    """Clocks of the host around a core, or around its front end.

    Parameters
    ----------
    description : Description
        The core.
    inner : callable or None
        Makes the front end around which it stands.
    options : ClockOptions

    Raises
    ------
    InputError
        The core has no such bus, or a clock has the name of another port.
    """

    refuses = {("interface", "lwc"): "--clock and --reset are for cores with AXI4-Streams; leave out --interface lwc"}

    def __init__(self, description: Description, inner: Callable[[Description], Around] | None, options: ClockOptions):
        super().__init__(description)
        self.options = options
        self.around_core = None if inner is None else inner(description)
        end = self.around_core
        if end is not None:
            end.outer = self.top
        # Sectors and messages are shapes themselves.
        self.shape = self.inner_shape = description if end is None else end.shape  # type: ignore[assignment]
        self.inner = description.top if end is None else end.top
        self.high, self.asynchronous = RESETS[options.reset]
        self.of_bus = {one.name: clock for one in self.inner_interfaces if (clock := self._clock(one))}
        self.clocks = tuple(dict.fromkeys(self.of_bus.values()))
        self._check_names()

    def _check_names(self) -> None:
        """Raises ``InputError`` for a clock with the name of something else in the emitted files."""
        ports = {port.name for port in top_ports(self.interfaces, self.shape) if port.name != "aresetn"} | {self.parameters.reset}
        # A port and an instance share the names of a module.  A port with the name of a module is legal, but linters warn of it.
        own = {CORE_INSTANCE, self.instance(PART), self.top, self.inner}
        # Constraints name the instances inside, and one with the name of a port would get another name.
        paths = [path.split("/") for one in crossing_paths(self.parameters) for path in (one.source, one.target)]
        inside = {path[0] for path in paths}
        deeper = {"_".join(path[:2]) for path in paths if len(path) > 2}
        buses = [one.name for one in self.interfaces if one.stream or one.name in REGISTERS]
        words = {"comb", "parameters", *(["caught"] if self.asynchronous else [])}
        for clock in self.clocks:
            if clock in ports:
                raise InputError(f"--clock: {clock} is the name of another port; choose another one")
            if clock in own:
                raise InputError(f"--clock: {clock} is the name of a module or an instance of this core; choose another one")
            # Tools take a port with such a name for a part of the bus.
            if bus := next((bus for bus in buses if f"{clock}_".startswith(f"{bus}_")), ""):
                raise InputError(f"--clock: {clock} begins like the ports of the bus {bus}; choose another name, such as clk_{clock}")
            if clock.startswith(f"{CORE_INSTANCE}_"):
                raise InputError(f"--clock: {clock} begins with core_ like nets beside the core; choose another name, such as clk_{clock}")
            if clock in INTERFACE_NAMES:
                raise InputError(f"--clock: {clock} is the name of a SystemVerilog interface; choose another one")
            if clock in inside:
                raise InputError(f"--clock: {clock} is the name of a part of the crossings; choose another one, such as {clock}_clk")
            if any(f"{clock}_{side}" in deeper for side in SIDES):
                raise InputError(f"--clock: two parts of the crossings would have the same name with {clock}; choose another one")
            if clock in words or hasattr(Crossings, clock):
                raise InputError(f"--clock: {clock} has a meaning in the generator; choose another name, such as {clock}_clk")

    def _clock(self, bus: Interface) -> str:
        """The clock of a bus; "" for that of the core."""
        return self.options.buses.get(bus.name, self.options.everything) if bus.stream or bus.name in REGISTERS else ""

    @property
    def top(self) -> str:
        """The name of the module that has the core and the crossings."""
        return f"{self.description.name}_clocks"

    @property
    def inner_interfaces(self) -> tuple[Interface, ...]:
        """Those of the core, or of the front end around it."""
        end = self.around_core
        return self.description.interfaces if end is None else end.interfaces

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The same, with an output for each clock."""
        more = tuple(
            InterfacePort(f"{clock}_zeroizing", Width(), f"in the clock {clock}: an erasure holds its buses", "hold", Side.CORE)
            for clock in self.clocks
        )
        outer = [one for one in self.inner_interfaces if one not in (STATUS_ORDER, QUEUE_ERASURE)]
        return tuple(replace(one, payload=(*one.payload, *more)) if one.name == CONTROL.name else one for one in outer)

    @cached_property
    def parameters(self) -> CrossingParameters:
        """The figures of the hardware."""
        streams = []
        for one in self.inner_interfaces:
            clock = self.of_bus.get(one.name, "")
            # A status goes through a queue if its data do, which keeps it behind them.
            if one.stream and (clock or one.name == STATUSES and DATA_OUT.name in self.of_bus):
                payload = tuple((port.name, port.width.bits(self.shape)) for port in one.payload)
                streams.append(StreamCrossing(one.name, payload, one.driver is Side.HOST, clock or CORE))
        flags: tuple[tuple[str, int], ...] = ()
        if KEYS in self.of_bus:
            group = next(one for one in self.inner_interfaces if one.name == "key")
            flags = tuple((group.port_name(port), port.width.bits(self.shape)) for port in group.ports)
        ordered = STATUS_ORDER in self.inner_interfaces
        plain = CrossingParameters(
            self.high, self.asynchronous, tuple(streams), flags, ordered=ordered, tells_erasure=QUEUE_ERASURE in self.inner_interfaces
        )
        bus = next((one for one in self.inner_interfaces if one.name in REGISTERS and one.name in self.of_bus), None)
        if bus is None:
            return plain
        address = next(port for port in bus.ports if port.name.endswith("addr"))
        return replace(
            plain, register_clock=self.of_bus[bus.name], register_bus=REGISTERS[bus.name], address_bits=address.width.bits(self.shape)
        )

    @cached_property
    def part(self) -> FrontPart:
        """The hardware."""
        titles = dict(TITLES)
        for one in self.parameters.streams:
            titles[one.name] = f"The queue of {one.name}"
        for clock in self.clocks:
            titles[f"{clock}_core"] = "An erasure on both sides: the side of the core"
            titles[f"{clock}_host"] = f"An erasure on both sides: that of {clock}"
        return FrontPart(Crossings(self.parameters), {name: (title,) for name, title in titles.items()})

    @cached_property
    def host_ports(self) -> tuple[TopPort, ...]:
        """The ports of the module around it."""
        aclk, _, *others = top_ports(self.interfaces, self.shape)
        return (aclk, TopPort(self.parameters.reset, False, 1, CLOCK), *(TopPort(clock, False, 1, CLOCK) for clock in self.clocks), *others)

    def instance(self, name: str) -> str:
        """Constraints look for the name of the core."""
        return f"{self.description.name}_{name}"

    @property
    def clocking(self) -> str:
        """What the first ports are, for a comment."""
        kind = f"{'asynchronous' if self.asynchronous else 'synchronous'} active-{'high' if self.high else 'low'} reset"
        return f"clock of the core, {kind}{', and clocks of the host' if self.clocks else ''}"

    def core_net(self, port: str) -> str:
        """What a port of the module inside is connected with."""
        return f"core_{port}" if f"core_{port}" in self.part.component.signature.members else port

    def net(self, port: str) -> str:
        """What a port of the crossings is connected with."""
        return port

    @property
    def about(self) -> str:
        """What the module has besides the core."""
        end = self.around_core
        clocks = f"{' and '.join(self.clocks)} for buses of" if self.clocks else f"reset {self.parameters.reset} for"
        return f"{clocks} the core" + ("" if end is None else f" with {end.top}") + ", around"

    def parts(self, verilog: str) -> Mapping[str, FrontPart]:
        """The crossings, and the parts of the front end inside."""
        return {PART: self.part, **({} if self.around_core is None else self.around_core.parts(verilog))}

    def modules(self, parts: Mapping[str, FrontPart]) -> list[str]:
        """The modules around the core, the outermost one first."""
        end = self.around_core
        inner = [] if end is None else end.modules({name: part for name, part in parts.items() if name != PART})
        return [self.module(PART, parts[PART]), *inner]

    @cached_property
    def told(self) -> ClocksDescription:
        """What ``core.json`` says of the clocks."""
        return ClocksDescription(
            reset=self.parameters.reset, reset_high=self.high, reset_asynchronous=self.asynchronous,
            clocks=tuple(
                HostClock(
                    name=clock, buses=tuple(bus for bus, its in self.of_bus.items() if its == clock), zeroizing=f"{clock}_zeroizing",
                ) for clock in self.clocks
            ),
            instance=self.instance(PART),
            crossings=tuple(Crossing(kind=one.kind, source=one.source, target=one.target) for one in crossing_paths(self.parameters)),
            erase_cycles=ERASE_CYCLES if self.clocks else 0, erase_host_cycles=ERASE_HOST_CYCLES if self.clocks else 0,
        )  # fmt: skip

    def described(self) -> Description:
        """The description of the core, with the front end and its files."""
        end = self.around_core
        base = self.description if end is None else end.described()
        ports = tuple(port.described for port in self.host_ports)
        if base.front is None:
            front = FrontDescription(
                kind="clocks", top=self.top, verilog=f"{self.top}.v", clocks=self.told, erase_cycles=self.told.erase_cycles, registers={},
                ports=ports,
            )  # fmt: skip
        else:
            front = replace(base.front, top=self.top, verilog=f"{self.top}.v", clocks=self.told, ports=ports)
        constraints = {}
        if self.told.crossings:
            constraints = {"xdc": f"{self.top}.xdc", "quartus_sdc": f"{self.top}_quartus.sdc", "sdc": f"{self.top}.sdc"}
        return replace(base, files=replace(base.files, **self.files, **constraints), front=front)

    def sheet(self) -> list[str]:
        """The section of the datasheet."""
        inner = [] if self.around_core is None else list(self.around_core.sheet())
        told = self.told
        begins = "may begin and end at any time" if self.asynchronous else "is synchronous to `aclk`"
        lines = [
            "## Clocks and reset", "",
            f"The reset of `{self.top}` is `{told.reset}`. It is active {'high' if self.high else 'low'}, and {begins}.", "",
        ]  # fmt: skip
        for clock in told.clocks:
            names = ", ".join(f"`{bus}`" for bus in clock.buses)
            lines.append(f"- `{clock.name}` is the clock of {names}. `{clock.zeroizing}` is high in it while an erasure holds them.")
        if told.clocks:
            others = ", ".join(f"`{one.name}`" for one in self.inner_interfaces if (one.stream or one.name in REGISTERS)
                               and one.name not in self.of_bus)  # fmt: skip
            lines += [
                f"- `aclk` is the clock of the core, of `zeroize` and `zeroizing`{f', and of {others}' if others else ''}.",
                f"- An erasure takes at most {told.erase_cycles} cycles of `aclk` and {told.erase_host_cycles} cycles of each other clock "
                "longer than that of the core alone. A clock that stands still holds it up.",
                "- Beats that are in a queue when an erasure begins are erased. Beats that wait on a bus are taken after it.",
                f"- All paths between clocks are in the instance `{told.instance}`. `{self.top}.xdc` has constraints for Vivado, "
                f"`{self.top}_quartus.sdc` for Quartus, and `{self.top}.sdc` for other tools.",
            ]  # fmt: skip
        return [*inner, *lines, "", self.port_words(), "", *table(*self.port_table())]
