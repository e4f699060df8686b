# SPDX-License-Identifier: Apache-2.0
"""An emitted core for execution on symbols.  Its cipher cores, multipliers, squarers and adders are executed as a whole.

::

    core.v ──Yosys──▶ netlist, cores of units as cells ──▶ Circuit ──▶ Run ──▶ Host
"""

from __future__ import annotations

import contextlib
import gc
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from amaranth.hdl import UnusedElaboratable

from modeloom.ciphers import BlockCipher, CoreRequest
from modeloom.ciphers.check import result_places
from modeloom.ciphers.description import users_cipher
from modeloom.compiler.compile import Compiled
from modeloom.equivalence.arithmetic import output_order
from modeloom.equivalence.circuit import Box, Circuit, CircuitError
from modeloom.equivalence.cores import (
    Batches,
    CipherCore,
    CoreTimes,
    EveryCycle,
    FunctionCore,
    OneByOne,
    Parts,
    bits_of_user,
    function_of,
    input_ports,
    output_ports,
)
from modeloom.equivalence.host import Host, Run
from modeloom.product.beats import SectorDescription
from modeloom.rtl.engine.storage import KeyClass, key_class
from modeloom.rtl.engine.unit import UnitCore
from modeloom.sim.build import verilog_to_rtlil
from modeloom.spec import DefinitionError
from modeloom.spec.kinds import BOTH, DEC, ENC, OPERATIONS, Kind, Operation, UnitKind, UnitType
from modeloom.taint.check import verdict_registers
from modeloom.taint.graph import Bit, Cell, Netlist, netlist_of_rtlil, port_directions

__all__ = ["EngineCore", "SymbolicCore", "UsersCipher", "UsersCore"]


# The requirements of the execution on symbols: the compiled mode whose program the engine runs, and the components of the units.
#
# Cores for sectors meet them.  Cores of other kinds are proved in other ways.

class EngineCore(Protocol):
    """A core whose engine runs the program of a compiled mode."""

    @property
    def compiled(self) -> Compiled:
        """The mode, after the proof."""

    @property
    def erase_cycles(self) -> int:
        """Number of cycles of a reset."""

    @property
    def key_erase_cycles(self) -> int:
        """Number of cycles after which nothing is left of an erased key."""

    def components(self, kind: UnitKind, operations: Sequence[Kind]) -> Mapping[str, UnitCore]:
        """The components of a unit for some operations, by their names in Verilog.  Each call makes new ones."""


# -- users -------------------------------------------------------------------------------------------------------------------------

# The cipher cores of a user, which are compared with their software before they are executed as a whole.

UsersCipher = tuple[BlockCipher, CoreRequest]
"""The cipher of a user, and the request for one of its cores."""


class UsersCore:
    """A module of an emitted core that is a cipher core of a user.

    Parameters
    ----------
    cipher : BlockCipher
    request : CoreRequest
    rtlil : str
        The emitted core.
    module : str
        The name of the module.
    """

    def __init__(self, cipher: BlockCipher, request: CoreRequest, rtlil: str, module: str):
        self.cipher, self.request, self.rtlil, self.module = cipher, request, rtlil, module
        self._known: dict[object, list[int | None]] = {}

    def forms(self, ports: Mapping[str, Parts]) -> int:
        """Number of forms of the round keys that the module takes.  A core for both directions may make the keys of the other form
        itself, and has no port for them."""
        return 1 + ("key_data_dec" in ports)

    def order(self, ports: Mapping[str, Parts], outputs: Sequence[tuple[str, int]]) -> list[int | None]:
        """The bit of a block for each bit of its outputs.

        Raises ``CircuitError`` if it does not compute what the software does, in the cycles that the description says.
        """
        key = tuple(sorted(ports.items())), tuple(outputs)
        if key not in self._known:
            try:
                self._known[key] = result_places(self.cipher, self.request, self.rtlil, self.module, ports, outputs)
            except DefinitionError as error:
                raise CircuitError(str(error)) from error
        return self._known[key]


# -- core --------------------------------------------------------------------------------------------------------------------------

_CELL = re.compile(r"^  cell \\(\S+_engine_\S+) \\([a-z]\w*)$", re.M)
"""A cell in the engine: its module and its name."""


def _does(name: str) -> tuple[Operation, ...]:
    """The operations of the component with this name; none if it is not a component of a unit."""
    if name == BOTH:
        return ENC.operation, DEC.operation
    operation = OPERATIONS.get(name)
    return (operation,) if operation and operation.unit.component else ()


_WRITES = {"rk_we": "key_we", "rk_slot": "key_slot", "rk_round": "key_round", "rk_data": "key_data", "rk_data_dec": "key_data_dec"}
"""Registers of the engine before the key ports of all ciphers, and their roles at these ports."""

ENGINE = "core.engine"
"""Path of the engine in a core."""


def _definition(made: EngineCore, unit: UnitKind, name: str) -> tuple[dict[str, int], CoreTimes, UsersCipher | None]:
    """Widths of the inputs of a core by name, its times, and the cipher if it is a user's.  Raises ``KeyError`` if units of this kind have
    none.
    """
    with warnings.catch_warnings():
        # Only the signature of the component is used.
        warnings.simplefilter("ignore", UnusedElaboratable)
        components = made.components(unit, [Kind(operation, unit.key_bits) for operation in _does(name)])
        core = components[name]
        ports = {port: len(getattr(core.component, port)) for port in core.component.signature.members if port != "o"}
        # Its ports say how it takes operands.
        entries: dict[str, Callable[[], EveryCycle]] = {
            "start": partial(OneByOne, core.interval), "batch": partial(Batches, core.interval, core.blocks),
        }  # fmt: skip
        times = CoreTimes(core.component.latency, next((entry for port, entry in entries.items() if core.has(port)), EveryCycle))
        cipher = users_cipher(core.component)
        del core, components
        gc.collect()
    return ports, times, cipher


class SymbolicCore:
    """A core as a circuit on symbols.

    Parameters
    ----------
    verilog : Path
    description : SectorDescription
    made : EngineCore
        The compiled mode of the core.

    Attributes
    ----------
    modules : dict
        Names of the modules of cores, each with its kind of core.
    circuit : Circuit
    width : int
        Bits of a block.

    Raises
    ------
    CircuitError
        The Verilog has something that a core has not.
    """

    def __init__(self, verilog: Path, description: SectorDescription, made: EngineCore):
        self.made, top = made, description.top
        self.compiled = compiled = made.compiled
        rtlil = verilog_to_rtlil(verilog, top)
        self.modules = {module: name for module, name in _CELL.findall(rtlil) if _does(name)}
        netlist = netlist_of_rtlil(rtlil, top, keep=sorted(self.modules))
        self.width = 8 * compiled.mode.block_bytes
        self._makers: dict[str, Callable[[Cell], Box]] = {}
        cells = {cell.type: cell for cell in netlist.cells if cell.type in self.modules}
        ordered = {module: port_directions(rtlil, module) for module in cells}
        outputs = {module: output_ports(ordered[module], cell) for module, cell in cells.items()}
        self._classes: dict[str, KeyClass] = {}
        units: dict[str, UnitKind] = {unit.name: unit.kind for unit in compiled.core_program.units}
        for module, cell in cells.items():
            kind, unit = self.modules[module], cell.name.split(".")[-2]
            try:
                ports, times, cipher = _definition(made, units[unit], kind)
            except KeyError:
                raise CircuitError(f"{cell.name}: {unit} has no {kind}") from None
            does, type = _does(kind), units[unit].type
            if type.keyed:
                keys = self._classes[module] = key_class(compiled.core_program.cipher_bits, units[unit].key_bits)
                nets, users = self._key_nets(netlist, keys), None if cipher is None else UsersCore(*cipher, rtlil, module)
                self._makers[module] = self._cipher(does, type, ports, times, ordered[module], nets, keys, users)
            else:
                order = output_order(netlist_of_rtlil(rtlil, module), outputs[module], does[0], compiled.mode.field, times.latency)
                self._makers[module] = self._function(does[0], ports, times, ordered[module], order)
        # One register of a core says whether the mode refuses the key.  Here all keys are accepted.
        frozen: list[Bit] = []
        if description.verdicts:
            flat = netlist_of_rtlil(rtlil, top)
            d = description
            for verdict in verdict_registers(flat, d.secrets, d.results, d.verdicts, d.users_cipher):
                frozen += netlist.net(verdict)
        self.circuit = Circuit(netlist, outputs, [bit for bit in frozen if isinstance(bit, int)])

    @staticmethod
    def _key_nets(netlist: Netlist, keys: KeyClass) -> dict[tuple[Bit, ...], str]:
        nets: dict[tuple[Bit, ...], str] = {}
        for register, role in _WRITES.items():
            with contextlib.suppress(KeyError):
                nets.setdefault(tuple(netlist.net(f"{ENGINE}.{keys.named(register)}_0_reg")), role)
        return nets

    def _cipher(
        self, does: tuple[Operation, ...], unit: UnitType, roles: dict[str, int], times: CoreTimes, directions: Mapping[str, str],
        nets: Mapping[tuple[Bit, ...], str], keys: KeyClass, users: UsersCore | None,
    ) -> Callable[[Cell], Box]:  # fmt: skip
        # The round keys of a decrypter come from a separate register.
        if all(operation.inverse_keys for operation in does):
            nets = {bits: "key_data" if role == "key_data_dec" else role for bits, role in nets.items()}
        forms = 1 + ("key_data_dec" in roles)
        resets = times.entry().resets or ("rst",) * (users is not None)
        roles = roles | dict.fromkeys(resets, 1)
        compiled = self.compiled
        rounds = compiled.architecture.cipher.round_keys(keys.bits or compiled.options.key_bits or 0)

        def make(cell: Cell) -> Box:
            outputs = output_ports(directions, cell)
            if users is None and sum(len(cell[port]) for port in outputs) != self.width:
                raise CircuitError(f"{cell.name}: its outputs {', '.join(outputs)} are not the {self.width} bits of a block")
            ports = input_ports(cell, directions, nets, roles)
            held = forms if users is None else users.forms(ports)
            core = CipherCore(cell.name, ports, does, unit, held, times, rounds, self.width, users is not None)
            if users is not None:
                core.show = bits_of_user(cell.name, self.width, users.order(ports, [(port, len(cell[port])) for port in outputs]))
            return core

        return make

    def _function(
        self, operation: Operation, roles: dict[str, int], times: CoreTimes, directions: Mapping[str, str], order: list[int]
    ) -> Callable[[Cell], Box]:
        operands = [*operation.unit.ports, *(["number"] if operation.numbers else [])]
        function = function_of(operation, self.width)

        def make(cell: Cell) -> Box:
            ports = input_ports(cell, directions, {}, roles)
            missing = [name for name in operands if name not in ports]
            if missing:
                raise CircuitError(f"{cell.name}: no input is its {missing[0]}")
            return FunctionCore([ports[name] for name in operands], times.latency, function, order)

        return make

    def run(self) -> Run:
        """A run from power-on."""
        return Run(self.circuit, lambda cell: self._makers[cell.type](cell))

    def host(self, lanes: int) -> Host:
        """A host of a new run, after its reset."""
        host = Host(self.run(), lanes * self.width // 8)
        host.reset(2 * self.made.erase_cycles)
        return host

    def cipher_keys(self, run: Run, slot: int, key: int) -> Mapping[str, int]:
        """Names of the round keys that the cipher cores hold for a cipher key of a slot.

        Raises ``CircuitError`` if two cores do not agree.
        """
        names: dict[str, int] = {}
        for (cell, _), box in zip(self.circuit.instances, run.boxes):
            length = self._classes.get(cell.type)
            if length is None or key not in length.numbers:
                continue
            assert isinstance(box, CipherCore)
            place = (slot << (len(length.numbers) - 1).bit_length()) + length.numbers.index(key)
            for core in box.names:
                held = box.digest(core, place)
                if names.setdefault(core, held) != held:
                    raise CircuitError(f"{box.path} has other round keys of slot {slot} than the cores before")
        return names
