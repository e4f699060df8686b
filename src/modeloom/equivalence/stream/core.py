# SPDX-License-Identifier: Apache-2.0
"""An emitted core for messages, for execution on symbols.  The ciphers and multipliers of its lanes are executed as a whole.

::

    core.v ──Yosys──▶ netlist, ciphers and multipliers as cells ──▶ Circuit ──▶ Run ──▶ Host
"""

from __future__ import annotations

import contextlib
import gc
import operator
import random
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

from amaranth.hdl import UnusedElaboratable

from modeloom.ciphers.description import users_cipher
from modeloom.equivalence import lanes
from modeloom.equivalence.arithmetic import Depth, LinearCircuit, output_order, products_of
from modeloom.equivalence.circuit import Box, Circuit, CircuitError
from modeloom.equivalence.core import UsersCipher, UsersCore
from modeloom.equivalence.cores import (
    Batches,
    CipherCore,
    CoreTimes,
    EveryCycle,
    FunctionCore,
    Parts,
    bits_of_user,
    columns_of,
    input_ports,
    output_ports,
    taken,
)
from modeloom.equivalence.host import Host, Run
from modeloom.equivalence.stream.words import product_of
from modeloom.layers import Layer
from modeloom.layers.layer import Derivers
from modeloom.product.messages import StreamDescription
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.pipeline import TokenPipeline
from modeloom.sim.build import verilog_to_rtlil
from modeloom.spec import Field
from modeloom.spec.cadence import EVERY_CYCLE, Cadence
from modeloom.spec.kinds import ENC, MUL, OPERATIONS, Operation
from modeloom.streams.plan import StreamPlan
from modeloom.taint.graph import Bit, Cell, Netlist, netlist_of_rtlil, port_directions

__all__ = [
    "DERIVED_KEY", "INPUTS", "MessageHardware", "PowersCircuit", "PowersCore", "SizedCipherCore", "SymbolicMessageCore",
    "prove_powers",
]  # fmt: skip


# -- powers ------------------------------------------------------------------------------------------------------------------------------

# The powers of a key that has come with a message: their circuit is proved alone, and executed as a whole in a core.
#
#     start, h ──▶ a = h, b = h ──┬──▶ some bits of a times b in each cycle ──▶ a · b = h², until it is taken ──▶ busy falls
#                                 └──────────────────────────── a = h² ◀────────────────────────┘    ... hⁿ
#
# The proof runs the circuit cycle by cycle.  Control is numbers.  Each bit of data is linear in a, in b, or in both, as in ``arithmetic``.
# When a power is taken, the register that holds it then is found, and gets new symbols for a.  All others must have what they had behind
# the start.  So the proof of a power holds for any a, and the powers follow by induction.

INPUTS = ("rst", "start", "taken", "base")
"""Input ports of the circuit."""

LONGEST = 300
"""A power takes fewer cycles than this."""

HELD = 2
"""Cycles in which a power waits in the proof.  Nothing changes in them, so it can wait for any number of cycles."""

SAMPLES = 256
"""Random keys with which the register of a is found."""

EXPLORED = 2
"""Powers with which it is found."""

Value = tuple[int, Depth, frozenset[str]]


@dataclass(frozen=True)
class PowersCircuit:
    """What is known of a proved circuit.

    Attributes
    ----------
    cycles : tuple of int
        For each power from 2 on, the cycles in which it is computed.
    outputs : tuple of str
        For each output port, what it is: "we", "exponent", "data" or "busy".
    """

    cycles: tuple[int, ...]
    outputs: tuple[str, ...]


_NUMBERS: dict[str, Callable[[int, int], int]] = {
    "$eq": operator.eq, "$ne": operator.ne, "$lt": operator.lt, "$le": operator.le, "$gt": operator.gt, "$ge": operator.ge,
    "$add": operator.add, "$sub": operator.sub,
}  # fmt: skip
"""Cells of control."""


class _Cycle(LinearCircuit):
    """The values of all bits in a cycle.

    Parameters
    ----------
    netlist : Netlist
    known : mapping
        The values of inputs and registers.
    count : int
        Number of digits.
    linear : bool
        Whether each bit must be linear in each operand.
    """

    def __init__(self, netlist: Netlist, known: Mapping[Bit, Value], count: int, linear: bool):
        super().__init__(count, linear)
        self.known.update(known)
        wanted = [bit for bits in netlist.outputs.values() for bit in bits]
        wanted += [bit for cell in netlist.cells if cell.type == "$dff" for bit in cell["D"]]
        self.evaluate({bit: cell for cell in netlist.cells if cell.type != "$dff" for bit in cell["Y"]}, wanted, netlist.names)

    def compute(self, cell: Cell) -> None:
        operands = [[self.known[bit] for bit in cell[port]] for port in ("A", "B", "S") if port in cell.ports]
        if cell.type in _NUMBERS and all(depth is None for operand in operands for _, depth, _ in operand):
            first, second = (sum(1 << n for n, (value, _, _) in enumerate(operand) if value) for operand in operands)
            result = int(_NUMBERS[cell.type](first, second))
            for n, y in enumerate(cell["Y"]):
                self.known[y] = self.ones if result >> n & 1 else 0, None, frozenset()
        elif cell.type == "$not" and all(depth is None for _, depth, _ in operands[0]):
            for y, (value, _, _) in zip(cell["Y"], operands[0]):
                self.known[y] = value ^ self.ones, None, frozenset()
        elif cell.type == "$mux":
            ((select, depth, _),) = operands[2]
            if depth is not None:
                raise CircuitError(f"{cell.name} chooses by data")
            self.known.update(zip(cell["Y"], operands[1 if select else 0]))
        elif cell.type == "$reduce_xor":
            self.known[cell["Y"][0]] = reduce(lambda a, b: self.gate(cell, "$xor", a, b), operands[0])
        else:
            super().compute(cell)


class _Clocked:
    """A circuit that runs: the values of its registers."""

    def __init__(self, netlist: Netlist, count: int, linear: bool):
        self.netlist, self.count, self.linear = netlist, count, linear
        self.ones = (1 << count) - 1
        self.registers = [(q, d) for cell in netlist.cells if cell.type == "$dff" for q, d in zip(cell["Q"], cell["D"])]
        self.state: dict[Bit, Value] = {q: (0, None, frozenset()) for q, _ in self.registers}
        missing = [name for name in INPUTS if name not in netlist.inputs]
        if missing or any(len(netlist.inputs[name]) != 1 for name in INPUTS[:-1]):
            raise CircuitError(f"the circuit of powers has no port {(missing or ['of one bit'])[0]}")

    def step(
        self, base: Sequence[int], degree: str, *, start: bool = False, took: bool = False, reset: bool = False
    ) -> dict[str, list[Value]]:
        """A cycle.  Returns the outputs in it."""
        known = dict(self.state)
        for name, value in (("rst", reset), ("start", start), ("taken", took)):
            known[self.netlist.inputs[name][0]] = self.ones if value else 0, None, frozenset()
        for bit, digits in zip(self.netlist.inputs["base"], base, strict=True):
            known[bit] = digits, 0, frozenset({degree})
        found = _Cycle(self.netlist, known, self.count, self.linear).known
        self.state = {q: found[d] for q, d in self.registers}
        return {name: [found[bit] for bit in bits] for name, bits in self.netlist.outputs.items()}


def number_of(bits: Sequence[Value]) -> int:
    """The number that control bits hold.  Raises ``CircuitError`` if they depend on data."""
    if any(depth is not None for _, depth, _ in bits):
        raise CircuitError("control of the circuit of powers depends on data")
    return sum(1 << n for n, (value, _, _) in enumerate(bits) if value)


def check_empty(clocked: _Clocked, what: str) -> None:
    """Raises ``CircuitError`` unless all registers are zero."""
    if any(depth is not None or value for value, depth, _ in clocked.state.values()):
        raise CircuitError(f"something is left in the circuit of powers behind {what}")


def _roles(outputs: Mapping[str, Sequence[Value]], width: int) -> dict[str, str]:
    """The role of each output in the cycle behind the start: ``busy`` is high, and the other output of one bit is low."""
    roles = {}
    for name, bits in outputs.items():
        if len(bits) == width:
            roles[name] = "data"
        else:
            roles[name] = "exponent" if len(bits) > 1 else "busy" if number_of(bits) else "we"
    if sorted(roles.values()) != ["busy", "data", "exponent", "we"]:
        raise CircuitError("the outputs of the circuit of powers are not we, exponent, data and busy")
    return roles


def _begun(netlist: Netlist, base: Sequence[int], count: int, linear: bool) -> _Clocked:
    """The circuit in the cycle behind its start."""
    clocked = _Clocked(netlist, count, linear)
    clocked.step(base, "b", start=True)
    return clocked


def _explored(netlist: Netlist, width: int) -> tuple[dict[str, str], list[list[Bit]]]:
    """The roles of the outputs, and for each bit of a power, the bits of registers that hold it when it has been taken."""
    rng = random.Random(width)
    clocked = _begun(netlist, [rng.getrandbits(SAMPLES) | 1 for _ in range(width)], SAMPLES, False)
    other = [0] * width
    before = dict(clocked.state)
    roles = _roles(clocked.step(other, "other"), width)
    clocked.state = before
    port = {role: name for name, role in roles.items()}
    places: list[list[Bit]] = [list(clocked.state)] * width
    # A square is linear, so a bit of it may be a bit of the key.  That of the third power is none.
    for _ in range(EXPLORED):
        for _ in range(LONGEST):
            outputs = clocked.step(other, "other", took=True)
            if number_of(outputs[port["we"]]):
                break
        else:
            raise CircuitError(f"no power is there after {LONGEST} cycles")
        digits = [value for value, _, _ in outputs[port["data"]]]
        places = [[q for q in held if clocked.state[q][0] == value] for held, value in zip(places, digits)]
    return roles, places


def prove_powers(netlist: Netlist, ports: Sequence[str], field: Field, count: int) -> PowersCircuit:
    """Proves that a circuit computes the powers 2 to ``count`` of every key.  The highest power is at least 4.

    Parameters
    ----------
    netlist : Netlist
        The module of the circuit.
    ports : sequence of str
        Its outputs.

    Raises
    ------
    CircuitError
        A power differs, is late, or does not wait, or the circuit keeps something behind the last one.
    """
    values, results, digits = products_of(field)
    roles, places = _explored(netlist, field.width)
    if not all(places):
        raise CircuitError("a power that was taken is in no register, so the next one cannot follow from it")
    clocked = _begun(netlist, values["b"], digits, True)
    port = {role: name for name, role in roles.items()}
    own = {q for bits in places for q in bits}
    whole = [(digit, 0, frozenset({"a", "b"})) for digit in results]
    other = values["b"]

    def data(state: Mapping[Bit, Value]) -> dict[Bit, Value]:
        return {q: value for q, value in state.items() if value[1] is not None and q not in own}

    def check(a: Sequence[Value], what: str) -> None:
        if any(clocked.state[q] != value for bits, value in zip(places, a) for q in bits):
            raise CircuitError(f"the operand of the next power is not {what}")

    check([(digit, 0, frozenset({"b"})) for digit in values["b"]], "the key")
    begun = data(clocked.state)
    cycles = []
    for exponent in range(2, count + 1):
        cycles.append(0)
        for bits, digit in zip(places, values["a"]):
            clocked.state.update(dict.fromkeys(bits, (digit, 0, frozenset({"a"}))))
        for _ in range(LONGEST):
            before = dict(clocked.state)
            # Whatever is at ``base`` and ``taken`` has no effect before a power is there.
            outputs = clocked.step(other, "other", took=True)
            if not number_of(outputs[port["busy"]]):
                raise CircuitError(f"busy is low before power {exponent}")
            if number_of(outputs[port["we"]]):
                break
            cycles[-1] += 1
        else:
            raise CircuitError(f"power {exponent} is not there after {LONGEST} cycles")
        after, clocked.state = clocked.state, before
        for _ in range(HELD):
            outputs = clocked.step(other, "other")
            if clocked.state != before or number_of(outputs[port["exponent"]]) != exponent:
                raise CircuitError(f"power {exponent} does not stay until it is taken, or has another number")
            if outputs[port["data"]] != whole:
                raise CircuitError(f"power {exponent} is not the product of the power before it and the key")
        clocked.step(other, "other", reset=True)
        check_empty(clocked, "a reset")
        clocked.state = after
        if exponent < count:
            check(whole, f"power {exponent}")
            if data(clocked.state) != begun:
                raise CircuitError(f"behind power {exponent} the registers are not as behind the start")
    check_empty(clocked, "the last power")
    return PowersCircuit(tuple(cycles), tuple(roles[name] for name in ports))


class PowersCore(Box):
    """A proved circuit of powers, executed as a whole.

    Parameters
    ----------
    path : str
    ports : mapping
        Its input ports by their roles.
    widths : sequence of int
        Widths of its output ports.
    circuit : PowersCircuit
    product : callable
        The product of two blocks.
    """

    def __init__(
        self, path: str, ports: Mapping[str, Parts], widths: Sequence[int], circuit: PowersCircuit, product: Callable[..., int], width: int
    ):
        self.path, self.ports, self.circuit, self.product, self.width = path, ports, circuit, product, width
        self.outputs = list(zip(circuit.outputs, widths, strict=True))
        # Exponent, cycles until it is there, the power before it, and the key; None if it is idle.
        self.work: tuple[int, int, int, int] | None = None

    def clock(self, inputs: Mapping[str, int], cycle: int) -> int:
        told = {}
        for name in INPUTS[:-1]:
            word = lanes.number(taken(inputs, self.ports[name]))
            if word is None:
                raise CircuitError(f"cycle {cycle}: {name} of {self.path} depends on data")
            told[name] = word
        base = taken(inputs, self.ports["base"])
        if told["rst"]:
            self.work = None
        elif self.work is None:
            if told["start"]:
                self.work = 2, self.circuit.cycles[0], base, base
        else:
            if told["start"]:
                raise CircuitError(f"cycle {cycle}: {self.path} starts before it is free")
            exponent, left, a, b = self.work
            if left:
                self.work = exponent, left - 1, a, b
            elif told["taken"]:
                done = exponent - 1 == len(self.circuit.cycles)
                self.work = None if done else (exponent + 1, self.circuit.cycles[exponent - 1], self.product(a, b), b)
        return self._shown()

    def _shown(self) -> int:
        """The outputs, which are functions of the registers."""
        if self.work is None:
            return 0
        exponent, left, a, b = self.work
        data = lanes.operation(f"a part of a power, {left} cycles before", self.width, a, b) if left else self.product(a, b)
        values = {
            "we": 0 if left else lanes.ONE, "busy": lanes.ONE, "data": data,
            "exponent": lanes.constant(exponent, next(width for role, width in self.outputs if role == "exponent")),
        }  # fmt: skip
        word, at = 0, 0
        for role, width in self.outputs:
            word |= (values[role] & lanes.mask(width)) << at * lanes.LANES
            at += width
        return word

    def state(self, cycle: int) -> object:
        return self.work


# -- core --------------------------------------------------------------------------------------------------------------------------------

# A cipher core that takes keys of several sizes, executed as a whole.
#
# The place to which a round key belongs depends on its number and on the size of its key.  So a result may depend on all that was written,
# in its order, since zeros of the longest size were written to all places:
#
#     longest: 0 0 0 ... 0    128 bits: RK0 RK1 ... RK10         the next key begins with zeros again, and nothing before them counts

class SizedCipherCore(CipherCore):
    """A cipher core with a port ``key_length``, whose value 0 is the longest size.

    Parameters
    ----------
    place : callable, optional
        The place of a round key in the pipeline, from its size and its number.  It is there if a slot can be cleared at once.
    others
        Those of ``CipherCore``.
    """

    def __init__(self, *arguments: object, place: Callable[[int, int], int] | None = None):
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.place = place
        self.history: dict[int, dict[tuple[int, int], int]] = {}

    def digest(self, core: str, slot: int) -> int:
        """A name for the round keys that the core holds for a slot."""
        if (core, slot) not in self._digests:
            held = [lanes.operation(f"round key {number} of size {size}", 1, word) for (size, number), word in self._held(slot).items()]
            self._digests[core, slot] = lanes.operation("keys", 1, *held)
        return self._digests[core, slot]

    def _held(self, slot: int) -> dict[tuple[int, int], int]:
        """The words that count, by size and number, in the order in which they were written."""
        written = self.history.get(slot, {})
        order = list(written)
        zeros = [at for at, (size, number) in enumerate(order) if not size and number < self.rounds]
        first = zeros[0] if len(zeros) == self.rounds else 0
        held: dict[tuple[int, int], int] = {}
        for size, places in groupby(order[first:], key=lambda at: at[0]):
            # Round keys of the longest size have a place each, so their order does not matter.  An erasure may begin at either end.
            held |= {place: written[place] for place in (places if size else sorted(places))}
        return held

    def _place(self, inputs: Mapping[str, int], writer: str, cycle: int) -> int:
        if self.place is None:
            raise CircuitError(f"{self.path}: the places of its round keys are not known")
        return self.place(self._number(inputs, f"key_length{writer}", cycle), super()._place(inputs, writer, cycle))

    def _clear(self, slot: int, written: set[int]) -> None:
        assert self.place is not None
        held: dict[tuple[int, int], int] = {}
        before = self.history.get(slot, {})
        for number in range(self.rounds):
            if number in written:
                held |= {at: word for at, word in before.items() if self.place(*at) == number}
            else:
                held[0, number] = 0
        self.history[slot] = held
        self._forget(slot)

    def _forget(self, slot: int) -> None:
        self._digests = {place: name for place, name in self._digests.items() if place[1] != slot}

    def _write(self, inputs: Mapping[str, int], writer: str, cycle: int) -> None:
        slot, number, size = (self._number(inputs, f"{port}{writer}", cycle) for port in ("key_slot", "key_round", "key_length"))
        if number >= self.rounds:
            # No key has so many.  An erasure counts up to a power of two.
            return
        written = self.history.setdefault(slot, {})
        written.pop((size, number), None)
        forms = [taken(inputs, self.ports[f"{form}{writer}"]) for form in dict.fromkeys(self.forms.values())]
        written[size, number] = lanes.operation("forms of a round key", 1, *forms) if len(forms) > 1 else forms[0]
        self._forget(slot)

    def state(self, cycle: int) -> object:
        return (*super().state(cycle), tuple((slot, tuple(self._held(slot).items())) for slot in sorted(self.history)))  # type: ignore[misc]


# -- core --------------------------------------------------------------------------------------------------------------------------

_CELL = re.compile(r"^  cell \\(\S+_pipeline_\S+) \\(cipher|multiplier)(?:_\d+)?$", re.M)
"""A cipher or a multiplier in the pipeline: its module, and what it is."""

_DERIVERS = re.compile(r"^  cell \\(\S+_deriver_cipher_\d*) \\cipher_\d+$", re.M)
"""A cipher of the part that derives keys: its module."""

_POWERS = re.compile(r"^  cell \\(\S+_powers) \\(powers)$", re.M)
"""What computes the powers of a key that comes with a message: its module, and what it is."""


_COLUMN = re.compile(r"o_column_(\d+)(?:_reg)?")
"""An output of a round core of which some columns are used."""

COLUMN_BITS = 32


def _columns(cell: Cell, outputs: Sequence[str]) -> list[tuple[int, int]]:
    """The bits of a block at the outputs of a cipher of which some columns are used: the first of each output, and their number."""
    places = []
    for port in outputs:
        found = _COLUMN.fullmatch(port)
        if found is None or len(cell[port]) != COLUMN_BITS:
            raise CircuitError(f"{cell.name}: its output {port} is no column of a block")
        places.append((COLUMN_BITS * int(found[1]), COLUMN_BITS))
    return places


class MessageHardware(Protocol):
    """A core for messages as it was compiled."""

    @property
    def parameters(self) -> MessageParameters:
        """The sizes of the buses."""

    def pipeline(self) -> TokenPipeline:
        """The pipeline with its units."""

    @property
    def top(self) -> Layer:
        """All its layers."""


@dataclass(frozen=True)
class Unit:
    """What the units of a kind have in common: their operation, the widths of their inputs by name, their latency, how many there are, and
    when they take blocks.  Some have the cipher of a user, or make keys, of which some columns may be used.
    """

    operation: Operation
    inputs: Mapping[str, int]
    latency: int
    count: int
    entry: Callable[[], EveryCycle] = EveryCycle
    cipher: UsersCipher | None = None
    alone: bool = False

    @classmethod
    def of(cls, operation: Operation, components: Sequence[Any], cadence: Cadence = EVERY_CYCLE, alone: bool = False) -> Unit:
        """The units of the lanes, which are equal."""
        if not components:
            return cls(operation, {}, 0, 0)
        one = components[0]
        inputs = {port: len(getattr(one, port)) for port in one.signature.members if port != "o"}
        entry = partial(Batches, cadence.interval, cadence.blocks) if "batch" in inputs else EveryCycle
        return cls(operation, inputs, one.latency, len(components), entry, users_cipher(one), alone)


DERIVER = "deriver"
"""What a cipher of the part that derives keys is called among the units."""


DERIVED_KEY = "derived_key"
"""How the names of the words of the stream of derived keys begin: valid, ready, payload."""


def _keyed(plan: StreamPlan) -> Operation:
    """The operation of the cipher.  All steps have the same, because a core has one kind of pipeline of the cipher."""
    every = [*(one.operation for step in plan.steps for one in step.operations), *(one.operation for one in plan.preparations)]
    return next(operation for operation in every if operation.keyed)


@dataclass(frozen=True)
class Compiled:
    """What is read of a compiled core: its plan, its units by the names of their cells, its round keys, and their places in a cipher; and
    how it derives keys, if it does."""

    plan: StreamPlan
    units: Mapping[str, Unit]
    rounds: int
    round_key_bytes: int
    key_place: Callable[[int, int], int] | None
    derivers: tuple[Derivers, ...]

    @classmethod
    def of(cls, make: Callable[[], MessageHardware]) -> Compiled:
        """Reads a core that is made for this."""
        with warnings.catch_warnings():
            # Only the signatures of the components are used.
            warnings.simplefilter("ignore", UnusedElaboratable)
            made = make()
            pipeline, keys, derivers = made.pipeline(), made.parameters.keys, made.top.derivers
            plan = pipeline.plan
            units = {
                "cipher": Unit.of(_keyed(plan), pipeline.ciphers, plan.cadence or EVERY_CYCLE),
                "multiplier": Unit.of(MUL.operation, pipeline.multipliers),
            }
            for deriver in derivers:
                units[DERIVER] = Unit.of(ENC.operation, made.top.deriver_ciphers(), Cadence(deriver.interval, 1), alone=True)
            place = getattr(pipeline.ciphers[0], "key_place", None) if pipeline.ciphers else None
            result = cls(plan, units, keys.round_keys, keys.round_key_bits // 8, place, derivers)
            del made, pipeline
            gc.collect()
        return result


class SymbolicMessageCore:
    """A core as a circuit on symbols.

    Parameters
    ----------
    verilog : Path
    description : StreamDescription
    make : callable
        Makes the compiled core.

    Attributes
    ----------
    circuit : Circuit
    plan : StreamPlan
    width : int
        Bits of a block.
    rounds, round_key_bytes : int
        Number of round keys of the longest key, and bytes of each.
    derivers : tuple of Derivers
        The sizes of the part that derives keys, if there is one.
        Its stream of keys is an output of the circuit, with names that begin with ``DERIVED_KEY``.

    Raises
    ------
    CircuitError
        The Verilog has something that a core has not, or a multiplier does not multiply.
    """

    def __init__(self, verilog: Path, description: StreamDescription, make: Callable[[], MessageHardware]):
        compiled = Compiled.of(make)
        self.description, self.plan = description, compiled.plan
        self.derivers = compiled.derivers
        self.rounds, self.round_key_bytes, self._key_place = compiled.rounds, compiled.round_key_bytes, compiled.key_place
        plan, self.width = self.plan, self.plan.mode.field.width
        rtlil = verilog_to_rtlil(verilog, description.top)
        modules = dict(_CELL.findall(rtlil) + _POWERS.findall(rtlil)) | dict.fromkeys(_DERIVERS.findall(rtlil), DERIVER)
        netlist = netlist_of_rtlil(rtlil, description.top, keep=sorted(modules))
        cells = {cell.type: cell for cell in netlist.cells if cell.type in modules}
        nets: dict[tuple[Bit, ...], str] = {}
        # The message control may stand behind a buffer of messages, and behind the part that derives their keys.
        control = next(cell.name.partition(".pipeline.")[0] for cell in cells.values() if ".pipeline." in cell.name)
        pipeline = f"{control}.pipeline"
        known = {"rk_data": "key_data", "rk_data_dec": "key_data_dec", "rk_data_1": "key_data_1"}
        names = ("", *(f"_{n}" for n in range(max(plan.lanes, plan.cores))))
        known |= {f"cipher{name}_{port}": port for name in names for port in ("i", "tweak")}
        deriver = f"{control.removesuffix('.messages')}.{DERIVER}"
        places = {f"{pipeline}.{name}": role for name, role in known.items()} | {f"{deriver}.rk_data": "key_data"}
        for name, role in places.items():
            with contextlib.suppress(KeyError):
                nets[tuple(netlist.net(name))] = role
        self._makers: dict[str, Callable[[Cell], Box]] = {}
        outputs: dict[str, list[str]] = {}
        for module, cell in cells.items():
            directions = port_directions(rtlil, module)
            outputs[module] = output_ports(directions, cell)
            if modules[module] == "powers":
                self._makers[module] = self._powers(netlist_of_rtlil(rtlil, module), directions, outputs[module])
                continue
            unit = compiled.units.get(modules[module])
            if unit is None or not unit.count:
                raise CircuitError(f"{cell.name}: the pipeline has no {modules[module]}")
            if unit.operation.keyed:
                users = None if unit.cipher is None else UsersCore(*unit.cipher, rtlil, module)
                self._makers[module] = self._cipher(unit, directions, nets, users)
            else:
                order = output_order(netlist_of_rtlil(rtlil, module), outputs[module], MUL.operation, plan.mode.field, unit.latency)
                self._makers[module] = self._multiplier(unit.latency, directions, order)
        found = [modules[cell.type] for cell in netlist.cells if cell.type in modules]
        for what, unit in compiled.units.items():
            if found.count(what) != unit.count:
                raise CircuitError(f"the number of cells {what} in the pipeline is {found.count(what)}, not {unit.count}")
        if DERIVER in compiled.units:
            # The stream of derived keys is watched like an output.
            watched = {f"{DERIVED_KEY}_{name}": netlist.net(f"{deriver}.key_{name}") for name in ("valid", "ready", "payload")}
            netlist.outputs |= watched
        self.circuit = Circuit(netlist, outputs)

    def _cipher(
        self, unit: Unit, directions: Mapping[str, str], nets: Mapping[tuple[Bit, ...], str], users: UsersCore | None
    ) -> Callable[[Cell], Box]:
        """Makes ciphers of the pipeline, or of the part that derives keys."""
        roles, width, operation = unit.inputs, self.width, unit.operation
        operations = [operation]
        if "decrypt" in roles:
            operations = sorted((operation, OPERATIONS[operation.inverse]), key=lambda each: each.inverse_keys)
        forms = 2 if "key_data_dec" in roles else 1
        times, sized = CoreTimes(unit.latency, unit.entry), "key_length" in roles
        # The counters of a core with batches have a reset, and registers of users may have one.
        roles = {**roles, "rst": 1} if times.entry().resets or users is not None else roles
        rounds = self.rounds

        def make(cell: Cell) -> Box:
            outputs = output_ports(directions, cell)
            places = _columns(cell, outputs) if unit.alone and users is None else None
            if places is None and users is None and sum(len(cell[port]) for port in outputs) != width:
                raise CircuitError(f"{cell.name}: its outputs are not the {width} bits of a block")
            ports = input_ports(cell, directions, nets, roles)
            held = forms if users is None else users.forms(ports)
            arguments = (cell.name, ports, operations, operation.unit, held, times, rounds, width, users is not None)
            made = SizedCipherCore(*arguments, place=self._key_place) if sized else CipherCore(*arguments)
            if places is not None:
                made.show = columns_of(places)
            if users is not None:
                made.show = bits_of_user(cell.name, width, users.order(ports, [(port, len(cell[port])) for port in outputs]))
            return made

        return make

    def _multiplier(self, latency: int, directions: Mapping[str, str], order: Sequence[int]) -> Callable[[Cell], Box]:
        product, roles = product_of(self.plan.mode.field), dict.fromkeys(MUL.operation.unit.ports, self.width)

        def make(cell: Cell) -> Box:
            ports = input_ports(cell, directions, {}, roles)
            missing = [name for name in roles if name not in ports]
            if missing:
                raise CircuitError(f"{cell.name}: no input is its {missing[0]}")
            return FunctionCore([ports[name] for name in roles], latency, product, order)

        return make

    def _powers(self, netlist: Netlist, directions: Mapping[str, str], outputs: Sequence[str]) -> Callable[[Cell], Box]:
        field, width = self.plan.mode.field, self.width
        circuit = prove_powers(netlist, outputs, field, self.plan.chains)
        roles, product = {name: len(netlist.inputs[name]) for name in INPUTS}, product_of(field)

        def make(cell: Cell) -> Box:
            widths = [len(cell[port]) for port in outputs]
            return PowersCore(cell.name, input_ports(cell, directions, {}, roles), widths, circuit, product, width)

        return make

    def host(self) -> Host:
        """A host of a new run, after its reset."""
        d = self.description
        host = Host(Run(self.circuit, lambda cell: self._makers[cell.type](cell)), d.beat_bytes, d.interfaces)
        host.reset(2 * d.erase_cycles)
        return host

    def round_keys(self, run: Run, slot: int, master: bool = False) -> dict[str, int]:
        """A name for the round keys that the ciphers of all lanes hold for a slot, for each operation of the cipher; or those that the
        ciphers of the part that derives keys hold.

        Raises ``CircuitError`` if two ciphers do not agree.
        """
        ciphers = [box for box in run.boxes if isinstance(box, CipherCore) and (f".{DERIVER}." in box.path) == master]
        found: dict[str, int] = {}
        for box in ciphers:
            for name in box.names:
                if found.setdefault(name, box.digest(name, slot)) != box.digest(name, slot):
                    raise CircuitError(f"the ciphers of the lanes have different round keys of slot {slot}")
        return found
