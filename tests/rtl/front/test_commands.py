# SPDX-License-Identifier: Apache-2.0
"""Commands and statuses over registers, without a core: what is sent, a queue that never loses a status, events, erasure, and secrets."""

from __future__ import annotations

import dataclasses
import random
from functools import lru_cache
from pathlib import Path

import pytest
from amaranth.back import rtlil
from tests.rtl.front import bench as front
from tests.rtl.front.bench import COMMAND_WORDS, FIGURES, BareHost, registers_with_commands

from modeloom.cores.front.registers import RegisterFrontEnd
from modeloom.product.description import Result, Secret
from modeloom.product.front import FrontDescription, RegisterRefused, register_host
from modeloom.rtl.front import STATUS_PLACES, RegisterFront
from modeloom.rtl.front import registers as hardware
from modeloom.sim import Simulation, Stream, StreamRunner, build
from modeloom.taint.check import TimingChannel, check_netlist
from modeloom.taint.graph import netlist_of_rtlil
from modeloom.verification.front import COMMAND_GATE, GATE, KEY_RESULT, KEY_SECRET
from modeloom_verilog.modules import component_rtlil

WORDS = COMMAND_WORDS
MAP = registers_with_commands()


def component() -> RegisterFront:
    """The front end of a core for messages."""
    return front.component(commands=True)


@lru_cache(maxsize=1)
def library() -> Path:
    """Its simulation."""
    return build(component_rtlil(component(), "front"), "front", optimize=0)


class Bench:
    """A front end after a reset, between a host for registers and the streams of a core."""

    def __init__(self, seed: int = 0, gaps: dict[str, float] | None = None):
        self.sim = Simulation(library(), clock="aclk", reset="aresetn")
        lite = [
            dataclasses.replace(one, payload=tuple(port for port in one.payload if not port.endswith("prot")))
            for one in register_host(None).streams()
        ]  # fmt: skip
        streams = [Stream.axis(self.sim, name) for name in ("s_axis_key", "s_axis_cmd", "m_axis_status")]
        self.runner = StreamRunner(self.sim, [*lite, *streams], seed=seed, gaps=gaps)
        self.host = BareHost(self.runner, FrontDescription(
            kind=RegisterFrontEnd.kind, top="front", verilog="", address_bits=MAP.address_bits, key_words=FIGURES["KEY_WORDS"],
            erase_cycles=0, registers={one.name: one.address for one in MAP.registers}, ports=(),
        ))  # fmt: skip
        self.runner.reset(3)
        self.runner.run(max_cycles=40)
        self.host.write("interrupt_pending", 31)

    def commands(self) -> list[bytes]:
        """What came over the stream of commands."""
        column = self.runner.take("s_axis_cmd").columns["s_axis_cmd_tdata"]
        return [column[at : at + 4 * WORDS] for at in range(0, len(column), 4 * WORDS)]

    def give(self, *statuses: bytes) -> None:
        """The core gives statuses."""
        self.runner.feed("m_axis_status", {"m_axis_status_tdata": b"".join(statuses)})

    def pulse(self, name: str) -> None:
        """An input is high for a cycle."""
        self.sim.set(name, 1)
        self.runner.run(max_cycles=1)
        self.sim.set(name, 0)


def status(rng: random.Random, code: int = 0) -> bytes:
    return rng.randbytes(16) + rng.randbytes(2) + bytes([code, 0])


@pytest.mark.parametrize("gap", [0.0, 0.9])
def test_commands_go_to_the_core(gap):
    bench, rng = Bench(seed=2, gaps={"s_axis_cmd": gap}), random.Random(3)
    sent = [rng.randbytes(4 * WORDS) for _ in range(5)] + [bytes(40) + b"\1" + bytes(7)]
    for command in sent:
        while not bench.host.submit(command):
            pass
    bench.runner.run(max_cycles=100)
    # The last one has zeros where others had bytes, and only one word of it was written.
    assert bench.commands() == sent
    assert bench.host.read("interrupt_pending") == 16


def test_a_command_that_waits_is_left_alone():
    bench = Bench(gaps={"s_axis_cmd": 0.9999})
    command = bytes(range(4 * WORDS))
    assert bench.host.submit(command) and not bench.host.submit(bytes(4 * WORDS))
    for register in ("command_data", "command_submit"):
        with pytest.raises(RegisterRefused):
            bench.host.write(register, 1)
    with pytest.raises(RegisterRefused):
        bench.host.read("command_data")
    bench.runner.set_gaps({"s_axis_cmd": 0})
    bench.runner.run(max_cycles=20)
    assert bench.commands() == [command]
    bench.host.write("command_submit", 0)
    bench.runner.run(max_cycles=20)
    assert not bench.commands() and not bench.host.read("command_state") & 1


def test_no_status_is_lost():
    """More statuses than the queue holds: the core waits, and all come in order.  The counters have those that were taken."""
    bench, rng = Bench(seed=4), random.Random(5)
    sent = [status(rng) for _ in range(STATUS_PLACES + 9)]
    bench.give(*sent)
    bench.runner.run(max_cycles=300)
    state = bench.host.read("command_state")
    assert (state >> 16 & 0xFF, state >> 24, state >> 8 & 0xFF) == (STATUS_PLACES, STATUS_PLACES, WORDS)
    assert bench.runner.waiting("m_axis_status") == 9 and bench.host.counter("succeeded") == STATUS_PLACES
    assert [bench.host.poll() for _ in sent] == sent
    assert bench.host.poll() is None and not bench.host.read("command_state") >> 16 & 0xFF
    # Nothing is left of a tag when there is no status.
    assert not any(bench.host.read(f"status_tag{at}") for at in range(4))


@pytest.mark.parametrize("seed", range(3))
def test_statuses_come_while_they_are_read(seed):
    rng = random.Random(seed)
    bench = Bench(seed=seed, gaps={"m_axis_status": rng.choice((0.3, 0.9))})
    sent = [status(rng, rng.choice((0, 0, 1, 6))) for _ in range(60)]
    bench.give(*sent)
    got = []
    while len(got) < len(sent):
        bench.runner.run(max_cycles=rng.randrange(60))
        if (one := bench.host.poll()) is not None:
            got.append(one)
    assert got == sent and bench.host.counter("failed") == sum(one[18] > 0 for one in sent)


@pytest.mark.parametrize("before", range(4))
def test_a_read_that_an_erasure_meets_leaves_no_tag(before):
    """The read comes up to the registers in some cycle around the erasure."""
    bench = Bench()
    bench.give(status(random.Random(before)))
    bench.runner.run(max_cycles=20)
    bench.host.feed("s_axil_ar", {"s_axil_araddr": [MAP.address("status")]})
    if before:
        bench.runner.run(max_cycles=before)
    bench.pulse("erase_pin")
    bench.runner.run(max_cycles=60)
    assert len(bench.runner.take("s_axil_r").values("s_axil_rdata")) == 1
    assert not any(bench.host.read(f"status_tag{at}") for at in range(4))


def test_the_interrupt_of_a_status():
    bench, rng = Bench(), random.Random(1)
    bench.host.write("interrupt_enable", 8)
    bench.runner.run(max_cycles=20)
    assert not bench.sim.get("irq")
    bench.give(status(rng))
    bench.runner.run(max_cycles=20)
    assert bench.sim.get("irq") and bench.host.read("interrupt_pending") == 8
    bench.host.write("interrupt_pending", 8)
    bench.runner.run(max_cycles=4)
    assert not bench.sim.get("irq") and bench.host.poll() is not None


def test_an_erasure_drops_commands_and_statuses():
    bench, rng = Bench(gaps={"s_axis_cmd": 0.9999}), random.Random(1)
    bench.give(*(status(rng) for _ in range(STATUS_PLACES)))
    bench.host.submit(bytes(range(1, 1 + 4 * WORDS)))
    bench.runner.run(max_cycles=60)
    assert bench.host.poll() is not None
    bench.pulse("erase_pin")
    assert bench.sim.get("erasing_pin") and not bench.sim.get("s_axis_cmd_tvalid") and not bench.sim.get("s_axis_cmd_tdata")
    bench.runner.run(max_cycles=40)
    assert not bench.sim.get("erasing_pin") and bench.host.poll() is None and not bench.host.read("command_state") & 0xFF0001
    memories = [name for name, one in bench.sim.objects.items() if one.kind == "memory" and "queue" in name]
    assert memories and not any(bench.sim.get(name, word) for name in memories for word in range(STATUS_PLACES))
    assert not any(bench.host.read(f"status_tag{at}") for at in range(4))
    bench.runner.set_gaps({"s_axis_cmd": 0})
    assert bench.host.submit(bytes(4 * WORDS))
    bench.runner.run(max_cycles=20)
    assert bench.commands() == [bytes(4 * WORDS)]


def netlist():
    return netlist_of_rtlil(rtlil.convert(component(), name="front", emit_src=False), "front")


COMMAND_RESULT = Result("s_axis_cmd_tdata", 32 * WORDS)
TAG = Secret("tag", "m_axis_status_tdata", 0, 128)


def test_secrets_go_where_they_belong(monkeypatch):
    """A key goes to the key port, a command to the port for commands, and a tag comes back as data.  Nothing else depends on them."""
    found = netlist()
    check_netlist(found, [KEY_SECRET], [KEY_RESULT], (), [GATE, COMMAND_GATE])
    check_netlist(found, [KEY_SECRET], [KEY_RESULT, COMMAND_RESULT], (), [GATE])
    check_netlist(found, [TAG], [Result("s_axil_rdata", 32)])
    # Without their declaration, words of commands are seen on their way to the core.
    with pytest.raises(TimingChannel, match="s_axis_cmd_tdata"):
        check_netlist(found, [KEY_SECRET], [KEY_RESULT], (), [GATE])
    with pytest.raises(TimingChannel, match="s_axil_rdata"):
        check_netlist(found, [TAG], [dataclasses.replace(KEY_RESULT)])
    # A memory for commands without a gate takes words of keys, too.
    monkeypatch.setattr(hardware, "KEY_MEMORY", "command_data")
    with pytest.raises(TimingChannel):
        check_netlist(netlist(), [KEY_SECRET], [KEY_RESULT], (), [GATE, COMMAND_GATE])
