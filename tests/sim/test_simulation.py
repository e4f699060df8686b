# SPDX-License-Identifier: Apache-2.0
"""Ports, cycles, reset, and both ways of evaluating a cycle."""

from __future__ import annotations

import random

import pytest
from tests.sim.designs import Counter, Feedback, InnerFeedback, Planes, Reflected, StreamFifo, convert

from modeloom.sim import Simulation


@pytest.fixture(scope="module", params=[False, True], ids=["one-step", "two-steps"])
def simulation(request):
    return Simulation.of(convert(Counter(), "counter"), "counter", optimize=0, two_steps=request.param)


def test_ports_and_widths(simulation):
    kinds = {name: (port.kind, port.width) for name, port in simulation.ports.items()}
    assert kinds == {
        "clk": ("input", 1), "rst": ("input", 1), "enable": ("input", 1), "unused": ("input", 5),
        "i_wide": ("input", 1024), "o_wide": ("output", 1024), "count": ("output", 8), "copy": ("output", 8),
        "mixed": ("output", 9), "tied": ("output", 4),
    }
    assert simulation.width("i_wide") == 1024


def test_counts_and_wraps(simulation):
    simulation.reset()
    assert simulation.get("count") == 3
    start = simulation.cycle
    simulation.set("enable", 1)
    assert simulation.get("mixed") == 3 << 1 | 1
    simulation.step(300)
    assert simulation.cycle == start + 300
    assert simulation.get("count") == simulation.get("copy") == 303 % 256
    simulation.set("enable", 0)
    assert simulation.get("mixed") == (303 % 256) << 1
    simulation.step(5)
    assert simulation.get("count") == 303 % 256
    simulation.reset()
    assert (simulation.get("count"), simulation.get("tied")) == (3, 9)


def test_wide_ports_are_combinational(simulation):
    rng = random.Random(1)
    for _ in range(20):
        value = rng.getrandbits(1024)
        simulation.set("i_wide", value)
        assert simulation.get("o_wide") == value ^ (2**1024 - 1)


def test_rejects_bad_names_and_values(simulation):
    with pytest.raises(ValueError, match="did you mean enable"):
        simulation.set("enabel", 1)
    with pytest.raises(ValueError, match="does not fit the 1 bits"):
        simulation.set("enable", 2)
    with pytest.raises(ValueError, match="does not fit"):
        simulation.set("unused", -1)
    with pytest.raises(ValueError, match="not an input"):
        simulation.set("count", 1)
    with pytest.raises(ValueError, match="clock"):
        simulation.set("clk", 1)
    with pytest.raises(TypeError, match="must be an int"):
        simulation.set("unused", "1")
    with pytest.raises(ValueError, match="negative"):
        simulation.step(-1)


@pytest.mark.parametrize("inside", [False, True])
def test_chained_bits_of_one_bus(inside):
    """A cycle costs one evaluation if the bus is no port."""
    simulation = Simulation.of(convert(InnerFeedback() if inside else Feedback(), "feedback"), "feedback", optimize=0)
    assert simulation.single_step is inside
    total = 0
    for value in range(16):
        simulation.set("i", value)
        chain = value & 1
        for i in range(4):
            chain |= (chain >> i & 1 ^ value >> i & 1) << i + 1
        assert simulation.get("o") == (~chain >> 1 & 15 if inside else chain >> 1)
        simulation.step()
        total = (total + chain) % 256
        assert simulation.get("sum") == total


@pytest.mark.parametrize("optimize", [0, 1])
def test_bits_in_another_order(optimize):
    simulation = Simulation.of(convert(Reflected(), "reflected"), "reflected", optimize=optimize)
    for value in (0x0123_4567_89AB_CDEF_0011_2233_4455_6677, 1, 1 << 127, (1 << 128) - 1):
        simulation.set("i", value)
        bits = [value >> 8 * byte + bit & 1 for byte in range(16) for bit in reversed(range(8))]
        assert simulation.get("o") == sum(bit << at for at, bit in enumerate(bits))
        assert simulation.get("mixed") == sum(bits[at] << 2 * at | bits[-1 - at] << 2 * at + 1 for at in range(64))


@pytest.mark.parametrize("optimize", [0, 1])
def test_bits_written_in_another_order(optimize):
    simulation = Simulation.of(convert(Planes(), "planes"), "planes", optimize=optimize)
    for value in (0x0123_4567_89AB_CDEF_0011_2233_4455_6677, 1, 1 << 127, 0x80 << 64):
        simulation.set("i", value)
        rotated = [(byte << 1 | byte >> 7) & 255 for byte in value.to_bytes(16, "little")]
        assert simulation.get("o") == ~(value ^ int.from_bytes(rotated, "little")) & (1 << 128) - 1


def test_registers_and_words_can_be_written():
    simulation = Simulation.of(convert(StreamFifo(16), "fifo"), "fifo", optimize=0)
    (store,) = [name for name, item in simulation.objects.items() if item.kind == "memory"]
    found = []
    for name in [name for name, item in simulation.objects.items() if item.kind == "state"]:
        simulation.reset()
        for word in range(4):
            simulation.put(store, 0x100 + word, word)
        simulation.put(name, 2)
        assert simulation.get(name) == 2
        found.append((simulation.get("m_axis_tvalid"), simulation.get("m_axis_tdata")))
    # The level makes the output valid, and the place of the next read chooses the word.
    assert (1, 0x100) in found and (0, 0x102) in found
    with pytest.raises(ValueError, match="does not fit the 17 bits"):
        simulation.put(store, 1 << 17, 0)
    with pytest.raises(ValueError, match="memory of 4 words"):
        simulation.put(store, 0, 4)
    with pytest.raises(ValueError, match="memory of 4 words"):
        simulation.put(store, 0)
    with pytest.raises(ValueError, match="is not a memory"):
        simulation.put(name, 0, 0)
    with pytest.raises(ValueError, match="is a port"):
        simulation.put("s_axis_tdata", 0)


def test_memories_can_be_read():
    simulation = Simulation.of(convert(StreamFifo(16), "fifo"), "fifo", optimize=0)
    (name,) = [name for name, item in simulation.objects.items() if item.kind == "memory"]
    simulation.reset()
    simulation.set("s_axis_tvalid", 1)
    for value in (0x1234, 0xFFFF, 0x8001):
        simulation.set("s_axis_tdata", value)
        simulation.step()
    assert [simulation.get(name, word) for word in range(3)] == [0x1234, 0xFFFF, 0x8001]
    with pytest.raises(ValueError, match="memory of 4 words"):
        simulation.get(name, 4)
    with pytest.raises(ValueError, match="not a memory"):
        simulation.get("s_axis_tdata", 0)
