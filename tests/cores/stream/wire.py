# SPDX-License-Identifier: Apache-2.0
"""A host for cores whose packets are as they are on the wire, with what must come of each message."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from tests.cores.stream.host import Host, Sent
from tests.protocol.contracts import Plain
from tests.protocol.oracle import wire_answers

from modeloom.definition.messages import StreamModel
from modeloom.protocol.transactions import Command

__all__ = ["Packet", "WireHost", "WireTraffic"]


def beats_of(data, size):
    """Beats of a packet: data and tkeep; one without bytes, if there are none."""
    pieces = [data[at : at + size] for at in range(0, len(data), size)] or [b""]
    return [(piece.ljust(size, b"\0"), (1 << len(piece)) - 1) for piece in pieces]


@dataclass(frozen=True)
class Packet:
    """A message on the wire, and what it must become.

    ``out`` is None where nothing may leave.
    """

    nonce: bytes
    header: int
    beats: list
    slot: int = 0
    decrypt: bool = False
    tag_bytes: int = 16
    code: str = "OK"
    out: bytes | None = b""
    tag: bytes = b""
    fields: dict = field(default_factory=dict)

    @property
    def failed(self):
        return int(self.code != "OK")


class WireTraffic:
    """Makes packets under the keys of some slots."""

    def __init__(self, mode, keys, rng=None, size=16, hold=None, most=80):
        self.mode, self.rng, self.size, self.hold, self.most = mode, rng or Random(1), size, hold, most
        self.models = [StreamModel(mode, key) for key in keys]

    def one(self, header=0, text=0, slot=None, decrypt=None, tag_bytes=None, wrong=None, nonce=None, edit=None, **fields):
        """A message of given lengths.  *wrong* turns a bit of its tag; *edit* changes its beats."""
        rng, mode = self.rng, self.mode
        slot = rng.randrange(len(self.models)) if slot is None else slot
        decrypt = rng.random() < 0.5 if decrypt is None else decrypt
        tag_bytes = tag_bytes or mode.tag_bytes[0]
        nonce = nonce or rng.randbytes(mode.nonce_bytes[0][0])
        ad, plain = rng.randbytes(header), rng.randbytes(text)
        made, tag = self.models[slot].run("encrypt", nonce, plain, ad, tag_bytes)
        tag = tag[:tag_bytes]
        given = tag
        if wrong is not None:
            given = (int.from_bytes(tag, "little") ^ 1 << wrong % (8 * tag_bytes)).to_bytes(tag_bytes, "little")
        beats = beats_of(ad + made + given if decrypt else ad + plain, self.size)
        packet = Packet(nonce, header, edit(beats) if edit else beats, slot, decrypt, tag_bytes, fields=fields)
        return self.judged(packet)

    def judged(self, packet, code=None):
        """With what must come of it; *code* if its command is refused."""
        core = Plain(block_bytes=16, blocks_per_cycle=self.size // 16, packet="wire", hold=self.hold)
        command = Command(
            nonce=packet.nonce, nonce_bytes=len(packet.nonce), tag_bytes=packet.tag_bytes, associated=packet.header,
            decrypt=int(packet.decrypt),
        )  # fmt: skip
        way = "decrypt" if packet.decrypt else "encrypt"

        def run(text, header):
            return self.models[packet.slot].run(way, packet.nonce, text, header, packet.tag_bytes)

        found, *_ = wire_answers(core, command, packet.beats, run, code or "OK")
        return replace(packet, code=found.code, out=found.packet, tag=found.tag)

    def some(self, count):
        """Messages of all kinds."""
        rng, mode, size = self.rng, self.mode, self.size

        def length():
            return rng.choice([0, 1, size - 1, size, size + 1, 2 * size, rng.randrange(self.most), rng.randrange(self.most)])

        return [
            self.one(
                length(), length(), tag_bytes=rng.choice(mode.tag_bytes), wrong=rng.randrange(128) if rng.random() < 0.2 else None
            )
            for _ in range(count)
        ]


class WireHost(Host):
    """A core in simulation that is driven with packets."""

    def check(self, packets, most=None):
        """Runs packets, and compares all that comes with what has to; gives the statuses."""
        first = self.ids
        sent = [
            Sent(
                packet.nonce, ad=bytes(0), slot=packet.slot, decrypt=packet.decrypt, tag_bytes=packet.tag_bytes,
                fields={"associated": packet.header, **packet.fields},
                beats=[(data, keep, int(n == len(packet.beats) - 1)) for n, (data, keep) in enumerate(packet.beats)],
            )
            for packet in packets
        ]  # fmt: skip
        self.feed(sent)
        beats = sum(len(packet.beats) for packet in packets)
        result = self.runner.run({"m_axis_status": len(packets)}, max_cycles=most or 3000 + 200 * len(packets) + 40 * beats)
        assert result.done, f"{len(packets)} messages, and {self.runner.take('m_axis_status').count} statuses"
        assert not any(self.runner.violations(name) for name in ("m_axis", "m_axis_status"))
        statuses, got = self.statuses(), self.wire_packets()
        for number, (status, packet) in enumerate(zip(statuses, packets, strict=True)):
            assert (status.code, status.id, status.tag) == (
                packet.code,
                first + number & 0xFFFF,
                packet.tag.ljust(self.size, b"\0"),
            ), number
        wanted = [(packet, status) for packet, status in zip(packets, statuses, strict=True) if packet.out is not None]
        for number, ((data, failed, cycle), (packet, status)) in enumerate(zip(got, wanted, strict=True)):
            assert (data, failed) == (packet.out, packet.failed), (number, packet.code)
            assert cycle < status.status_cycle
        return statuses

    def wire_packets(self):
        """All whole packets that have come: bytes, tuser of the last beat, cycle of the last beat."""
        taken = self.runner.take("m_axis")
        self.text_cycles = list(taken.cycles)
        result, sofar, number = [], b"", 0
        ports = ("m_axis_tdata", "m_axis_tkeep", "m_axis_tlast", "m_axis_tuser")
        for data, keep, last, failed, cycle in zip(*(taken.values(port) for port in ports), taken.cycles, strict=True):
            nbytes = keep.bit_count()
            assert keep == (1 << nbytes) - 1 and data >> 8 * nbytes == 0, "bytes outside tkeep"
            assert nbytes == self.beat or last
            assert nbytes or number == 0, "a beat without bytes behind others"
            assert last or not failed
            sofar, number = sofar + data.to_bytes(self.beat, "little")[:nbytes], number + 1
            if last:
                result.append((sofar, failed, cycle))
                sofar, number = b"", 0
        assert not sofar, "a packet without an end"
        return result
