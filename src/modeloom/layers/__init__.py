# SPDX-License-Identifier: Apache-2.0
"""A core for messages is a stack of layers around a pipeline.  Each layer says all about itself; the others know the contract alone.

::

    MessageStore   stores messages to seal            ┐
    KeyDerivation  derives the keys of messages       │  each shows another interface, or other figures, or other sentences,
    Hold           holds text until its tag was right │  than what is inside of it, and passes the rest on
    ...                                               ┘
    MessageControl the message control around the pipeline of the mode

``layer`` is the contract, and ``Stack`` puts the layers of a core together.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from modeloom.compiler.streams import CompiledStream
from modeloom.interfaces.table import Packing
from modeloom.layers.buffer import MessageStore
from modeloom.layers.control import BatchedControl, Channels, LengthsFirst, MessageControl, Pairs, Returning, StartsAhead
from modeloom.layers.derived import KeyDerivation, SoftwareDerivation
from modeloom.layers.expanded import ExpandedKeys
from modeloom.layers.hold import Hold
from modeloom.layers.inline import InlineKeys, OrderedKeys
from modeloom.layers.layer import Layer, Rules, Texts
from modeloom.layers.lwc import LwcInterface
from modeloom.layers.text_first import TextFirstPackets
from modeloom.layers.two_passes import TwoPasses
from modeloom.layers.wire import WirePackets
from modeloom.product.messages import StreamDescription
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.spec import InputError

__all__ = ["LAYERS", "Layer", "Stack"]


# -- stack -------------------------------------------------------------------------------------------------------------------------------

# The layers of a core, from the pipeline outwards.

LAYERS: tuple[type[Layer], ...] = (
    Channels, Pairs, LengthsFirst, Returning, StartsAhead, ExpandedKeys, OrderedKeys, InlineKeys, SoftwareDerivation, TextFirstPackets,
    WirePackets, Hold, TwoPasses, KeyDerivation, MessageStore, LwcInterface,
)  # fmt: skip
"""All layers, in their order around the message control."""


class Stack:
    """The layers of a core.

    Parameters
    ----------
    compiled : CompiledStream
        The pipeline, with the options of the core.
    parameters : MessageParameters, optional
        The sizes of the message control, for tests.  The default is what the layers ask for.

    Attributes
    ----------
    layers : tuple of Layer
        The message control, and the layers around it.
    top : Layer
        The whole core.
    """

    def __init__(self, compiled: CompiledStream, parameters: MessageParameters | None = None):
        self.compiled, self._given = compiled, parameters
        self.inmost = BatchedControl(self) if BatchedControl.chosen(compiled) else MessageControl(self)
        self.top: Layer = self.inmost
        layers: list[Layer] = [self.top]
        for kind in LAYERS:
            if kind.chosen(compiled):
                self.top = kind(self.top, self)
                layers.append(self.top)
        self.layers = tuple(layers)

    @cached_property
    def parameters(self) -> MessageParameters:
        """The sizes of the message control.  Raises ``InputError`` if they do not fit the mode."""
        if self._given is not None:
            return self._given
        try:
            p = MessageControl.parameters(self.compiled)
            for layer in self.layers:
                p = layer.control(p)
        except ValueError as error:
            raise InputError(f"{self.compiled.mode.name}: the buses of a core do not fit this mode: {error}") from error
        return p

    def described(self, d: StreamDescription) -> StreamDescription:
        """``core.json`` with what each layer says of itself."""
        for layer in self.layers:
            d = layer.described(d)
        return d

    @property
    def unverified(self) -> str:
        """The warning for users of a core that releases text before it verifies the tag."""
        good, bad = self.top.verdicts
        return (
            "This core outputs plaintext before it verifies the tag. Do not use the text of a message before its status is "
            f"{good}. Discard it if the status is {bad}."
        )

    def texts(self, d: StreamDescription) -> Texts:
        """The datasheet of the core that ``core.json`` describes."""
        t = self.inmost.texts_of(d)
        for layer in self.layers:
            t = layer.texts(t, d)
        return t

    def rules(self, command: Packing) -> Rules:
        """The assertions, with the places of the fields of a command."""
        r = self.inmost.rules_of()
        for layer in self.layers:
            r = layer.rules(r, command)
        return r

    def bench(self, words: Mapping[str, str], d: StreamDescription, places: Mapping[str, object]) -> Mapping[str, str]:
        """What the bench in SystemVerilog says of the ends of packets, with the places of fields."""
        for layer in self.layers:
            words = layer.bench(words, d, places)
        return words
