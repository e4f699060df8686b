# SPDX-License-Identifier: Apache-2.0
"""Computes the number of keys and sectors that read every entry of every S-box.

A wrong entry affects every result after a look-up of it, so the number of look-ups matters.  n random look-ups in a table of 256 entries
all miss a given entry with probability (1 - 1/256)^n.  With T such tables, some entry of some table is missed with probability at most
T · 256 · exp(-n / 256).  A key schedule has few S-boxes, and their inputs can be chosen, so nothing is left
to chance.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

from modeloom.ciphers import AES
from modeloom.compiler.compile import Compiled
from modeloom.golden.aes_keys import round_keys
from modeloom.spec.kinds import DEC, ENC

__all__ = ["Need", "missed", "needed_sectors", "schedule_keys"]

LOOKUPS = 6400
"""Number of look-ups for each S-box of a cipher core.  Two pipelines of ten rounds have 320 S-boxes: some entry is missed with probability
below 10^-5, and a single wrong entry is missed with probability 10^-11."""

RANDOM_KEYS = 200
"""Number of keys for a cipher whose key schedule is unknown here."""

MOST_CYCLES = 600_000
"""Largest number of cycles for random sectors, because the simulation of large cores is slow."""


def schedule_keys(cipher: str, nbytes: int, rng: random.Random) -> Iterator[bytes]:
    """Keys of a cipher for which its key schedule reads every entry of its S-boxes.

    Each S-box in the key schedule of AES (FIPS 197, 5.2) reads a byte of a word.  The first word that they read is the last word of the
    key, which gets bytes that no earlier key has looked up.  The other words that are read also count.  For other ciphers the
    keys are random.
    """
    if cipher != AES.name or nbytes not in (16, 24, 32):
        for _ in range(RANDOM_KEYS):
            yield rng.randbytes(nbytes)
        return
    left = [set(range(256)) for _ in range(4)]
    while any(left):
        chosen = bytes(rng.choice(sorted(values)) if values else rng.randrange(256) for values in left)
        key = rng.randbytes(nbytes - 4) + chosen
        for word in read_words(key):
            for lane, value in enumerate(word):
                left[lane].discard(value)
        yield key


def read_words(key: bytes) -> list[bytes]:
    """The words that the S-boxes in the key schedule of AES read, before any rotation."""
    words = [keys[at : at + 4] for keys in round_keys(key) for at in range(0, 16, 4)]
    count = len(key) // 4
    return [words[n - 1] for n in range(count, len(words)) if n % count == 0 or (count == 8 and n % count == 4)]


class Need:
    """The number of look-ups of each S-box for a sector of each direction, and the number of sectors that is enough.

    Attributes
    ----------
    sectors : int
        Sectors of each direction.
    lookups : int
        Look-ups of the S-box that is read least, for this number of sectors; 0 if the mode has no cipher calls.
    """

    def __init__(self, sectors: int, lookups: int):
        self.sectors, self.lookups = sectors, lookups


def needed_sectors(compiled: Compiled) -> Need:
    """The number of sectors of each direction for ``LOOKUPS`` look-ups of each S-box of the cipher cores, limited by ``MOST_CYCLES``.

    Calls are distributed evenly over the cores of a kind.  A sequential core reads its S-boxes once in each round.
    """
    options, architecture = compiled.options, compiled.architecture
    rounds = architecture.cipher.round_keys(options.key_bits or 0) - 1
    least: list[float] = []
    for kind in (ENC, DEC):
        # A core that is used in only one direction must get its look-ups there.
        calls = max(one.graph.uses(way).get(kind.unit, 0) for one in compiled.sizes for way in one.graph.directions)
        if not calls:
            continue
        form = architecture.forms.get(kind, architecture.forms.get("both", options.cipher_form))
        count = options.cipher_cores if form == options.cipher_form else 1
        least.append(calls * (rounds if form == "sequential" else 1) / count)
    if not least:
        return Need(200, 0)
    interval = max(one.explain()["cycles_per_sector"] for one in compiled.sizes)
    affordable = max(64, MOST_CYCLES // interval)
    sectors = min(max(64, math.ceil(LOOKUPS / min(least))), affordable)
    return Need(sectors, int(sectors * min(least)))


def missed(lookups: int) -> float:
    """The probability that one wrong entry of one S-box is never looked up."""
    return math.exp(-lookups / 256)
