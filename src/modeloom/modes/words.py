# SPDX-License-Identifier: Apache-2.0
"""Helpers that several definitions share: big-endian numbers, shifts by bytes, sums of powers, BRW polynomials.

A definition outside the project imports them from here.  docs/new-mode.md has an example of each.
"""

from typing import Any

from modeloom.modes.brw import brw, permutation

__all__ = ["big_endian", "brw", "down", "lengths", "permutation", "powers_of_two", "up"]


def big_endian(o: Any, number: int, nbytes: int = 16) -> Any:
    """bin_n: a number as a big-endian block (tes2010, section 2)."""
    return o.const(int.from_bytes(number.to_bytes(nbytes, "big"), "little"))


def lengths(o: Any, a: int, b: int) -> Any:
    """Two bit lengths of 64 bits, big-endian, one after the other (SP 800-38D, 6.4)."""
    return big_endian(o, a << 64 | b)


def up(o: Any, x: Any, nbytes: int, block_bytes: int = 16) -> Any:
    """Moves the bytes of a block ``nbytes`` places towards its end.  Zeros enter at the front, and the last bytes are lost.

    In all field orders of ``spec``, coefficients rise with the bytes.  The bytes that remain are therefore a product with x^(8 nbytes).
    """
    return o.double(o.head(x, block_bytes - nbytes), 8 * nbytes)


def down(o: Any, x: Any, nbytes: int) -> Any:
    """Moves the bytes of a block ``nbytes`` places towards its front.  The first bytes are lost, and zeros enter at the end."""
    return o.double(o.tail(x, nbytes), -8 * nbytes)


def powers_of_two(o: Any, x: Any, m: int) -> Any:
    """(1 + 2 + ... + 2^(m-1)) x, where 2 is doubling, in about 2 log m sums."""
    if m == 1:
        return x
    half = powers_of_two(o, x, m // 2)
    total = half ^ o.double(half, m // 2)
    return total ^ o.double(x, m - 1) if m % 2 else total
