# SPDX-License-Identifier: Apache-2.0
"""The storage of round keys in a pipeline: for each round, one word of 128 bits for each key slot.

Byte 0 of a round key is bits [7:0]. Byte r + 4c is added to row r, column c of the state.
"""

from __future__ import annotations

from typing import Protocol

from amaranth.hdl import Module, ShapeLike, Signal, Value
from amaranth.lib import memory
from amaranth.lib.wiring import In, Member, Out

from modeloom.rtl.aes.parameters import BLOCK_BITS, slot_shape

__all__ = ["BLOCK_MEMORY", "LUT_MEMORY", "read_round_key", "read_word", "slotted_ports"]

LUT_MEMORY: dict[str, str | int] = {"ram_style": "distributed"}
BLOCK_MEMORY: dict[str, str | int] = {"ram_style": "block", "no_rw_check": 1}
"""Attributes of memories.  The keys of a slot rest while it is read: Yosys needs no multiplexer behind a port for the old word."""


def slotted_ports(slots: int, numbers: ShapeLike, key_bits: int = BLOCK_BITS, **inputs: Member) -> dict[str, Member]:
    """The ports of a core with the round keys of several slots: block, slot and more inputs, result, and writes of round keys."""
    return {
        "i": In(BLOCK_BITS), "slot": In(slot_shape(slots)), **inputs, "o": Out(BLOCK_BITS), "key_we": In(1),
        "key_slot": In(slot_shape(slots)), "key_round": In(numbers), "key_data": In(key_bits),
    }  # fmt: skip


def read_word(
    m: Module, name: str, depth: int, write: Value, write_at: Value, data: Value, read_at: Value, *, domain: str = "comb",
    block: bool = False,
) -> Value:  # fmt: skip
    """A word of a memory of *depth* words that is added to *m*, read in the same cycle, or a cycle later with the domain "sync".

    *write* writes *data* to the address *write_at*.  With *block*, it is a block memory and not one in LUTs.
    """
    m.submodules[name] = words = memory.Memory(shape=len(data), depth=depth, init=[], attrs=BLOCK_MEMORY if block else LUT_MEMORY)
    write_port, read_port = words.write_port(), words.read_port(domain=domain)
    m.d.comb += [write_port.addr.eq(write_at), write_port.data.eq(data), write_port.en.eq(write), read_port.addr.eq(read_at)]
    return read_port.data


class Travel(Protocol):
    """A value that travels with a block, by the number of cycles since the block has entered."""

    def __getitem__(self, cycle: int, /) -> Value: ...


def read_round_key(
    m: Module, write: Value, write_slot: Value, data: Value, *, slots: int, travel: Travel, cycle: int, index: int | str,
    block: bool = False,
) -> Value:  # fmt: skip
    """The round key that a block uses *cycle* cycles after it has entered.

    With one slot, it is a register. With several slots, it is a memory in LUTs. A key for cycle 0 is read asynchronously. A later key is
    read into a register one cycle ahead, so the logic of a round contains no memory.
    A block memory is read one cycle ahead, too. Its output is slow and needs a register behind it.

    Parameters
    ----------
    m : Module
        Receives the storage.
    write, write_slot, data
        Writes *data* to *write_slot*. A block that enters in a later cycle uses the new key.
    slots : int
        Key slots.
    travel : Travel
        ``travel[n]`` is the slot of the block that entered n cycles ago, for n up to max(0, *cycle* - 1).
    cycle : int
        Cycle of use, 0 for the cycle of entry.
    index : int or str
        Number of the round key, for names.
    block : bool
        Puts the keys into a block memory, for a *cycle* of 1 or more.
    """
    if slots == 1:
        key_reg = Signal(len(data), name=f"key_{index}_reg", reset_less=True)
        with m.If(write):
            m.d.sync += key_reg.eq(data)
        return key_reg
    m.submodules[f"key_{index}"] = keys = memory.Memory(shape=len(data), depth=slots, init=[], attrs=BLOCK_MEMORY if block else LUT_MEMORY)
    write_port = keys.write_port()
    read_port = keys.read_port(domain="sync" if cycle else "comb")
    m.d.comb += [write_port.addr.eq(write_slot), write_port.data.eq(data), write_port.en.eq(write)]
    m.d.comb += read_port.addr.eq(travel[max(0, cycle - 1)])
    return read_port.data
