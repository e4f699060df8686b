# SPDX-License-Identifier: Apache-2.0
"""Sums of powers, term by term: another way than Horner's rule to evaluate the polynomials of tes2010; and its numbers."""

from modeloom_golden import ghash_mul
from modeloom_golden.checks import xor

ONE = b"\x80" + bytes(15)


def number(value):
    """*value* as a block, big-endian: no field element."""
    return value.to_bytes(16, "big")


def power(h, exponent):
    """h^exponent by squaring, from the top bit of the exponent down."""
    result = ONE
    for bit in f"{exponent:b}":
        result = ghash_mul(result, result)
        if bit == "1":
            result = ghash_mul(result, h)
    return result


def weighted_sum(h, terms):
    """The sum of block · h^exponent over pairs (block, exponent)."""
    return xor(bytes(16), *(ghash_mul(block, power(h, exponent)) for block, exponent in terms))


def falling(blocks, first):
    """Pairs of *blocks* with exponents *first*, *first* - 1, …"""
    return [(block, first - i) for i, block in enumerate(blocks)]
