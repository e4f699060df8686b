# SPDX-License-Identifier: Apache-2.0
"""The rule of the chains of a polynomial hash.

A product takes several cycles, so the hash runs in k chains.  With several blocks in a cycle, each lane has a multiplier.  Blocks
lie in *slots*.  A token has one slot for each lane.  Some slots are empty, because text begins with a new token.  Slot p is a step
of chain p mod k, even if the slot is empty.  The power of the key is the number of full slots among the k slots from this one on::

    y_j ← (y_j ⊕ x_p) · K^(full slots from p to p + k - 1)          j = p mod k

The hash is the sum of the last k products, or of all products if there are fewer.  Without empty slots the power is min(k, left),
where ``left`` is the number of blocks from this one to the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Weight", "weights"]


@dataclass(frozen=True)
class Weight:
    """The numbers that belong to a slot.

    Attributes
    ----------
    power : int
        The power of the key for its product.
    closing : bool
        Whether its product is a part of the hash.
    """

    power: int
    closing: bool


def weights(full: Sequence[bool], chains: int) -> list[Weight]:
    """The weights of the slots of a message.  ``full`` says for each slot whether it has a block."""
    return [Weight(sum(full[place : place + chains]), place + chains >= len(full)) for place in range(len(full))]
