# SPDX-License-Identifier: Apache-2.0
"""The LiteX example with cores for sectors, in Verilator: it passes on good cores, and its firmware sees faults in core, DMA and itself."""

from __future__ import annotations

import json
import re

import pytest
from tests.built import slow
from tests.demo.litex_example import (
    FORMS,
    build,
    documented,
    modules,
    run_command,
    run_with_fault,
    run_with_other_hardware,
)
from tests.external import needs

pytestmark = needs("riscv64-unknown-elf-gcc", "verilator")

RATE = re.compile(r"^(encrypted|decrypted) (\d+) sectors of (\d+) bytes in (\d+) cycles, (\d+) a sector", re.MULTILINE)


@slow
def test_commands_by_dma(tmp_path):
    """The whole command line, on the core of the page, whose ciphertexts are published vectors."""
    core, done = run_command(tmp_path, FORMS["commands by DMA"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-2:] == ["erased key: the core refuses a sector with status 4, and gives no data", "PASS"]
    rows = RATE.findall(done.stdout)
    assert [row[:3] for row in rows] == [("encrypted", "16", "512"), ("decrypted", "16", "512")]
    front = json.loads((core / "core.json").read_text())["front"]
    for *_, cycles, rate in rows:
        assert int(rate) == int(cycles) // 16
        assert front["width"]["rates"][0]["interval"] <= int(rate) and abs(int(rate) / documented("32 bits, shared")[0] - 1) < 0.05


@slow
def test_commands_over_registers(tmp_path):
    """Another mode, converters between bus and core, a crossbar."""
    _, done = run_command(tmp_path, FORMS["commands over registers"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[0].endswith("mode hctr2") and done.stdout.splitlines()[-1] == "PASS"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A small core, and the SoC around it."""
    return build(tmp_path_factory.mktemp("litex"), FORMS["small"])


CIPHERTEXT = "the ciphertext is not what the model has"
STUCK = "an interrupt did not come"
KEPT = "the slot still has a key"
ERASE = "modeloom_erase_key(core, slot, POLLS)"
LOAD = "(void)modeloom_load_key(&core, SLOT, KEY, sizeof KEY, POLLS)"

FAULTS = {
    "another key": ("example.h", "KEY[] = {", "KEY[] = {2^", CIPHERTEXT),
    "a bit of a ciphertext": ("example.h", "CIPHER[] = {", "CIPHER[] = {2^", CIPHERTEXT),
    "a bit of a plaintext": ("sectors.c", "require(is_there(PLAIN)", "result[9]++, require(is_there(PLAIN)", "the plaintext"),
    "the DMA reads elsewhere": ("transfer.c", "reader_base_write(MAIN_RAM_BASE)", "reader_base_write(MAIN_RAM_BASE + 8)", CIPHERTEXT),
    "the DMA writes elsewhere": ("transfer.c", "writer_base_write(RESULT_RAM_BASE)", "writer_base_write(RESULT_RAM_BASE + 4)", CIPHERTEXT),
    "the key is not erased": ("core.c", ERASE, "MODELOOM_OK", KEPT),
    "the key of another slot is erased": ("core.c", ERASE, ERASE.replace("slot", "1"), KEPT),
    "the key is loaded again": ("sectors.c", "    prepare(&core, 1,", f"    {LOAD};\n    prepare(&core, 1,", "a status has another code"),
    "the interrupt is not enabled": ("core.c", "modeloom_enable(core, MODELOOM_KEY_DONE)", "modeloom_enable(core, 0)", STUCK),
    "a trap": ("core.c", "int has;\n", 'int has;\n\n    __asm__ volatile(".word 0");\n', "trap 2 at"),
}
"""File of the firmware, what is replaced by what, and the line that tells of it."""


@slow
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_the_firmware(small, tmp_path, fault):
    name, old, new, message = FAULTS[fault]
    done = run_with_fault(small, tmp_path, name, old, new)
    assert done.returncode == (2 if "trap" in message else 1) and "PASS" not in done.stdout
    assert done.stdout.splitlines()[-1].startswith(f"FAIL: {message}")


@slow
def test_firmware_that_does_not_end(small):
    """A simulation ends with a line, too, if it runs into its limit."""
    core, soc, build = small
    with modules() as run:
        run.compile_firmware(soc, core, build, run.headers_of(soc))
        assert run.simulate(build).returncode == 0
        done = run.simulate(build, 1000)
    assert done.returncode == 3 and done.stderr == "the firmware did not end within 1000 cycles\n"


@slow
@pytest.mark.parametrize(
    ("what", "name", "old", "new", "message"),
    [
        ("a bit of the S-box", "core", "aes_sbox[1] = 8'h7c", "aes_sbox[1] = 8'h7d", f"FAIL: {CIPHERTEXT}"),
        ("bytes of a word exchanged", "modeloom_dma.py", 'endianness="big", with_csr', 'endianness="little", with_csr', f"FAIL: {STUCK}"),
        ("the writer ends with the first sector", "modeloom_packets.py", 'omit={"last", "keep"}', 'omit={"keep"}', f"FAIL: {STUCK}"),
        ("no end of a sector", "modeloom_packets.py", "core.sink.last.eq(left == 0)", "core.sink.last.eq(0)", f"FAIL: {STUCK}"),
    ],
)  # fmt: skip
def test_faults_of_the_hardware(small, tmp_path, what, name, old, new, message):
    done = run_with_other_hardware(small[0], tmp_path, name, old, new)
    assert done.returncode == 1 and "PASS" not in done.stdout, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith(message)
