# SPDX-License-Identifier: Apache-2.0
"""How many keys and sectors it takes to read every entry of every S-box.

A wrong entry shows in every result that comes after a look-up of it, so what has to be counted is look-ups.  Of n random look-ups of a
table of 256 entries all miss a given one with probability (1 - 1/256)^n; of T such tables some entry of some table is missed with
probability at most T · 256 · exp(-n / 256).  The S-boxes of a key schedule are few and their inputs can be chosen: there nothing is left
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
"""Look-ups of each S-box of a cipher core: of 320 S-boxes, as two pipelines of ten rounds have, an entry is missed with a chance below
10^-5, that of one that is wrong with a chance of 10^-11."""

RANDOM_KEYS = 200
"""Keys for a cipher whose key schedule is not known here."""

MOST_CYCLES = 600_000
"""Cycles that random sectors may take by themselves: large cores are simulated slowly."""


def schedule_keys(cipher: str, nbytes: int, rng: random.Random) -> Iterator[bytes]:
    """Keys of a cipher with which its key schedule looks up every entry of its S-boxes.

    The S-boxes of AES's key schedule (FIPS 197, 5.2) read a word, a byte each.  The first word that they read is the last one of the
    key: there stand bytes that no key before has had looked up, and the other words that are read count as well.  For other ciphers the
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
    """The words that AES's key schedule puts through its S-boxes, before any rotation."""
    words = [keys[at : at + 4] for keys in round_keys(key) for at in range(0, 16, 4)]
    count = len(key) // 4
    return [words[n - 1] for n in range(count, len(words)) if n % count == 0 or (count == 8 and n % count == 4)]


class Need:
    """How often a sector of each direction looks up each S-box, and how many sectors are enough.

    Attributes
    ----------
    sectors : int
        Sectors of each direction.
    lookups : int
        Look-ups of the S-box that is read least, in so many sectors; 0 if the mode has no cipher calls.
    """

    def __init__(self, sectors: int, lookups: int):
        self.sectors, self.lookups = sectors, lookups


def needed_sectors(compiled: Compiled) -> Need:
    """Sectors of each direction that give each S-box of the cipher cores ``LOOKUPS`` look-ups, or what ``MOST_CYCLES`` allow.

    Calls are spread evenly over the cores of a kind; a sequential core looks up in its S-boxes once a round.
    """
    options, architecture = compiled.options, compiled.architecture
    rounds = architecture.cipher.round_keys(options.key_bits or 0) - 1
    least: list[float] = []
    for kind in (ENC, DEC):
        # A core that is used in one direction only must have its look-ups there.
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
    """The chance that one wrong entry of one S-box is never looked up."""
    return math.exp(-lookups / 256)
