# SPDX-License-Identifier: Apache-2.0
"""A host of the tests' own for cores for messages: it sends commands, packets and keys beat by beat, right ones and wrong ones."""

from __future__ import annotations

from dataclasses import dataclass, field

from amaranth.back import rtlil

from modeloom.cores.stream.core import StreamHardware
from modeloom.interfaces.messages import message_command, pack_message_command, unpack_message_status
from modeloom.layers import Stack
from modeloom.sim import Simulation, StreamRunner, build


@dataclass(frozen=True)
class Sent:
    """A message as it goes over the bus; ``beats``, if given, stand for what would follow from data and lengths."""

    nonce: bytes
    text: bytes = b""
    ad: bytes = b""
    slot: int = 0
    decrypt: bool = False
    tag: bytes = b""
    tag_bytes: int = 16
    beats: list[tuple[bytes, int, int]] | None = None
    fields: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Got:
    """What came of a message."""

    code: str
    id: int
    tag: bytes
    status_cycle: int


LIBRARIES = {}


def library(compiled, parameters, optimize):
    """The simulation of a core, built once for each compiled mode and sizes."""
    p = parameters
    key = id(compiled), p.keys, p.encrypt, p.decrypt, p.hold, p.form, p.pins, p.text_from, p.associated_from, optimize
    if key not in LIBRARIES:
        hardware = StreamHardware(compiled, parameters)
        # What is compiled stays referenced, so that no other one gets its number.
        LIBRARIES[key] = build(rtlil.convert(hardware, name="top", emit_src=False), "top", optimize=optimize), compiled
    return LIBRARIES[key][0]


class Host:
    """A core in simulation.

    Parameters
    ----------
    compiled : CompiledStream
    parameters : MessageParameters, optional
    """

    def __init__(self, compiled, parameters=None, seed=1, gaps=None, optimize=0):
        self.size = compiled.mode.block_bytes
        self.beat = self.size * compiled.options.blocks_per_cycle
        self.sim = Simulation(library(compiled, parameters or Stack(compiled).parameters, optimize), clock="aclk", reset="aresetn")
        self.runner = StreamRunner(self.sim, seed=seed, gaps=gaps or {})
        self.runner.reset(4)
        self.fields = message_command(self.size, lengths=compiled.mode.lengths_first)
        self.ids = 0

    def key(self, key, slot=0, erase=False, wait=True):
        """Sends a key packet, and waits until it is worked off."""
        beats = [key[at : at + 16] for at in range(0, len(key), 16)] or [b""]
        self.runner.feed("s_axis_key", {
            "s_axis_key_tdata": b"".join(beat.ljust(16, b"\0") for beat in beats),
            "s_axis_key_tkeep": [(1 << len(beat)) - 1 for beat in beats],
            "s_axis_key_tlast": [int(i == len(beats) - 1) for i in range(len(beats))],
            "s_axis_key_tdest": [slot] * len(beats), "s_axis_key_tuser": [int(erase)] * len(beats),
        })  # fmt: skip
        if wait:
            self.wait()

    def wait(self, most=20000):
        """Until no key packet is worked on."""
        for _ in range(most // 20):
            self.runner.run(max_cycles=20)
            if not self.runner.waiting("s_axis_key") and not self.sim.get("key_busy") and not self.sim.get("zeroizing"):
                return
        raise AssertionError("the key port does not come to rest")

    def beats_of(self, sent):
        """Beats of a packet: data, bytes, last."""
        parts = [part[at : at + self.beat] for part in (sent.ad, sent.text) for at in range(0, len(part), self.beat)] or [b""]
        return [(part, (1 << len(part)) - 1, int(n == len(parts) - 1)) for n, part in enumerate(parts)]

    def feed(self, messages):
        """Queues commands and packets."""
        commands, beats = [], []
        for sent in messages:
            values = {
                "nonce": sent.nonce, "associated": len(sent.ad), "tag": sent.tag, "tag_bytes": sent.tag_bytes, "id": self.ids & 0xFFFF,
                "slot": sent.slot, "decrypt": sent.decrypt, "text": len(sent.text), **sent.fields,
            }  # fmt: skip
            commands.append(pack_message_command(self.fields, **values))
            beats += self.beats_of(sent) if sent.beats is None else sent.beats
            self.ids += 1
        self.runner.feed("s_axis_cmd", {"s_axis_cmd_tdata": b"".join(commands)})
        self.runner.feed("s_axis", {
            "s_axis_tdata": b"".join(data.ljust(self.beat, b"\0") for data, _, _ in beats),
            "s_axis_tkeep": [keep for _, keep, _ in beats], "s_axis_tlast": [last for _, _, last in beats],
        })  # fmt: skip

    def run(self, messages, most=None):
        """Runs messages; what came of each, and the packets of text with their cut marks."""
        self.feed(messages)
        most = most or 2000 + 200 * len(messages) + 40 * self._beats(messages)
        result = self.runner.run({"m_axis_status": len(messages)}, max_cycles=most)
        assert result.done, f"{len(messages)} messages, and {self.runner.take('m_axis_status').count} statuses"
        assert not any(self.runner.violations(name) for name in ("m_axis", "m_axis_status"))
        return self.statuses(), self.packets()

    def _beats(self, messages):
        return sum(len(sent.text) + len(sent.ad) for sent in messages) // self.size

    def statuses(self):
        """All statuses that have come."""
        taken = self.runner.take("m_axis_status")
        result = []
        for value, cycle in zip(taken.values("m_axis_status_tdata"), taken.cycles, strict=True):
            tag, number, code = unpack_message_status(value.to_bytes(self.size + 4, "little"), self.size)
            result.append(Got(code.name, number, tag, cycle))
        return result

    def packets(self):
        """All whole packets that have come, with the mark of the last beat."""
        taken = self.runner.take("m_axis")
        self.text_cycles = list(taken.cycles)
        result, sofar = [], b""
        ports = ("m_axis_tdata", "m_axis_tkeep", "m_axis_tlast", "m_axis_tuser")
        for data, keep, last, cut in zip(*(taken.values(port) for port in ports), strict=True):
            nbytes = keep.bit_count()
            assert keep == (1 << nbytes) - 1 and data >> 8 * nbytes == 0, "bytes outside tkeep"
            assert nbytes == self.beat or last
            assert nbytes or cut
            sofar += data.to_bytes(self.beat, "little")[:nbytes]
            if last:
                result.append((sofar, cut))
                sofar = b""
        assert not sofar, "a packet without an end"
        return result
