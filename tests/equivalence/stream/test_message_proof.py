# SPDX-License-Identifier: Apache-2.0
"""Emitted cores for messages are proved to compute their plans; and one with a fault is refused, with the cycle, message and block."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.built import slow, slowly
from tests.equivalence.stream.beside_faults import BESIDE_FAULTS
from tests.equivalence.stream.front_faults import DERIVED, FRONT_FAULTS
from tests.equivalence.stream.inline_faults import INLINE_FAULTS
from tests.equivalence.stream.message_faults import FAULTS, STREAMS, MessageFault, faulty
from tests.equivalence.stream.order_faults import ORDER_FAULTS, TEXT_FIRST
from tests.equivalence.stream.pair_faults import PAIR_FAULTS
from tests.equivalence.stream.sum_faults import SUM_FAULTS
from tests.streamed import SMALL, compiled, folder

from modeloom.cores.stream import StreamCore
from modeloom.equivalence.stream import prove_messages
from modeloom.prove import ProofError

MORE: dict[str, tuple[str, dict[str, Any]]] = {
    "default options": ("gcm", {}),
    "two lanes": ("gcm", {**SMALL, "blocks_per_cycle": 2}),
    "four lanes": ("gcm", {**SMALL, "blocks_per_cycle": 4}),
    "held text": ("gcm", {**SMALL, "hold": 100}),
    "held text in lanes": ("gcm", {**SMALL, "hold": 64, "blocks_per_cycle": 4}),
    "expanded keys": ("gcm", {**SMALL, "keys": "expanded"}),
    "channels": ("gcm", {**SMALL, "channels": 3}),
    "channels and lanes": ("gcm", {**SMALL, "channels": 5, "blocks_per_cycle": 2}),
    "packets on the wire": ("gcm", {**SMALL, "packet": "wire"}),
    "packets on the wire in lanes, held": ("gcm", {**SMALL, "packet": "wire", "blocks_per_cycle": 2, "hold": 100}),
    "keys inline": ("gcm", {"keys": "inline"}),
    "keys inline, one key schedule": ("gcm", {**SMALL, "keys": "inline", "key_schedules": 1, "key_slots": 4}),
    "keys inline, a word a cycle": ("gcm", {**SMALL, "keys": "inline", "key_schedule": "word"}),
    "keys inline, all sizes, a word a cycle": ("gcm", {**SMALL, "keys": "inline", "key_schedule": "word", "key_bits": None}),
    "keys inline, lanes, held": ("gcm", {**SMALL, "keys": "inline", "blocks_per_cycle": 2, "hold": 100, "key_slots": 5}),
    "keys inline, no hash": ("no-hash", {"cipher_stages": 1, "key_slots": 3, "keys": "inline"}),
    "keys inline, blocks of 256 bits": ("wide-aead", {"key_slots": 4, "mul_stages": 1, "keys": "inline"}),
    "keys inline, packets on the wire": ("gcm", {**SMALL, "keys": "inline", "packet": "wire"}),
    "keys inline, packets on the wire in lanes, held": (
        "gcm", {**SMALL, "keys": "inline", "packet": "wire", "blocks_per_cycle": 2, "hold": 100, "key_slots": 4},
    ),
    "many slots": ("gcm", {**SMALL, "key_slots": 70}),
    "encryption alone": ("gcm", {**SMALL, "direction": "encrypt"}),
    "decryption alone": ("gcm", {**SMALL, "direction": "decrypt"}),
    "no register in the multiplier": ("gcm", {**SMALL, "mul_stages": 0}),
    "lut6": ("gcm", {**SMALL, "mul_arch": "lut6"}),
    "two streams": ("gcm", SMALL | STREAMS),
    "four streams, all key sizes": ("gcm", {**SMALL, **STREAMS, "streams": 4, "key_bits": None}),
    "one stream, channels": ("gcm", {**SMALL, **STREAMS, "streams": 1, "channels": 3}),
    "two streams, lanes": ("gcm", {**SMALL, **STREAMS, "blocks_per_cycle": 2}),
    "two streams, deciphering": ("deciphering", SMALL | STREAMS),
    "no hash": ("no-hash", {"cipher_stages": 1, "key_slots": 2}),
    "partial blocks": ("padded", SMALL),
    "partial blocks in lanes": ("padded", {**SMALL, "blocks_per_cycle": 4}),
    "deciphering": ("deciphering", {"cipher_stages": 1, "key_slots": 2, "blocks_per_cycle": 2}),
    "deciphering, one size": ("deciphering", SMALL),
    "tweaks, tags that follow": ("deoxys-i", {"cipher_stages": 1, "key_slots": 2}),
    "tweaks, encryption alone, channels": ("deoxys-i", {"cipher_stages": 1, "key_slots": 2, "direction": "encrypt", "channels": 2}),
    "tweaks, four streams": ("deoxys-i", {**STREAMS, "streams": 4, "key_slots": 2}),
    "ocb3, two streams": ("ocb3", SMALL | STREAMS),
    "tweaks in lanes": ("deoxys-i", {"cipher_stages": 1, "key_slots": 2, "blocks_per_cycle": 2}),
    "ocb3": ("ocb3", {}),
    "ocb3, one size": ("ocb3", SMALL),
    "ocb3 in lanes": ("ocb3", {**SMALL, "blocks_per_cycle": 2}),
    "ocb3 with channels": ("ocb3", {**SMALL, "channels": 3}),
    "ocb3 held": ("ocb3", {**SMALL, "hold": 100}),
    "ocb3 on the wire": ("ocb3", {**SMALL, "packet": "wire"}),
    "ocb3 on the wire, held": ("ocb3", {**SMALL, "packet": "wire", "hold": 100}),
    "ocb3 on the wire, opening alone": ("ocb3", {**SMALL, "packet": "wire", "direction": "decrypt"}),
    "ocb3, keys inline": ("ocb3", {**SMALL, "keys": "inline", "direction": "encrypt"}),
    "pairs": ("aes-otr", SMALL),
    "pairs held": ("aes-otr", {**SMALL, "hold": 100}),
    "pairs, keys inline": ("aes-otr", {**SMALL, "keys": "inline", "key_slots": None}),
    "pairs of blocks of 256 bits": ("braid", {"cipher_stages": 1, "key_slots": 2}),
    "blocks that return, without pairs": ("twice", SMALL),
    "starts that run ahead, blocks of 256 bits": ("ladder", {"key_slots": 2, "cipher_stages": 1}),
    "blocks of 256 bits": ("wide-aead", {"key_slots": 2, "mul_stages": 1}),
    "text first": ("deoxys-i", {**STREAMS, **TEXT_FIRST}),
    "text first, ocb3": ("ocb3", {**SMALL, **STREAMS, **TEXT_FIRST}),
    "text first, pairs": ("aes-otr", {**SMALL, **STREAMS, **TEXT_FIRST}),
    "text first, pipeline, held": ("ocb3", {**SMALL, **TEXT_FIRST, "hold": 64}),
    "derived keys": ("gcm-siv", {"key_bits": 128, **DERIVED}),
    "derived keys of 32 bytes, three ciphers": ("gcm-siv", {"key_bits": 256, **DERIVED, "key_derivers": 3}),
    "stored messages": ("deoxys-ii", {"cipher_arch": "multistream", "streams": 1, "key_slots": 2, "message_buffer": 256}),
    "stored messages, sealing alone": ("wide-twice", {"key_slots": 2, "mul_stages": 0, "message_buffer": 400, "direction": "encrypt"}),
    "stored messages with derived keys": ("gcm-siv", {"key_bits": 128, **DERIVED, "message_buffer": 256}),
}
"""What a core can have."""


def test_core() -> None:
    """The emitted Verilog is proved to compute the plan, for every number of blocks up to three times the chains."""
    core = StreamCore(compiled(**SMALL))
    report = prove_messages(folder(**SMALL), core.component)
    assert report.blocks > 20 * core.compiled.plan.chains and report.messages > 300 and report.cores == 2


QUICK = "packets on the wire"


@pytest.mark.parametrize("core", [QUICK, *slowly(*(name for name in MORE if name != QUICK))])
def test_more_cores(core: str) -> None:
    mode, options = MORE[core]
    made = StreamCore(compiled(mode, **options)).component
    assert prove_messages(folder(mode, **options), made).blocks > 200


EVERY = (*FAULTS, *INLINE_FAULTS, *BESIDE_FAULTS, *PAIR_FAULTS, *SUM_FAULTS, *FRONT_FAULTS, *ORDER_FAULTS)


@slow
@pytest.mark.parametrize("fault", EVERY, ids=[fault.what for fault in EVERY])
def test_faults_are_refused(fault: MessageFault, tmp_path: Path) -> None:
    """The proof refuses Verilog with a planted fault, and its message says what is wrong."""
    core = faulty(fault, tmp_path / "core")
    with pytest.raises(ProofError, match=fault.message):
        prove_messages(core, StreamCore(compiled(**{**SMALL, **fault.options})).component)
