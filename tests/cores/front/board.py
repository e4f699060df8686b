# SPDX-License-Identifier: Apache-2.0
"""A simulated core behind the callbacks of the driver in C, and the structures of the driver."""

from __future__ import annotations

import ctypes

from modeloom.product.front import RegisterRefused
from modeloom.product.simulated import SimulatedCore
from modeloom.product.simulated_messages import SimulatedStreamCore

OK, BUS, NO_CORE, BAD_SLOT, BAD_LENGTH, TIMEOUT, KEY_REFUSED, NO_COMMANDS, BAD_COMMAND, NO_KEY, WRONG_TAG, BAD_PACKET = range(12)

READ = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint32))
WRITE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)
WAIT = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

POLLS = ctypes.c_ulong(1000)


class Bus(ctypes.Structure):
    _fields_ = [("read", READ), ("write", WRITE), ("wait", WAIT), ("context", ctypes.c_void_p)]


class Layout(ctypes.Structure):
    _fields_ = [
        ("block_bytes", ctypes.c_uint), ("states_text", ctypes.c_int), ("text_first", ctypes.c_int), ("two_passes", ctypes.c_int),
        ("keys_inline", ctypes.c_int),
    ]  # fmt: skip


class Core(ctypes.Structure):
    _fields_ = [
        ("bus", Bus), ("kind", ctypes.c_int), ("major", ctypes.c_uint), ("minor", ctypes.c_uint), ("patch", ctypes.c_uint),
        ("build", ctypes.c_uint32), ("encrypts", ctypes.c_int), ("decrypts", ctypes.c_int), ("beat_bytes", ctypes.c_uint),
        ("key_slots", ctypes.c_uint), ("key_bytes", ctypes.c_uint), ("takes_commands", ctypes.c_int), ("layout", Layout),
    ]  # fmt: skip


class SectorCommand(ctypes.Structure):
    _fields_ = [
        ("tweak", ctypes.c_char_p), ("tweak_bytes", ctypes.c_size_t), ("number", ctypes.c_uint16), ("slot", ctypes.c_uint8),
        ("size", ctypes.c_uint8), ("decrypt", ctypes.c_int),
    ]  # fmt: skip


class MessageCommand(ctypes.Structure):
    _fields_ = [
        ("nonce", ctypes.c_char_p), ("nonce_bytes", ctypes.c_size_t), ("tag", ctypes.c_char_p), ("tag_bytes", ctypes.c_size_t),
        ("associated_bytes", ctypes.c_uint64), ("text_bytes", ctypes.c_uint64), ("number", ctypes.c_uint16), ("slot", ctypes.c_uint16),
        ("channel", ctypes.c_uint8), ("open", ctypes.c_int), ("second_pass", ctypes.c_int), ("new_key", ctypes.c_int),
    ]  # fmt: skip


def message_command(driver, layout, command, room=None):
    """What the driver returns for a command for a message, and its bytes."""
    room = driver.modeloom_message_command_bytes(ctypes.byref(layout)) if room is None else room
    beat = ctypes.create_string_buffer(b"\xff" * 128, 128)
    result = driver.modeloom_message_command(ctypes.byref(layout), beat, ctypes.c_size_t(room), ctypes.byref(command))
    assert beat.raw[room:] == b"\xff" * (128 - room)
    return result, beat.raw[:room]


class Board:
    """A core behind the callbacks of the driver."""

    simulated = SimulatedCore

    def __init__(self, driver, folder):
        self.driver, self.sim = driver, self.simulated(folder, optimize=0, front=True)
        self.waits = 0
        self.bus = Bus(READ(self.read), WRITE(self.write), WAIT(self.wait), None)
        self.core = Core()

    def read(self, context, offset, value):
        try:
            value[0] = self.sim.registers.read(offset)
        except RegisterRefused:
            return -1
        return 0

    def write(self, context, offset, value):
        try:
            self.sim.registers.write(offset, value)
        except RegisterRefused:
            return -1
        return 0

    def wait(self, context):
        self.waits += 1
        self.sim.runner.run(max_cycles=20)

    def call(self, name, *arguments):
        return getattr(self.driver, f"modeloom_{name}")(ctypes.byref(self.core), *arguments)

    def opened(self):
        assert self.call("open", ctypes.byref(self.bus)) == OK
        return self

    def has_key(self, slot):
        loaded = ctypes.c_int(-1)
        assert self.call("has_key", slot, ctypes.byref(loaded)) == OK
        return loaded.value

    def count(self, which):
        value = ctypes.c_uint64()
        assert self.call("count", which, ctypes.byref(value)) == OK
        return value.value

    def events(self):
        value = ctypes.c_uint32()
        assert self.call("take_events", ctypes.byref(value)) == OK
        return value.value


class MessageBoard(Board):
    """A core for messages behind the callbacks of the driver."""

    simulated = SimulatedStreamCore

    nonce = bytes(range(1, 13))
    """The nonce of its messages."""
