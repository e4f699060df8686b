# SPDX-License-Identifier: Apache-2.0
"""Small numbers that are known when a message comes, and by which a step moves or scales a block.

::

    number of the block ──▶ ntz ────────────┐
    nonce, lengths ──▶ block ──▶ last bits ─┴──▶ block << amount, block * x^amount
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Amount"]


@dataclass(frozen=True)
class Amount:
    """A number that is known when a message comes.

    Attributes
    ----------
    kind : str
        "index", the number of a block; "ntz", the number of its trailing zeros; or "bits", some bits of a block that the message gives.
    what : Any
        For "bits": the node of this block, or its form.
    bits : int
        Its width: it is less than 2^bits.
    plus : int
        What is added to it.
    """

    kind: str
    what: Any = None
    bits: int = 0
    plus: int = 0
