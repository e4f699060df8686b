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
        The tokens of each message as if it were alone, from cycle 0 on (``streams.prove.tokens_of``), or with a cadence, from the phase on
        in which the message before it ends.
    seed : int
        Of the cycles in which starts enter that run ahead.
    """
    return _Overlap(plan, messages, random.Random(seed)).run()


class _Overlap:
    """Lets the tokens of messages enter between each other."""

    def __init__(self, plan: StreamPlan, messages: Sequence[Sequence[Token]], rng: random.Random):
        self.plan, self.messages, self.rng = plan, messages, rng
        self.taken, self.begun = Reservations(plan), list[int]()
        self.detached = self.taken.table.detached
        # In a cycle, the token that writes the state at its home goes before one that only reads what it has left.
        self.placed: list[tuple[int, int, int, Token]] = []

    def run(self) -> Entered:
        """The tokens in the order of their cycles."""
        now, put = 0, self._one_by_one if self.detached("tag") else self._together
        for number, tokens in enumerate(self.messages):
            apart = [token for token in tokens if token.part < 0 or self.detached(token.step)]
            for token in apart:
                now = now if token.step == "tag" else self._begin(number, token, now)
            now = put(number, [token for token in tokens if token not in apart], now)
            for token in apart:
                if token.step == "tag":
                    self._put(number, token, now + self.plan.behind)
            now += 1
        for _, _, number, token in sorted(self.placed, key=lambda each: each[:2]):
            yield number, token

    def _put(self, number: int, token: Token, cycle: int) -> None:
        self.placed.append((cycle, len(self.placed), number, replace(token, cycle=cycle)))

    def _begin(self, number: int, start: Token, now: int) -> int:
        """Puts a start without a token, or starts that run ahead; the cycle from which on the first token of the message may enter."""
        ahead = self.plan.placed.ahead[start.step]
        if start.part < 0:
            self._put(number, start, now)
            return now + ahead
        for other in range(len(self.begun), min(len(self.messages), number + 1 + self.rng.randrange(MOST_AHEAD + 1))):
            start = next(token for token in self.messages[other] if token.step.startswith("start"))
            self.begun.append(self.taken.enter(now + self.rng.randrange(4), start.step))
            self._put(other, start, self.begun[other])
        return max(now, self.begun[number] + ahead)

    def _together(self, number: int, stream: Sequence[Token], now: int) -> int:
        """Puts the tokens of a message at the distances that they have alone; the cycle of the last one."""
        def within(token: Token) -> int:
            """The cycles from the one in which the step of a token begins to the token."""
            return self.plan.placed.passes[token.step][token.part].at if token.step else 0

        period, shift = self.taken.table.cadence.interval, now - stream[0].cycle + within(stream[0])
        shift += -shift % period
        while not all(self.taken.free(token.cycle + shift - within(token), token.step, at=within(token)) for token in stream):
            shift += period
        for token in stream:
            self.taken.take(token.cycle + shift - within(token), token.step, at=within(token))
            self._put(number, token, token.cycle + shift)
        return stream[-1].cycle + shift

    def _one_by_one(self, number: int, stream: Sequence[Token], now: int) -> int:
        """Puts the tokens of a message whose tag follows; the cycle of the last one.

        Gaps stay; what others have taken makes them longer.  Lanes enter together, and what closes alone needs no place.
        """
        base = stream[0].cycle
        last, alone = base - 1, Reservations(self.plan)
        for token in stream:
            if token.cycle != last:
                closes = any(other.closes for other in stream if other.cycle == token.cycle)
                # What has waited in the message alone for its place is no gap, as it gets a place anew.
                gap = 1 + token.cycle - alone.first(last + 1, token.step, closes)
                alone.take(token.cycle, token.step, closes)
                now = self.taken.enter(now if last < base else now + gap, token.step, closes)
                last = token.cycle
            self._put(number, token, now)
        return now
