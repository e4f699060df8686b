# SPDX-License-Identifier: Apache-2.0
"""Registers in the clock of a host, behind AXI4-Lite and APB: clocks of many ratios, erasures and resets at any time, and faults."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.rtl.clocks.bench import CLOCKS, Bench
from tests.rtl.clocks.faults import changed, library
from tests.rtl.clocks.registers import HOSTS, ORDERED, PARAMETERS, Apb, Lite

from modeloom.interfaces.front import APB, AXI_LITE, REGISTER_BUSES
from modeloom.sim import AT_REST


def made(bus: str, name: str, path: Path | None = None) -> tuple[Bench, Lite | Apb, random.Random]:
    """Crossings, a host with registers, and random numbers."""
    rng = random.Random(f"{bus} {name}")
    bench = Bench(name, PARAMETERS[bus], seed=1, path=path, more=HOSTS[bus].streams("clk_host"))
    return bench, HOSTS[bus](bench, rng), rng


def words(bench: Bench) -> set[int]:
    """All registers of data between both sides."""
    names = ("data_reg", "pwdata", "prdata", "wdata", "word_reg", "shown_reg", "strobe_reg", "pstrb")
    return {bench.sim.get(one) for one, item in bench.sim.objects.items() if item.kind == "state" and one.endswith(names)}


def every_access_is_answered(bus: str, name: str, path: Path | None = None) -> None:
    """Every access is done once, and has its answer.  A write that an erasure meets is refused, or it is done before."""
    bench, host, rng = made(bus, name, path)
    for word in range(12):
        assert host.write(word << 2, 0x1000 + word) == 0 and host.read(word << 2) == 0x1000 + word
    assert host.accesses == 24
    refused = 0
    for word in range(12):
        host.begin_write(word << 2, 0xABCD)
        for _ in range(rng.randrange(12)):
            host.step()
        bench.sim.set("zeroize", 1)
        host.step()
        bench.sim.set("zeroize", 0)
        response = host.end_write()
        assert response in (0, 2)
        refused += response == 2
        assert host.read(word << 2) == (0x1000 + word if response else 0xABCD)
        bench.wait()
        # The core overwrites what was read when the host has it.
        bench.runner.run(max_cycles=120)
        assert words(bench) == {0}
    assert host.accesses == 48 and refused
    print(f"{name}: {refused} writes of 12 are refused")
    for value in (1, 0, 1):
        bench.sim.set("core_irq", value)
        bench.runner.run(max_cycles=120)
        assert bench.sim.get("irq") == value


@pytest.mark.parametrize("name", CLOCKS)
@pytest.mark.parametrize("bus", REGISTER_BUSES)
def test_every_access_is_answered(bus, name):
    every_access_is_answered(bus, name)


def a_write_in_an_erasure_waits(bus: str, name: str, path: Path | None = None) -> None:
    """It is done when the erasure is over.  A read is answered meanwhile."""
    bench, host, _ = made(bus, name, path)
    assert host.write(4, 0x1234) == 0
    bench.sim.set("core_zeroizing", 1)
    while not bench.sim.get("clk_host_zeroizing"):
        host.step()
    assert host.read(4) == 0x1234
    host.begin_write(4, 0x5678)
    for _ in range(200):
        host.step()
    assert not host.answered and (bus == AXI_LITE or words(bench) == {0})
    bench.sim.set("core_zeroizing", 0)
    assert host.end_write() == 0
    assert host.read(4) == 0x5678


@pytest.mark.parametrize("name", ["2:3", "7:3", "1:17"])
@pytest.mark.parametrize("bus", REGISTER_BUSES)
def test_a_write_in_an_erasure_waits(bus, name):
    a_write_in_an_erasure_waits(bus, name)


def a_reset_in_the_middle(bus: str, name: str, path: Path | None = None) -> None:
    """A host that the reset does not reach gets its answer all the same.  Nothing of its data is left."""
    bench, host, rng = made(bus, name, path)
    assert bus == APB and isinstance(host, Apb)
    for word in range(24):
        read = word % 3 == 2
        if read:
            assert host.write(word << 2, 0x1234) == 0
            host.begin(word << 2, False)
        else:
            host.begin_write(word << 2, 0xABCD)
        for _ in range(rng.randrange(14)):
            host.step()
        bench.sim.set("aresetn", 0)
        for _ in range(rng.randrange(1, 4)):
            host.step()
        bench.sim.set("aresetn", 1)
        if read:
            assert host.end() == (0x1234, 0), "an answer is that of no read"
        else:
            assert host.end_write() in (0, 2)
        bench.wait()
        bench.runner.run(max_cycles=120)
        assert words(bench) == {0}
        assert host.write(word << 2, 0x1000 + word) == 0 and host.read(word << 2) == 0x1000 + word


@pytest.mark.parametrize("name", CLOCKS)
def test_a_reset_in_the_middle_of_a_transfer(name):
    a_reset_in_the_middle(APB, name)


def a_reset_loses_an_access(name: str, path: Path | None = None) -> None:
    """A reset of one cycle of a core in each cycle of a write and a read, which are lost, or done and answered.

    None goes on behind the reset, and no response is left for the accesses after it.
    """
    bench, host, _ = made(AXI_LITE, name, path)
    assert isinstance(host, Lite)
    lost = 0
    for cycle in range(24):
        word, read = cycle << 2, cycle % 3 == 2
        assert host.write(word, 0x1000) == 0
        if read:
            bench.runner.feed("s_axil_ar", {"s_axil_araddr": [word]})
        else:
            host.begin_write(word, 0xABCD)
        for _ in range(cycle // 2):
            host.step()
        bench.sim.set("aresetn", 0)
        host.step()
        bench.sim.set("aresetn", 1)
        written = host.memory[word]
        bench.wait(host.step)
        for _ in range(200):
            host.step()
        if not host.answered:
            lost += 1
            assert host.memory[word] == written, "a write goes on behind the reset"
        elif read:
            assert host.end("r") == [0x1000, 0], "a read has an answer without a word"
        else:
            assert host.end_write() == 0 and host.memory[word] == 0xABCD, "a write that was not done has an answer"
        assert words(bench) == {0}
        for strobe, response in ((15, 0), (1, 2), (15, 0)):
            bench.runner.feed("s_axil_aw", {"s_axil_awaddr": [word]})
            bench.runner.feed("s_axil_w", {"s_axil_wdata": [cycle], "s_axil_wstrb": [strobe]})
            assert host.end_write() == response, "a response is that of another write"
            assert host.read(word) == cycle
    assert lost


@pytest.mark.parametrize("name", ["the same", "2:3", "7:3", "3:7", "jitter"])
def test_a_reset_loses_an_access(name):
    a_reset_loses_an_access(name)


def a_status_waits_for_its_data(name: str, path: Path | None = None) -> None:
    """Packets of four beats, whose last one the core gives just before the status.  The host takes data slowly, and statuses come at once.

    An erasure in between drops a status that waits, and data that the host has not taken.
    """
    bench = Bench(name, ORDERED, seed=3, gaps={"m_axis": 0.6}, path=path)
    packets, ends, statuses = 8, [], []
    for number in range(packets):
        for lap in range(2):
            bench.send("core_m_axis", [100 * lap + 4 * number + beat for beat in range(4)])
        while bench.runner.waiting("core_m_axis"):
            bench.runner.run(max_cycles=1)
        bench.sim.set("core_status_waits", 1)
        for _ in range(4000):
            if bench.sim.get("core_status_may"):
                break
            bench.runner.run(max_cycles=1)
        statuses.append(bench.sim.cycle)
        bench.runner.run(max_cycles=1)
        assert not bench.sim.get("core_status_may"), "a status goes with the one before it"
        bench.sim.set("core_status_waits", 0)
        assert bench.runner.waiting("m_axis") == 8, "a status comes before its data, or not at all"
        ends.append(bench.runner.take("m_axis").cycles[7])
    assert all(end <= status for end, status in zip(ends, statuses, strict=True)), (name, ends, statuses)
    bench.runner.set_gaps({"m_axis": AT_REST})
    bench.send("core_m_axis", [0, 1, 2, 3])
    bench.sim.set("core_status_waits", 1)
    bench.runner.run(max_cycles=100)
    assert not bench.sim.get("core_status_may")
    bench.zeroize()
    bench.sim.set("core_status_waits", 0)
    bench.wait()
    bench.sim.set("core_status_waits", 1)
    for _ in range(200):
        if bench.sim.get("core_status_may"):
            break
        bench.runner.run(max_cycles=1)
    assert bench.sim.get("core_status_may"), "a status waits for data that were erased"


@pytest.mark.parametrize("name", CLOCKS)
def test_a_status_waits_for_its_data(name):
    a_status_waits_for_its_data(name)


FAULTS = {
    "what is written stays": (
        r"if \(request_reg & to_host_o\) data_reg <= 32'h0;\s+else if", "if", every_access_is_answered, "2:3"
    ),
    "what is read stays": (
        r"if \(answer_reg & ~to_core_o\) word_reg <= 32'h0;\s+else if", "if", every_access_is_answered, "2:3"
    ),
    "a write that an erasure meets is done": (
        r"core_pstrb = pstrb_reg & \{4\{~core_hold\}\}", "core_pstrb = pstrb_reg | {4{core_hold}}", every_access_is_answered, "the same"
    ),
    "a transfer begins before the one before is over": (r"& ~to_host_o\s", "", every_access_is_answered, "7:3"),
    "there is no setup phase": (
        r"else if \(psel_reg\) core_penable", "else if (psel_and) core_penable", every_access_is_answered, "2:3"
    ),
    "a write in an erasure does not wait": (r"& ~\(bus_pwrite & host_hold\)", "", a_write_in_an_erasure_waits, "2:3"),
    "a transfer goes on behind a reset": (r"psel_reg & ~core_reset", "psel_reg", a_reset_in_the_middle, "the same"),
    "a reset overwrites a word that the host takes": (
        r"if \(core_reset_ends\) begin\s+answer", "if (core_reset) begin\n      answer", a_reset_in_the_middle, "another phase"
    ),
}  # fmt: skip
"""What stands in the bridge of APB, what stands there instead, what finds it, and the clocks."""


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_found(name, tmp_path):
    pattern, other, check, clocks = FAULTS[name]
    wrong = library(changed(tmp_path, "crossings_s_apb", pattern, other, PARAMETERS[APB]))
    with pytest.raises(AssertionError):
        check(APB, clocks, wrong)


LITE_FAULTS = {
    "a write goes on behind a reset": (r"core_wvalid = wvalid_reg & ~core_reset", "core_wvalid = wvalid_reg", "goes on behind the reset"),
    "an access has an answer of none": (
        r"if \(core_reset_ends\) begin\s+write_answer", "if (core_reset) begin\n      write_answer", "has an answer"
    ),
}  # fmt: skip
"""What stands in the bridge of AXI4-Lite, what stands there instead, and what is said."""


@pytest.mark.parametrize("name", LITE_FAULTS)
def test_faults_of_axi4_lite_are_found(name, tmp_path):
    pattern, other, says = LITE_FAULTS[name]
    wrong = library(changed(tmp_path, "crossings_s_axil", pattern, other, PARAMETERS[AXI_LITE]))
    with pytest.raises(AssertionError, match=says):
        a_reset_loses_an_access("3:7", wrong)


ORDER_FAULTS = {
    "a status does not wait": ("crossings_order", r"may = ~may_difference\[11\]", "may = 1'b1"),
    "a status knows no number": ("crossings_order_gate", r"assign may = known_reg & taken", "assign may = taken"),
    "a status goes with the one before": ("crossings_order_gate", r"known_or = hold \| \(waits & may\)", "known_or = hold"),
}  # fmt: skip
"""Module, what stands there, and what stands there instead."""


@pytest.mark.parametrize("name", ORDER_FAULTS)
def test_faults_of_the_order_are_found(name, tmp_path):
    wrong = library(changed(tmp_path, *ORDER_FAULTS[name], ORDERED))
    with pytest.raises(AssertionError):
        a_status_waits_for_its_data("7:3", wrong)
