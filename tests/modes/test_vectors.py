# SPDX-License-Identifier: Apache-2.0
"""The definitions against published vectors, in both directions, with the cipher that the vectors are for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from tests.golden.relations import check_vectors

from modeloom import model, vectors
from modeloom.ciphers import AES
from modeloom.modes.hctr import HCTR
from modeloom.software import Model

PUBLISHED = {"eme": 2, "eme2": 96, "hctr2": 375, "xcb-1619": 5, "xts": 408}


class SM4:
    """SM4 on any number of blocks."""

    def __init__(self, key: bytes):
        cipher = Cipher(algorithms.SM4(key), modes.ECB())
        self.encrypt, self.decrypt = cipher.encryptor().update, cipher.decryptor().update


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_vectors(name: str) -> None:
    tests = vectors.for_mode(name)
    assert len(tests) == PUBLISHED[name]
    check_vectors(tests, lambda key: model(name, key))


def test_hctr_with_sm4() -> None:
    class HCTRofSM4(HCTR):
        cipher = replace(AES, name="sm4", key_bits=(128,), software=SM4)

    tests = vectors.for_mode("hctr", "sm4")
    assert len(tests) == 2
    check_vectors(tests, lambda key: Model(HCTRofSM4(), key))
