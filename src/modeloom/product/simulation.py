# SPDX-License-Identifier: Apache-2.0
"""The simulated core of a folder, for any kind of core."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from modeloom.product.description import Description
from modeloom.product.driven import DriveOptions
from modeloom.product.folder import other_kind, read_description
from modeloom.product.lwc import LwcDescription
from modeloom.product.messages import StreamDescription
from modeloom.product.sectors import SectorDescription
from modeloom.product.simulated import SimulatedCore
from modeloom.product.simulated_lwc import SimulatedLwcCore
from modeloom.product.simulated_messages import SimulatedStreamCore

__all__ = ["KINDS", "core", "message_core"]

KINDS: dict[type[Description], type[SimulatedCore] | type[SimulatedStreamCore] | type[SimulatedLwcCore]] = {
    SectorDescription: SimulatedCore, StreamDescription: SimulatedStreamCore, LwcDescription: SimulatedLwcCore,
}  # fmt: skip
"""The class that drives each kind of core."""


def core(directory: str | Path, **options: Unpack[DriveOptions]) -> SimulatedCore | SimulatedStreamCore | SimulatedLwcCore:
    """The simulated core of a folder that ``modeloom build`` wrote.  Raises ``InputError`` if it has no core of a known kind."""
    description = read_description(directory)
    kind = KINDS.get(type(description))
    if kind is None:
        raise other_kind(directory, description, "a core for sectors or for messages")
    return kind(directory, **options)


def message_core(directory: str | Path, **options: Unpack[DriveOptions]) -> SimulatedStreamCore | SimulatedLwcCore:
    """The same of a core for messages."""
    found = core(directory, **options)
    if isinstance(found, SimulatedCore):
        raise other_kind(directory, found.description, "a core for messages")
    return found
