# SPDX-License-Identifier: Apache-2.0
"""``modeloom model``, against the independent references of ``modeloom_golden``."""

import os
import random

import pytest

import modeloom_golden as golden

KEYS = {"hctr2": 16, "heh-brw": 32}


def reference(mode, key, sector, data, base=0, step=1, tweak_bytes=16):
    """The file as the reference encrypts it."""
    keyed = golden.mode(mode, key)
    result = b""
    for i in range(len(data) // sector):
        tweak = (base + step * i).to_bytes(8, "little").ljust(tweak_bytes, b"\0")
        result += keyed.encrypt(tweak, data[i * sector : (i + 1) * sector])
    return result


@pytest.fixture
def files(folder):
    """``files(mode, sector)``: a key file and a plaintext of five sectors; gives their contents."""

    def make(mode, sector, sectors=5):
        rng = random.Random(f"{mode} {sector}")
        key, data = rng.randbytes(KEYS[mode]), rng.randbytes(sectors * sector)
        (folder / "key").write_bytes(key)
        (folder / "plain").write_bytes(data)
        return key, data

    return make


@pytest.mark.parametrize("mode, sector", [("hctr2", 512), ("hctr2", 100), ("heh-brw", 512)])
def test_round_trip(run, files, folder, mode, sector):
    key, data = files(mode, sector)
    result = run("model", mode, "--key-file", "key", "--sector", str(sector), "plain", "cipher")
    assert (result.status, result.out, result.err) == (0, "", "")
    assert (folder / "cipher").read_bytes() == reference(mode, key, sector, data)
    assert run("model", mode, "--key-file", "key", "--sector", str(sector), "--decrypt", "cipher", "back").status == 0
    assert (folder / "back").read_bytes() == data
    assert sorted(path.name for path in folder.iterdir()) == ["back", "cipher", "key", "plain"]


def test_more_sectors_than_a_chunk(run, files, folder):
    key, data = files("heh-brw", 32, sectors=600)
    assert run("model", "heh-brw", "--key-file", "key", "--sector", "32", "plain", "cipher").status == 0
    assert (folder / "cipher").read_bytes() == reference("heh-brw", key, 32, data)


def test_tweak_base_and_step(run, files, folder):
    key, data = files("hctr2", 64)
    arguments = ["model", "hctr2", "--key-file", "key", "--sector", "64", "--tweak-base", "1000", "--tweak-step", "8"]
    assert run(*arguments, "plain", "cipher").status == 0
    assert (folder / "cipher").read_bytes() == reference("hctr2", key, 64, data, base=1000, step=8)


def test_the_last_sector_number_has_64_bits(run, files, folder):
    key, data = files("hctr2", 64, sectors=2)
    arguments = ["model", "hctr2", "--key-file", "key", "--sector", "64", "--tweak-step", "3"]
    assert run(*arguments, "--tweak-base", str(2**64 - 4), "plain", "cipher").status == 0
    assert (folder / "cipher").read_bytes() == reference("hctr2", key, 64, data, base=2**64 - 4, step=3)
    assert run(*arguments, "--tweak-base", str(2**64 - 3), "plain", "cipher").status == 2


def test_tweak_length(run, files, folder):
    key, data = files("hctr2", 64)
    assert run("model", "hctr2", "--key-file", "key", "--sector", "64", "--tweak", "32", "plain", "cipher").status == 0
    assert (folder / "cipher").read_bytes() == reference("hctr2", key, 64, data, tweak_bytes=32)


@pytest.mark.parametrize("text", ["{}\n", " {}\r\n", "{}  "])
@pytest.mark.parametrize("case", [str.lower, str.upper])
def test_hex_keys(run, files, folder, text, case):
    key, data = files("hctr2", 64)
    (folder / "hex").write_text(text.format(case(key.hex())))
    assert run("model", "hctr2", "--key-file", "hex", "--sector", "64", "plain", "cipher").status == 0
    assert (folder / "cipher").read_bytes() == reference("hctr2", key, 64, data)


def test_hex_key_on_several_lines(run, files, folder):
    key, data = files("heh-brw", 64)
    digits = key.hex()
    (folder / "hex").write_text(f"{digits[:32]}\n{digits[32:]}\n")
    assert run("model", "heh-brw", "--key-file", "hex", "--sector", "64", "plain", "cipher").status == 0
    assert (folder / "cipher").read_bytes() == reference("heh-brw", key, 64, data)


def test_raw_key_of_hex_digits(run, files, folder):
    """Digits of a length that fits are hexadecimal, of another length refused, and ``--key-format raw`` takes both for raw keys."""
    _, data = files("hctr2", 64)
    arguments = ["model", "hctr2", "--key-file", "key", "--sector", "64", "plain", "cipher"]
    (folder / "key").write_bytes(b"0123456789abcdef")
    assert run(*arguments).status == 2 and not (folder / "cipher").exists()
    for key in (b"0123456789abcdef", b"0123456789abcdef" * 2):
        (folder / "key").write_bytes(key)
        assert run(*arguments, "--key-format", "raw").status == 0
        assert (folder / "cipher").read_bytes() == reference("hctr2", key, 64, data)
    assert run(*arguments).status == 0
    assert (folder / "cipher").read_bytes() == reference("hctr2", bytes.fromhex(key.decode()), 64, data)


def test_replaces_an_output_and_keeps_the_usual_permissions(run, files, folder):
    files("hctr2", 64)
    (folder / "cipher").write_bytes(b"old")
    assert run("model", "hctr2", "--key-file", "key", "--sector", "64", "plain", "cipher").status == 0
    (folder / "usual").write_bytes(b"")
    assert (folder / "cipher").stat().st_size == 320
    assert os.stat(folder / "cipher").st_mode == os.stat(folder / "usual").st_mode
