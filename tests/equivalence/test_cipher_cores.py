# SPDX-License-Identifier: Apache-2.0
"""When a cipher core that is executed as a whole takes operands: in every cycle, one by one, or in batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pytest

from modeloom.equivalence import lanes
from modeloom.equivalence.circuit import CircuitError
from modeloom.equivalence.cores import OVERWRITE, Batches, CipherCore, CoreTimes, EveryCycle, OneByOne, cipher_result
from modeloom.spec.cadence import BATCH_LEAD
from modeloom.spec.kinds import OPERATIONS

LATENCY, INTERVAL, BLOCKS = 3, 5, 2
ENC = OPERATIONS["enc"]
WIDTHS = {"key_we": 1, "key_round": 1, "key_data": 8, **dict.fromkeys(ENC.unit.ports, 8)}
CONTROL = ("start", "rst", "clear", "batch", OVERWRITE)


def made(entry: Callable[[], EveryCycle], control: Sequence[str] = CONTROL) -> CipherCore:
    widths = {**WIDTHS, **dict.fromkeys(control, 1)}
    ports = {role: ((role, width),) for role, width in widths.items()}
    return CipherCore("cipher", ports, [ENC], ENC.unit, 1, CoreTimes(LATENCY, entry), 1, 8)


def run(core: CipherCore, events: Mapping[int, str], cycles: int) -> list[int]:
    """The output behind each cycle; another block comes in each, and a signal is high in some of them."""
    found = []
    for cycle in range(cycles):
        inputs = {**dict.fromkeys((*WIDTHS, *CONTROL), 0), **dict.fromkeys(ENC.unit.ports, lanes.atom(f"block {cycle}", 8))}
        if cycle in events:
            inputs[events[cycle]] = lanes.ONE
        found.append(core.clock(inputs, cycle))
    return found


def result(core: CipherCore, cycle: int) -> int:
    """The result of the block that came in a cycle."""
    return cipher_result("enc", core.digest("enc", 0), [lanes.atom(f"block {cycle}", 8)] * len(ENC.unit.ports), 8)


def blocks(core: CipherCore, events: Mapping[int, str], cycles: int = 24) -> list[int]:
    """The cycles of those blocks whose results come out, a latency later."""
    found = run(core, events, cycles)
    return [cycle for cycle in range(cycles - LATENCY + 1) if found[cycle + LATENCY - 1] == result(core, cycle)]


def test_every_cycle() -> None:
    assert blocks(made(EveryCycle, ()), {}, 10) == [*range(8)]


def test_one_by_one() -> None:
    """A start takes a block, whose result stays; the next start comes as soon as the core is free, and after a reset at any time."""
    core = made(partial(OneByOne, INTERVAL))
    assert blocks(core, {1: "start", 1 + INTERVAL: "start", 18: "start"}) == [1, 1 + INTERVAL, 18]
    found = run(made(partial(OneByOne, INTERVAL)), {1: "start"}, 9)
    assert found == [0] * LATENCY + [result(core, 1)] * (9 - LATENCY)
    with pytest.raises(CircuitError, match=f"cycle {INTERVAL}: cipher starts before it is free"):
        run(made(partial(OneByOne, INTERVAL)), {1: "start", INTERVAL: "start"}, 9)
    for reset in ("rst", "clear"):
        assert blocks(made(partial(OneByOne, INTERVAL)), {1: "start", 2: reset, 3: "start"}) == [3]


def test_batches() -> None:
    """A signal comes some cycles before the blocks of its batch, and the next signal when the cipher takes blocks again at the earliest."""
    first = 1 + BATCH_LEAD
    for after in (INTERVAL, INTERVAL + 2):
        events = {1: "batch", 1 + after: "batch"}
        assert blocks(made(partial(Batches, INTERVAL, BLOCKS)), events) == [first, first + 1, first + after, first + after + 1]
    with pytest.raises(CircuitError, match=f"cycle {INTERVAL}: a batch of cipher begins before the one before it is done"):
        run(made(partial(Batches, INTERVAL, BLOCKS)), {1: "batch", INTERVAL: "batch"}, 9)
    for reset in ("rst", OVERWRITE):
        # What is under way is lost, and the next batch may begin at once.
        assert blocks(made(partial(Batches, INTERVAL, BLOCKS)), {1: "batch", first + 1: reset, first + 2: "batch"})[:2] == [
            first + 2 + BATCH_LEAD, first + 3 + BATCH_LEAD,
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "port"), [(partial(OneByOne, 5), "start"), (partial(Batches, 5, 2), "batch"), (partial(Batches, 5, 2), "rst")]
)
def test_a_core_has_the_inputs_that_it_needs(entry: Callable[[], EveryCycle], port: str) -> None:
    with pytest.raises(CircuitError, match=f"cipher: no input is its {port}"):
        made(entry, [name for name in CONTROL if name != port])


def test_what_the_future_depends_on() -> None:
    """As many cycles behind the same signal, it is the same, and another one than without the signal."""
    for entry, signal in ((partial(OneByOne, INTERVAL), "start"), (partial(Batches, INTERVAL, BLOCKS), "batch")):
        early, late, none = made(entry), made(entry), made(entry)
        run(early, {1: signal}, 4), run(late, {3: signal}, 6), run(none, {}, 4)
        assert early.entry.state(4) == late.entry.state(6) != none.entry.state(4)
