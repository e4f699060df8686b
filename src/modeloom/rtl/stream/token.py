# SPDX-License-Identifier: Apache-2.0
"""What a token carries from the entry to the pipeline.

::

    token   valid, slot, context       that there is one, and whose it is
            begin, nonce, ...          of the message that it begins
            product, chain, ...        of the hash
            lanes   active, kind       what each lane does
                    block, nbytes ...  and with what
"""

from __future__ import annotations

from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from modeloom.rtl.stream.sizes import known_bits
from modeloom.streams.plan import StreamPlan

__all__ = ["connect_tokens", "token_signature"]


def token_signature(plan: StreamPlan, slots: int, contexts: int = 1, start_places: int = 2) -> wiring.Signature:
    """The members of a token, as the entry drives them.  What no token of a mode needs has no bits.

    Parameters
    ----------
    plan : StreamPlan
    slots : int
        Key slots.
    contexts : int
        Messages that may interleave.
    start_places : int
        Messages that may have started and not begun, if starts run ahead.

    Members
    -------
    valid : 1
        Whether a token enters.
    active, kind : lanes of 1, of kind
        For each lane, whether it has a block, and the kind of its token.  Kinds are numbered through ``plan.tokens``, and then
        through ``plan.preparations``.  Tokens of ``start`` and of set-up are in lane 0.
    block, nbytes : lanes of block, of number of bytes
        For each lane, its block, and the number of bytes of a piece of text.
    second : block
        If text comes in pairs: the second block of a pair.  ``nbytes`` is then the number of its bytes.
    times : lanes of number
        For each lane, the number of trailing zeros of the number of its block, if a step reads it.
    power : lanes of number
        For each lane, the power of the key (``streams.prove``).
    product, chain, fresh, opening : 1, chain, 1, 1
        For the hash: whether the token has blocks of it; the number of the chain in each lane; whether the chains are empty; and
        whether it is the first whose products are a part of the result.
    begin, nonce : 1, block
        Whether it is the first token of a message whose ``start`` takes no token, and the nonce of this message.
    given : block
        In a mode with two passes: the tag of a message that is known when it begins.
    known_LENGTH : as known_bits says
        The lengths that the token of a ``start``, or the message that begins, reads (``plan.known_lengths``).
    slot : slot
    context, next_context : context
        With several contexts: that of the token, and that of the token of the next cycle, if there will be one.
    start_place, begin_place, blank : place, place, 1
        If starts run ahead: the place of what a token of ``start`` computes, that of the message that begins, and whether this message
        only overwrites the state.
    """
    early, second_passes = int(plan.runs_ahead), len(plan.mode.text_steps()) - 2
    width, lanes, place = 8 * plan.mode.block_bytes, plan.lanes, range(early * start_places)
    kinds = range(max(2, len(plan.tokens) + len(plan.preparations)))
    return wiring.Signature({
        "valid": Out(1), "active": Out(lanes), "kind": Out(kinds).array(lanes), "block": Out(width).array(lanes),
        "nbytes": Out(range(plan.mode.block_bytes + 1)).array(lanes), "power": Out(range(plan.chains + 1)).array(lanes),
        "second": Out(width * (plan.mode.text_blocks - 1)), "times": Out(plan.times_bits).array(lanes),
        "product": Out(1), "chain": Out(range(max(2, plan.lane_chains))), "fresh": Out(1), "opening": Out(1),
        "begin": Out(1), "nonce": Out(width), "slot": Out(range(max(2, slots))),
        "given": Out(width * second_passes),
        **{f"known_{name}": Out(known_bits(name, plan.mode.block_bytes)) for name in plan.known_lengths},
        "start_place": Out(place), "begin_place": Out(place), "blank": Out(early),
        "context": Out(range(contexts)), "next_context": Out(range(contexts)),
    })  # fmt: skip


def connect_tokens(source: wiring.PureInterface, target: wiring.PureInterface) -> list[object]:
    """Connects tokens.  A member without bits would only change the names of others."""
    values = {path: value for path, _, value in source.signature.flatten(source)}
    return [value.eq(values[path]) for path, _, value in sorted(target.signature.flatten(target)) if len(value)]
