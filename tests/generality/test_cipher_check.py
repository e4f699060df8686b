# SPDX-License-Identifier: Apache-2.0
"""A cipher's cores are compared with its software before a core is built: planted faults are found, and the message names the core."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from tests import built
from tests.generality import quad256
from tests.generality.cores import MODES, compiled
from tests.generality.other_constant import OtherConstant
from tests.generality.quad256 import QUAD256, Quad256, QuadKeySchedule, QuadPipeline

from modeloom.ciphers import AES, CoreRequest, CoreTiming
from modeloom.ciphers.check import check_core
from modeloom.cli import main
from modeloom.cores.sector import core_requests
from modeloom.rtl.aes.sequential import AESSequential
from modeloom.spec import DefinitionError


def request(direction: str, form: str, key_bits: int, stages: int, slots: int, sbox: str = "lut") -> CoreRequest:
    return CoreRequest(direction=direction, form=form, key_bits=key_bits, stages=stages, slots=slots, sbox=sbox)


ENC, DEC = (request(direction, "pipelined", 256, 1, 2) for direction in ("encrypt", "decrypt"))
"""Those of the core that ``test_core`` emits, so that each is built once."""
BOTH = request("both", "sequential", 128, 1, 2)
THE_ENC, THE_DEC = (
    f"cipher quad256: the pipelined {does} for 256-bit keys with 1 register per round" for does in ("encrypter", "decrypter")
)
THE_BOTH = "cipher own-aes: the sequential core for both directions for 128-bit keys with 1 cycle per round"


def refused(cipher: Any, choice: CoreRequest, message: str) -> str:
    """The message of the check, which begins as it should and is one line."""
    with pytest.raises(DefinitionError) as caught:
        check_core(cipher, choice)
    assert str(caught.value).startswith(message) and "\n" not in str(caught.value), str(caught.value)
    return str(caught.value)


def keyed(fault: Callable[[QuadKeySchedule], dict[str, Value]]) -> Any:
    """Quad256 with a key schedule that gives other values."""

    class Faulty(QuadKeySchedule):
        def elaborate(self, platform: object) -> Module:
            m = Module()
            m.submodules.inner = inner = QuadKeySchedule()
            given = {name: getattr(inner, name) for name in ("we", "round", "data", "data_dec", "busy", "done")} | fault(inner)
            m.d.comb += [getattr(inner, name).eq(getattr(self, name)) for name in ("start", "erase", "key")]
            m.d.comb += [getattr(self, name).eq(value) for name, value in given.items()]
            return m

    return replace(QUAD256, key_schedule=lambda key_bits: Faulty())


def data(inner: QuadKeySchedule, mask: Value) -> dict[str, Value]:
    return {"data": inner.data ^ mask, "data_dec": inner.data_dec ^ mask}


# -- what is right ----------------------------------------------------------------------------------------------------


def test_the_cores_of_the_tests_pass():
    """Those of a compiled mode, and an AES core for both directions with two key slots."""
    found = list(core_requests(compiled("WideHEH", sector=96, mul=1, cipher_stages=1, key_slots=2, squares="fly")).values())
    assert found == [ENC, DEC]
    check_core(QUAD256, ENC)
    check_core(QUAD256, DEC)
    check_core(replace(AES, name="own-aes"), BOTH)


@built.slow
@pytest.mark.parametrize("choice", [
    request("encrypt", "pipelined", 256, 2, 3), request("decrypt", "pipelined", 256, 2, 2),
], ids=str)  # fmt: skip
def test_other_cores_of_quad256(choice):
    check_core(QUAD256, choice)


@built.slow
@pytest.mark.parametrize("choice", [
    request("encrypt", "pipelined", 128, 2, 2), request("decrypt", "pipelined", 192, 1, 1, "bram"),
    request("encrypt", "sequential", 256, 2, 3), request("decrypt", "sequential", 256, 1, 1, "bram"),
    request("both", "sequential", 192, 4, 2, "bram"),
], ids=str)  # fmt: skip
def test_cores_of_aes(choice):
    check_core(AES, choice)


# -- planted faults ---------------------------------------------------------------------------------------------------


def test_a_wrong_entry_of_one_s_box(monkeypatch):
    """In one of 64 columns of the last round."""
    plain, calls = quad256._substituted, []

    def wrong(m: Module, block: Value) -> Value:
        calls.append(block)
        column = Cat(block[64 * word + 17] for word in range(4))
        return plain(m, block) ^ Mux(column == 9, 1 << 17, 0) if len(calls) == 20 else plain(m, block)

    monkeypatch.setattr(quad256, "_substituted", wrong)
    message = refused(QUAD256, ENC, THE_ENC + " gives ")
    assert " for block " in message and " under key " in message and ", its software " in message
    assert len(calls) == 21, "the rounds of the core, and the key schedule behind them"


def test_a_key_schedule_that_is_wrong_for_some_keys():
    """For those of which three bits are ones."""
    cipher = keyed(lambda inner: data(inner, Mux(inner.data[3:6].all() & (inner.round == 0), 1 << 77, 0)))
    message = refused(cipher, ENC, THE_ENC + " gives ")
    assert " of 64 keys" in message.rsplit("blocks differ", 1)[1]


@pytest.mark.parametrize(("choice", "message"), [(ENC, THE_ENC), (DEC, THE_DEC)], ids=["enc", "dec"])
def test_a_wrong_round_constant(choice, message):
    assert "2048 of 2048 blocks differ" in refused(replace(QUAD256, software=OtherConstant), choice, message + " gives ")


@built.slow
def test_an_encrypter_for_a_decrypter():
    cipher = replace(QUAD256, hardware=lambda request: QuadPipeline(False, request.stages, request.slots))
    check_core(cipher, ENC)
    refused(cipher, DEC, THE_DEC + " gives ")


@built.slow
def test_slots_that_are_mixed_up():
    class OneSlot(QuadPipeline):
        def elaborate(self, platform: object) -> Module:
            m = Module()
            m.submodules.inner = inner = QuadPipeline(False, self.stages, self.slots)
            m.d.comb += [inner.slot.eq(0), self.o.eq(inner.o)]
            for name in ("i", "key_we", "key_slot", "key_round", "key_data"):
                m.d.comb += getattr(inner, name).eq(getattr(self, name))
            return m

    cipher = replace(QUAD256, hardware=lambda request: OneSlot(False, request.stages, request.slots))
    check_core(cipher, replace(ENC, slots=1))
    refused(cipher, ENC, THE_ENC + " gives ")


# -- timing -----------------------------------------------------------------------------------------------------------


def told(latency: int, interval: int, cipher: Any = QUAD256) -> Any:
    """A cipher whose timing, and what its components say of themselves, is another."""

    def hardware(request: CoreRequest) -> Any:
        component = cipher.hardware(request)
        true, elaborate = component.latency, component.elaborate

        def honest(platform: object) -> Any:
            component.latency = true
            return elaborate(platform)

        component.latency, component.elaborate = latency, honest
        return component

    return replace(cipher, timing=lambda request: CoreTiming(latency, interval), hardware=hardware)


@pytest.mark.parametrize("latency", [20, pytest.param(22, marks=built.slow)])
def test_a_wrong_latency_of_a_pipeline(latency):
    assert refused(told(latency, 1), ENC, THE_ENC).endswith(f" takes 21 cycles, and its timing says {latency}")


def test_a_component_that_says_another_latency():
    cipher = replace(QUAD256, timing=lambda request: CoreTiming(20, 1))
    assert refused(cipher, ENC, THE_ENC).endswith(" has a latency of 21 cycles, and its timing says 20")


OWN_AES = replace(AES, name="own-aes")


@pytest.mark.parametrize(
    ("latency", "interval", "message"),
    [
        (11, 9, " takes a block every 10 cycles, and its timing says 9"),
        (12, 10, " takes 11 cycles, and its timing says 12"),
        pytest.param(10, 10, " takes 11 cycles, and its timing says 10", marks=built.slow),
        pytest.param(12, 12, " takes 11 cycles, and its timing says 12", marks=built.slow),
    ],
)
def test_a_wrong_timing_of_a_sequential_core(latency, interval, message):
    assert refused(told(latency, interval, OWN_AES), BOTH, THE_BOTH).endswith(message)


@built.slow
def test_a_result_that_is_not_held():
    """Zeros stand at the output but in the cycle of a result."""

    class Fleeting(AESSequential):
        def elaborate(self, platform: object) -> Module:
            m, passing = Module(), Signal(11)
            m.submodules.inner = inner = AESSequential(128, 2, 1, direction="both")
            for name in ("i", "start", "slot", "decrypt", "key_we", "key_slot", "key_round", "key_data", "key_data_dec"):
                m.d.comb += getattr(inner, name).eq(getattr(self, name))
            m.d.sync += passing.eq(Cat(self.start, passing))
            m.d.comb += self.o.eq(Mux(passing[10], inner.o, 0))
            return m

    cipher = replace(OWN_AES, hardware=lambda request: Fleeting(128, 2, 1, direction="both"))
    assert refused(cipher, BOTH, THE_BOTH).endswith(" does not hold a result until the next one")


# -- key schedules, ports, software -----------------------------------------------------------------------------------


class OtherRoundKey(Quad256):
    """The software of a key schedule that adds 1 to round key 9, for encrypters."""

    def __init__(self, key: bytes):
        super().__init__(key)
        self.round_keys[9] ^= 1


@built.slow
@pytest.mark.parametrize(
    ("fault", "software", "message"),
    [
        (lambda inner: {"we": inner.we & (inner.round != 3)}, Quad256, "does not write round key 3"),
        (lambda inner: {"done": Const(0, 1)}, Quad256, "is not done after 4096 cycles"),
        (lambda inner: {"data": inner.data ^ (inner.round == 9)}, OtherRoundKey, "does not erase round key 9"),
    ],
)
def test_a_faulty_key_schedule(fault, software, message):
    """The last one is right but for the erasure."""
    refused(replace(keyed(fault), software=software), ENC, f"cipher quad256: its key schedule for 256-bit keys {message}")


class NotInverse(Quad256):
    def decrypt(self, blocks: bytes) -> bytes:
        return blocks


class Short(Quad256):
    def encrypt(self, blocks: bytes) -> bytes:
        return super().encrypt(blocks)[:-1]


def test_software_that_is_no_cipher():
    refused(replace(QUAD256, software=NotInverse), ENC, "cipher quad256: its software does not decrypt what it encrypts under key ")
    refused(replace(QUAD256, software=NotInverse), DEC, "cipher quad256: its software does not encrypt what it decrypts under key ")
    with pytest.raises(DefinitionError, match="quad256: test_cipher_check.py, line .*: encrypt gives 1023 bytes for 1024 bytes"):
        check_core(replace(QUAD256, software=Short), ENC)


def test_a_port_that_is_missing():
    cipher = replace(AES, name="own-aes", hardware=lambda request: AES.hardware(replace(request, direction="encrypt")))
    refused(cipher, BOTH, THE_BOTH + " has no port decrypt")
    cipher = replace(AES, name="own-aes", key_schedule=lambda key_bits: AES.key_schedule(256))
    refused(cipher, BOTH, "cipher own-aes: its key schedule takes 256 bits, not 128")


def test_a_component_that_cannot_be_elaborated():
    class Fails(QuadPipeline):
        def elaborate(self, platform: object) -> Module:
            raise KeyError("round")

    cipher = replace(QUAD256, hardware=lambda request: Fails(False, request.stages, request.slots))
    with pytest.raises(DefinitionError, match=r"quad256: test_cipher_check.py, line \d+: KeyError"):
        check_core(cipher, ENC)


# -- the command ------------------------------------------------------------------------------------------------------

FAULTY = f'''
import sys
sys.path.insert(0, {str(MODES.parents[2])!r})
from dataclasses import replace
from tests.generality.quad256 import QUAD256
from tests.generality.other_constant import OtherConstant
from tests.generality.wide_modes import WideHEH


class Faulty(WideHEH):
    name = "faulty"
    cipher = replace(QUAD256, software=OtherConstant)
'''


def test_build_refuses_the_cipher(tmp_path, capsys):
    """``build`` exits with status 2 and one line that names the core of the cipher, and writes nothing."""
    file, core = tmp_path / "faulty.py", tmp_path / "core"
    file.write_text(FAULTY)
    command = ["build", f"{file}:Faulty", "-o", str(core), "--sector", "96", "--cipher-stages", "1", "--direction", "encrypt"]
    command += ["--key-slots", "2"]
    with pytest.raises(SystemExit) as stop:
        main(command)
    lines = capsys.readouterr().err.strip().splitlines()
    assert stop.value.code == 2 and lines[-1].startswith(f"modeloom: {THE_ENC} gives ") and not core.exists()
