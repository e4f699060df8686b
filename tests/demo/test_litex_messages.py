# SPDX-License-Identifier: Apache-2.0
"""The LiteX example with cores for messages, in Verilator: its firmware sees faults in core, DMA and itself."""

from __future__ import annotations

import re

import pytest
from tests.built import slow
from tests.demo.litex_example import FORMS, build, documented, run_command, run_with_fault, run_with_other_hardware
from tests.external import needs

pytestmark = needs("riscv64-unknown-elf-gcc", "verilator")

ROW = re.compile(r"^(sealed|opened) (\d+) ([a-z, ]+) of (\d+)(?: to (\d+))? bytes in (\d+) cycles, (\d+) a message", re.MULTILINE)
REFUSED = "erased key: the core refuses a message with status 6, and gives no text"


@slow
def test_messages(tmp_path):
    """The whole command line, on the core of the page: published vectors first, then messages of one length, and forged ones."""
    _, done = run_command(tmp_path, FORMS["messages"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-2:] == [REFUSED, "PASS"]
    rows = ROW.findall(done.stdout)
    assert rows[0][:5] == ("sealed", "12", "published messages", "0", "1024")
    assert rows[1][:3] == ("opened", "12", "published messages")
    assert [row[:3] for row in rows[-2:]] == [
        ("opened", "7", "messages, of which some are forged,"), ("opened", "4", "published forgeries"),
    ]  # fmt: skip
    told = {int(least): int(rate) for way, _, what, least, most, _, rate in rows if (way, what, most) == ("opened", "messages", "")}
    page = dict(zip((64, 512, 1500), documented("32 bits, shared, messages")))
    assert told.keys() == page.keys() and all(abs(told[length] / page[length] - 1) < 0.05 for length in page)


@slow
def test_messages_on_the_wire(tmp_path):
    """Header, text and tag touch each other; commands over registers, a crossbar, and fewer slots than keys."""
    _, done = run_command(tmp_path, FORMS["messages on the wire"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-2:] == [REFUSED, "PASS"]
    rows = ROW.findall(done.stdout)
    assert [row[:3] for row in rows[:8]] == [(way, "3", "published messages") for way in ("sealed", "opened")] * 4


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A small core, and the SoC around it."""
    return build(tmp_path_factory.mktemp("litex"), FORMS["small, messages"])


TAG, CODE = "a tag is not the one of the message", "a status has another code"
TAKEN = "a forged message was taken"
STUCK = "an interrupt did not come"
TEXT = "a ciphertext is not the one of the message"

FAULTS = {
    "another key": ("example.h", "DATA[] = {", "DATA[] = {2^", TAG),
    "another nonce": ("message.c", ".nonce = message->nonce,", ".nonce = message->tag,", TAG),
    "associated data are text": ("message.c", ".associated_bytes = message->associated_bytes,", ".associated_bytes = 0,", TAG),
    "a wrong tag goes with a good message": ("message.c", ".tag = message->tag,", ".tag = message->key,", CODE),
    "a forged message is said to be good": ("messages.c", "opened && message->forged", "opened && message->forged > 1", TAKEN),
    "a good message is said to be forged": ("messages.c", "opened && message->forged", "opened && message->slot < 99", CODE),
    "half of the text": ("message.c", "lengths[1] = message->text_bytes + (", "lengths[1] = message->text_bytes / 2 + (", STUCK),
    "the plaintext is expected": ("message.c", "same(&at, open ? message->plain : message->cipher", "same(&at, message->plain", TEXT),
    "the tag of another message": ("message.c", "message->tag[at] : 0", "message->nonce[at] : 0", TAG),
    "the DMA writes elsewhere": ("transfer.c", "writer_base_write(RESULT_RAM_BASE)", "writer_base_write(RESULT_RAM_BASE + 4)", TEXT),
    "the key of another slot": ("message.c", ".slot = message->slot,", ".slot = (message->slot + 1) % 2,", TAG),
    "the key is not erased": ("core.c", "modeloom_erase_key(core, slot, POLLS)", "MODELOOM_OK", "the slot still has a key"),
}
"""File of the firmware, what is replaced by what, and how the line begins that tells of it."""


@slow
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_the_firmware(small, tmp_path, fault):
    name, old, new, message = FAULTS[fault]
    done = run_with_fault(small, tmp_path, name, old, new)
    assert done.returncode == 1 and "PASS" not in done.stdout
    assert done.stdout.splitlines()[-1].startswith(f"FAIL: {message}")


@slow
@pytest.mark.parametrize(
    ("what", "name", "old", "new", "message"),
    [
        ("tags are not compared", "core", "wrong_reg <= |parts_reg;", "wrong_reg <= 1'h0;", f"FAIL: {TAKEN}"),
        ("a bit of the S-box", "core", "aes_sbox[1] = 8'h7c", "aes_sbox[1] = 8'h7d", f"FAIL: {TAG}"),
        ("packets end too early", "modeloom_packets.py", "last.eq(ends & (~in_first | (second == 0)))", "last.eq(ends)", f"FAIL: {STUCK}"),
        ("statuses are cut off", "modeloom_dma.py", "Converter(self.whole_words(core.status.data)", "Converter(32", f"FAIL: {STUCK}"),
    ],
)  # fmt: skip
def test_faults_of_the_hardware(small, tmp_path, what, name, old, new, message):
    done = run_with_other_hardware(small[0], tmp_path, name, old, new)
    assert done.returncode == 1 and "PASS" not in done.stdout, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith(message)
