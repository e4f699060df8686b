# SPDX-License-Identifier: Apache-2.0
"""The LiteX example in Verilator: it passes on good cores, and its firmware sees faults in core, DMA and itself."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.built import slow
from tests.demo.litex_example import DEMO, FORMS, modules, need_tools, write_core

DOCUMENT = Path(__file__).parents[2] / "docs" / "packages.md"
RATE = re.compile(r"^(encrypted|decrypted) (\d+) sectors of (\d+) bytes in (\d+) cycles, (\d+) a sector", re.MULTILINE)


def documented(bus: str) -> int:
    """The cycles of a sector that docs/packages.md has for a bus."""
    (row,) = (line for line in DOCUMENT.read_text(encoding="utf-8").splitlines() if line.startswith(f"| {bus} |"))
    return int(row.split("|")[2])


@slow
def test_commands_by_dma(tmp_path):
    """The whole command line, on the core of the page, whose ciphertexts are published vectors."""
    need_tools()
    core = write_core(tmp_path / "core", FORMS["commands by DMA"])
    done = subprocess.run([sys.executable, DEMO / "run.py", core, "--build", tmp_path / "build"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-2:] == ["erased key: the core refuses a sector with status 4, and gives no data", "PASS"]
    rows = RATE.findall(done.stdout)
    assert [row[:3] for row in rows] == [("encrypted", "16", "512"), ("decrypted", "16", "512")]
    front = json.loads((core / "core.json").read_text())["front"]
    for *_, cycles, rate in rows:
        assert int(rate) == int(cycles) // 16
        assert front["width"]["rates"][0]["interval"] <= int(rate) and abs(int(rate) / documented("32 bits, shared") - 1) < 0.05


@slow
def test_commands_over_registers(tmp_path):
    """Another mode, converters between bus and core, a crossbar."""
    need_tools()
    form = FORMS["commands over registers"]
    core = write_core(tmp_path / "core", form)
    options = ["--bus-width", str(form.bus_width), "--crossbar"]
    done = subprocess.run([sys.executable, DEMO / "run.py", core, "--build", tmp_path / "build", *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[0].endswith("mode hctr2") and done.stdout.splitlines()[-1] == "PASS"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A small core, the SoC around it, and the folder in which it is built."""
    need_tools()
    folder = tmp_path_factory.mktemp("litex")
    core = write_core(folder / "core", FORMS["small"])
    with modules() as run:
        soc = run.build_all(core, folder / "build")
    return core, soc, folder / "build"


CIPHERTEXT = "the ciphertext is not what the model has"
KEPT = "the slot still has a key"
ERASE = "modeloom_erase_key(&core, SLOT, POLLS)"
LOAD = "(void)modeloom_load_key(&core, SLOT, KEY, sizeof KEY, POLLS)"

FAULTS = {
    "another key": ("", "KEY[] = {", "KEY[] = {2^", CIPHERTEXT),
    "a bit of a ciphertext": ("", "CIPHER[] = {", "CIPHER[] = {2^", CIPHERTEXT),
    "a bit of the last plaintext": ("main.c", "require(is_there(PLAIN)", "result[BYTES - 1]++; require(is_there(PLAIN)", "the plaintext"),
    "the DMA reads elsewhere": ("transfer.c", "reader_base_write(MAIN_RAM_BASE)", "reader_base_write(MAIN_RAM_BASE + 8)", CIPHERTEXT),
    "the DMA writes elsewhere": ("transfer.c", "writer_base_write(RESULT_RAM_BASE)", "writer_base_write(RESULT_RAM_BASE + 4)", CIPHERTEXT),
    "the key is not erased": ("main.c", ERASE, "MODELOOM_OK", KEPT),
    "the key of another slot is erased": ("main.c", ERASE, ERASE.replace("SLOT", "1"), KEPT),
    "the key is loaded again": ("main.c", "    prepare(1,", f"    {LOAD};\n    prepare(1,", "a status has another code"),
    "the interrupt is not enabled": ("main.c", "modeloom_enable(core, MODELOOM_KEY_DONE)", "modeloom_enable(core, 0)", "an interrupt"),
    "a trap": ("main.c", "int has;\n", 'int has;\n\n    __asm__ volatile(".word 0");\n', "trap 2 at"),
}
"""File of the firmware, what is replaced by what, and the line that tells of it.  Without a file, it is ``example.h``."""


@slow
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_the_firmware(small, tmp_path, fault):
    core, soc, build = small
    name, old, new, message = FAULTS[fault]
    shutil.copytree(DEMO / "firmware", tmp_path / "firmware")
    with modules() as run:
        example = run.header(run.example_of(soc.cipher.description))
        if name:
            path = tmp_path / "firmware" / name
            text = path.read_text()
            assert text.count(old) == 1
            path.write_text(text.replace(old, new))
        else:
            assert example.count(old) == 1
            example = example.replace(old, new)
        run.compile_firmware(soc, core, build, example, tmp_path / "firmware")
        done = run.simulate(build)
    assert done.returncode == (2 if "trap" in message else 1) and "PASS" not in done.stdout
    assert done.stdout.splitlines()[-1].startswith(f"FAIL: {message}")


@slow
def test_firmware_that_does_not_end(small, tmp_path):
    """A simulation ends with a line, too, if it runs into its limit."""
    core, soc, build = small
    with modules() as run:
        run.compile_firmware(soc, core, build, run.header(run.example_of(soc.cipher.description)))
        assert run.simulate(build).returncode == 0
        done = run.simulate(build, 1000)
    assert done.returncode == 3 and done.stderr == "the firmware did not end within 1000 cycles\n"


@slow
@pytest.mark.parametrize(
    ("what", "name", "old", "new"),
    [
        ("a bit of the S-box", "core", "words[1] = 8'h7c", "words[1] = 8'h7d"),
        ("bytes of a word exchanged", "modeloom_litex.py", 'endianness="big", with_csr', 'endianness="little", with_csr'),
        ("the writer ends with the first sector", "modeloom_litex.py", 'omit={"last", "keep"}', 'omit={"keep"}'),
        ("no end of a sector", "modeloom_litex.py", "core.sink.last.eq(left == 0)", "core.sink.last.eq(0)"),
    ],
)  # fmt: skip
def test_faults_of_the_hardware(small, tmp_path, what, name, old, new):
    core = shutil.copytree(small[0], tmp_path / "core")
    demo = shutil.copytree(DEMO, tmp_path / "demo", ignore=shutil.ignore_patterns("__pycache__"))
    path = core / json.loads((core / "core.json").read_text())["verilog"] if name == "core" else demo / name
    text = path.read_text()
    assert text.count(old) >= 1
    path.write_text(text.replace(old, new, 1))
    done = subprocess.run([sys.executable, demo / "run.py", core, "--build", tmp_path / "build"], capture_output=True, text=True)
    assert done.returncode in (1, 3) and "PASS" not in done.stdout, done.stdout + done.stderr
