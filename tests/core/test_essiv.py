# SPDX-License-Identifier: Apache-2.0
"""Cipher keys of different lengths: CBC-ESSIV cores in simulation, against dm-crypt's definition written with ``cryptography``."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from tests import built
from tests.kinds import kind
from tests.modes import essiv
from tests.program_runs import computes

from modeloom.ciphers import AES, CoreRequest
from modeloom.compiler.compile import compile_mode
from modeloom.cores.sector import bus_parameters, key_erase_cycles
from modeloom.definition.software import Model
from modeloom.modes import find
from modeloom.options.sectors import Options
from modeloom.product.description import KeyPart, sector_groups
from modeloom.product.folder import read_description
from modeloom.product.simulated import Sector, SimulatedCore
from modeloom.prove import ProofError, prove
from modeloom.sim.build import verilog_to_rtlil
from modeloom.spec import DefinitionError, InputError
from modeloom.synth.blocks import instances
from modeloom.taint import check_core
from modeloom.verification import verify_core
from modeloom.verification.host import request, state

FILE = Path(essiv.__file__)
PLACE = f"{FILE}:ESSIV"
SMALL: dict[str, Any] = {"sector": 64, "cipher_arch": "sequential", "cipher_stages": 1, "key_slots": 2, "restarts": 10}
DECRYPT: dict[str, Any] = {"sector": 256, "direction": "decrypt", "cipher_stages": 1, "restarts": 10}
PIPELINED: dict[str, Any] = {"sector": 64, "key_bits": 192, "cipher_stages": 1, "restarts": 10}


class DmCrypt:
    """``aes-cbc-essiv:sha256`` as Linux has it."""

    def __init__(self, key: bytes):
        self.key = key
        self.salt = Cipher(algorithms.AES(hashlib.sha256(key).digest()), modes.ECB())

    def _cbc(self, number: int) -> Cipher:
        return Cipher(algorithms.AES(self.key), modes.CBC(self.salt.encryptor().update(number.to_bytes(16, "little"))))

    def encrypt(self, number: int, data: bytes) -> bytes:
        return self._cbc(number).encryptor().update(data)

    def decrypt(self, number: int, data: bytes) -> bytes:
        return self._cbc(number).decryptor().update(data)


def whole(key: bytes) -> bytes:
    """What the host loads: the key and its hash."""
    return key + hashlib.sha256(key).digest()


@pytest.mark.parametrize("size", [16, 24, 32])
def test_software_model(size):
    rng = random.Random(size)
    key, data = rng.randbytes(size), rng.randbytes(80)
    model, linux = Model(find(PLACE), whole(key)), DmCrypt(key)
    for number in (0, 1, 1 << 40):
        secret = model.encrypt(number.to_bytes(16, "little"), data)
        assert secret == linux.encrypt(number, data) and model.decrypt(number.to_bytes(16, "little"), secret) == data
    with pytest.raises(InputError, match=r"a key \(K \|\| S\) must have 48 or 56 or 64 bytes, not 32"):
        Model(find(PLACE), bytes(32))


@pytest.mark.parametrize(
    "options",
    [SMALL, *(pytest.param(options, marks=built.slow) for options in (DECRYPT, PIPELINED, {**DECRYPT, "key_bits": 256}))],
    ids=["sequential", "decrypt", "pipelined-192", "decrypt-256"],
)
def test_core(options):
    """Sectors of all slots and directions, mixed, back to back; keys are loaded anew between them."""
    core, rng = built.simulated(PLACE, **options), random.Random(7)
    size = options.get("key_bits", 128) // 8
    assert core.description.key_layout == (KeyPart(name="K", offset=0, bytes=size), KeyPart(name="S", offset=size, bytes=32))
    for _ in range(2):
        keys = [rng.randbytes(size) for _ in range(core.description.key_slots)]
        for slot, key in enumerate(keys):
            core.load_key(whole(key), slot)
        directions = [direction == "decrypt" for direction in core.description.directions]
        jobs, wanted = [], []
        for _ in range(12):
            number, slot, decrypt = rng.getrandbits(64), rng.randrange(len(keys)), rng.choice(directions)
            jobs.append(Sector(number.to_bytes(16, "little"), rng.randbytes(core.sector_bytes), decrypt, slot))
            linux = DmCrypt(keys[slot])
            wanted.append((linux.decrypt if decrypt else linux.encrypt)(number, jobs[-1].data))
        assert core.run(jobs) == wanted
    assert not core.runner.violations()


def test_the_encrypter_of_a_decrypting_core_is_sequential():
    """It is needed once a sector; where its interval does not fit, it is a pipeline."""
    assert built.compiled(PLACE, **DECRYPT).architecture.forms == {"dec": "pipelined", "enc256": "sequential"}
    same = compile_mode(find(PLACE), Options(**{**DECRYPT, "key_bits": 256}))
    assert same.architecture.forms == {"dec": "pipelined", "enc": "sequential"} and same.schedule.ii == 16
    short = compile_mode(find(PLACE), Options(**{**DECRYPT, "sector": 208}))
    slow = CoreRequest(direction="encrypt", form="sequential", key_bits=256, stages=1)
    assert short.schedule.ii == 13 and AES.timing(slow).interval == 14
    assert short.architecture.forms == {"dec": "pipelined", "enc256": "pipelined"}


def test_sectors_overlap():
    """The chain of one sector is as long as its blocks and the pipeline; others fill the pipeline meanwhile."""
    figures = compile_mode(find(PLACE), Options(sector=256, restarts=10)).explain()
    assert figures["ii"] == figures["ii_bound"] == 16 and figures["latency"] > 16 * 21
    assert figures["uses"]["enc"] == figures["uses"]["dec"] == 16 and figures["uses"]["enc256"] == 1


def test_each_core_holds_its_own_keys():
    """Round keys of other lengths do not reach a core, and the key port knows where each key ends."""
    p = bus_parameters(built.compiled(PLACE, **SMALL))
    assert (p.keys.widths, p.keys.lengths, p.keys.packet_bytes, p.keys.round_keys) == ((128, 256), (128, 256), 48, 15)
    text = (built.folder(PLACE, **SMALL) / "program.txt").read_text()
    assert "unit enc256_0: enc256;" in text and "enc256 under S " in text and "enc under K " in text


def loaded(seed: int) -> SimulatedCore:
    core, rng = built.simulated(PLACE, **SMALL), random.Random(seed)
    for slot in (0, 1):
        core.load_key(whole(rng.randbytes(16)), slot)
    return core


def test_nothing_is_left_of_erased_keys():
    """Two cores that differ in keys alone are in one state when their slots are erased: round keys of both lengths are overwritten."""
    cores = [loaded(seed) for seed in (1, 2)]
    first, second = map(state, cores)
    assert sum(first[name] != second[name] for name in first) > 20
    for core in cores:
        for slot in (0, 1):
            core.send_key(bytes(16), slot, erase=True)
            core.runner.run(max_cycles=key_erase_cycles(built.compiled(PLACE, **SMALL)))
    first, second = map(state, cores)
    assert [name for name in first if first[name] != second[name]] == []


def test_nothing_is_left_after_zeroize():
    """Nor of what sectors have left behind, in the stated number of cycles."""
    cores = [loaded(seed) for seed in (3, 4)]
    for n, core in enumerate(cores):
        core.run([Sector(bytes(16), bytes([n]) * 64, slot == 1, slot) for slot in (0, 1)])
        core.runner.forget()
        for port in ("s_axis_tdata", "s_axis_cmd_tdata", "s_axis_key_tdata"):
            core.simulation.set(port, 0)
        request(core, "zeroize")
        cycles = 0
        while core.simulation.get("zeroizing"):
            core.runner.run(max_cycles=1)
            cycles += 1
        assert cycles == core.description.erase_cycles
    first, second = map(state, cores)
    assert [name for name in first if first[name] != second[name]] == []


@pytest.mark.parametrize("options", [{"sector": 48, "cipher_stages": 1}, {"sector": 64, "cipher_arch": "sequential"}], ids=str)
def test_several_keys_of_each_length(options):
    """Also a key that set-up makes, in set-up both lengths: proved, and right on numbers."""
    design = compile_mode(find(f"{FILE}:LastKeyMade"), Options(**{"direction": "encrypt", "restarts": 5, **options}))
    assert design.source.cipher_bits == [256, 0, 0, 0]
    assert computes(design, lambda key: Model(design.mode, key), "lengths", sectors=3)


@built.slow
def test_core_with_several_keys_of_each_length():
    place, options = f"{FILE}:LastKeyMade", {**SMALL, "direction": "encrypt"}
    core, rng = built.simulated(place, **options), random.Random(9)
    keys = [rng.randbytes(core.description.key_bytes) for _ in (0, 1)]
    for slot, key in enumerate(keys):
        core.load_key(key, slot)
    jobs = [Sector(rng.randbytes(16), rng.randbytes(64), False, n % 2) for n in range(6)]
    assert core.run(jobs) == [Model(find(place), keys[job.slot]).encrypt(job.tweak, job.data) for job in jobs]


def test_a_core_of_another_length_is_refused():
    """A graph that takes the core of the wrong length for a key, and a program that does."""
    design = compile_mode(find(PLACE), Options(sector=32, cipher_stages=1, direction="encrypt", restarts=0))
    op = next(op for _, op in design.graph.ops("encrypt") if op.kind == "enc256")
    op.kind = kind("enc")
    with pytest.raises(ProofError, match="enc is not for the length of cipher key 1"):
        prove(design)
    op.kind, op.number = kind("enc", 256), 0
    with pytest.raises(ProofError, match="enc256 is not for the length of cipher key 0"):
        prove(design)
    op.number = 1
    prove(design)
    program = design.allocation.program
    program.cipher_bits = [256, 0]
    with pytest.raises(ProofError, match="lengths of cipher keys are"):
        prove(design)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"fixed_key_bits": {"T": 256}}, "fixed_key_bits names 'T', which is not one of cipher_keys"),
        ({"fixed_key_bits": {"S": 100}}, "fixed_key_bits gives S 100 bits, and aes has keys of 128, 192, 256"),
        ({"fixed_key_bits": {"S": 256, "K": 128}}, "names all cipher keys; omit one, which --key-bits then sets"),
    ],
)
def test_wrong_lengths(changes, message):
    mode = type("Wrong", (essiv.ESSIV,), changes)()
    for use in (lambda: compile_mode(mode, Options(sector=64)), lambda: Model(mode, bytes(48))):
        with pytest.raises(DefinitionError, match=message):
            use()


def test_core_json_and_datasheet_name_both_lengths():
    folder = built.folder(PLACE, **SMALL)
    description = read_description(folder)
    assert description.key_bytes == 48 and [part.bytes for part in description.key_layout] == [16, 32]
    text = (folder / "datasheet.md").read_text()
    assert "AES key K" in text and "AES key S" in text and "AES-128 (S: AES-256)" in text
    head = (folder / description.verilog).read_text().split("module", 1)[0]
    assert "AES-128 (S: AES-256)" in " ".join(head.replace("//", "").split())


def test_areas_count_all_cores_of_the_cipher():
    folder = built.folder(PLACE, **SMALL)
    description = read_description(folder)
    paths = instances(verilog_to_rtlil(folder / description.verilog, description.top), description.top)
    found = sector_groups(paths)["aes"]
    schedules = {f"core.bus.key_schedule.length_{bits}" for bits in (128, 256)}
    assert {"core.bus.key_schedule", "core.engine.cipher0.", "core.engine.enc256_0."} <= set(found) and schedules <= set(paths)


def test_no_timing_channel():
    """The tables of both key schedules are S-boxes, and nothing else depends on a secret."""
    report = check_core(built.folder(PLACE, **SMALL))
    assert set(report.secret) == {"data", "key", "tweak"} and set(report.exempt) == {"S-box"}


@built.slow
def test_verify():
    """All that ``modeloom verify`` does, the plain bench in Icarus Verilog included."""
    names = [step.name for step in verify_core(built.folder(PLACE, **SMALL), sectors=20, optimize=0)]
    assert {"proof", "timing", "sectors", "bench"} <= set(names)
