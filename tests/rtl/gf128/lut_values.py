# SPDX-License-Identifier: Apache-2.0
"""What the LUTs of a cover compute, one after the other."""

__all__ = ["evaluate", "signals_of", "value_of"]


def signals_of(term):
    return (term,) if isinstance(term, int) else term


def value_of(terms, values):
    total = 0
    for term in terms:
        product = -1
        for signal in signals_of(term):
            product &= values[signal]
        total ^= product
    return total


def evaluate(luts, values):
    """Values of all signals, from those of the inputs; a LUT that stands before one that it reads is a KeyError."""
    values = dict(values)
    for lut in luts:
        values[lut.signal] = value_of(lut.terms, values)
    return values
