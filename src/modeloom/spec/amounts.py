# SPDX-License-Identifier: Apache-2.0
"""Small numbers that are known when a message comes, and by which a step moves or scales a block.

::

    number of the block ──▶ ntz ────────────┐
    nonce, lengths ──▶ block ──▶ last bits ─┴──▶ block << amount, block * x^amount
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["Amount"]

W = TypeVar("W")
"""How a graph names a block: by its node, or by its form."""


@dataclass(frozen=True)
class Amount(Generic[W]):
    """A number that is known when a message comes.

    Attributes
    ----------
    kind : str
        "index", the number of a block; "ntz", the number of its trailing zeros; or "bits", some bits of a block that the message gives.
    what : int or Form or None
        For "bits": the node of this block, or its form.
    bits : int
        Its width: it is less than 2^bits.
    plus : int
        What is added to it.
    """

    kind: str
    what: W | None = None
    bits: int = 0
    plus: int = 0
