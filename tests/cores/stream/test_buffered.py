# SPDX-License-Identifier: Apache-2.0
"""Cores with two passes that store messages to seal: what comes out, how fast, what is refused, what is left, and faults."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
from tests.built import slow
from tests.external import needs
from tests.streamed import COMMAND, compiled, folder, simulated
from tests.verilog_edit import edit_module

import modeloom_golden as golden
from modeloom.cores.stream import StreamCore
from modeloom.cores.stream.vectors import bench_vectors
from modeloom.emit import CheckFailed, emit, run_bench
from modeloom.interfaces.messages import MessageCode
from modeloom.layers import Stack
from modeloom.product.message import Message
from modeloom.verification.steps import lint_step, timing_step
from modeloom.verification.stream.bounds import check_vectors
from modeloom.verification.stream.erasure import check_erasure, check_zeroize
from modeloom.verification.stream.host import StreamSubject
from modeloom.verification.stream.pace import check_pace
from modeloom.verification.stream.statuses import check_lengths, check_messages, check_reloads, check_statuses

WIDE = "tests/streams/modes.py:WideTwice"
SMALL: dict[str, Any] = {"cipher_stages": 1, "message_buffer": 200}

CORES: dict[str, tuple[str, dict[str, Any]]] = {
    "wide": (WIDE, {**SMALL, "mul_stages": 0, "key_slots": 2}),
    "lanes": (WIDE, {**SMALL, "mul_stages": 0, "key_slots": 2, "blocks_per_cycle": 2}),
    "sealing alone": (WIDE, {**SMALL, "mul_stages": 0, "key_slots": 1, "direction": "encrypt"}),
    "deoxys-ii": ("deoxys-ii", {**SMALL, "key_slots": 2}),
    "gcm-siv": ("gcm-siv", {**SMALL, "key_bits": 128, "mul_stages": 1, "keys": "derived", "key_slots": 3, "message_buffer": 1536}),
}

few = partial(check_messages, wanted=200)
rounds = partial(check_reloads, rounds=6)


def test_sizes() -> None:
    """The limit is whole beats.  The memory has two messages, and what comes until the tag of a first pass is there."""
    p = Stack(compiled("deoxys-ii", prove=False, **CORES["deoxys-ii"][1])).top.sizes
    assert (p.most_beats, p.words, p.depth) == (13, 128, 32)


LATE: dict[str, Any] = {"cipher_arch": "multistream", "streams": 1, "key_slots": 2}
"""Options of a core whose tags come late, so that the bench sends long messages back to back."""


@pytest.mark.parametrize("nbytes", [1, 64, 256, 1 << 14])
def test_vectors_of_the_bench(nbytes: int) -> None:
    """A message to seal is refused exactly if it is longer than the core can store, whatever else is wrong with its packet."""
    made = compiled("deoxys-ii", prove=False, **LATE, message_buffer=nbytes)
    d = StreamCore(made).describe("core", "modeloom")
    limit, vectors = d.buffered_beats, bench_vectors(made, d)
    assert limit is not None
    (port,) = next(one for one in d.interfaces if one.member == "cmd").payload
    assert port.packing is not None
    commands = [(message, port.packing.unpack(message.command.pack(d))) for message in vectors.messages]
    # A command that is refused for what it says of the lengths has the code of that, whatever its packet.
    sealed = [message for message, said in commands if not said["decrypt"] and said["associated"] <= d.most_associated]
    for message in sealed:
        if message.wanted.code < MessageCode.NO_KEY:
            assert (len(message.beats) > limit) == (message.wanted.code == MessageCode.TOO_LONG_TO_HOLD)
    # The longest one has a result, unless the bench would grow with it.
    assert limit > 64 or any(len(message.beats) == limit and message.wanted.code == MessageCode.OK for message in sealed)
    # Those back to back have results.
    burst = vectors.messages[vectors.phases["empty"] : vectors.phases["burst"]]
    assert {message.wanted.code for message in burst} == {MessageCode.OK}


@needs("iverilog")
def test_the_bench() -> None:
    assert run_bench(folder("deoxys-ii", prove=False, **LATE, message_buffer=64))["messages"] > 200


@slow
@needs("iverilog")
@pytest.mark.parametrize("mode, options", [
    (WIDE, {**CORES["wide"][1], "message_buffer": 16}), CORES["lanes"], CORES["sealing alone"], CORES["deoxys-ii"],
    ("deoxys-ii", {**LATE, "streams": 2, "message_buffer": 256}), ("gcm-siv", {**CORES["gcm-siv"][1], "message_buffer": 64}),
])  # fmt: skip
def test_the_bench_of_other_options(mode: str, options: dict[str, Any]) -> None:
    assert run_bench(folder(mode, prove=False, **options))


@slow
@pytest.mark.parametrize("name", ["deoxys-ii", "gcm-siv"])
def test_messages(name: str) -> None:
    """Messages are sealed with one command and one packet.  One that is too long is refused, and the next one is sealed."""
    mode, options = CORES[name]
    core, rng = simulated(mode, prove=False, **options), Random(6)
    d = core.description
    keys = [rng.randbytes(16) for _ in range(d.key_slots)]
    for slot, key in enumerate(keys):
        core.load_key(key, slot)

    def sealed(slot: int, nonce: bytes, plain: bytes, header: bytes) -> bytes:
        if name == "gcm-siv":
            return AESGCMSIV(keys[slot]).encrypt(nonce, plain, header)
        return golden.DeoxysII(keys[slot]).seal(nonce, plain, header)

    made = []
    for number in range(150):
        slot, nonce, header = rng.randrange(len(keys)), rng.randbytes(d.nonces[0]), rng.randbytes(rng.choice((0, 7, 16)))
        plain = rng.randbytes(rng.choice((0, 16, rng.randrange(180))))
        whole = sealed(slot, nonce, plain, header)
        data, wanted = (whole, plain) if number % 4 == 3 else (plain, whole)
        made.append((Message(nonce, data, header, number % 4 == 3, slot), wanted))
    assert core.run([message for message, _ in made]) == [wanted for _, wanted in made]
    assert d.buffered_bytes is not None
    nonce, limit = bytes(d.nonces[0]), d.buffered_bytes
    outcomes = core.outcomes([Message(nonce, bytes(nbytes)) for nbytes in (limit, limit + 1, 5 * limit, limit)])
    long = MessageCode.TOO_LONG_TO_HOLD
    assert [outcome.code for outcome in outcomes] == [MessageCode.OK, long, long, MessageCode.OK]
    whole = sealed(0, nonce, bytes(limit), b"")
    assert [outcome.text + outcome.tag for outcome in outcomes] == [whole, b"", b"", whole]
    # A message to open has no limit.
    assert core.open(nonce, sealed(0, nonce, bytes(3 * limit), b"")) == bytes(3 * limit)


@slow
def test_a_message_is_refused_while_another_one_begins() -> None:
    """The beats of the one are skipped, and the other one has all of its own: with these lengths both are in one cycle."""
    mode, options = CORES["sealing alone"]
    core = simulated(mode, prove=False, **{**options, "key_slots": 2, "message_buffer": 400})
    core.load_key(bytes(range(core.description.key_bytes)))
    lengths = [(0, 0), (17, 15), (12, 20), (160, 256), (473, 0), (22, 10), (256, 1), (30, 2), (18, 14), (15, 17)]
    outcomes = core.outcomes([Message(bytes(core.description.nonces[0]), bytes(text), bytes(header)) for header, text in lengths])
    assert core.description.buffered_beats is not None
    beats = [-(-header // core.beat_bytes) - (-text // core.beat_bytes) for header, text in lengths]
    long = [MessageCode.TOO_LONG_TO_HOLD if each > core.description.buffered_beats else MessageCode.OK for each in beats]
    assert [outcome.code for outcome in outcomes] == long


@slow
def test_a_host_that_pauses_holds_up_no_other_message() -> None:
    """The beginning of a packet does not keep the message before it from being sealed."""
    mode, options = CORES["deoxys-ii"]
    core = simulated(mode, prove=False, **options)
    core.load_key(bytes(16))
    core.send(Message(bytes(15), bytes(100)))
    # The first beats of a packet come, and the last one does not.
    pieces = core.pieces(Message(bytes(15), b""), iter([bytes(32), bytes(16), bytes(5)]), text=53)
    next(pieces)
    core.runner.run(max_cycles=1000)
    assert core.runner.take("m_axis_status").count == 1


@slow
@pytest.mark.parametrize("name", CORES)
@pytest.mark.parametrize("check", [check_vectors, check_pace, check_statuses, rounds, check_erasure, check_zeroize, few])
def test_checks(name: str, check: Any) -> None:
    mode, options = CORES[name]
    text, figures = check(StreamSubject(folder(mode, prove=False, **options), optimize=1))
    assert text and (check is check_vectors or all(value for value in figures.values()))


@slow
def test_lengths() -> None:
    mode, options = CORES["deoxys-ii"]
    assert check_lengths(StreamSubject(folder(mode, prove=False, **options), optimize=1))[0]


@slow
def test_no_control_depends_on_data() -> None:
    mode, options = CORES["deoxys-ii"]
    place = folder(mode, prove=False, **options)
    assert lint_step(place).text and timing_step(place, StreamSubject(place, optimize=0).description).text


FAULTS: dict[str, tuple[str, str, str, Any]] = {
    "first passes are not told apart": ("buffer", r"assign of_first = ", "assign of_first = 1'h0 & ", few),
    "beats are read at the wrong place": ("buffer_feeder", r"assign place = of_second_reg \?", "assign place = ~of_second_reg ?", few),
    "long messages are not cut off": ("buffer", r"assign too_long = ", "assign too_long = 1'h0 & ", check_statuses),
}
"""Edits of the Verilog of the buffer, and the check that finds each."""


@slow
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_found(fault: str, tmp_path: Path) -> None:
    part, pattern, edited, check = FAULTS[fault]
    mode, options = CORES["wide"]
    description = emit(StreamCore(compiled(mode, prove=False, **options)), tmp_path / "core", command=COMMAND)
    verilog = tmp_path / "core" / description.verilog
    verilog.write_text(edit_module(verilog.read_text(), f"{description.top}_core_bus_{part}", pattern, edited))
    with pytest.raises(CheckFailed):
        check(StreamSubject(tmp_path / "core", optimize=0))
