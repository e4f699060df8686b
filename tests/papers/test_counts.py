# SPDX-License-Identifier: Apache-2.0
"""Operations of a mode, counted by hand."""

import pytest

from modeloom.modes import find
from modeloom_papers.ours import COUNTS, operations


@pytest.mark.parametrize("blocks", [2, 9, 32])
def test_heh(blocks):
    """brw2013, Fig. 9 with Poly: m + 1 calls; m - 1 products in each of two hashes, none of them in set-up.

    tes2010, Table 1, prints 2m: erratum.
    """
    found = operations(find("heh-poly"), blocks)
    assert found == dict(zip(COUNTS, (blocks + 1, 2 * (blocks - 1), 0, 0, 2)))


def test_set_up_is_apart():
    """HCTR2: h and L; each hash has a product for each block but the first, the tweak, the length.  BRW has squares in set-up."""
    found = operations(find("hctr2"), 32)
    assert found["calls"] == 32 and found["setup_calls"] == 2 and found["keys"] == 1
    assert operations(find("heh-brw"), 32)["setup_multiplications"] == 4


def test_the_larger_direction_counts():
    """HMCH decrypts with one call of D and m of E."""
    assert operations(find("hmch-poly"), 32)["calls"] == 33
