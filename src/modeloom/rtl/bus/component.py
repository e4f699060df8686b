# SPDX-License-Identifier: Apache-2.0
"""What the parts of the buses have in common: a set of sizes, from which their ports follow."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Generic, TypeVar

from amaranth.lib import wiring

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
    def ports(parameters: Any) -> dict[str, Any]:
        """The members of the signature."""
