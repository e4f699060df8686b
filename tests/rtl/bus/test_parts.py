# SPDX-License-Identifier: Apache-2.0
"""What is connected is one group of ports: the parts of the buses with each other, with the engine, and with key schedules."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest
from amaranth.hdl import Shape, Value
from amaranth.lib.wiring import Flow, Signature
from tests.rtl.bus.mock_engine import MockSchedule
from tests.rtl.bus.parameters import bus_sizes

from modeloom.ciphers import AES
from modeloom.rtl.bus.key_port import KeyPort, key_schedule_signature
from modeloom.rtl.bus.ports import StatusQueue
from modeloom.rtl.bus.sector import BusParameters, CoreBus
from modeloom.rtl.bus.sector.core import CommandIntake, EntryGate, SectorIntake, SizeGate, SlotsInFlight
from modeloom.rtl.bus.sector.parameters import CODE_BITS, STATUS, engine_of
from modeloom.rtl.bus.sector.ring import ResultRing
from modeloom.rtl.engine import engine

SIZES: dict[str, dict[str, Any]] = {
    "least": {"blocks": 1, "ring_sectors": 1},
    "two blocks": {"blocks": 2, "ring_sectors": 2, "key_slots": 2, "key_words": 1, "raw_words_after": 1},
    "lanes": {"blocks": 9, "ring_sectors": 3, "lanes": 4, "tweak_blocks": 2, "key_slots": 5, "key_words": 5},
    "several of all": {
        "blocks": 3, "ring_sectors": 6, "more_sizes": ((17, 3), (2, 0)), "cipher_keys": 2, "key_slots": 3, "key_words": 9,
        "derived_keys": ((1,),), "round_keys": 21, "round_key_bits": 64,
    },
}  # fmt: skip

LINKS = (
    ((CommandIntake, "command"), (EntryGate, "command")),
    ((CommandIntake, "upcoming"), (SizeGate, "upcoming")),
    ((SectorIntake, "packet"), (EntryGate, "packet")),
    ((SizeGate, "opening"), (SectorIntake, "opening")),
    ((EntryGate, "place"), (ResultRing, "place")),
    ((EntryGate, "admission"), (SlotsInFlight, "admission")),
    ((EntryGate, "verdict"), (StatusQueue, "verdict")),
    ((KeyPort, "in_use"), (SlotsInFlight, "in_use")),
    ((KeyPort, "state"), (CoreBus, "key_state")),
    ((SectorIntake, "fill"), "fill"),
    ((EntryGate, "enter"), "enter"),
    ((SizeGate, "size"), "size"),
    ((ResultRing, "out"), "out"),
    ((ResultRing, "done"), "done"),
    ((SlotsInFlight, "done"), "done"),
    ((KeyPort, "preparation"), "preparation"),
    ((ResultRing, "erase"), "erase"),
    ((CoreBus, "erase"), "erase"),
)
"""Groups of ports that two parts of the buses have, or a part and the engine: they are joined as they are."""

FOR_SEVERAL_SIZES = ("upcoming", "opening")
"""Groups that only a core for several sizes has."""


def part_of(kind: Any, p: BusParameters) -> Any:
    """A part, with the sizes that it knows: those that other cores have too are told no more than they need."""
    if kind is StatusQueue:
        return StatusQueue(4, STATUS, CODE_BITS)
    if kind is CoreBus:
        return CoreBus(p, MockSchedule(p.keys.cipher_key_bits))
    return kind(p.keys if kind is KeyPort else p)


def group_of(place: Any, p: BusParameters) -> Signature:
    """The signature of a group as its giver sees it."""
    members = (engine_of(p) if isinstance(place, str) else part_of(place[0], p).signature).members
    member = members[place if isinstance(place, str) else place[1]]
    return member.signature.flip() if member.flow is Flow.In else member.signature


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_links_have_one_signature(sizes: dict[str, Any]) -> None:
    p = bus_sizes(**sizes)
    for one, other in LINKS:
        if one[1] in FOR_SEVERAL_SIZES and len(p.sizes) == 1:
            continue
        assert group_of(one, p) == group_of(other, p), f"{one[0].__name__}.{one[1]}"
    names = {*CommandIntake(p).signature.members, *SectorIntake(p).signature.members}
    assert {name for name in FOR_SEVERAL_SIZES if name in names} == (set(FOR_SEVERAL_SIZES) if len(p.sizes) > 1 else set())


def test_widths_of_links() -> None:
    """Those of buses that have several of all: 17 blocks on a lane, six places, three slots, two keys and one of set-up."""
    p = bus_sizes(**SIZES["several of all"])
    names = ("fill", "enter", "out", "done", "size", "preparation", "erase")
    found = {name: widths(group_of(name, p)) for name in names} | {
        one[1]: widths(group_of(one, p)) for one, other in LINKS if not isinstance(other, str)
    }
    key = {"we": 1, "slot": 2, "index": 4, "data": 128}
    assert found == {
        "fill": {"we": 1, "beat": 5, "data": 128, "ahead": 1},
        "enter": {"request": 1, "decrypt": 1, "slot": 2, "ticket": 3, "ack": 1},
        "out": {"we": 1, "index": [5], "ticket": [3], "data": [128]},
        "done": {"valid": 1, "ticket": 3},
        "size": {"number": 2, "restart": 1, "idle": 1},
        "preparation": {
            "word": key,
            "round_key": {"we": 1, "slot": 2, "key": 2, "round": 5, "data": 64, "data_dec": 64},
            "setup": {"request": 1, "slot": 2, "scrub": 1, "done": 1},
            "made": {"we": 1, "index": 4, "data": 128},
        },
        "erase": {"we": 1, "address": p.erase_bits},
        "command": {"valid": 1, "ok": 1, "code": 3, "decrypt": 1, "slot": 2, "size": 2, "tag": 16, "take": 1},
        "upcoming": {"valid": 1, "size": 2, "known": 1, "next_valid": 1, "next_size": 2, "next_known": 1},
        "packet": {"complete": 1, "ok": 1, "good": 1, "code": 3, "take": 1, "admit": 1, "entering": 1},
        "opening": {"size": 2, "open": 1, "admitted": 1},
        "place": {"free": 1, "admit": 1, "ticket": 3, "size": 2},
        "admission": {"admit": 1, "ticket": 3, "slot": 2},
        "verdict": {"push": 1, "tag": 16, "code": 3, "room": 1},
        "in_use": {"slot": 2, "busy": 1},
        "state": {"loaded": 3, "busy": 1, "error": 1},
    }  # fmt: skip
    assert len(CommandIntake(p).tweak) == len(engine_of(p).create().tweak) == 128
    assert len(CommandIntake(p).key_loaded) == 3


@pytest.mark.parametrize(("lanes", "tweak_blocks", "blocks"), [(1, 0, 1), (2, 1, 3), (4, 2, 9)])
def test_widths_of_the_engine(lanes: int, tweak_blocks: int, blocks: int) -> None:
    """Nothing has no wires: a single slot, beat or block has a number of one bit, and so has a tweak that is not there a block."""
    p = bus_sizes(blocks=blocks, ring_sectors=1, lanes=lanes, tweak_blocks=tweak_blocks)
    found = widths(engine_of(p))
    beats = max(1, (-(-blocks // lanes) - 1).bit_length())
    assert found["fill"] == {"we": 1, "beat": beats, "data": 128 * lanes, "ahead": 1}
    index = max(1, (blocks - 1).bit_length())
    assert found["out"] == {"we": lanes, "index": [index] * lanes, "ticket": [1] * lanes, "data": [128] * lanes}
    assert found["tweak"] == 128 * max(1, tweak_blocks) == len(CommandIntake(p).tweak)
    assert found["enter"]["slot"] == found["preparation"]["word"]["slot"] == found["preparation"]["word"]["index"] == 1
    assert found["preparation"]["round_key"]["key"] == found["size"]["number"] == 1


@pytest.mark.parametrize("part", [CoreBus, engine], ids=["bus/sector/core.py", "engine/engine.py"])
def test_groups_are_joined_and_not_their_members(part: Any) -> None:
    """The buses connect groups; single signals are the tweak, the slots with keys, what the host has taken, and the
    erasure of the flags of many slots."""
    text = inspect.getsource(part)
    assert not re.search(r"(enter|setup|size|fill|done|place|packet|command|upcoming|opening|verdict|in_use)\.\w+\.eq\(seq?", text)
    if part is CoreBus:
        assert re.findall(r"(\w+\.\w+)\.eq\(", text) == [
            "queue.delivered", "command.key_loaded", "key_port.erase", "key_port.erase_address", "engine.tweak",
        ]  # fmt: skip
        assert text.count("wiring.connect(") >= 20


def widths(signature: Signature) -> dict[str, Any]:
    """Bits of each port of a group, by its name; those of an array as a list, those of a group within as a group."""
    found: dict[str, Any] = {}
    for name, member in signature.members.items():
        if member.is_signature:
            found[name] = widths(member.signature)
        else:
            width = Shape.cast(member.shape).width
            found[name] = [width] * member.dimensions[0] if member.dimensions else width
    return found


def bits_of(signature: Signature) -> dict[str, int]:
    return {name: len(port) for name, port in signature.create().__dict__.items() if isinstance(port, Value)}


def test_ports_of_a_key_schedule() -> None:
    """As whoever brings a cipher finds them described, and as that of AES has them."""
    assert bits_of(key_schedule_signature(192, 13, 128)) == {
        "start": 1, "erase": 1, "key": 192, "we": 1, "round": 4, "data": 128, "data_dec": 128, "busy": 1, "done": 1,
    }  # fmt: skip
    assert bits_of(key_schedule_signature(64, 1, 8, 3)) == {
        "length": 2, "start": 1, "erase": 1, "key": 64, "we": 1, "round": 1, "data": 8, "data_dec": 8, "busy": 1, "done": 1,
    }  # fmt: skip
    for key_bits in AES.key_bits:
        wanted = bits_of(key_schedule_signature(key_bits, AES.round_keys(key_bits), AES.round_key_bits))
        assert {name: len(getattr(AES.key_schedule(key_bits), name)) for name in wanted} == wanted
