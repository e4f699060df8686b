# SPDX-License-Identifier: Apache-2.0
"""What the host sends for a message of symbols: the command, and the beats of the packet.

Bits that have no meaning are symbols: bytes outside ``tkeep``, and what is behind the ends of nonce and tag.
"""

from __future__ import annotations

from collections.abc import Mapping

from modeloom.equivalence import lanes
from modeloom.equivalence.stream.messages import Expected, Planned, Symbols
from modeloom.interfaces.table import Packing
from modeloom.product.messages import StreamDescription

__all__ = ["Packets", "behind", "given_tag", "id_of"]


def id_of(number: int) -> int:
    """The id of a message, which differs from those before in many bits."""
    return number * 0x9E37 & 0xFFFF


class Packets:
    """Makes commands and packets.

    Parameters
    ----------
    description : StreamDescription
    """

    def __init__(self, description: StreamDescription):
        self.description, self.size = description, description.beat_bytes
        self.command_fields = self.packing("s_axis_cmd")

    def packing(self, stream: str) -> Packing:
        """The fields of the payload of a stream."""
        found = next(group.packing for group in self.description.interfaces if group.name == stream)
        assert found is not None
        return found

    def command(self, number: int, planned: Planned, symbols: Symbols, given: int, name: str) -> dict[str, int]:
        """The command of a message.  ``given`` is the tag of a message to open, or of a second pass."""
        message, fields = planned.message, self.command_fields
        bits = 8 * self.description.block_bytes
        way = next(way for way in self.description.ways if self.description.step_of(way) == message.direction)
        decrypt = way > 0
        tag = lanes.atom(f"any tag {name}", bits)
        if decrypt and not self.description.wire:
            tag = given | behind(f"tag {name}", bits, 8 * planned.tag_bytes)
        numbers = {
            **({} if self.description.text_first else {"associated": message.associated}),
            "id": id_of(number), "channel": planned.channel, "decrypt": way,
            "nonce_bytes": 0 if planned.fault == "nonce" else message.nonce,
            "tag_bytes": 0 if planned.fault == "tag" else planned.tag_bytes,
            **({"text": message.text} if self.description.states_text else {}),
            **({"new_key": int(planned.new_key)} if self.description.inline else {"slot": message.slot}),
        }  # fmt: skip
        words: Mapping[str, int] = {
            "nonce": symbols.nonce | behind(f"nonce {name}", bits, 8 * message.nonce), "tag": tag,
            **{field: lanes.constant(value, fields.field(field).bits) for field, value in numbers.items()},
        }  # fmt: skip
        return {"tdata": sum(word << fields.offset(field) * lanes.LANES for field, word in words.items())}

    def beats(self, planned: Planned, symbols: Symbols, given: int, name: str) -> list[dict[str, int]]:
        """The beats of the packet of a message."""
        message, size = planned.message, self.size
        parts = [(symbols.associated, message.associated), (symbols.text, message.text)]
        if self.description.text_first:
            parts.reverse()
        first = parts[0][1]
        if self.description.wire:
            end = 8 * (message.associated + message.text) * lanes.LANES
            tag = planned.tag_bytes if message.direction == "decrypt" else 0
            word = symbols.associated | symbols.text << 8 * message.associated * lanes.LANES | (given << end if tag else 0)
            parts = [(word, message.associated + message.text + tag)]
        beats = []
        for number, (word, nbytes) in enumerate(parts):
            word |= behind(f"part {number} {name}", -(-nbytes // size) * 8 * size, 8 * nbytes)
            for at in range(0, nbytes, size):
                data = word >> 8 * at * lanes.LANES & lanes.mask(8 * size)
                beats.append({"tdata": data, "tkeep": lanes.constant((1 << min(size, nbytes - at)) - 1, size)})
        nothing = {"tdata": lanes.atom(f"nothing {name}", 8 * size), "tkeep": 0}
        if planned.fault == "short":
            beats = beats[: max(0, -(-first // size) - 1)]
        if planned.fault == "hole" and beats:
            beats[-1] = {**beats[-1], "tkeep": lanes.constant(2, size)}
        beats = beats or [nothing]
        for n, beat in enumerate(beats):
            beat["tlast"] = lanes.ONE if n == len(beats) - 1 else 0
            if self.description.channels > 1:
                beat["tid"] = lanes.constant(planned.channel, 8)
        return beats


def given_tag(planned: Planned, expected: Expected, name: str) -> int:
    """The tag that the host gives for a message to open, or for a second pass."""
    known = lanes.mask(8 * planned.tag_bytes)
    given = expected.tag & known
    if planned.wrong is None:
        return given
    bit = lanes.ONE << planned.wrong * lanes.LANES
    # The other bits are new symbols, and this one is turned.
    return lanes.atom(f"wrong tag {name}", 8 * planned.tag_bytes) & known & ~bit | (given ^ bit) & bit


def behind(name: str, width: int, used: int) -> int:
    """Symbols behind the bits of a value that are used."""
    word = lanes.atom(f"behind {name}", width)
    return word ^ word & lanes.mask(used)
