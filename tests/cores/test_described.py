# SPDX-License-Identifier: Apache-2.0
"""What a core says of the keys that it refuses, whether or not the author of the mode wrote a text."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeloom.compiler.compile import compile_mode
from modeloom.cores.described import refused_keys
from modeloom.cores.sector import SectorCore
from modeloom.emit import emit
from modeloom.modes import find
from modeloom.modes.heh import HEHPoly
from modeloom.modes.tet import TET
from modeloom.modes.xts import XTS
from modeloom.options.sectors import Options
from modeloom.product.description import KEY_VERDICT
from modeloom.product.folder import read_description
from modeloom.taint import check_core


class Silent(XTS):
    """XTS without a text."""

    name = "silent"
    refused_keys = ""


class Boasting(HEHPoly):
    """A text, where no key is refused."""

    name = "boasting"
    refused_keys = "all"


@pytest.mark.parametrize(
    ("mode", "nonzero", "text"),
    [
        (XTS, [], "K1 = K2"),
        (Silent, [], "K1 = K2"),
        (Silent, ["a = b + c", "a = b + c", "d"], "K1 = K2; a = b + c is 0; d is 0"),
        (TET, ["sigma = 1 + tau"], TET.refused_keys),
        (HEHPoly, [], ""),
        (HEHPoly, ["tau"], "tau is 0"),
        (Boasting, [], ""),
    ],
)
def test_text(mode: type, nonzero: list[str], text: str) -> None:
    assert refused_keys(mode, nonzero) == text


SILENT = """
from modeloom.modes.{file} import {base}


class Silent({base}):
    name = "silent"
    refused_keys = ""
"""


@pytest.mark.parametrize(
    ("file", "base", "text"),
    [("xts", "XTS", "K1 = K2"), pytest.param("tet", "TET", "sigma = 1 + tau + ... + tau^2 is 0", marks=pytest.mark.slow)],
)
def test_a_verdict_without_a_text_is_no_timing_channel(file: str, base: str, text: str, tmp_path: Path) -> None:
    """The key port tells whether it refuses a key, whatever the mode says of it."""
    (tmp_path / "silent.py").write_text(SILENT.format(file=file, base=base))
    options = Options(sector=32, direction="encrypt", cipher_arch="sequential", cipher_stages=1)
    compiled = compile_mode(find(f"{tmp_path}/silent.py:Silent"), options)
    emit(SectorCore(compiled), tmp_path / "core", command="modeloom build silent.py:Silent")
    assert read_description(tmp_path / "core").refused_keys == text
    assert check_core(tmp_path / "core").declassified == {KEY_VERDICT: 1}
