# SPDX-License-Identifier: Apache-2.0
"""The rule of the chains of a polynomial hash.

A hash of blocks runs in k chains, as a product takes several cycles, and with several blocks a cycle each lane has a multiplier. Blocks lie
in *slots*: as many to a token as there are lanes, and some of them empty, as text begins with a token of its own. Slot p is a step of
chain p mod k, an empty one too, with the key to the power of the full slots among k from this one on::

    y_j ← (y_j ⊕ x_p) · K^(full slots from p to p + k - 1)          j = p mod k

The hash is the sum of the last k products, or of all. Without empty slots the power is min(k, left), where ``left`` counts the blocks from
this one to the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Weight", "weights"]


@dataclass(frozen=True)
class Weight:
    """What a slot has to know.

    Attributes
    ----------
    power : int
        The power of the key that it is multiplied with.
    closing : bool
        Whether its product is a part of the hash.
    """

    power: int
    closing: bool


def weights(full: Sequence[bool], chains: int) -> list[Weight]:
    """The weights of the slots of a message, of which each is full or empty."""
    return [Weight(sum(full[place : place + chains]), place + chains >= len(full)) for place in range(len(full))]
