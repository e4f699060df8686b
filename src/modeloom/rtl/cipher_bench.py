# SPDX-License-Identifier: Apache-2.0
"""One core of a block cipher with its key schedule, for a simulation of the cipher alone.

::

    key_start, key_erase, key ──▶ key schedule ──[reg]──▶ key ports ┐
                                      └──▶ we, round, data, ...     core ──▶ o
    i, slot, decrypt, start, batch ─────────────────────────────────┘

A register delays the writes of round keys, as in a core of a mode.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from amaranth.hdl import Cat, ClockSignal, Const, Instance, Module, ResetInserter, ResetSignal, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.aes.parameters import Direction

__all__ = ["CipherBench", "CipherModule"]


class CipherBench(wiring.Component):
    """A cipher core, connected to its key schedule.

    Parameters
    ----------
    direction : str
        Direction of the core: "encrypt", "decrypt" or "both".  A decrypter takes round keys in the form for inverse ciphers, and a
        core for both directions may take them in both forms.
    core, schedule : component
        Components with the ports that ``ciphers.BlockCipher`` describes.
    slots : int
        Number of key slots of the core.
    clears : bool
        Whether the core is reset while a core of a mode has no work for it.

    Members
    -------
    clear : In(1)
        With *clears* only: resets the core.
    key_start, key_erase, key, key_slot : In
        Commands to the key schedule, and the slot to which the core writes the round keys.
    key_length : In
        The size of the key, from a request until it is done.  It is there only for several sizes.
    we, round, data, data_dec, done : Out
        Outputs of the key schedule.
    i, slot, decrypt, start, batch : In
        Inputs of the core.  Those that the core does not have are unused.
    o : Out
        Output of the core.
    """

    def __init__(self, direction: str, core: wiring.Component, schedule: wiring.Component, slots: int, clears: bool = False):
        self.direction, self.core, self.schedule, self.clears = Direction.of(direction), core, schedule, clears
        slot, data = range(max(2, slots)), len(schedule.data)
        super().__init__({
            "key_start": In(1), "key_erase": In(1), "key": In(len(schedule.key)), "key_slot": In(slot),
            "we": Out(1), "round": Out(len(schedule.round)), "data": Out(data), "data_dec": Out(data), "done": Out(1),
            "i": In(len(core.i)), "slot": In(slot), "decrypt": In(1), "start": In(1), "batch": In(1), "o": Out(len(core.o)),
            **({"key_length": In(len(schedule.length))} if hasattr(schedule, "length") else {}),
            **({"clear": In(1)} if clears else {}),
        })  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        core, schedule = self.core, self.schedule
        m.submodules.core = ResetInserter(self.clear)(core) if self.clears else core
        m.submodules.schedule = schedule
        m.d.comb += [
            schedule.start.eq(self.key_start), schedule.erase.eq(self.key_erase), schedule.key.eq(self.key),
            *(getattr(self, name).eq(getattr(schedule, name)) for name in ("we", "round", "data", "data_dec", "done")),
            core.i.eq(self.i), self.o.eq(core.o),
        ]  # fmt: skip
        data = {"encrypt": schedule.data, "decrypt": schedule.data_dec, "both": schedule.data}
        writes = {"key_we": schedule.we, "key_slot": self.key_slot, "key_round": schedule.round, "key_data": data[self.direction]}
        if hasattr(core, "key_data_dec"):
            writes["key_data_dec"] = schedule.data_dec
        if hasattr(schedule, "length"):
            m.d.comb += schedule.length.eq(self.key_length)
            writes["key_length"] = self.key_length
        for name, value in writes.items():
            reg = Signal(len(value), name=f"{name}_reg")
            m.d.sync += reg.eq(value)
            m.d.comb += getattr(core, name).eq(reg)
        for name in (*self.direction.ports(decrypt=In(1)), "slot", "start", "batch"):
            if hasattr(core, name):
                m.d.comb += getattr(core, name).eq(getattr(self, name))
        return m


class CipherModule(wiring.Component):
    """A module of emitted Verilog in the place of a cipher core.

    Parameters
    ----------
    module : str
        Its name.
    ports : mapping
        The inputs of the cipher core with their widths.
    inputs : mapping
        For each of them, the ports of the module that form it, lowest bits first, with their widths.  Ports of which the module uses only
        some bits, or none, are shorter, or absent.  "rst" is the reset.
    outputs : sequence of (str, int)
        The outputs of the module, with their widths.
    latency : int
        That of the core.

    Members
    -------
    o : Out
        All outputs of the module, the first one in the lowest bits.
    others : In
        The inputs of the core.
    """

    def __init__(
        self, module: str, ports: Mapping[str, int], inputs: Mapping[str, Sequence[tuple[str, int]]], outputs: Sequence[tuple[str, int]],
        latency: int,
    ):  # fmt: skip
        self.module, self.inputs, self.outputs, self.latency = module, inputs, outputs, latency
        super().__init__({**{name: In(width) for name, width in ports.items()}, "o": Out(sum(width for _, width in outputs))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        connections: dict[str, Value] = {"i_clk": ClockSignal()}
        for role, parts in self.inputs.items():
            at = 0
            for port, width in parts:
                # A core may be reset by itself, too, which is not done here.
                known = role in self.signature.members
                connections[f"i_{port}"] = (
                    ResetSignal() if role == "rst" else getattr(self, role)[at : at + width] if known else Const(0, width)
                )
                at += width
        results = []
        for port, width in self.outputs:
            results.append(Signal(width, name=f"out_{port}"))
            connections[f"o_{port}"] = results[-1]
        m.submodules.module = Instance(self.module, **connections)
        m.d.comb += self.o.eq(Cat(results))
        return m
