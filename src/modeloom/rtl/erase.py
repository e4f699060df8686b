# SPDX-License-Identifier: Apache-2.0
"""What erases the memories of a core, word by word: one giver, and every memory listens.

::

    Zeroizer ── erase.we, erase.address ──┬──▶ input banks, banks of results, key memory, round keys
                                          └──▶ result buffer
"""

from __future__ import annotations

from amaranth.lib.wiring import Out, Signature

__all__ = ["erase_signature"]


def erase_signature(bits: int) -> Signature:
    """The erasure of memories, seen from who asks for it.

    Parameters
    ----------
    bits : int
        Width of ``address``.

    Members
    -------
    we : 1
        Zeros go to the word ``address`` of all memories. The parts that hold them are held in reset meanwhile.
    address : bits
        The word. Memories that have no such word do nothing.
    """
    return Signature({"we": Out(1), "address": Out(bits)})
