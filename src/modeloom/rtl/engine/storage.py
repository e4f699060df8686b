# SPDX-License-Identifier: Apache-2.0
"""The memories of the engine: rotating banks of blocks, and the key memory.

Their outputs are registered.  An address in cycle u - 1 gives data in cycle u, and sees what was written up to cycle u - 2.  If the
word is written in cycle u - 1, LUT memories give the old one.  What block memories give then depends on the device, and programs
for them never use it (``Program.rest``).  The banks of input blocks are deep, and reading takes two cycles: an address in cycle u -
2 gives data in cycle u, and sees what was written up to u - 3::

    address ──▶ words 0 ... 31   ──[reg]──┐
            ──▶ words 32 ... 63  ──[reg]──┤──▶ choice ──[reg]──▶ data
            ...                           │
    address ──[reg]───────────────────────┘
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from amaranth.hdl import Array, C, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from modeloom.allocate.build import CoreProgram
from modeloom.allocate.program import TWEAK, Bank, LaneName, OutName, UnitName
from modeloom.cycles import FILL_DELAY, LEAD
from modeloom.rtl.engine.sequencer import RowReader, pipe
from modeloom.rtl.gf128.reduction import scale
from modeloom.spec import Field

__all__ = [
    "BankStyles", "Banks", "BlockMemory", "KeyClass", "KeyMemory", "cipher_slot", "holds_results", "cut_bytes", "key_class", "moved",
    "rotated", "rotations",
]  # fmt: skip


# -- storage ---------------------------------------------------------------------------------------------------------------------------

PART_WORDS, PARTS = 32, 8
"""The least number of words in a part of a deep memory, and the largest number of parts."""

FEW_WORDS = 3
"""So many words or less are registers where a memory may consist of registers.  A LUT memory has a copy for each read port, and each copy
costs as much for one word as for 16 or 32."""


class BlockMemory(wiring.Component):
    """A memory with one write port, and some read ports with registered data.

    Parameters
    ----------
    width : int
        Width of a word in bits.
    depth : int
        Number of words.
    ports : int
        Number of read ports.
    deep : bool
        Whether reading takes two cycles instead of one.  The memory then consists of parts with registers of their own.
    erase_bits : int
        Width of ``erase_address``; 0 if the memory holds no secrets.
    style : str
        The attribute ``ram_style`` of the memory: "distributed", "block" (in one part), or "" for the choice of the tool.
    clears : bool
        Whether a read port can give zeros.  The memory is then "distributed", and not deep.
    registers : bool
        Whether `FEW_WORDS` words or less are registers.  The memory is then "distributed", not deep, and has no ``move``.

    Members
    -------
    we, waddr, wdata : In(1), In(range(depth)), In(width)
        The write port.
    raddr, rdata : In(range(depth)), Out(width), for each port
        The read ports.
    move : In(2)
        Bit 0 enables the registers behind the memory, and bit 1 those behind the choice of a part.  Both are high by default.
    clear : In(1), for each port
        With *clears* only: gives zeros in the next cycle, instead of the word.
    erase, erase_address : In(1), In(erase_bits)
        Writes to this word in the next cycle.  The word becomes the ``wdata`` of that cycle, which has to be zero.  An address
        beyond the last word does nothing.
    """

    def __init__(
        self, width: int, depth: int, ports: int, deep: bool = False, style: str = "distributed", erase_bits: int = 0,
        clears: bool = False, registers: bool = False,
    ):  # fmt: skip
        self.width, self.depth, self.ports, self.deep, self.style = width, depth, ports, deep, style
        self.erase_bits, self.clears, self.registers = erase_bits, clears, registers and depth <= FEW_WORDS
        self.moves = not registers
        address = range(max(2, depth))
        super().__init__(
            {
                "we": In(1),
                "waddr": In(address),
                "wdata": In(width),
                "raddr": In(address).array(ports),
                **({} if registers else {"move": In(2, init=3)}),
                "erase": In(1),
                "erase_address": In(erase_bits),
                "rdata": Out(width).array(ports),
                **({"clear": In(1).array(ports)} if clears else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        depth = self.depth if self.registers else max(2, self.depth)
        part = depth if not self.deep or self.style != "distributed" else max(PART_WORDS, 1 << (-(-depth // PARTS) - 1).bit_length())
        inner = (part - 1).bit_length()
        parts: list[list[Value]] = [[] for _ in range(self.ports)]
        attributes: dict[str, str | int] = {"ram_style": self.style} if self.style else {}
        if self.style != "distributed":
            # Without this, Yosys puts a multiplexer behind each port of the block memories of an ECP5, to give the old word.
            attributes["no_rw_check"] = 1
        waddr = Signal.like(self.waddr, name="write_address")
        we = self.we
        m.d.comb += waddr.eq(self.waddr)
        if self.erase_bits:
            # One address is compared with the depths of all memories, which lie all over the die, so there is a register in
            # between.  It has no reset, since a core is held in reset while it is erased.
            erase_reg = Signal(reset_less=True)
            erase_address_reg = Signal(range(max(2, depth)), reset_less=True)
            inside = self.erase_address < depth if 1 << self.erase_bits > depth else Const(1, 1)
            m.d.sync += [erase_reg.eq(self.erase & inside), erase_address_reg.eq(self.erase_address)]
            we = self.we | erase_reg
            m.d.comb += waddr.eq(Mux(erase_reg, erase_address_reg, self.waddr))
        if self.registers:
            self._few_words(m, we, waddr)
            return m
        for n, first in enumerate(range(0, depth, part)):
            # All parts see every address, so the last one is as deep as the bits of an address reach.
            words = part if part == depth else 1 << max(1, (min(part, depth - first) - 1).bit_length())
            bits = (words - 1).bit_length()
            mem = memory.Memory(shape=self.width, depth=words, init=[], attrs=attributes)
            m.submodules[f"mem{n}"] = mem
            write = mem.write_port()
            here = waddr[inner:] == n if part < depth else 1
            m.d.comb += [write.en.eq(we & here), write.addr.eq(waddr[:bits]), write.data.eq(self.wdata)]
            for i in range(self.ports):
                if self.clears:
                    # The register has a reset for this, which takes no LUTs.
                    asked = mem.read_port(domain="comb")
                    word = Signal(self.width, name=f"word{i}_reg", reset_less=True)
                    m.d.comb += asked.addr.eq(self.raddr[i][:bits])
                    with m.If(self.move[0]):
                        m.d.sync += word.eq(Mux(self.clear[i], 0, asked.data))
                    parts[i].append(word)
                    continue
                read = mem.read_port()
                m.d.comb += [read.en.eq(self.move[0] if self.moves else 1), read.addr.eq(self.raddr[i][:bits])]
                parts[i].append(read.data)
        for i in range(self.ports):
            if not self.deep:
                m.d.comb += self.rdata[i].eq(parts[i][0])
                continue
            chosen = Signal(range(max(2, len(parts[i]))), name=f"part{i}_reg", reset_less=True)
            data = Signal(self.width, name=f"data{i}_reg", reset_less=True)
            with m.If(self.move[0]):
                m.d.sync += chosen.eq(self.raddr[i][inner:])
            with m.If(self.move[1]):
                m.d.sync += data.eq(Array(parts[i])[chosen] if len(parts[i]) > 1 else parts[i][0])
            m.d.comb += self.rdata[i].eq(data)
        return m

    def _few_words(self, m: Module, we: Value, waddr: Value) -> None:
        """Words that are registers."""
        words = [Signal(self.width, name=f"word{n}_reg", reset_less=True) for n in range(self.depth)]
        for n, word in enumerate(words):
            with m.If(we & (waddr == n)):
                m.d.sync += word.eq(self.wdata)
        # A single word is read by all ports alike.
        for i in range(self.ports if self.depth > 1 else min(1, self.ports)):
            data = Signal(self.width, name=f"data{i}_reg", reset_less=True)
            m.d.sync += data.eq(Array(words)[self.raddr[i]])
            m.d.comb += [port.eq(data) for port in (self.rdata if self.depth == 1 else [self.rdata[i]])]


def rotated(
    m: Module, cell: Value, base: Value, cells: int, target: Value, *, late: bool = False, modulus: Value | int | None = None
) -> None:
    """Registers (cell + base) mod ``modulus`` in ``target``.  This takes one cycle, or two with ``late``.

    Both operands must be less than ``modulus``, which is ``cells`` or a value of at most ``cells``.
    """
    if cells == 1:
        m.d.sync += target.eq(0)
        return
    if modulus is None:
        modulus = cells
    total = (cell + base)[: (2 * cells - 2).bit_length()]
    if late:
        sum_reg = Signal(len(total), name=f"{target.name}_sum", reset_less=True)
        m.d.sync += sum_reg.eq(total)
        total = sum_reg
    m.d.sync += target.eq(total)
    with m.If(total >= modulus):
        m.d.sync += target.eq(total - modulus)


# -- banks -----------------------------------------------------------------------------------------------------------------------------

# The banks of an engine: memories whose cells rotate from sector to sector, and the logic that reads and writes them.
#
# There are three kinds, which are written at different times::
#
#     input blocks   by the bus, while earlier sectors run
#     tweaks         from the cycle after the entry of the sector on
#     results        by a unit, when the program says so

@dataclass(frozen=True)
class BankStyles:
    """The attribute ``ram_style`` of banks.

    Attributes
    ----------
    inputs, results : str
        That of banks of input blocks and of banks of results: "distributed", "block", or "" for the choice of the tool.
    inputs_above, results_above : int
        Banks of at most so many blocks are "distributed".
    registers : bool
        Whether banks of results and key memories of `FEW_WORDS` words or less are registers.
    """

    inputs: str = "distributed"
    results: str = "distributed"
    inputs_above: int = 0
    results_above: int = 0
    registers: bool = False

    def of(self, bank: Bank, blocks: int) -> str:
        """The style of a bank that has so many blocks."""
        style, above = (self.results, self.results_above) if holds_results(bank) else (self.inputs, self.inputs_above)
        return style if blocks > above and bank.writer != TWEAK else "distributed"


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
    styles : BankStyles
        What memories banks are.
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
        styles: BankStyles, written: Callable[[UnitName], Value], erase_results: Value, erase_result: Value,
    ):  # fmt: skip
        self.m, self.engine, self.program, self.width, self.rows = m, engine, program, width, rows
        self.seq, self.styles = rows.seq, styles
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
        style = self.styles.of(bank, depth)
        few = self.styles.registers and not deep and bank.cells <= FEW_WORDS
        memory = BlockMemory(self.width, bank.cells if few else depth, bank.ports, deep, style, erase_bits, registers=few)
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
        rotated(m, first, pipe(m, base, 1, f"{name}_fill_base"), cells, target, late=True, modulus=self._modulus(bank, engine.size.number))
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


# -- key memory ------------------------------------------------------------------------------------------------------------------------

# The keys of an engine: its key memory, the classes of cipher keys, and wires between them.

# Functions of the engine that take no gates: addresses of round keys, parts of blocks, and multiples x^k that move whole bytes.
#
# Parts and multiples of a block a:
#
#     byte           0   1   2 ...             15
#     keep 3         a0  a1  a2  0   ...        0
#     keep -3        0   0   0   a3  ...      a15
#     the same, k = -24:     a3 ...  a15  0  0  0

def cipher_slot(keys: int, key: Value, slot: Value) -> Value:
    """The number that ciphers have for a cipher key of a slot.

    The lower bits are the number of the cipher key, and the upper bits are the slot.

    Parameters
    ----------
    keys : int
        Number of cipher keys of a slot.
    key : Value
        Number of the cipher key.  It may have fewer bits than ``keys`` numbers need.
    slot : Value
        The slot.
    """
    bits = (keys - 1).bit_length()
    return Cat(key[:bits], Const(0, bits - min(bits, len(key))), slot) if bits else slot


def cut_bytes(value: Value, keep: int) -> Value:
    """A block of which only some bytes are kept, and the others are zero.

    The first ``keep`` bytes are kept.  For 0 all bytes are kept.  For a number below 0 all bytes but the first ``-keep`` are kept.
    """
    if not keep:
        return value
    bits = 8 * abs(keep)
    zeros = Const(0, len(value) - bits if keep > 0 else bits)
    return Cat(value[:bits], zeros) if keep > 0 else Cat(zeros, value[bits:])


def moved(field: Field, value: Value, keep: int, k: int) -> Value:
    """value * x^k, for a block that ``cut_bytes`` has cut.

    If k is a multiple of 8 and no byte leaves the block, the bytes only move.  Coefficients rise with the bytes in all bit orders
    of fields, so x^8 moves each byte one place towards the end.
    """
    if not k:
        return value
    zeros = len(value) - 8 * keep if keep > 0 else 8 * keep
    if not keep or k % 8 or (k > 0) != (keep > 0) or abs(k) > abs(zeros):
        return scale(field, value, k)
    if k > 0:
        return Cat(Const(0, k), value[: len(value) - k])
    return Cat(value[-k:], Const(0, -k))


# -- key class ---------------------------------------------------------------------------------------------------------------------

# Cipher keys of one length, which share the cores of their cipher.
#
# A core holds the round keys of its own length only.  The number of a key is made of the key slot and the place of the key in its
# class:
#
#     cipher keys of a slot     K (128 bits)   IV (256)   J (128)
#     cores for 128 bits        0                         1
#     cores for 256 bits                       0

class KeyClass(NamedTuple):
    """The cipher keys of one length.

    Attributes
    ----------
    bits : int
        Their length in bits.  It is 0 for the length that most keys of the mode have.
    numbers : tuple of int
        Their numbers among the cipher keys of a slot.
    of : int
        Number of cipher keys of a slot, those of other lengths included.
    """

    bits: int
    numbers: tuple[int, ...]
    of: int

    def named(self, name: str) -> str:
        """The name of a signal for the cores of this length."""
        return f"{name}_{self.bits}" if self.bits else name

    def slots(self, key_slots: int) -> int:
        """How many numbers a core has for its keys."""
        return key_slots << max(0, len(self.numbers) - 1).bit_length()

    def slot(self, place: Value, slot: Value) -> Value:
        """The number that a core has for the key at this place of the class, in this slot."""
        return cipher_slot(len(self.numbers), place, slot)

    def has(self, key: Value) -> Value | None:
        """Whether a cipher key is in the class.  It is None if all keys are."""
        if len(self.numbers) == self.of:
            return None
        return Value.cast(Array(int(number in self.numbers) for number in range(self.of))[key])

    def place(self, key: Value) -> Value:
        """The place of a cipher key in the class."""
        if len(self.numbers) == self.of:
            return key
        places = [self.numbers.index(number) if number in self.numbers else 0 for number in range(self.of)]
        return Value.cast(Array(places)[key])


def key_class(cipher_bits: Sequence[int], bits: int) -> KeyClass:
    """The class of the keys of this length in bits.  The length that most keys have is 0, as in ``cipher_bits``."""
    return KeyClass(bits, tuple(number for number, width in enumerate(cipher_bits) if width == bits), len(cipher_bits))


# The key memory of an engine: for each key slot, the key words from the host and the values that set-up derives from them.

class KeyMemory:
    """Adds the key memory to an engine.

    Each network has read ports for its key words.  There is one write port, which the host and set-up share.

    Parameters
    ----------
    m : Module
        The module of the engine.
    engine : wiring.Component
        The engine, with the ports of ``engine_signature``.
    program : CoreProgram
        The program that the engine runs.
    width, slots : int
        Width of a block in bits, and the number of key slots.
    rows : RowReader
        Reads the rows of the program.
    lane : callable
        ``lane(n)`` is the block that leaves on lane ``n``.  In a set-up it is a key word.
    registers : bool
        Whether `FEW_WORDS` words or less are registers.

    Attributes
    ----------
    data : dict
        The data of each read port, by the name of the network and the number of the port.
    """

    def __init__(
        self, m: Module, engine: wiring.Component, program: CoreProgram, width: int, slots: int, rows: RowReader,
        lane: Callable[[int], Value], registers: bool,
    ):  # fmt: skip
        self.words, self.slots = max(1, len(program.key_words)), slots
        seq = rows.seq
        ports = sorted((net.name, j) for net in program.nets.values() for j in range(net.key_ports))
        memory = BlockMemory(width, self.words * slots, len(ports), erase_bits=len(engine.erase.address), registers=registers)
        m.submodules.key_memory = memory
        m.d.comb += [memory.erase.eq(engine.erase.we), memory.erase_address.eq(engine.erase.address)]
        word, made = engine.preparation.word, engine.preparation.made
        self.data: dict[tuple[str, int], Value] = {}
        for n, (net, j) in enumerate(ports):
            row = rows.read(f"{net}.k{j}", ["word"], {"slot": seq.stage_slot})
            m.d.comb += memory.raddr[n].eq(pipe(m, self._address(row["word"], row["slot"]), LEAD - 3, f"{net}_k{j}_addr"))
            self.data[net, j] = memory.rdata[n]
        writes = []
        for number in range(program.lanes):
            row = rows.read(f"{OutName(number)}.key", ["index", "we"], {"slot": seq.stage_slot})
            address = pipe(m, self._address(row["index"], row["slot"]), LEAD - 2, f"{OutName(number)}_key_addr")
            we = pipe(m, row["valid"] & row["we"], LEAD - 2, f"{OutName(number)}_key_we", reset_less=False)
            index = pipe(m, row["index"], LEAD - 2, f"{OutName(number)}_key_index")
            writes.append((we, address, index, lane(number)))
        # The memory has a copy for each port, and the copies lie far apart, so its inputs are registered.
        we_reg = Signal(name="key_we_reg")
        word_we_reg = Signal(name="word_we_reg")
        index_reg = Signal.like(made.index, name="key_index_reg")
        addr_reg = Signal.like(memory.waddr, name="key_addr_reg", reset_less=True)
        data_reg = Signal(width, name="key_data_reg")
        m.d.sync += [we_reg.eq(word.we), addr_reg.eq(self._address(word.index, word.slot)), data_reg.eq(word.data), word_we_reg.eq(0)]
        for we, address, index, data in writes:
            with m.If(we):
                m.d.sync += [we_reg.eq(1), word_we_reg.eq(1), addr_reg.eq(address), index_reg.eq(index), data_reg.eq(data)]
        m.d.comb += [made.we.eq(word_we_reg), made.index.eq(index_reg), made.data.eq(data_reg)]
        m.d.comb += [memory.we.eq(we_reg), memory.waddr.eq(addr_reg), memory.wdata.eq(data_reg)]

    def _address(self, word: Value, slot: Value) -> Value:
        """The address of a word of a slot."""
        return word if self.slots == 1 else (word + slot * self.words)
