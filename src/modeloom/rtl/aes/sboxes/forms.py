# SPDX-License-Identifier: Apache-2.0
"""All forms of the S-box with one interface: by name, forward, inverse or both, with inner registers.

::

    form        what it is                                         registers (stages)
    lut         a table of 256 (512: both) bytes in logic          0, 1: result, 2: also between four quarters and their selection
    bram        the same table in a block memory of two ports      1: inside the memory, 2: also after it
    composite   inversion in GF(((2^2)^2)^2)                       any number, by depth
    bdd         a decision diagram of multiplexers                 any number, by depth
    compact     the fewest gates known here, 32 of them ANDs       any number, by depth

A form for both directions has an input that is 1 for the inverse.  It travels with the byte through the registers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from modeloom.rtl.aes.parameters import Direction, check_count, named
from modeloom.rtl.aes.sboxes.composite import bdd_sbox, compact_sbox, composite_sbox
from modeloom.rtl.aes.sboxes.sbox import INV_SBOX, SBOX
from modeloom.rtl.logic import GateList

__all__ = ["SBOXES", "SBox", "SBoxForm", "sub_bytes_of"]


@dataclass(frozen=True)
class SBoxForm:
    """A way to build the S-box.

    Attributes
    ----------
    name : str
    title : str
        A phrase.
    gates : callable or None
        ``gates(direction)`` is the list of gates; None for tables.
    least, most : int
        Possible numbers of registers.  ``least`` is the default.
    """

    name: str
    title: str
    gates: Callable[[str], GateList] | None = None
    least: int = 0
    most: int = 64


#: The forms by name.
SBOXES: dict[str, SBoxForm] = {
    form.name: form
    for form in (
        SBoxForm("lut", "table in logic", most=2),
        SBoxForm("bram", "table in block memory", least=1, most=2),
        SBoxForm("composite", "inversion in the tower of fields GF(((2^2)^2)^2)", composite_sbox),
        SBoxForm("bdd", "decision diagram of multiplexers", bdd_sbox),
        SBoxForm("compact", "few gates, 32 ANDs", compact_sbox),
    )
}


def sub_bytes_of(
    m: Module, state: Value, kind: str = "lut", *, inverse: bool | Value = False, stages: int | None = None
) -> Value:
    """SubBytes of a state, or of any whole number of bytes, with S-boxes of a form.  The logic is added to *m*.

    Parameters
    ----------
    m : Module
        Outside of its ``If`` and ``Switch``.
    state : Value
        Bytes, byte 0 at [7:0].
    kind : str
        A key of ``SBOXES``.
    inverse : bool or Value
        Whether to compute InvSubBytes.  A value of one bit selects the direction for the state of the same cycle.
    stages : int, optional
        Number of registers from *state* to the result, without reset and enable.  The default is the smallest number for the form.

    Returns
    -------
    Value
        The result, as wide as *state*, ``stages`` cycles later.

    Raises
    ------
    ValueError
        The form is unknown, it cannot have this number of registers, or *state* does not have a whole number of bytes.
    """
    form = _form(kind)
    stages = form.least if stages is None else check_count("stages", stages, form.least, form.most)
    state = Value.cast(state)
    if len(state) == 0 or len(state) % 8:
        raise ValueError(f"S-box input must be a whole number of bytes, not {len(state)} bits")
    direction = "both" if isinstance(inverse, Value) else "inverse" if inverse else "forward"
    chosen = inverse if isinstance(inverse, Value) else None
    if form.gates is not None:
        return _by_gates(m, form.gates(direction), state, chosen, stages, f"{_NAMES[direction]}_{kind}")
    table, name = {"forward": SBOX, "inverse": INV_SBOX, "both": SBOX + INV_SBOX}[direction], _NAMES[direction]
    addresses = [state[low : low + 8] for low in range(0, len(state), 8)]
    if chosen is not None:
        addresses = [Cat(address, chosen) for address in addresses]
    if kind == "bram":
        return _in_block_memories(m, table, addresses, stages, f"{name}_bram")
    return _in_logic(m, table, addresses, stages, name)


_NAMES = {"forward": "aes_sbox", "inverse": "aes_inv_sbox", "both": "aes_both_sboxes"}
"""The name of the module of an S-box, by direction."""


def _form(kind: str) -> SBoxForm:
    if kind not in SBOXES:
        raise ValueError(f"the S-box must be one of {', '.join(SBOXES)}, not {kind!r}")
    return SBOXES[kind]


def _by_gates(m: Module, gates: GateList, state: Value, chosen: Value | None, stages: int, name: str) -> Value:
    """S-boxes in a separate module.  Emitted Verilog has one module with this *name* for a byte.  A single S-box is placed in *m*."""
    if len(state) == 8:
        return _planes(m, gates, state, chosen, stages)
    inside = Module()
    substituted = Signal(len(state))
    # Signals of this module define the wires of the bytes, because Amaranth splits ports at their drivers.
    before, behind = Signal(len(state), name="i", attrs={"bytes_of": name}), Signal(len(state), name="o", attrs={"bytes": name})
    if chosen is not None:
        inverse = Signal()
        m.d.comb += inverse.eq(chosen)
        chosen = inverse
    inside.d.comb += [before.eq(state), behind.eq(_planes(inside, gates, before, chosen, stages)), substituted.eq(behind)]
    m.submodules[next(one for n in count() if not hasattr(m.submodules, one := f"sub_bytes{n or ''}"))] = inside
    return substituted


def _planes(m: Module, gates: GateList, state: Value, chosen: Value | None, stages: int) -> Value:
    """Gates with one bit for each byte."""
    size = len(state) // 8
    planes = [Cat(state[n::8]) for n in range(8)]
    if chosen is not None:
        planes.append(chosen.replicate(size))
    outputs = gates.lower(m, planes, stages)
    return Cat(output[n] for n in range(size) for output in outputs)


def _register(m: Module, value: Value, name: str) -> Value:
    register = Signal(len(value), name=name, reset_less=True)
    m.d.sync += register.eq(value)
    return register


def _in_logic(m: Module, table: tuple[int, ...], addresses: list[Value], stages: int, name: str) -> Value:
    if stages < 2:
        rom = memory.Memory(shape=8, depth=len(table), init=table, attrs={"rom_style": "logic", "table": name})
        m.submodules += rom
        result = named(m, "substituted", Cat(_read(m, rom, address) for address in addresses))
        return _register(m, result, "sbox_reg") if stages else result
    # 64 entries take one LUT6 for each bit.  The rest of the address selects between them.
    parts = []
    for low in range(0, len(table), 64):
        attributes = {"rom_style": "logic", "table": f"{name}_quarter{low // 64}"}
        rom = memory.Memory(shape=8, depth=64, init=table[low : low + 64], attrs=attributes)
        m.submodules += rom
        parts.append([_register(m, _read(m, rom, address[:6]), f"part_{low // 64}_reg") for address in addresses])
    result = []
    for n, address in enumerate(addresses):
        choices = [part[n] for part in parts]
        for bit in _register(m, address[6:], "choice_reg"):
            choices = [Mux(bit, high, low) for low, high in zip(choices[::2], choices[1::2], strict=True)]
        result.append(choices[0])
    return _register(m, Cat(result), "sbox_reg")


def _read(m: Module, rom: memory.Memory, address: Value) -> Value:
    port = rom.read_port(domain="comb")
    m.d.comb += port.addr.eq(address)
    return port.data


def _in_block_memories(m: Module, table: tuple[int, ...], addresses: list[Value], stages: int, name: str) -> Value:
    result = []
    for n in range(0, len(addresses), 2):
        rom = memory.Memory(shape=8, depth=len(table), init=table, attrs={"rom_style": "block", "table": name})
        m.submodules += rom
        for address in addresses[n : n + 2]:
            port = rom.read_port()
            m.d.comb += [port.addr.eq(address), port.en.eq(1)]
            result.append(port.data)
    return _register(m, Cat(result), "sbox_reg") if stages > 1 else named(m, "substituted", Cat(result))


class SBox(wiring.Component):
    """One S-box: ``o`` is the S-box of the byte ``i`` of ``latency`` cycles ago.  Each cycle takes a new byte.

    Parameters
    ----------
    kind : str
        A key of ``SBOXES``.
    direction : str
        ``forward``, ``inverse`` or ``both``.
    stages : int, optional
        Number of registers.  The default is the smallest number for the form.

    Attributes
    ----------
    latency : int
        Cycles, equal to ``stages``.
    interval : int
        1.

    Members
    -------
    i : In(8)
        A byte.
    inverse : In(1)
        Only with direction ``both``: 1 for the inverse S-box of this byte.
    o : Out(8)
        Its image.

    Raises
    ------
    TypeError
        ``stages`` is no integer.
    ValueError
        The form or the direction is unknown, or the form cannot have this number of registers.
    """

    interval = 1

    def __init__(self, kind: str = "lut", direction: str = "forward", stages: int | None = None) -> None:
        form = _form(kind)
        self.kind, self.direction = kind, Direction.of_layer(direction)
        self.latency = form.least if stages is None else check_count("stages", stages, form.least, form.most)
        super().__init__({"i": In(8), "o": Out(8), **self.direction.ports(inverse=In(1))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        inverse = self.direction.way(self)
        m.d.comb += self.o.eq(sub_bytes_of(m, self.i, self.kind, inverse=inverse, stages=self.latency))
        return m
