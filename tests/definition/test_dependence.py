# SPDX-License-Identifier: Apache-2.0
"""Definitions that are consistent and insecure get a warning; built-in modes get none."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.definition import insecure_modes
from tests.definition.insecure_modes import INSECURE

from modeloom.cli import main
from modeloom.definition.opened import checked_inverse, warnings_of
from modeloom.modes import STREAMS
from modeloom.modes.gcm import GCM
from modeloom.spec import InputError
from modeloom.spec.stream import StreamMode

FILE = Path(insecure_modes.__file__)


@pytest.mark.parametrize(("mode", "words"), INSECURE, ids=lambda each: getattr(each, "__name__", None))
def test_an_insecure_definition_gets_a_warning(mode: type[StreamMode], words: str) -> None:
    """It is a warning and no error, since the definition opens what it seals."""
    assert checked_inverse(mode(), 16) in ("proved", "tested")
    found = warnings_of(mode(), 16)
    assert any(words in line for line in found), found
    assert all(line.startswith(f"{mode.name}: ") and "\n" not in line for line in found)


@pytest.mark.parametrize("mode", STREAMS, ids=lambda mode: mode.name)
def test_a_built_in_mode_gets_none(mode: type[StreamMode]) -> None:
    for bits in mode.cipher_key_bits or (128,):
        assert warnings_of(mode(), bits // 8) == ()


@pytest.mark.parametrize("limits", [{"most_associated": 3}, {"most_text": 10}, {"most_text": 20}, {"most_associated": 0}])
def test_a_mode_with_small_limits_gets_its_warnings(limits: dict[str, int]) -> None:
    """What is tried keeps to the limits, so a constant tag is found, and a right mode has no warning."""

    class ConstantTag(GCM):
        def tag(self, o, k, s, n):
            return o.const(7)

    for mode in (type("Small", (GCM,), limits), type("SmallConstant", (ConstantTag,), limits)):
        found = warnings_of(mode(), 16)
        assert bool(found) == issubclass(mode, ConstantTag), found


def test_a_refused_key_takes_no_warning_away() -> None:
    class Refuses(insecure_modes.UnusedKey):
        """Half of all keys are refused."""

        @classmethod
        def split_key(cls, key: bytes, cipher_key_sizes: tuple[int, ...]) -> dict[str, bytes]:
            if key[0] & 1:
                raise InputError("an odd key")
            return super().split_key(key, cipher_key_sizes)

    assert any("nothing depends on the part pepper of the key" in line for line in warnings_of(Refuses(), 16))


def test_commands_print_it(capfd: pytest.CaptureFixture[str]) -> None:
    """On standard error, where the exit status stays 0."""
    with pytest.raises(SystemExit) as ended:
        main(["explain", f"{FILE}:NoAssociated", "--json", "--key-bits", "128"])
    assert not ended.value.code
    out, err = capfd.readouterr()
    assert err.startswith("modeloom: warning: gcm: the tag does not depend on a bit of byte 0 of the associated data")
    assert '"inverse": "proved"' in out and "the tag does not depend" in out
