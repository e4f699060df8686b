# SPDX-License-Identifier: Apache-2.0
"""The definitions against published vectors, in both directions, with the cipher that the vectors are for."""

from __future__ import annotations

import pytest
from tests.golden.relations import check_vectors

import modeloom_golden as golden
from modeloom import model, vectors
from modeloom.definition.software import Model
from modeloom.modes.xts import XTS
from modeloom.spec import InputError

PUBLISHED = {"eme": 2, "eme2": 96, "hctr2": 375, "xcb-1619": 5, "xts": 408}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_vectors(name: str) -> None:
    """The software model reproduces every published vector of the mode, and none is missing."""
    tests = vectors.for_mode(name)
    assert len(tests) == PUBLISHED[name]
    check_vectors(tests, lambda key: model(name, key))


def test_hctr_with_sm4() -> None:
    tests = vectors.for_mode("hctr", "sm4")
    assert len(tests) == 2
    check_vectors(tests, lambda key: model("hctr", key, cipher="sm4"))


@pytest.mark.parametrize(("name", "count"), [("xts-gb", 2), ("xts-ieee", 1)])
def test_xts_with_sm4(name: str, count: int) -> None:
    """The model and the reference reproduce the vectors of both forms, which differ from the second block on."""
    tests = vectors.for_mode(name, "sm4")
    assert len(tests) == count
    check_vectors(tests, lambda key: model(name, key))
    check_vectors(tests, lambda key: golden.mode(name, key, "sm4"))


def test_xts_is_that_of_the_cipher_s_standard() -> None:
    """By its name; a definition that is given is taken as it stands."""
    gb, ieee = (vectors.for_mode(name, "sm4")[0] for name in ("xts-gb", "xts-ieee"))
    assert gb["key"] == ieee["key"] and gb["pt"] == ieee["pt"] and gb["ct"][:32] == ieee["ct"][:32] and gb["ct"] != ieee["ct"]
    check_vectors([gb], lambda key: model("xts", key, cipher="sm4"))
    check_vectors([ieee], lambda key: Model(XTS(), key, "sm4"))
    assert model("xts", bytes(range(32))).mode.name == model("xts", bytes(range(32)), cipher="aes").mode.name == "xts"


def test_wrong_ciphers() -> None:
    for key, cipher, message in (
        (bytes(32), "sm5", "unknown cipher 'sm5'; did you mean sm4"),
        (bytes(48), "sm4", "a key .* must have 32 bytes, not 48"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=message):
            model("hctr", key, cipher=cipher)
