# SPDX-License-Identifier: Apache-2.0
"""Every mode at 32 blocks: its interval is the bound, at most 35 cycles, and no operation more than tes2010, Table 1, counts."""

from __future__ import annotations

import pytest
from tests.built import slow

from modeloom.compiler.compile import Compiled, compile_mode
from modeloom.modes import all_modes, find
from modeloom.options.sectors import Options

BLOCKS = 32
MOST_CYCLES = 35

TWO_LAYERS = ("cmc", "eme", "eme2")
"""Modes with two calls a block, which need two pipelines for a block a cycle."""

TES2010 = {
    "hch": (BLOCKS + 3, 2 * (BLOCKS - 1)),
    "hchfp": (BLOCKS + 2, 2 * (BLOCKS - 1)),
    "hctr": (BLOCKS, 2 * (BLOCKS + 1)),
    "xcb": (BLOCKS + 6, 2 * (BLOCKS + 1)),
    "eme": (2 * (BLOCKS + 1), 0),
    "tet": (BLOCKS + 2, 2 * BLOCKS + 2),
    "heh-poly": (BLOCKS + 1, 2 * BLOCKS),
}
"""Table 1: cipher calls with those of set-up, and products of a sector."""


def made(name: str, **options) -> Compiled:  # type: ignore[no-untyped-def]
    return compile_mode(find(name), Options(**{"restarts": 0, **options}), prove=False)


def check(compiled: Compiled) -> None:
    figures = compiled.explain()
    assert figures["ii"] == figures["ii_bound"]
    calls = BLOCKS * (2 if compiled.mode.name in TWO_LAYERS else 1)
    assert calls / compiled.options.cipher_cores <= figures["ii"]
    if compiled.options.cipher_cores == 2 or compiled.mode.name not in TWO_LAYERS:
        assert figures["ii"] <= MOST_CYCLES


@pytest.mark.parametrize("name", sorted(all_modes()))
def test_the_interval_is_the_bound(name: str) -> None:
    for pipelines in (1, 2) if name in TWO_LAYERS else (1,):
        check(made(name, cipher_cores=pipelines))


@pytest.mark.parametrize("name", TES2010)
@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
def test_operations_are_never_above_those_of_the_paper(name: str, direction: str) -> None:
    """Of what is scheduled, interleaved chains of the hashes included; both directions in one core cost no call more."""
    compiled = made(name)
    calls, products = TES2010[name]
    uses, setup = compiled.graph.uses(direction), compiled.setup_graph.uses("setup")
    sector = uses.get("enc", 0) + uses.get("dec", 0)
    # What set-up makes further keys from (XCB: K, then K0 to K4 are calls), and the keys of cipher calls alone.
    assert sector + setup.get("enc", 0) + setup.get("dec", 0) <= calls
    assert uses.get("mul", 0) <= products
    assert compiled.schedule.problem.ii_bound() >= max(sector, 1)


@pytest.mark.parametrize("name", sorted(all_modes()))
def test_both_directions_take_no_longer_than_either(name: str) -> None:
    both = made(name, sector=128).schedule.problem.ii_bound()
    either = [made(name, sector=128, direction=direction).schedule.problem.ii_bound() for direction in ("encrypt", "decrypt")]
    assert both <= max(either) + 1


@pytest.mark.parametrize("name", [name for name in sorted(all_modes()) if find(name).partial])
@pytest.mark.parametrize("sector", [61, 65, 72])
def test_partial_sectors_are_proved(name: str, sector: int) -> None:
    assert compile_mode(find(name), Options(sector=sector, restarts=0)).proved


@pytest.mark.parametrize("name", sorted(all_modes()))
def test_small_sectors_are_proved(name: str) -> None:
    compiled = compile_mode(find(name), Options(sector=64, restarts=0))
    assert compiled.proved and compiled.schedule.ii == compiled.schedule.problem.ii_bound()


def test_what_a_mode_is_not_defined_for() -> None:
    from modeloom.spec import InputError

    with pytest.raises(InputError, match="xcb: the mode is defined for cipher keys of 128 bits, not 256"):
        made("xcb", key_bits=256)
    with pytest.raises(InputError, match=r"eme: a sector must have at most 2048 bytes, not 4096 \(.* take eme2\)"):
        made("eme", sector=4096)


@slow
@pytest.mark.parametrize("aes", [1, 2])
@pytest.mark.parametrize("name", sorted(all_modes()))
def test_default_units_with_a_search_are_proved(name: str, aes: int) -> None:
    compiled = compile_mode(find(name), Options(cipher_cores=aes))
    check(compiled)
    assert compiled.proved


@slow
@pytest.mark.parametrize("name", [name for name in sorted(all_modes()) if name != "eme"])
def test_256_blocks(name: str) -> None:
    compiled = compile_mode(find(name), Options(sector=4096, restarts=20))
    assert compiled.proved and compiled.schedule.ii == compiled.schedule.problem.ii_bound()
