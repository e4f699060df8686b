# SPDX-License-Identifier: Apache-2.0
"""The contract of a layer of a core for messages.

::

    outside ──▶ layer ──▶ layer inside ──▶ ... ──▶ MessageControl

What a layer does not say itself, the layer inside of it says.  ``control``, ``described``, ``texts`` and ``rules`` take what the layers
inside have made, and change it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from amaranth.lib import wiring

from modeloom.ciphers import CoreRequest
from modeloom.compiler.streams import CompiledStream
from modeloom.cycles import zeroize_cycles
from modeloom.interfaces import Interface
from modeloom.interfaces.table import CoreShape, Packing
from modeloom.layers.texts import Rules, Texts
from modeloom.product.messages import StreamDescription
from modeloom.rtl.stream.parameters import MessageParameters
from modeloom.rtl.stream.pipeline import TokenPipeline

if TYPE_CHECKING:
    from modeloom.layers.derived.deriver import DerivedParameters
    from modeloom.layers.stack import Stack

__all__ = ["Layer", "Sizes", "titles_around"]

class Sizes(CoreShape, Protocol):
    """The sizes of the buses of a core."""

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The interfaces of the core."""

    @property
    def most_commands(self) -> int:
        """Commands of a channel that the core takes without a status."""

    @property
    def most_packets(self) -> int:
        """Packets of a channel that the core takes without a status."""

    @property
    def erase_words(self) -> int:
        """The number of words of the deepest memory."""

    @property
    def flush(self) -> int:
        """The largest number of cycles that a value takes through registers without a reset."""


def titles_around(titles: Mapping[str, Sequence[str]], own: Mapping[str, str], inner: str = "messages") -> dict[str, Sequence[str]]:
    """The titles of a core that has something in front of another one: what it has of its own, and the others."""
    inside = {name.replace("bus", f"bus_{inner}", 1): title for name, title in titles.items() if name.startswith("bus")}
    others = {name: title for name, title in titles.items() if not name.startswith("bus")}
    return {**others, **inside, **{name: [title] for name, title in own.items()}}


class Layer:
    """A layer of a core for messages, or all of it.

    Parameters
    ----------
    inside : Layer
        The core without this layer and those around it.
    stack : Stack
        The whole core.
    """

    def __init__(self, inside: Layer, stack: Stack):
        self.inside, self.stack = inside, stack

    @staticmethod
    def chosen(compiled: CompiledStream) -> bool:
        """Whether a core has this layer."""
        raise NotImplementedError

    @property
    def compiled(self) -> CompiledStream:
        """The pipeline, with the options of the core."""
        return self.stack.compiled

    # -- sizes and hardware -----------------------------------------------------------------------------------------------------------

    def control(self, p: MessageParameters) -> MessageParameters:
        """The sizes of the message control with this layer.  Raises ``ValueError`` if they do not fit."""
        return p

    @property
    def sizes(self) -> Sizes:
        """The sizes of the buses.  Raises ``InputError`` if the buses do not fit the mode."""
        return self.inside.sizes

    @property
    def shape(self) -> CoreShape:
        """The figures on which the widths of ports depend."""
        return self.inside.shape

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """The interfaces of the core."""
        return self.inside.interfaces

    def bus(self, pipeline: TokenPipeline, schedules: Sequence[wiring.Component]) -> wiring.Component:
        """The buses around a pipeline."""
        return self.inside.bus(pipeline, schedules)

    @property
    def schedules(self) -> int:
        """Key schedules of the message control."""
        return self.inside.schedules

    @property
    def derivers(self) -> DerivedParameters | None:
        """The sizes of what derives keys in front of the message control."""
        return self.inside.derivers

    def deriver_ciphers(self) -> Sequence[wiring.Component]:
        """The ciphers of this part.  Each call makes new components."""
        return self.inside.deriver_ciphers()

    def requests(self) -> list[CoreRequest]:
        """The requests for all ciphers of the core."""
        return self.inside.requests()

    def titles(self) -> Mapping[str, Sequence[str]]:
        """The comments before the modules, by their names without the name of the core."""
        return self.inside.titles()

    @property
    def quiet(self) -> Sequence[str]:
        """Outputs that would be high while the buses are held in reset, or in the first cycle of it."""
        return self.inside.quiet

    # -- figures ----------------------------------------------------------------------------------------------------------------------

    @property
    def latency(self) -> int:
        """The number of cycles from the first beat of text in to the first beat out, for a message of one beat in an idle core; the
        largest, if it varies."""
        return self.inside.latency

    @property
    def begin_cycles(self) -> int:
        """The largest number of cycles from the one in which the first token of a message could enter to its first block of text."""
        return self.inside.begin_cycles

    @property
    def lead(self) -> int:
        """The number of cycles that a message waits for a start that runs ahead, if its command comes with its text."""
        return self.inside.lead

    @property
    def between(self) -> int:
        """The number of cycles of the step between text and associated data."""
        return self.inside.between

    @property
    def varies(self) -> bool:
        """Whether the latency is less for some messages."""
        return self.inside.varies

    @property
    def erase_cycles(self) -> int:
        """The number of cycles that a core takes to overwrite everything, after the last cycle with a reset or ``zeroize``."""
        return zeroize_cycles(self.sizes.erase_words, self.sizes.flush)

    @property
    def key_erase_cycles(self) -> int:
        """The number of cycles from the first beat of a packet that erases a slot until nothing of its key is left."""
        return self.inside.key_erase_cycles

    # -- what others say of it --------------------------------------------------------------------------------------------------------

    @property
    def verdicts(self) -> tuple[str, str]:
        """The names of the statuses of a message whose tag is right, and wrong."""
        return self.inside.verdicts

    def described(self, d: StreamDescription) -> StreamDescription:
        """``core.json`` with what this layer says of itself."""
        return d

    def texts(self, t: Texts, d: StreamDescription) -> Texts:
        """The datasheet of the core that ``core.json`` describes, with what is different with this layer."""
        return t

    def rules(self, r: Rules, command: Packing) -> Rules:
        """The assertions, with the places of the fields of a command."""
        return r
