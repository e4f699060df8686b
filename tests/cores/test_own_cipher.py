# SPDX-License-Identifier: Apache-2.0
"""A cipher of a user passes in any style, and a wrong result, a wrong latency and a latency that depends on data are refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from amaranth.hdl import Cat, Const, Module, Mux, Signal
from tests.built import slow, slowly
from tests.generality.styles import gift128, noekeon, sm4_rom
from tests.generality.styles.ports import CorePorts, SchedulePorts

from modeloom.ciphers import BlockCipher, CoreRequest, CoreTiming
from modeloom.ciphers.check import check_core
from modeloom.cores.components import check_timing
from modeloom.spec import DefinitionError

VECTORS = {
    "gift128": (gift128.GIFT128, "00" * 16, "00" * 16, "cd0bd738388ad3f668b15a36ceb6ff92"),
    "noekeon": (noekeon.NOEKEON, "00" * 16, "00" * 16, "b1656851699e29fa24b70148503d2dfc"),
    "noekeon of ones": (noekeon.NOEKEON, "ff" * 16, "ff" * 16, "2a78421b87c7d0924f26113f1d1349b2"),
    "sm4": (sm4_rom.OWN_SM4, "0123456789abcdeffedcba9876543210", "0123456789abcdeffedcba9876543210", "681edf34d206965e86b3e94f536e4246"),
}  # fmt: skip
"""Published vectors: key, plaintext, ciphertext."""


def request(form: str = "sequential", direction: str = "both") -> CoreRequest:
    return CoreRequest(direction=direction, form=form, key_bits=128, stages=1, slots=2)


@pytest.mark.parametrize("name", VECTORS)
def test_published_vectors(name: str) -> None:
    cipher, key, plain, wanted = VECTORS[name]
    keyed = cipher.software(bytes.fromhex(key))
    assert keyed.encrypt(bytes.fromhex(plain)).hex() == wanted and keyed.decrypt(bytes.fromhex(wanted)).hex() == plain


STYLES = {"gift128": gift128.GIFT128, "noekeon": noekeon.NOEKEON, "own-sm4": sm4_rom.OWN_SM4}


@pytest.mark.parametrize("name", ["noekeon", *slowly("own-sm4", "gift128")])
def test_styles_pass(name: str) -> None:
    """Array, gates and machines, memories: the sequential core in the default run, and its netlist."""
    check_timing(STYLES[name], request())
    check_core(STYLES[name], request())


@slow
@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
@pytest.mark.parametrize("name", STYLES)
def test_pipelines_of_all_styles_pass(name: str, direction: str) -> None:
    check_timing(STYLES[name], request("pipelined", direction))
    check_core(STYLES[name], request("pipelined", direction))


class Toy:
    """Four rounds of an XOR and a rotation."""

    def __init__(self, key: bytes):
        self.key = int.from_bytes(key, "little")

    def encrypt(self, blocks: bytes) -> bytes:
        return b"".join(self._run(blocks[at : at + 16], self.round) for at in range(0, len(blocks), 16))

    def decrypt(self, blocks: bytes) -> bytes:
        return b"".join(self._run(blocks[at : at + 16], self.back) for at in range(0, len(blocks), 16))

    def round(self, x: int) -> int:
        x ^= self.key
        return (x << 5 | x >> 123) & (1 << 128) - 1

    def back(self, x: int) -> int:
        return ((x >> 5 | x << 123) & (1 << 128) - 1) ^ self.key

    @staticmethod
    def _run(block: bytes, step: Callable[[int], int]) -> bytes:
        x = int.from_bytes(block, "little")
        for _ in range(4):
            x = step(x)
        return x.to_bytes(16, "little")


def never(x: Signal) -> Any:
    return Const(0, 1)


class ToyCore(CorePorts):
    """Encrypts a block in five cycles.  ``stall`` says for which states a round takes a cycle more."""

    def __init__(self, stall: Callable[[Signal], Any] = never, constant: int = 0, keeps: bool = True):
        self.stall, self.constant, self.keeps = stall, constant, keeps
        super().__init__(2, 5, 2, 128, both=True)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        keys = [Signal(128, name=f"key_{n}", reset_less=self.keeps) for n in range(2)]
        for n, key in enumerate(keys):
            with m.If(self.key_we & (self.key_slot == n)):
                m.d.sync += key.eq(self.key_data)
        count, state, result, slot, decrypt = Signal(3), Signal(128), Signal(128), Signal(), Signal()
        key = Mux(slot, keys[1], keys[0])
        forth = (state ^ key ^ Mux(count == 2, self.constant, 0)).rotate_left(5)
        back = state.rotate_right(5) ^ key
        after = Signal(128)
        m.d.comb += after.eq(Mux(decrypt, back, forth))
        with m.If((count == 4) & ~self.stall(state)):
            m.d.sync += result.eq(after)
        with m.If(self.start):
            m.d.sync += [state.eq(self.i), slot.eq(self.slot), decrypt.eq(self.decrypt), count.eq(1)]
        with m.Elif((count != 0) & ~self.stall(state)):
            m.d.sync += [state.eq(after), count.eq(Mux(count == 4, 0, count + 1))]
        with m.Elif(count != 0):
            m.d.sync += state.eq(state ^ 1)
        m.d.comb += self.o.eq(result)
        return m


class EarlyCore(ToyCore):
    """Shows the result of some blocks a cycle earlier than that of others."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.inner = inner = ToyCore()
        early, late = Signal(), Signal(128)
        m.d.comb += [getattr(inner, name).eq(getattr(self, name)) for name in self.signature.members if name != "o"]
        with m.If(self.start):
            m.d.sync += early.eq(self.i[0])
        m.d.sync += late.eq(inner.o)
        m.d.comb += self.o.eq(Mux(early, inner.o, late))
        return m


class ToySchedule(SchedulePorts):
    def __init__(self, wait: bool = False):
        self.wait = wait
        super().__init__(2, 128)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        key, count = Signal(128), Signal(2)
        last = Mux(key[:20] == 5, 3, 2) if self.wait else 2
        m.d.comb += [
            self.busy.eq(count != 0), self.we.eq(count != 0), self.round.eq(count == 2), self.data.eq(key), self.data_dec.eq(key),
            self.done.eq(count == last),
        ]  # fmt: skip
        with m.If(self.start | self.erase):
            m.d.sync += [count.eq(1), key.eq(Mux(self.erase, 0, self.key))]
        with m.Elif(count == last):
            m.d.sync += [count.eq(0), key.eq(0)]
        with m.Elif(count != 0):
            m.d.sync += count.eq(count + 1)
        return m


def toy(core: Callable[[], Any] = ToyCore, schedule: Callable[[], Any] = ToySchedule, latency: int = 5) -> BlockCipher:
    return BlockCipher(
        name="toy", block_bytes=16, key_bits=(128,), round_keys=lambda bits: 2, round_key_bits=128, pipelined=(), sequential=("both",),
        timing=lambda request: CoreTiming(latency, 5), software=Toy, hardware=lambda request: core(),
        key_schedule=lambda bits: schedule(),
    )  # fmt: skip


def late() -> ToyCore:
    core = ToyCore()
    core.latency = 6
    return core


def test_the_toy_passes() -> None:
    check_timing(toy(), request())
    check_core(toy(), request())


FAULTS = {
    "a wrong constant in one round": (toy(lambda: ToyCore(constant=1 << 77)), check_core, "gives .* for block"),
    "a wrong latency": (toy(late, latency=6), check_core, "takes 5 cycles, and its timing says 6"),
    "a stall of some blocks": (toy(lambda: ToyCore(lambda x: x[3] & x[9])), check_core, "gives .* for block"),
    "keys that a reset clears": (toy(lambda: ToyCore(keeps=False)), check_core, "loses its round keys when it is reset"),
    "a result that is early for some blocks": (toy(lambda: early(), latency=6), check_core, "takes 5 cycles for some blocks, and 6 for"),
    "a stall of one block in 2^40": (toy(lambda: ToyCore(lambda x: x[:40] == 7)), check_timing, r"select in core depends on the data"),
    "a key that takes longer, one in 2^20": (toy(schedule=lambda: ToySchedule(True)), check_timing, "depends on the key"),
}  # fmt: skip


def early() -> EarlyCore:
    core = EarlyCore()
    core.latency = 6
    return core


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_refused(fault: str) -> None:
    cipher, check, message = FAULTS[fault]
    with pytest.raises(DefinitionError, match=message) as caught:
        check(cipher, request())
    assert "\n" not in str(caught.value) and str(caught.value).startswith("cipher toy: ")


def test_a_rare_stall_is_in_no_simulation() -> None:
    """So the netlist has to show it."""
    check_core(toy(lambda: ToyCore(lambda x: x[:40] == 7)), request())


def test_look_ups_that_write_in_all_cases_are_no_holds() -> None:
    """A complete ``Switch`` on data in a clocked domain, and a choice between two new values."""

    class Chooses(ToyCore):
        def elaborate(self, platform: object) -> Module:
            m = super().elaborate(platform)
            chosen, looked = Signal(4), Signal(4)
            m.d.sync += chosen.eq(Mux(self.i[7], self.i[:4], ~self.i[4:8]))
            with m.Switch(self.i[:4]):
                for value in range(16):
                    with m.Case(value):
                        m.d.sync += looked.eq(value * 7 + 3 & 15)
            m.d.comb += self.o[:8].eq(Cat(chosen, looked))
            return m

    check_timing(toy(Chooses), request())


def test_the_description_is_checked_as_a_whole() -> None:
    with pytest.raises(DefinitionError, match="docs/new-mode.md"):
        check_timing(replace(toy(), key_schedule=lambda bits: ToySchedule(True)), request())
