# SPDX-License-Identifier: Apache-2.0
"""The driver in C, on a simulated core: its accesses go to the registers of the simulation."""

from __future__ import annotations

import ctypes
import re

import pytest
from tests.built import compiled, slow
from tests.c_programs import compile_c
from tests.cores.front.board import (
    BAD_COMMAND,
    BAD_LENGTH,
    BAD_PACKET,
    BAD_SLOT,
    BUS,
    KEY_REFUSED,
    NO_CORE,
    NO_KEY,
    OK,
    POLLS,
    READ,
    TIMEOUT,
    WAIT,
    WRITE,
    WRONG_TAG,
    Board,
    Bus,
    Core,
    Layout,
    MessageCommand,
    SectorCommand,
    message_command,
)
from tests.cores.front.cores import SECTORS
from tests.cores.front.cores import message_core as stream_core

from modeloom import model
from modeloom.cores.front import RegisterFrontEnd, front_of
from modeloom.cores.sector import SectorCore
from modeloom.emit import emit
from modeloom.interfaces.messages import ALIGNED, IN_ORDER, IN_SLOTS, MessageCode, message_core, pack_message_command
from modeloom.interfaces.sector import StatusCode, pack_command
from modeloom.product.simulated import SectorError
from modeloom.protocol.contract import TextFirst


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


@pytest.mark.parametrize(("writes", "result"), [(2, BUS), (99, KEY_REFUSED)])
def test_an_erasure_while_a_key_is_loaded(board, driver, sectors, writes, result):
    """The pin erases everything behind the second word, or when all has been sent: the driver does not say that the key is there."""
    left = [writes]

    def write(context, offset, value):
        answer = board.write(context, offset, value)
        left[0] -= 1
        if offset == board.sim.registers.addresses["key_send"] or left[0] == 0:
            for level, cycles in ((1, 1), (0, 200)):
                board.sim.simulation.set("zeroize", level)
                board.sim.runner.run(max_cycles=cycles)
        return answer

    bus, core = Bus(READ(board.read), WRITE(write), WAIT(board.wait), None), Core()
    assert driver.modeloom_open(ctypes.byref(core), ctypes.byref(bus)) == OK
    key = bytes(range(1, 33))
    assert driver.modeloom_load_key(ctypes.byref(core), 1, key, ctypes.c_size_t(len(key)), POLLS) == result
    assert not board.has_key(1)
    assert board.call("load_key", 1, key, len(key), POLLS) == OK and board.has_key(1)


def test_erasing(board):
    assert board.call("load_key", 0, bytes(range(1, 33)), 32, POLLS) == OK
    assert board.call("load_key", 2, bytes(range(2, 34)), 32, POLLS) == OK
    assert board.call("erase_key", 0, POLLS) == OK
    assert (board.has_key(0), board.has_key(2)) == (0, 1)
    assert board.call("erase_key", 3, POLLS) == BAD_SLOT
    assert board.call("zeroize", POLLS) == OK
    assert not any(board.has_key(slot) for slot in range(3)) and board.events() & 2


@slow
def test_more_slots_than_registers_have_bits(driver, tmp_path):
    """One bit tells of the slot of the last key packet.  Keys of other slots remain."""
    core = SectorCore(compiled("xts", prove=False, **{**SECTORS, "key_slots": 100}))
    emit(core, tmp_path / "core", command="modeloom build xts", front=front_of("registers"))
    board = Board(driver, tmp_path / "core").opened()
    assert board.core.key_slots == 100 and not any(board.has_key(slot) for slot in range(100))
    keys = {slot: bytes(range(slot % 7, slot % 7 + 32)) for slot in (0, 63, 64, 99)}
    for slot, key in keys.items():
        assert board.call("load_key", slot, key, len(key), POLLS) == OK and board.has_key(slot)
    assert board.has_key(5)
    assert board.call("load_key", 70, bytes(32), 32, POLLS) == KEY_REFUSED and not board.has_key(70)
    assert not board.has_key(0)
    assert board.call("load_key", 100, bytes(range(32)), 32, POLLS) == BAD_SLOT
    assert board.call("has_key", 100, ctypes.byref(ctypes.c_int())) == BAD_SLOT
    for slot, key in keys.items():
        assert board.sim.encrypt(bytes(16), bytes(range(64)), slot) == model("xts", key).encrypt(bytes(16), bytes(range(64)))
    assert board.call("load_key", 64, keys[64], 32, POLLS) == OK and board.has_key(64)
    assert board.call("erase_key", 64, POLLS) == OK and not board.has_key(64)
    assert board.sim.encrypt(bytes(16), bytes(64), 99) == model("xts", keys[99]).encrypt(bytes(16), bytes(64))
    with pytest.raises(SectorError, match="NO_KEY"):
        board.sim.encrypt(bytes(16), bytes(64), 64)
    assert board.call("load_key", 99, keys[99], 32, POLLS) == OK and board.has_key(99)
    assert board.call("zeroize", POLLS) == OK and not board.has_key(99)


FORMS = [
    Layout(block_bytes, states_text or text_first, text_first, two_passes, keys_inline)
    for block_bytes in (8, 16, 32) for states_text in (0, 1) for text_first in (0, 1) for two_passes in (0, 1) for keys_inline in (0, 1)
]  # fmt: skip
"""All forms of commands of cores for messages."""


def fields_of(form):
    return tuple(getattr(form, name) for name, _ in form._fields_)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: "-".join(map(str, fields_of(form))))
def test_commands_for_messages(driver, form):
    """The driver and the core lay them out in the same way, whatever the mode and the direction."""
    block = form.block_bytes
    nonce, tag = bytes(range(1, block - 3)), bytes(range(40, 40 + block))
    interfaces = {one.name: one for one in message_core(
        block, keys=IN_ORDER if form.keys_inline else IN_SLOTS, lengths=bool(form.states_text), passes=1 + form.two_passes,
        packets=TextFirst.pins if form.text_first else ALIGNED,
    )}  # fmt: skip
    assert driver.modeloom_message_command_bytes(ctypes.byref(form)) == interfaces["s_axis_cmd"].packing.bits // 8
    assert driver.modeloom_message_status_bytes(ctypes.byref(form)) == interfaces["m_axis_status"].packing.bits // 8
    for way in (0, 1, *[2] * form.two_passes):
        for new_key in (0, *[1] * form.keys_inline):
            command = MessageCommand(
                nonce, len(nonce), tag, block, 0x0102030405060708, 0x1112131415161718, 0x1234, 0x0201, 9, way == 1, way == 2, new_key
            )
            assert message_command(driver, form, command) == (OK, pack_message_command(
                interfaces["s_axis_cmd"].packing, nonce=nonce, tag=tag if way else b"", tag_bytes=block, associated=0x0102030405060708,
                id=0x1234, slot=0x0201, channel=9, decrypt=way, new_key=bool(new_key), text=0x1112131415161718,
            ))  # fmt: skip


def test_commands_that_a_core_does_not_have(driver, sectors):
    """A layout of another core has another length, and what the commands of a core cannot say is refused."""
    plain, stated, twice = Layout(16), Layout(16, states_text=1), Layout(16, two_passes=1)
    command = MessageCommand(bytes(12), 12, bytes(16), 16, 5, 6, 7)
    assert message_command(driver, stated, command, 48)[0] == message_command(driver, plain, command, 56)[0] == BAD_LENGTH
    command.second_pass = 1
    assert message_command(driver, plain, command)[0] == BAD_COMMAND and message_command(driver, twice, command)[0] == OK
    command.open = 1
    assert message_command(driver, twice, command)[0] == BAD_COMMAND
    command = MessageCommand(bytes(12), 12, bytes(16), 16, 5, 6, 7, new_key=1)
    assert message_command(driver, plain, command)[0] == BAD_COMMAND
    assert message_command(driver, Layout(16, keys_inline=1), command)[0] == OK
    for nonce_bytes, tag_bytes in ((17, 16), (12, 17)):
        command = MessageCommand(bytes(12), nonce_bytes, bytes(16), tag_bytes)
        assert message_command(driver, plain, command)[0] == BAD_LENGTH


def test_a_core_for_sectors_has_no_commands_for_messages(board, driver):
    assert fields_of(board.core.layout) == (0, 0, 0, 0, 0)
    assert message_command(driver, board.core.layout, MessageCommand(bytes(12), 12, bytes(16), 16)) == (BAD_COMMAND, b"")
    assert driver.modeloom_message_status_bytes(ctypes.byref(board.core.layout)) == 0


@pytest.mark.parametrize("mode", ["gcm", "ccm", "two passes", "derived", "text first", "buffer"])
def test_the_registers_tell_the_layout(mode):
    """Of each kind of core for messages; the core is not emitted."""
    chosen, options = {
        "text first": ("deoxys-i", {"order": "text-first"}), "buffer": ("deoxys-ii", {"message_buffer": 64}),
        "two passes": ("deoxys-ii", {}), "derived": ("gcm-siv", {"keys": "derived"}),
    }.get(mode, (mode, {}))  # fmt: skip
    core = stream_core(chosen, **options)
    front = RegisterFrontEnd(core.describe("core", "modeloom build"))
    fields = {field.name: field.reset for field in front.map.by_name["capabilities"].fields}
    wanted = {
        "gcm": (4, 0, 0, 0), "ccm": (4, 1, 0, 0), "two passes": (4, 0, 0, 1), "derived": (4, 0, 0, 1), "text first": (4, 1, 1, 0),
        "buffer": (4, 0, 0, 0),
    }[mode]  # fmt: skip
    assert tuple(fields[name] for name in ("block_words", "states_text", "text_first", "two_passes")) == wanted


def test_status_of_a_message(driver):
    for block in (8, 16, 32):
        number, code, tag = ctypes.c_uint(), ctypes.c_uint(), ctypes.create_string_buffer(block)
        beat = bytes(range(block)) + b"\x34\x12\x06\x00"
        driver.modeloom_message_status(ctypes.byref(Layout(block)), beat, ctypes.byref(number), ctypes.byref(code), tag)
        assert (number.value, code.value, tag.raw) == (0x1234, 6, bytes(range(block)))


@pytest.mark.parametrize(("kind", "codes"), [("sector", StatusCode), ("message", MessageCode)])
def test_codes_of_the_header(sectors, kind, codes):
    """They are those of the interfaces."""
    text = (sectors / "modeloom.h").read_text(encoding="utf-8")
    found = re.search(rf"enum modeloom_{kind}_code {{(.*?)}};", text, re.DOTALL)
    assert found and re.findall(r"\w+", found[1]) == [f"MODELOOM_{kind.upper()}_{code.name}" for code in codes]
    assert [int(code) for code in codes] == [*range(len(codes))]


def test_results_of_codes(driver):
    """Each code has a result, and only OK is OK."""
    wanted = {
        "OK": OK, "WRONG_TAG": WRONG_TAG, "BAD_KEEP": BAD_PACKET, "NO_KEY": NO_KEY, "NO_DIRECTION": BAD_COMMAND,
        "NO_CHANNEL": BAD_COMMAND, "UNKNOWN_SIZE": BAD_COMMAND,
    }  # fmt: skip
    for kind, codes in ((1, StatusCode), (2, MessageCode)):
        found = {code.name: driver.modeloom_result_of(kind, int(code)) for code in codes}
        assert found == {code.name: wanted.get(code.name, BAD_LENGTH) for code in codes}
        assert all(driver.modeloom_result_of(kind, code) == BAD_COMMAND for code in range(len(codes), 128))
