# SPDX-License-Identifier: Apache-2.0
"""The driver in C never reads through a pointer that is NULL: bytes that must be there are refused, and others may be missing.

A program calls each function with NULL in the place of each pointer that the caller may not have.  A read or a write through one of them
ends the program.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tests.c_programs import compile_c
from tests.cores.front.cores import message_core

from modeloom.cores.front import RegisterFrontEnd
from modeloom.cores.front.registers import HEADER

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "modeloom_commands.h"

static unsigned writes;
static uint32_t words;

/* The words of a command are in bits 8 to 15 of command_state. */
static int read32(void *context, uint32_t offset, uint32_t *value)
{
    (void)context, (void)offset;
    *value = words << 8;
    return 0;
}

static int write32(void *context, uint32_t offset, uint32_t value)
{
    (void)context, (void)offset, (void)value;
    writes++;
    return 0;
}

static void show(const char *what, int result, const uint8_t *bytes, size_t count)
{
    printf("%s: %d", what, result);
    while (count--)
        printf(" %02x", *bytes++);
    printf("\n");
}

int main(void)
{
    const struct modeloom_layout layout = {16, 0, 0, 1, 0};
    uint8_t some[33], *beat = (uint8_t *)malloc(49) + 1; /* not aligned */
    struct modeloom_message message = {0};
    struct modeloom_sector sector = {0};
    struct modeloom core = {0};
    unsigned number = 0, code = 0;

    memset(some, 7, sizeof some);
    core.bus.read = read32;
    core.bus.write = write32;
    core.key_slots = 1;
    core.key_bytes = 32;
    core.takes_commands = 1;

    message.nonce = some;
    message.nonce_bytes = 12;
    message.tag_bytes = 16;
    message.number = 0x1234;
    show("seal without a tag", modeloom_message_command(&layout, beat, 48, &message), beat + 16, 16);
    message.open = 1;
    show("open without a tag", modeloom_message_command(&layout, beat, 48, &message), beat + 16, 16);
    show("its nonce", 0, beat, 16);
    message.open = 0;
    message.second_pass = 1;
    show("second pass without a tag", modeloom_message_command(&layout, beat, 48, &message), beat + 16, 16);
    message.tag = some;
    show("second pass", modeloom_message_command(&layout, beat, 48, &message), beat + 16, 16);
    message.second_pass = 0;
    message.nonce = NULL;
    show("no nonce", modeloom_message_command(&layout, beat, 48, &message), NULL, 0);
    message.nonce_bytes = 0;
    show("no bytes of a nonce", modeloom_message_command(&layout, beat, 48, &message), beat, 16);
    message.tag = NULL;
    message.tag_bytes = 0;
    message.open = 1;
    show("no bytes of a tag", modeloom_message_command(&layout, beat, 48, &message), beat + 16, 16);

    sector.tweak_bytes = 16;
    show("no tweak", modeloom_sector_command(beat, &sector), NULL, 0);
    sector.tweak_bytes = 0;
    show("no bytes of a tweak", modeloom_sector_command(beat, &sector), beat, 32);
    sector.tweak = some;
    sector.tweak_bytes = 33;
    show("too many bytes of a tweak", modeloom_sector_command(beat, &sector), NULL, 0);

    show("no key", modeloom_load_key(&core, 0, NULL, 32, 1), NULL, 0);
    show("no bytes of a key", modeloom_load_key(&core, 0, NULL, 0, 1), NULL, 0);
    words = 12;
    show("no command", modeloom_submit(&core, NULL, 48, 1), NULL, 0);
    show("no bytes of a command", modeloom_submit(&core, NULL, 0, 1), NULL, 0);
    printf("writes: %u\n", writes);

    memset(beat, 0, 20);
    beat[16] = 9;
    beat[18] = 1;
    modeloom_message_status(&layout, beat, &number, &code, NULL);
    printf("status: %u %u\n", number, code);
    free(beat - 1);
    return 0;
}
"""

NOTHING = " 00" * 16
SEVENS = " 07" * 16
OK, BAD_LENGTH = 0, 4

WANTED = [
    f"seal without a tag: {OK}{NOTHING}", f"open without a tag: {OK}{NOTHING}", f"its nonce: 0{' 07' * 12}{' 00' * 4}",
    f"second pass without a tag: {OK}{NOTHING}", f"second pass: {OK}{SEVENS}", f"no nonce: {BAD_LENGTH}",
    f"no bytes of a nonce: {OK}{NOTHING}", f"no bytes of a tag: {OK}{NOTHING}", f"no tweak: {BAD_LENGTH}",
    f"no bytes of a tweak: {OK}{NOTHING * 2}",
    f"too many bytes of a tweak: {BAD_LENGTH}", f"no key: {BAD_LENGTH}", f"no bytes of a key: {BAD_LENGTH}", f"no command: {BAD_LENGTH}",
    f"no bytes of a command: {BAD_LENGTH}", "writes: 0", "status: 9 1",
]  # fmt: skip

CHECKS = {
    "the tag": ("modeloom.c", "if (way && message->tag)", "if (way)"),
    "the nonce": ("modeloom.c", "(message->nonce_bytes && !message->nonce)", "0"),
    "the tweak": ("modeloom.c", "(sector->tweak_bytes && !sector->tweak)", "0"), "the key": ("modeloom.c", " || !key)", ")"),
    "the command": ("modeloom_commands.c", " || !command)", ")"), "the tag of a status": ("modeloom.c", "    if (tag)\n", ""),
}  # fmt: skip
"""The checks of the driver, each with a driver that lacks it."""


@pytest.fixture(scope="module")
def driver() -> dict[str, str]:
    """The files of the driver."""
    front = RegisterFrontEnd(message_core().describe("core", "modeloom build"), commands=True)
    texts = front.texts("")
    return {HEADER: texts["header"], **{name: texts[kind] for kind, name in front.drivers.items()}}


def program(texts: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    for name, text in {**texts, "pointers.c": PROGRAM}.items():
        (folder / name).write_text(text, encoding="utf-8")
    sources = [folder / name for name in ("pointers.c", "modeloom.c", "modeloom_commands.c")]
    return subprocess.run([compile_c(folder / "pointers", sources)], capture_output=True, text=True)


def test_pointers_that_are_null(driver: dict[str, str], tmp_path: Path) -> None:
    """A core with --packet wire has no tag in its command.  Nothing is written to a register for a key or a command that is not there."""
    done = program(driver, tmp_path)
    assert (done.returncode, done.stdout.splitlines()) == (0, WANTED)


@pytest.mark.parametrize("check", CHECKS)
def test_each_check_is_needed(check: str, driver: dict[str, str], tmp_path: Path) -> None:
    """Without it, the program ends at a read or a write through NULL."""
    name, before, after = CHECKS[check]
    assert driver[name].count(before) == 1
    done = program({**driver, name: driver[name].replace(before, after)}, tmp_path)
    assert done.returncode != 0 and done.stdout.splitlines() != WANTED


def test_every_pointer_of_the_headers_is_known(driver: dict[str, str]) -> None:
    """A pointer to bytes that a caller gives is one of those above.  Another one has to be checked, too."""
    found = [
        *re.findall(r"const uint8_t \*(\w+)[;,)]", driver["modeloom.h"] + driver["modeloom_commands.h"]),
        *re.findall(r"[(,]\s*uint8_t \*(\w+)", driver["modeloom.h"] + driver["modeloom_commands.h"]),
    ]  # fmt: skip
    assert sorted(found) == ["beat", "beat", "command", "key", "nonce", "tag", "tag", "tweak"]
