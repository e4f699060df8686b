# SPDX-License-Identifier: Apache-2.0
"""Cores whose commands and statuses go over registers: their files, their checks, and the driver in C."""

from __future__ import annotations

import ctypes
from dataclasses import replace

import pytest
from systemrdl import RDLCompiler
from systemrdl.node import RegNode
from tests.built import slow
from tests.c_programs import compile_c
from tests.cores.front.board import (
    BAD_LENGTH,
    NO_COMMANDS,
    OK,
    POLLS,
    TIMEOUT,
    Board,
    Layout,
    MessageBoard,
    MessageCommand,
    SectorCommand,
    message_command,
)
from tests.cores.front.cores import message_core, sector_core
from tests.streams.modes import WideAEAD

from modeloom import model
from modeloom.cli import main
from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.cores.front import front_of
from modeloom.cores.stream import StreamCore
from modeloom.emit import emit, lint
from modeloom.interfaces.shared import KEY_FLAGS
from modeloom.product.folder import read_description
from modeloom.spec import InputError
from modeloom.verification.front import front_steps
from modeloom.verification.sector import SectorWork
from modeloom.verification.sector.host import Subject
from modeloom.verification.steps import today
from modeloom.verification.stream import MessageWork
from modeloom.verification.stream.host import StreamSubject


class Status(ctypes.Structure):
    _fields_ = [("number", ctypes.c_uint), ("code", ctypes.c_uint), ("channel", ctypes.c_uint), ("tag", ctypes.c_uint8 * 32)]


def library(folder, tmp_path_factory):
    """Both parts of the driver in the folder of a core."""
    sources = [folder / "modeloom.c", folder / "modeloom_commands.c"]
    return ctypes.CDLL(str(compile_c(tmp_path_factory.mktemp("driver") / "driver.so", sources, shared=True)))


@pytest.fixture(scope="module")
def board(command_sectors, tmp_path_factory):
    return Board(library(command_sectors, tmp_path_factory), command_sectors).opened()


def test_lint_and_the_files_of_today(command_sectors):
    lint(command_sectors)
    description = read_description(command_sectors)
    for file, text in today(sector_core(), description).items():
        assert (command_sectors / file).read_text(encoding="utf-8") == text, file
    ports = {port.name for port in description.front.ports}
    assert {"s_axis_tdata", "m_axis_tdata", "irq"} <= ports
    assert not any(name.startswith(("s_axis_cmd", "m_axis_status", "s_axis_key")) for name in ports)


def test_the_core_and_the_first_part_of_the_driver_stay(command_sectors, sectors):
    d = read_description(command_sectors).files
    for file in (d.verilog, d.bench, d.listing, d.driver, d.driver_header):
        assert (command_sectors / file).read_bytes() == (sectors / file).read_bytes()
    assert not (sectors / "modeloom_commands.c").exists()


def test_the_map_needs_no_marks(command_sectors):
    description = read_description(command_sectors)
    text = (command_sectors / description.files.registers).read_text()
    assert "`ifdef" not in text
    compiler = RDLCompiler()
    compiler.compile_file(str(command_sectors / description.files.registers))
    top = compiler.elaborate().top
    names = {node.inst_name: node.absolute_address for node in top.descendants(unroll=True) if isinstance(node, RegNode)}
    assert names["command_submit"] == description.front.registers["command_submit"] and "status_tag" not in names


def test_a_sector_over_registers_alone(board):
    """Key, commands and statuses go through the driver; data go over the streams."""
    key, rng = bytes(range(32)), list(range(64))
    tweaks, data = [bytes([at]) * 16 for at in range(3)], [bytes(rng[at:] + rng[:at]) for at in range(3)]
    there, status, beat = ctypes.c_int(), Status(), ctypes.create_string_buffer(40)
    assert board.core.takes_commands == 1
    assert board.call("poll", ctypes.byref(status), ctypes.byref(there)) == OK and not there.value
    assert board.call("wait_status", ctypes.byref(status), ctypes.c_ulong(2)) == TIMEOUT
    assert board.call("load_key", 1, key, len(key), POLLS) == OK
    board.events()
    for at in range(3):
        command = SectorCommand(tweaks[at], 16, 0xBEE0 + at, 1 if at < 2 else 2, 0, 0)
        assert board.driver.modeloom_sector_command(beat, ctypes.byref(command)) == OK
        assert board.call("submit", beat, 40, POLLS) == OK
        board.sim.send_packet(data[at])
    assert board.call("submit", beat, 36, POLLS) == BAD_LENGTH
    found = []
    for _ in range(3):
        assert board.call("wait_status", ctypes.byref(status), POLLS) == OK
        found.append((status.number, status.code, any(status.tag)))
    assert found == [(0xBEE0, 0, False), (0xBEE1, 0, False), (0xBEE2, 4, False)]
    came = board.sim.runner.take("m_axis").columns["m_axis_tdata"]
    reference = model("xts", key)
    assert came == b"".join(reference.encrypt(tweaks[at], data[at]) for at in range(2))
    assert board.events() == 4 | 8 | 16
    assert board.call("poll", ctypes.byref(status), ctypes.byref(there)) == OK and not there.value


def test_a_core_without_commands_over_registers_refuses(board, sectors):
    """The driver reads and writes no register that this core does not have."""
    other, there, status = Board(board.driver, sectors).opened(), ctypes.c_int(), Status()
    assert other.core.takes_commands == 0
    assert other.call("poll", ctypes.byref(status), ctypes.byref(there)) == NO_COMMANDS
    assert other.call("wait_status", ctypes.byref(status), POLLS) == NO_COMMANDS
    assert other.call("submit", bytes(40), 40, POLLS) == NO_COMMANDS


def test_sectors(command_sectors):
    front, registers = (make() for make in front_steps(SectorWork(Subject(command_sectors, optimize=0))))
    assert front.figures["control_signals"] > 500 and registers.figures["sectors"] == 72


@slow
def test_messages(command_messages):
    lint(command_messages)
    front, registers = (make() for make in front_steps(MessageWork(StreamSubject(command_messages, optimize=0))))
    assert front.figures["control_signals"] > 500 and registers.figures["messages"] == 72


@slow
def test_messages_and_their_tags(command_messages, tmp_path_factory):
    """Commands of CCM have the number of bytes of text.  The driver makes all of each command."""
    board = MessageBoard(library(command_messages, tmp_path_factory), command_messages).opened()
    layout = board.core.layout
    assert (layout.block_bytes, layout.states_text, layout.text_first, layout.two_passes) == (16, 1, 0, 0)
    key, nonce, text = bytes(range(16)), bytes(range(1, 13)), bytes(range(40))
    assert board.call("load_key", 0, key, len(key), POLLS) == OK
    sealed = model("ccm", key).seal(nonce, text)
    cipher, tag = sealed[:40], sealed[40:]
    wrong = bytes([tag[0] ^ 1]) + tag[1:]
    for number, (opens, part, its_tag, wanted) in enumerate(
        [(0, text, b"", (0, tag + bytes(16))), (1, cipher, tag, (0, bytes(32))), (1, cipher, wrong, (1, bytes(32)))]
    ):
        command = MessageCommand(nonce, 12, its_tag, 16, 0, len(text), number, 0, 0, opens)
        result, beat = message_command(board.driver, layout, command)
        assert result == OK and len(beat) == 56 and exchange(board, beat, part) == (number, *wanted)
        assert board.sim._text() == (text if opens else cipher)


@slow
def test_a_command_of_another_core(command_messages, tmp_path_factory):
    """Without its number of bytes of text, a command of CCM is refused, and the core gets nothing of it."""
    board = MessageBoard(library(command_messages, tmp_path_factory), command_messages).opened()
    command = MessageCommand(bytes(12), 12, b"", 16, 0, 40, 7)
    result, beat = message_command(board.driver, Layout(16), command)
    assert result == OK and len(beat) == 48 and board.call("submit", beat, len(beat), POLLS) == BAD_LENGTH
    status = Status()
    assert board.call("wait_status", ctypes.byref(status), ctypes.c_ulong(20)) == TIMEOUT and not board.count(1)


@slow
def test_a_message_in_two_passes(tmp_path, tmp_path_factory):
    """The second pass has the tag of the first one."""
    front = front_of("registers", commands="registers")
    emit(message_core("deoxys-ii"), tmp_path / "core", command="modeloom build deoxys-ii", front=front)
    board = MessageBoard(library(tmp_path / "core", tmp_path_factory), tmp_path / "core").opened()
    layout = board.core.layout
    assert (layout.block_bytes, layout.states_text, layout.text_first, layout.two_passes) == (16, 0, 0, 1)
    key, nonce, text = bytes(range(16)), bytes(range(1, 16)), bytes(range(40))
    assert board.call("load_key", 0, key, len(key), POLLS) == OK
    sealed = model("deoxys-ii", key).seal(nonce, text)
    tag = sealed[40:]
    # Whether it opens, whether it is the second pass, the text and the tag in and out.  A second pass has no tag in its status.
    passes = [(0, 0, text, b"", b"", tag), (0, 1, text, tag, sealed[:40], bytes(16)), (1, 0, sealed[:40], tag, text, bytes(16))]
    for number, (opens, second, part, its_tag, out, found) in enumerate(passes):
        command = MessageCommand(nonce, 15, its_tag, 16, 0, 40, number, 0, 0, opens, second)
        result, beat = message_command(board.driver, layout, command)
        assert result == OK and len(beat) == 48
        assert exchange(board, beat, part) == (number, 0, found + bytes(16)) and board.sim._text() == out


def exchange(board, beat, text):
    """Number, code and tag of the status after this command and its text."""
    status = Status()
    assert board.call("submit", beat, len(beat), POLLS) == OK
    board.sim._feed_beats(packet(board.sim.beat_bytes, text), b"")
    assert board.call("wait_status", ctypes.byref(status), POLLS) == OK
    return status.number, status.code, bytes(status.tag)


def packet(lanes, text):
    from modeloom.product.beats import PacketBeats

    one = PacketBeats(lanes)
    one.add_part(b"")
    one.add_part(text)
    one.end()
    return one


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["xts", "--commands", "registers"], "--commands registers is for --front registers; add it"),
        (["xts", "--front", "registers", "--commands", "mail"], "--commands is streams or registers, not mail"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(tmp_path, capsys, arguments, message):
    """Before anything is compiled or written."""
    with pytest.raises(SystemExit) as stop:
        main(["build", *arguments, "-o", str(tmp_path / "core")])
    told = capsys.readouterr().err
    assert stop.value.code == 2 and message in told and told.count("\n") == 1 and not (tmp_path / "core").exists()


def test_commands_for_which_the_map_has_no_room_are_refused():
    """A nonce and a tag of 32 bytes each are 20 words with the rest."""
    description = StreamCore(compile_stream(WideAEAD(), StreamOptions(cipher_stages=1), prove=False)).describe("core", "modeloom")
    assert front_of("registers")(description).top == "core_registers"
    with pytest.raises(InputError, match="takes commands of at most 64 bytes, and those of this core have 80; leave it out"):
        front_of("registers", commands="registers")(description)


def test_an_interface_without_registers_is_refused(monkeypatch):
    """What is no stream and has no register would be lost without a word."""
    description = StreamCore(compile_stream(WideAEAD(), StreamOptions(cipher_stages=1), prove=False)).describe("core", "modeloom")
    other = replace(KEY_FLAGS, member="failures")
    monkeypatch.setattr(type(description), "interfaces", (*description.interfaces, other))
    with pytest.raises(InputError, match="^--front registers has no register for failures of this core; leave it out$"):
        front_of("registers")(description)
