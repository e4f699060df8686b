# SPDX-License-Identifier: Apache-2.0
"""The keys of an engine: its key memory, the classes of cipher keys, and wires between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from amaranth.hdl import Array, Cat, Const, Module, Signal, Value
from amaranth.lib import wiring

from modeloom.allocate.merge import CoreProgram
from modeloom.allocate.program import OutName
from modeloom.cycles import LEAD
from modeloom.rtl.engine.control import RowReader, pipe
from modeloom.rtl.engine.storage import BlockMemory
from modeloom.rtl.gf128.reduction import scale
from modeloom.spec import Field

__all__ = ["KeyClass", "KeyMemory", "cipher_slot", "kept", "key_class", "moved"]


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


def kept(value: Value, keep: int) -> Value:
    """A block of which only some bytes are kept, and the others are zero.

    The first ``keep`` bytes are kept.  For 0 all bytes are kept.  For a number below 0 all bytes but the first ``-keep`` are kept.
    """
    if not keep:
        return value
    bits = 8 * abs(keep)
    zeros = Const(0, len(value) - bits if keep > 0 else bits)
    return Cat(value[:bits], zeros) if keep > 0 else Cat(zeros, value[bits:])


def moved(field: Field, value: Value, keep: int, k: int) -> Value:
    """value * x^k, for a block that ``kept`` has cut.

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


# -- key memory --------------------------------------------------------------------------------------------------------------------

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
