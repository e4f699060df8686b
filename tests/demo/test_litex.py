# SPDX-License-Identifier: Apache-2.0
"""The LiteX example without a simulation: its instances of cores, what it refuses, and the sectors and messages that its firmware gets."""

from __future__ import annotations

import json
import re

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import GCM
from tests.built import hollow
from tests.demo.litex_example import FORMS, QUICK, SMALL, Form, modules, write_core

from modeloom.vectors import for_mode


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """A small core with registers.  The example reads what it is, and not its Verilog."""
    with hollow():
        return write_core(tmp_path_factory.mktemp("litex") / "core", FORMS["small"])


def changed(core, folder, **changes):
    """A folder with another ``core.json``; None takes a member away."""
    description = json.loads((core / "core.json").read_text())
    for name, value in changes.items():
        if value is None:
            del description[name]
        else:
            description[name] = {**description[name], **value} if isinstance(value, dict) else value
    (folder / "core.json").write_text(json.dumps(description))
    return folder


def instance(verilog, module):
    """The ports of an instance, with what they are connected to."""
    text = re.search(rf"^{module} {module}\((.*?)\);", verilog, re.MULTILINE | re.DOTALL)
    return dict(re.findall(r"\.(\w+)\s*\((.*?)\)(?:,|\s*$)", text[1]))


@pytest.fixture(scope="module")
def messages_core(tmp_path_factory):
    """A small core for messages, with registers."""
    with hollow():
        return write_core(tmp_path_factory.mktemp("litex") / "core", FORMS["quick, messages"])


@pytest.mark.parametrize("commands", ["streams", "registers"])
@pytest.mark.parametrize(("mode", "options"), [("xts", SMALL), ("no-hash", QUICK)])
def test_each_port_has_its_signal(tmp_path, mode, options, commands):
    with hollow():
        folder = write_core(tmp_path / "core", Form(mode, options, 32, {} if commands == "streams" else {"commands": "registers"}))
    with modules() as run:
        run.generate(folder, tmp_path / "build", 32)
    front = json.loads((folder / "core.json").read_text())["front"]
    ports = instance((tmp_path / "build" / "sim.v").read_text(), front["top"])
    assert ports.keys() == {port["name"] for port in front["ports"]}
    outputs = [ports[port["name"]] for port in front["ports"] if port["direction"] == "output"]
    assert len(set(outputs)) == len(outputs) and all(ports.values())
    assert ports["s_axil_awaddr"] != ports["s_axil_araddr"] and ports["s_axil_awaddr"].endswith(f"[{front['address_bits'] - 1}:0]")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema": "modeloom-core-2"}, "the schema is neither modeloom-core-1 nor modeloom-stream-core-1"),
        ({"front": None}, "build it with --front registers"), ({"front": {"kind": "width"}}, "build it with --front registers"),
        ({"front": {"bus": "apb"}}, "behind apb; build the core without --register-bus"),
        ({"front": {"clocks": {}}}, "without --clock and --reset"),
        ({"sizes": [{"sector_bytes": 68}]}, "68 bytes are no whole number of words of 32 bits and beats of 64 bits"),
        ({"front": {"ports": [{"name": "s_axis_x_tdata", "direction": "input", "width": 8, "stream": "s_axis_x"}]}}, "s_axis_x_tdata"),
    ],
)  # fmt: skip
def test_what_is_refused(core, tmp_path, capsys, changes, message):
    """One line, and the exit status of wrong input."""
    with modules() as run:
        assert run.main([str(changed(core, tmp_path, **changes)), "--build", str(tmp_path / "build")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"channels": 4}, "build it without --channels"), ({"lengths_first": True}, "commands have the number of bytes of text"),
        ({"explain": {"passes": 2}}, "build it with --message-buffer"), ({"packet_bytes": 176}, "build it without --keys expanded"),
        ({"block_bytes": 8}, "blocks of the mode do not have 16 bytes"), ({"hold": 15}, "no room for 16 bytes of text"),
        ({"message_buffer": 32}, "no room for 16 bytes of text"), ({"front": {"kind": "width"}}, "build it with --front registers"),
    ],
)  # fmt: skip
def test_what_is_refused_of_messages(messages_core, tmp_path, capsys, changes, message):
    with modules() as run:
        assert run.main([str(changed(messages_core, tmp_path, **changes)), "--build", str(tmp_path / "build")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


def test_beats_that_are_no_words(messages_core, tmp_path, capsys):
    with modules() as run:
        assert run.main([str(messages_core), "--build", str(tmp_path / "build"), "--bus-width", "64"]) == 2
    assert "beats of 32 bits do not fit words of 64 bits; build the core with --data-width 64" in capsys.readouterr().err


def test_no_core(tmp_path, capsys):
    with modules() as run:
        assert run.main([str(tmp_path), "--build", str(tmp_path / "build")]) == 2
    assert "not the description of a core" in capsys.readouterr().err


def test_no_compiler(core, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with modules() as run:
        assert run.main([str(core), "--build", str(tmp_path / "build")]) == 2
    assert capsys.readouterr().err == "run.py: there is no riscv64-unknown-elf-gcc; run: apt-get install gcc-riscv64-unknown-elf\n"


def test_published_vectors_come_first():
    description = {"mode": "xts", "definition": "xts", "cipher": "aes", "sector_bytes": 512, "tweak_bytes": 16, "key_bytes": 32}
    with modules(name="sectors") as sectors:
        example = sectors.example_of(description)
        text = sectors.headers(description)["example.h"]
    assert 1 <= example.published <= len(example.plain) == 16
    published = {(test["key"], test["tweak"], test["pt"], test["ct"]) for test in for_mode("xts")}
    rows = list(zip(example.tweaks, example.plain, example.cipher))
    for row in rows[: example.published]:
        assert (example.key.hex(), *(one.hex() for one in row)) in published
    assert "SECTORS = 16, SECTOR_BYTES = 512, TWEAK_BYTES = 16" in text
    (cipher,) = re.findall(r"CIPHER\[\] = \{([\d,]+)\}", text)
    assert bytes(map(int, cipher.split(","))) == b"".join(example.cipher)


DESCRIPTION = {
    "mode": "gcm", "definition": "gcm", "cipher": "aes", "block_bytes": 16, "key_sizes": [16], "key_slots": 3,
    "nonce_bytes": [[12], [8, 16]], "tag_bytes": [16, 12], "packet": "aligned", "explain": {"passes": 1},
}  # fmt: skip


def opens(message):
    """Whether somebody else's GCM opens a message, and to its plaintext."""
    decryptor = Cipher(AES(message.key), GCM(message.nonce, message.tag, min_tag_length=4)).decryptor()
    decryptor.authenticate_additional_data(message.associated)
    plain = decryptor.update(message.cipher)
    try:
        decryptor.finalize()
    except InvalidTag:
        return False
    assert plain == message.plain
    return True


def test_messages_of_the_firmware():
    """Published ones come first; a message opens with somebody else's GCM if it is not forged; and every key has a slot."""
    with modules(name="messages") as messages:
        examples = messages.examples_of(DESCRIPTION)
    published = {(test["key"], test["nonce"], test["aad"], test["ct"], test["tag"]): test for test in for_mode("gcm")}
    told = set()
    for example in examples:
        keys = {}
        for message, slot in zip(example.messages, example.slots):
            assert keys.setdefault(slot, message.key) == message.key and slot < 3
            assert opens(message) is not message.forged
            if "published" in example.what:
                parts = (message.key, message.nonce, message.associated, message.cipher, message.tag)
                found = published[tuple(part.hex() for part in parts)]
                assert message.forged is (found["result"] == "invalid")
                told.add((message.forged, len(message.cipher)))
            elif not message.forged:
                told.add(len(message.cipher))
    assert {(False, 0), (False, 1024), (True, 0), 64, 512, 1500, 100} <= told
    assert sum(len(one.messages) for one in examples if one.what == " published messages of ") == 12
    mixed = next(one for one in examples if "some are forged" in one.what)
    assert [message.forged for message in mixed.messages] == [False, True] * 3 + [False]


@pytest.mark.parametrize(
    ("limits", "associated", "most"),
    [({}, 20, 1500), ({"hold": 700}, 20, 700), ({"message_buffer": 128}, 0, 128), ({"message_buffer": 128}, 17, 96)],
)
def test_the_room_of_a_core(limits, associated, most):
    """Text up to what the core holds back, and text with associated data up to what it stores, in whole beats."""
    with modules(name="messages") as messages:
        assert [messages.fits(DESCRIPTION | limits, associated, text) for text in (most, most + 1)] == [True, False]


def test_a_core_with_little_room():
    """Its messages fit, and forged ones stand between those of the shorter length."""
    description = DESCRIPTION | {"message_buffer": 128}
    with modules(name="messages") as messages:
        examples = messages.examples_of(description)
        assert all(messages.fits(description, len(one.associated), len(one.cipher)) for example in examples for one in example.messages)
    mixed = next(one for one in examples if "some are forged" in one.what)
    assert {len(message.cipher) for message in mixed.messages} == {16}


def test_a_pool_has_every_string():
    """A string that is there already has its place; another one is put behind."""
    with modules(name="initialisers") as initialisers:
        pool = initialisers.Pool("DATA")
        places = [pool.place(one) for one in (b"abcd", b"bc", b"", b"de")]
    assert places == ["DATA + 0", "DATA + 1", "DATA + 0", "DATA + 4"]
    assert pool.text == "static const uint8_t DATA[] = {97,98,99,100,100,101};"
