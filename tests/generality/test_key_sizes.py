# SPDX-License-Identifier: Apache-2.0
"""Ciphers whose pipelines take keys of several sizes: AES, and one of the tests' own.  The check of a cipher knows the sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from amaranth.hdl import Const, Module, Value
from tests import built
from tests.generality.two_sizes import TWO_SIZES, KeySchedule, Pipeline, TwoSizes

from modeloom.ciphers import AES, SM4, BlockCipher, CoreRequest
from modeloom.ciphers.check import check_core
from modeloom.ciphers.description import FEW_SLOTS
from modeloom.spec import DefinitionError, InputError

REQUEST = CoreRequest(direction="encrypt", form="pipelined", key_bits=256, more_key_bits=(128,), stages=1, slots=3)
ALL = REQUEST.but(more_key_bits=(192, 128))
THE_CORE = "cipher two-sizes: the pipelined encrypter for 256- and 128-bit keys with 1 register per round"


def refused(cipher: BlockCipher, message: str, request: CoreRequest = REQUEST) -> None:
    with pytest.raises(DefinitionError) as caught:
        check_core(cipher, request)
    assert str(caught.value).startswith(message) and "\n" not in str(caught.value), str(caught.value)


@pytest.mark.parametrize("request_", [REQUEST, REQUEST.but(key_bits=128, more_key_bits=(256,), slots=2), REQUEST.but(more_key_bits=())])
def test_a_cipher_of_ones_own(request_):
    check_core(TWO_SIZES, request_)


@pytest.mark.parametrize("side_by_side", [False, pytest.param(True, marks=built.slow)])
def test_aes(side_by_side):
    """With one key schedule for all sizes, and with one for each."""
    check_core(replace(AES, key_schedule_for=None) if side_by_side else AES, ALL)


@built.slow
@pytest.mark.parametrize("direction", ["decrypt", "both"])
def test_aes_in_other_directions(direction):
    check_core(AES, ALL.but(direction=direction, stages=2))


@built.slow
def test_aes_with_many_slots():
    check_core(AES, ALL.but(slots=FEW_SLOTS + 1))


def given(change: Callable[[Pipeline], dict[str, Value]]) -> BlockCipher:
    """Two-Sizes with another pipeline, made around the true one."""

    class Faulty(Pipeline):
        def elaborate(self, platform: object) -> Module:
            m = Module()
            m.submodules.inner = inner = Pipeline(self.sizes, self.slots)
            values = {name: getattr(self, name) for name in ("i", "slot", "key_we", "key_slot", "key_round", "key_data", "key_length")}
            m.d.comb += [getattr(inner, name).eq(value) for name, value in (values | change(self)).items()]
            m.d.comb += self.o.eq(inner.o)
            return m

    return replace(TWO_SIZES, hardware=lambda request: Faulty(request.key_sizes, request.slots))


@pytest.mark.parametrize("length", [0, pytest.param(1, marks=built.slow)])
def test_a_size_that_is_not_stored(length):
    """All keys count as long ones; and, the other way round, as short ones."""
    refused(given(lambda core: {"key_length": Const(length)}), THE_CORE + " gives ")


def test_a_size_that_does_not_follow_its_slot():
    """The size of the key that was written last counts for all slots."""

    class OneSize(Pipeline):
        size_slots = 1

    refused(replace(TWO_SIZES, hardware=lambda request: OneSize(request.key_sizes, request.slots)), THE_CORE + " gives ")


class OtherShort(TwoSizes):
    """Software that has another key schedule for short keys."""

    def __init__(self, key: bytes):
        super().__init__(key)
        if len(key) == 16:
            self.keys[3] ^= 1


def test_a_key_schedule_that_is_wrong_for_one_size():
    refused(replace(TWO_SIZES, software=OtherShort), THE_CORE + " gives ")


def test_a_key_schedule_of_one_size_for_both():
    cipher = replace(TWO_SIZES, key_schedule_for=lambda key_sizes: KeySchedule(256))
    refused(cipher, "cipher two-sizes: its key schedule has no port length")


def test_a_core_without_sizes():
    cipher = replace(TWO_SIZES, hardware=lambda request: Pipeline((256,), request.slots))
    refused(cipher, THE_CORE + " has no port key_length")


@pytest.mark.parametrize(
    ("cipher", "request_", "message"),
    [
        (AES, REQUEST.but(form="sequential"), "aes takes keys of several sizes in pipelines only, not in a sequential core"),
        (AES, REQUEST.but(key_bits=64), "aes has keys of 128, 192, 256 bits, not 64"),
        (SM4, REQUEST, "sm4 has keys of 128 bits, not 256"),
        (TWO_SIZES, REQUEST.but(direction="decrypt"), "two-sizes has no pipeline to decrypt that takes keys of several sizes; choose one"),
        (TWO_SIZES, REQUEST.but(direction="both"), "two-sizes has no pipeline for both directions that takes keys of several sizes"),
    ],
)
def test_sizes_that_a_cipher_does_not_take(cipher, request_, message):
    with pytest.raises(InputError, match=message):
        cipher.check_sizes(request_)


def test_sizes_that_it_takes():
    AES.check_sizes(ALL)
    AES.check_sizes(ALL.but(direction="both"))
    SM4.check_sizes(REQUEST.but(key_bits=128, more_key_bits=()))
    TWO_SIZES.check_sizes(REQUEST)
    assert AES.longest((128, 256, 192)) == 1 and REQUEST.key_sizes == (256, 128)
    assert len({AES.timing(ALL.but(slots=slots)).latency for slots in (1, 2, FEW_SLOTS)}) == 1
    with pytest.raises(ValueError, match="key sizes must differ, not 256, 128, 128"):
        REQUEST.but(more_key_bits=(128, 128))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"several_sizes": ("dec",)}, r'several_sizes is \(.dec.,\); its names are "encrypt", "decrypt" and "both"'),
        ({"several_sizes": "encrypt"}, "several_sizes is 'encrypt'; it must be a tuple of names"),
        ({"key_schedule_for": 3}, "key_schedule_for is 3; it must be a function"),
        ({"key_schedule_for": lambda: 3}, "does not take one argument; it is called with key_sizes"),
    ],
)
def test_a_description_that_is_wrong(words, message):
    with pytest.raises(DefinitionError, match=message):
        replace(TWO_SIZES, **words)
