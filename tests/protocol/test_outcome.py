# SPDX-License-Identifier: Apache-2.0
"""What comes of a message, compared with an oracle that was written from ``docs/interfaces.md`` alone, over random cores and messages."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from tests.protocol.contracts import Plain
from tests.protocol.oracle import TABLE, Answer, answers

from modeloom.interfaces.messages import MessageCode
from modeloom.protocol.contract import MOST_STATED
from modeloom.protocol.outcome import judge, judge_whole, outcomes, possible_codes, releases
from modeloom.protocol.scenarios import FAULTS, faulty, wrong_packets
from modeloom.protocol.transactions import Command, MessagePacket, message_packet

Run = Callable[[bytes, bytes], tuple[bytes, bytes]]

CORES: dict[str, Plain] = {
    "plain": Plain(), "seals": Plain(directions=("encrypt",)), "opens": Plain(directions=("decrypt",)),
    "short parts": Plain(most_associated=9, most_text=14), "holds": Plain(hold=8), "holds, and short text": Plain(hold=9, most_text=13),
    "two lanes": Plain(blocks_per_cycle=2), "pairs": Plain(text_blocks=2), "pairs, held": Plain(text_blocks=2, hold=8),
    "channels": Plain(channels=3), "inline": Plain(inline=True, key_slots=4), "wire": Plain(packet="wire"),
    "wire, held": Plain(packet="wire", hold=10), "wire, opens": Plain(packet="wire", directions=("decrypt",)),
    "lengths": Plain(lengths_first=True, most_text=20, most_text_with_nonce=((1, 6),)),
    "lengths, held": Plain(lengths_first=True, hold=8, most_text=30),
    "text first": Plain(order="text-first"), "text first, pairs": Plain(order="text-first", text_blocks=2, most_associated=9),
    "text first, held": Plain(order="text-first", hold=8), "two passes": Plain(tag_first=True),
    "two passes, held": Plain(tag_first=True, hold=8), "stored": Plain(tag_first=True, message_buffer=9),
    "stored, seals": Plain(tag_first=True, message_buffer=20, directions=("encrypt",)),
}  # fmt: skip


def some_mode(nonce: bytes, way: int) -> Run:
    """The way of a mode of no use: any function that a fault would change, and whose text leaves block by block."""

    def run(text: bytes, ad: bytes) -> tuple[bytes, bytes]:
        stream = hashlib.shake_128(nonce + bytes([way])).digest(len(text))
        plain = bytes(a ^ b for a, b in zip(text, stream))
        return plain, hashlib.shake_128(bytes([len(ad)]) + ad + text + nonce).digest(4)

    return run


def random_command(core: Plain, rng: Random, associated: int, text: int) -> Command:
    """A command that is right in most of its fields."""

    def some(right: Any, *wrong: int) -> int:
        return rng.choice(wrong) if rng.random() < 0.04 else rng.choice(right)

    nonce = some(core.nonces, 0, 4, 5, 255)
    near = (associated + 1, max(0, associated - 1), 0, MOST_STATED, core.most_associated)
    stated = (text + 1, max(0, text - 1), 0, MOST_STATED, core.most_text)
    return Command(
        nonce=rng.randbytes(min(nonce, 4)), nonce_bytes=nonce, tag_bytes=some(core.tag_bytes, 0, 1, 5, 255),
        associated=some([associated], *near), text=some([text], *stated), decrypt=some(core.ways, *range(4 if core.two_passes else 2)),
        id=rng.randrange(1 << 16), slot=some(range(core.named_slots), core.named_slots, 0xFFFF),
        channel=some(range(core.channels), core.channels, 255), new_key=rng.random() < 0.5,
    )  # fmt: skip


def random_message(core: Plain, rng: Random) -> tuple[Command, MessagePacket, Run | None]:
    """A message, with a fault or two in its packet in most cases."""
    size = core.beat_bytes
    associated, text = (rng.choice((0, 1, size - 1, size, size + 1, 2 * size, rng.randrange(5 * size))) for _ in range(2))
    command = random_command(core, rng, associated, text)
    run = some_mode(command.nonce, command.decrypt)
    ad, data, tag = rng.randbytes(associated), rng.randbytes(text), b""
    if command.decrypt:
        tag = rng.randbytes(command.tag_bytes) if rng.random() < 0.2 else run(data, ad)[1][: command.tag_bytes]
        command = replace(command, tag=tag[: core.block_bytes])
    packet = message_packet(core, command.decrypt, ad, data, tag)
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        packet = faulty(packet, size, rng.choice(FAULTS), rng)
    return command, packet, None if rng.random() < 0.05 else run


def found(core: Plain, command: Command, packet: MessagePacket, run: Run | None) -> list[Answer]:
    return [Answer(one.code.name, one.tag, next(iter(one.leaving), None), int(one.marked)) for one in outcomes(core, command, packet, run)]


@pytest.mark.parametrize("name", CORES)
def test_random_messages_have_the_answers_of_the_page(name: str) -> None:
    core, rng, codes = CORES[name], Random(name), Counter[str]()
    for number in range(1500):
        command, packet, run = random_message(core, rng)
        wanted = answers(core, command, packet.beats(core.beat_bytes), run)
        assert found(core, command, packet, run) == wanted, (number, command, packet)
        codes.update(one.code for one in wanted)
    assert {MessageCode[code] for code in codes} == possible_codes(core, 50)


def test_the_oracle_has_the_table() -> None:
    assert tuple(code.name for code in MessageCode) == TABLE
    assert set().union(*map(possible_codes, CORES.values())) == set(MessageCode)


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_has_a_code(fault: str) -> None:
    """A fault changes a code of a right message, and no other code but those of packets comes of it."""
    core, rng, codes = CORES["lengths"], Random(fault), set()
    for _ in range(300):
        ad, text = rng.randrange(14), rng.randrange(14)
        command = Command(nonce=bytes(3), nonce_bytes=3, tag_bytes=4, associated=ad, text=text)
        packet = faulty(message_packet(core, 0, bytes(ad), bytes(text)), core.beat_bytes, fault, rng)
        codes |= {one.code for one in judge(core, command, packet.keeps)}
    packets = {MessageCode.TOO_SHORT, MessageCode.TOO_LONG, MessageCode.BAD_KEEP}
    assert codes - {MessageCode.OK} and codes - {MessageCode.OK} <= packets


@pytest.mark.parametrize("name", CORES)
def test_wrong_packets_have_their_codes(name: str) -> None:
    """The scenario says of each packet which code it gets, unless another rule of the core comes first."""
    core = replace(CORES[name], most_text=MOST_STATED, most_associated=MOST_STATED, most_text_with_nonce=None, hold=None)
    size, seen = core.beat_bytes, set()
    for ad, text, code, edit, way in wrong_packets(core, core.ways):
        for decrypt in core.ways if way is None else (way,):
            command = Command(nonce=bytes(3), nonce_bytes=3, tag_bytes=4, associated=ad, text=text, decrypt=decrypt)
            packet = message_packet(core, decrypt, bytes(ad), bytes(text), bytes(4))
            packet = MessagePacket.of(edit(packet.beats(size))) if edit else packet
            (one,) = judge(core, command, packet.keeps)
            assert one.code == (MessageCode.TOO_LONG_TO_HOLD if core.too_long(decrypt, len(packet.keeps)) else code)
            seen.add(code)
    assert {MessageCode.OK, MessageCode.TOO_SHORT, MessageCode.BAD_KEEP} <= seen


def test_a_wrong_tag_is_all_that_data_decide() -> None:
    for core in CORES.values():
        rng = Random(5)
        for _ in range(200):
            command, packet, _ = random_message(core, rng)
            for one in judge(core, command, packet.keeps):
                other = one.settled(False)
                assert other == one or (one.code, other.code) == (MessageCode.OK, MessageCode.WRONG_TAG)
                assert one.settled(True) == one


def test_what_has_left_of_a_right_message() -> None:
    for core in CORES.values():
        for way in core.ways:
            one = judge_whole(core, way, 3, 5, 4)
            for right in (True, False):
                told = one.settled(right)
                if told.out:
                    assert releases(told.code, core.held(way)) == (told.leaves and told.code <= MessageCode.WRONG_TAG)
