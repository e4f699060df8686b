# SPDX-License-Identifier: Apache-2.0
"""The key memory of an engine: for each key slot, the key words from the host and the values that set-up derives from them."""

from __future__ import annotations

from collections.abc import Callable

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import wiring

from modeloom.allocate.merge import CoreProgram
from modeloom.allocate.names import OutName
from modeloom.cycles import LEAD
from modeloom.rtl.engine.control import pipe
from modeloom.rtl.engine.rows import RowReader
from modeloom.rtl.engine.storage import BlockMemory

__all__ = ["KeyMemory"]


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

    Attributes
    ----------
    data : dict
        The data of each read port, by the name of the network and the number of the port.
    """

    def __init__(
        self, m: Module, engine: wiring.Component, program: CoreProgram, width: int, slots: int, rows: RowReader,
        lane: Callable[[int], Value],
    ):  # fmt: skip
        self.words, self.slots = max(1, len(program.key_words)), slots
        seq = rows.seq
        ports = sorted((net.name, j) for net in program.nets.values() for j in range(net.key_ports))
        memory = BlockMemory(width, self.words * slots, len(ports), erase_bits=len(engine.erase.address))
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
        m.d.sync += [
            we_reg.eq(word.we), addr_reg.eq(self._address(word.index, word.slot)), data_reg.eq(word.data),
            word_we_reg.eq(0),
        ]  # fmt: skip
        for we, address, index, data in writes:
            with m.If(we):
                m.d.sync += [we_reg.eq(1), word_we_reg.eq(1), addr_reg.eq(address), index_reg.eq(index), data_reg.eq(data)]
        m.d.comb += [made.we.eq(word_we_reg), made.index.eq(index_reg), made.data.eq(data_reg)]
        m.d.comb += [memory.we.eq(we_reg), memory.waddr.eq(addr_reg), memory.wdata.eq(data_reg)]

    def _address(self, word: Value, slot: Value) -> Value:
        """The address of a word of a slot."""
        return word if self.slots == 1 else (word + slot * self.words)
