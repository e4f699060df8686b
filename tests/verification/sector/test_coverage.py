# SPDX-License-Identifier: Apache-2.0
"""Enough keys and sectors: every entry of an S-box is read."""

from __future__ import annotations

import random

import pytest
from tests import built

from modeloom.verification.sector import sectors
from modeloom.verification.sector.sectors import missed, needed_sectors, read_words, schedule_keys
from modeloom_golden.aes_steps import round_keys


@pytest.mark.parametrize("nbytes", [16, 24, 32])
def test_the_key_schedule_reads_every_entry(nbytes: int) -> None:
    """Each of the four S-boxes of a word, whose inputs are counted apart from the function that chooses keys: a wrong S-box is planted, an
    entry at a time, and some key must expand to other round keys."""
    keys = list(schedule_keys("aes", nbytes, random.Random(nbytes)))
    assert len(keys) < 110
    seen = [set(), set(), set(), set()]
    for key in keys:
        words = b"".join(round_keys(key))
        count = nbytes // 4
        for n in range(count, len(words) // 4):
            if n % count == 0 or (count > 6 and n % count == 4):
                for lane in range(4):
                    seen[lane].add(words[4 * (n - 1) + lane])
    assert all(values == set(range(256)) for values in seen)
    assert len(read_words(bytes(nbytes))) == {16: 10, 24: 8, 32: 13}[nbytes]


def test_half_of_the_keys_are_not_enough() -> None:
    keys = list(schedule_keys("aes", 16, random.Random(1)))
    read = {(lane, value) for key in keys[: len(keys) // 2] for word in read_words(key) for lane, value in enumerate(word)}
    assert len(read) < 1024


def test_keys_of_other_ciphers_are_random() -> None:
    keys = list(schedule_keys("quad", 32, random.Random(1)))
    assert len(set(keys)) == len(keys) == sectors.RANDOM_KEYS and {len(key) for key in keys} == {32}


@pytest.mark.parametrize(
    ("mode", "options", "count"),
    [
        # A sequential core reads its S-boxes ten times a block; the decrypter is used once a sector.
        ("hctr2", {"cipher_arch": "sequential"}, 640),
        ("heh-brw", {}, 1600),
        ("heh-brw", {"cipher_cores": 2}, 3200),
        ("heh-brw", {"direction": "encrypt"}, 1280),
    ],
)
def test_needed_sectors(mode: str, options: dict, count: int) -> None:
    compiled = built.compiled(mode, prove=False, sector=64, restarts=0, **options)
    need = needed_sectors(compiled)
    assert need.lookups >= sectors.LOOKUPS
    assert need.sectors == count


def test_the_chance_is_that_of_random_look_ups() -> None:
    rng = random.Random(1)
    tables = 3000
    unread = sum(len(set(rng.choices(range(256), k=600))) < 256 for _ in range(tables))
    expected = 256 * missed(600)  # nearly: some entry of 256
    assert abs(unread / tables - (1 - 2.718281828 ** -expected)) < 0.05
    assert 320 * 256 * missed(sectors.LOOKUPS) < 1e-5
