# SPDX-License-Identifier: Apache-2.0
"""The distances of messages in a core with a cadence, from a model of its entry."""

import pytest

from modeloom.product.messages import CadenceFigures, StepFigures

ONCE, FREE, TWICE = (StepFigures(ciphers=at, cycles=cycles) for at, cycles in (((0,), 1), ((), 1), ((0, 41), 42)))
FIGURES = CadenceFigures(blocks=4, interval=40, steps={"associated": FREE, "encrypt": ONCE, "tag": ONCE, "start 1": TWICE})


def message(associated, text, start=False):
    return [*[["start 1"]] * start, *[["associated"]] * associated, *[["encrypt"]] * text, ["tag"]]


@pytest.mark.parametrize(("steps", "messages", "cycles"), [
    (message(0, 0), 4, 40),
    (message(0, 3), 1, 40),
    (message(0, 4), 4, 200),
    # The associated data comes while the next batch is awaited.
    (message(1, 3), 1, 40),
    # It enters in the cycle of the fourth block, which is lost.
    (message(1, 2), 1, 40),
    (message(40, 3), 1, 80),
    # Two tokens, a batch and a cycle apart, begin in the first three phases.
    (message(0, 0, start=True), 1, 80),
], ids=str)  # fmt: skip
def test_steady(steps, messages, cycles):
    assert FIGURES.steady(steps) == (messages, cycles)


def test_shared_tokens():
    """A tag beside associated data waits for the cipher."""
    assert FIGURES.steady([["associated", "tag"]]) == (4, 40)
    assert FIGURES.steady([["associated"]]) == (40, 40)
    assert FIGURES.cycles_a_block == 10
