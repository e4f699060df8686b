# SPDX-License-Identifier: Apache-2.0
"""Mixes of packets through a simulated core: the figures of gcm2008, the cycles that packets need, and what is compared."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from tests.built import slow
from tests.streamed import SMALL, TINY, folder, simulated

from modeloom.emit import CheckFailed
from modeloom.measure.traffic import MIXES, find_mix, measure_traffic, oracle_of
from modeloom.product.folder import read_messages
from modeloom.product.messages import StreamDescription
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.spec import InputError
from modeloom.spec.errors import AuthenticationError


@pytest.fixture(scope="module")
def core() -> SimulatedStreamCore:
    return simulated(**TINY)


def test_the_mix_of_gcm2008_reaches_its_share() -> None:
    """A new key slot at every packet, and no cycle more than with one key: one for the tag of each packet."""
    core = simulated(**SMALL)
    several = measure_traffic(core, folder(**SMALL), MIXES["gcm2008"], packets=20)
    one = measure_traffic(core, folder(**SMALL), MIXES["gcm2008"], packets=20, slots=1)
    assert several["cycles"] == one["cycles"] == 12 * 95 + 4 * 37 + 3 * 36 + 4
    assert several["bytes"] == 12 * 1500 + 4 * 576 + 3 * 552 + 44
    assert several["percent_as_gcm2008"] >= 97.0 and several["percent_of_peak"] >= 98.0
    assert several["percent_as_gcm2008"] == pytest.approx(
        100 * sum(share * f / (f + 1) for share, f in ((0.6, 93.75), (0.2, 36), (0.15, 34.5), (0.05, 2.75))), abs=0.01
    )


def stated(d: StreamDescription, associated: int) -> int:
    """Cycles of two rounds of packets from the internet."""
    return 2 * sum(
        size.share * d.cycles_of(min(associated, size.nbytes), max(0, size.nbytes - associated)) for size in MIXES["imix"].sizes
    )


@pytest.mark.parametrize("associated", [0, 8, 12, 28])
def test_cycles_are_those_of_the_packets(core: SimulatedStreamCore, associated: int) -> None:
    """A core with a round states a mean that is rounded up."""
    found = measure_traffic(core, folder(**TINY), MIXES["imix"], packets=24, associated=associated, seed=3)
    most = stated(core.description, associated)
    assert 0.95 * most < found["cycles"] <= most


@slow
@pytest.mark.parametrize("associated", [0, 8, 12, 28])
def test_cycles_of_a_pipeline_are_those_of_the_packets(associated: int) -> None:
    core = simulated(**SMALL)
    found = measure_traffic(core, folder(**SMALL), MIXES["imix"], packets=24, associated=associated, seed=3)
    assert found["cycles"] == stated(core.description, associated)


def test_shares_are_exact_in_every_round() -> None:
    mix = MIXES["gcm2008"]
    assert mix.round == 20
    packets = list(mix.packets(50, random.Random(1)))
    for at in (0, 20):
        assert Counter(size.nbytes for size in packets[at : at + 20]) == {1500: 12, 576: 4, 552: 3, 44: 1}
    assert len(packets) == 50


def test_a_file_of_ones_own(core: SimulatedStreamCore, tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("# bytes, share, associated\n100, 3, 20\n0 1\n")
    mix = find_mix(str(path))
    assert [(size.nbytes, size.share, size.associated) for size in mix.sizes] == [(100, 3, 20), (0, 1, None)]
    found = measure_traffic(core, tmp_path, mix, packets=8)
    # Five blocks of text and a tag take ten cycles each; empty packets have a tag each.
    assert found["bytes"] == 600 and 0.95 * (6 * 60) < found["cycles"] <= 6 * 60 + 2 * 10


def test_a_difference_is_found(core: SimulatedStreamCore, monkeypatch: pytest.MonkeyPatch) -> None:
    make, _ = oracle_of(core.description, folder(**TINY))

    class Wrong:
        def __init__(self, key: bytes):
            self.right = make(key)

        def seal(self, nonce: bytes, text: bytes, ad: bytes, tag_bytes: int) -> bytes:
            sealed = bytearray(self.right.seal(nonce, text, ad, tag_bytes))
            sealed[-1] ^= len(ad) == 7
            return bytes(sealed)

    monkeypatch.setattr("modeloom.measure.traffic.oracle_of", lambda d, folder: (Wrong, "a wrong oracle"))
    with pytest.raises(CheckFailed, match="traffic: packet .* (differs from a wrong oracle|has the status WRONG_TAG)"):
        measure_traffic(core, folder(**TINY), MIXES["64"], packets=3, associated=7)


@pytest.mark.parametrize("options", [{"packets": 0}, {"associated": -1}, {"slots": 0}, {"slots": 4}])
def test_wrong_numbers(core: SimulatedStreamCore, options: dict) -> None:
    with pytest.raises(InputError):
        measure_traffic(core, folder(**TINY), MIXES["64"], **options)


def test_the_oracle_is_the_package() -> None:
    make, name = oracle_of(read_messages(folder(**TINY)), folder(**TINY))
    assert name == "the cryptography package"
    gcm = make(bytes(16))
    for tag_bytes in (16, 12, 4):
        sealed = gcm.seal(bytes(12), b"some text", b"ad", tag_bytes)
        assert len(sealed) == 9 + tag_bytes and gcm.open(bytes(12), sealed, b"ad", tag_bytes) == b"some text"
        with pytest.raises(AuthenticationError):
            gcm.open(bytes(12), sealed[:-1] + bytes([sealed[-1] ^ 1]), b"ad", tag_bytes)
