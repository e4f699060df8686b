# SPDX-License-Identifier: Apache-2.0
"""The engine, which runs a program: each unit, bank, network and output of the program has its counterpart in the hardware.

A row controls the operand networks six cycles after the row pointer has named it::

    pointer  +1              +2                +3, +4           +5                +6 = cycle u of the program
    row      store's output  stage, direction  rotated address  address of banks  networks, chains; data; results are written
                                               (input banks: at +4, and parts of their data at +5)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import xor
from types import MappingProxyType

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from modeloom.allocate.build import CoreProgram
from modeloom.allocate.program import POST, ChainName, Net, NetName, OutName, Source, UnitName
from modeloom.cycles import DRAIN, ERASE_DELAY, LEAD
from modeloom.rtl.engine.interface import engine_signature
from modeloom.rtl.engine.layout import engine_fields, result_cuts, used_cores
from modeloom.rtl.engine.sequencer import ControlStore, RowReader, Sequencer, pipe
from modeloom.rtl.engine.storage import (
    Banks,
    BankStyles,
    KeyClass,
    KeyMemory,
    cut_bytes,
    holds_results,
    key_class,
    moved,
    rotations,
)
from modeloom.rtl.engine.unit import EngineUnit, UnitCore
from modeloom.rtl.gf128.reduction import scale
from modeloom.spec import Field
from modeloom.spec.cadence import BATCH_LEAD
from modeloom.spec.kinds import OUT, Kind, UnitKind

__all__ = ["ModeEngine", "flush_cycles"]

def flush_cycles(program: CoreProgram) -> int:
    """The number of cycles after which the pipelines of an engine are empty of old values, if nothing new enters them."""
    ages = [source.index for net in program.nets.values() for source in net.sources if source.kind == "y"]
    return max(unit.post_at for unit in program.units) + max(ages, default=0) + LEAD + ERASE_DELAY


class ModeEngine(wiring.Component):
    """Runs a program.  The ports are those of ``engine_signature``.

    A sector can enter every ``rows`` cycles, where ``rows`` is the number of rows of the main table for its size.

    Parameters
    ----------
    program : CoreProgram
        The program that the engine runs.
    field : Field
        The field of the mode.
    cores : callable
        ``cores(unit kind, operations)`` gives the components of a unit for some operations, by their names in Verilog.
    registers : mapping
        For each unit kind, and for the kind of the lanes, whether it has an operand register and whether it has a post register.
    styles : BankStyles
        What memories banks are.
    slots, ticket_bits, erase_bits, round_bits, round_key_bits : int
        The parameters of ``engine_signature``.  ``slots`` is ``key_slots`` there.
    other_round_bits : mapping
        Some lengths of cipher keys have another number of round keys.  For each of them (``Program.cipher_bits``), the width of the
        number of a round key.
    """

    def __init__(
        self, program: CoreProgram, field: Field, cores: Callable[[UnitKind, Sequence[Kind]], Mapping[str, UnitCore]],
        registers: Mapping[UnitKind, tuple[bool, bool]], styles: BankStyles,
        slots: int, ticket_bits: int, erase_bits: int, round_bits: int, round_key_bits: int,
        other_round_bits: Mapping[int, int] = MappingProxyType({}),
    ):  # fmt: skip
        self.other_round_bits = other_round_bits
        self.program, self.field, self.cores, self.registers = program, field, cores, registers
        self.styles = styles
        self.slots, self.ticket_bits, self.erase_bits = slots, ticket_bits, erase_bits
        self.round_bits, self.round_key_bits = round_bits, round_key_bits
        keys = len(program.cipher_keys)
        self.cipher_slots = slots << (keys - 1).bit_length()
        self.width = 8 * program.block_bytes
        if field.width != self.width:
            raise ValueError(f"the field has {field.width} bits, the block {self.width}")
        super().__init__(
            engine_signature(
                block_bits=self.width, lanes=program.lanes, blocks=max(program.blocks), tweak_blocks=program.tweak_blocks,
                key_slots=slots, key_words=len(program.key_words), ticket_bits=ticket_bits, erase_bits=erase_bits,
                sizes=program.sizes, cipher_keys=keys,
                round_bits=round_bits, round_key_bits=round_key_bits,
            )  # fmt: skip
        )

    def elaborate(self, platform):
        m = Module()
        program = self.program
        self.m = m
        self.old: dict[tuple[str, int], Value] = {}
        self.lane_data: dict[int, Value] = {}
        store = ControlStore(engine_fields(program).columns)
        seq = Sequencer(
            [table.rows for table in program.mains], [table.rows for table in program.setups], program.stages,
            tuple(rotations(program).values()), self.slots, self.ticket_bits, DRAIN,
            max((bank.cells for bank in program.banks.values() if holds_results(bank)), default=1),
        )  # fmt: skip
        m.submodules.control, m.submodules.sequencer = store, seq
        self.rows = RowReader(m, seq, store)
        # Banks of results are erased with all other memories, and after a set-up.  Results and chains are zero meanwhile.  They are
        # also zero while the engine is idle: the row at which it waits would keep sums of old results going round for ever.
        late = pipe(m, seq.scrub, 2 - ERASE_DELAY, "scrub", reset_less=False)
        self.clear = pipe(m, seq.scrub | seq.size.idle, 1, "clear", reset_less=False)
        self.erase_results = self.erase.we | late
        erase_result = Mux(late, pipe(m, seq.scrub_address, 2 - ERASE_DELAY, "scrub_address"), self.erase.address)
        m.d.comb += store.row.eq(seq.row)
        wiring.connect(m, wiring.flipped(self.enter), seq.enter)
        wiring.connect(m, wiring.flipped(self.size), seq.size)
        wiring.connect(m, wiring.flipped(self.preparation.setup), seq.setup)
        self._units()
        self.bank_data = Banks(
            m, self, program, self.width, self.rows, self.styles, self._erasable, self.erase_results, erase_result
        ).data  # fmt: skip
        self.key_read = KeyMemory(m, self, program, self.width, self.slots, self.rows, self._lane, self.styles.registers).data
        self._chains()
        for name, net in program.nets.items():
            if name in self.operand:
                m.d.comb += self.operand[name].eq(self._network(name, net))
        self._outputs()
        return m

    def _units(self) -> None:
        m, program = self.m, self.program
        self.y: dict[str, Value] = {}
        self.operand: dict[NetName, Signal] = {}
        keeps = result_cuts(program)
        self.units: dict[str, EngineUnit] = {}
        writes: dict[int, dict[str, Value]] = {}
        for unit in program.units:
            cores = self.cores(unit.kind, used_cores(program, unit)) if unit.kind.type.component else {}
            front, back = self.registers[unit.kind]
            latency = unit.post_at - front
            length = key_class(program.cipher_bits, unit.kind.key_bits)
            component = EngineUnit(
                self.width, unit.kind, cores, front, back, latency, keeps, length.slots(self.slots),
                self.other_round_bits.get(length.bits, self.round_bits), self.round_key_bits,
            )  # fmt: skip
            m.submodules[unit.name] = self.units[unit.name] = component
            self.y[unit.name] = component.y
            m.d.comb += component.clear.eq(self.clear)
            for operand in (*unit.operands, POST):
                self.operand[NetName(unit.name, operand)] = getattr(component, operand)
            if component.batched:
                # The signal comes before the operands of the batch, so it waits less than they do.
                begins = self.rows.batch(unit.name)
                m.d.comb += component.batch.eq(pipe(m, begins, LEAD - 2 - BATCH_LEAD, f"{unit.name}_batch", reset_less=False))
            if component.keyed:
                if length.bits not in writes:
                    writes[length.bits] = self._round_key_writes(length)
                m.d.comb += [getattr(component, name).eq(value) for name, value in writes[length.bits].items()]
        for lane in range(program.lanes):
            self.operand[NetName(OutName(lane))] = Signal(self.width, name=f"{OutName(lane)}_a")
        for chain in program.chains:
            self.operand[NetName(ChainName(chain.id))] = Signal(self.width, name=f"chain{chain.id}_a")

    def _round_key_writes(self, keys: KeyClass) -> dict[str, Value]:
        """What goes to the write ports of round keys.

        The key schedule writes them.  While everything is erased, each word is overwritten in turn.
        """
        given, erase = self.preparation.round_key, self.erase
        last = self.cipher_slots << self.round_bits
        rk_slot, owned = keys.slot(keys.place(given.key), given.slot), keys.has(given.key)
        round_key = erase.address < last if 1 << self.erase_bits > last else Const(1, 1)
        write = {
            "rk_we": (given.we if owned is None else given.we & owned) | (erase.we & round_key),
            "rk_slot": Mux(erase.we, erase.address[self.round_bits :], rk_slot),
            "rk_round": Mux(erase.we, erase.address[: self.round_bits], given.round),
            "rk_data": given.data,
            "rk_data_dec": given.data_dec,
        }
        return {name: pipe(self.m, value, 1, keys.named(name)) for name, value in write.items()}

    def _erasable(self, unit: UnitName) -> Value:
        """The result of a unit as it is written, which is zero while memories are erased.

        The reset of the post register makes it zero.  A unit without this register gets a gate.
        """
        if self.registers[unit.kind][1]:
            return self.y[unit]
        erased = pipe(self.m, self.erase_results, ERASE_DELAY, f"{unit}_erased")
        return self.y[unit] & ~erased.replicate(self.width)

    def _lane(self, lane: int) -> Value:
        """The block that leaves on a lane, behind the register of the lane if there is one."""
        if lane not in self.lane_data:
            post = self.registers[OUT.unit][1]
            self.lane_data[lane] = pipe(self.m, self.operand[NetName(OutName(lane))], int(post), f"{OutName(lane)}_data")
        return self.lane_data[lane]

    def _chains(self) -> None:
        m, program = self.m, self.program
        self.chain: dict[int, Signal] = {}
        for chain in program.chains:
            reg = Signal(self.width, name=f"chain{chain.id}_reg")
            row = self.rows.read(f"{ChainName(chain.id)}.step", ["load", "step"])
            load = pipe(m, row["load"] & row["valid"], LEAD - 2, f"chain{chain.id}_load")
            step = pipe(m, row["step"] & row["valid"], LEAD - 2, f"chain{chain.id}_advance")
            with m.If(self.clear):
                m.d.sync += reg.eq(0)
            with m.Elif(load):
                m.d.sync += reg.eq(self.operand[NetName(ChainName(chain.id))])
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
            assert const is not None
            value = const
        return moved(self.field, cut_bytes(value, source.keep), source.keep, source.k)

    def _older(self, unit: str, age: int) -> Value:
        """The result that a unit had ``age`` cycles ago."""
        if (unit, age) not in self.old:
            self.old[unit, age] = self.y[unit] if not age else pipe(self.m, self._older(unit, age - 1), 1, f"{unit}_y{age}")
        return self.old[unit, age]

    def _network(self, name: NetName, net: Net) -> Value:
        """The XOR of the enabled sources.  The controls of the unit behind the network are connected on the way."""
        m, seq = self.m, self.rows.seq
        rest = LEAD - 2
        extra = [f for f in ("const", "decrypt", "keep", "number", "form") if self.rows.has(f"{name}.{f}")]
        row = self.rows.read(name, ["select", "issue", *extra], {"slot": seq.stage_slot})
        select = pipe(m, row["select"], rest, f"{name}_select")
        const = pipe(m, row["const"], rest, f"{name}_const") if "const" in row else None
        self._control(name, row)
        terms = []
        for n, source in enumerate(net.sources):
            value = self._source(name, source, const)
            terms.append(value & select[n].replicate(len(value)) if self._gated(name, n) else value)
        # The sum is a tree, since Amaranth descends into expressions by recursion: EME2 on 256 blocks sums several hundred sources.
        while len(terms) > 1:
            terms = [reduce(xor, terms[n : n + 2]) for n in range(0, len(terms), 2)]
        return terms[0] if terms else Cat()

    def _control(self, name: NetName, row: Mapping[str, Value]) -> None:
        """Connects the controls that the rows of a network have for the unit behind it."""
        m, rest = self.m, LEAD - 2
        unit = self.units.get(name.owner)
        if unit is not None and name.post and "keep" in row:
            m.d.comb += unit.keep.eq(pipe(m, row["keep"], rest, f"{name}_keep"))
        if unit is not None and name.post and "form" in row:
            m.d.comb += unit.form.eq(pipe(m, row["form"], rest, f"{name}_form"))
        number = pipe(m, row["number"], rest, f"{name}_number") if "number" in row else Const(0, 32)
        if unit is not None and unit.numbers and name.first:
            m.d.comb += unit.number.eq(number)
        if unit is not None and unit.keyed:
            decrypt = pipe(m, row["decrypt"], rest, f"{name}_decrypt") if "decrypt" in row else None
            if name.first:
                issue = row["issue"] & row["valid"]
                m.d.comb += unit.start.eq(pipe(m, issue, rest, f"{name}_issue", reset_less=False))
                slot = pipe(m, row["slot"], rest, f"{name}_slot")
                m.d.comb += unit.slot.eq(key_class(self.program.cipher_bits, unit.kind.key_bits).slot(number, slot))
                if decrypt is not None:
                    m.d.comb += unit.decrypt.eq(decrypt)
            elif decrypt is not None and name.post:
                m.d.comb += unit.post_decrypt.eq(decrypt)

    def _gated(self, name: NetName, n: int) -> bool:
        """Whether some row of a network leaves a source out.  Rows without an operation do not count: nothing reads their sum."""
        rows = [row for t in self.program.tables for row in t.nets.get(name, ()) if row]
        return any(n not in numbers for row in rows for numbers in row.select.values())

    def _outputs(self) -> None:
        m, program, seq = self.m, self.program, self.rows.seq
        for lane in range(program.lanes):
            row = self.rows.read(f"{OutName(lane)}.o", ["index", "we"], {"ticket": seq.stage_ticket})
            rest = LEAD - 2
            m.d.comb += [
                self.out.we[lane].eq(pipe(m, row["valid"] & row["we"], rest, f"{OutName(lane)}_we", reset_less=False)),
                self.out.index[lane].eq(pipe(m, row["index"], rest, f"{OutName(lane)}_index")),
                self.out.ticket[lane].eq(pipe(m, row["ticket"], rest, f"{OutName(lane)}_ticket")),
                self.out.data[lane].eq(self._lane(lane)),
            ]
        row = self.rows.read("done", [], {"ticket": seq.stage_ticket})
        m.d.comb += [
            self.done.valid.eq(pipe(m, row["valid"], LEAD - 2, "done_valid", reset_less=False)),
            self.done.ticket.eq(pipe(m, row["ticket"], LEAD - 2, "done_ticket")),
        ]
