# SPDX-License-Identifier: Apache-2.0
"""The SM4 cores and their key schedule: the standard's example in Amaranth's simulator, and the check of ciphers against software."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from amaranth.hdl import Module, Value
from amaranth.sim import Simulator
from tests import built

from modeloom.ciphers import SM4, CoreRequest
from modeloom.ciphers.check import check_core
from modeloom.rtl import sm4
from modeloom.rtl.cipher_bench import CipherBench
from modeloom.rtl.sm4 import FIXED_PARAMETERS, SBOX, SYSTEM_PARAMETER, SM4KeySchedule, SM4Pipeline, SM4Sequential
from modeloom.spec import DefinitionError
from modeloom_golden import sm4 as golden

EXAMPLE = bytes.fromhex("0123456789abcdeffedcba9876543210")
ONCE = bytes.fromhex("681edf34d206965e86b3e94f536e4246")


def number(data: bytes) -> int:
    return int.from_bytes(data, "little")


def request(direction: str, form: str, stages: int, slots: int) -> CoreRequest:
    return CoreRequest(direction=direction, form=form, key_bits=128, stages=stages, slots=slots)


def simulated(bench: Any, scenario: Any) -> None:
    finished = []

    async def testbench(context: Any) -> None:
        await scenario(context)
        finished.append(True)

    simulator = Simulator(bench)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()
    assert finished


def test_tables_are_those_of_the_standard():
    assert SBOX == tuple(golden.SBOX)
    assert (SYSTEM_PARAMETER, FIXED_PARAMETERS) == (golden.FK, golden.CK)


@pytest.mark.parametrize("core", [
    SM4Pipeline("encrypt"), SM4Pipeline("decrypt", 2, 2), SM4Pipeline("both", 2, 3), SM4Sequential("encrypt", 2), SM4Sequential("both"),
], ids=["pipelined encrypt", "pipelined decrypt", "pipelined both", "sequential encrypt", "sequential both"])  # fmt: skip
def test_the_example_of_the_standard(core):
    bench = CipherBench(core.direction, core, SM4KeySchedule(), core.slots)

    async def scenario(context: Any) -> None:
        context.set(bench.key, number(EXAMPLE))
        context.set(bench.key_slot, core.slots - 1)
        context.set(bench.key_start, 1)
        await context.tick()
        context.set(bench.key_start, 0)
        await context.tick().repeat(bench.schedule.latency + 2)
        for decrypts in {"encrypt": (0,), "decrypt": (1,), "both": (0, 1)}[core.direction]:
            given, expected = (ONCE, EXAMPLE) if decrypts else (EXAMPLE, ONCE)
            for port, value in (("i", number(given)), ("slot", core.slots - 1), ("decrypt", decrypts), ("start", 1)):
                context.set(getattr(bench, port), value)
            await context.tick()
            context.set(bench.i, 0)
            context.set(bench.start, 0)
            await context.tick().repeat(core.latency - 1)
            assert context.get(bench.o) == number(expected)

    simulated(bench, scenario)


def test_key_schedule_writes_in_order_and_keeps_nothing():
    dut = SM4KeySchedule()
    writes, ends, residue = [], [], []

    async def scenario(context: Any) -> None:
        for cycle in range(120):
            context.set(dut.start, int(cycle in (0, 5, 80)))
            context.set(dut.erase, int(cycle in (9, 40)))
            context.set(dut.key, number(EXAMPLE) if cycle in (0, 80) else 12345)
            if context.get(dut.we):
                assert context.get(dut.data) == context.get(dut.data_dec)
                writes.append((cycle, context.get(dut.round), context.get(dut.data)))
            if context.get(dut.done):
                ends.append(cycle)
            if not context.get(dut.busy):
                residue.append(context.get(dut.data))
            await context.tick()

    simulated(dut, scenario)
    keys = golden.round_keys(EXAMPLE)
    expected = [(r + 2, r, key) for r, key in enumerate(keys)] + [(41 + r, r, 0) for r in range(32)]
    assert writes == expected + [(80 + r + 2, r, key) for r, key in enumerate(keys)]
    assert ends == [dut.latency, 40 + dut.erase_latency, 80 + dut.latency]
    assert not any(residue)


@pytest.mark.parametrize("one", [
    request("encrypt", "pipelined", 1, 2), request("both", "sequential", 1, 2), request("both", "pipelined", 1, 1),
    *built.slowly(request("decrypt", "pipelined", 2, 1), request("encrypt", "pipelined", 2, 3), request("encrypt", "sequential", 2, 3),
                  request("decrypt", "sequential", 1, 1), request("both", "sequential", 2, 1),
                  request("both", "pipelined", 2, 3)),
], ids=str)  # fmt: skip
def test_cores_are_what_the_software_is(one):
    check_core(SM4, one)


def test_a_wrong_linear_map_is_found(monkeypatch):
    def wrong(word: Value) -> Value:
        return word ^ word.rotate_left(2) ^ word.rotate_left(10) ^ word.rotate_left(18) ^ word.rotate_left(23)

    monkeypatch.setattr(sm4, "linear", wrong)
    with pytest.raises(DefinitionError, match="cipher sm4: the pipelined encrypter for 128-bit keys with 1 register per round gives "):
        check_core(SM4, request("encrypt", "pipelined", 1, 1))


def test_round_keys_in_the_wrong_order_are_found():
    class Forward(SM4Sequential):
        def elaborate(self, platform: object) -> Module:
            self.direction = "encrypt"
            return super().elaborate(platform)

    cipher = replace(SM4, hardware=lambda request: Forward("decrypt"))
    with pytest.raises(DefinitionError, match="cipher sm4: the sequential decrypter for 128-bit keys with 1 cycle per round gives "):
        check_core(cipher, request("decrypt", "sequential", 1, 1))


def test_parameters_are_checked():
    for kind in (SM4Pipeline, SM4Sequential):
        with pytest.raises(ValueError, match="direction must be one of encrypt, decrypt"):
            kind("forth")
        with pytest.raises(ValueError, match="registers_per_round must be from 1 to 2, not 3"):
            kind("encrypt", 3)
        with pytest.raises(TypeError, match="slots must be an integer, not '2'"):
            kind("encrypt", 1, "2")
