# SPDX-License-Identifier: Apache-2.0
"""The cycles in which the tokens of messages enter that follow each other, for proofs.

::

    one after another     B1  B1  T1  B2  B2  T2
    with a start that runs ahead, and a tag that follows:
                          S1  S2  ...  B1  B1  S3  B2  B2  T1  B3  T2  ...
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from modeloom.spec.stream import BETWEEN
from modeloom.streams.machine import Token
from modeloom.streams.plan import StreamPlan
from modeloom.streams.reservation import Reservations

__all__ = ["entered"]

MOST_AHEAD = 3
"""Messages whose start may enter before the message under way has begun."""

Entered = Iterator[tuple[int, Token]]
"""Tokens, each with the number of its message."""


def entered(plan: StreamPlan, messages: Sequence[Sequence[Token]], seed: int) -> Entered:
    """The tokens of all messages in the order of their cycles.

    Parameters
    ----------
    messages : sequence of sequence of Token
        The tokens of each message as if it were alone, from cycle 0 on (``prove.tokens_of``), or with a cadence, from the phase on in
        which the message before it ends.
    seed : int
        Of the cycles in which starts enter that run ahead.
    """
    if plan.runs_ahead or plan.follows or plan.returning:
        yield from _overlapped(plan, messages, random.Random(seed))
        return
    cycle = 0
    for number, tokens in enumerate(messages):
        base = cycle if plan.cadence is None else cycle - cycle % plan.cadence.interval
        for token in tokens:
            cycle = base + token.cycle + 1 if token.part >= 0 else cycle
            yield number, replace(token, cycle=base + token.cycle)


def _overlapped(plan: StreamPlan, messages: Sequence[Sequence[Token]], rng: random.Random) -> Entered:
    taken = Reservations(plan)
    begun: list[int] = []
    # In a cycle, the token that writes the state at its home goes before one that only reads what it has left.
    placed: list[tuple[int, int, int, Token]] = []

    def within(token: Token) -> int:
        """The cycles from the one in which the step between text and associated data enters, or could, to its token."""
        return plan.placed.passes[token.step][token.part].at if token.step == BETWEEN else 0

    def held(token: Token, cycle: int) -> bool:
        return not taken.free(cycle - within(token), token.step, at=within(token))

    def put(number: int, token: Token, cycle: int) -> None:
        placed.append((cycle, len(placed), number, replace(token, cycle=cycle)))

    now, period = 0, 1 if plan.cadence is None else plan.cadence.interval
    for number, tokens in enumerate(messages):
        starts = [token for token in tokens if token.step.startswith("start")]
        tags = [token for token in tokens if token.step == "tag"] if plan.follows else []
        stream = [token for token in tokens if token not in starts and token not in tags]
        if plan.runs_ahead:
            for other in range(len(begun), min(len(messages), number + 1 + rng.randrange(MOST_AHEAD + 1))):
                start = next(token for token in messages[other] if token.step.startswith("start"))
                begun.append(taken.enter(now + rng.randrange(4), start.step))
                put(other, start, begun[other])
            now = max(now, begun[number] + plan.placed.ahead[starts[0].step])
        else:
            for token in starts:
                put(number, token, now)
        base = stream[0].cycle
        shift = now - (plan.placed.ahead[starts[0].step] if starts else 0)
        shift += -shift % period
        while not plan.follows and any(held(token, token.cycle + shift) for token in stream):
            shift += period
        last, alone = base - 1, Reservations(plan)
        for token in stream:
            # Gaps stay; what others have taken makes them longer.  Lanes enter together, and what closes alone needs no place.
            if token.cycle != last and plan.follows:
                closes = any(other.closes for other in stream if other.cycle == token.cycle)
                # The cadence is kept anew, so that what has waited for it in the message alone is no gap.
                waits = token.cycle == alone.first(last + 1, token.step, closes)
                alone.take(token.cycle, token.step, closes)
                gap = 1 if plan.cadence is not None and waits else token.cycle - last
                now = taken.enter(now if last < base else now + gap, token.step, closes)
                last = token.cycle
            elif not plan.follows:
                now = token.cycle + shift
                taken.take(now - within(token), token.step, at=within(token))
            put(number, token, now)
        for token in tags:
            put(number, token, now + plan.behind)
        now += 1
    for _, _, number, token in sorted(placed, key=lambda each: each[:2]):
        yield number, token
