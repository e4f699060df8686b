# SPDX-License-Identifier: Apache-2.0
"""What ``modeloom explain`` says of data streams that are wider or narrower than those of the core."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from modeloom.spec.wording import many

if TYPE_CHECKING:
    from modeloom.product.description import Description

__all__ = ["at_width"]


def at_width(description: Description, bits: int) -> dict[str, object]:
    """The rates of a core with data streams of this width, and sentences that tell them.

    Raises ``InputError`` if the core has this width already.
    """
    from modeloom.cores.front.widths import WidthFrontEnd

    front = WidthFrontEnd(description, bits)
    words = []
    for bare, rate in zip(description.rates, front.rates, strict=True):
        cycles = many(rate.interval, "cycle")
        limit = "the core is the limit" if rate.interval == bare.interval else f"the streams are the limit: {bare.interval} without them"
        words.append(f"With {bits} bits of data a cycle, {cycles} for a {rate.what} of {rate.bytes} bytes ({limit}).")
    return {"bits": bits, "core_bits": 8 * front.core_bytes, "rates": [asdict(rate) for rate in front.rates], "words": words}
