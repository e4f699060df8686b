# SPDX-License-Identifier: Apache-2.0
"""The engine: the direct picture of a program in hardware.

A row reaches the operand networks six cycles after the row pointer::

    pointer  +1              +2                +3, +4           +5                +6 = cycle u of the program
    row      store's output  stage, direction  rotated address  address of banks  networks, chains; data; results are written
                                               (input banks: at +4, and parts of their data at +5)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Array, C, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from modeloom.allocate.merge import CoreProgram
from modeloom.allocate.program import Bank, Net, Source
from modeloom.rtl.engine.control import ControlStore, pipe
from modeloom.rtl.engine.interface import engine_signature
from modeloom.rtl.engine.layout import RowFields
from modeloom.rtl.engine.sequencer import Sequencer
from modeloom.rtl.engine.storage import BlockMemory, rotated
from modeloom.rtl.engine.unit import EngineUnit
from modeloom.rtl.gf128.scale import scale
from modeloom.spec import Field

__all__ = ["ModeEngine", "flush_cycles"]

LEAD = 6
"""Cycles from the row pointer to the operand networks."""

DRAIN = LEAD + 3
"""Cycles from the row pointer to the last effect of a row."""


def flush_cycles(program: CoreProgram) -> int:
    """Cycles after which nothing is left of what was in the pipelines of an engine, if nothing new enters them."""
    ages = [source.index for net in program.nets.values() for source in net.sources if source.kind == "y"]
    return max(unit.post_at for unit in program.units) + max(ages, default=0) + LEAD


class ModeEngine(wiring.Component):
    """Runs a program; the ports are those of ``engine_signature``.

    Parameters
    ----------
    program : CoreProgram
    field : Field
        The mode's field.
    core : callable
        ``core(unit kind, core name)``: the component of a core.
    registers : mapping
        For each unit kind (and "out"), (operand register, post register).
    slots, ticket_bits, erase_bits, round_bits, round_key_bits : int
        Those of ``engine_signature`` (``slots`` is its ``key_slots``).
    """

    def __init__(
        self, program: CoreProgram, field: Field, core: Callable[[str, str], Any], registers: dict[str, tuple[bool, bool]],
        slots: int, ticket_bits: int, erase_bits: int, round_bits: int, round_key_bits: int,
    ):  # fmt: skip
        self.program, self.field, self.core, self.registers = program, field, core, registers
        self.slots, self.ticket_bits, self.erase_bits = slots, ticket_bits, erase_bits
        self.round_bits, self.round_key_bits = round_bits, round_key_bits
        self.width = 8 * program.block_bytes
        if field.width != self.width:
            raise ValueError(f"the field has {field.width} bits, the block {self.width}")
        super().__init__(
            engine_signature(
                block_bits=self.width, lanes=program.lanes, blocks=max(program.blocks), tweak_blocks=program.tweak_blocks,
                key_slots=slots, key_words=len(program.key_words), ticket_bits=ticket_bits, erase_bits=erase_bits,
                sizes=program.sizes,
                round_bits=round_bits, round_key_bits=round_key_bits,
            )  # fmt: skip
        )

    # -- control --------------------------------------------------------------------------------------------------------

    def _fields(self) -> RowFields:
        program = self.program
        rows = RowFields(program)
        for name, net in program.nets.items():
            rows.add(name, "nets", name, self._net_fields(name, net))
        for bank, port in sorted({key for t in program.tables for key in t.ports}):
            rows.add(f"{bank}.r{port}", "ports", (bank, port), {"cell": lambda row, d: row.cell.get(d, 0)})
        for net, port in sorted({key for t in program.tables for key in t.keys}):
            rows.add(f"{net}.k{port}", "keys", (net, port), {"word": lambda row, d: row.word.get(d, 0)})
        for bank in sorted({key for t in program.tables for key in t.writes}):
            rows.add(
                f"{bank}.w", "writes", bank,
                {"cell": lambda row, d: row.cell.get(d, 0), "we": lambda row, d: int(d in row.cell)},
            )  # fmt: skip
        for lane in range(program.lanes):
            fields = {"index": lambda row, d: row.index.get(d, 0), "we": lambda row, d: int(d in row.index)}
            rows.add(f"out{lane}.o", "outs", lane, fields, "main")
            rows.add(f"out{lane}.key", "outs", lane, fields, "setup")
        for chain in program.chains:
            rows.add(
                f"chain{chain.id}.step", "chains", chain.id,
                {
                    "load": lambda row, d: int(row.action == "load" and d in row.directions),
                    "step": lambda row, d: int(row.action == "step" and d in row.directions),
                },
            )  # fmt: skip
        done = [int(i == main.latency % main.rows) for main in program.mains for i in range(main.rows)]
        stage = [main.latency // main.rows for main in program.mains for _ in range(main.rows)]
        behind = rows.columns.rows - len(done)
        rows.columns.add("done.valid", [*done, *[0] * behind], 1)
        rows.columns.add("done.stage", [*stage, *[stage[-1]] * behind])
        return rows

    def _net_fields(self, name: str, net: Net) -> dict[str, Callable[[Any, str], int]]:
        fields: dict[str, Callable[[Any, str], int]] = {
            "select": lambda row, d: sum(1 << n for n in row.select.get(d, ())),
            "issue": lambda row, d: int(d in row.select),
        }
        if any(source.kind == "const" for source in net.sources):
            fields["const"] = lambda row, d: row.const.get(d, 0)
        unit = next((u for u in self.program.units if name.startswith(u.name + ".")), None)
        if unit and len(unit.cores) > 1:
            fields["decrypt"] = lambda row, d: int(row.core.get(d) == "dec")
        keeps = self._keeps()
        if name.endswith(".post") and keeps:
            fields["keep"] = lambda row, d: (keeps.index(row.keep[d]) + 1) if row.keep.get(d) else 0
        return fields

    def _keeps(self) -> tuple[int, ...]:
        """Numbers of bytes to which some result is cut."""
        return tuple(sorted({
            n for t in self.program.tables for rows in t.nets.values() for row in rows if row
            for n in row.keep.values() if n
        }))  # fmt: skip

    # -- elaboration ----------------------------------------------------------------------------------------------------

    def elaborate(self, platform):
        m = Module()
        program = self.program
        self.m = m
        self.old: dict[tuple[str, int], Value] = {}
        self.lane_data: dict[int, Value] = {}
        rows = self._fields()
        m.submodules.control = self.store = ControlStore(rows.columns)
        self.moduli = {name: tuple(max(1, cells) for cells in sizes) for name, sizes in program.cells.items()}
        m.submodules.sequencer = self.seq = Sequencer(
            [table.rows for table in program.mains], [table.rows for table in program.setups], program.stages,
            tuple(self.moduli.values()), self.slots, self.ticket_bits, DRAIN,
            max((bank.cells for bank in program.banks.values() if self._of_unit(bank)), default=1),
        )  # fmt: skip
        seq = self.seq
        # Banks of results are erased with all the rest, and after a set-up.  Results and chains are zero then, and while the engine is
        # idle: the row at which it waits would keep sums of old results going round for ever.
        late = pipe(m, seq.scrub, 2, "scrub", reset_less=False)
        self.clear = pipe(m, seq.scrub | seq.idle, 1, "clear", reset_less=False)
        self.erase_results = self.erase | late
        self.erase_result = Mux(late, pipe(m, seq.scrub_address, 2, "scrub_address"), self.erase_address)
        m.d.comb += [
            self.store.row.eq(seq.row), seq.enter.eq(self.enter), self.enter_ack.eq(seq.enter_ack),
            seq.enter_decrypt.eq(self.enter_decrypt), seq.enter_slot.eq(self.enter_slot),
            seq.enter_ticket.eq(self.enter_ticket), seq.setup.eq(self.setup), seq.setup_slot.eq(self.setup_slot),
            self.setup_done.eq(seq.setup_done), self.idle.eq(seq.idle), seq.size.eq(self.size), seq.restart.eq(self.restart),
        ]  # fmt: skip
        self._units()
        self._banks()
        self._keys()
        self._chains()
        for name, net in program.nets.items():
            if name in self.operand:
                m.d.comb += self.operand[name].eq(self._network(name, net))
        self._outputs()
        return m

    def _resolved(self, name: str, fields: list[str], states: dict[str, Array] | None = None) -> dict[str, Value]:
        """Fields of a row at pointer + 2: its variant for the sector's direction, "valid", and states of its stage."""
        m, seq, store = self.m, self.seq, self.store
        stage = store.field(f"{name}.stage")
        decrypt = seq.of_stage(seq.stage_decrypt, stage)
        result: dict[str, Value] = {}
        valid = seq.of_stage(seq.stage_valid, stage) & store.field(f"{name}.valid")
        result["valid"] = pipe(m, valid, 1, f"{name}_valid", reset_less=False)
        for field in fields:
            value = store.field(f"{name}.{field}")
            if f"{name}.{field}.dec" in store.columns.fields:
                value = Mux(decrypt, store.field(f"{name}.{field}.dec"), value)
            result[field] = pipe(m, value, 1, f"{name}_{field}")
        for state, array in (states or {}).items():
            result[state] = pipe(m, seq.of_stage(array, stage), 1, f"{name}_{state}")
        return result

    def _units(self) -> None:
        m, program = self.m, self.program
        self.y: dict[str, Value] = {}
        self.operand: dict[str, Signal] = {}
        self.unit_control: dict[str, dict[str, Value]] = {}
        keeps = self._keeps()
        self.units: dict[str, EngineUnit] = {}
        # The write ports of round keys: the key schedule's or, while everything is erased, one word after the other.
        last = self.slots << self.round_bits
        round_key = self.erase_address < last if 1 << self.erase_bits > last else Const(1, 1)
        write = {
            "rk_we": self.rk_we | (self.erase & round_key),
            "rk_slot": Mux(self.erase, self.erase_address[self.round_bits :], self.rk_slot),
            "rk_round": Mux(self.erase, self.erase_address[: self.round_bits], self.rk_round),
            "rk_data": self.rk_data,
            "rk_data_dec": self.rk_data_dec,
        }
        write = {name: pipe(m, value, 1, name) for name, value in write.items()}
        for unit in program.units:
            cores = {} if unit.kind == "acc" else {name: self.core(unit.kind, name) for name in unit.cores}
            front, back = self.registers[unit.kind]
            latency = unit.post_at - front
            component = EngineUnit(
                self.width, unit.kind, cores, front, back, latency, keeps, self.slots, self.round_bits, self.round_key_bits
            )
            m.submodules[unit.name] = self.units[unit.name] = component
            self.y[unit.name] = component.y
            m.d.comb += component.clear.eq(self.clear)
            for operand in (*unit.operands, "post"):
                self.operand[f"{unit.name}.{operand}"] = getattr(component, operand)
            if component.ciphers:
                m.d.comb += [getattr(component, name).eq(value) for name, value in write.items()]
        for lane in range(program.lanes):
            self.operand[f"out{lane}.a"] = Signal(self.width, name=f"out{lane}_a")
        for chain in program.chains:
            self.operand[f"chain{chain.id}.a"] = Signal(self.width, name=f"chain{chain.id}_a")

    def _banks(self) -> None:
        m, program, seq = self.m, self.program, self.seq
        self.bank_data: dict[tuple[str, int], Value] = {}
        for bank in program.banks.values():
            deep = bank.writer.startswith("lane")
            # Tweaks are public.
            erase_bits = 0 if bank.writer == "tweak" else self.erase_bits
            # While the size changes, an address may be one that no cell has: nobody looks at what is read, but the word must exist.
            depth = bank.cells if program.sizes == 1 else 1 << (max(2, bank.cells) - 1).bit_length()
            memory = BlockMemory(self.width, depth, bank.ports, deep, erase_bits=erase_bits)
            m.submodules[f"bank_{bank.name}"] = memory
            if self._of_unit(bank):
                m.d.comb += [memory.erase.eq(self.erase_results), memory.erase_address.eq(self.erase_result)]
            elif erase_bits:
                m.d.comb += [memory.erase.eq(self.erase), memory.erase_address.eq(self.erase_address)]
            address = range(max(2, bank.cells))
            for port in range(bank.ports):
                row = self._resolved(f"{bank.name}.r{port}", ["cell"], {"base": seq.stage_base[self.moduli[bank.name]]})
                target = Signal(address, name=f"{bank.name}_r{port}_addr_reg", reset_less=True)
                rotated(m, row["cell"], row["base"], bank.cells, target, late=True, modulus=self._modulus(bank, seq.table_size))
                # An input block is there two cycles before it can be read, so its bank may be read a cycle earlier than others.
                rest = LEAD - 5 - deep
                m.d.comb += memory.raddr[port].eq(pipe(m, target, rest, f"{bank.name}_r{port}_addr_late"))
                self.bank_data[bank.name, port] = memory.rdata[port]
            if bank.writer.startswith("lane"):
                self._fill(bank.name, memory, int(bank.writer[4:]))
            elif bank.writer == "tweak":
                self._tweak(memory)
            elif f"{bank.name}.w.stage" in self.store.columns.fields:
                row = self._resolved(f"{bank.name}.w", ["cell", "we"], {"base": seq.stage_base[self.moduli[bank.name]]})
                target = Signal(address, name=f"{bank.name}_w_addr_reg", reset_less=True)
                rotated(m, row["cell"], row["base"], bank.cells, target, late=True, modulus=self._modulus(bank, seq.table_size))
                m.d.comb += [
                    memory.waddr.eq(pipe(m, target, LEAD - 4, f"{bank.name}_waddr")),
                    memory.we.eq(pipe(m, row["valid"] & row["we"], LEAD - 2, f"{bank.name}_we", reset_less=False)),
                    memory.wdata.eq(self._erasable(bank.writer)),
                ]

    def _erasable(self, unit: str) -> Value:
        """A unit's result as it is written: zero while memories are erased, by the reset of its register or else by a gate."""
        kind = next(u.kind for u in self.program.units if u.name == unit)
        if self.registers[kind][1]:
            return self.y[unit]
        return self.y[unit] & ~self.erase_results.replicate(self.width)

    @staticmethod
    def _of_unit(bank: Bank) -> bool:
        """Whether a bank holds results of a unit, not what comes from the host."""
        return bank.writer != "tweak" and not bank.writer.startswith("lane")

    def _modulus(self, bank: Bank, size: Value) -> Value:
        """Number of cells through which a bank rotates."""
        return self.seq.pick(self.moduli[bank.name], size)

    def _fill(self, name: str, memory: BlockMemory, lane: int) -> None:
        """Writes of input blocks: the cell of a beat, rotated by the number of the sector that enters next (or after it)."""
        m, program, seq = self.m, self.program, self.seq
        bank = program.banks[name]
        cells, moduli = bank.cells, self.moduli[name]
        beats = -(-max(program.blocks) // program.lanes)
        tables, we = [], self.fill_we
        for size, main in enumerate(program.mains):
            blocks = [beat * program.lanes + lane for beat in range(beats)]
            tables.append([main.inputs.get(block, 0) for block in blocks])
            for beat in range(-(-program.blocks[size] // program.lanes)):
                if blocks[beat] not in main.inputs:
                    unused = self.fill_beat == beat
                    we = we & ~(unused if program.sizes == 1 else unused & (self.size == size))
        table = Array(C(cell, range(max(2, cells))) for cell in tables[0])
        if program.sizes > 1:
            table = Array(Array(C(cell, range(max(2, cells))) for cell in each) for each in tables)[self.size]
        base = Mux(self.fill_ahead, seq.ahead_base[moduli], seq.next_base[moduli])
        data = self.fill_data.word_select(lane, self.width)
        target = Signal(range(max(2, cells)), name=f"{name}_w_addr_reg", reset_less=True)
        first = Signal(range(max(2, cells)), name=f"{name}_fill_cell_reg", reset_less=True)
        m.d.sync += first.eq(table[self.fill_beat])
        rotated(
            m, first, pipe(m, base, 1, f"{name}_fill_base"), cells, target, late=True, modulus=self._modulus(bank, self.size)
        )  # fmt: skip
        m.d.comb += [
            memory.waddr.eq(target), memory.we.eq(pipe(m, we, 3, f"{name}_fill_we", reset_less=False)),
            memory.wdata.eq(pipe(m, pipe(m, data, 2, f"{name}_fill_data"), 1, f"{name}_fill_data_late", reset_less=False)),
        ]  # fmt: skip

    def _tweak(self, memory: BlockMemory) -> None:
        """Writes of the tweak's blocks, one a cycle from the cycle after the entry on."""
        m, program, seq = self.m, self.program, self.seq
        bank = program.banks["tweak"]
        cells, moduli = bank.cells, self.moduli["tweak"]
        blocks = program.tweak_blocks
        # The bus holds the tweak for the cycle after the entry, in which the first block is written.
        behind = pipe(m, self.enter_tweak[self.width :], 1, "tweak_behind") if blocks > 1 else None
        left = Signal(blocks, name="tweak_left_reg")
        m.d.sync += left.eq(left >> 1)
        with m.If(self.enter_ack):
            m.d.sync += left.eq((1 << blocks) - 1)
        targets = []
        for j in range(blocks):
            target = Signal(range(max(2, cells)), name=f"tweak_cell{j}_reg", reset_less=True)
            cell = seq.pick([main.tweaks.get(j, 0) for main in program.mains], self.size)
            rotated(
                m, cell, pipe(m, seq.next_base[moduli], j, f"tweak_base{j}"), cells, target, modulus=self._modulus(bank, self.size)
            )  # fmt: skip
            targets.append(target)
        m.d.comb += [memory.we.eq(left[0]), memory.wdata.eq(self.enter_tweak[: self.width]), memory.waddr.eq(targets[0])]
        for j in range(1, blocks):
            # The j-th block behind the first is written j cycles later.
            with m.If(left == (1 << (blocks - j)) - 1):
                m.d.comb += [memory.wdata.eq(self._late(behind, j)), memory.waddr.eq(targets[j])]

    def _late(self, behind: Value, j: int) -> Value:
        """Block j of a tweak, j - 1 cycles after ``behind`` has it."""
        return pipe(self.m, behind.word_select(j - 1, self.width), j - 1, f"tweak_late{j}")

    def _keys(self) -> None:
        """The key memory: a read port for each net's key word, and one write port for the host and for set-up."""
        m, program, seq = self.m, self.program, self.seq
        words = max(1, len(program.key_words))
        ports = sorted((net.name, j) for net in program.nets.values() for j in range(net.key_ports))
        memory = BlockMemory(self.width, words * self.slots, len(ports), erase_bits=self.erase_bits)
        m.submodules.key_memory = memory
        m.d.comb += [memory.erase.eq(self.erase), memory.erase_address.eq(self.erase_address)]
        self.key_read: dict[tuple[str, int], Value] = {}
        for n, (net, j) in enumerate(ports):
            row = self._resolved(f"{net}.k{j}", ["word"], {"slot": seq.stage_slot})
            m.d.comb += memory.raddr[n].eq(pipe(m, self._key_address(row["word"], row["slot"]), LEAD - 3, f"{net}_k{j}_addr"))
            self.key_read[net, j] = memory.rdata[n]
        writes = []
        for lane in range(program.lanes):
            row = self._resolved(f"out{lane}.key", ["index", "we"], {"slot": seq.stage_slot})
            address = pipe(m, self._key_address(row["index"], row["slot"]), LEAD - 2, f"out{lane}_key_addr")
            we = pipe(m, row["valid"] & row["we"], LEAD - 2, f"out{lane}_key_we", reset_less=False)
            writes.append((we, address, self._lane(lane)))
        # The memory has a copy for each port, far apart: its inputs are registered.
        key_we = Signal(name="key_we_reg")
        key_addr = Signal.like(memory.waddr, name="key_addr_reg", reset_less=True)
        key_data = Signal(self.width, name="key_data_reg")
        m.d.sync += [key_we.eq(self.key_we), key_addr.eq(self._key_address(self.key_index, self.key_slot)), key_data.eq(self.key_data)]
        for we, address, data in writes:
            with m.If(we):
                m.d.sync += [key_we.eq(1), key_addr.eq(address), key_data.eq(data)]
        m.d.comb += [memory.we.eq(key_we), memory.waddr.eq(key_addr), memory.wdata.eq(key_data)]

    def _key_address(self, word: Value, slot: Value) -> Value:
        words = max(1, len(self.program.key_words))
        return word if self.slots == 1 else (word + slot * words)

    def _lane(self, lane: int) -> Value:
        """The block that leaves on a lane, behind its register if it has one."""
        if lane not in self.lane_data:
            post = self.registers["out"][1]
            self.lane_data[lane] = pipe(self.m, self.operand[f"out{lane}.a"], int(post), f"out{lane}_data")
        return self.lane_data[lane]

    def _chains(self) -> None:
        m, program = self.m, self.program
        self.chain: dict[int, Signal] = {}
        for chain in program.chains:
            reg = Signal(self.width, name=f"chain{chain.id}_reg")
            row = self._resolved(f"chain{chain.id}.step", ["load", "step"])
            load = pipe(m, row["load"] & row["valid"], LEAD - 2, f"chain{chain.id}_load")
            step = pipe(m, row["step"] & row["valid"], LEAD - 2, f"chain{chain.id}_advance")
            with m.If(self.clear):
                m.d.sync += reg.eq(0)
            with m.Elif(load):
                m.d.sync += reg.eq(self.operand[f"chain{chain.id}.a"])
            with m.Elif(step):
                m.d.sync += reg.eq(scale(self.field, reg, chain.stride))
            self.chain[chain.id] = reg

    def _source(self, net: str, source: Source, const: Value | None) -> Value:
        if source.kind == "bank":
            value = self.bank_data[source.name, source.index]
        elif source.kind == "y":
            value = self._older(source.name, source.index)
        elif source.kind == "chain":
            value = self.chain[source.index]
        elif source.kind == "key":
            value = self.key_read[net, source.index]
        else:
            value = const  # type: ignore[assignment]
        if source.keep:
            value = value & ((1 << 8 * source.keep) - 1)
        return scale(self.field, value, source.k) if source.k else value

    def _older(self, unit: str, age: int) -> Value:
        """A unit's result of ``age`` cycles ago."""
        if (unit, age) not in self.old:
            self.old[unit, age] = self.y[unit] if not age else pipe(self.m, self._older(unit, age - 1), 1, f"{unit}_y{age}")
        return self.old[unit, age]

    def _network(self, name: str, net: Net) -> Value:
        """XOR of the enabled sources, and the controls of the unit behind it."""
        m, store, seq = self.m, self.store, self.seq
        rest = LEAD - 2
        extra = [f for f in ("const", "decrypt", "keep") if f"{name}.{f}" in store.columns.fields]
        row = self._resolved(name, ["select", "issue", *extra], {"slot": seq.stage_slot})
        select = pipe(m, row["select"], rest, f"{name}_select")
        const = pipe(m, row["const"], rest, f"{name}_const") if "const" in row else None
        unit_name, operand = name.split(".")
        unit = self.units.get(unit_name)
        if unit is not None and operand == "post" and "keep" in row:
            m.d.comb += unit.keep.eq(pipe(m, row["keep"], rest, f"{name}_keep"))
        if unit is not None and unit.ciphers:
            decrypt = pipe(m, row["decrypt"], rest, f"{name}_decrypt") if "decrypt" in row else None
            if operand == "a":
                issue = row["issue"] & row["valid"]
                m.d.comb += unit.start.eq(pipe(m, issue, rest, f"{name}_issue", reset_less=False))
                m.d.comb += unit.slot.eq(pipe(m, row["slot"], rest, f"{name}_slot"))
                if decrypt is not None:
                    m.d.comb += unit.decrypt.eq(decrypt)
            elif decrypt is not None:
                m.d.comb += unit.post_decrypt.eq(decrypt)
        total: Value | None = None
        for n, source in enumerate(net.sources):
            value = self._source(name, source, const)
            gated = value & select[n].replicate(len(value)) if self._gated(name, n) else value
            total = gated if total is None else total ^ gated
        return total if total is not None else Cat()

    def _gated(self, name: str, n: int) -> bool:
        """Whether some row of a network leaves a source out; in rows without an operation nobody reads the sum."""
        rows = [row for t in self.program.tables for row in t.nets.get(name, ()) if row]
        return any(n not in numbers for row in rows for numbers in row.select.values())

    def _outputs(self) -> None:
        m, program, seq = self.m, self.program, self.seq
        for lane in range(program.lanes):
            row = self._resolved(f"out{lane}.o", ["index", "we"], {"ticket": seq.stage_ticket})
            rest = LEAD - 2
            m.d.comb += [
                self.out_we[lane].eq(pipe(m, row["valid"] & row["we"], rest, f"out{lane}_we", reset_less=False)),
                self.out_index[lane].eq(pipe(m, row["index"], rest, f"out{lane}_index")),
                self.out_ticket[lane].eq(pipe(m, row["ticket"], rest, f"out{lane}_ticket")),
                self.out_data[lane].eq(self._lane(lane)),
            ]
        row = self._resolved("done", [], {"ticket": seq.stage_ticket})
        m.d.comb += [
            self.done.eq(pipe(m, row["valid"], LEAD - 2, "done_valid", reset_less=False)),
            self.done_ticket.eq(pipe(m, row["ticket"], LEAD - 2, "done_ticket")),
        ]
