# SPDX-License-Identifier: Apache-2.0
"""Emitted cores behind the LWC interface are proved to compute their plans; one with a fault is refused, with cycle, message and word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.built import slow, slowly
from tests.cores.lwc.core import folder, made
from tests.equivalence.lwc.faults import FAULTS, WordFault, faulty

from modeloom.equivalence.lwc import prove_words
from modeloom.prove import ProofError

CORES: dict[str, tuple[str, dict[str, Any]]] = {
    "gcm": ("gcm", {}),
    "words of 64 bits": ("gcm", {"interface_bits": 64}),
    "words of 128 bits": ("gcm", {"interface_bits": 128}),
    "words of 64 bits, lanes": ("gcm", {"interface_bits": 64, "blocks_per_cycle": 2}),
    "held text": ("gcm", {"hold": 100}),
    "encryption alone": ("gcm", {"direction": "encrypt"}),
    "all sizes of keys": ("gcm", {"key_bits": None}),
    "one stream": ("gcm", {"cipher_arch": "multistream", "cipher_stages": None, "streams": 1}),
    "ocb3": ("ocb3", {}),
    "lengths first": ("ccm", {}),
    "tweaks": ("deoxys-i", {}),
}

FEW = ("a word of the nonce in the place of another",)
"""Faults that are planted by default."""


@slow
@pytest.mark.parametrize("name", CORES)
def test_cores(name: str) -> None:
    mode, options = CORES[name]
    report = prove_words(folder(mode, **options), made(mode, **options).component)
    assert report.messages > 100 and report.words > report.messages and report.cores >= 1


@pytest.mark.parametrize(
    "fault", [fault if fault.what in FEW else slowly(fault)[0] for fault in FAULTS], ids=[one.what for one in FAULTS]
)
def test_faults_are_refused(fault: WordFault, tmp_path: Path) -> None:
    with pytest.raises(ProofError, match=fault.message):
        prove_words(faulty(fault, tmp_path / "core"), made().component)
