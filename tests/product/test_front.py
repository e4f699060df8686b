# SPDX-License-Identifier: Apache-2.0
"""Registers behind a file that maps them, from Python and from the example in C: a file on disk stands for the device."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.c_programs import compile_c

from modeloom.front.map import SOURCE, c_header, read_map
from modeloom.product.front import MappedRegisters

ROOT = Path(__file__).parents[2]
ADDRESSES = {one.name: one.address for one in read_map({}).registers}
IDENTITY = {"identification": 0x4D4C4F4D, "version": 0x010203, "build": 0xABCDEF01, "capabilities": 0x00100302, "key_sizes": 32 << 16 | 8}
LOADED = {"key_loaded0": 0xFF}


@pytest.fixture
def device(tmp_path) -> Path:
    """A file with the registers of a core that has nothing to do, and all keys."""
    path = tmp_path / "device"
    page = bytearray(4096)
    for name, value in (IDENTITY | LOADED).items():
        page[ADDRESSES[name] : ADDRESSES[name] + 4] = value.to_bytes(4, "little")
    path.write_bytes(page)
    return path


def word(path: Path, name: str, offset: int = 0) -> int:
    """A word of the file."""
    at = ADDRESSES[name] + 4 * offset
    return int.from_bytes(path.read_bytes()[at : at + 4], "little")


def test_from_python(device):
    registers = MappedRegisters(device, ADDRESSES)
    assert {name: registers.read(name) for name in IDENTITY} == IDENTITY
    registers.load_key(bytes(range(18)), 5)
    assert [word(device, "key_data", at) for at in range(4)] == [0x03020100, 0x07060504, 0x0B0A0908, 0x0F0E0D0C]
    assert (word(device, "key_length"), word(device, "key_send")) == (18, 5)
    registers.erase_key(6)
    registers.zeroize()
    assert (word(device, "key_send"), word(device, "control")) == (1 << 16 | 6, 1)


def test_what_never_ends(device):
    """A key that stays on its way, and one that the core refuses."""
    registers = MappedRegisters(device, ADDRESSES)
    registers.write("state", 8)
    with pytest.raises(TimeoutError, match="key_sending"):
        registers.send_key(bytes(16))
    registers.write("state", 4)
    with pytest.raises(ValueError, match="refuses"):
        registers.load_key(bytes(16))


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    """The example, compiled."""
    folder = tmp_path_factory.mktemp("uio")
    (folder / "modeloom_registers.h").write_text(c_header("modeloom_registers"))
    driver = SOURCE.parent / "driver"
    return compile_c(folder / "uio", [ROOT / "demo" / "uio" / "uio.c", driver / "modeloom.c"], [folder, driver])


def run(program: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)


def test_the_example_tells_what_the_core_is(program, device):
    done = run(program, device)
    assert done.returncode == 0 and done.stdout.splitlines()[0] == (
        "modeloom 1.2.3, build abcdef01, messages, 8 key slots, keys of up to 32 bytes"
    )
    assert len(done.stdout.splitlines()) == 13


def test_the_example_loads_and_erases_keys(program, device):
    assert run(program, device, 7, bytes(range(32)).hex()).returncode == 0
    assert (word(device, "key_data", 7), word(device, "key_length"), word(device, "key_send")) == (0x1F1E1D1C, 32, 7)
    assert run(program, device, 2).returncode == 0 and word(device, "key_send") == 1 << 16 | 2


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("DEVICE", 8, "00"), 1, "the core has no such slot"), (("DEVICE", 1, "0g"), 1, "the key is too long"), ((), 2, "usage"),
        (("/nowhere",), 2, "/nowhere"),
    ],
)  # fmt: skip
def test_the_example_says_what_is_wrong(program, device, arguments, status, message):
    done = run(program, *(device if one == "DEVICE" else one for one in arguments))
    assert done.returncode == status and message in done.stderr
