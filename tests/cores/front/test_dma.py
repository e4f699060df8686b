# SPDX-License-Identifier: Apache-2.0
"""The example with DMA, demo/dma, compiled and run on simulated cores: its callbacks move the beats of all streams."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest
from tests.built import compiled, slow
from tests.c_programs import compile_c
from tests.cores.front.board import BAD_COMMAND, BAD_LENGTH, BUS, NO_KEY, OK, POLLS, TIMEOUT, WRONG_TAG, Board, MessageBoard
from tests.cores.front.cores import message_core
from tests.cores.front.dma_engine import COMMANDS, INPUT, OUTPUT, STATUSES, Engines, Message, Sectors

from modeloom import model
from modeloom.cores.front import front_of
from modeloom.cores.sector import SectorCore
from modeloom.emit import emit

EXAMPLE = Path(__file__).parents[3] / "demo" / "dma"
GUARD = b"\xa5" * 16
KEY = bytes(range(1, 65))


def example(core, folder, name="", old="", new=""):
    """The example and the driver of the folder of a core, as a library.  A fault replaces a text in the file of this name."""
    folder.mkdir(exist_ok=True)
    sources = []
    for path in (EXAMPLE / "dma.c", core / "modeloom.c"):
        text = path.read_text(encoding="utf-8")
        if path.name == name:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        sources.append(folder / path.name)
        sources[-1].write_text(text, encoding="utf-8")
    return ctypes.CDLL(str(compile_c(folder / "dma.so", sources, [EXAMPLE, core], shared=True)))


def sector_board(core, folder, *fault):
    """A core for sectors with keys in its slots 0 and 1."""
    board = Board(example(core, folder, *fault), core).opened()
    load(board)
    return board


def message_board_of(core, folder, *fault):
    """A core for messages with keys in its slots 0 and 1."""
    board = MessageBoard(example(core, folder, *fault), core).opened()
    load(board)
    return board


def load(board):
    """Loads the keys."""
    size = board.core.key_bytes
    for slot in (0, 1):
        assert board.call("load_key", slot, KEY[slot : slot + size], size, POLLS) == OK


def key_of(board, slot):
    return KEY[slot : slot + board.core.key_bytes]


def guarded(size):
    """Memory for a result, with bytes around it that must stay."""
    return ctypes.create_string_buffer(GUARD + b"\x11" * size + GUARD, size + 2 * len(GUARD))


def inside(memory):
    """The result in such memory."""
    assert memory.raw[: len(GUARD)] == GUARD and memory.raw[-len(GUARD) :] == GUARD
    return memory.raw[len(GUARD) : -len(GUARD)]


def place(memory):
    return ctypes.addressof(memory) + len(GUARD)


# -- sectors -----------------------------------------------------------------------------------------------------------------------------


def sectors_of(board, count, size=None):
    """Bytes of sectors."""
    size = board.sim.sector_bytes if size is None else size
    return bytes((7 * at + at // 251) & 0xFF for at in range(count * size))


def send_sectors(engines, data, *, size=None, first=0, slot=0, index=0, decrypt=0):
    """What the example returns, the number of right sectors and the bytes of the result."""
    size = engines.board.sim.sector_bytes if size is None else size
    memory, right = guarded(len(data)), ctypes.c_size_t(99)
    what = Sectors(data, place(memory), size, len(data) // size, first, slot, index, decrypt)
    result = engines.call("sectors", ctypes.byref(what), ctypes.byref(right))
    return result, right.value, inside(memory)


def expected(board, data, *, size=None, first=0, slot=0, decrypt=False):
    """The same by the software model."""
    size, tweak_bytes = size or board.sim.sector_bytes, board.sim.tweak_bytes
    software = model(board.sim.description.mode.lower(), key_of(board, slot))
    turn = software.decrypt if decrypt else software.encrypt
    return b"".join(
        turn((first + at).to_bytes(8, "little").ljust(tweak_bytes, b"\0"), data[at * size : (at + 1) * size])
        for at in range(len(data) // size)
    )


def check_sectors(engines, count=5):
    """Both directions, in several runs, with tweaks that carry into another byte."""
    board, first = engines.board, (1 << 40) - 2
    data = sectors_of(board, count)
    result, right, sealed = send_sectors(engines, data, first=first, slot=1)
    assert (result, right) == (OK, count) and sealed == expected(board, data, first=first, slot=1)
    assert send_sectors(engines, sealed, first=first, slot=1, decrypt=1) == (OK, count, data)


def check_refused_sectors(engines):
    """The core refuses them, gives no data, and takes the next ones."""
    board = engines.board
    good, size = sectors_of(board, 3), board.sim.sector_bytes
    untouched = b"\x11" * len(good)
    assert send_sectors(engines, good, slot=2) == (NO_KEY, 0, untouched)
    assert send_sectors(engines, good) == (OK, 3, expected(board, good))
    for wrong in (size - 16, size + 16):
        data = sectors_of(board, 2, wrong)
        assert send_sectors(engines, data, size=wrong) == (BAD_LENGTH, 0, b"\x11" * len(data))
    assert send_sectors(engines, good, index=9) == (BAD_COMMAND, 0, untouched)
    assert send_sectors(engines, good, decrypt=1) == (OK, 3, expected(board, good, decrypt=True))


def check_a_refused_sector_between_others(engines):
    """The result of the sector behind it is not in its place, and it does not count."""
    board = engines.board
    data = sectors_of(board, 3)
    engines.change[COMMANDS] = lambda beats: beats[:74] + b"\x02" + beats[75:]  # the slot of the second command
    result, right, out = send_sectors(engines, data)
    size = board.sim.sector_bytes
    assert (result, right) == (NO_KEY, 1) and out[:size] == expected(board, data)[:size]
    engines.change.clear()
    assert send_sectors(engines, data) == (OK, 3, expected(board, data))


def check_stuck(engines, again, streams=("cut", COMMANDS, INPUT, OUTPUT, STATUSES)):
    """A stream does not move: the core is erased, so that no part of a packet remains, and works under new keys."""
    board = engines.board
    for stuck in streams:
        if stuck == "cut":
            engines.cut = True
        else:
            engines.stuck.add(stuck)
        assert again()[0] == TIMEOUT
        engines.stuck.clear()
        assert again()[0] == NO_KEY and not board.has_key(0)
        load(board)
        assert again()[0] == OK


def check_refused_callbacks(engines, again):
    """A callback fails, or a status belongs to another command."""
    for name in ("send", "receive", "finished"):
        engines.refuses = {name}
        assert again()[0] == BUS
        engines.refuses.clear()
        load(engines.board)
    engines.change[STATUSES] = lambda beat: beat[:-4] + bytes([beat[-4] ^ 1]) + beat[-3:]
    assert again()[0] == BUS
    engines.change.clear()
    load(engines.board)
    assert again()[0] == OK


@pytest.fixture(scope="module")
def board(sectors, tmp_path_factory):
    return sector_board(sectors, tmp_path_factory.mktemp("dma"))


@pytest.mark.parametrize("interrupts", [False, True])
def test_sectors(board, interrupts):
    engines = Engines(board, interrupts=interrupts, most=3)
    check_sectors(engines)
    assert bool(engines.waits) == interrupts


def test_refused_sectors(board):
    check_refused_sectors(Engines(board))


def test_a_refused_sector_between_others(board):
    check_a_refused_sector_between_others(Engines(board))


def test_a_key_that_is_erased_between_two_runs(board):
    engines, data = Engines(board, most=2), sectors_of(board, 5)
    engines.at_stop = lambda: board.call("erase_key", 0, POLLS)
    done = 2 * board.sim.sector_bytes
    assert send_sectors(engines, data) == (NO_KEY, 2, expected(board, data)[:done] + b"\x11" * (len(data) - done))
    load(board)


def test_streams_of_sectors_that_are_stuck(board):
    engines, data = Engines(board), sectors_of(board, 3)
    check_stuck(engines, lambda: send_sectors(engines, data))


def test_callbacks_that_fail(board):
    engines, data = Engines(board), sectors_of(board, 3)
    check_refused_callbacks(engines, lambda: send_sectors(engines, data))


def test_a_core_that_does_not_fit(board):
    """Of the other kind, or with commands over registers: nothing is queued."""
    engines, right, data = Engines(board), ctypes.c_size_t(99), bytes(64)
    out, tag = guarded(64), ctypes.create_string_buffer(16)
    message = Message(bytes(12), 12, b"", 0, data, place(out), 64, ctypes.addressof(tag), 16, 0)
    assert engines.call("seal", ctypes.byref(message)) == BAD_COMMAND and inside(out) == b"\x11" * 64
    assert engines.call("open", ctypes.byref(message)) == BAD_COMMAND and not any(inside(out))
    what = Sectors(data, place(out), 64, 1)
    for name, value in (("takes_commands", 1), ("kind", 2)):
        before = getattr(board.core, name)
        setattr(board.core, name, value)
        assert engines.call("sectors", ctypes.byref(what), ctypes.byref(right)) == BAD_COMMAND and right.value == 0
        setattr(board.core, name, before)
    assert Engines(board, most=0).call("sectors", ctypes.byref(what), ctypes.byref(right)) == BAD_COMMAND


# -- messages ----------------------------------------------------------------------------------------------------------------------------

def send_message(engines, name, associated, data, tag=b"", *, nonce=None, slot=0, tag_bytes=16):
    """What the example returns for a message, its text and its tag."""
    memory, its_tag, nonce = guarded(len(data)), guarded(16), engines.board.nonce if nonce is None else nonce
    ctypes.memmove(place(its_tag), tag, len(tag))
    what = Message(
        nonce, len(nonce), associated or None, len(associated), data or None, place(memory), len(data), place(its_tag), tag_bytes, slot
    )  # fmt: skip
    result = engines.call(name, ctypes.byref(what))
    return result, inside(memory), inside(its_tag)


def sealed_by_model(board, associated, text, slot=0):
    """Ciphertext and tag by the software model."""
    sealed = model(board.sim.description.mode.lower(), key_of(board, slot)).seal(board.nonce, text, associated)
    return sealed[: len(text)], sealed[len(text) :]


LENGTHS = [(0, 0), (0, 40), (20, 19), (16, 32), (33, 0), (1, 1)]
"""Bytes of associated data and of text."""


def check_messages(engines):
    """Messages are sealed and opened, with and without each part."""
    for at, (associated_bytes, text_bytes) in enumerate(LENGTHS):
        associated, text = bytes(range(associated_bytes)), bytes(range(100, 100 + text_bytes))
        cipher, tag = sealed_by_model(engines.board, associated, text, at % 2)
        assert send_message(engines, "seal", associated, text, slot=at % 2) == (OK, cipher, tag)
        assert send_message(engines, "open", associated, cipher, tag, slot=at % 2) == (OK, text, tag)


def check_refused_messages(engines):
    """The core refuses them, and takes the next one."""
    associated, text = bytes(range(20)), bytes(range(40))
    cipher, tag = sealed_by_model(engines.board, associated, text)
    zeros, same, untouched = bytes(40), b"\x11" * 40, b"\x11" * 16
    wrong = bytes([tag[0] ^ 1]) + tag[1:]
    for _ in range(2):
        assert send_message(engines, "open", associated, cipher, wrong) == (WRONG_TAG, zeros, wrong)
        assert send_message(engines, "open", associated, cipher, tag, slot=2) == (NO_KEY, zeros, tag)
        assert send_message(engines, "open", associated, cipher, tag, nonce=bytes(17)) == (BAD_LENGTH, zeros, tag)
        assert send_message(engines, "open", associated, cipher, tag, nonce=b"") == (BAD_LENGTH, zeros, tag)
        assert send_message(engines, "open", associated, cipher, tag) == (OK, text, tag)
        assert send_message(engines, "seal", associated, text, slot=2) == (NO_KEY, same, untouched)
        assert send_message(engines, "seal", associated, text, nonce=b"") == (BAD_LENGTH, same, untouched)
        assert send_message(engines, "seal", associated, text) == (OK, cipher, tag)


@pytest.fixture(scope="module")
def message_board(messages, tmp_path_factory):
    return message_board_of(messages, tmp_path_factory.mktemp("dma"))


@pytest.mark.parametrize("interrupts", [False, True])
def test_messages(message_board, interrupts):
    engines = Engines(message_board, interrupts=interrupts)
    check_messages(engines)
    assert bool(engines.waits) == interrupts


def test_refused_messages(message_board):
    check_refused_messages(Engines(message_board))


def test_streams_of_messages_that_are_stuck(message_board):
    engines = Engines(message_board)
    check_stuck(engines, lambda: send_message(engines, "seal", bytes(20), bytes(40)), ("cut", OUTPUT))


# -- other cores -------------------------------------------------------------------------------------------------------------------------

OTHER_MESSAGES = {
    "gcm with text held back, over 32 bits": ("gcm", {"mul_stages": 0, "hold": 64}, 32, 12),
    "two passes": ("deoxys-ii", {}, None, 15),
    "text first": ("deoxys-i", {"order": "text-first"}, None, 8),
}
"""Mode, options, bits of the data streams and bytes of a nonce."""


@slow
@pytest.mark.parametrize("name", OTHER_MESSAGES)
def test_other_cores_for_messages(tmp_path, name):
    mode, options, width, nonce_bytes = OTHER_MESSAGES[name]
    emit(message_core(mode, **options), tmp_path / "core", command=f"modeloom build {mode}", front=front_of("registers", width))
    board = message_board_of(tmp_path / "core", tmp_path / "library")
    board.nonce = bytes(range(1, nonce_bytes + 1))
    engines = Engines(board)
    check_messages(engines)
    check_refused_messages(engines)
    check_stuck(engines, lambda: send_message(engines, "seal", bytes(20), bytes(40)))
    check_refused_callbacks(engines, lambda: send_message(engines, "seal", bytes(20), bytes(40)))


@slow
def test_sectors_of_two_sizes(tmp_path):
    """The second size has a partial block, and the command has its index."""
    options = {"sector": 64, "more_sectors": (40,), "key_slots": 2, "cipher_arch": "sequential", "cipher_sbox": "bram", "cipher_stages": 1}
    core = SectorCore(compiled("hctr2", prove=False, **options))
    emit(core, tmp_path / "core", command="modeloom build hctr2", front=front_of("registers"))
    board = sector_board(tmp_path / "core", tmp_path / "library")
    engines = Engines(board)
    check_sectors(engines)
    check_refused_sectors(engines)
    data = sectors_of(board, 3, 40)
    index = board.sim.sizes[40]
    assert send_sectors(engines, data, size=40, index=index) == (OK, 3, expected(board, data, size=40))
    check_stuck(engines, lambda: send_sectors(engines, data, size=40, index=index))


# -- faults ------------------------------------------------------------------------------------------------------------------------------

def between(engines):
    check_a_refused_sector_between_others(engines)


def stuck_input(engines):
    check_stuck(engines, lambda: send_sectors(engines, sectors_of(engines.board, 3)), ("cut",))


def other_numbers(engines):
    check_refused_callbacks(engines, lambda: send_sectors(engines, sectors_of(engines.board, 3)))


SECTOR_FAULTS = {
    "the slot at another byte of the command": ("modeloom.c", "beat[34] = sector->slot", "beat[35] = sector->slot", check_sectors),
    "the number at another byte of the command": ("modeloom.c", "little(beat + 32", "little(beat + 33", check_sectors),
    "the direction is lost": ("modeloom.c", "beat[36] = sector->decrypt != 0", "beat[36] = 0", check_sectors),
    "the tweak does not count": ("dma.c", "sectors->first + sector;", "sectors->first + 0 * sector;", check_sectors),
    "the tweak has four bytes": ("dma.c", "byte < TWEAK_BYTES; byte++", "byte < 4; byte++", check_sectors),
    "each run begins at the first sector": ("dma.c", "(from + at) * sectors->sector_bytes", "at * sectors->sector_bytes", check_sectors),
    "numbers do not begin again at zero": ("dma.c", "(uint16_t)(dma->number + at))", "(unsigned)dma->number + at)", check_sectors),
    "data are not awaited": ("dma.c", "wait_for(dma, DMA_OUTPUT, outputs)", "wait_for(dma, DMA_OUTPUT, 0)", check_sectors),
    "statuses are not read": ("dma.c", "result = modeloom_result_of(core->kind, code)", "result = MODELOOM_OK", check_refused_sectors),
    "codes are those of messages": ("modeloom.c", "kind == MODELOOM_MESSAGES ?", "kind ?", check_refused_sectors),
    "buffers of refused sectors stay": ("dma.c", "DMA_INPUT, DMA_OUTPUT, DMA_STATUSES}", "DMA_INPUT, DMA_STATUSES}", check_refused_sectors),
    "sectors behind a refused one count": ("dma.c", "right += first == MODELOOM_OK", "right += result == MODELOOM_OK", between),
    "the last refused sector counts": ("dma.c", "if (first == MODELOOM_OK)", "if (result != MODELOOM_NO_KEY)", between),
    "no erasure behind a packet that was cut": ("dma.c", "(void)modeloom_zeroize(dma->core, dma->polls)", "(void)dma", stuck_input),
    "numbers of statuses are not compared": ("dma.c", "if (number != ", "if (number == 0x10000u + ", other_numbers),
}
"""File of the example or of the driver, what is replaced by what, and the check that finds it."""

MESSAGE_FAULTS = {
    "the length of the nonce at another byte": ("modeloom.c", "beat[1] = (uint8_t)message", "beat[3] = (uint8_t)message", check_messages),
    "no bytes of associated data": ("modeloom.c", "little(beat, message->associated_bytes, 8)", "little(beat, 0, 8)", check_messages),
    "the packet ends with its associated data": ("dma.c", "bytes[first], bytes[second] == 0)", "bytes[first], 1)", check_messages),
    "no beat of an empty message": ("dma.c", "if (bytes[second] || !bytes[first])", "if (bytes[second])", check_messages),
    "a buffer for no text": ("dma.c", "message->text_bytes && !(way", "!(way", check_messages),
    "the tag is not given": ("dma.c", "message->tag[at] = run.tag[at];", "(void)run.tag;", check_messages),
    "text that is not verified stays": ("dma.c", "clear(message->out, message->text_bytes)", "(void)clear", check_refused_messages),
    "a wrong tag is right": ("modeloom.c", "return MODELOOM_WRONG_TAG;", "return MODELOOM_OK;", check_refused_messages),
    "statuses are not read": ("dma.c", "result = modeloom_result_of(core->kind, code)", "result = MODELOOM_OK", check_refused_messages),
}


@slow
@pytest.mark.parametrize("fault", SECTOR_FAULTS)
def test_faults_with_sectors(sectors, tmp_path, fault):
    *change, check = SECTOR_FAULTS[fault]
    board = sector_board(sectors, tmp_path / "library", *change)
    with pytest.raises(AssertionError):
        check(Engines(board, most=3 if check is check_sectors else 4))


@slow
@pytest.mark.parametrize("fault", MESSAGE_FAULTS)
def test_faults_with_messages(messages, tmp_path, fault):
    *change, check = MESSAGE_FAULTS[fault]
    board = message_board_of(messages, tmp_path / "library", *change)
    with pytest.raises(AssertionError):
        check(Engines(board))
