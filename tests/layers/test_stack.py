# SPDX-License-Identifier: Apache-2.0
"""The stack of layers of a core for messages: which layers it has, and that a layer needs no other file."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.streamed import compiled

from modeloom import layers as stack
from modeloom.compiler.streams import CompiledStream
from modeloom.cores.of import core_of
from modeloom.layers import Layer, Stack
from modeloom.layers.control import MessageControl
from modeloom.layers.layer import Texts
from modeloom.product.messages import StreamDescription

ROUND = {"cipher_arch": "multistream", "streams": 1}
TINY = {"key_bits": 128, **ROUND}

STACKS = {
    ("gcm", ()): [],
    ("gcm", (("hold", 64),)): ["Hold"],
    ("gcm", (("packet", "wire"), ("hold", 64))): ["WirePackets", "Hold"],
    ("gcm", (("channels", 2),)): ["Channels"],
    ("gcm", (("keys", "inline"),)): ["OrderedKeys", "InlineKeys"],
    ("gcm", (*TINY.items(), ("keys", "expanded"))): ["ExpandedKeys"],
    ("gcm", (("interface", "lwc"),)): ["LwcInterface"],
    ("ccm", ()): ["LengthsFirst"],
    ("ocb3", ()): ["StartsAhead"],
    ("aes-otr", tuple(TINY.items())): ["Pairs", "Returning", "StartsAhead"],
    ("deoxys-i", (*ROUND.items(), ("order", "text-first"))): ["TextFirstPackets"],
    ("deoxys-ii", (*ROUND.items(), ("hold", 16))): ["Returning", "Hold", "TwoPasses"],
    ("deoxys-ii", (*ROUND.items(), ("message_buffer", 256))): ["Returning", "MessageStore"],
    ("gcm-siv", (*TINY.items(), ("keys", "inline"))): ["OrderedKeys", "InlineKeys", "SoftwareDerivation", "TwoPasses"],
    ("gcm-siv", (*TINY.items(), ("keys", "derived"), ("message_buffer", 64))): ["OrderedKeys", "KeyDerivation", "MessageStore"],
}
"""The layers of some cores around the message control, from the pipeline outwards."""


@pytest.mark.parametrize("core", STACKS, ids=str)
def test_layers_of_a_core(core: tuple[str, tuple[tuple[str, object], ...]]) -> None:
    mode, options = core
    made = Stack(compiled(mode, prove=False, **dict(options)))
    control, *layers = made.layers
    assert isinstance(control, MessageControl) and [type(layer).__name__ for layer in layers] == STACKS[core]
    assert made.top is made.layers[-1] and all(outer.inside is inner for inner, outer in zip(made.layers, layers, strict=False))


def test_every_layer_is_in_some_core() -> None:
    assert {name for names in STACKS.values() for name in names} == {kind.__name__ for kind in stack.LAYERS}


class Slow(Layer):
    """A layer that is in every core."""

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        return True

    @property
    def latency(self) -> int:
        return self.inside.latency + 7

    @property
    def varies(self) -> bool:
        return True

    def described(self, d: StreamDescription) -> StreamDescription:
        return replace(d, title="Slow")

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        return replace(t, latency_notes=(*t.latency_notes, "Seven of these cycles do nothing."))


@pytest.mark.parametrize("options", [{}, {"hold": 64}, {"interface": "lwc"}])
def test_a_layer_needs_no_other_file(options: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    before = core_of(compiled("gcm", prove=False, **options))
    monkeypatch.setattr(stack, "LAYERS", (Slow, *stack.LAYERS))
    core = core_of(compiled("gcm", prove=False, **options))
    d = core.describe("core", "modeloom")
    assert d.latency == before.describe("core", "modeloom").latency + 7 and d.title == "Slow" and core.ports == before.ports
    if "interface" not in options:
        # Behind the LWC interface, no sentence is about the latency.
        assert f"at most {d.latency}" in core.figures and "Seven of these cycles do nothing." in core.sheet(d).figures
