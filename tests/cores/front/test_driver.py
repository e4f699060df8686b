# SPDX-License-Identifier: Apache-2.0
"""The driver in C, on a simulated core: its accesses go to the registers of the simulation."""

from __future__ import annotations

import ctypes

import pytest
from tests.c_programs import compile_c
from tests.cores.front.board import (
    BAD_LENGTH,
    BAD_SLOT,
    BUS,
    KEY_REFUSED,
    NO_CORE,
    OK,
    POLLS,
    READ,
    TIMEOUT,
    WAIT,
    WRITE,
    Board,
    Bus,
    Core,
    MessageCommand,
    SectorCommand,
)

from modeloom import model
from modeloom.interfaces.messages import pack_message_command
from modeloom.interfaces.sector import pack_command


@pytest.fixture(scope="module")
def driver(sectors, tmp_path_factory):
    """The driver of the folder of a core."""
    library = compile_c(tmp_path_factory.mktemp("driver") / "driver.so", [sectors / "modeloom.c"], shared=True)
    return ctypes.CDLL(str(library))


@pytest.fixture(scope="module")
def board(driver, sectors):
    return Board(driver, sectors).opened()


def test_open(board, driver, sectors):
    core, d = board.core, board.sim.description
    assert (core.kind, core.encrypts, core.decrypts, core.beat_bytes) == (1, 1, 1, d.beat_bytes)
    assert (core.key_slots, core.key_bytes) == (d.key_slots, d.key_bytes)
    assert f"{core.major}.{core.minor}.{core.patch}" == d.version
    assert core.build == int(d.sha256[d.verilog][:8], 16)


def test_something_else_is_no_core(driver, sectors):
    def nothing(context, offset, value):
        value[0] = 0xDEADBEEF
        return 0

    bus, core = Bus(READ(nothing), WRITE(lambda *_: 0), WAIT(0), None), Core()
    assert driver.modeloom_open(ctypes.byref(core), ctypes.byref(bus)) == NO_CORE
    bus = Bus(READ(lambda *_: -1), WRITE(lambda *_: 0), WAIT(0), None)
    assert driver.modeloom_open(ctypes.byref(core), ctypes.byref(bus)) == BUS


def test_a_sector_under_a_key_of_the_driver(board, driver):
    """Key, command and status go through the driver; data go over the streams."""
    key, tweak, data = bytes(range(32)), bytes(range(7, 23)), bytes(range(64))
    board.events()
    board.call("clear_counters")
    assert board.call("load_key", 1, key, len(key), POLLS) == OK and board.waits
    assert [board.has_key(slot) for slot in range(3)] == [0, 1, 0] and board.events() & 1
    beat = ctypes.create_string_buffer(40)
    command = SectorCommand(tweak, len(tweak), 0xBEEF, 1, 0, 0)
    assert driver.modeloom_sector_command(beat, ctypes.byref(command)) == OK
    assert beat.raw == pack_command(tweak=tweak, tag=0xBEEF, slot=1)
    board.sim.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": beat.raw})
    board.sim.send_packet(data)
    board.sim.wait_for_statuses(1, 5000)
    status = board.sim.runner.take("m_axis_status").columns["m_axis_status_tdata"]
    number, code = ctypes.c_uint(), ctypes.c_uint()
    driver.modeloom_sector_status(status, ctypes.byref(number), ctypes.byref(code))
    assert (number.value, code.value) == (0xBEEF, 0)
    assert board.sim.runner.take("m_axis").columns["m_axis_tdata"] == model("xts", key).encrypt(tweak, data)
    assert [board.count(which) for which in (1, 2, 3, 4, 5)] == [1, 1, 0, 64, 64]
    assert board.count(0) > 100


def test_failures(board, driver):
    board.call("clear_counters")
    board.sim.send_command(bytes(16), slot=2, tag=77)
    board.sim.send_packet(bytes(64))
    board.sim.wait_for_statuses(1, 5000)
    board.sim.runner.take("m_axis_status")
    code, number = ctypes.c_uint(), ctypes.c_uint()
    assert board.call("last_failure", ctypes.byref(code), ctypes.byref(number)) == OK
    assert (code.value, number.value, board.count(3)) == (4, 77, 1)
    assert board.call("enable", 4) == OK
    board.sim.runner.run(max_cycles=3)
    assert board.sim.simulation.get("irq") and board.events() & 4
    board.sim.runner.run(max_cycles=3)
    assert not board.sim.simulation.get("irq")


def test_keys_that_are_refused(board):
    assert board.call("load_key", 3, bytes(32), 32, POLLS) == BAD_SLOT
    assert board.call("load_key", 0, bytes(33), 33, POLLS) == BAD_LENGTH
    assert board.call("load_key", 0, b"", 0, POLLS) == BAD_LENGTH
    assert board.call("load_key", 0, bytes(range(31)), 31, POLLS) == KEY_REFUSED
    # Both halves of a key of XTS are different.
    assert board.call("load_key", 0, bytes(32), 32, POLLS) == KEY_REFUSED
    assert not board.has_key(0)
    assert board.call("load_key", 0, bytes(range(32)), 32, ctypes.c_ulong(0)) == TIMEOUT
    assert board.call("load_key", 0, bytes(range(1, 33)), 32, POLLS) == OK and board.has_key(0)


def test_erasing(board):
    assert board.call("load_key", 0, bytes(range(1, 33)), 32, POLLS) == OK
    assert board.call("load_key", 2, bytes(range(2, 34)), 32, POLLS) == OK
    assert board.call("erase_key", 0, POLLS) == OK
    assert (board.has_key(0), board.has_key(2)) == (0, 1)
    assert board.call("erase_key", 3, POLLS) == BAD_SLOT
    assert board.call("zeroize", POLLS) == OK
    assert not any(board.has_key(slot) for slot in range(3)) and board.events() & 2


@pytest.mark.parametrize("opens", [0, 1])
def test_commands_for_messages(driver, opens):
    nonce, tag, beat = bytes(range(1, 13)), bytes(range(40, 56)), ctypes.create_string_buffer(48)
    command = MessageCommand(nonce, 12, tag, 16, 0x0102030405060708, 0x1234, 0x0201, 9, opens)
    assert driver.modeloom_message_command(beat, ctypes.byref(command)) == OK
    assert beat.raw == pack_message_command(
        nonce=nonce, tag=tag if opens else b"", tag_bytes=16, associated=0x0102030405060708, id=0x1234, slot=0x0201, channel=9,
        decrypt=opens, block_bytes=16,
    )  # fmt: skip
    command.nonce_bytes = 17
    assert driver.modeloom_message_command(beat, ctypes.byref(command)) == BAD_LENGTH


def test_status_of_a_message(driver):
    number, code, tag = ctypes.c_uint(), ctypes.c_uint(), ctypes.create_string_buffer(16)
    driver.modeloom_message_status(bytes(range(16)) + b"\x34\x12\x06\x00", ctypes.byref(number), ctypes.byref(code), tag)
    assert (number.value, code.value, tag.raw) == (0x1234, 6, bytes(range(16)))
