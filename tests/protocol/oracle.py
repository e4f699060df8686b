# SPDX-License-Identifier: Apache-2.0
"""What comes of a message, read from ``docs/interfaces.md`` and not from the sources: the independent oracle of the protocol.

It looks at each beat alone, by its place in the packet, and collects every error that the page has for this place.  The status has the
highest code of the first beat with any.  Codes are the names of the table there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

__all__ = ["Answer", "answers"]

TABLE = (
    "OK", "WRONG_TAG", "TOO_SHORT", "TOO_LONG_TO_HOLD", "TOO_LONG", "BAD_KEEP", "NO_KEY", "NO_DIRECTION", "NO_CHANNEL", "BAD_TAG_LENGTH",
    "BAD_NONCE_LENGTH",
)  # fmt: skip
"""Codes in the order of their numbers."""


class Answer(NamedTuple):
    """A status, and the packet out: its bytes, or None, and ``tuser`` of its last beat."""

    code: str
    tag: bytes = b""
    packet: bytes | None = None
    tuser: int = 0


class Count(NamedTuple):
    """A beat: its number of bytes, None if ``tkeep`` has a gap; and ``tlast``."""

    nbytes: int | None
    last: bool


def highest(codes: Any) -> str:
    return max(codes, key=TABLE.index, default="OK")


def counts(keeps: Sequence[int], size: int) -> list[Count]:
    ones = {(1 << n) - 1: n for n in range(size + 1)}
    return [Count(ones.get(keep), at == len(keeps) - 1) for at, keep in enumerate(keeps)]


def command_errors(core: Any, command: Any, keyed: bool) -> Iterator[str]:
    """The tables of the codes, and the sections on lengths that are known first, text first, two passes, and keys."""
    if command.nonce_bytes not in [n for lengths in core.nonce_bytes for n in lengths]:
        yield "BAD_NONCE_LENGTH"
    if command.tag_bytes not in core.tag_bytes:
        yield "BAD_TAG_LENGTH"
    if command.channel >= core.channels:
        yield "NO_CHANNEL"
    seals, opens = "encrypt" in core.directions, "decrypt" in core.directions
    twice = core.tag_first and core.message_buffer is None
    if not {0: seals, 1: opens, 2: seals and twice}.get(command.decrypt, False):
        yield "NO_DIRECTION"
    if not keyed or (not core.inline and command.slot >= core.key_slots):
        yield "NO_KEY"
    text_first = core.order == "text-first"
    if not text_first and command.associated > core.most_associated:
        yield "TOO_LONG"
    if core.lengths_first or text_first:
        if command.text > dict(core.most_text_with_nonce or ()).get(command.nonce_bytes, core.most_text):
            yield "TOO_LONG"
        if command.decrypt and core.hold is not None and command.text > core.hold:
            yield "TOO_LONG_TO_HOLD"


def first_part_errors(beat: Count, at: int, first: int, size: int, needs_text: bool) -> Iterator[str]:
    """A beat of the part whose length the command has, which is beat number ``at`` of it."""
    here = min(size, first - at * size)
    is_end = (at + 1) * size >= first
    if beat.nbytes is None or beat.nbytes > here or (beat.nbytes < here and not beat.last):
        yield "BAD_KEEP"
    elif beat.last and not beat.nbytes and at:
        # The last beat without bytes: within a part.
        yield "BAD_KEEP"
    elif beat.last and (beat.nbytes < here or not is_end or needs_text):
        yield "TOO_SHORT"


def second_part_errors(beat: Count, at: int, before: int, size: int, most: int, stated: int | None) -> Iterator[str]:
    """A beat of the part behind, of which ``before`` bytes have come in whole beats."""
    if beat.nbytes is None or (beat.nbytes < size and not beat.last):
        yield "BAD_KEEP"
    elif not beat.nbytes:
        if at:
            yield "BAD_KEEP"
        elif stated:
            yield "TOO_SHORT"
    if beat.nbytes:
        total = before + beat.nbytes
        if total > (most if stated is None else stated):
            yield "TOO_LONG"
        if stated is not None and beat.last and total < stated:
            yield "TOO_SHORT"


def answers(
    core: Any, command: Any, beats: Sequence[tuple[bytes, int]], run: Callable[[bytes, bytes], tuple[bytes, bytes]] | None
) -> list[Answer]:
    """The answers that the page allows; ``run`` gives text and tag of a text and its associated data, and is None without a key."""
    refused = highest(command_errors(core, command, run is not None))
    if core.packet == "wire":
        return wire_answers(core, command, beats, run, refused)
    if refused != "OK":
        return [Answer(refused)]
    if core.message_buffer is not None and not command.decrypt:
        if len(beats) > -(-core.message_buffer // (core.block_bytes * core.blocks_per_cycle)):
            return [Answer("TOO_LONG_TO_HOLD")]
    assert run is not None
    return aligned_answers(core, command, beats, run)


def aligned_answers(core: Any, command: Any, beats: Sequence[tuple[bytes, int]], run: Any) -> list[Answer]:
    size, text_first = core.block_bytes * core.blocks_per_cycle, core.order == "text-first"
    first = command.text if text_first else command.associated
    whole = -(-first // size)
    stated = command.text if core.lengths_first and not text_first else None
    most = core.most_associated if text_first else dict(core.most_text_with_nonce or ()).get(command.nonce_bytes, core.most_text)
    code, good = "OK", 0
    for at, beat in enumerate(counts([keep for _, keep in beats], size)):
        if at < whole:
            code = highest(first_part_errors(beat, at, first, size, bool(stated)))
            # The beat itself is right, but the packet must not end here.
            right = code == "TOO_SHORT" and beat.nbytes == min(size, first - at * size) and at == whole - 1
        else:
            code, right = highest(second_part_errors(beat, at - whole, (at - whole) * size, size, most, stated)), False
        good += code == "OK" or right
        if code != "OK":
            break
    pieces = [data[: keep.bit_count()] for data, keep in beats[:good]]
    parts = [b"".join(pieces[:whole]), b"".join(pieces[whole:])]
    ad, text = parts[::-1] if text_first else parts
    twice = core.tag_first and core.message_buffer is None
    held, first_pass = core.hold is not None and command.decrypt > 0, twice and command.decrypt == 0
    if held and len(text) > core.hold:
        return [Answer("TOO_LONG_TO_HOLD"), *([Answer(code)] if code != "OK" else [])]
    if code == "OK":
        out, tag = run(text, ad)
        given = None if first_pass or not text else out[: len(text)]
        tag = tag[: command.tag_bytes]
        if not command.decrypt:
            return [Answer("OK", tag, given)]
        if tag == command.tag[: command.tag_bytes]:
            return [Answer("OK", b"", given)]
        return [Answer("WRONG_TAG", b"", None if held else given)]
    stored = core.message_buffer is not None and command.decrypt == 0
    if held or first_pass or stored or not text:
        return [Answer(code)]
    if text_first and len(text) == command.text:
        return [Answer(code, b"", run(text, ad)[0][: len(text)])]
    # Blocks that are computed together leave together, and the packet out is cut off.
    unit = core.block_bytes * (core.text_blocks or core.blocks_per_cycle)
    leaves = len(text) // unit * unit
    if not leaves:
        return [Answer(code)]
    goes_on = command.text if core.lengths_first and command.text else leaves + unit
    return [Answer(code, b"", run(text + bytes(max(0, goes_on - len(text))), ad)[0][:leaves], 1)]


def wire_answers(core: Any, command: Any, beats: Sequence[tuple[bytes, int]], run: Any, refused: str) -> list[Answer]:
    """The section on packets as they are on the wire, and its table."""
    size, wrong = core.block_bytes * core.blocks_per_cycle, False
    came = b""
    for at, ((data, _), beat) in enumerate(zip(beats, counts([keep for _, keep in beats], size), strict=True)):
        if beat.nbytes is None or (beat.nbytes < size and not beat.last) or (beat.nbytes == 0 and at > 0):
            wrong = True
            break
        came += data[: beat.nbytes]
    opens = command.decrypt != 0
    held = opens and core.hold is not None
    tag_bytes = command.tag_bytes if opens and command.tag_bytes <= core.block_bytes else 0
    body, tag = (came[:-tag_bytes], came[-tag_bytes:]) if tag_bytes else (came, b"")
    header, text = body[: command.associated], body[command.associated :]
    if refused != "OK":
        return [Answer(refused, b"", None if held else header, 0 if held else 1)]
    codes = ["BAD_KEEP"] if wrong else []
    if len(header) < command.associated or len(tag) < tag_bytes:
        codes.append("TOO_SHORT")
    too_long = held and len(header) + len(text) > core.hold
    if too_long:
        codes.append("TOO_LONG_TO_HOLD")
    assert run is not None
    out, made = run(text, header)
    made = made[: command.tag_bytes]
    if opens and not codes and made != tag:
        codes.append("WRONG_TAG")
    code = highest(codes)
    if code == "OK":
        return [Answer("OK", b"" if opens else made, header + out + (b"" if opens else made))]
    if held:
        return [Answer(code), *([Answer("TOO_LONG_TO_HOLD")] if too_long and code != "TOO_LONG_TO_HOLD" else [])]
    return [Answer(code, b"", header + out, 1)]
