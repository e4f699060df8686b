# SPDX-License-Identifier: Apache-2.0
"""The definitions against published vectors, in both directions, with the cipher that the vectors are for."""

from __future__ import annotations

import pytest
from tests.golden.relations import check_vectors
from tests.modes.xts_sm4 import GB, GB17964XTS, IEEE, KEY, PLAIN, TWEAK

from modeloom import golden, model, vectors
from modeloom.definition.software import Model
from modeloom.spec import InputError

PUBLISHED = {"eme": 2, "eme2": 96, "hctr2": 375, "xcb-1619": 5, "xts": 408}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_vectors(name: str) -> None:
    tests = vectors.for_mode(name)
    assert len(tests) == PUBLISHED[name]
    check_vectors(tests, lambda key: model(name, key))


def test_hctr_with_sm4() -> None:
    tests = vectors.for_mode("hctr", "sm4")
    assert len(tests) == 2
    check_vectors(tests, lambda key: model("hctr", key, cipher="sm4"))


def test_xts_with_sm4() -> None:
    """The two forms differ from the second block on."""
    for keyed, ct in ((model("xts", KEY, cipher="sm4"), IEEE), (Model(GB17964XTS(), KEY), GB), (golden.mode("xts", KEY, "sm4"), IEEE)):
        assert (keyed.encrypt(TWEAK, PLAIN), keyed.decrypt(TWEAK, ct)) == (ct, PLAIN)


def test_wrong_ciphers() -> None:
    for key, cipher, message in (
        (bytes(32), "sm5", "unknown cipher 'sm5'; did you mean sm4"),
        (bytes(48), "sm4", "a key .* must have 32 bytes, not 48"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=message):
            model("hctr", key, cipher=cipher)
