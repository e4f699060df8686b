# SPDX-License-Identifier: Apache-2.0
"""The base class of the parts of the buses.  Each part has a set of sizes, from which its ports follow."""

from __future__ import annotations

from abc import abstractmethod
from typing import Generic, TypeVar

from amaranth.lib import wiring
from amaranth.lib.wiring import Member

__all__ = ["BusComponent"]

Sizes = TypeVar("Sizes")


class BusComponent(wiring.Component, Generic[Sizes]):
    """A part of the buses of a core.

    Parameters
    ----------
    parameters : Sizes
        The sizes that it needs to know.
    """

    def __init__(self, parameters: Sizes):
        self.parameters = parameters
        super().__init__(self.ports(parameters))

    @staticmethod
    @abstractmethod
    def ports(parameters: Sizes) -> dict[str, Member]:
        """The members of the signature of a part with these sizes."""
