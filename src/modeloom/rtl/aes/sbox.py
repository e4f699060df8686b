# SPDX-License-Identifier: Apache-2.0
"""The S-box of AES, forward and inverse, and its wide forms.

Bit i of a byte is the coefficient of x^i in GF(2^8) = GF(2)[x] / (x^8 + x^4 + x^3 + x + 1)::

    bit          7    6    5    4    3    2    1    0
    coefficient  x^7  x^6  x^5  x^4  x^3  x^2  x    1

The tables are computed from the definition (FIPS 197, 5.1.1): inversion in the field, then an affine map.

An S-box is a read-only memory of 256 bytes with asynchronous read ports. There is one memory for a whole state. We also tried an array or
switch, one memory for each byte, and a bit select of a 256-bit constant. This form has the smallest RTLIL, by a factor of 3 to 15. It
costs the simulator one array access for each byte. It maps to the same 32 LUT6 with MUXF7 and MUXF8 for each byte, as in the 256 x 8
multiplexers of ``brw2013``, appendix A. Keep logic away from its input: with an XOR or a multiplexer before an S-box, abc uses up to twice
as many LUTs.

A block memory (``clocked_sub_bytes``) registers the address and has two ports, so a state needs eight memories.

Functions with a module as an argument add their logic at the place of the call. Call them outside of ``If`` and ``Switch``.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Value
from amaranth.lib import memory

from modeloom.rtl.aes.parameters import named
from modeloom.spec.field import Field

__all__ = [
    "INV_SBOX", "SBOX", "affine", "clocked_sub_bytes", "cut_sub_bytes", "inv_sbox", "inv_sub_bytes", "join_sub_bytes",
    "look_up", "quarter_of_bytes", "sbox", "sub_bytes",
]  # fmt: skip

_FIELD = Field("AES", 8, 0x11B)
_AFFINE_CONSTANT = 0x63


def affine(a: int) -> int:
    """The affine map of the S-box, which follows the inversion (FIPS 197, 5.1.1)."""
    twice = a | a << 8
    rotations = twice ^ twice >> 4 ^ twice >> 5 ^ twice >> 6 ^ twice >> 7
    return (rotations & 0xFF) ^ _AFFINE_CONSTANT


def _inverse_table(table: tuple[int, ...]) -> tuple[int, ...]:
    inverse = [0] * len(table)
    for argument, value in enumerate(table):
        inverse[value] = argument
    return tuple(inverse)


#: SubBytes of each byte: a^254 is the inverse, and 0 for 0 as in the standard.
SBOX: tuple[int, ...] = tuple(affine(_FIELD.power(a, 254)) for a in range(256))
#: InvSubBytes of each byte.
INV_SBOX: tuple[int, ...] = _inverse_table(SBOX)


def _bytes(state: Value) -> list[Value]:
    state = Value.cast(state)
    if len(state) == 0 or len(state) % 8:
        raise ValueError(f"S-box input must be a whole number of bytes, not {len(state)} bits")
    return [state[low : low + 8] for low in range(0, len(state), 8)]


def look_up(m: Module, addresses: list[Value], table: tuple[int, ...], name: str, whole: bool = False) -> Value:
    """Looks up bytes in a table, one for each address.  It adds one asynchronous memory to *m*.  The length of the table is a power of two.

    Emitted Verilog has a module of this *name* for it.  If *whole*, synthesis tools are asked to map this module by itself.
    """
    # Without the attribute, Yosys merges a register after the S-box into the memory and looks for a block RAM with this number
    # of read ports, which takes tens of gigabytes.
    attributes = {"rom_style": "logic", "table": name, **({"table_whole": 1} if whole else {})}
    rom = memory.Memory(shape=8, depth=len(table), init=table, attrs=attributes)
    m.submodules += rom
    result = []
    for address in addresses:
        port = rom.read_port(domain="comb")
        m.d.comb += port.addr.eq(address)
        result.append(port.data)
    return named(m, "looked_up", Cat(result))


def sub_bytes(m: Module, state: Value, *, whole: bool = False) -> Value:
    """SubBytes of a state, or of any other whole number of bytes, in one asynchronous memory added to *m*.

    With *whole*, each S-box is a module that tools map by itself, into 32 LUTs of six inputs.  In a large design with slack, ABC would
    take 39.

    Raises
    ------
    ValueError
        The width of *state* is no multiple of 8, or 0.
    """
    return look_up(m, _bytes(state), SBOX, "aes_sbox", whole)


def inv_sub_bytes(m: Module, state: Value, *, whole: bool = False) -> Value:
    """InvSubBytes, like :func:`sub_bytes`."""
    return look_up(m, _bytes(state), INV_SBOX, "aes_inv_sbox", whole)


def clocked_sub_bytes(m: Module, state: Value, *, inverse: bool = False) -> Value:
    """SubBytes (InvSubBytes if *inverse*) of *state* of the previous cycle, in block memories with two ports.

    Raises
    ------
    ValueError
        The width of *state* is no multiple of 8, or 0.
    """
    result = []
    addresses = _bytes(state)
    table, name = (INV_SBOX, "aes_inv_sbox_bram") if inverse else (SBOX, "aes_sbox_bram")
    for n in range(0, len(addresses), 2):
        rom = memory.Memory(shape=8, depth=256, init=table, attrs={"rom_style": "block", "table": name})
        m.submodules += rom
        for address in addresses[n : n + 2]:
            port = rom.read_port()
            m.d.comb += [port.addr.eq(address), port.en.eq(1)]
            result.append(port.data)
    return named(m, "substituted", Cat(result))


def sbox(m: Module, byte: Value) -> Value:
    """The S-box of one byte (8 bits), asynchronous.

    Raises
    ------
    ValueError
        *byte* is not 8 bits wide.
    """
    return sub_bytes(m, _check_byte(byte))


def inv_sbox(m: Module, byte: Value) -> Value:
    """The inverse S-box of one byte, like :func:`sbox`."""
    return inv_sub_bytes(m, _check_byte(byte))


def cut_sub_bytes(m: Module, state: Value, *, inverse: bool = False) -> list[Value]:
    """The first part of SubBytes (InvSubBytes if *inverse*): four values as wide as *state*, one for each quarter of the table.
    The low six bits of each byte are the address. :func:`join_sub_bytes` selects one of the four.

    Raises
    ------
    ValueError
        The width of *state* is no multiple of 8, or 0.
    """
    table, name = (INV_SBOX, "aes_inv_sbox") if inverse else (SBOX, "aes_sbox")
    addresses = [byte[:6] for byte in _bytes(state)]
    return [look_up(m, addresses, table[64 * n : 64 * n + 64], f"{name}_quarter{n}") for n in range(4)]


def quarter_of_bytes(state: Value) -> Value:
    """The upper two bits of each byte of *state*, which select the quarter of the table. Wires only."""
    return Cat(byte[6:] for byte in _bytes(state))


def join_sub_bytes(m: Module, quarters: list[Value], chosen: Value) -> Value:
    """The second part of SubBytes: for each byte, two bits in *chosen* select one of four values."""
    result = []
    for n, choices in enumerate(zip(*(_bytes(quarter) for quarter in quarters), strict=True)):
        low, high = chosen[2 * n], chosen[2 * n + 1]
        result.append(Mux(high, Mux(low, choices[3], choices[2]), Mux(low, choices[1], choices[0])))
    return named(m, "substituted", Cat(result))


def _check_byte(byte: Value) -> Value:
    byte = Value.cast(byte)
    if len(byte) != 8:
        raise ValueError(f"S-box input must be a byte, not {len(byte)} bits")
    return byte
