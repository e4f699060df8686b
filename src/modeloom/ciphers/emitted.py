# SPDX-License-Identifier: Apache-2.0
"""Compares a cipher core of a user in emitted Verilog with its software, and finds the bits of its result.

::

    keys ──▶ key schedule ──▶ round keys ──▶ module of the Verilog ──▶ its output ports, in each cycle
      └────▶ software ──▶ blocks ──────────────────────────────────────▶ bit n of a block is this bit of this port

A user may write a cipher in any style.  If its ``o`` is wired to registers in another order, the module has the registers as output ports,
and the order is outside.  A port therefore says nothing about the place of a bit in a block.  The values in the cycle of the result do:
among thousands of results, two bits of a block never have equal values.
"""

from __future__ import annotations

import gc
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence

from amaranth.back import rtlil
from amaranth.hdl import UnusedElaboratable
from amaranth.lib.wiring import Component

from modeloom.ciphers.check import CipherCheck, Run
from modeloom.ciphers.description import BlockCipher
from modeloom.ciphers.request import CoreRequest
from modeloom.rtl.cipher_bench import CipherModule
from modeloom.sim import Simulation
from modeloom.spec import DefinitionError

__all__ = ["Ports", "result_places"]

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
            if self.request.form == "sequential":
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
