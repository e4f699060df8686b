# SPDX-License-Identifier: Apache-2.0
"""Whole engines with small ciphers against their definitions, by the contract of ``engine_signature`` alone.

The bench checks in every cycle: blocks of sectors that are inside, once each; ends in the order of entry and after the schedule's
latency; ``idle`` with nothing inside; key words and ends of set-ups that were asked for.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.modes.essiv import ESSIV, LastKeyMade
from tests.rtl.engine import bench
from tests.rtl.engine.bench import Host, compiled, engine_of, simulate

from modeloom.rtl.engine.engine import ModeEngine
from modeloom.spec import GHASH_ORDER, Mode

CASES: dict[str, tuple[str | type[Mode], dict[str, Any]]] = {
    "three slots": ("hctr2", {"sector": 48, "key_slots": 3}),
    "sequential, no registers": (
        "hctr2", {"sector": 32, "key_slots": 2, "cipher_arch": "sequential", "registered": False, "terms": 3},
    ),
    "one at a time, no registers": ("hctr2", {"sector": 40, "registered": False, "overlap": False, "mul_stages": 1}),
    "two lanes, a tweak of two blocks": ("eme2", {"sector": 56, "tweak": 32, "cipher_cores": 2, "key_slots": 2}),
    "two sizes": ("hctr2", {"sector": 48, "more_sectors": (32,), "key_slots": 2}),
    "keys of two lengths, a key made by set-up": (LastKeyMade, {"sector": 32, "key_slots": 2}),
    "keys of two lengths, sequential": (ESSIV, {"sector": 32, "key_slots": 3, "cipher_arch": "sequential"}),
    "counters, keys made by set-up": ("xcb-1619", {"sector": 40}),
    "one block": ("xts", {"sector": 16, "cipher_cores": 2, "key_slots": 5}),
    "chains, squares in the sector": ("heh-brw", {"sector": 128, "squares": "fly"}),
    "block memories": ("xts", {"sector": 1024, "storage": "bram"}),
    "one block, in registers": ("xts", {"sector": 16, "cipher_cores": 2, "key_slots": 2, "storage": "auto"}),
    "few blocks, in registers": ("eme2", {"sector": 56, "tweak": 32, "cipher_cores": 2, "storage": "auto"}),
    "decryption alone": ("cmc", {"sector": 48, "direction": "decrypt", "key_slots": 2}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_sectors_of_mixed_slots_and_directions(case: str) -> None:
    """As close as the interval allows, then with gaps; some keys are loaded anew in between."""
    mode, options = CASES[case]
    design = compiled(mode, **options)

    async def script(host: Host) -> None:
        await host.load_keys()
        for size, table in enumerate(design.core_program.mains):
            if size:
                await host.change_size(size)
            host.gaps, host.entries = 0.0, []
            host.send(8)
            await host.finish()
            assert {after - before for before, after in zip(host.entries[2:], host.entries[3:])} == {table.rows}
            host.gaps = 0.4
            host.send(6)
            await host.finish()
        await host.load_key(host.p.key_slots - 1, host.rng.randbytes(host.p.keys.packet_bytes))
        if host.p.sizes[1:]:
            await host.change_size(0)
        host.send(3)
        await host.finish()

    simulate(design, script)


def test_a_table_of_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interval of one cycle, for which the buses are too slow: sectors enter every two cycles, as a tweak stays for one more."""
    monkeypatch.setattr("modeloom.compiler.units.ENTRY_CYCLES", 1)
    monkeypatch.setattr(bench, "ENTRY_CYCLES", 2)
    design = compiled.__wrapped__("xts", sector=16, cipher_cores=2, key_slots=2)
    assert [table.rows for table in design.core_program.mains] == [1]

    async def script(host: Host) -> None:
        await host.load_keys()
        host.send(12)
        await host.finish()
        assert 2 in {after - before for before, after in zip(host.entries, host.entries[1:])}
        host.gaps = 0.5
        host.send(12)
        await host.finish()
        assert {2, 3} <= {after - before for before, after in zip(host.entries, host.entries[1:])}

    simulate(design, script)


def test_set_up_among_sectors() -> None:
    """It waits for the sectors inside, and those that wait go on behind it; the other slot does not notice."""
    async def script(host: Host) -> None:
        await host.load_keys()
        for scrub in (True, False):
            for before in (3, 6, 8, 11):
                host.send(3, slots=[0])
                await host.steps(before)
                host.send(3, slots=[0])
                await host.set_up(1, scrub=scrub)
                await host.finish()
        host.send(4)
        await host.finish()

    simulate(compiled("eme2", sector=48, key_slots=2), script)


def test_a_scrub_writes_no_key_word() -> None:
    """What stands in place of a set-up leaves the words as they are, and a set-up derives them anew."""
    async def script(host: Host) -> None:
        await host.load_keys()
        derived = host.words.copy()
        assert sorted(derived) == list(range(host.design.core_program.raw_words, host.p.keys.words))
        await host.set_up(0, scrub=True)
        assert not host.words
        await host.set_up(0)
        assert host.words == derived
        host.send(3)
        await host.finish()

    simulate(compiled("heh-brw", sector=64), script)


def test_reset_in_the_midst() -> None:
    """Nothing of what was under way comes out; keys stay in their memories."""
    async def script(host: Host) -> None:
        await host.load_keys()
        for cycles in (3, 17, 30):
            host.send(6)
            await host.steps(cycles)
            await host.reset()
            await host.steps(60)
            host.send(3)
            await host.finish()
            host.set(host.engine.preparation.setup, request=1, slot=1, scrub=0)
            await host.steps(cycles // 3)
            await host.reset()
            await host.steps(30)

    simulate(compiled("hctr2", sector=48, key_slots=2), script)


@pytest.mark.parametrize("mode", ["eme2", ESSIV], ids=["words", "two lengths"])
def test_erasing_leaves_zeros(mode: Any) -> None:
    """Held in reset while an address counts through all words, the engine has keys of zeros alone."""
    async def script(host: Host) -> None:
        await host.load_keys()
        host.send(3)
        await host.finish()
        host.ctx.set(host.reset_signal, 1)
        host.set(host.engine.preparation.round_key, data=0, data_dec=0)
        await host.steps(3)
        for address in range(host.p.erase_words):
            host.set(host.engine.erase, we=1, address=address)
            await host.step()
        host.set(host.engine.erase, we=0)
        await host.steps(40)
        host.ctx.set(host.reset_signal, 0)
        host.forget()
        host.models = dict.fromkeys(host.models, host.model(bytes(host.p.keys.packet_bytes)))
        host.send(6)
        await host.finish()

    simulate(compiled(mode, sector=48, key_slots=3, direction="encrypt"), script)


def test_a_field_of_another_width() -> None:
    design = compiled("xts", sector=16, cipher_cores=2)
    engine = engine_of(design, [])
    narrow = type(GHASH_ORDER)("narrow", 64, 1 << 64 | 0x1B)
    with pytest.raises(ValueError, match="the field has 64 bits, the block 128"):
        ModeEngine(engine.program, narrow, engine.cores, engine.registers, engine.styles, 1, 1, 1, 1, 64)
