# SPDX-License-Identifier: Apache-2.0
"""Every built-in message mode is proved to open what it seals; definitions that do not are refused, with the line."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.streams import broken_opens
from tests.streams.broken_opens import BROKEN, RIGHT, CarryBehind32Bits, OneMoreZero, TwoThatBelongTogether

import modeloom
from modeloom.compiler.streams import compile_stream
from modeloom.definition import opened
from modeloom.definition import opened as message_check
from modeloom.definition.opened import checked_inverse
from modeloom.modes import STREAMS
from modeloom.modes.gcm import GCM
from modeloom.options.messages import USUAL
from modeloom.spec import DefinitionError
from modeloom.spec.stream import StreamMode
from modeloom.streams.prove_open import PartOfText, parts_of_text, prove_open, prove_short, short_messages
from modeloom.streams.trace import trace_stream


@pytest.mark.parametrize("mode", STREAMS, ids=lambda mode: mode.name)
def test_every_mode_is_proved(mode: type[StreamMode]) -> None:
    """From any state, with the part of a text of every length; and short messages as a whole."""
    for bits in mode.cipher_key_bits or (128, 256):
        assert prove_open(mode(), trace_stream(mode(), bits // 8)) is None
    assert prove_short(mode(), trace_stream(mode(), 16)) is None


def test_all_parts_and_classes_of_messages_are_compared() -> None:
    for mode in STREAMS:
        size, parts = mode.block_bytes, list(parts_of_text(mode()))
        lengths = {size * (part.blocks - 1) + part.nbytes for part in parts if part.last}
        assert lengths == set(range(1, size * mode.text_blocks + 1)) and PartOfText(mode.text_blocks, size, False) in parts
        messages = list(short_messages(mode()))
        assert {message.nonce for message in messages} == {nbytes for lengths in mode.nonce_bytes for nbytes in lengths}
        assert {message.tag for message in messages} == set(mode.tag_bytes)
        assert {(message.text > size * mode.text_blocks, message.associated > size) for message in messages} == {
            (False, False), (False, True), (True, False), (True, True),
        }  # fmt: skip


@pytest.mark.parametrize(("mode", "words"), BROKEN, ids=lambda each: getattr(each, "__name__", None))
def test_a_wrong_definition_is_refused(mode: type[StreamMode], words: str) -> None:
    """The induction doubts it, and values refuse it in one line with the step and the line of the definition."""
    traced = trace_stream(mode(), 16)
    assert prove_open(mode(), traced) is not None and prove_short(mode(), traced) is not None
    with pytest.raises(DefinitionError) as caught:
        checked_inverse(mode(), 16)
    message = str(caught.value)
    assert message.startswith(f"{mode.name}: ") and "\n" not in message and "() makes it in " in message, message
    lines = Path(broken_opens.__file__).read_text(encoding="utf-8").splitlines()
    named = [lines[int(number) - 1] for number in re.findall(r"in broken_opens\.py, line (\d+)", message)]
    assert any(words in line for line in named), message


@pytest.mark.parametrize("direction", ["encrypt", "decrypt", "both"])
def test_the_compiler_refuses_it_whichever_directions_are_built(direction: str) -> None:
    with pytest.raises(DefinitionError, match="^ocb3: decrypt does not invert encrypt"):
        compile_stream(OneMoreZero(), replace(USUAL, direction=direction))


def test_explain_says_it() -> None:
    figures = compile_stream(TwoThatBelongTogether(), replace(USUAL, key_bits=128, cipher_stages=1)).explain()
    assert figures["inverse"] == "tested" and figures["proved"] and figures["warnings"] == []
    assert compile_stream(GCM(), replace(USUAL, key_bits=128), prove=False).explain()["inverse"] == "not checked"


@pytest.mark.parametrize(("mode", "said"), RIGHT, ids=lambda each: getattr(each, "__name__", None))
def test_right_definitions_pass(mode: type[StreamMode], said: str) -> None:
    assert checked_inverse(mode(), 16) == said


def test_the_model_of_a_users_definition_is_checked() -> None:
    """A wrong definition in a file has no model, and a right one has."""
    file = broken_opens.__file__
    with pytest.raises(DefinitionError, match="^gcm: decrypt does not invert encrypt: block 0 of a message of "):
        modeloom.model(f"{file}:CounterBy2", bytes(16))
    model = modeloom.model(f"{file}:OwnOfSealing", bytes(16))
    assert model.open(bytes(12), model.seal(bytes(12), b"text", b"ad"), b"ad") == b"text"


def test_values_alone_do_not_decide_what_no_message_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the steps from chosen states, a carry that no message reaches would only be tested."""
    monkeypatch.setattr(opened, "_check_steps", lambda model, trace: None)
    monkeypatch.setattr(message_check, "_CHECKED", {})
    assert checked_inverse(CarryBehind32Bits(), 16) == "tested"


def test_a_step_must_do_on_numbers_what_its_trace_does() -> None:
    class LooksAtTheType(GCM):
        def encrypt(self, o, k, s, p):
            s, c = super().encrypt(o, k, s, p)
            return s.replace(y=s.y ^ o.const(1)) if isinstance(p, int) else s, c

    class LooksAtStart(GCM):
        def start(self, o, k, nonce):
            s = super().start(o, k, nonce)
            return s.replace(mask=s.mask ^ o.const(1)) if isinstance(nonce.block, int) else s

    class LooksAtTag(GCM):
        def tag(self, o, k, s, n):
            return super().tag(o, k, s, n) ^ o.const(isinstance(s.y, int))

    wrong = {LooksAtTheType: "the state y of encrypt", LooksAtStart: "the state mask of start", LooksAtTag: "the tag of tag"}
    for mode, what in wrong.items():
        with pytest.raises(DefinitionError, match=rf"^gcm: {what}\(\) differs when the definition runs on numbers"):
            checked_inverse(mode(), 16)
