# SPDX-License-Identifier: Apache-2.0
"""The traffic beside that of ``verify``: it goes on whatever a core does, and a change of one bit of one key shows in it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from tests.built import slow
from tests.streamed import TINY, compiled, simulated
from tools.planted_faults.actions import key_packet
from tools.planted_faults.message_traffic import BUSES, MessageTraffic

from modeloom.cores.stream import StreamCore
from modeloom.interfaces.messages import MessageCode
from modeloom.modes import find_any
from modeloom.spec.stream import StreamMode


def traffic(seed: int, cycles: int = 60_000, **more: Any) -> MessageTraffic:
    mode = find_any("gcm")
    assert isinstance(mode, StreamMode)
    return MessageTraffic(StreamCore(compiled(prove=False, **TINY)).describe("core", "modeloom"), mode, cycles, seed, **more)


class Recorder:
    """Takes what a script does to a core."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.runner = self.simulation = self

    def feed(self, name: str, columns: dict[str, Any]) -> int:
        assert name in BUSES and len({len(column) for port, column in columns.items() if "tdata" not in port}) <= 1
        self.sent.append((name, columns))
        return 1

    def set_gaps(self, gaps: dict[str, float]) -> None:
        self.sent.append(("gaps", gaps))

    def set(self, name: str, value: int) -> None:
        self.sent.append((name, value))

    def waiting(self, name: str) -> int:
        assert name in BUSES
        return 0

    def run(self, *, max_cycles: int) -> None:
        self.sent.append(("run", max_cycles))

    def forget(self) -> None:
        self.sent.append(("forget", 0))


def recorded(script: MessageTraffic) -> list[Any]:
    recorder = Recorder()
    for action, cycles in script.steps:
        assert cycles > 0
        action(recorder)
    return recorder.sent


def test_a_script_has_everything_and_depends_on_its_seed_alone() -> None:
    sent = recorded(traffic(1))
    assert sent == recorded(traffic(1)) != recorded(traffic(2))
    kinds = Counter(name for name, _ in sent)
    assert kinds["s_axis_cmd"] == kinds["s_axis"] > 300 and kinds["s_axis_key"] > 15 and kinds["gaps"] > 10
    assert {"zeroize", "aresetn"} <= kinds.keys()


def test_settled_traffic_waits_around_each_key() -> None:
    """But for the keys with which an episode begins."""
    sent = [name for name, _ in recorded(traffic(1, settled=True))]
    alone = [at for at, name in enumerate(sent) if name == "s_axis_key" and sent[at - 1] == "run"]
    assert len(alone) >= 10 and all(sent[at - 2] == "gaps" and sent[at + 1 : at + 3] == ["gaps", "run"] for at in alone)
    others = [name for name in sent if name not in ("gaps", "run")]
    assert others == [name for name, _ in recorded(traffic(1)) if name != "gaps"]


def test_key_packets() -> None:
    recorder = Recorder()
    key_packet(bytes(range(24)), 5, keep=3)(recorder)
    key_packet(bytes(16), None, erase=True)(recorder)
    (_, one), (_, other) = recorder.sent
    assert one["s_axis_key_tkeep"] == [0xFFFF, 3] and one["s_axis_key_tlast"] == [0, 1] and one["s_axis_key_tdest"] == [5, 5]
    assert other["s_axis_key_tuser"] == [1] and "s_axis_key_tdest" not in other


@slow
@pytest.mark.parametrize("changed", [False, True])
def test_outputs(changed: bool) -> None:
    """Two equal cores have the same outputs in each cycle; one whose keys differ in a bit does not.  Statuses have most codes."""
    script = traffic(3, 20_000)
    outputs = []
    for number in range(2):
        core = simulated(**TINY)
        core.simulation.watch([name for name, port in core.simulation.ports.items() if port.kind == "output"])
        feed = core.runner.feed

        def other(name: str, columns: dict[str, Any], feed: Any = feed, changes: bool = changed and number == 1) -> int:
            if changes and name == "s_axis_key":
                columns = {**columns, "s_axis_key_tdata": bytes([columns["s_axis_key_tdata"][0] ^ 1]) + columns["s_axis_key_tdata"][1:]}
            return int(feed(name, columns))

        core.runner.feed = other  # type: ignore[method-assign]
        codes: set[int] = set()
        take = core.runner.take

        def taken(name: str, count: int | None = None, take: Any = take, codes: set[int] = codes) -> Any:
            beats = take(name, count)
            if name == "m_axis_status":
                codes |= {value >> 144 & 0xFF for value in beats.values("m_axis_status_tdata")}
            return beats

        core.runner.take = taken  # type: ignore[method-assign]
        script.run(core)
        outputs.append(core.simulation.watched())
        assert {MessageCode.OK, MessageCode.WRONG_TAG, MessageCode.TOO_SHORT, MessageCode.BAD_KEEP, MessageCode.NO_KEY} <= codes
    assert (outputs[0] != outputs[1]) is changed
