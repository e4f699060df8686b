# SPDX-License-Identifier: Apache-2.0
"""Long traffic for cores for messages that shows whether a fault changes any output, and has nothing of the checks of ``modeloom verify``
in it.

It is a script as that of ``traffic``.  Fields of commands, ``tkeep``, lengths of packets and of keys are right, near a right value, or
random; tags to open are right, or wrong in one bit or in all.

What a message gets may depend on cycles: a key may come before it or behind it.  In settled traffic, the core is done with everything
before a key comes, and with the key before a message comes.  There, what comes out depends on no cycle.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from modeloom.definition.messages import StreamModel
from modeloom.interfaces.messages import pack_message_command
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.product.messages import StreamDescription
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.spec.stream import StreamMode

from .actions import Action, forget, gaps, in_turn, key_packet, nothing, put

__all__ = ["MessageTraffic"]

BUSES = ("s_axis", "s_axis_cmd", "m_axis", "m_axis_status", "s_axis_key")

CHUNK, CHUNKS = 600, 100
"""Cycles after which a core is done if nothing moved in them, and how many times so many it gets at most."""

MESSAGES, KEYS, WRONG_KEYS = 0.75, 0.85, 0.88
"""Steps with messages, with keys, and with wrong key packets, of all: up to this part of them.  The rest are pauses on buses."""


def settle(core: SimulatedStreamCore) -> None:
    """Runs a core without pauses until nothing moves any more."""
    core.runner.set_gaps(dict.fromkeys(BUSES, 0.0))
    for _ in range(CHUNKS):
        before = [core.runner.waiting(name) for name in BUSES]
        core.runner.run(max_cycles=CHUNK)
        if [core.runner.waiting(name) for name in BUSES] == before:
            break


class MessageTraffic:
    """A script for cores of one description.

    Parameters
    ----------
    description : StreamDescription
        ``core.json``.
    mode : StreamMode
        For the tags of messages to open.
    cycles : int
        Cycles of the whole script, roughly.
    seed : int
    settled : bool
        Whether keys come only while the core has nothing else to do.
    """

    def __init__(self, description: StreamDescription, mode: StreamMode, cycles: int, seed: int, *, settled: bool = False):
        self.description, self.mode, self.settled = description, mode, settled
        self.rng = random.Random(f"traffic {seed}")
        self.keys: dict[int, bytes] = {}
        self.steps = list(self._script(cycles))

    def run(self, core: SimulatedStreamCore) -> None:
        """Runs the script on a core fresh out of a reset."""
        for action, cycles in self.steps:
            action(core)
            core.runner.run(max_cycles=cycles)
            for name in ("m_axis", "m_axis_status"):
                core.runner.take(name)

    def _script(self, cycles: int) -> Iterator[tuple[Action, int]]:
        d, rng = self.description, self.rng
        pace = d.message_cycles(2 * d.beat_bytes, 3 * d.beat_bytes)
        done = 0
        while done < cycles:
            # An episode begins with keys in most slots, and ends with what it began, an erasure of everything, or a reset.
            for slot in range(d.named_slots):
                if rng.random() < 0.85:
                    yield self._key(slot), 1
            yield (settle, 1) if self.settled else (nothing, 400)
            for _ in range(rng.randrange(10, 40)):
                kind = rng.random()
                if kind < MESSAGES:
                    burst = rng.randrange(1, 12)
                    step = in_turn([self._message() for _ in range(burst)]), rng.randrange(1, burst * pace + 2)
                elif kind < KEYS:
                    step = self._key(rng.randrange(d.named_slots)), rng.randrange(1, 300)
                elif kind < WRONG_KEYS:
                    step = self._wrong_key(), rng.randrange(1, 200)
                else:
                    step = gaps({name: rng.choice((0.0, 0.0, 0.0, 0.2, 0.8, 0.99)) for name in BUSES}), 1
                if self.settled and self._sends_key(kind):
                    step = in_turn([settle, step[0], settle]), 1
                yield step
                done += step[1]
            yield gaps(dict.fromkeys(BUSES, 0.0)), 20 * pace
            done += 20 * pace
            if rng.random() < 0.6:
                name, active = rng.choice((("zeroize", 1), ("aresetn", 0)))
                yield nothing, rng.randrange(1, 200)
                yield put(name, active), rng.randrange(1, 3)
                yield put(name, 1 - active), 1
                yield forget, d.erase_cycles + 2
                self.keys.clear()

    @staticmethod
    def _sends_key(kind: float) -> bool:
        return MESSAGES <= kind < WRONG_KEYS

    # -- keys --------------------------------------------------------------------------------------------------------------------

    def _key(self, slot: int) -> Action:
        d, rng = self.description, self.rng
        erase = rng.random() < 0.1
        data = bytes(KEY_BEAT_BYTES) if erase else rng.randbytes(rng.choice(tuple(d.packet_sizes)))
        self.keys.pop(slot, None)
        if not erase:
            self.keys[slot] = data
        return key_packet(data, None if d.inline else slot, erase=erase)

    def _wrong_key(self) -> Action:
        d, rng = self.description, self.rng
        bits = next((port.width for port in d.ports if port.name == "s_axis_key_tdest"), 1)
        slot = rng.choice((rng.randrange(d.named_slots), rng.randrange(d.named_slots) ^ 1 << rng.randrange(bits), rng.randrange(1 << bits)))
        data = rng.randbytes(rng.choice((rng.randrange(1, 80), *d.packet_sizes)))
        self.keys.pop(slot, None)
        keep = (1 << (len(data) - 1) % KEY_BEAT_BYTES + 1) - 1 ^ 1 << rng.randrange(KEY_BEAT_BYTES)
        return key_packet(data, None if d.inline else slot, keep=keep if rng.random() < 0.5 else None)

    # -- messages ----------------------------------------------------------------------------------------------------------------

    def _near(self, value: int, bits: int) -> int:
        """A value of a field: the right one in most cases."""
        kind = self.rng.random()
        if kind < 0.96:
            return value
        if kind < 0.975:
            return (value + self.rng.choice((-1, 1))) % (1 << bits)
        return value ^ 1 << self.rng.choice((self.rng.randrange(bits), bits - 1 - self.rng.randrange(4)))

    def _length(self) -> int:
        size, rng = self.description.beat_bytes, self.rng
        return rng.choice((0, 0, 1, size - 1, size, size + 1, 2 * size, rng.randrange(6 * size), rng.randrange(40 * size)))

    def _message(self) -> Action:
        d, rng = self.description, self.rng
        ad, text = rng.randbytes(self._length()), rng.randbytes(self._length())
        slot, way = rng.randrange(d.named_slots), int(rng.choice([int(way) for way in d.ways]))
        nonce, tag_bytes = rng.randbytes(rng.choice(tuple(d.nonces))), rng.choice(tuple(d.tag_bytes))
        tag = rng.randbytes(tag_bytes)
        if way and len(ad) + len(text) < 6 * d.beat_bytes and (key := self.keys.get(slot)) is not None and rng.random() < 0.7:
            model = StreamModel(self.mode, key, d.cipher, derived=d.derives)
            tag = model.run(self.mode.text_steps()[way] if d.two_passes else "decrypt", nonce, text, ad, tag_bytes, tag)[1][:tag_bytes]
            if rng.random() < 0.5:
                tag = (int.from_bytes(tag, "little") ^ 1 << rng.randrange(8 * tag_bytes)).to_bytes(tag_bytes, "little")
        fields: dict[str, Any] = {"associated": self._near(len(ad), 64)} if not d.text_first else {}
        if d.states_text:
            fields["text"] = self._near(len(text), 64)
        if d.channels > 1:
            fields["channel"] = self._near(rng.randrange(d.channels), 8)
        command = bytearray(pack_message_command(
            d.command_fields, nonce=nonce, tag=b"" if d.packet == "wire" else tag, tag_bytes=self._near(tag_bytes, 8),
            id=rng.randrange(1 << 16), decrypt=way, slot=self._near(slot, 16), **fields,
        ))  # fmt: skip
        if rng.random() < 0.03:
            command[rng.randrange(len(command))] ^= 1 << rng.randrange(8)
        parts = (text, ad) if d.text_first else (ad, text)
        size = d.beat_bytes
        if d.packet == "wire":
            parts = (b"".join(parts) + (tag if way else b""),)
        pieces = [part[at : at + size] for part in parts for at in range(0, len(part), size)] or [b""]
        beats = [(piece.ljust(size, b"\0"), (1 << len(piece)) - 1) for piece in pieces]
        kind = rng.random()
        if kind < 0.03:
            at = rng.randrange(len(beats))
            beats[at] = beats[at][0], beats[at][1] ^ 1 << rng.randrange(size)
        elif kind < 0.05:
            beats = beats[: rng.randrange(1, len(beats) + 1)]
        elif kind < 0.07:
            beats.append((rng.randbytes(size), (1 << rng.randrange(size + 1)) - 1))
        channel = {"s_axis_tid": [fields["channel"] % d.channels] * len(beats)} if d.channels > 1 else {}

        def send(core: SimulatedStreamCore) -> None:
            core.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": bytes(command)})
            core.runner.feed("s_axis", {
                "s_axis_tdata": b"".join(data for data, _ in beats), "s_axis_tkeep": [keep for _, keep in beats],
                "s_axis_tlast": [int(at == len(beats) - 1) for at in range(len(beats))], **channel,
            })  # fmt: skip

        return send
