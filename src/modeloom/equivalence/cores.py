# SPDX-License-Identifier: Apache-2.0
"""The cores of units, executed as a whole: a result for the operands, after the latency.

Products are an unknown symmetric function of the factors.  Squares and sums of counters are unknown functions.  A cipher is an unknown
function of a block and of all round keys that its core holds for the slot::

    enc, dec    i, slot ──latency──▶ E(round keys of the slot, i)         the keys must not change meanwhile
                start ──latency──▶ the same, held until the next          a start before the core is free is an error
                batch ──▶ cycles in which it takes blocks; in others, the result is unknown
    mul         a, b ──stages──▶ M(a, b)

This file does not check the circuits inside.  ``arithmetic`` does this, except for ciphers.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from modeloom.equivalence import lanes
from modeloom.equivalence.circuit import Box, CircuitError
from modeloom.spec import Counter
from modeloom.spec.cadence import BATCH_LEAD
from modeloom.spec.kinds import Operation, UnitType
from modeloom.taint.graph import Bit, Cell

__all__ = [
    "Batches", "CipherCore", "CoreTimes", "EveryCycle", "FunctionCore", "OneByOne", "cipher_result", "function_of", "input_ports",
    "output_ports",
]  # fmt: skip


# -- entry -------------------------------------------------------------------------------------------------------------------------

# When a cipher core that is executed as a whole takes operands.
#
#     batch     high, low ... (low for at least the interval)       a batch that begins before the one before it is done is an error
#     blocks    after ``BATCH_LEAD`` cycles, in as many cycles as a batch has blocks        in other cycles, the result is unknown

Operating = tuple[int, str, int, tuple[int, ...], int]
"""An operation in a core: its first cycle, its name, slot and operands, and the name of its round keys.  With slot -1, the first operand
is its result."""

OVERWRITE = "overwrite"
"""Port that the engine gives to a core that takes batches: a second reset of its counters."""


class EveryCycle:
    """A core takes operands in every cycle.

    It must have the inputs ``needed`` for that.  Those of ``resets`` that it has reset it.
    """

    needed: tuple[str, ...] = ()
    resets: tuple[str, ...] = ()

    def comes(self, core: CipherCore, high: Callable[[str], bool], cycle: int) -> bool:
        """Whether operands come in a cycle, after a reset of the core if there is one.  ``high`` reads an input.

        Raises ``CircuitError`` if the core has no place for them.
        """
        return True

    def takes(self, cycle: int) -> bool:
        """Whether the core takes operands that come in a cycle."""
        return True

    def state(self, cycle: int) -> tuple[int | None, ...]:
        """What of it the future depends on."""
        return ()


class OneByOne(EveryCycle):
    """A core has a start signal, and takes operations at least ``interval`` cycles apart.  It holds its result."""

    needed, resets = ("start",), ("rst", "clear")

    def __init__(self, interval: int):
        self.interval, self.free = interval, 0

    def comes(self, core: CipherCore, high: Callable[[str], bool], cycle: int) -> bool:
        if any(map(high, self.resets)):
            core.flight.clear()
            core.held = self.free = 0
            return False
        if not high("start"):
            return False
        if cycle < self.free:
            raise CircuitError(f"cycle {cycle}: {core.path} starts before it is free")
        self.free = cycle + self.interval
        return True

    def state(self, cycle: int) -> tuple[int | None, ...]:
        return (max(0, self.free - cycle),)


class Batches(EveryCycle):
    """A core has a signal that begins a batch of so many blocks, at least ``interval`` cycles after the batch before."""

    needed, resets = ("batch", "rst"), ("rst", OVERWRITE)

    def __init__(self, interval: int, blocks: int):
        self.interval, self.blocks = interval, blocks
        self.begun: int | None = None
        self.begins: int | None = None

    def comes(self, core: CipherCore, high: Callable[[str], bool], cycle: int) -> bool:
        begins = high("batch")
        if any(map(high, self.resets)):
            self.begun = self.begins = None
            # What is in it circulates no more, and something else leaves it.
            lost = [(started, lanes.atom(f"{core.path} of {started}: reset", core.width)) for started, *_ in core.flight]
            core.flight = deque((started, core.names[0], -1, (word,), 0) for started, word in lost)
        elif begins:
            last = self.begins if self.begins is not None else self.begun
            if last is not None and cycle + BATCH_LEAD < last + self.interval:
                raise CircuitError(f"cycle {cycle}: a batch of {core.path} begins before the one before it is done")
            self._turn(cycle)
            self.begins = cycle + BATCH_LEAD
        return True

    def takes(self, cycle: int) -> bool:
        self._turn(cycle)
        return self.begun is not None and cycle < self.begun + self.blocks

    def state(self, cycle: int) -> tuple[int | None, ...]:
        return tuple(None if each is None else max(each - cycle, -self.interval) for each in (self.begun, self.begins))

    def _turn(self, cycle: int) -> None:
        if self.begins is not None and cycle >= self.begins:
            self.begun, self.begins = self.begins, None


# -- cores -------------------------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class CoreTimes:
    """Cycles of a core from operand to result, and what makes the object that says when it takes operands."""

    latency: int
    entry: Callable[[], EveryCycle] = EveryCycle


def function_of(operation: Operation, width: int) -> Callable[..., int]:
    """The result of a component for its operands and its number, as a word of symbols that is named by the operation.

    A linear operation maps 0 to 0.  An addition to a counter keeps the bits outside the counter.  Nothing is known about other bits.
    """

    def result(*operands: int) -> int:
        blocks, name = operands[: operation.operands], operation.name
        if operation.linear and not all(blocks):
            return 0
        if operation.commutes:
            blocks = tuple(sorted(blocks))
        if operation.numbers:
            known = lanes.number(operands[-1])
            name, blocks = (f"{name} of symbols", operands) if known is None else (f"{name} {known}", blocks)
        found = lanes.operation(name, width, *blocks)
        return _with_counter(operation.counter, operands[0], found, width) if operation.counter else found

    return result


def _with_counter(counter: Counter, block: int, other: int, width: int) -> int:
    """A block with the counter of another block."""
    place = lanes.mask(counter.bits) << counter.low(width) * lanes.LANES
    return block ^ (block ^ other) & place


def cipher_result(operation: str, keys: int, operands: Sequence[int], width: int) -> int:
    """The result of a cipher core for a block and its other inputs, under round keys that are named by ``CipherCore.digest``."""
    return lanes.operation(f"cipher {operation}", width, keys, *operands)


_NUMBERED = re.compile(r"(.*?)(_\d+)?")


Parts = tuple[tuple[str, int], ...]
"""The emitted ports that form one port of the definition, least significant bits first, each with its width in bits."""


def input_ports(
    cell: Cell, directions: Mapping[str, str], nets: Mapping[tuple[Bit, ...], str], roles: Mapping[str, int]
) -> dict[str, Parts]:
    """Input ports of a core by their roles.

    Emitted ports have the names of signals in the core, which may differ from the names in its definition.  A port is identified by its
    net, by its name, or by its width if no other remaining port and no other remaining role have this width.  A port that consists of
    several signals (the slot of a core: number of the cipher key, key slot) is emitted as several ports, in the order of their bits.  These
    ports remain at the end.  If the upper bits of a port are always zero (the number of an adder), only its lower bits are emitted.  A port
    with the wrong role makes a proof fail, and never pass.

    Parameters
    ----------
    cell : Cell
    directions : mapping
        "input" or "output" for each of its ports, in order.
    nets : mapping
        Roles of nets outside, by their bits.  A port may take the first of them.
    roles : mapping
        Widths of the ports of the definition by name.
    """
    inputs = [port for port in _ports(directions, cell, "input") if port != "clk"]
    found = _by_net(cell, inputs, nets, roles)
    for port in inputs:
        match = _NUMBERED.fullmatch(port)
        for name in (port, match[1] if match else port):
            if name in roles and name not in found and port not in found.values():
                found[name] = port
    _by_width(cell, inputs, roles, found)
    result: dict[str, Parts] = {role: ((port, len(cell[port])),) for role, port in found.items()}
    strange = tuple((port, len(cell[port])) for port in inputs if port not in found.values())
    if strange:
        absent = {role: width for role, width in roles.items() if role not in found}
        result[_together(cell, strange, absent)] = strange
    return result


def _by_net(cell: Cell, inputs: Sequence[str], nets: Mapping[tuple[Bit, ...], str], roles: Mapping[str, int]) -> dict[str, str]:
    """The first port on the net of each role."""
    found: dict[str, str] = {}
    for port in inputs:
        bits = tuple(cell[port])
        for net, role in nets.items():
            if net[: len(bits)] == bits and role in roles:
                found.setdefault(role, port)
    return found


def _by_width(cell: Cell, inputs: Sequence[str], roles: Mapping[str, int], found: dict[str, str]) -> None:
    """Adds the roles for which one port is left, and no other role of this width."""
    for role, width in roles.items():
        left = [port for port in inputs if port not in found.values() and len(cell[port]) == width]
        others = [other for other in roles if other not in found and roles[other] == width]
        if role not in found and len(left) == 1 and others == [role]:
            found[role] = left[0]


def _together(cell: Cell, parts: Parts, absent: Mapping[str, int]) -> str:
    """The role of a port that is emitted in these parts, or without its upper bits.  Raises ``CircuitError`` if there is not one."""
    width = sum(width for _, width in parts)
    whole = [role for role, bits in absent.items() if bits == width or len(parts) == len(absent) == 1 and bits > width]
    if len(whole) != 1:
        raise CircuitError(f"{cell.name}: what is the input {parts[0][0]}?")
    return whole[0]


def taken(inputs: Mapping[str, int], parts: Parts) -> int:
    """The word at the ports with a role."""
    word, at = 0, 0
    for port, width in parts:
        word |= inputs[port] << at * lanes.LANES
        at += width
    return word


def output_ports(directions: Mapping[str, str], cell: Cell) -> list[str]:
    """The output ports of a core, in order."""
    return _ports(directions, cell, "output")


def _ports(directions: Mapping[str, str], cell: Cell, wanted: str) -> list[str]:
    return [port for port, found in directions.items() if found == wanted and port in cell.ports]


class FunctionCore(Box):
    """A multiplier, squarer or adder.

    Parameters
    ----------
    ports : sequence of Parts
        Ports of its operands.
    latency : int
        Cycles from operands to result.
    function : callable
        The result.
    places : sequence of int
        For each bit of the outputs, the corresponding bit of the result.
    """

    def __init__(self, ports: Sequence[Parts], latency: int, function: Callable[..., int], places: Sequence[int]):
        self.now, self.ports, self.function, self.places = not latency, ports, function, places
        self.straight = list(places) == list(range(len(places)))
        self.late: deque[int] = deque([0] * (latency - 1))
        self._known: dict[tuple[int, ...], int] = {}

    def output(self, inputs: Mapping[str, int]) -> int:
        operands = tuple(taken(inputs, parts) for parts in self.ports)
        if operands not in self._known:
            if len(self._known) > 256:
                self._known.clear()
            word = self.function(*operands)
            if self.straight:
                word &= lanes.mask(len(self.places))
            elif word:
                bits = lanes.bits_of(word, word.bit_length() // lanes.LANES + 1)
                bits += [0] * (max(self.places) + 1 - len(bits))
                word = lanes.joined([bits[i] for i in self.places])
            self._known[operands] = word
        return self._known[operands]

    def clock(self, inputs: Mapping[str, int], cycle: int) -> int:
        self.late.append(self.output(inputs))
        return self.late.popleft()

    def state(self, cycle: int) -> object:
        return tuple(self.late)


def columns_of(places: Sequence[tuple[int, int]]) -> Callable[[int], int]:
    """Shows some columns of a block: for each output, its first bit and its width."""

    def show(word: int) -> int:
        parts = ((word >> first * lanes.LANES & lanes.mask(width), width) for first, width in places)
        return lanes.joined([bit for part in parts for bit in lanes.bits_of(*part)])

    return show


def bits_of_user(path: str, width: int, places: Sequence[int | None]) -> Callable[[int], int]:
    """Shows a block of ``width`` bits on the outputs of a user's core: the bit of the block for each of their bits, or None for one that is
    no bit of the result.
    """
    other = lanes.bits_of(lanes.atom(f"{path}: no result", len(places)), len(places))

    @lru_cache(1)
    def show(word: int) -> int:
        bits = lanes.bits_of(word, width)
        return lanes.joined([other[n] if place is None else bits[place] for n, place in enumerate(places)])

    return show


class CipherCore(Box):
    """A cipher core with its round keys.

    Parameters
    ----------
    path : str
        Where it is.
    ports : mapping
        Its input ports by their roles.
    operations : sequence of Operation
        Its operations: one, or two that are inverse to each other.
    unit : UnitType
        The unit to which it belongs.
    forms : int
        Number of forms of the round keys in a core for both directions: 2 if the inverse cipher has its own form, otherwise 1.
    times : CoreTimes
    rounds : int
        Number of round keys of a key.
    width : int
        Bits of a block.
    in_turn : bool
        Whether a core with one writer may do without a port for the number of a round key, because it keeps them in the order in which
        they come.

    Attributes
    ----------
    entry : EveryCycle
        When it takes operands.
    held : int
        Its result.
    show : callable
        The outputs for a result: all bits in order, ``columns_of`` or ``bits_of_user``.
    """

    def __init__(
        self, path: str, ports: Mapping[str, Parts], operations: Sequence[Operation], unit: UnitType, forms: int, times: CoreTimes,
        rounds: int, width: int, in_turn: bool = False,
    ):  # fmt: skip
        self.path, self.ports, self.unit, self.times, self.rounds, self.width = path, ports, unit, times, rounds, width
        self.names = tuple(operation.name for operation in operations)
        self.either = len(self.names) > 1
        self.forms = dict(zip(self.names, ("key_data", "key_data_dec" if forms > 1 else "key_data")))
        # A second writer has ports of its own, with names that end in its number.
        self.writers = ["", *(port.removeprefix("key_we") for port in sorted(self.ports) if port.startswith("key_we_"))]
        needed = [*unit.ports, *sorted(set(self.forms.values())), *["decrypt"] * self.either]
        needed += [f"{name}{writer}" for writer in self.writers for name in ("key_we", "key_data")]
        if not in_turn or len(self.writers) > 1 or "key_clear" in self.ports:
            needed += [f"key_round{writer}" for writer in self.writers]
        self.entry = times.entry()
        missing = [port for port in (*needed, *self.entry.needed) if port not in self.ports]
        if missing:
            raise CircuitError(f"{path}: no input is its {missing[0]}")
        self.written: dict[tuple[str, int, int], int] = {}
        self.flight: deque[Operating] = deque()
        self.held = 0
        self.show: Callable[[int], int] = lambda word: word
        self._digests: dict[tuple[str, int], int] = {}

    def digest(self, core: str, slot: int) -> int:
        """A name for the round keys that the core holds for a slot."""
        if (core, slot) not in self._digests:
            words = [self.written.get((core, slot, number), 0) for number in range(self.rounds)]
            self._digests[core, slot] = lanes.operation("keys", 1, *words)
        return self._digests[core, slot]

    def _number(self, inputs: Mapping[str, int], port: str, cycle: int) -> int:
        if port not in self.ports:
            return 0
        found = lanes.number(taken(inputs, self.ports[port]))
        if found is None:
            raise CircuitError(f"cycle {cycle}: {port} of {self.path} depends on data")
        return found

    def clock(self, inputs: Mapping[str, int], cycle: int) -> int:
        def high(port: str) -> bool:
            return bool(self._number(inputs, port, cycle))

        if self.entry.comes(self, high, cycle):
            self._start(inputs, cycle)
        self._write_all(inputs, cycle)
        if self.flight and self.flight[0][0] + self.times.latency == cycle + 1:
            started, core, slot, operands, digest = self.flight.popleft()
            if slot >= 0 and digest != self.digest(core, slot):
                self.held = lanes.atom(f"{self.path} of {started}: its keys were written meanwhile", self.width)
            else:
                self.held = cipher_result(core, digest, operands, self.width) if slot >= 0 else operands[0]
        return self.show(self.held)

    def state(self, cycle: int) -> object:
        flight = tuple((started - cycle, *rest) for started, *rest in self.flight)
        return flight, self.entry.state(cycle), self.held, tuple(sorted(self.written.items()))

    def _start(self, inputs: Mapping[str, int], cycle: int) -> None:
        if not self.entry.takes(cycle):
            self.flight.append((cycle, self.names[0], -1, (lanes.atom(f"{self.path} of {cycle}: no batch", self.width),), 0))
            return
        operands = tuple(taken(inputs, self.ports[port]) for port in self.unit.ports)
        slot = lanes.number(taken(inputs, self.ports["slot"])) if "slot" in self.ports else 0
        way = lanes.number(taken(inputs, self.ports["decrypt"])) if self.either else 0
        core = self.names[1 if way else 0]
        if slot is None or way is None:
            # Nothing is known of a row before the first one has been read.  The result is a new symbol, which must not reach any output.
            self.flight.append((cycle, core, -1, (lanes.atom(f"{self.path} of {cycle}: no slot or direction", self.width),), 0))
        else:
            self.flight.append((cycle, core, slot, operands, self.digest(core, slot)))

    def _write_all(self, inputs: Mapping[str, int], cycle: int) -> None:
        """Clears the round keys of a slot, if it is asked to, and writes those that come."""
        writes = [writer for writer in self.writers if self._number(inputs, f"key_we{writer}", cycle)]
        if len(writes) > 1 or "key_clear" in self.ports:
            places = [self._place(inputs, writer, cycle) for writer in writes]
            if len(set(places)) < len(places):
                raise CircuitError(f"cycle {cycle}: two round keys are written to place {places[0]} of {self.path}")
            if self._number(inputs, "key_clear", cycle):
                # A place that is written in this cycle has no port left.
                self._clear(self._number(inputs, "key_clear_slot", cycle), set(places))
        for writer in writes:
            self._write(inputs, writer, cycle)

    def _place(self, inputs: Mapping[str, int], writer: str, cycle: int) -> int:
        """The place of the pipeline to which a round key belongs."""
        return self._number(inputs, f"key_round{writer}", cycle)

    def _clear(self, slot: int, written: set[int]) -> None:
        """Zeros to all places of a slot but those that are written."""
        for core in self.forms:
            for number in set(range(self.rounds)) - written:
                self.written[core, slot, number] = 0
            self._digests.pop((core, slot), None)

    def _shift(self, core: str, slot: int) -> None:
        """Moves the round keys of a slot by one place, for a core that has no numbers of round keys."""
        for place in reversed(range(1, self.rounds)):
            self.written[core, slot, place] = self.written.get((core, slot, place - 1), 0)

    def _write(self, inputs: Mapping[str, int], writer: str, cycle: int) -> None:
        slot, number = (self._number(inputs, f"{port}{writer}", cycle) for port in ("key_slot", "key_round"))
        for core, form in self.forms.items():
            if f"key_round{writer}" not in self.ports:
                self._shift(core, slot)
            self.written[core, slot, number] = taken(inputs, self.ports[f"{form}{writer}"])
            self._digests.pop((core, slot), None)
