# SPDX-License-Identifier: Apache-2.0
"""A host at the pins of a core.  Its data, keys and tweaks are symbols, and its handshakes are bits.

::

    commands, packets, key packets ──▶ [ core, a cycle at a time ] ──▶ beats and statuses, with the cycles in which they came
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from modeloom.equivalence import lanes
from modeloom.equivalence.cells import CircuitError, Read
from modeloom.equivalence.circuit import Box, Circuit
from modeloom.interfaces import Interface, Side
from modeloom.interfaces.sector import COMMANDS, SECTOR_CORE
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.taint.graph import Cell

__all__ = ["Beat", "Host", "Pace", "Run"]


# A run of a circuit on symbols, cycle by cycle from power-on, with the state of its registers, memories and boxes.
#
# At power-on, registers without an initial value and all words of memories are new symbols.  They must not reach any output.

class Run:
    """A run of a circuit from power-on.

    Parameters
    ----------
    circuit : Circuit
    boxes : callable
        ``boxes(cell)`` makes the box for a cell.
    """

    def __init__(self, circuit: Circuit, boxes: Callable[[Cell], Box]):
        self.circuit = circuit
        self.boxes = [boxes(cell) for cell, _ in circuit.instances]
        self.contents: dict[str, list[int]] = {}
        for cell in circuit.memories:
            p = cell.numbers
            self.contents[cell.name] = [lanes.atom(f"power-on {cell.name} {n}", p["WIDTH"]) for n in range(p["SIZE"])]
        self._cycle = circuit.compiled(self.boxes)
        self._reads = {place: Read(cell, self.contents.get(cell.name)) for place, cell in circuit.reads.items()}
        self.v = [0] * circuit.size
        for place, word in circuit.start.items():
            self.v[place] = word
        self.cycle = 0
        self._edge = [(circuit.word(cell["D"]), place) for cell, place in circuit.registers]
        self._held = [
            (place, sum(lanes.ONE << i * lanes.LANES for i, bit in enumerate(cell["Q"]) if bit not in circuit.frozen))
            for cell, place in circuit.registers
            if not circuit.frozen.isdisjoint(cell["Q"])
        ]
        self._writes = [
            (cell, self.contents[cell.name], [tuple(circuit.word(bits) for bits in write) for write in circuit.writes(cell)])
            for cell in circuit.memories
        ]
        self._ports = [
            (box, place, {port: circuit.word(bits) for port, bits in circuit.box_inputs(cell).items()})
            for box, (cell, place) in zip(self.boxes, circuit.instances)
        ]
        self._outputs = {name: circuit.word(bits) for name, bits in circuit.netlist.outputs.items()}

    def evaluate(self, inputs: Mapping[str, int]) -> None:
        """Computes all nets for the inputs of this cycle."""
        v = self.v
        for name, word in inputs.items():
            v[self.circuit.inputs[name]] = word
        self._cycle(v, self._reads, self.boxes)

    def output(self, name: str) -> int:
        """The word at an output port."""
        return self.v[self._outputs[name]]

    def flag(self, name: str) -> int:
        """The number at an output port.  Raises ``CircuitError`` if it depends on data."""
        found = lanes.number(self.output(name))
        if found is None:
            raise CircuitError(f"cycle {self.cycle}: {name} depends on data")
        return found

    def state(self) -> tuple:
        """The contents of all registers, memories and boxes."""
        registers = tuple(self.v[place] for _, place in self._edge)
        outputs = tuple(self.v[place] for box, place, _ in self._ports if not box.now)
        return registers, outputs, tuple(map(tuple, self.contents.values())), tuple(box.state(self.cycle) for box in self.boxes)

    def control(self) -> tuple:
        """The numbers in registers and memories; None if a word depends on data."""
        registers = tuple(lanes.number(self.v[place]) for _, place in self._edge)
        return registers, tuple(tuple(map(lanes.number, words)) for words in self.contents.values())

    def clock(self) -> None:
        """The edge of the clock."""
        v = self.v
        new = [v[d] for d, _ in self._edge]
        for cell, contents, ports in self._writes:
            for at, data, enable in ports:
                self._write(cell, contents, v[at], v[data], v[enable])
        outputs = [
            (place, box.clock({port: v[at] for port, at in inputs.items()}, self.cycle))
            for box, place, inputs in self._ports
            if not box.now
        ]
        for (_, place), word in zip(self._edge, new):
            v[place] = word
        for place, word in outputs:
            v[place] = word
        for place, keep in self._held:
            v[place] &= keep
        self.cycle += 1

    def _write(self, cell: Cell, contents: list[int], at: int, data: int, enable: int) -> None:
        if not enable:
            return
        bits = lanes.number(enable)
        if bits is None:
            raise CircuitError(f"cycle {self.cycle}: whether {cell.name} is written depends on data")
        place = lanes.number(at)
        if place is None:
            raise CircuitError(f"cycle {self.cycle}: where {cell.name} is written depends on data")
        if place < len(contents):
            contents[place] = data & enable | contents[place] & ~enable


# -- host --------------------------------------------------------------------------------------------------------------------------

@dataclass
class Beat:
    """A beat from an output: its words by port, and its cycle."""

    cycle: int
    words: dict[str, int]


@dataclass
class Pace:
    """For each stream, the cycles in which the host offers or takes a beat.  The default is all cycles."""

    offers: dict[str, Callable[[int], bool]] = field(default_factory=dict)

    def __call__(self, stream: str, cycle: int) -> bool:
        offer = self.offers.get(stream)
        return offer is None or offer(cycle)


class Host:
    """Drives a run of a core.

    Parameters
    ----------
    run : Run
    beat_bytes : int
        Bytes in a beat of data.
    interfaces : sequence of Interface
        The interfaces of the core.

    Raises
    ------
    CircuitError
        The circuit lacks a port that a core has.
    """

    VALID, READY, DATA = "tvalid", "tready", "tdata"
    """The names of the ports of a handshake, and of the port whose bits are symbols while nothing is offered."""

    def __init__(self, run: Run, beat_bytes: int, interfaces: Sequence[Interface] = SECTOR_CORE):
        streams = [group for group in interfaces if self.READY in [port.name for port in group.ports]]
        handshake = (self.VALID, self.READY)
        payloads = {group.name: tuple(name for name in group.payload_names if name not in handshake) for group in streams}
        self.inputs = {group.name: payloads[group.name] for group in streams if group.driver is Side.HOST}
        self.outputs = {group.name: payloads[group.name] for group in streams if group.driver is Side.CORE}
        every = self.inputs | self.outputs
        needed = [f"{stream}_{port}" for stream, payload in every.items() for port in (*handshake, *payload)]
        ports = run.circuit.netlist.inputs.keys() | run.circuit.netlist.outputs.keys()
        missing = [name for name in ("aclk", "aresetn", "zeroize", "zeroizing", *needed) if name not in ports]
        if missing:
            raise CircuitError(f"the core has no port {missing[0]}")
        self.run, self.beat_bytes = run, beat_bytes
        self.widths = {name: len(bits) for name, bits in run.circuit.netlist.inputs.items()}
        self.waiting: dict[str, deque[dict[str, int]]] = {stream: deque() for stream in self.inputs}
        self.taken: dict[str, list[Beat]] = {stream: [] for stream in self.outputs}
        self.offered: dict[str, bool] = dict.fromkeys(self.inputs, False)
        self.pace = Pace()
        # Called in each cycle, when all nets have their values.
        self.watch: Callable[[], None] | None = None
        # While an input is not valid, it has symbols that must not reach any output.
        self.idle = {stream: lanes.atom(f"idle {stream}", self.widths[f"{stream}_{self.DATA}"]) for stream in self.inputs}

    def reset(self, most: int) -> None:
        """A reset of four cycles and the erasure after it.

        Raises ``CircuitError`` if the erasure takes more than ``most`` cycles.
        """
        for _ in range(4):
            self.step({"aresetn": 0})
        if not self.until(lambda: not self.run.flag("zeroizing"), most):
            raise CircuitError(f"the core is not erased {most} cycles after the reset")

    def command(self, tweak: int, *, tag: int, slot: int, size: int, decrypt: bool) -> None:
        """Queues a command.  ``tweak`` is a word of 256 bits."""
        packing = COMMANDS.packing
        word = tweak << packing.offset("tweak") * lanes.LANES
        for name, value in (("tag", tag), ("slot", slot), ("size", size), ("decrypt", int(decrypt))):
            word |= lanes.constant(value, packing.field(name).bits) << packing.offset(name) * lanes.LANES
        self.waiting["s_axis_cmd"].append({"tdata": word})

    def packet(self, stream: str, word: int, nbytes: int, beat_bytes: int, **fields: int) -> None:
        """Queues a packet of ``nbytes`` bytes.  The rest of the last beat also comes from ``word``.  A field without a port is left out."""
        beats = -(-nbytes // beat_bytes)
        bits = 8 * beat_bytes
        for n in range(beats):
            held = min(beat_bytes, nbytes - n * beat_bytes)
            beat = {
                "tdata": word >> n * bits * lanes.LANES & lanes.mask(bits),
                "tkeep": lanes.constant((1 << held) - 1, beat_bytes),
                "tlast": lanes.constant(n == beats - 1, 1),
            }
            for name in fields.keys() & self.inputs[stream]:
                beat[name] = lanes.constant(fields[name], self.widths[f"{stream}_{name}"])
            self.waiting[stream].append(beat)

    def key(self, word: int, nbytes: int, slot: int) -> None:
        """Queues a key packet."""
        self.packet("s_axis_key", word, nbytes, KEY_BEAT_BYTES, tdest=slot, tuser=0)

    def step(self, more: dict[str, int] | None = None) -> None:
        """One cycle."""
        run = self.run
        inputs = {"aclk": 0, "aresetn": lanes.ONE, "zeroize": 0}
        for stream, ports in self.inputs.items():
            # An offered beat stays until it is taken.
            queue = self.waiting[stream]
            offer = bool(queue) and (self.offered[stream] or self.pace(stream, run.cycle))
            self.offered[stream] = offer
            inputs[f"{stream}_{self.VALID}"] = lanes.ONE if offer else 0
            for port in ports:
                inputs[f"{stream}_{port}"] = queue[0][port] if offer else self.idle[stream] if port == self.DATA else 0
        for stream in self.outputs:
            inputs[f"{stream}_{self.READY}"] = lanes.ONE if self.pace(stream, run.cycle) else 0
        for name, value in (more or {}).items():
            inputs[name] = lanes.constant(value, self.widths[name])
        run.evaluate(inputs)
        if self.watch is not None:
            self.watch()
        for stream in self.inputs:
            if self.offered[stream] and run.flag(f"{stream}_{self.READY}"):
                self.waiting[stream].popleft()
                self.offered[stream] = False
        for stream, ports in self.outputs.items():
            if run.flag(f"{stream}_{self.VALID}") and inputs[f"{stream}_{self.READY}"]:
                self.taken[stream].append(Beat(run.cycle, {port: run.output(f"{stream}_{port}") for port in ports}))
        run.clock()

    def until(self, reached: Callable[[], bool], most: int) -> bool:
        """Steps until a condition holds; False if it does not hold after ``most`` cycles."""
        for _ in range(most):
            if reached():
                return True
            self.step()
        return reached()

    def has_key(self, slot: int) -> bool:
        """Whether a slot has a key and the core works on no key packet.  With many slots, this is known of the slot of the last packet."""
        several = len(self.run.circuit.netlist.outputs["key_loaded"]) > 1
        return not self.run.flag("key_busy") and bool(self.run.flag("key_loaded") >> (slot if several else 0) & 1)

    def take(self, stream: str) -> Sequence[Beat]:
        """The beats since the last call."""
        beats, self.taken[stream] = self.taken[stream], []
        return beats
