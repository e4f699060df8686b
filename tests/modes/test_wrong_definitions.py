# SPDX-License-Identifier: Apache-2.0
"""Wrong definitions in a file: one line with the file and the line, exit status 2; the lines stand in ``expected/``.

``modeloom model`` refuses what ``modeloom explain`` refuses, with the same words.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from modeloom.cli import main

HEAD = """\
from modeloom.ciphers import AES, BlockCipher, CoreTiming
from modeloom.spec import CIPHER, Field, GHASH_ORDER, Keys, Mode


class Mine(Mode):
    name = "mine"
    title = "Mine"
    source = "a test"
    security = "none"
    key_parts = (CIPHER, "h")
"""

SETUP = """
    def setup(self, o, key):
        return Keys(h=key.h)
"""

LAYERS = """
    def encrypt(self, o, k, t, p):
        return [o.enc(x ^ t[0] ^ o.double(k.h, i)) for i, x in enumerate(p)]

    def decrypt(self, o, k, t, c):
        return [o.dec(x) ^ t[0] ^ o.double(k.h, i) for i, x in enumerate(c)]
"""


def encrypt(*lines: str) -> str:
    """The text of a mode whose encryption begins with some lines."""
    body = "".join(f"        {line}\n" for line in lines)
    return HEAD + SETUP + f"\n    def encrypt(self, o, k, t, p):\n{body}" + LAYERS.partition("\n\n")[0].partition(":\n")[2] + (
        "\n\n" + LAYERS.partition("\n\n")[2]
    )


def with_setup(*lines: str) -> str:
    """The text of a mode with another set-up."""
    return HEAD + "\n    def setup(self, o, key):\n" + "".join(f"        {line}\n" for line in lines) + LAYERS


def with_attribute(*lines: str) -> str:
    """The text of a mode with further attributes."""
    return HEAD + "".join(f"    {line}\n" for line in lines) + SETUP + LAYERS


def with_cipher(member: str, value: str, *lines: str) -> str:
    """The text of a mode on AES with one member of its description exchanged; some lines stand before it."""
    before = "".join(f"{line}\n" for line in lines)
    imports, _, attributes = HEAD.partition("class")
    own = f"OWN = replace(AES, name='own', {member}={value})\n\n\n"
    return f"from dataclasses import replace\n\n{imports}{before}\n{own}class{attributes}    cipher = OWN\n{SETUP}{LAYERS}"


CASES = {
    # Blocks have no truth, order, equality, length, arithmetic, parts, or number.
    "truth": encrypt("if p[0]:", "    p = p.like([k.h ^ x for x in p])"),
    "and": encrypt("p[0] and t[0]"),
    "not": encrypt("not p[0]"),
    "while": encrypt("while t[0]:", "    pass"),
    "equal": encrypt("p[0] == p[1]"),
    "equal_to_none": encrypt("p[0] == None"),
    "differs": encrypt("p[0] != 0"),
    "less": encrypt("p[0] < p[1]"),
    "sorted": encrypt("sorted(p)"),
    "in_list": encrypt("p[1] in [p[0], t[0]]"),
    "bit_and": encrypt("p[0] & k.h"),
    "bit_and_number": encrypt("0xFF & p[0]"),
    "bit_or": encrypt("p[0] | 1"),
    "invert": encrypt("~p[0]"),
    "plus": encrypt("p[0] + t[0]"),
    "sum": encrypt("sum(p)"),
    "minus": encrypt("-p[0]"),
    "times": encrypt("p[0] * k.h"),
    "modulo": encrypt("p[0] % 2"),
    "power": encrypt("k.h ** 2"),
    "shift_left": encrypt("p[0] << 1"),
    "shift_right": encrypt("p[0] >> 8"),
    "int": encrypt("int(p[0])"),
    "range": encrypt("range(p[0])"),
    "hex": encrypt("hex(p[0])"),
    "format": encrypt("f'{p[0]:032x}'"),
    "len": encrypt("len(p[0])"),
    "index": encrypt("p[0][0]"),
    "iterate": encrypt("for byte in p[0]:", "    pass"),
    "assign": encrypt("p[0][3] = 0"),
    "hash": encrypt("{p[0]: 1}"),
    "call": encrypt("p[0]()"),
    "attribute": encrypt("p[0].to_bytes(16, 'little')"),
    "xor_number": encrypt("p[0] ^ 5"),
    "number_xor": encrypt("5 ^ p[0]"),
    "xor_none": encrypt("p[0] ^ None"),
    "truth_in_setup": with_setup("if key.h:", "    return Keys(h=key.h)", "return Keys(h=o.enc(key.h))"),
    # Words of o.
    "misspelt_word": encrypt("o.mull(p[0], k.h)"),
    "unknown_word": encrypt("o.frobnicate(p[0])"),
    "missing_argument": encrypt("o.mul(p[0])"),
    "block_for_number": encrypt("o.double(p[0], p[1])"),
    "number_for_block": encrypt("o.enc(7)"),
    "list_for_block": encrypt("o.enc(p)"),
    "negative_pad": encrypt("o.pad(p[0], -1, 0x80)"),
    "pad_byte": encrypt("o.pad(p[0], 3, 256)"),
    "const_of_text": encrypt("o.const('7')"),
    "const_of_float": encrypt("o.const(1.0)"),
    "const_negative": encrypt("o.const(-1)"),
    "head_of_float": encrypt("o.head(p[0], 1.5)"),
    "cipher_key_as_block": with_setup("return Keys(h=key.cipher ^ key.h)"),
    # Exceptions and results.
    "no_such_tweak_block": encrypt("t[1]"),
    "no_such_block": encrypt("p[len(p)]"),
    "exception": encrypt("{}['key']"),
    "exception_in_helper": HEAD + "\n    def setup(self, o, key):\n        return self.deeper(o, key)\n\n"
    "    def deeper(self, o, key):\n        return 1 / 0\n" + LAYERS,
    "assertion": encrypt("assert len(p) > 100"),
    "no_such_name": encrypt("big_endain(o, 3)"),
    "recursion": encrypt("return self.encrypt(o, k, t, p)"),
    "returns_none": encrypt("return None"),
    "returns_block": encrypt("return p[0]"),
    "returns_numbers": encrypt("return [0, *p[1:]]"),
    "returns_too_few": encrypt("return list(p[1:])"),
    "setup_returns_none": with_setup("key.h"),
    "setup_returns_number": with_setup("return Keys(h=key.h, n=5)"),
    "setup_returns_list": with_setup("return Keys(h=[key.h])"),
    "setup_reads_no_part": with_setup("return Keys(h=key.g)"),
    "reads_no_key_value": encrypt("k.g"),
    "wrong_parameters": HEAD + SETUP + LAYERS.replace("def encrypt(self, o, k, t, p)", "def encrypt(self, o, k, p)").replace("t[0] ^ ", ""),
    "no_decrypt": HEAD + SETUP + LAYERS.partition("\n\n")[0] + "\n",
    "no_setup": HEAD + LAYERS,
    # Attributes.
    "key_parts_text": with_attribute("key_parts = 'cipher'"),
    "key_parts_twice": with_attribute("key_parts = (CIPHER, 'h', 'h')"),
    "cipher_keys_no_part": with_attribute("cipher_keys = ('K1',)"),
    "tweak_sizes_number": with_attribute("tweak_sizes = 16"),
    "field_class": with_attribute("field = Field"),
    "field_reducible": with_attribute("field = Field('mine', 128, (1 << 128) | 0x89)"),
    "field_even": with_attribute("field = Field('mine', 128, (1 << 128) | 0x86)"),
    "one_direction_wrong": with_attribute("one_direction = 'encryption'"),
    "partial_number": with_attribute("partial = 0"),
    "name_empty": with_attribute("name = ''"),
    "cipher_class": with_attribute("cipher = BlockCipher"),
    "cipher_none": with_attribute("cipher = None"),
    "cipher_unknown": with_attribute("cipher = 'ace'"),
    # Partial blocks, and blocks on which nothing depends.
    "bytes_behind_the_end": HEAD + "    partial = True\n" + SETUP + "\n    def encrypt(self, o, k, t, p):\n"
    "        return [x ^ o.enc(t[0] ^ o.double(k.h, i)) for i, x in enumerate(p)]\n\n    decrypt = encrypt\n",
    "one_byte_behind_the_end": HEAD + "    partial = True\n" + SETUP + "\n    def encrypt(self, o, k, t, p):\n"
    "        e = [o.enc(t[0] ^ o.double(k.h, i)) for i in range(len(p))]\n"
    "        return [x ^ o.head(y, min(n + 1, 16)) for x, y, n in zip(p, e, p.lengths)]\n\n    decrypt = encrypt\n",
    "block_without_influence": encrypt("return [o.enc(p[0]), *(o.enc(t[0]) for x in p[1:])]"),
    "every_key_refused": with_setup("z = o.mul(key.h, o.const(0))", "return Keys(h=key.h, z=z, i=o.inverse(z, 'z'))"),
    "not_inverse": HEAD + SETUP + LAYERS.replace("o.dec(x) ^ t[0]", "o.dec(x)"),
    # A cipher's description.
    "timing_raises": with_cipher("timing", "timing", "def timing(request):", "    return request.stages / 0"),
    "timing_of_numbers": with_cipher("timing", "lambda *of: (11, 1)"),
    "timing_negative": with_cipher("timing", "lambda *of: CoreTiming(-11, 1)"),
    "timing_interval": with_cipher("timing", "lambda *of: CoreTiming(11, 0)"),
    "timing_of_float": with_cipher("timing", "lambda *of: CoreTiming(11.0, 1)"),
    "timing_signature": with_cipher("timing", "lambda core, form, key_bits, stages: CoreTiming(11, 1)"),
    "hardware_signature": with_cipher("hardware", "lambda core, form, key_bits, stages, slots, sbox: None"),
    "timing_itself": with_cipher("timing", "CoreTiming(11, 1)"),
    "software_raises": with_cipher("software", "software", "def software(key):", "    raise ValueError('no such key')"),
    "software_short": with_cipher("software", "Software", "class Software:", "    def __init__(self, key):", "        pass", "",
                                  "    def encrypt(self, blocks):", "        return blocks[:8]", "", "    decrypt = encrypt"),
    "software_list": with_cipher("software", "Software", "class Software:", "    def __init__(self, key):", "        pass", "",
                                 "    def encrypt(self, blocks):", "        return list(blocks)", "", "    decrypt = encrypt"),
    "software_none": with_cipher("software", "lambda key: None"),
    "software_no_function": with_cipher("software", "5"),
    "key_bits_number": with_cipher("key_bits", "128"),
    "block_bytes_zero": with_cipher("block_bytes", "0"),
    "sboxes_none": with_cipher("sboxes", "()"),
    "most_stages_zero": with_cipher("most_stages", "0"),
    "sequential_other": with_cipher("sequential", "('encrypt', 'decoder')"),
    "pipelined_old": with_cipher("pipelined", "('enc', 'dec')"),
    "sequential_text": with_cipher("sequential", "'encrypt'"),
}

ONLY_COMPILED = {"timing_raises", "timing_of_numbers", "timing_negative", "timing_interval", "timing_of_float"}
"""What is about cores, which the software model does not have."""


def outcome(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The line on standard error of a command that fails with status 2."""
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    printed = capsys.readouterr()
    assert stop.value.code == 2 and not printed.out, printed.err
    assert re.fullmatch(r"modeloom: .+\n", printed.err), printed.err
    return printed.err


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "key").write_bytes(bytes(range(32)))
    (tmp_path / "plain").write_bytes(bytes(range(240)))
    return tmp_path


@pytest.mark.parametrize("case", CASES)
def test_one_line(case, folder, capsys, expected):
    (folder / "mine.py").write_text(CASES[case], encoding="utf-8")
    size = "40" if "partial = True" in CASES[case] else "48"
    told = outcome(capsys, "explain", "./mine.py:Mine", "--sector", size)
    assert "object at 0x" not in told and str(folder) not in told
    line = re.search(r"mine\.py, line (\d+)", told)
    source = CASES[case].splitlines()[int(line[1]) - 1].strip() if line else ""
    if case not in ONLY_COMPILED:
        assert outcome(capsys, "model", "./mine.py:Mine", "--sector", size, "--key-file", "key", "plain", "cipher") == told
        assert not (folder / "cipher").exists()
    expected(f"{case}.txt", f"{source}\n{told}")


def test_every_golden_file_has_a_case():
    assert {path.stem for path in (Path(__file__).parent / "expected").glob("*.txt")} == set(CASES)


def test_the_mode_of_the_cases_is_good(folder, capsys):
    (folder / "mine.py").write_text(HEAD + SETUP + LAYERS, encoding="utf-8")
    with pytest.raises(SystemExit) as stop:
        main(["explain", "./mine.py:Mine", "--sector", "48"])
    assert stop.value.code == 0 and not capsys.readouterr().err
