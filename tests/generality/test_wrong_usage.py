# SPDX-License-Identifier: Apache-2.0
"""What can be wrong about a mode's cipher, blocks and field is said in one line."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.generality.cores import MODES
from tests.generality.quad256 import QUAD256
from tests.generality.wide_modes import WideHEH

from modeloom.cli import main
from modeloom.compiler.compile import compile_mode
from modeloom.cores.sector import bus_parameters
from modeloom.definition.software import Model
from modeloom.options.sectors import Options
from modeloom.spec import GHASH_ORDER, DefinitionError, Field, InputError, UnknownName


class OtherField(WideHEH):
    field = GHASH_ORDER


class OtherCipher(WideHEH):
    cipher = "aes"


class NoSuchCipher(WideHEH):
    cipher = "ace"


class Rotation:
    """A permutation of blocks of 8 bytes in the place of a cipher: a key is added, and bytes change places."""

    def __init__(self, key):
        self.key = key[:8]

    def encrypt(self, block):
        return bytes(a ^ b for a, b in zip(block[1:] + block[:1], self.key, strict=True))

    def decrypt(self, block):
        plain = bytes(a ^ b for a, b in zip(block, self.key, strict=True))
        return plain[-1:] + plain[:-1]


class Narrow(WideHEH):
    """64-bit blocks: the compiler takes them, the buses do not."""

    block_bytes = 8
    field = Field("half", 64, (1 << 64) | 0x1B)
    cipher = replace(QUAD256, name="narrow", block_bytes=8, software=Rotation)
    tweak_sizes = (8,)
    min_bytes = 16


class Repeated:
    """A permutation of blocks of 32 bytes under keys of 10 bytes."""

    def __init__(self, key):
        self.key = (key * 4)[:32]

    def encrypt(self, block):
        return bytes(a ^ b for a, b in zip(block[1:] + block[:1], self.key, strict=True))

    def decrypt(self, block):
        plain = bytes(a ^ b for a, b in zip(block, self.key, strict=True))
        return plain[-1:] + plain[:-1]


class Eighty(WideHEH):
    """Cipher keys of 80 bits, which no key packet has."""

    cipher = replace(QUAD256, name="eighty", key_bits=(80,), software=Repeated)


@pytest.mark.parametrize(
    ("mode", "options", "error", "message"),
    [
        (WideHEH, {"key_bits": 128}, InputError, "--key-bits must be 256, not 128"),
        (WideHEH, {"cipher_stages": 3}, InputError, "--cipher-stages must be from 1 to 2, not 3"),
        (WideHEH, {"cipher": "aes"}, InputError, "wide-heh works on blocks of 32 bytes, but those of aes have 16"),
        (WideHEH, {"cipher": "quad"}, UnknownName, "unknown cipher 'quad'; choose from aes, deoxys-bc, sm4"),
        (WideHEH, {"sector": 80}, InputError, "whole number of blocks of 32 bytes, and 80 bytes are not; choose --sector 64 or 96"),
        (WideHEH, {"tweak": 16}, InputError, "a tweak must have 32 bytes, not 16"),
        (OtherField, {}, DefinitionError, "wide-heh: the field ghash has 128 bits, but a block has 256"),
        (OtherCipher, {}, InputError, "wide-heh works on blocks of 32 bytes, but those of aes have 16"),
        (NoSuchCipher, {}, UnknownName, "unknown cipher 'ace'; did you mean aes?"),
    ],
)
def test_compile(mode, options, error, message):
    with pytest.raises(error) as caught:
        compile_mode(mode(), Options(**{"sector": 64, **options}))
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("mode", [OtherField, OtherCipher, NoSuchCipher])
def test_model(mode):
    with pytest.raises(InputError):
        Model(mode(), bytes(64))


def test_blocks_that_no_bus_carries():
    narrow = compile_mode(Narrow(), Options(sector=16, restarts=0))
    assert narrow.proved
    with pytest.raises(InputError, match="^wide-heh: the buses of a core do not fit this mode: block_bits is 128 or 256, not 64$"):
        bus_parameters(narrow)


@pytest.mark.parametrize(("name", "nbytes"), [("Narrow", 16), ("Eighty", 64)])
def test_explain_says_what_build_refuses(name, nbytes, tmp_path, capsys):
    """In the line that says "proved"; the words are those of ``build``."""
    arguments = [f"{__file__}:{name}", "--sector", str(nbytes)]
    with pytest.raises(SystemExit) as stop:
        main(["build", *arguments, "-o", str(tmp_path / "core"), "--no-timing"])
    assert stop.value.code == 2
    error = capsys.readouterr().err.splitlines()[-1].removeprefix("modeloom: ")
    with pytest.raises(SystemExit):
        main(["explain", *arguments])
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("proved "))
    assert line.removeprefix("proved").strip() == f"yes, but build refuses it: {error}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([f"{MODES}:WideHEH", "--sector", "64", "--key-bits", "128"], "--key-bits must be 256, not 128"),
        ([f"{__file__}:OtherCipher", "--sector", "64"], "wide-heh works on blocks of 32 bytes, but those of aes have 16"),
        ([f"{__file__}:Narrow", "--sector", "16"], "wide-heh: the buses of a core do not fit this mode: block_bits is 128 or 256, not 64"),
    ],
)
def test_command_line(arguments, message, tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["build", *arguments, "-o", str(tmp_path / "core")])
    assert stop.value.code == 2
    assert capsys.readouterr() == ("", f"modeloom: {message}\n")
    assert not (tmp_path / "core").exists()
