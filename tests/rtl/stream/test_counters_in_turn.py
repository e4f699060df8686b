# SPDX-License-Identifier: Apache-2.0
"""Counters of associated data and text that share a register: which do, and messages in which the second one must begin anew."""

from __future__ import annotations

from typing import Any

import pytest
from amaranth.hdl import Value
from tests.built import slow
from tests.streamed import compiled

import modeloom
from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.cores.stream import StreamCore
from modeloom.definition.messages import StreamModel
from modeloom.emit import emit
from modeloom.modes.deoxys_i import DeoxysI
from modeloom.rtl.stream import values
from modeloom.rtl.stream.long_counter import counters_in_turn
from modeloom.rtl.stream.state import TurnValues

ROUND: dict[str, Any] = {"cipher_arch": "multistream", "streams": 4}


def bits(first: int, behind: int) -> int:
    """The bits of bytes of a block."""
    return (1 << 8 * behind) - (1 << 8 * first)


class FromNonce(DeoxysI):
    """The number of a block of associated data begins with a byte of the nonce."""

    name = "from-nonce"

    def start(self, o: Any, k: Any, nonce: Any) -> Any:
        state = super().start(o, k, nonce)
        return state.replace(associated=o.shift(nonce.block, -120) ^ o.const(0x20))


class FromOne(DeoxysI):
    """The number of a block of associated data begins with 1."""

    name = "from-one"

    def start(self, o: Any, k: Any, nonce: Any) -> Any:
        return super().start(o, k, nonce).replace(associated=o.const(0x20 | 1 << 120))


class Watched(DeoxysI):
    """The tag depends on how many blocks of associated data there are."""

    name = "watched"

    def tag(self, o: Any, k: Any, s: Any, n: Any) -> Any:
        return super().tag(o, k, s, n) ^ s.associated


class ByTwo(DeoxysI):
    """Blocks of associated data are numbered with even numbers."""

    name = "by-two"

    def associated(self, o: Any, k: Any, s: Any, a: Any) -> Any:
        return s.replace(associated=o.add64(s.associated, 2), auth=s.auth ^ o.tenc(a, s.associated))


def found(mode: DeoxysI, contexts: int = 1) -> Any:
    return counters_in_turn(compile_stream(mode, StreamOptions(**ROUND), prove=False).plan, contexts)


def test_counters_of_deoxys() -> None:
    """The nonce is moved by four bits, so half a byte of the counter begins with a part of it."""
    turns = found(DeoxysI())
    assert (turns.first, turns.second, turns.begins) == ("associated", "tweak", 0)
    assert turns.counted == bits(8, 16) and turns.shared == bits(8, 16) & ~(0xF0 << 64)


def test_bits_that_begin_with_a_nonce_are_not_shared() -> None:
    """The last byte has the first byte of the nonce."""
    assert found(FromNonce()).shared == bits(8, 15) & ~(0xF0 << 64)


def test_other_first_values_are_shared() -> None:
    """The second counter alone has to begin anew, so the first values may differ."""
    assert found(FromOne()).shared == found(DeoxysI()).shared


@pytest.mark.parametrize("mode", [Watched(), ByTwo()], ids=["read by the tag", "other steps"])
def test_counters_that_are_not_shared(mode: DeoxysI) -> None:
    assert found(mode) is None


def test_cores_that_share_nothing() -> None:
    """Interleaved messages; a tag that follows its message; a mode with one counter."""
    assert found(DeoxysI(), contexts=2) is None
    assert counters_in_turn(compiled("deoxys-i", prove=False, cipher_stages=1).plan, 1) is None
    assert counters_in_turn(compiled("gcm", prove=False, key_bits=128, **ROUND).plan, 1) is None


def wrong_tags(tmp_path: Any, mode: DeoxysI) -> list[tuple[int, int]]:
    """The lengths of associated data and text for which a simulated core seals wrongly, in a run of messages behind each other."""
    options = StreamOptions(cipher_arch="multistream", streams=1, key_slots=1, direction="encrypt")
    emit(StreamCore(compile_stream(mode, options, prove=False)), tmp_path / "core", command="modeloom build (tests)")
    core, key = modeloom.core(tmp_path / "core"), bytes(range(16))
    core.load_key(key)
    lengths = [(0, 0), (40, 0), (0, 40), (16, 16), (16, 0), (5, 0), (5, 5), (48, 33), (0, 7), (64, 64)]
    sealed = [core.seal(bytes([n] * 8), bytes(text), bytes(associated)) for n, (associated, text) in enumerate(lengths)]
    model = StreamModel(mode, key)
    return [
        each for n, each in enumerate(lengths)
        if sealed[n] != model.seal(bytes([n] * 8), bytes(each[1]), bytes(each[0]))
    ]  # fmt: skip


@slow
@pytest.mark.parametrize("mode", [FromNonce(), FromOne()], ids=lambda mode: mode.name)
def test_messages(tmp_path: Any, mode: DeoxysI) -> None:
    """With and without associated data and text, one behind the other."""
    assert wrong_tags(tmp_path, mode) == []


@slow
def test_a_counter_that_does_not_begin_anew_is_seen(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TurnValues, "turn_begun", lambda self, register: register)
    assert wrong_tags(tmp_path, DeoxysI()) == [(40, 0), (16, 16), (16, 0), (48, 33), (64, 64)]


@slow
def test_a_counter_without_its_first_value_is_seen(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bits that begin with a nonce, taken for constants."""

    def all_bits(plan: Any, contexts: int) -> Any:
        from dataclasses import replace

        turns = counters_in_turn(plan, contexts)
        return replace(turns, shared=turns.counted) if turns else None

    monkeypatch.setattr(values, "counters_in_turn", all_bits)
    assert wrong_tags(tmp_path, DeoxysI())


@slow
def test_a_register_that_only_text_writes_is_seen(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of associated data all have the same number."""
    right = TurnValues._turn_kinds

    def text_alone(self: TurnValues, chosen: Any) -> list[Value]:
        return right(self, lambda step: chosen(step) and not step.name.endswith("associated"))

    monkeypatch.setattr(TurnValues, "_turn_kinds", text_alone)
    assert wrong_tags(tmp_path, DeoxysI())
