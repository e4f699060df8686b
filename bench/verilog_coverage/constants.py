# SPDX-License-Identifier: Apache-2.0
"""Bits of emitted Verilog that are constant in every state that a core can be in, so that nothing could ever toggle them.

::

    Verilog ──Yosys: flatten, gates──▶ AND, XOR, MUX ... registers, memories ──▶ 0, 1 or "either" for each bit, until nothing changes

Registers begin with their values at power-up; inputs are "either" in every cycle.  A register is a constant if what it takes in is
always its first value, all others being what was found so far.  This never calls a bit constant that is not; it does not find all that
are.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

__all__ = ["Gates", "constants", "gates_of"]

EITHER = 2
"""Beside 0 and 1: a bit that may be both."""

_COMMANDS = (
    "proc -noopt", "flatten", "setattr -set keep 1 w:*", "opt_clean", "opt_expr -mux_undef", "memory_collect", "opt_clean", "simplemap",
    "techmap", "simplemap",
)  # fmt: skip
"""``keep``: nets that nobody reads are counted as well.  ``-mux_undef``: address and data of a write port are unknown to Yosys where
nothing is written; nothing else is unknown in a core."""

_UNKNOWN = re.compile(r"'[bodh][0-9a-f]*[xz]", re.IGNORECASE)

_SCRIPT = """
import sys
from pyosys import libyosys as ys
design = ys.Design()
for command in sys.argv[1:]:
    ys.run_pass("tee -q " + command, design)
"""


def _table(function: Any, inputs: int) -> tuple[int, ...]:
    """What a gate gives for inputs of 0, 1, EITHER; its first input counts 1, the second 3, the third 9."""

    def choices(value: int) -> tuple[int, ...]:
        return (0, 1) if value == EITHER else (value,)

    def results(values: Sequence[int]) -> set[int]:
        found = {()}
        for value in values:
            found = {(*head, one) for head in found for one in choices(value)}
        return {int(function(*one)) for one in found}

    table = []
    for index in range(3**inputs):
        given = [index // 3**place % 3 for place in range(inputs)]
        found = results(given)
        table.append(found.pop() if len(found) == 1 else EITHER)
    return tuple(table)


GATES: dict[str, tuple[tuple[str, ...], tuple[int, ...]]] = {
    "$_BUF_": (("A",), _table(lambda a: a, 1)),
    "$_NOT_": (("A",), _table(lambda a: not a, 1)),
    "$_AND_": (("A", "B"), _table(lambda a, b: a and b, 2)),
    "$_NAND_": (("A", "B"), _table(lambda a, b: not (a and b), 2)),
    "$_OR_": (("A", "B"), _table(lambda a, b: a or b, 2)),
    "$_NOR_": (("A", "B"), _table(lambda a, b: not (a or b), 2)),
    "$_XOR_": (("A", "B"), _table(lambda a, b: a ^ b, 2)),
    "$_XNOR_": (("A", "B"), _table(lambda a, b: not (a ^ b), 2)),
    "$_ANDNOT_": (("A", "B"), _table(lambda a, b: a and not b, 2)),
    "$_ORNOT_": (("A", "B"), _table(lambda a, b: a or not b, 2)),
    "$_MUX_": (("A", "B", "S"), _table(lambda a, b, s: b if s else a, 3)),
}
"""Inputs of each gate, and its table."""


class Gates:
    """A flat design of gates, registers and memories.

    Attributes
    ----------
    names : dict
        Bits of each net, bit 0 first; a number, or "0", "1", "x".
    inputs : list of int
    cells : list of (type, tuple of bits, int)
        Inputs and output of each gate, in an order in which each comes after those that it reads.
    registers : list of (bit, int)
        What each takes in at the edge of the clock, and its output.
    memories : list
        Cells ``$mem_v2``.
    initial : dict
        Values of registers at power-up.
    """

    def __init__(self, module: Mapping[str, Any]):
        self.names: dict[str, list[Any]] = {name: net["bits"] for name, net in module["netnames"].items()}
        self.inputs = [bit for port in module["ports"].values() if port["direction"] == "input" for bit in port["bits"]]
        self.registers: list[tuple[Any, int]] = []
        self.memories: list[Mapping[str, Any]] = []
        gates: dict[int, tuple[str, tuple[Any, ...]]] = {}
        unknown = count(1 + max((bit for bits in self.names.values() for bit in bits if isinstance(bit, int)), default=1))
        for cell in module["cells"].values():
            kind, ports = cell["type"], cell["connections"]
            # What is not known may be anything, and each time something else.
            for port, bits in ports.items():
                ports[port] = [next(unknown) if bit in ("x", "z") else bit for bit in bits]
                self.inputs += [bit for bit, old in zip(ports[port], bits, strict=True) if bit is not old]
            if kind in GATES:
                gates[ports["Y"][0]] = kind, tuple(ports[port][0] for port in GATES[kind][0])
            elif kind == "$_DFF_P_":
                self.registers.append((ports["D"][0], ports["Q"][0]))
            elif kind == "$mem_v2":
                self.memories.append(cell)
            elif kind != "$scopeinfo":
                raise ValueError(f"a cell of the type {kind} is not known here")
        self._memories = {str(memory["parameters"]["MEMID"]).removeprefix("\\"): memory for memory in self.memories}
        self.initial: dict[int, int] = {}
        for net in module["netnames"].values():
            value = net.get("attributes", {}).get("init")
            if value is not None:
                self.initial.update({bit: int(v) for bit, v in zip(net["bits"], reversed(value)) if isinstance(bit, int) and v in "01"})
        self.cells = list(_ordered(gates))

    def bit(self, path: str, what: str) -> Any:
        """The bit that Verilator calls ``what`` in an instance: a number, "0" or "1"; None for a word of a memory."""
        name, *indices = _parts(what)
        net = self.names.get(f"{path}.{name}" if path else name)
        if net is None or len(indices) > 1:
            return None
        return net[int(indices[0]) if indices else 0]

    def writes(self, path: str, what: str) -> list[tuple[list[tuple[Any, int]], Any]] | None:
        """How the bit of a memory that Verilator calls ``what`` can be written; None if there is no such memory.

        For each write port, the bits that must have certain values for a write of the word, and the bit of data.
        """
        name, *indices = _parts(what)
        memory = self._memories.get(f"{path}.{name}" if path else name)
        if memory is None:
            return None
        ports, parameters = memory["connections"], memory["parameters"]
        width, bits = int(parameters["WIDTH"], 2), int(parameters["ABITS"], 2)
        word, place = int(indices[0]), int(indices[1]) if len(indices) > 1 else 0
        found = []
        for port in range(int(parameters["WR_PORTS"], 2)):
            address = ports["WR_ADDR"][port * bits : port * bits + bits]
            when = [(ports["WR_EN"][port * width + place], 1), *((bit, word >> i & 1) for i, bit in enumerate(address))]
            found.append((when, ports["WR_DATA"][port * width + place]))
        return found

    def content(self, path: str, what: str) -> str:
        """The bit of a memory at power-up: "0", "1" or "x"."""
        name, *indices = _parts(what)
        memory = self._memories[f"{path}.{name}" if path else name]
        return _contents(memory)[int(indices[0]) * int(memory["parameters"]["WIDTH"], 2) + (int(indices[1]) if len(indices) > 1 else 0)]

    def still(self, path: str, what: str, fixed: Mapping[int, int]) -> bool:
        """Whether a bit is one of ``fixed``, or in a word of a memory that no write port can write."""
        bit = self.bit(path, what)
        if bit is not None:
            return bit in ("0", "1") or bit in fixed
        writes = self.writes(path, what)

        def can_be(bit: Any, value: int) -> bool:
            known = fixed.get(bit) if isinstance(bit, int) else int(bit)
            return known is None or known == value

        return writes is not None and not any(all(can_be(*one) for one in when) for when, _ in writes)

    def tables(self) -> Iterator[tuple[int, list[int], list[Any]]]:
        """For each bit that is read from a memory that nobody writes: the bit in all words, and the address."""
        for memory in self.memories:
            ports, parameters = memory["connections"], memory["parameters"]
            stored = _contents(memory)
            if any(enable != "0" for enable in ports["WR_EN"]) or "x" in stored:
                continue
            width, bits = int(parameters["WIDTH"], 2), int(parameters["ABITS"], 2)
            for place, data in enumerate(ports["RD_DATA"]):
                if isinstance(data, int):
                    port, bit = divmod(place, width)
                    yield data, [int(one) for one in stored[bit::width]], ports["RD_ADDR"][port * bits : port * bits + bits]


def _parts(what: str) -> list[str]:
    """Name and indices of "word[1][5]"."""
    return what.replace("]", "").split("[")


def _ordered(gates: Mapping[int, tuple[str, tuple[Any, ...]]]) -> Iterator[tuple[str, tuple[Any, ...], int]]:
    """Gates in the order of their inputs; raises ``ValueError`` for a loop."""
    done: set[Any] = set()
    for start in gates:
        stack = [start]
        while stack:
            bit = stack[-1]
            if bit in done or bit not in gates:
                stack.pop()
                continue
            waiting = [one for one in gates[bit][1] if one in gates and one not in done]
            if waiting:
                if len(stack) > len(gates):
                    raise ValueError("a loop of gates without a register")
                stack.extend(waiting)
                continue
            stack.pop()
            done.add(bit)
            yield (*gates[bit], bit)


def _contents(memory: Mapping[str, Any]) -> str:
    """The bits of a memory at power-up, bit 0 of word 0 first: "0", "1", or "x" for one that is not known."""
    parameters = memory["parameters"]
    size = int(parameters["WIDTH"], 2) * int(parameters["SIZE"], 2)
    text = str(parameters["INIT"])
    return text.rjust(size, "x")[::-1] if len(text) > 1 else text * size


def _read(text: str) -> str:
    """Verilog without comments, and without what stands behind a macro."""
    depth, lines = 0, []
    for line in re.sub(r"//[^\n]*", "", text).splitlines():
        depth += bool(re.match(r"\s*`ifn?def\b", line))
        if not depth:
            lines.append(line)
        depth -= line.strip() == "`endif"
    return "\n".join(lines)


def gates_of(verilog: Path, top: str) -> Gates:
    """The gates of a Verilog file; raises ``ValueError`` if Yosys refuses it, or it has what no core has: unknown values, loops."""
    if found := _UNKNOWN.search(_read(verilog.read_text(encoding="utf-8"))):
        raise ValueError(f"{verilog.name} has an unknown value: {found[0]}")
    with tempfile.TemporaryDirectory(prefix="modeloom-coverage-") as work:
        result = Path(work) / "design.json"
        script = (f"read_verilog -sv {verilog}", f"hierarchy -check -top {top}", *_COMMANDS, f"write_json {result}")
        run = subprocess.run([sys.executable, "-P", "-c", _SCRIPT, *script], capture_output=True, text=True, check=False)
        if run.returncode or not result.exists():
            reason = (run.stdout + run.stderr).strip().splitlines()[-1:] or ["no message"]
            raise ValueError(f"Yosys cannot read {verilog.name}: {reason[0]}")
        return Gates(json.loads(result.read_text(encoding="utf-8"))["modules"][top])


def constants(gates: Gates) -> dict[int, int]:
    """The bits that are 0 or 1 in every state that can be reached, and which of the two."""
    value: dict[Any, int] = {"0": 0, "1": 1}
    value.update(dict.fromkeys(gates.inputs, EITHER))
    for _, output in gates.registers:
        value[output] = gates.initial.get(output, EITHER)
    columns = [_Columns(memory) for memory in gates.memories]
    for one in columns:
        one.read(value)
    gates_in_order = [(GATES[kind][1], inputs, output) for kind, inputs, output in gates.cells]
    changed = True
    while changed:
        for table, inputs, output in gates_in_order:
            index = value[inputs[0]]
            if len(inputs) > 1:
                index += 3 * value[inputs[1]]
            if len(inputs) > 2:
                index += 9 * value[inputs[2]]
            value[output] = table[index]
        changed = False
        for data, output in gates.registers:
            if value[output] != EITHER and value[data] != value[output]:
                value[output] = EITHER
                changed = True
        for one in columns:
            changed |= one.write(value)
            changed |= one.read(value)
    return {bit: found for bit, found in value.items() if isinstance(bit, int) and found != EITHER}


class _Columns:
    """A memory by its bits: bit i of all words together is 0, 1 or either."""

    def __init__(self, cell: Mapping[str, Any]):
        parameters, self.ports = cell["parameters"], cell["connections"]
        self.width = int(parameters["WIDTH"], 2)
        stored = _contents(cell)
        self.value = []
        for bit in range(self.width):
            found = set(stored[bit :: self.width])
            self.value.append(int(found.pop()) if found in ({"0"}, {"1"}) else EITHER)

    def write(self, value: Mapping[Any, int]) -> bool:
        """What the write ports may write; whether anything is new."""
        changed = False
        for place, (data, enable) in enumerate(zip(self.ports["WR_DATA"], self.ports["WR_EN"], strict=True)):
            bit = place % self.width
            if value[enable] != 0 and self.value[bit] != EITHER and value[data] != self.value[bit]:
                self.value[bit] = EITHER
                changed = True
        return changed

    def read(self, value: dict[Any, int]) -> bool:
        """What the read ports may give; whether anything is new."""
        changed = False
        for place, data in enumerate(self.ports["RD_DATA"]):
            new = self.value[place % self.width]
            if isinstance(data, int) and value.get(data) != new:
                value[data] = new
                changed = True
        return changed
