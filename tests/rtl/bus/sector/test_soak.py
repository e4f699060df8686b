# SPDX-License-Identifier: Apache-2.0
"""Thousands of sectors of real size through the flat ports, on the compiled simulation."""

from __future__ import annotations

import random
from operator import attrgetter

import pytest
from amaranth.back import rtlil
from amaranth.hdl import ClockDomain, Elaboratable, Module, Signal
from tests.rtl.bus.bench import Core
from tests.rtl.bus.mock_engine import MockSchedule, expected_sector, mock_round_keys, setup_words
from tests.rtl.bus.parameters import bus_sizes

from modeloom.cycles import ring_depth
from modeloom.interfaces.sector import StatusCode, pack_command, unpack_status
from modeloom.rtl.bus.sector import FLAT_PORTS, BusParameters
from modeloom.sim import Simulation, StreamRunner

LATENCY, BLOCKS, ROUNDS = 91, 32, 5
PARAMETERS = bus_sizes(
    blocks=BLOCKS, ring_sectors=ring_depth(LATENCY, BLOCKS, BLOCKS), key_slots=3, raw_words_after=1, key_words=2, tail=7
)


class FlatCore(Elaboratable):
    """A core with the flat ports of the table, the engine's violations, a clock and a reset."""

    def __init__(self, p: BusParameters):
        self.core = Core(p, latency=LATENCY, interval=BLOCKS, schedule=MockSchedule(p.keys.cipher_key_bits, ROUNDS))
        self.aclk = Signal()
        self.rst = Signal()
        self.violation = Signal.like(self.core.engine.violation)
        self.flat = {port: Signal(port.width.bits(p), name=port.name) for port in FLAT_PORTS}

    def ports(self) -> list[Signal]:
        return [self.aclk, self.rst, self.violation, *self.flat.values()]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.domains.sync = sync = ClockDomain()
        m.submodules.core = self.core
        m.d.comb += [sync.clk.eq(self.aclk), sync.rst.eq(self.rst), self.violation.eq(self.core.engine.violation)]
        for port, signal in self.flat.items():
            inner = attrgetter(port.path)(self.core.bus)
            m.d.comb += signal.eq(inner) if port.output else inner.eq(signal)
        return m


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    top = FlatCore(PARAMETERS)
    return Simulation.of(rtlil.convert(top, name="flat_core", ports=top.ports()), "flat_core", optimize=1)


def packet(data: bytes) -> dict[str, list[int]]:
    chunks = [data[at : at + 16] for at in range(0, len(data), 16)]
    return {
        "s_axis_tdata": [int.from_bytes(chunk, "little") for chunk in chunks],
        "s_axis_tkeep": [(1 << len(chunk)) - 1 for chunk in chunks],
        "s_axis_tlast": [int(number == len(chunks) - 1) for number in range(len(chunks))],
    }


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_soak(simulation: Simulation, seed: int) -> None:
    p, generator = PARAMETERS, random.Random(seed)
    names = ("s_axis", "s_axis_cmd", "s_axis_key", "m_axis", "m_axis_status")
    gaps = {name: generator.choice((0.0, 0.1, 0.6)) for name in names}
    print(f"seed {seed}, gaps {gaps}")
    runner = StreamRunner(simulation, seed=seed, gaps=gaps)
    runner.reset()
    keys = [generator.randbytes(32) for _ in range(3)]
    for slot, key in enumerate(keys):
        runner.feed(
            "s_axis_key",
            {
                "s_axis_key_tdata": key,
                "s_axis_key_tkeep": [0xFFFF] * 2,
                "s_axis_key_tlast": [0, 1],
                "s_axis_key_tdest": [slot] * 2,
                "s_axis_key_tuser": [0] * 2,
            },
        )
    runner.run(drain=True, max_cycles=1000)
    runner.run(max_cycles=100)
    assert simulation.get("key_loaded") == 0b111

    expected, statuses = b"", []
    count = 800
    for number in range(count):
        slot, decrypt = generator.randrange(3), generator.random() < 0.5
        tweak = generator.randbytes(16)
        length = p.sector_bytes
        code = StatusCode.OK
        if generator.random() < 0.15:
            length = generator.choice((1, 16, length - 1, length + 1, length + 40, generator.randrange(1, length)))
            code = StatusCode.TOO_SHORT if length < p.sector_bytes else StatusCode.TOO_LONG
        data = generator.randbytes(length)
        runner.feed(
            "s_axis_cmd", {"s_axis_cmd_tdata": pack_command(tweak=tweak, tag=number, slot=slot, decrypt=decrypt)}
        )
        runner.feed("s_axis", packet(data))
        statuses.append((number, code))
        if code == StatusCode.OK:
            round_keys = [mock_round_keys(int.from_bytes(keys[slot][:16], "little"), p.keys.cipher_key_bits, ROUNDS)]
            words = [int.from_bytes(keys[slot][16:], "little"), *setup_words(p, round_keys[0][0][0])]
            expected += expected_sector(p, words=words, round_keys=round_keys, tweak=tweak, decrypt=decrypt, data=data)
    assert runner.run({"m_axis_status": count}, max_cycles=count * BLOCKS * 4).done
    assert not simulation.get("violation") and not runner.violations()

    got = b"".join(
        status.to_bytes(4, "little") for status in runner.take("m_axis_status").values("m_axis_status_tdata")
    )
    assert [unpack_status(got[at : at + 4]) for at in range(0, len(got), 4)] == statuses
    beats = runner.take("m_axis")
    columns = zip(*(beats.values(f"m_axis_{name}") for name in ("tdata", "tkeep", "tlast")), strict=True)
    received = b""
    for number, (data, keep, last) in enumerate(columns):
        final = number % p.beats == p.beats - 1
        assert (keep, last) == ((p.last_keep, 1) if final else (0xFFFF, 0))
        received += data.to_bytes(16, "little")[: keep.bit_length()]
    assert received == expected
