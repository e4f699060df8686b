# SPDX-License-Identifier: Apache-2.0
"""Where the block of a token comes from: with the token, from the nonce of its message, or from lengths.

This depends on what would enter next, and not on whether it may: that is known late in a cycle, and every bit of a block would wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from amaranth.hdl import Const, Mux, Value

from modeloom.rtl.stream.lengths import made_early
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.sizes import TokenStep

__all__ = ["block_sources", "find_source"]


def block_sources(p: MessageParameters) -> list[int]:
    """For each kind of token: 0 if its block comes with it, 1 for the nonce, 2 for lengths."""
    numbers = {"nonce": 1, "lengths": 2}
    return [
        0 if number == made_early(p.plan) else numbers.get(getattr(token.source, "kind", ""), 0)
        for number, token in enumerate(p.plan.tokens)
    ]  # fmt: skip


def find_source(
    p: MessageParameters, takes_start: Value, nonce_class: Value, offset: Value, step: Value,
    of_text: Callable[[Mapping[str, Any]], Value],
) -> Value:  # fmt: skip
    """The source of the block of the next token of a message; any if none is next.

    Parameters
    ----------
    takes_start, nonce_class, offset, step : Value
        Whether the message takes the tokens of its ``start``, for which class of nonces; the cycle in the program, and the step.
    of_text : callable
        The value of the step of a block of text, from the values of steps by name.
    """
    sources = block_sources(p)

    def of_program(title: str) -> Value:
        # The tokens of a program enter in these cycles only, so the last one needs no comparison.
        tokens = p.program(title).tokens
        value: Value = Const(sources[tokens[-1][1]] if tokens else 0, 2)
        for at, number in tokens[:-1]:
            value = Mux(offset == at, sources[number], value)
        return value

    of_start: Value = Const(0, 2)
    for number, title in enumerate(p.starts):
        if p.program(title).tokens:
            of_start = Mux(nonce_class == number, of_program(title), of_start)
    text = of_text({title: of_program(title) for title in p.plan.mode.text_steps()})
    of_step = Mux(step == TokenStep.TAG, of_program("tag"), Mux(step == TokenStep.TEXT, text, of_program("associated")))
    return Mux(takes_start, of_start, of_step)
