# SPDX-License-Identifier: Apache-2.0
"""The parts for packets on the wire in simulation, around a stand-in for a core: its cipher inverts all bits, and its tag is a digest."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from hashlib import sha256
from random import Random

from amaranth.back import rtlil
from tests.protocol.contracts import Plain
from tests.protocol.oracle import wire_answers

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.interfaces.messages import MessageCode, pack_message_command
from modeloom.layers import Stack
from modeloom.modes.gcm import GCM
from modeloom.protocol.transactions import Command
from modeloom.rtl.bus.ports import beat_layout
from modeloom.rtl.stream.texts import text_layout
from modeloom.rtl.stream.wire import WirePackets, final_layout
from modeloom.sim import Simulation

LATENCY, VERDICT = 9, 14
"""Cycles from a beat to its text, and from the last beat to the verdict."""

SHORT, KEEP = MessageCode.TOO_SHORT, MessageCode.BAD_KEEP


def parameters(lanes=1, hold=None):
    """Sizes of a core."""
    options = StreamOptions(key_bits=128, cipher_stages=1, packet="wire", hold=hold, blocks_per_cycle=lanes)
    return Stack(compile_stream(GCM(), options, prove=False)).parameters


@dataclass(frozen=True)
class Message:
    """A packet as it is sent."""

    header: int
    beats: list
    decrypt: bool = False
    tag_bytes: int = 16


def digest(text, header):
    """The tag of the stand-in."""
    return sha256(len(header).to_bytes(8, "little") + header + text).digest()[:16]


def inverted(text, header=b"", decrypt=False):
    """The other text, and the tag, which is that of the ciphertext."""
    other = bytes(255 - byte for byte in text)
    return other, digest(text if decrypt else other, header)


def message(size, header, text, decrypt, tag_bytes=16, wrong=False):
    """A message of given bytes."""
    cipher, tag = inverted(text, header)
    given = bytes([tag[0] ^ wrong]) + tag[1:tag_bytes]
    data = header + (cipher + given if decrypt else text)
    pieces = [data[at : at + size] for at in range(0, len(data), size)] or [b""]
    return Message(len(header), [(piece.ljust(size, b"\0"), (1 << len(piece)) - 1) for piece in pieces], decrypt, tag_bytes)


def wanted(sent, size, hold):
    """The packet out and its mark; None if it is dropped."""
    core = Plain(block_bytes=16, blocks_per_cycle=size // 16, packet="wire", hold=hold)
    command = Command(nonce=b"", nonce_bytes=12, tag_bytes=sent.tag_bytes, associated=sent.header, decrypt=int(sent.decrypt))
    found, *_ = wire_answers(core, command, sent.beats, lambda t, h: inverted(t, h, sent.decrypt), "OK")
    return None if found.packet is None else (found.packet, found.tuser)


class WireBench:
    """A core without a core."""

    def __init__(self, p, seed=1):
        self.p, self.size, self.rng = p, p.beat_bytes, Random(seed)
        self.sim = Simulation.of(rtlil.convert(WirePackets(p), name="top", emit_src=False), "top", optimize=0)
        self.sim.reset()

    def fields(self, layout, value):
        """The fields of a payload."""
        return {name: value >> field.offset & (1 << field.width) - 1 for name, field in layout}

    def packed(self, layout, **values):
        """A payload of fields."""
        return sum(int(value) << layout[name].offset for name, value in values.items())

    def run(self, messages, offer=1.0, ready=1.0, most=None):
        """Runs messages; the packets that leave, and the cycles of their last beats."""
        sim, p, size, rng = self.sim, self.p, self.size, self.rng
        commands = deque(
            int.from_bytes(
                pack_message_command(nonce=bytes(12), associated=m.header, tag_bytes=m.tag_bytes, decrypt=m.decrypt), "little"
            )
            for m in messages
        )
        beats = deque((data, keep, int(n == len(m.beats) - 1)) for m in messages for n, (data, keep) in enumerate(m.beats))
        left = deque(messages)
        ad, text, begun = b"", b"", False
        texts, ends, finals, events = deque(), deque(), deque(), []
        out, sofar, alone, delivered, cycle = [], b"", True, 0, 0
        offered = dict.fromkeys(("cmd", "s"), False)
        last_event = 0
        while delivered < len(messages):
            cycle += 1
            assert cycle < (most or 400 + 60 * sum(len(m.beats) + 2 for m in messages)), "it has come to a standstill"
            for name, queue in (("cmd", commands), ("s", beats)):
                offered[name] = bool(queue) and (offered[name] or rng.random() < offer)
                sim.set(f"{name}__valid", offered[name])
            if commands:
                sim.set("cmd__payload", commands[0])
            if beats:
                data, keep, last = beats[0]
                sim.set("s__payload", self.packed(beat_layout(p), data=int.from_bytes(data, "little"), keep=keep, last=last))
            # What the core has worked on.
            shown = bool(texts) and texts[0][0] <= cycle
            sim.set("text__valid", shown)
            if shown:
                _, piece, last = texts[0]
                value = {"data": int.from_bytes(piece, "little"), "keep": (1 << len(piece)) - 1, "last": last, "cut": 0}
                sim.set("text__payload", self.packed(text_layout(p), **value))
            last_enters = bool(ends) and ends[0][0] <= cycle
            sim.set("last_enters", last_enters)
            sim.set("has_text", last_enters and bool(ends[0][2]))
            decided = bool(finals) and finals[0][0] <= cycle
            sim.set("decided", decided)
            if decided:
                sim.set("final", finals[0][1])
            take = rng.random() < ready
            sim.set("m__ready", take)
            sim.set("core__ready", rng.random() < max(offer, 0.3))
            if last_enters:
                _, header, body, sent = ends.popleft()
                code, given = sim.get("code"), sim.get("tag").to_bytes(16, "little")
                other, tag = inverted(body, header, sent.decrypt)
                if len(header) < sent.header:
                    code = max(code, SHORT)
                failed = bool(code) or (sent.decrypt and given[: sent.tag_bytes] != tag[: sent.tag_bytes])
                seals = not sent.decrypt and not failed
                value = {"failed": failed, "nbytes": sent.tag_bytes * seals}
                value["tag"] = int.from_bytes(tag[: sent.tag_bytes] if seals else b"", "little")
                finals.append((cycle + VERDICT, self.packed(final_layout(p), **value)))
            if decided:
                finals.popleft()
            if sim.get("core__valid") and sim.get("core__ready"):
                beat = self.fields(beat_layout(p), sim.get("core__payload"))
                piece = beat["data"].to_bytes(size, "little")[: beat["keep"].bit_count()]
                assert beat["keep"] & (beat["keep"] + 1) == 0
                assert len(piece) == size or beat["last"] or len(ad) + len(piece) == left[0].header
                if len(ad) < left[0].header and not begun:
                    ad += piece
                else:
                    begun = True
                    text += piece
                    if piece:
                        # A token enters at most in each cycle.
                        last_event = max(last_event + 1, cycle)
                        events.append((last_event + LATENCY, inverted(piece)[0], left[0]))
                if beat["last"]:
                    last_event = max(last_event + 1, cycle)
                    short = len(ad) < left[0].header
                    for at, (when, piece, _) in enumerate(events):
                        texts.append((when, piece, int(at == len(events) - 1)))
                    ends.append((last_event + 3, ad, text, left.popleft()))
                    ad, text, begun, events = b"", b"", False, []
                    assert not short or not text
            if sim.get("m__valid"):
                beat = self.fields(text_layout(p), sim.get("m__payload"))
                nbytes = beat["keep"].bit_count()
                assert beat["keep"] == (1 << nbytes) - 1 and beat["data"] >> 8 * nbytes == 0, "bytes outside tkeep"
                assert (nbytes == size or beat["last"]) and (nbytes or alone) and (beat["last"] or not beat["cut"])
                if take:
                    sofar, alone = sofar + beat["data"].to_bytes(size, "little")[:nbytes], False
                    if beat["last"]:
                        out.append((sofar, beat["cut"], cycle))
                        sofar, alone = b"", True
            else:
                assert sim.get("m__payload") == 0, "the payload is not zero while valid is low"
            if sim.get("text__ready") and shown:
                texts.popleft()
            delivered += sim.get("delivered")
            for name, queue in (("cmd", commands), ("s", beats)):
                if offered[name] and sim.get(f"{name}__ready"):
                    queue.popleft()
                    offered[name] = False
            sim.step()
        assert not sofar and not sim.get("m__valid")
        return out
