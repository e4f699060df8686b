# SPDX-License-Identifier: Apache-2.0
"""The buses of the LWC interface in the diagram of the HTML datasheet."""

from __future__ import annotations

from collections.abc import Sequence

from modeloom.cores.stream.page import Around
from modeloom.product.page import Box

__all__ = ["LwcAround"]


class LwcAround(Around):
    """PDI brings commands and data, SDI brings keys, and DO takes text, tags and statuses."""

    def command(self) -> Sequence[Box]:
        """PDI, whose instructions and headers become commands."""
        return (Box("bus", "pdi", "instructions, segments"), Box("control", "parser", "commands", "instructions and headers of segments"))

    def data(self) -> Sequence[Box]:
        """PDI, whose words become blocks."""
        return (Box("bus", "pdi", "segments"), Box("control", "assembler", "words to blocks"), *self.stored())

    def keys(self) -> Sequence[Box]:
        """SDI."""
        return (Box("bus", "sdi", "keys"), Box("control", "loader, key schedule", "two slots by turns"))

    def text(self) -> Sequence[Box]:
        """DO."""
        held = [box for box in super().text() if box.kind == "storage"]
        return (*held, Box("control", "writer", "blocks to words"), Box("bus", "do", "segments"))

    def status(self) -> Sequence[Box]:
        """DO."""
        return (Box("control", "writer", "tags, statuses"), Box("bus", "do", "segments"))
