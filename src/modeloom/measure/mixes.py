# SPDX-License-Identifier: Apache-2.0
"""Mixes of packets: the sizes of packets, and the share of each size.

A mix has a name or comes from a file::

    gcm2008     1500 bytes: 12 of 20     576: 4     552: 3     44: 1
    a file      a line for each size: bytes, share, and bytes of associated data if they differ from the command line
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from modeloom.spec import InputError, UnknownName

__all__ = ["MIXES", "Mix", "Size", "find_mix"]

MOST_BYTES = 1 << 24
"""Largest number of bytes of a packet in a file."""


@dataclass(frozen=True)
class Size:
    """Packets of one size.

    Attributes
    ----------
    nbytes : int
        Number of bytes of a packet, which are those of associated data and text together.
    share : int
        Number of packets of this size in a round.
    associated : int or None
        Number of bytes of associated data, or None for the number on the command line.
    """

    nbytes: int
    share: int
    associated: int | None = None


@dataclass(frozen=True)
class Mix:
    """Sizes of packets.

    Attributes
    ----------
    name : str
        The name of the mix, or the path of its file.
    sizes : tuple of Size
        The sizes with their shares.
    source : str
        The publication or the file that the shares come from.
    """

    name: str
    sizes: tuple[Size, ...]
    source: str

    @property
    def round(self) -> int:
        """The number of packets after which the shares are exact."""
        return sum(size.share for size in self.sizes)

    def packets(self, count: int, rng: random.Random) -> Iterator[Size]:
        """The sizes of ``count`` packets.  In every round the shares are exact, and the order is random."""
        deck: list[Size] = []
        for _ in range(count):
            if not deck:
                deck = [size for size in self.sizes for _ in range(size.share)]
                rng.shuffle(deck)
            yield deck.pop()


MIXES = {
    mix.name: mix
    for mix in (
        Mix(
            "gcm2008", (Size(1500, 12), Size(576, 4), Size(552, 3), Size(44, 1)),
            "gcm2008, section 4.4: the Internet Performance Index of McGrew and Viega",
        ),
        Mix("imix", (Size(40, 7), Size(576, 4), Size(1500, 1)), "simple IMIX, bytes of IP packets"),
        Mix("64", (Size(64, 1),), "64 bytes only"),
        Mix("jumbo", (Size(9000, 1),), "9000 bytes only"),
    )
}  # fmt: skip
"""The mixes with names."""


def find_mix(name: str) -> Mix:
    """A mix by its name, or from a file.

    Raises
    ------
    UnknownName
        If there is neither a mix nor a file of this name.
    InputError
        If the file does not have the form above.
    """
    if name in MIXES:
        return MIXES[name]
    path = Path(name)
    if not path.is_file():
        raise UnknownName("mix", name, MIXES)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the mix {name}: {getattr(error, 'strerror', None) or 'it is not text'}") from None
    sizes = []
    for number, line in enumerate(lines, 1):
        fields = line.partition("#")[0].replace(",", " ").split()
        if fields:
            sizes.append(_size(name, number, fields))
    if not sizes:
        raise InputError(f"the mix {name} has no sizes; give a line for each: bytes, share, and optionally bytes of associated data")
    return Mix(path.name, tuple(sizes), str(path))


def _size(name: str, number: int, fields: list[str]) -> Size:
    where = f"the mix {name}, line {number}"
    if not 2 <= len(fields) <= 3 or not all(field.isascii() and field.isdigit() for field in fields):
        raise InputError(f"{where}: give bytes, share, and optionally bytes of associated data, as whole numbers")
    nbytes, share, *more = map(int, fields)
    associated = more[0] if more else None
    if not 0 <= nbytes <= MOST_BYTES:
        raise InputError(f"{where}: a packet has at most {MOST_BYTES} bytes, not {nbytes}")
    if not 1 <= share <= 10_000:
        raise InputError(f"{where}: a share is from 1 to 10000, not {share}")
    if associated is not None and associated > nbytes:
        raise InputError(f"{where}: {associated} bytes of associated data do not fit into a packet of {nbytes}")
    return Size(nbytes, share, associated)
