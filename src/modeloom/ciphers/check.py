# SPDX-License-Identifier: Apache-2.0
"""Compares the hardware of a block cipher with its software.  Each core is simulated alone before a core of a mode uses it.

::

    keys ──▶ key schedule ──▶ round keys ──▶ core ──▶ blocks, cycles ─┐
      └────▶ software ──▶ blocks ─────────────────────────────────────┴─▶ equal, in the cycle that ``timing`` says

Keys are zeros, ones and random ones, of all sizes and alternating between all slots.  Blocks follow each other at the interval from
``timing``.  If one entry of a table in one place of one round is wrong, it is found with a probability of more than 0.999.
"""

from __future__ import annotations

import gc
import random
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice

from amaranth.back import rtlil
from amaranth.hdl import UnusedElaboratable
from amaranth.lib.wiring import Component
from amaranth.sim import Simulator, SimulatorContext

from modeloom.ciphers import is_own
from modeloom.ciphers.description import FEW_SLOTS, BlockCipher, CoreRequest
from modeloom.rtl.cipher_bench import CipherBench, CipherModule
from modeloom.sim import Simulation
from modeloom.spec import blame
from modeloom.spec.cadence import BATCH_LEAD
from modeloom.spec.errors import DefinitionError

__all__ = ["CipherCheck", "Ports", "Run", "check_cipher", "check_core", "expansion_cycles", "result_places"]

# The number of cycles that a key schedule takes from one key to the next, as measured in simulated hardware.
#
#     start ──▶ round keys ... ──▶ done ──▶ next start
#       └──────── expansion_cycles ───────────┘

MOST_CYCLES = 5000
"""The number of cycles after which a key schedule counts as hanging."""


def expansion_cycles(cipher: BlockCipher, key_sizes: Sequence[int], iterative: bool = False) -> int:
    """The number of cycles from one start to the next, for the longest of some sizes of keys.

    It is measured with a key of zeros, since all keys take the same number.

    Raises
    ------
    DefinitionError
        If the key schedule does not end.
    """
    return _measured(cipher, tuple(key_sizes), iterative)


@lru_cache(maxsize=32)
def _measured(cipher: BlockCipher, key_sizes: tuple[int, ...], iterative: bool) -> int:
    schedule = cipher.expander(key_sizes, iterative)
    simulator = Simulator(schedule)
    simulator.add_clock(1e-6)
    found: list[int] = []

    async def bench(context: SimulatorContext) -> None:
        if len(key_sizes) > 1:
            context.set(schedule.length, cipher.longest(key_sizes))
        context.set(schedule.start, 1)
        await context.tick()
        context.set(schedule.start, 0)
        for cycle in range(1, MOST_CYCLES):
            if context.get(schedule.done):
                found.append(cycle + 1)
                return
            await context.tick()

    simulator.add_testbench(bench)
    simulator.run()
    if not found:
        raise DefinitionError(f"{cipher.name}: the key schedule is not done after {MOST_CYCLES} cycles")
    return found[0]


# -- check -------------------------------------------------------------------------------------------------------------------------

KEYS = 64
"""Smallest number of keys for each core."""

BLOCKS = {"pipelined": 32, "sequential": 8, "multistream": 8, "serial32": 4, "serial8": 2}
"""Number of blocks under each key.  Cores with one round use the same tables in every round."""

KEY_PATIENCE = 4096
"""Limit for the number of cycles of a key schedule."""

SLOWEST = 512
"""Limit for the search of the true latency and interval of a core, in cycles, which the message names."""

NEAR = 8
"""Number of operations before and after the first wrong one that are used to find the cause."""

CORE_PORTS = ("i", "o", "key_we", "key_slot", "key_round", "key_data")
SCHEDULE_PORTS = ("start", "erase", "key", "we", "round", "data", "data_dec", "busy", "done")


def check_cipher(cipher: BlockCipher, requests: Iterable[CoreRequest]) -> None:
    """Checks the cores of a cipher that a mode brings.  The tests of this project check the cores of AES and SM4.

    Parameters
    ----------
    cipher : BlockCipher
    requests : iterable of CoreRequest
        The cipher cores in the core of the mode.

    Raises
    ------
    DefinitionError
        A core does not compute the same as the software, or not in the cycles of ``timing``.  The message is one line that names the core.
    """
    if is_own(cipher):
        for request in requests:
            check_core(cipher, request)


def check_core(cipher: BlockCipher, request: CoreRequest) -> None:
    """Checks one core with its key schedule.  Raises ``DefinitionError``."""
    CipherCheck(cipher, request).run()


@dataclass(eq=False)
class _Operation:
    """A block through the core.  ``start`` is its cycle in the outputs of its run."""

    slot: int
    decrypt: bool
    block: int
    key: bytes
    expected: int
    start: int = -1


@dataclass
class Run:
    """Operations that went through the core, and its output in each cycle."""

    operations: list[_Operation]
    outputs: list[int] = field(default_factory=list)

    def wrong(self, latency: int) -> list[_Operation]:
        """Operations whose result is missing after ``cycles`` cycles."""
        return [op for op in self.operations if self.outputs[op.start + latency] != op.expected]


class CipherCheck:
    """The simulation of a core with its key schedule, and the comparison with the software."""

    def __init__(self, cipher: BlockCipher, request: CoreRequest):
        self.cipher, self.request = cipher, request
        self.rng = random.Random(f"{cipher.name} {request}")
        self.size = cipher.block_bytes
        # The compiler requests cores without slots, unless there are many slots.
        self.timing = cipher.timing(request.but(slots=1) if request.slots <= FEW_SLOTS else request)
        self.sizes = request.key_sizes
        self.most = max(cipher.round_keys(bits) for bits in self.sizes)

    @property
    def clears(self) -> bool:
        """Whether a core of a mode resets this core while it has no work for it."""
        return self.request.form != "pipelined"

    @property
    def _begins(self) -> list[str]:
        """The port that says when a block or a batch begins."""
        if self.request.form == "pipelined":
            return []
        return ["start" if self.request.started else "batch"]

    def fail(self, message: str) -> None:
        raise DefinitionError(f"cipher {self.cipher.name}: {message}")

    def run(self) -> None:
        operations = self._operations(self._keys())
        sim = self._simulation()
        runs = []
        for group in operations:
            for slot, key in {op.slot: op.key for op in group}.items():
                self._load(sim, slot, key)
            runs.append(self._through(sim, group, self.timing.interval))
        self._erase(sim)
        self._judge(sim, runs)
        if self.clears:
            self._cleared(sim, operations[-1])

    # -- stimuli ------------------------------------------------------------------------------------------------------

    def _keys(self) -> list[bytes]:
        """Keys for all slots in turn.  With several sizes, the size for a slot changes each time."""
        sizes, slots = self.request.key_sizes, self.request.slots
        by_size = [self._keys_of(bits // 8) for bits in sizes]
        count = len(sizes) * max(KEYS, slots)
        return [next(by_size[(number % slots + number // slots) % len(sizes)]) for number in range(count)]

    def _keys_of(self, size: int) -> Iterator[bytes]:
        yield from (bytes(size), b"\xff" * size, bytes(range(size)), b"\x01" + bytes(size - 1), bytes(size - 1) + b"\x80")
        while True:
            yield self.rng.randbytes(size)

    def _operations(self, keys: Sequence[bytes]) -> list[list[_Operation]]:
        """Groups of operations, each with as many keys as there are slots, in a random order."""
        slots, count, bits = self.request.slots, BLOCKS[self.request.form], 8 * self.size
        groups = []
        for first in range(0, len(keys), slots):
            group = []
            for slot, key in enumerate(keys[first : first + slots]):
                blocks = [0, (1 << bits) - 1, 1 << self.rng.randrange(bits)]
                blocks += [self.rng.getrandbits(bits) for _ in range(count - len(blocks))]
                for decrypt in self.request.decrypts:
                    expected = self._software(key, blocks, decrypt)
                    group += [_Operation(slot, decrypt, block, key, result) for block, result in zip(blocks, expected, strict=True)]
            self.rng.shuffle(group)
            groups.append(group)
        return groups

    def _software(self, key: bytes, blocks: Sequence[int], decrypt: bool) -> list[int]:
        software = self.cipher.software(key)
        data = b"".join(block.to_bytes(self.size, "little") for block in blocks)
        result = (software.decrypt if decrypt else software.encrypt)(data)
        back = (software.encrypt if decrypt else software.decrypt)(result)
        if back != data:
            way = "encrypt what it decrypts" if decrypt else "decrypt what it encrypts"
            self.fail(f"its software does not {way} under key {key.hex()}")
        return [int.from_bytes(result[at : at + self.size], "little") for at in range(0, len(result), self.size)]

    # -- simulation ---------------------------------------------------------------------------------------------------

    def _simulation(self) -> Simulation:
        request = self.request
        core, schedule = self._core(), self.cipher.expander(self.sizes)
        ports = [*CORE_PORTS, *self._begins, *request.choice]
        several = len(self.sizes) > 1
        ports += ["key_length"] if several else []
        for what, component, names in (
            (str(request), core, ports), ("its key schedule", schedule, (*SCHEDULE_PORTS, *(["length"] if several else []))),
        ):  # fmt: skip
            for name in names:
                if not hasattr(component, name):
                    self.fail(f"{what} has no port {name}")
        if len(schedule.key) != max(self.sizes):
            self.fail(f"its key schedule takes {len(schedule.key)} bits, not {max(self.sizes)}")
        self._latency_of(core)
        bench = CipherBench(request.direction, core, schedule, request.slots, self.clears)
        sim = Simulation.of(self._converted(bench, core), "bench", optimize=0)
        sim.reset()
        return sim

    def _core(self) -> Component:
        return self.cipher.hardware(self.request)

    def _converted(self, bench: Component, core: Component) -> str:
        with blame(self.cipher.name, type(core).elaborate):
            return rtlil.convert(bench, name="bench", emit_src=False)

    def _latency_of(self, core: Component) -> None:
        if core.latency != self.timing.latency:
            self.fail(f"{self.request} has a latency of {core.latency} cycles, and its timing says {self.timing.latency}")

    def _load(self, sim: Simulation, slot: int, key: bytes) -> None:
        bits = 8 * len(key)
        if len(self.sizes) > 1:
            self._request(sim, "key_erase", slot, b"")
        writes = self._request(sim, "key_start", slot, key)
        missing = set(range(self.cipher.round_keys(bits))) - {number for number, *_ in writes}
        if missing:
            self.fail(f"its key schedule for {bits}-bit keys does not write round key {min(missing)}")
        if self.cipher.expand is not None:
            self._expanded(key, {number: data for number, data, _ in writes})

    def _expanded(self, key: bytes, written: dict[int, int]) -> None:
        """The software that expands keys gives what the key schedule writes."""
        assert self.cipher.expand is not None
        computed, size = self.cipher.expand(key), -(-self.cipher.round_key_bits // 8)
        if len(computed) != self.cipher.round_keys(8 * len(key)) or any(len(one) != size for one in computed):
            self.fail(f"expand gives other round keys for {8 * len(key)}-bit keys than {len(written)} of {size} bytes")
        for number, one in enumerate(computed):
            if int.from_bytes(one, "little") != written[number]:
                self.fail(f"expand gives {one.hex()} for round key {number}, and its key schedule for {8 * len(key)}-bit keys another one")

    def _erase(self, sim: Simulation) -> None:
        """An erasure writes zeros to every round key, in both forms."""
        for slot in range(self.request.slots):
            last = {number: data for number, *data in self._request(sim, "key_erase", slot, b"")}
            for number in range(self.most):
                if any(last.get(number, (1,))):
                    self.fail(f"its key schedule for {max(self.sizes)}-bit keys does not erase round key {number}")

    def _request(self, sim: Simulation, port: str, slot: int, key: bytes) -> list[tuple[int, int, int]]:
        """The writes for a request: number, data, data_dec.  The key is present only in the first cycle."""
        for name, value in (("key", int.from_bytes(key, "little")), ("key_slot", slot), (port, 1)):
            sim.set(name, value)
        bits = 8 * len(key) or self.sizes[self.cipher.longest(self.sizes)]
        if len(self.sizes) > 1:
            sim.set("key_length", self.sizes.index(bits))
        writes = []
        for cycle in range(KEY_PATIENCE):
            if sim.get("we"):
                writes.append((sim.get("round"), sim.get("data"), sim.get("data_dec")))
            done = sim.get("done")
            sim.step()
            if not cycle:
                sim.set(port, 0)
                sim.set("key", self.rng.getrandbits(max(self.sizes)))
            if done:
                # The writes take two cycles to reach the memories of the core.
                sim.step(2)
                return writes
        self.fail(f"its key schedule for {bits}-bit keys is not done after {KEY_PATIENCE} cycles")
        return writes

    def _through(self, sim: Simulation, operations: list[_Operation], interval: int, tail: int = 0) -> Run:
        """Sends batches of blocks ``interval`` cycles apart, and sometimes later.  Between the blocks, the ports have other values."""
        run, rng, bits = Run(operations), self.rng, 8 * self.size
        at, begins, waiting = BATCH_LEAD, set(), iter(operations)
        coming: dict[int, _Operation] = {}
        while batch := list(islice(waiting, self.timing.blocks)):
            begins.add(at - BATCH_LEAD)
            coming |= dict(enumerate(batch, at))
            at += interval + (rng.randrange(1, 4) if rng.random() < 0.1 else 0)
        for cycle in range(max(coming) + self.timing.latency + max(SLOWEST // 8, tail) + 2):
            if cycle in coming:
                coming[cycle].start = cycle
                values = (coming[cycle].block, coming[cycle].slot, int(coming[cycle].decrypt), 1)
            else:
                values = (rng.getrandbits(bits), rng.randrange(self.request.slots), rng.getrandbits(1), 0)
            for name, value in zip(("i", "slot", "decrypt", "start", "batch"), (*values, int(cycle in begins)), strict=True):
                sim.set(name, value)
            run.outputs.append(sim.get("o"))
            sim.step()
        return run

    # -- verdict ------------------------------------------------------------------------------------------------------

    def _judge(self, sim: Simulation, runs: list[Run]) -> None:
        timing, count = self.timing, sum(len(run.operations) for run in runs)
        wrong = [op for run in runs for op in run.wrong(timing.latency)]
        if not wrong:
            self._held(runs)
            return
        taken = next((d for d in range(timing.latency + SLOWEST // 8) if not any(run.wrong(d) for run in runs)), None)
        if taken is not None:
            self.fail(f"{self.request} takes {taken} cycles, and its timing says {timing.latency}")
        first = wrong[0]
        operations = next(run.operations for run in runs if first in run.operations)
        at = max(0, operations.index(first) - NEAR)
        self._slower(sim, operations[at : at + 2 * NEAR])
        got = next(run.outputs[first.start + timing.latency] for run in runs if first in run.operations)
        failing, every = {op.key for op in wrong}, {op.key for run in runs for op in run.operations}
        way = " to decrypt" if first.decrypt and self.request.choice else ""
        # If only a few keys fail, the key schedule is a likely cause.
        under = f", under {len(failing)} of {len(every)} keys" if len(failing) < len(every) // 2 else ""
        self.fail(
            f"{self.request} gives {self._hex(got)} for block {self._hex(first.block)}{way} under key {first.key.hex()}, its software "
            f"{self._hex(first.expected)}; {len(wrong)} of {count} blocks differ{under}"
        )

    def _cleared(self, sim: Simulation, operations: list[_Operation]) -> None:
        """Checks that a core keeps its round keys when it is reset between two blocks."""
        for slot, key in {op.slot: op.key for op in operations}.items():
            self._load(sim, slot, key)
        sim.set("clear", 1)
        sim.step(2)
        sim.set("clear", 0)
        if self._through(sim, operations, self.timing.interval).wrong(self.timing.latency):
            self.fail(
                f"{self.request} loses its round keys when it is reset while it has no block; keep them in a Memory, or in registers with "
                'reset_less=True (docs/new-mode.md, "Round keys")'
            )

    def _held(self, runs: list[Run]) -> None:
        """Checks that a sequential core holds a result until the next one, and that no core is earlier than ``timing``."""
        if not self.request.started:
            return
        latency = self.timing.latency
        # A result that is at the output before its operation begins, as 0 after a reset, says nothing.  Nor does one that is equal to the
        # result before it, which may come to the output after this operation has begun.
        cycles = {
            self._first(run, op)
            for run in runs
            for before, op in zip([None, *run.operations], run.operations, strict=False)
            if run.outputs[op.start] != op.expected and (before is None or before.expected != op.expected)
        }
        if len(cycles) > 1:
            self.fail(f"{self.request} takes {min(cycles)} cycles for some blocks, and {max(cycles)} for others")
        if cycles != {latency}:
            self.fail(f"{self.request} takes {min(cycles)} cycles, and its timing says {latency}")
        for run in runs:
            for op, after in zip(run.operations, run.operations[1:]):
                if run.outputs[after.start + latency - 1] != op.expected:
                    self.fail(f"{self.request} does not hold a result until the next one")

    def _first(self, run: Run, op: _Operation) -> int:
        """The cycle from which on a result is at the output."""
        first = self.timing.latency
        while first and run.outputs[op.start + first - 1] == op.expected:
            first -= 1
        return first

    def _slower(self, sim: Simulation, operations: list[_Operation]) -> None:
        """Raises if blocks that are further apart have correct results, because the interval is then wrong."""
        operations = [replace(op) for op in operations]
        for slot, key in {op.slot: op.key for op in operations}.items():
            self._load(sim, slot, key)

        def right(interval: int) -> int | None:
            """The latency with which blocks at this distance have correct results."""
            # The core first finishes its current work.
            sim.step(SLOWEST)
            run = self._through(sim, operations, interval, SLOWEST)
            return next((d for d in range(SLOWEST) if not run.wrong(d)), None)

        if right(self.timing.interval) is not None:
            return
        latency = right(2 * SLOWEST)
        if latency is None:
            return
        if latency != self.timing.latency:
            self.fail(f"{self.request} takes {latency} cycles, and its timing says {self.timing.latency}")
        for interval in range(self.timing.interval + 1, SLOWEST):
            if right(interval) == latency:
                self.fail(f"{self.request} takes a block every {interval} cycles, and its timing says {self.timing.interval}")

    def _hex(self, block: int) -> str:
        return block.to_bytes(self.size, "little").hex()


# -- emitted -----------------------------------------------------------------------------------------------------------------------

# Compares a cipher core of a user in emitted Verilog with its software, and finds the bits of its result.
#
#     keys ──▶ key schedule ──▶ round keys ──▶ module of the Verilog ──▶ its output ports, in each cycle
#       └────▶ software ──▶ blocks ──────────────────────────────────────▶ bit n of a block is this bit of this port
#
# A user may write a cipher in any style.  If its ``o`` is wired to registers in another order, the module has the registers as output
# ports, and the order is outside.  A port therefore says nothing about the place of a bit in a block.  The values in the cycle of the
# result do: among thousands of results, two bits of a block never have equal values.

Ports = Mapping[str, Sequence[tuple[str, int]]]
"""For each port of the component, the ports of the module that form it, lowest bits first, each with its width."""

LATER = 64
"""Number of cycles after the latency in which a late result is looked for, to name its cycle in the message."""


def result_places(
    cipher: BlockCipher, request: CoreRequest, rtlil: str, module: str, inputs: Ports, outputs: Sequence[tuple[str, int]]
) -> list[int | None]:
    """Simulates a module of a design, and returns the bit of a block for each bit of its output ports; None for a bit that is none.

    Parameters
    ----------
    rtlil : str
        The design.
    module : str
        Name of the module.
    inputs : mapping
        Its input ports.
    outputs : sequence of (str, int)
        Its output ports with their widths.

    Raises
    ------
    DefinitionError
        The module does not compute what the software does, or not in the cycle that ``timing`` says.
    """
    check = _EmittedCheck(cipher, request, rtlil, module, inputs, outputs)
    check.run()
    return check.places


class _EmittedCheck(CipherCheck):
    def __init__(
        self, cipher: BlockCipher, request: CoreRequest, rtlil: str, module: str, inputs: Ports, outputs: Sequence[tuple[str, int]]
    ):
        super().__init__(cipher, request)
        self.rtlil, self.module, self.inputs, self.outputs = rtlil, module, inputs, outputs
        self.places: list[int | None] = []

    @property
    def clears(self) -> bool:
        """The module has its reset within."""
        return False

    def _core(self) -> Component:
        with warnings.catch_warnings():
            # Only its ports are asked for.
            warnings.simplefilter("ignore", UnusedElaboratable)
            core = super()._core()
            ports = {name: len(getattr(core, name)) for name in core.signature.members if name != "o"}
            latency = core.latency
            del core
            # A component is in a circle of references.
            gc.collect()
        return CipherModule(self.module, ports, self.inputs, self.outputs, latency)

    def _converted(self, bench: Component, core: Component) -> str:
        return rtlil.convert(bench, name="bench", emit_src=False) + "\n" + "".join(_parts(self.rtlil, self.module))

    def _judge(self, sim: Simulation, runs: list[Run]) -> None:
        latency = self.timing.latency
        found = self._found(runs, latency)
        wanted = set(range(8 * self.size))
        if wanted <= set(found):
            self.places = found
            if self.request.started:
                # The base class reads blocks.
                order = [found.index(bit) for bit in range(8 * self.size)]
                for run in runs:
                    run.outputs = [_taken(word, order) for word in run.outputs]
                self._held(runs)
            return
        other = next((cycles for cycles in range(latency + LATER) if wanted <= set(self._found(runs, cycles))), None)
        if other is not None:
            self.fail(f"{self.module}: {self.request} takes {other} cycles, and its timing says {latency}")
        bit = min(wanted - set(found))
        self.fail(f"{self.module}: {self.request} does not compute what its software does: no output is bit {bit} of the result")

    def _found(self, runs: Sequence[Run], cycles: int) -> list[int | None]:
        """For each bit of the outputs, the bit of the result that it is after some cycles."""
        operations = [(op.expected, run.outputs[op.start + cycles]) for run in runs for op in run.operations]
        bits = {column: place for place, column in enumerate(_columns([wanted for wanted, _ in operations], 8 * self.size))}
        return [bits.get(column) for column in _columns([given for _, given in operations], sum(width for _, width in self.outputs))]


def _taken(word: int, order: Sequence[int]) -> int:
    """The bits of a word in another order."""
    return sum((word >> bit & 1) << place for place, bit in enumerate(order))


def _columns(words: Sequence[int], width: int) -> list[int]:
    """For each bit of a word, a number with a digit for each word."""
    rows = [format(word, f"0{width}b") for word in words]
    return [int("".join(column), 2) for column in zip(*rows, strict=True)][::-1]


_MODULE = re.compile(r"^(?:attribute [^\n]*\n)*module \\(\S+)\n.*?^end\n", re.M | re.S)
_CELL = re.compile(r"^  cell \\(\S+) ", re.M)


def _parts(rtlil: str, top: str) -> Iterator[str]:
    """The texts of a module and of all modules in it."""
    texts = {match[1]: match[0] for match in _MODULE.finditer(rtlil)}
    if top not in texts:
        raise DefinitionError(f"the Verilog has no module {top}")
    done, todo = {top}, [top]
    while todo:
        text = texts[todo.pop()]
        yield text
        inner = set(_CELL.findall(text)) & texts.keys() - done
        done |= inner
        todo += sorted(inner)
