# SPDX-License-Identifier: Apache-2.0
"""Cores that derive the keys of messages of master keys: what comes out, how fast, what is left, and faults that checks must find."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
from tests.built import slow
from tests.streamed import COMMAND, compiled, folder, simulated
from tests.verilog_edit import edit_module

import modeloom
from modeloom.cores.stream import StreamCore
from modeloom.emit import CheckFailed, emit
from modeloom.interfaces.messages import MessageCode
from modeloom.measure.traffic import find_mix, measure_traffic
from modeloom.product.message import Message
from modeloom.verification.steps import lint_step, timing_step
from modeloom.verification.stream.bounds import check_vectors
from modeloom.verification.stream.erasure import check_erasure, check_zeroize
from modeloom.verification.stream.host import StreamSubject
from modeloom.verification.stream.pace import check_pace
from modeloom.verification.stream.statuses import check_lengths, check_messages, check_reloads, check_statuses

SMALL: dict[str, Any] = {"cipher_stages": 1, "mul_stages": 1, "keys": "derived", "key_slots": 3}

CORES: dict[str, dict[str, Any]] = {
    "128": {**SMALL, "key_bits": 128},
    "all sizes": SMALL,
    "256, two blocks a cycle": {**SMALL, "key_bits": 256, "blocks_per_cycle": 2, "key_derivers": 3, "key_slots": 1},
    "held": {**SMALL, "key_bits": 128, "hold": 100, "key_slots": 2},
}
"""Cores with one size of keys and with two, with batches that are not full, with lanes, and with text that is held."""

few = partial(check_messages, wanted=200)
rounds = partial(check_reloads, rounds=8)


def test_round_cores() -> None:
    """As few as derive the longest key while the pipeline works on a message of 1 KB."""
    chosen = {name: compiled("gcm-siv", prove=False, **{**SMALL, **options}).derived for name, options in (
        ("128", {"key_bits": 128}), ("256", {"key_bits": 256}), ("all", {}), ("six", {"key_derivers": 6}),
    )}  # fmt: skip
    assert {name: (one.cores, one.cycles) for name, one in chosen.items() if one} == {
        "128": (1, 40), "256": (2, 42), "all": (2, 42), "six": (6, 14),
    }  # fmt: skip


def loaded(name: str, **more: Any) -> tuple[Any, list[bytes], Random]:
    """A core with keys in its slots."""
    core, rng = simulated("gcm-siv", prove=False, **CORES[name], **more), Random(8)
    sizes = core.description.key_sizes
    keys = [rng.randbytes(sizes[slot % len(sizes)]) for slot in range(core.description.key_slots)]
    for slot, key in enumerate(keys):
        core.load_key(key, slot)
    return core, keys, rng


@slow
@pytest.mark.parametrize("name", ["128", "all sizes", "256, two blocks a cycle"])
def test_messages(name: str) -> None:
    """Random messages of all slots back to back, in all three ways, as ``cryptography`` has them."""
    core, keys, rng = loaded(name)
    made = []
    for number in range(400):
        slot, nonce, header = rng.randrange(len(keys)), rng.randbytes(12), rng.randbytes(rng.choice((0, rng.randrange(40))))
        plain = rng.randbytes(rng.choice((0, 16, rng.randrange(300))))
        sealed = AESGCMSIV(keys[slot]).encrypt(nonce, plain, header)
        data, wanted = (sealed, plain) if number % 3 else (plain, sealed)
        made.append((Message(nonce, data, header, bool(number % 3), slot), wanted))
    assert core.run([message for message, _ in made]) == [wanted for _, wanted in made]
    with pytest.raises(modeloom.AuthenticationError):
        core.open(nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), header, slot=slot)
    core.erase_key(0)
    codes = [outcome.code for outcome in core.outcomes([Message(bytes(12), b"", slot=slot) for slot in range(len(keys))])]
    assert codes == [MessageCode.NO_KEY, *[MessageCode.OK] * (len(keys) - 1)]


@slow
def test_the_mix_of_gcm2008() -> None:
    """Keys do not hold up packets more than the tags of GCM-SIV do: the peak is that of keys that come with messages."""
    ours, theirs = (
        measure_traffic(simulated("gcm-siv", prove=False, **options), "", find_mix("gcm2008"), packets=150)
        for options in (CORES["128"], {**CORES["128"], "keys": "inline", "key_slots": 32})
    )
    assert ours["percent_of_peak"] >= theirs["percent_of_peak"] - 0.5


@slow
@pytest.mark.parametrize("name", CORES)
@pytest.mark.parametrize("check", [check_vectors, check_pace, check_statuses, rounds, check_erasure, check_zeroize, few])
def test_checks(name: str, check: Any) -> None:
    text, figures = check(StreamSubject(folder("gcm-siv", prove=False, **CORES[name]), optimize=1))
    # No vectors are published for keys of 256 bits.
    assert text.startswith("no published vector") or all(value for value in figures.values() if not isinstance(value, dict))


@slow
def test_lengths() -> None:
    assert check_lengths(StreamSubject(folder("gcm-siv", prove=False, **CORES["128"]), optimize=1))[0]


@slow
def test_no_control_depends_on_keys() -> None:
    place = folder("gcm-siv", prove=False, **CORES["all sizes"])
    assert lint_step(place).text and timing_step(place, StreamSubject(place, optimize=0).description).text


@slow
@pytest.mark.parametrize("fault", ["calls", "sums"])
def test_wrong_derivations_are_found(fault: str, tmp_path: Path) -> None:
    """The hardware is made of the derivation: with another order of calls or of blocks, the published vectors fail."""
    made = compiled("gcm-siv", prove=False, **CORES["128"])
    assert made.derived is not None
    one, = made.derived.derivations
    order = (1, 0, *range(2, one.calls))
    wrong = (
        replace(one, operands=tuple(one.operands[n] for n in order)) if fault == "calls"
        else replace(one, blocks=(*one.blocks[1:], one.blocks[0]))
    )
    emit(StreamCore(replace(made, derived=replace(made.derived, derivations=(wrong,)))), tmp_path / "core", command=COMMAND)
    with pytest.raises(CheckFailed, match="vector .* fails to (open|seal)"):
        check_vectors(StreamSubject(tmp_path / "core", optimize=0))


FAULTS: dict[str, tuple[str, str, str, Any, str]] = {
    "the last key is not dropped": ("deriver", r"assign drop = ", "assign drop = 1'h0 & ", check_erasure, "still depends on its old key"),
    "empty slots are not refused": ("deriver", r"assign good = ", "assign good = 1'h1 | ", check_statuses, "where NO_KEY is right"),
    "a slot is never in use": (
        "deriver_flight", r"busy <= begun_rdata_1 != done_rdata_1;", "busy <= 1'h0;", check_reloads,
        "WRONG_TAG where OK or NO_KEY is right|computes a wrong text or tag",
    ),
}  # fmt: skip
"""For each fault, the module of the Verilog and its edit, and the check that finds it with what this says."""


@slow
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_in_verilog_are_found(fault: str, tmp_path: Path) -> None:
    module, pattern, edited, check, message = FAULTS[fault]
    core = StreamCore(compiled("gcm-siv", prove=False, **CORES["128"]))
    description = emit(core, tmp_path / "core", command=COMMAND)
    verilog = tmp_path / "core" / description.verilog
    verilog.write_text(edit_module(verilog.read_text(), f"{description.top}_core_bus_{module}", pattern, edited))
    with pytest.raises(CheckFailed, match=message):
        check(StreamSubject(tmp_path / "core", optimize=0))
