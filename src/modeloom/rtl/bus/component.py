# SPDX-License-Identifier: Apache-2.0
"""What all parts of the buses have in common: one set of sizes, from which their ports follow."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from amaranth.lib import wiring

from .parameters import BusParameters

__all__ = ["BusComponent"]


class BusComponent(wiring.Component):
    """A part of the buses of a core.

    Parameters
    ----------
    parameters : BusParameters
        Sizes of the core.
    """

    def __init__(self, parameters: BusParameters):
        self.parameters = parameters
        super().__init__(self.ports(parameters))

    @staticmethod
    @abstractmethod
    def ports(parameters: BusParameters) -> dict[str, Any]:
        """The members of the signature."""
