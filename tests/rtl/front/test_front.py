# SPDX-License-Identifier: Apache-2.0
"""The registers in front of a core: every address, keys, events, counters, erasure."""

import dataclasses
import random

import pytest
from amaranth.back import rtlil
from tests.rtl.front.bench import FIGURES, Bench, component, registers

from modeloom.interfaces.front import APB, AXI_LITE, REGISTER_BUSES
from modeloom.product.front import RegisterRefused
from modeloom.rtl.front import registers as hardware
from modeloom.taint.check import TimingChannel, check_netlist
from modeloom.taint.graph import netlist_of_rtlil
from modeloom.verification.front import GATE, KEY_RESULT, KEY_SECRET

RESET = {"interrupt_enable": 0, "interrupt_pending": 2, "key_length": FIGURES["KEY_BYTES"]}
"""Registers that the bus can write, after a reset.  The erasure at power-up is an event."""


PAUSES = {"s_axil_aw": 0.5, "s_axil_w": 0.5, "s_axil_b": 0.3, "s_axil_ar": 0.5, "s_axil_r": 0.3}
"""Pauses of all channels."""


def quiet_bench(**options):
    """A bench whose event of the power-up is cleared."""
    bench = Bench(**options)
    bench.host.write("interrupt_pending", 7)
    return bench


def pulse(bench, name, cycles=1):
    bench.sim.set(name, 1)
    bench.runner.run(max_cycles=cycles)
    bench.sim.set(name, 0)


def test_what_the_core_is():
    host = Bench().host
    read = {name: host.read(name) for name in ("identification", "version", "build", "capabilities", "key_sizes")}
    assert read == {
        "identification": 0x4D4C4F4D, "version": 3 << 16 | 14 << 8 | 15, "build": 0x92653589, "capabilities": 16 << 16 | 1 << 8 | 1,
        "key_sizes": 40 << 16 | 5,
    }  # fmt: skip


@pytest.mark.parametrize("bus", REGISTER_BUSES)
def test_every_address(bus):
    """A read or write succeeds where the map says so.  Everywhere else it is refused."""
    bench = Bench(seed=3, bus=bus, gaps=PAUSES if bus == AXI_LITE else {})
    reads, writes = set(), set()
    for one in registers().registers:
        words = {one.address + 4 * word for word in range(one.words)}
        reads |= words if one.reads else set()
        writes |= words if one.writes else set()
    assert len(reads) > 30 and len(writes) > 10
    for address in range(0, 1 << registers().address_bits, 4):
        for ways, access in ((reads, bench.host.read), (writes, lambda at: bench.host.write(at, 0))):
            try:
                access(address)
                assert address in ways, hex(address)
            except RegisterRefused:
                assert address not in ways, hex(address)
        while bench.host.flag("key_sending"):
            pass
        bench.packets()


@pytest.mark.parametrize("bus", REGISTER_BUSES)
def test_registers_keep_what_is_written(bus):
    host = quiet_bench(bus=bus).host
    assert {name: host.read(name) for name in RESET} == {**RESET, "interrupt_pending": 0}
    host.write("interrupt_enable", 0xFFFFFFFD)
    host.write("key_length", 0xABCD1234)
    assert (host.read("interrupt_enable"), host.read("key_length")) == (5, 0x1234)
    for strobe in range(15):
        with pytest.raises(RegisterRefused):
            host.write_bytes(host.address("interrupt_enable"), 2, strobe)
    assert host.read("interrupt_enable") == 5


@pytest.mark.parametrize(("gap", "bus"), [(0.0, AXI_LITE), (0.7, AXI_LITE), (0.3, APB)])
def test_keys_go_to_the_core_and_are_overwritten(gap, bus):
    bench, rng = quiet_bench(seed=5, gaps={"s_axis_key": gap}, bus=bus), random.Random(1)
    for nbytes in (*range(1, 49), 16, 5):
        key, slot = rng.randbytes(nbytes), rng.randrange(256)
        bench.host.send_key(key, slot)
        while bench.host.flag("key_sending"):
            pass
        assert bench.packets() == [(key, slot, False)]
        assert not any(bench.key_words())
    bench.host.send_key(b"", 7, erase=True)
    bench.runner.run(max_cycles=200)
    assert bench.packets() == [(bytes(16), 7, True)]


def test_a_key_without_bytes():
    bench = quiet_bench()
    bench.host.send_key(b"", 2)
    bench.runner.run(max_cycles=200)
    assert bench.packets() == [(b"", 2, False)]


def test_erasing_a_slot_overwrites_what_was_written():
    bench = quiet_bench()
    bench.host.write("key_data", 0x12345678, offset=3)
    assert any(bench.key_words())
    bench.host.send_key(b"", 1, erase=True)
    bench.runner.run(max_cycles=200)
    assert not any(bench.key_words()) and bench.packets() == [(bytes(16), 1, True)]


def test_a_key_on_its_way_is_left_alone():
    bench = quiet_bench(gaps={"s_axis_key": 0.999})
    key = bytes(range(40))
    bench.host.send_key(key, 4)
    for register, value in (("key_data", 1), ("key_send", 1), ("key_send", 1 << 16)):
        with pytest.raises(RegisterRefused):
            bench.host.write(register, value)
    assert bench.host.flag("key_sending")
    bench.runner.set_gaps({"s_axis_key": 0})
    bench.runner.run(max_cycles=200)
    assert bench.packets() == [(key, 4, False)]
    bench.host.write("key_data", 1)


def test_a_length_without_room_is_refused():
    bench = quiet_bench()
    bench.host.write("key_length", 4 * FIGURES["KEY_WORDS"] + 1)
    with pytest.raises(RegisterRefused):
        bench.host.write("key_send", 0)
    bench.host.write("key_send", 1 << 16)
    bench.runner.run(max_cycles=200)
    assert bench.packets() == [(bytes(16), 0, True)]


@pytest.mark.parametrize("bus", REGISTER_BUSES)
def test_a_key_whose_words_were_overwritten_is_refused(bus):
    """An erasure takes words that the host has written; after a packet there are none.  Zeros would take their place in the key."""
    bench, key = quiet_bench(bus=bus), bytes(range(1, 19))

    def write(words):
        for at in words:
            bench.host.write("key_data", int.from_bytes(key[4 * at : 4 * at + 4], "little"), offset=at)

    def refused(slot):
        with pytest.raises(RegisterRefused):
            bench.host.write("key_send", slot)

    bench.host.write("key_length", len(key))
    refused(3)
    write((0, 1))
    pulse(bench, "erase_pin")
    bench.runner.run(max_cycles=40)
    write((2, 3, 4))
    refused(3)
    write((1,))
    refused(3)
    write((0,))
    bench.host.write("key_send", 3)
    bench.runner.run(max_cycles=200)
    assert bench.packets() == [(key, 3, False)]
    refused(4)
    bench.runner.run(max_cycles=200)
    assert bench.packets() == []


def test_a_slot_that_the_port_cannot_tell_of_is_refused():
    """Its number would be cut to that of another slot."""
    bench = quiet_bench()
    for send in (256 + 2, 0x8002, 1 << 16 | 256 + 2):
        with pytest.raises(RegisterRefused):
            bench.host.send_key(bytes(16), send)
    bench.runner.run(max_cycles=200)
    assert bench.packets() == []
    bench.host.write("key_send", 255)
    bench.runner.run(max_cycles=200)
    assert bench.packets() == [(bytes(16), 255, False)]


def test_state():
    bench = Bench()
    for name in ("key_busy", "key_error"):
        assert not bench.host.flag(name)
        bench.sim.set(name, 1)
        assert bench.host.flag(name)
    bench.sim.set("key_loaded", 0b10110)
    assert bench.host.flag("key_loaded") == 0b10110


def test_the_interrupt_of_a_key():
    bench = quiet_bench()
    bench.host.write("interrupt_enable", 1)
    bench.host.send_key(bytes(16))
    bench.runner.run(max_cycles=12)
    bench.sim.set("key_busy", 1)
    bench.runner.run(max_cycles=100)
    assert not bench.sim.get("irq") and not bench.host.read("interrupt_pending")
    bench.sim.set("key_busy", 0)
    bench.runner.run(max_cycles=4)
    assert bench.sim.get("irq") and bench.host.read("interrupt_pending") == 1
    bench.host.write("interrupt_pending", 6)
    assert bench.sim.get("irq")
    bench.host.write("interrupt_pending", 1)
    bench.runner.run(max_cycles=2)
    assert not bench.sim.get("irq") and not bench.host.read("interrupt_pending")


def status(bench, code, number):
    """A status that the host takes."""
    bench.sim.set("m_axis_status_tdata", code << 16 | number)
    bench.sim.set("m_axis_status_tready", 1)
    pulse(bench, "m_axis_status_tvalid")
    bench.sim.set("m_axis_status_tready", 0)


def test_failures():
    bench = quiet_bench()
    bench.host.write("interrupt_enable", 4)
    status(bench, 0, 11)
    assert not bench.host.read("interrupt_pending") and not bench.host.read("last_failure")
    for code in (3, 6, 3):
        status(bench, code, 100 + code)
    bench.runner.run(max_cycles=4)
    assert bench.sim.get("irq") and bench.host.read("last_failure") == 103 << 16 | 3
    assert [bench.host.read(f"failures{at}") for at in range(6)] == [0, 0, 2, 0, 0, 1]
    assert (bench.host.counter("succeeded"), bench.host.counter("failed")) == (1, 3)
    bench.host.write("control", 2)
    assert [bench.host.read(f"failures{at}") for at in range(6)] == [0] * 6 and not bench.host.counter("failed")
    assert bench.host.read("last_failure") == 103 << 16 | 3


def test_counters_of_streams():
    bench, rng = quiet_bench(), random.Random(2)
    bench.host.write("control", 2)
    names = {"s_axis_cmd": "command", "s_axis": "in", "m_axis": "out", "m_axis_status": "status"}
    counted = "commands bytes_in bytes_out command_waits in_waits in_idle out_waits out_idle status_waits"
    wanted = dict.fromkeys(counted.split(), 0)
    for _ in range(300):
        for stream, name in names.items():
            valid, ready, keep = rng.randrange(2), rng.randrange(2), (1 << rng.randrange(17)) - 1
            bench.sim.set(f"{stream}_tvalid", valid)
            bench.sim.set(f"{stream}_tready", ready)
            if name in ("in", "out"):
                bench.sim.set(f"{stream}_tkeep", keep)
                wanted[f"bytes_{name}"] += keep.bit_length() * (valid & ready)
                wanted[f"{name}_idle"] += ready & ~valid
            wanted[f"{name}_waits"] += valid & ~ready
            wanted["commands"] += valid & ready if name == "command" else 0
        bench.runner.run(max_cycles=1)
    for stream in names:
        bench.sim.set(f"{stream}_tvalid", 0)
        bench.sim.set(f"{stream}_tready", 0)
    assert {name: bench.host.counter(name) for name in wanted} == wanted
    before = bench.sim.cycle
    first = bench.host.counter("cycles")
    between = bench.sim.cycle - before
    assert bench.host.counter("cycles") - first == between


@pytest.mark.parametrize("how", ["register", "pin"])
def test_zeroize(how):
    """It reaches the core, drops a key on its way, and overwrites it here; accesses are answered all the same."""
    bench = quiet_bench(gaps={"s_axis_key": 0.999})
    bench.host.write("interrupt_enable", 2)
    bench.host.send_key(bytes(range(1, 41)), 3)
    bench.runner.run(max_cycles=5)
    bench.sim.watch(["zeroize"])
    if how == "register":
        bench.host.write("control", 1)
    else:
        pulse(bench, "erase_pin")
    bench.runner.run(max_cycles=2)
    assert sum(bench.sim.watched()) == 1
    assert bench.sim.get("erasing_pin") and not bench.sim.get("s_axis_key_tvalid")
    bench.sim.set("zeroizing", 1)
    bench.runner.run(max_cycles=40)
    assert bench.host.flag("zeroizing") and not any(bench.key_words()) and not bench.sim.get("irq")
    bench.sim.set("zeroizing", 0)
    bench.runner.run(max_cycles=3)
    assert bench.sim.get("irq") and bench.host.read("interrupt_pending") == 2 and not bench.sim.get("erasing_pin")
    bench.runner.set_gaps({"s_axis_key": 0})
    bench.runner.forget()
    bench.host.send_key(bytes(16), 1)
    bench.runner.run(max_cycles=100)
    assert bench.packets() == [(bytes(16), 1, False)]


def test_zeroize_drops_a_word_as_a_transfer_of_apb_begins():
    bench = quiet_bench(bus=APB)
    beat = {"paddr": registers().address("interrupt_enable"), "pwrite": 1, "pwdata": 0xFFFFFFFF, "pstrb": 15}
    bench.runner.feed("s_apb", {f"s_apb_{name}": [value] for name, value in beat.items()})
    pulse(bench, "erase_pin")
    assert bench.sim.get("s_apb_psel") and not bench.sim.get("s_apb_penable")
    assert bench.runner.run({"s_apb_answer": 1}, max_cycles=2).done
    assert bench.runner.take("s_apb_answer").values("s_apb_pslverr") == [1]
    bench.runner.run(max_cycles=60)
    assert not bench.host.read("interrupt_enable")


def test_zeroize_drops_a_word_that_waits_for_its_address():
    bench = quiet_bench()
    bench.host.feed("s_axil_w", {"s_axil_wdata": [0xFFFFFFFF], "s_axil_wstrb": [15]})
    bench.runner.run(max_cycles=4)
    pulse(bench, "erase_pin")
    bench.runner.run(max_cycles=60)
    bench.host.feed("s_axil_aw", {"s_axil_awaddr": [registers().address("interrupt_enable")]})
    bench.runner.run({"s_axil_b": 1}, max_cycles=20)
    assert bench.runner.take("s_axil_b").values("s_axil_bresp") == [2]
    assert not bench.host.read("interrupt_enable")


def netlist(bus=AXI_LITE):
    return netlist_of_rtlil(rtlil.convert(component(bus), name="front", emit_src=False), "front")


@pytest.mark.parametrize("bus", REGISTER_BUSES)
def test_no_control_depends_on_a_key(bus):
    secret = KEY_SECRET if bus == AXI_LITE else dataclasses.replace(KEY_SECRET, port="s_apb_pwdata")
    report = check_netlist(netlist(bus), [secret], [KEY_RESULT], (), [GATE])
    assert report.control > 500 and report.declassified == {GATE.about: 32}


def test_a_key_that_can_be_read_is_found(monkeypatch):
    """Without the gate a register may hold part of a key, and a part of a key may come back."""
    with pytest.raises(TimingChannel, match="depends on the key"):
        check_netlist(netlist(), [KEY_SECRET], [KEY_RESULT], (), [])
    read = hardware.Registers._value

    def leaky(self, m, field, name, writes, word):
        return self.access.write_data if name == "high_value" else read(self, m, field, name, writes, word)

    monkeypatch.setattr(hardware.Registers, "_value", leaky)
    with pytest.raises(TimingChannel, match="s_axil_rdata"):
        check_netlist(netlist(), [KEY_SECRET], [KEY_RESULT], (), [GATE])


def test_the_check_is_not_empty():
    """Every bit of the key has to arrive at the core."""
    assert KEY_SECRET.reaches
    with pytest.raises(TimingChannel, match="no bit 128"):
        check_netlist(netlist(), [KEY_SECRET], [dataclasses.replace(KEY_RESULT, width=129)], (), [GATE])
