# SPDX-License-Identifier: Apache-2.0
"""The buffers at ports for packets and statuses: a ``RegisterSlice``, or a ``MemorySlice`` where area counts.

A core with a cadence has one round of its cipher, and the registers at its ports would be a large part of it.  In a memory, a bit
takes less than a LUT, instead of two registers and a multiplexer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module, ShapeLike

from modeloom.rtl.bus.register_slice import MemorySlice, RegisterSlice
from modeloom.rtl.stream.parameters import MessageParameters

__all__ = ["port_slice"]


def port_slice(
    m: Module, p: MessageParameters, shape: ShapeLike, whole: Any, blanks: Sequence[slice] = ()
) -> RegisterSlice | MemorySlice:
    """A buffer of two payloads for a port.

    Parameters
    ----------
    m : Module
        Receives the connections of the buffer.
    p : MessageParameters
    shape : ShapeLike
        The shape of a payload.
    whole : component
        What the port belongs to.  Its members ``erase`` and ``erase_address`` have the buffer overwritten with what is on its input.
    blanks : sequence of slice
        Bits that a ``RegisterSlice`` may take as zeros.
    """
    if p.plan.cadence is None:
        return RegisterSlice(shape, blanks=blanks)
    slice_ = MemorySlice(shape)
    m.d.comb += [slice_.erase.eq(whole.erase), slice_.erase_address.eq(whole.erase_address[0])]
    return slice_
