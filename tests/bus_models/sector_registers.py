# SPDX-License-Identifier: Apache-2.0
"""Run by cocotb inside a simulator: a core for sectors with registers, behind the AXI models of cocotbext-axi."""

from __future__ import annotations

import os
import random
from itertools import cycle

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp, AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from modeloom import model
from modeloom.interfaces.sector import StatusCode, pack_command, unpack_status
from modeloom.product.folder import read_description

DESCRIPTION = read_description(os.environ["CORE_FOLDER"])
ADDRESSES = DESCRIPTION.front.registers
SEED = int(os.environ["SEED"])
PERIOD = 10
"""Nanoseconds of a cycle."""


class Bench:
    """The core between bus models, after a reset."""

    def __init__(self, dut, rng: random.Random):
        self.dut, self.rng = dut, rng
        reset = {"reset": dut.aresetn, "reset_active_level": False}
        self.registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.aclk, **reset)
        self.commands = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis_cmd"), dut.aclk, **reset, byte_lanes=40)
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.aclk, **reset)
        self.sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.aclk, **reset)
        self.statuses = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis_status"), dut.aclk, **reset, byte_lanes=4)

    @classmethod
    async def started(cls, dut, pause: float = 0.0) -> Bench:
        """A bench whose buses pause with a probability."""
        rng = random.Random(SEED)
        cocotb.start_soon(Clock(dut.aclk, PERIOD, "ns").start())
        dut.zeroize.value, dut.aresetn.value = 0, 0
        bench = cls(dut, rng)
        await ClockCycles(dut.aclk, 3)
        dut.aresetn.value = 1
        await bench.idle()
        if pause:
            read, write = bench.registers.read_if, bench.registers.write_if
            channels = (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel)
            for channel in (*channels, bench.commands, bench.source, bench.sink, bench.statuses):
                channel.set_pause_generator(cycle([rng.random() < pause for _ in range(101)]))
        return bench

    async def idle(self) -> None:
        """Waits until no erasure is in progress."""
        await RisingEdge(self.dut.aclk)
        while int(self.dut.zeroizing.value):
            await RisingEdge(self.dut.aclk)

    async def read(self, name: str, offset: int = 0) -> int:
        """A register."""
        answer = await self.registers.read(ADDRESSES[name] + 4 * offset, 4)
        assert answer.resp == AxiResp.OKAY, name
        return int.from_bytes(answer.data, "little")

    async def write(self, name: str, value: int) -> None:
        """Writes a register."""
        answer = await self.registers.write(ADDRESSES[name], value.to_bytes(4, "little"))
        assert answer.resp == AxiResp.OKAY, name

    async def load(self, key: bytes, slot: int) -> None:
        """Loads a key, whose words are written in a burst."""
        while await self.read("state") & 8:
            pass
        answer = await self.registers.write(ADDRESSES["key_data"], key)
        assert answer.resp == AxiResp.OKAY
        await self.write("key_length", len(key))
        await self.write("key_send", slot)
        while await self.read("state") & 10:
            pass

    async def sectors(self, keys: dict[int, bytes], count: int) -> None:
        """Random sectors under these keys, back to back, and their results."""
        nbytes, models = DESCRIPTION.sector_bytes, {slot: model(DESCRIPTION.mode, key) for slot, key in keys.items()}
        wanted = []
        for number in range(count):
            slot, tweak, decrypt = self.rng.choice([*keys]), self.rng.randbytes(16), self.rng.random() < 0.5
            data = self.rng.randbytes(nbytes)
            await self.commands.send(AxiStreamFrame(pack_command(tweak=tweak, tag=number, slot=slot, decrypt=decrypt)))
            await self.source.send(AxiStreamFrame(data))
            wanted.append((models[slot].decrypt if decrypt else models[slot].encrypt)(tweak, data))
        for number, result in enumerate(wanted):
            frame = await with_timeout(self.sink.recv(), 1, "ms")
            assert bytes(frame.tdata) == result, f"sector {number}"
            status = await with_timeout(self.statuses.recv(), 1, "ms")
            assert unpack_status(bytes(status.tdata)) == (number, StatusCode.OK)
        assert self.sink.empty() and self.statuses.empty()


@cocotb.test()
@cocotb.parametrize(pause=[0.0, 0.3, 0.8])
async def keys_and_sectors(dut, pause: float) -> None:
    """Keys go over registers while their words pause, and sectors of all slots are right."""
    bench = await Bench.started(dut, pause)
    assert await bench.read("identification") == 0x4D4C4F4D
    keys = {slot: bench.rng.randbytes(DESCRIPTION.key_bytes) for slot in range(DESCRIPTION.key_slots)}
    for slot, key in keys.items():
        await bench.load(key, slot)
    assert await bench.read("key_loaded0") == (1 << DESCRIPTION.key_slots) - 1
    await bench.write("control", 2)
    await bench.sectors(keys, 8)
    assert (await bench.read("commands"), await bench.read("succeeded")) == (8, 8)
    assert await bench.read("bytes_in") == await bench.read("bytes_out") == 8 * DESCRIPTION.sector_bytes


@cocotb.test()
async def a_key_while_others_work(dut) -> None:
    """A key is loaded into one slot while sectors of another one run."""
    bench = await Bench.started(dut, 0.2)
    first, second = (bench.rng.randbytes(DESCRIPTION.key_bytes) for _ in range(2))
    await bench.load(first, 0)
    work = cocotb.start_soon(bench.sectors({0: first}, 12))
    await bench.load(second, 1)
    await work
    await bench.sectors({0: first, 1: second}, 4)


@cocotb.test()
async def what_is_refused(dut) -> None:
    """Accesses that the map does not allow get SLVERR, parts of words too, and change nothing."""
    bench = await Bench.started(dut, 0.3)
    for name in ("key_data", "key_send", "control"):
        assert (await bench.registers.read(ADDRESSES[name], 4)).resp == AxiResp.SLVERR
    for name in ("identification", "state", "cycles"):
        assert (await bench.registers.write(ADDRESSES[name], bytes(4))).resp == AxiResp.SLVERR
    await bench.write("interrupt_enable", 5)
    assert (await bench.registers.write(ADDRESSES["interrupt_enable"] + 1, b"\0")).resp == AxiResp.SLVERR
    assert await bench.read("interrupt_enable") == 5


@cocotb.test()
async def zeroize_in_the_middle(dut) -> None:
    """An erasure over registers drops work and keys; the core works again with new ones."""
    bench = await Bench.started(dut)
    key = bench.rng.randbytes(DESCRIPTION.key_bytes)
    await bench.load(key, 0)
    await bench.source.send(AxiStreamFrame(bytes(DESCRIPTION.sector_bytes)))
    await bench.commands.send(AxiStreamFrame(pack_command(tweak=bytes(16))))
    await ClockCycles(dut.aclk, 20)
    await bench.write("interrupt_enable", 2)
    await bench.write("interrupt_pending", 7)
    await bench.write("control", 1)
    await bench.idle()
    while not int(dut.irq.value):
        await RisingEdge(dut.aclk)
    assert await bench.read("key_loaded0") == 0
    bench.sink.clear()
    bench.statuses.clear()
    await bench.load(key, 2)
    await bench.sectors({2: key}, 2)
