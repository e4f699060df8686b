# SPDX-License-Identifier: Apache-2.0
"""A functional unit of the engine.

It has operand registers, cores, and a sum of the result and further terms behind the cores::

    a, b ──[reg]──▶ core(s) ──▶ keep ──▶ ⊕ ──[reg]──▶ y
                                         ▲
    post ────────────────────────────────┘
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from amaranth.hdl import Array, Cat, Module, Mux, ResetInserter, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member, Out

from modeloom.rtl.engine.sequencer import pipe
from modeloom.rtl.engine.storage import cut_bytes
from modeloom.spec.cadence import Cadence
from modeloom.spec.kinds import OPERANDS, Operation, UnitKind

__all__ = ["EngineUnit", "UnitCore"]


@dataclass(frozen=True)
class UnitCore:
    """A component of a unit.

    Attributes
    ----------
    component
        It has a port for each operand (``UnitType.ports``), the result ``o``, and the attribute ``latency`` in cycles.  If its
        operations have numbers, it has the port ``number``.  If they have keys, it has ``key_we``, ``key_slot``, ``key_round`` and
        ``key_data``, and it may have ``slot``.
    operations : tuple of Operation
        The operations that it performs.  If there are two, it has the port ``decrypt``, which is high for the second.  It also has
        ``key_data_dec`` if the inverse cipher needs round keys in another form.
    started : bool
        Whether it has the port ``start``, which is high in the cycle of an operand.  Such a component takes one operand after
        another, and holds its result.
    interval : int
        Cycles from one operation, or from one batch of them, to the next.
    blocks : int
        Operations of a batch.
    """

    component: wiring.Component
    operations: tuple[Operation, ...]
    started: bool = False
    interval: int = 1
    blocks: int = 1

    @property
    def batched(self) -> bool:
        """Whether it takes batches: it has the port ``batch``, which is high ``BATCH_LEAD`` cycles before the first operand of one."""
        return self.has("batch")

    @property
    def cadence(self) -> Cadence | None:
        """The cycles in which it takes operations, if it takes batches."""
        return Cadence(self.interval, self.blocks) if self.batched else None

    @property
    def inverse(self) -> bool:
        """Whether it is given round keys only in their form for inverse ciphers."""
        return all(operation.inverse_keys for operation in self.operations)

    def has(self, port: str) -> bool:
        """Whether the component has a port of this name."""
        return port in self.component.signature.members


class EngineUnit(wiring.Component):
    """One unit instance of a program.

    Parameters
    ----------
    width : int
        Width of a block in bits.
    kind : UnitKind
        The kind of the unit, which gives its operands.
    cores : mapping
        Components by the names that they have in Verilog.  A unit without cores passes its operand to the sum.
    operand_register, post_register : bool
        Whether there are registers in front of the cores, and a register behind the sum.
    core_latency : int
        Cycles that the schedule counts for the core.  A faster pipeline gets registers behind it.  A sequential core holds its
        result.
    keeps : tuple of int
        Numbers of bytes that may be kept of a result (see ``cut_bytes``).
    slots : int
        How many numbers there are for key slots.
    round_bits, round_key_bits : int
        Width of the number of a round key, and of a round key itself.

    Members
    -------
    a, b, ... : In(width)
        The operands, in the cycle of issue.
    decrypt, start, slot : In(1), In(1), In(range(slots))
        Which core works, whether an operation issues, and its key slot, in the cycle of issue.
    batch : In(1)
        Of a unit whose core takes batches: high ``BATCH_LEAD`` cycles before the first operation of one issues.
    number : In
        The number of an operation that has a number and no key, in the cycle of issue.
    form : In(range(len(cores)))
        Which of several components gives the result, in the cycle of the result.  Ciphers have ``post_decrypt`` instead.
    post, post_decrypt, keep : In(width), In(1), In(range(len(keeps) + 1))
        The sum of the terms that are added to the result, which core gives the result, and which of ``keeps`` cuts it, from 1 on (0
        cuts nothing).  They are read in the cycle of the result.
    clear : In(1)
        Makes the post register zero in the next cycle.  Sequential cores forget their results, and cores that take batches what goes
        round in them.
    y : Out(width)
        The result.
    rk_we, rk_slot, rk_round, rk_data, rk_data_dec : In(1), In(range(slots)), In(round_bits), In(round_key_bits), In(round_key_bits)
        Writes one round key of a cipher.  ``rk_data_dec`` is its form for decryption.

    Raises
    ------
    ValueError
        If a core takes longer than the schedule counts, if the ports of a core are not as wide as blocks and round keys, or if one
        of several cores that ``form`` chooses from has to be started, or a core that takes batches is not alone and the first in its unit.
    """

    def __init__(
        self, width: int, kind: UnitKind, cores: Mapping[str, UnitCore], operand_register: bool, post_register: bool, core_latency: int,
        keeps: tuple[int, ...], slots: int, round_bits: int, round_key_bits: int,
    ):  # fmt: skip
        self.width, self.kind, self.cores = width, kind, dict(cores)
        self.operand_register, self.post_register, self.core_latency = operand_register, post_register, core_latency
        self.keeps = keeps
        self.keyed, several = kind.type.keyed, len(self.cores) > 1
        self.numbers = [operation.numbers for core in self.cores.values() for operation in core.operations if operation.numbers]
        self.formed = several and not kind.type.either
        for name, core in self.cores.items():
            component = core.component
            if component.latency > core_latency:
                raise ValueError(f"{kind}: the {name} core takes {component.latency} cycles, the schedule counts {core_latency}")
            if core.batched and (several or operand_register):
                raise ValueError(f"{kind}: the {name} core takes batches, and stands beside others or behind an operand register")
            if self.formed and core.started:
                raise ValueError(f"{kind}: the {name} core waits to be started, and stands beside others")
            widths = dict.fromkeys((*kind.type.ports, "o"), width)
            if self.keyed:
                widths |= {"key_round": round_bits, "key_data": round_key_bits}
            for port, bits in widths.items():
                if len(getattr(component, port)) != bits:
                    found = len(getattr(component, port))
                    raise ValueError(f"{kind}: {port} of {type(component).__name__} has {found} bits, not {bits}")
        slot = range(max(2, slots))
        ports: dict[str, Member] = {
            OPERANDS[0]: In(width),
            "post": In(width),
            "keep": In(range(max(2, len(keeps) + 1))),
            "clear": In(1),
            "y": Out(width),
        }
        ports.update({operand: In(width) for operand in kind.type.operands[1:]})
        if self.numbers:
            ports["number"] = In(max(numbers.stop - 1 for numbers in self.numbers).bit_length())
        self.batched = any(core.batched for core in self.cores.values())
        if self.batched:
            ports["batch"] = In(1)
        if self.formed:
            ports["form"] = In(range(len(self.cores)))
        if self.keyed:
            ports.update({"decrypt": In(1), "post_decrypt": In(1), "start": In(1), "slot": In(slot)})
            ports.update({"rk_we": In(1), "rk_slot": In(slot), "rk_round": In(round_bits)})
            ports.update({"rk_data": In(round_key_bits), "rk_data_dec": In(round_key_bits)})
        super().__init__(ports)

    def elaborate(self, platform):
        m = Module()
        front = int(self.operand_register)
        operands = [pipe(m, getattr(self, operand), front, operand) for operand in self.kind.type.operands]
        results: dict[str, Value] = {}
        for name, core in self.cores.items():
            component = core.component
            # A sequential core holds its result, but it must not do so when the key of this result has been erased.
            if core.batched:
                # What goes round in it is overwritten while it is reset: operands enter all the time.  It ends after the zeros have come
                # that the last cycle of ``clear`` makes.
                clears = [self.clear, *(pipe(m, self.clear, n, f"clear_{n}", reset_less=False) for n in (1, 2))]
                overwrite = Signal(name="overwrite")
                m.d.comb += [overwrite.eq(Cat(*clears).any()), component.batch.eq(self.batch)]
                m.submodules[name] = ResetInserter(overwrite)(component)
            else:
                m.submodules[name] = ResetInserter(self.clear)(component) if core.started else component
            m.d.comb += [getattr(component, port).eq(value) for port, value in zip(self.kind.type.ports, operands, strict=True)]
            if any(operation.numbers for operation in core.operations):
                m.d.comb += component.number.eq(pipe(m, self.number, front, "number"))
            if self.keyed:
                self._keys(m, name, core)
            if core.started:
                # It starts with its own operands only, and holds its result until the next one is done.
                selected = (self.decrypt if core.inverse else ~self.decrypt) if len(self.cores) > 1 else 1
                m.d.comb += component.start.eq(pipe(m, self.start & selected, front, f"{name}_start", reset_less=False))
                results[name] = component.o
            else:
                results[name] = pipe(m, component.o, self.core_latency - component.latency, f"{name}_late")
        if not self.cores:
            result: Value = operands[0]
        elif len(results) == 1:
            result = next(iter(results.values()))
        elif self.formed:
            result = Array(results.values())[self.form]
        else:
            first, second = sorted(results, key=lambda name: self.cores[name].inverse)
            result = Mux(self.post_decrypt, results[second], results[first])
        cut = result
        for i, nbytes in enumerate(self.keeps, 1):
            cut = Mux(self.keep == i, cut_bytes(result, nbytes), cut)
        total = Signal(self.width, name="sum")
        m.d.comb += total.eq(cut ^ self.post)
        if self.post_register:
            # Reset and ``clear`` make this register zero, so that zeros are written to the memories while they are erased.
            y_reg = Signal(self.width, name="y_reg")
            m.d.sync += y_reg.eq(total)
            with m.If(self.clear):
                m.d.sync += y_reg.eq(0)
            m.d.comb += self.y.eq(y_reg)
        else:
            m.d.comb += self.y.eq(total)
        return m

    def _keys(self, m: Module, name: str, core: UnitCore) -> None:
        """Connects the other inputs of a cipher: its slot, its direction, and the round keys to write."""
        component, front = core.component, int(self.operand_register)
        if core.has("slot"):
            m.d.comb += component.slot.eq(pipe(m, self.slot, front, f"{name}_slot"))
        m.d.comb += [
            component.key_we.eq(self.rk_we), component.key_slot.eq(self.rk_slot), component.key_round.eq(self.rk_round),
            component.key_data.eq(self.rk_data_dec if core.inverse else self.rk_data),
        ]  # fmt: skip
        if len(core.operations) > 1:
            m.d.comb += component.decrypt.eq(pipe(m, self.decrypt, front, "decrypt"))
        if core.has("key_data_dec"):
            m.d.comb += component.key_data_dec.eq(self.rk_data_dec)
