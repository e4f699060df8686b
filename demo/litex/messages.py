# SPDX-License-Identifier: Apache-2.0
"""Messages for the firmware, with the results that the core must give, as a header in C.

Published vectors come first, if there are any that the core takes: messages of several lengths, and messages that must not be opened.  The
software model has computed those of one length, whose cycles are told, and the messages that forged ones stand between.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from initialisers import Pool

import modeloom
from modeloom.vectors import for_mode

__all__ = ["Example", "Message", "examples_of", "headers"]

PUBLISHED, PUBLISHED_FORGED, REPEATED = 12, 4, 6
"""How many messages of each kind."""

LENGTHS = (64, 512, 1500)
"""Bytes of text of the messages whose cycles are told."""

HEADER_BYTES = 20
"""Their associated data: as many bytes as MACsec authenticates before the text."""

FORGED_LENGTHS = (100, 16)
"""Bytes of text of forged messages and of those between them: the first one for which the core has room."""

PARTS = ("", "tag", "", "associated", "", "cipher", "")
"""What is forged in each of them."""

MOST_TEXT = 1500


@dataclass(frozen=True)
class Message:
    """A message with its key.  A forged one has the ciphertext and the tag that must be refused."""

    key: bytes
    nonce: bytes
    associated: bytes
    plain: bytes
    cipher: bytes
    tag: bytes
    forged: bool = False


@dataclass(frozen=True)
class Example:
    """Messages that go through the core back to back, with the slots of their keys."""

    what: str
    messages: Sequence[Message]
    slots: Sequence[int]

    @property
    def opened_only(self) -> bool:
        """Whether some are forged, so that sealing them tells nothing."""
        return any(message.forged for message in self.messages)


def refuse(description: dict[str, Any]) -> None:
    """Raises ``ValueError`` for a core whose commands or keys the firmware does not make, or that takes no example."""
    wrong = {
        "blocks of the mode do not have 16 bytes": description["block_bytes"] != 16,
        "commands have the number of bytes of text": description.get("lengths_first") or description.get("order") == "text-first",
        "messages go through the core twice; build it with --message-buffer":
            description["explain"].get("passes") == 2 and "message_buffer" not in description,
        "keys are sent as round keys; build it without --keys expanded": "packet_bytes" in description,
        f"it has no room for {FORGED_LENGTHS[-1]} bytes of text": not fits(description, HEADER_BYTES, FORGED_LENGTHS[-1]),
    }  # fmt: skip
    if reasons := [reason for reason, holds in wrong.items() if holds]:
        raise ValueError(f"the example does not take this core: {reasons[0]}")


def fits(description: dict[str, Any], associated: int, text: int) -> bool:
    """Whether the core has room for a message with so many bytes."""
    stored = -(-associated // 16) * 16 + text
    return text <= min(MOST_TEXT, description.get("hold", MOST_TEXT)) and stored <= description.get("message_buffer", stored)


def published(description: dict[str, Any]) -> Iterator[Message]:
    """The published vectors that the core takes."""
    nonces = {length for lengths in description["nonce_bytes"] for length in lengths}
    for test in for_mode(description["mode"], description["cipher"]):
        key, nonce, associated, cipher, tag = (bytes.fromhex(test[name]) for name in ("key", "nonce", "aad", "ct", "tag"))
        if (
            len(key) in description["key_sizes"] and len(nonce) in nonces and len(tag) in description["tag_bytes"]
            and fits(description, len(associated), len(cipher))
        ):  # fmt: skip
            forged = test["result"] == "invalid"
            yield Message(key, nonce, associated, b"" if forged else bytes.fromhex(test["pt"]), cipher, tag, forged)


def spread(messages: Sequence[Message], count: int) -> list[Message]:
    """Some of them, from the shortest to the longest, each with other lengths."""
    shapes = {(len(one.cipher), len(one.associated), len(one.nonce), len(one.tag)): one for one in messages}
    ordered = [shapes[shape] for shape in sorted(shapes)]
    last = max(1, min(count, len(ordered)) - 1)
    return [ordered[at * (len(ordered) - 1) // last] for at in range(min(count, len(ordered)))]


def in_slots(what: str, messages: Sequence[Message], slots: int) -> Iterator[Example]:
    """The messages, as many at a time as there are slots for their keys."""
    waiting = list(messages)
    while waiting:
        keys: dict[bytes, int] = {}
        taken = 0
        for message in waiting:
            if message.key not in keys and len(keys) == slots:
                break
            keys.setdefault(message.key, len(keys))
            taken += 1
        yield Example(what, waiting[:taken], [keys[message.key] for message in waiting[:taken]])
        waiting = waiting[taken:]


def computed(description: dict[str, Any], generator: random.Random, lengths: Sequence[int]) -> list[Message]:
    """Messages of these lengths under one key, by the software model."""
    key, tag_bytes = generator.randbytes(max(description["key_sizes"])), description["tag_bytes"][0]
    model = modeloom.model(description["definition"], key, description["cipher"])
    plain, associated = generator.randbytes(max(lengths)), generator.randbytes(HEADER_BYTES)
    made = []
    for length in lengths:
        nonce = generator.randbytes(description["nonce_bytes"][0][0])
        sealed = model.seal(nonce, plain[:length], associated, tag_bytes)
        made.append(Message(key, nonce, associated, plain[:length], sealed[:length], sealed[length:]))
    return made


def forged(message: Message, part: str) -> Message:
    """A message with another bit in a part."""
    data = getattr(message, part)
    return replace(message, **{part: data[:-1] + bytes([data[-1] ^ 0x10])}, forged=True)


def examples_of(description: dict[str, Any], seed: int = 1) -> list[Example]:
    """Messages for a core of which this is ``core.json``.  Raises ``ValueError`` if the example does not take it."""
    refuse(description)
    generator, slots = random.Random(seed), description["key_slots"]
    known = list(published(description))
    good = spread([one for one in known if not one.forged], PUBLISHED)
    wrong = spread([one for one in known if one.forged], PUBLISHED_FORGED)
    lengths = [length for length in LENGTHS if fits(description, HEADER_BYTES, length)]
    between = computed(description, generator, [next(one for one in FORGED_LENGTHS if fits(description, HEADER_BYTES, one))] * len(PARTS))
    mixed = [forged(message, part) if part else message for message, part in zip(between, PARTS)]
    return [
        *in_slots(" published messages of ", good, slots),
        *(Example(" messages of ", computed(description, generator, [one] * REPEATED), [0] * REPEATED) for one in lengths),
        *in_slots(" messages, of which some are forged, of ", mixed, slots),
        *in_slots(" published forgeries of ", wrong, slots),
    ]


def headers(description: dict[str, Any]) -> dict[str, str]:
    """``form.h``, which has what the firmware must know of the core, and ``example.h``."""
    wire, holds = description["packet"] == "wire", "hold" in description
    form = f"enum {{ WIRE = {int(wire)}, HOLDS = {int(holds)} }};\n"
    return {"form.h": form, "example.h": tables(description["mode"], examples_of(description))}


def tables(mode: str, examples: Sequence[Example]) -> str:
    """The messages, and which of them go through the core together."""
    pool = Pool("DATA")
    rows, runs = [], []
    for example in examples:
        runs.append(f'{{"{example.what}", {len(rows)}, {len(example.messages)}, {int(example.opened_only)}}}')
        for message, slot in zip(example.messages, example.slots):
            places = [pool.place(getattr(message, name)) for name in ("key", "nonce", "associated", "plain", "cipher", "tag")]
            sizes = [len(part) for part in (message.key, message.nonce, message.associated, message.cipher, message.tag)]
            rows.append(f"{{{', '.join([*places, *map(str, [*sizes, slot, int(message.forged)])])}}}")
    joint = ",\n    "
    return "\n".join([
        '#include "message.h"',
        f'#define MODE "{mode}"',
        "struct example {", "    const char *what;", "    unsigned first, count;", "    int opened_only;", "};",
        pool.text,
        f"static const struct message MESSAGES[] = {{\n    {joint.join(rows)}\n}};",
        f"static const struct example EXAMPLES[] = {{\n    {joint.join(runs)}\n}};", "",
    ])  # fmt: skip
