# SPDX-License-Identifier: Apache-2.0
"""The banks of an engine: memories whose cells rotate from sector to sector, and the logic that reads and writes them.

There are three kinds, which are written at different times::

    input blocks   by the bus, while earlier sectors run
    tweaks         from the cycle after the entry of the sector on
    results        by a unit, when the program says so
"""

from __future__ import annotations

from collections.abc import Callable

from amaranth.hdl import Array, C, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from modeloom.allocate.merge import CoreProgram
from modeloom.allocate.program import TWEAK, Bank, LaneName, UnitName
from modeloom.cycles import FILL_DELAY, LEAD
from modeloom.rtl.engine.control import RowReader, pipe
from modeloom.rtl.engine.storage import BlockMemory, rotated

__all__ = ["BANK_BLOCKS", "Banks", "holds_results", "rotations"]

BANK_BLOCKS = 64
"""A bank of at most this many blocks is always a LUT memory.  It takes a LUT of six inputs for each bit and port, or four memories
of 16 words on ECP5.  A block memory would be worse there: on ECP5 its data come late in the cycle for the network behind it
(docs/model.md)."""


def holds_results(bank: Bank) -> bool:
    """Whether a bank holds results of a unit.  Other banks hold what comes from the host."""
    return isinstance(bank.writer, UnitName)


def rotations(program: CoreProgram) -> dict[str, tuple[int, ...]]:
    """For each bank, the number of cells through which it rotates, for each sector size."""
    return {name: tuple(max(1, cells) for cells in sizes) for name, sizes in program.cells.items()}


class Banks:
    """Adds the banks of a program to an engine.

    Parameters
    ----------
    m : Module
        The module of the engine.
    engine : wiring.Component
        The engine, with the ports of ``engine_signature``.
    program : CoreProgram
        The program that the engine runs.
    width : int
        Width of a block in bits.
    rows : RowReader
        Reads the rows of the program.
    block_memories : bool
        Whether banks of more than `BANK_BLOCKS` blocks are block memories.
    written : callable
        ``written(unit)`` is the result of a unit as it is written.  It is zero while banks of results are erased.
    erase_results, erase_result : Value
        Whether a word of all banks of results is overwritten in this cycle, and the number of this word.

    Attributes
    ----------
    data : dict
        The data of each read port, by the name of the bank and the number of the port.
    """

    def __init__(
        self, m: Module, engine: wiring.Component, program: CoreProgram, width: int, rows: RowReader,
        block_memories: bool, written: Callable[[UnitName], Value], erase_results: Value, erase_result: Value,
    ):  # fmt: skip
        self.m, self.engine, self.program, self.width, self.rows = m, engine, program, width, rows
        self.seq, self.block_memories = rows.seq, block_memories
        self.moduli = rotations(program)
        self.data: dict[tuple[str, int], Value] = {}
        for bank in program.banks.values():
            memory = self._memory(bank)
            if isinstance(bank.writer, UnitName):
                m.d.comb += [memory.erase.eq(erase_results), memory.erase_address.eq(erase_result)]
                self._results(bank, bank.writer, memory, written)
            elif isinstance(bank.writer, LaneName):
                m.d.comb += [memory.erase.eq(engine.erase.we), memory.erase_address.eq(engine.erase.address)]
                self._fill(bank, memory, bank.writer.number)
            else:
                self._tweak(bank, memory)

    def _memory(self, bank: Bank) -> BlockMemory:
        """The memory of a bank with its read ports."""
        m, deep = self.m, isinstance(bank.writer, LaneName)
        # Tweaks are public.
        erase_bits = 0 if bank.writer == TWEAK else len(self.engine.erase.address)
        # While the size changes, an address may be beyond the last cell.  The data are not used then, but the word must exist.
        depth = bank.cells if self.program.sizes == 1 else 1 << (max(2, bank.cells) - 1).bit_length()
        style = "block" if self.block_memories and depth > BANK_BLOCKS else "distributed"
        memory = BlockMemory(self.width, depth, bank.ports, deep, style, erase_bits)
        m.submodules[f"bank_{bank.name}"] = memory
        for port in range(bank.ports):
            target = self._address(bank, f"{bank.name}_r{port}_addr", f"{bank.name}.r{port}")[0]
            # Banks of input blocks take two cycles to read, so their address comes a cycle earlier than that of others.
            m.d.comb += memory.raddr[port].eq(pipe(m, target, LEAD - 5 - deep, f"{bank.name}_r{port}_addr_late"))
            self.data[bank.name, port] = memory.rdata[port]
        return memory

    def _address(self, bank: Bank, name: str, row_name: str, *fields: str) -> tuple[Signal, dict[str, Value]]:
        """The rotated address of the cell that a row names, four cycles after the row pointer, and the row itself."""
        row = self.rows.read(row_name, ["cell", *fields], {"base": self.seq.stage_base[self.moduli[bank.name]]})
        target = self._target(bank, name)
        rotated(self.m, row["cell"], row["base"], bank.cells, target, late=True, modulus=self._modulus(bank, self.seq.table_size))
        return target, row

    @staticmethod
    def _target(bank: Bank, name: str) -> Signal:
        return Signal(range(max(2, bank.cells)), name=f"{name}_reg", reset_less=True)

    def _modulus(self, bank: Bank, size: Value) -> Value:
        """The number of cells through which a bank rotates."""
        return self.seq.pick(self.moduli[bank.name], size)

    def _results(self, bank: Bank, writer: UnitName, memory: BlockMemory, written: Callable[[UnitName], Value]) -> None:
        """Writes the results of a unit."""
        if not self.rows.has(f"{bank.name}.w.stage"):
            return
        m = self.m
        target, row = self._address(bank, f"{bank.name}_w_addr", f"{bank.name}.w", "we")
        m.d.comb += [
            memory.waddr.eq(pipe(m, target, LEAD - 4, f"{bank.name}_waddr")),
            memory.we.eq(pipe(m, row["valid"] & row["we"], LEAD - 2, f"{bank.name}_we", reset_less=False)),
            memory.wdata.eq(written(writer)),
        ]

    def _fill(self, bank: Bank, memory: BlockMemory, lane: int) -> None:
        """Writes input blocks.

        The cell of a beat is rotated by the number of the sector that enters next, or of the one after it.
        """
        m, program, seq, engine, name = self.m, self.program, self.seq, self.engine, bank.name
        cells, moduli = bank.cells, self.moduli[name]
        beats = -(-max(program.blocks) // program.lanes)
        tables, we = [], engine.fill.we
        for size, main in enumerate(program.mains):
            blocks = [beat * program.lanes + lane for beat in range(beats)]
            tables.append([main.inputs.get(block, 0) for block in blocks])
            for beat in range(-(-program.blocks[size] // program.lanes)):
                if blocks[beat] not in main.inputs:
                    unused = engine.fill.beat == beat
                    we = we & ~(unused if program.sizes == 1 else unused & (engine.size.number == size))
        table = Array(C(cell, range(max(2, cells))) for cell in tables[0])
        if program.sizes > 1:
            table = Array(Array(C(cell, range(max(2, cells))) for cell in each) for each in tables)[engine.size.number]
        base = Mux(engine.fill.ahead, seq.ahead_base[moduli], seq.next_base[moduli])
        data = engine.fill.data.word_select(lane, self.width)
        target = self._target(bank, f"{name}_w_addr")
        first = self._target(bank, f"{name}_fill_cell")
        m.d.sync += first.eq(table[engine.fill.beat])
        rotated(
            m, first, pipe(m, base, 1, f"{name}_fill_base"), cells, target, late=True, modulus=self._modulus(bank, engine.size.number)
        )  # fmt: skip
        m.d.comb += [
            memory.waddr.eq(target), memory.we.eq(pipe(m, we, FILL_DELAY, f"{name}_fill_we", reset_less=False)),
            memory.wdata.eq(pipe(m, pipe(m, data, FILL_DELAY - 1, f"{name}_fill_data"), 1, f"{name}_fill_data_late", reset_less=False)),
        ]  # fmt: skip

    def _tweak(self, bank: Bank, memory: BlockMemory) -> None:
        """Writes the blocks of the tweak, one in each cycle, from the cycle after the entry on."""
        m, program, seq, engine = self.m, self.program, self.seq, self.engine
        moduli = self.moduli[bank.name]
        blocks = program.tweak_blocks
        # The bus holds the tweak for the cycle after the entry, in which the first block is written.
        behind = pipe(m, engine.tweak[self.width :], 1, "tweak_behind") if blocks > 1 else Const(0)
        left = Signal(blocks, name="tweak_left_reg")
        m.d.sync += left.eq(left >> 1)
        with m.If(engine.enter.ack):
            m.d.sync += left.eq((1 << blocks) - 1)
        targets = []
        for j in range(blocks):
            target = self._target(bank, f"tweak_cell{j}")
            cell = seq.pick([main.tweaks.get(j, 0) for main in program.mains], engine.size.number)
            rotated(
                m, cell, pipe(m, seq.next_base[moduli], j, f"tweak_base{j}"), bank.cells, target,
                modulus=self._modulus(bank, engine.size.number),
            )  # fmt: skip
            targets.append(target)
        m.d.comb += [memory.we.eq(left[0]), memory.wdata.eq(engine.tweak[: self.width]), memory.waddr.eq(targets[0])]
        for j in range(1, blocks):
            # The j-th block after the first is written j cycles later.
            late = pipe(m, behind.word_select(j - 1, self.width), j - 1, f"tweak_late{j}")
            with m.If(left == (1 << (blocks - j)) - 1):
                m.d.comb += [memory.wdata.eq(late), memory.waddr.eq(targets[j])]
