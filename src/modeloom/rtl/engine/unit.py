# SPDX-License-Identifier: Apache-2.0
"""A functional unit of the engine: operand registers, cores, the sum behind them.

::

    a, b ──[reg]──▶ core(s) ──▶ keep ──▶ ⊕ ──[reg]──▶ y
                                         ▲
    post ────────────────────────────────┘
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Array, Module, Mux, ResetInserter, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.engine.control import pipe
from modeloom.rtl.engine.wires import kept

__all__ = ["EngineUnit"]


class EngineUnit(wiring.Component):
    """One unit instance of a program.

    Parameters
    ----------
    width : int
        Bits of a block.
    kind : str
        "mul", "sqr", "acc", or a cipher kind.
    cores : mapping
        Components by core name, with ports ``a``, ``b``, ``o`` (a multiplier), ``i``, ``o`` (a squarer), also ``number`` (an adder),
        or ``i``, ``slot``, ``o``, key ports and for a sequential one ``start`` (a cipher).  A cipher core "both" has ``decrypt``, and
        ``key_data_dec`` where the inverse cipher has round keys in a form of its own.
    operand_register, post_register : bool
    core_latency : int
        Cycles that the schedule counts for the core; a faster pipeline gets registers behind it, a sequential one holds its result.
    keeps : tuple of int
        Numbers of bytes that may be kept of a result (see ``kept``).
    slots : int
        Key slots.
    round_bits, round_key_bits : int
        Width of the number of a round key, and of a round key itself.

    Members
    -------
    a, b : In
        Operands, in the cycle of issue.
    decrypt, start, slot : In
        Which core works, whether an operation issues, its key slot; in the cycle of issue.
    number : In
        What an adder adds, in the cycle of issue.
    form : In
        Which of several adders gives the result, when it is done.
    post, post_decrypt, keep : In
        Terms added to the result, whose core it is, and which of ``keeps`` cuts it (0: none); when the core is done.
    clear : In
        The result is zero in the next cycle, where there is a post register; sequential cores forget theirs.
    y : Out
        Result.
    rk_we, rk_slot, rk_round, rk_data, rk_data_dec : In
        Writes one round key of a cipher; ``rk_data_dec`` is its form for decrypters.

    Raises
    ------
    ValueError
        A core takes longer than the schedule counts, or its ports have other widths than blocks and round keys.
    """

    def __init__(
        self, width: int, kind: str, cores: Mapping[str, Any], operand_register: bool, post_register: bool, core_latency: int,
        keeps: tuple[int, ...], slots: int, round_bits: int, round_key_bits: int,
    ):  # fmt: skip
        self.width, self.kind, self.cores = width, kind, dict(cores)
        self.operand_register, self.post_register, self.core_latency = operand_register, post_register, core_latency
        self.keeps = keeps
        self.ciphers = [core for core in self.cores.values() if hasattr(core, "key_we")]
        for name, core in self.cores.items():
            spare = core_latency - core.latency
            if spare < 0:
                raise ValueError(f"{kind}: the {name} core takes {core.latency} cycles, the schedule counts {core_latency}")
        for core in self.ciphers:
            widths = {"i": width, "o": width, "key_round": round_bits, "key_data": round_key_bits}
            for port, bits in widths.items():
                if len(getattr(core, port)) != bits:
                    raise ValueError(f"{kind}: {port} of {type(core).__name__} has {len(getattr(core, port))} bits, not {bits}")
        slot = range(max(2, slots))
        ports: dict[str, Any] = {
            "a": In(width),
            "post": In(width),
            "keep": In(range(max(2, len(keeps) + 1))),
            "clear": In(1),
            "y": Out(width),
        }
        if kind == "mul":
            ports["b"] = In(width)
        self.adders = [core for core in self.cores.values() if hasattr(core, "number")]
        if self.adders:
            ports["number"] = In(max(len(core.number) for core in self.adders))
        if len(self.adders) > 1:
            ports["form"] = In(range(len(self.adders)))
        if self.ciphers:
            ports.update({"decrypt": In(1), "post_decrypt": In(1), "start": In(1), "slot": In(slot)})
            ports.update({"rk_we": In(1), "rk_slot": In(slot), "rk_round": In(round_bits)})
            ports.update({"rk_data": In(round_key_bits), "rk_data_dec": In(round_key_bits)})
        super().__init__(ports)

    def elaborate(self, platform):
        m = Module()
        front = int(self.operand_register)
        a = pipe(m, self.a, front, "a")
        results: dict[str, Value] = {}
        for name, core in self.cores.items():
            # A sequential core holds its result, and must not when the key that it comes from has been erased.
            m.submodules[name] = ResetInserter(self.clear)(core) if hasattr(core, "start") else core
            if self.kind == "mul":
                m.d.comb += [core.a.eq(a), core.b.eq(pipe(m, self.b, front, "b"))]
                results[name] = core.o
                continue
            m.d.comb += core.i.eq(a)
            if core in self.adders:
                m.d.comb += core.number.eq(pipe(m, self.number, front, "number"))
            if core not in self.ciphers:
                results[name] = core.o
                continue
            if hasattr(core, "slot"):
                m.d.comb += core.slot.eq(pipe(m, self.slot, front, f"{name}_slot"))
            data = self.rk_data_dec if name == "dec" else self.rk_data
            m.d.comb += [
                core.key_we.eq(self.rk_we), core.key_slot.eq(self.rk_slot),
                core.key_round.eq(self.rk_round), core.key_data.eq(data),
            ]  # fmt: skip
            if name == "both":
                m.d.comb += core.decrypt.eq(pipe(m, self.decrypt, front, "decrypt"))
            if hasattr(core, "key_data_dec"):
                m.d.comb += core.key_data_dec.eq(self.rk_data_dec)
            if hasattr(core, "start"):
                # It starts with its own operands only, and its result is there until the next one is done.
                mine = (self.decrypt if name == "dec" else ~self.decrypt) if len(self.cores) > 1 else 1
                m.d.comb += core.start.eq(pipe(m, self.start & mine, front, f"{name}_start", reset_less=False))
                results[name] = core.o
            else:
                results[name] = pipe(m, core.o, self.core_latency - core.latency, f"{name}_late")
        if not self.cores:
            result: Value = a
        elif len(results) == 1:
            result = next(iter(results.values()))
        elif self.adders:
            result = Array(results.values())[self.form]
        else:
            result = Mux(self.post_decrypt, results["dec"], results["enc"])
        cut = result
        for i, nbytes in enumerate(self.keeps, 1):
            cut = Mux(self.keep == i, kept(result, nbytes), cut)
        total = Signal(self.width, name="sum")
        m.d.comb += total.eq(cut ^ self.post)
        if self.post_register:
            # Reset and ``clear`` reach this register: what is written to the memories while they are erased is zero.
            y_reg = Signal(self.width, name="y_reg")
            m.d.sync += y_reg.eq(total)
            with m.If(self.clear):
                m.d.sync += y_reg.eq(0)
            m.d.comb += self.y.eq(y_reg)
        else:
            m.d.comb += self.y.eq(total)
        return m
