# SPDX-License-Identifier: Apache-2.0
"""What is connected has one width: the parts of the buses with each other, with the engine, and with key schedules."""

from __future__ import annotations

from typing import Any

import pytest
from amaranth.hdl import Value
from amaranth.lib.wiring import Signature
from tests.rtl.bus.mock_engine import MockSchedule
from tests.rtl.bus.parameters import bus_sizes

from modeloom.ciphers import AES
from modeloom.rtl.bus.key_port import KeyPort, key_schedule_signature
from modeloom.rtl.bus.sector import BusParameters, CoreBus
from modeloom.rtl.bus.sector.command import CommandIntake
from modeloom.rtl.bus.sector.entry import EntryGate
from modeloom.rtl.bus.sector.flight import SlotsInFlight
from modeloom.rtl.bus.sector.intake import SectorIntake
from modeloom.rtl.bus.sector.ports import CODE_BITS, STATUS
from modeloom.rtl.bus.sector.ring import ResultRing
from modeloom.rtl.bus.sector.size import SizeGate
from modeloom.rtl.bus.status import StatusQueue

SIZES: dict[str, dict[str, Any]] = {
    "least": {"blocks": 1, "ring_sectors": 1},
    "two blocks": {"blocks": 2, "ring_sectors": 2, "key_slots": 2, "key_words": 1, "raw_words_after": 1},
    "lanes": {"blocks": 9, "ring_sectors": 3, "lanes": 4, "tweak_blocks": 2, "key_slots": 5, "key_words": 5},
    "several of all": {
        "blocks": 3, "ring_sectors": 6, "more_sizes": ((17, 3), (2, 0)), "cipher_keys": 2, "key_slots": 3, "key_words": 9,
        "derived_keys": ((1,),), "round_keys": 21, "round_key_bits": 64,
    },
}  # fmt: skip

OF_THE_ENGINE = {
    SectorIntake: ("fill_we", "fill_beat", "fill_data"),
    EntryGate: ("enter", "enter_ack"),
    ResultRing: ("out_we", "out_index", "out_ticket", "out_data", "done", "erase", "erase_address"),
    SlotsInFlight: ("done", "done_ticket"),
    SizeGate: ("size", "restart", "idle"),
    KeyPort: (
        "key_we", "key_slot", "key_index", "key_data", "rk_we", "rk_slot", "rk_key", "rk_round", "rk_data", "rk_data_dec", "setup",
        "setup_slot", "setup_scrub", "setup_done", "word_we", "word_index", "word_data",
    ),
}  # fmt: skip
"""Ports of parts that are the engine's, under the same name."""

SAME = (
    ((CommandIntake, "code"), (EntryGate, "command_code"), (EntryGate, "code"), (SectorIntake, "code"), (StatusQueue, "code")),
    ((CommandIntake, "slot"), (SlotsInFlight, "admit_slot"), (SlotsInFlight, "query"), (KeyPort, "query"), "enter_slot"),
    ((EntryGate, "ticket"), (ResultRing, "admit_ticket"), (SlotsInFlight, "admit_ticket"), "enter_ticket"),
    ((CommandIntake, "size"), (CommandIntake, "next_size"), (SizeGate, "command_size"), (SectorIntake, "size"), "size"),
    ((CommandIntake, "tweak"), "enter_tweak"),
    ((CommandIntake, "tag"), (StatusQueue, "tag")),
    ((CommandIntake, "key_loaded"), (KeyPort, "loaded")),
)
"""Ports of parts, and of the engine, that are connected or hold the same."""


FLAGS: dict[Any, tuple[str, ...]] = {
    CommandIntake: ("valid", "ok", "decrypt", "size_known", "next_valid", "next_size_known", "take"),
    EntryGate: (
        "command_valid", "command_ok", "packet_complete", "packet_ok", "packet_good", "command_take", "packet_take", "place",
        "room", "admit", "push", "enter", "enter_ack",
    ),
    SectorIntake: ("enter", "open", "complete", "ok", "good", "take", "admit"),
    SizeGate: ("command_valid", "command_size_known", "next_valid", "next_size_known", "admitted", "idle", "restart", "open"),
    SlotsInFlight: ("admit", "done", "busy"),
    ResultRing: ("admit", "place", "done", "erase", "delivered"),
    StatusQueue: ("push", "room", "delivered"),
    KeyPort: ("slot_busy", "busy", "error"),
}  # fmt: skip
"""Ports of one bit."""


def part_of(kind: Any, p: BusParameters) -> Any:
    """A part, with the sizes that it knows: those that other cores have too are told no more than they need."""
    return StatusQueue(4, STATUS, CODE_BITS) if kind is StatusQueue else kind(p.keys if kind is KeyPort else p)


def widths(port: Any) -> list[int]:
    """Bits of a port, or of each of an array of ports."""
    return [len(Value.cast(one)) for one in port] if isinstance(port, (list, tuple)) else [len(Value.cast(port))]


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_ports_of_parts(sizes: dict[str, Any]) -> None:
    p = bus_sizes(**sizes)
    schedule = MockSchedule(p.keys.cipher_key_bits)
    engine = CoreBus(p, schedule).engine
    for part, names in OF_THE_ENGINE.items():
        if part is SizeGate and len(p.sizes) == 1:
            continue
        for name in names:
            assert widths(getattr(part_of(part, p), name)) == widths(getattr(engine, name)), f"{part.__name__}.{name}"
    for ports in SAME:
        found = [widths(getattr(engine, port) if isinstance(port, str) else getattr(part_of(port[0], p), port[1])) for port in ports]
        assert found == [found[0]] * len(ports), ports
    for part, names in FLAGS.items():
        assert {name: widths(getattr(part_of(part, p), name)) for name in names} == dict.fromkeys(names, [1]), part


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
