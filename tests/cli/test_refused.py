# SPDX-License-Identifier: Apache-2.0
"""What a definition lacks, and modes that are proved and have no core: one line, in ``explain`` as in ``build``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from modeloom.cli import main

FILE = """\
from dataclasses import replace

from modeloom.ciphers import AES
from modeloom.modes.gcm import GCM
from modeloom.modes.xts import XTS
from modeloom.spec import Keys, Mode
from modeloom.spec.stream import State, StreamMode


class NoTag(StreamMode):
    name = title = source = security = "no-tag"

    def setup(self, o, key):
        return Keys()

    def start(self, o, k, nonce):
        return State(s=nonce.block)

    def associated(self, o, k, s, a):
        return s

    def encrypt(self, o, k, s, p):
        return s, p ^ o.enc(s.s)

    decrypt = encrypt


class OneWay(GCM):
    one_direction = "encrypt"


class NoDecrypt(Mode):
    name = title = source = security = "no-decrypt"

    def setup(self, o, key):
        return Keys(cipher=key.cipher)

    def encrypt(self, o, k, t, p):
        return [o.enc(x ^ t[0]) for x in p]


class TwoKeys(GCM):
    name = "two-keys"
    key_parts = cipher_keys = ("cipher", "second")

    def setup(self, o, key):
        return Keys(H=o.enc(o.const(0)), second=key.second)

    def tag(self, o, k, s, n):
        return o.enc(super().tag(o, k, s, n), k.second)


class Apart(XTS):
    name = "apart"
    key_parts = ("K", "salt", "T")
    cipher_keys = ("K", "T")

    def setup(self, o, key):
        return Keys(K1=key.K, K2=key.T, salt=key.salt)
"""


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    return path


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("NoTag", "no-tag: mine.py, line 10: NoTag has no tag(); write it (docs/streams.md lists the steps)"),
        (
            "OneWay", "gcm: mine.py, line 29: one_direction is for modes on sectors; a message mode has both directions, and --direction "
            "builds a core for one; leave it out",
        ),
        (
            "NoDecrypt", 'no-decrypt: mine.py, line 32: NoDecrypt has no decrypt(); write it, or set one_direction = "encrypt"',
        ),
    ],
)  # fmt: skip
def test_what_is_missing_is_named(name: str, error: str, file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for command in (["explain"], ["build", "-o", str(tmp_path / "core")]):
        assert run(command[0], f"{file}:{name}", *command[1:]) == 2
        assert capfd.readouterr().err == f"modeloom: {error}\n"
    assert not (tmp_path / "core").exists()


@pytest.mark.parametrize(
    ("name", "options"), [("TwoKeys", ["--key-bits", "128"]), ("Apart", ["--sector", "32"])],
)  # fmt: skip
def test_explain_says_what_build_refuses(
    name: str, options: list[str], file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """In the line that says "proved", and in JSON; the words are those of ``build``."""
    assert run("build", f"{file}:{name}", "-o", str(tmp_path / "core"), "--no-timing", *options) == 2
    error = capfd.readouterr().err.splitlines()[-1].removeprefix("modeloom: ")
    assert run("explain", f"{file}:{name}", *options) == 0
    line = next(line for line in capfd.readouterr().out.splitlines() if line.startswith("proved "))
    assert line.removeprefix("proved").strip() == f"yes, but build refuses it: {error}"
    assert run("explain", f"{file}:{name}", "--json", *options) == 0
    assert json.loads(capfd.readouterr().out)["refused"] == error
    assert run("explain", "xts", "--json", "--sector", "32") == 0
    assert json.loads(capfd.readouterr().out)["refused"] is None
