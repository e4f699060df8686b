# SPDX-License-Identifier: Apache-2.0
"""Numbers in sentences."""

import pytest

from modeloom.spec.errors import many, numbers, paced


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([16], "16"),
        ([32, 16], "16 or 32"),
        ([12, 13], "12 or 13"),
        ([16, 12, 8], "8, 12 or 16"),
        (range(1, 17), "1 to 16"),
        ((16, 15, 14, 13, 12, 8, 4), "4, 8, or 12 to 16"),
        ((*range(1, 12), *range(13, 17)), "1 to 11, or 13 to 16"),
        ((1, 2, 3, 7), "1 to 3, or 7"),
        ((1, 1, 2), "1 or 2"),
    ],
)
def test_numbers(values, text):
    assert numbers(values) == text


def test_counts():
    assert (many(1, "block"), many(2, "block")) == ("1 block", "2 blocks")
    assert (paced(1, 10), paced(4, 40)) == ("1 cipher block every 10 cycles", "4 cipher blocks every 40 cycles")
