# SPDX-License-Identifier: Apache-2.0
"""The banks of an engine: cells that rotate from sector to sector, tweaks of two blocks, and how many words there are."""

from __future__ import annotations

import re
from typing import Any

import pytest
from amaranth.back import rtlil
from tests.rtl.engine.bench import Host, compiled, engine_of, simulate
from tests.rtl.engine.definitions import Tweaks

from modeloom.rtl.engine.banks import holds_results

CASES: dict[str, dict[str, Any]] = {
    "one lane": {"sector": 48},
    "two lanes, half a beat": {"sector": 48, "cipher_cores": 2},
    "sequential": {"sector": 64, "cipher_arch": "sequential"},
    "sizes of one and two beats": {"sector": 32, "more_sectors": (80, 16), "cipher_cores": 4},
}


@pytest.mark.parametrize("case", CASES)
def test_tweaks_and_blocks_of_every_sector(case: str) -> None:
    """The tweak is there in the cycle of the entry and in the next one only, the blocks before; cells turn over many sectors."""

    async def script(host: Host) -> None:
        await host.load_keys()
        for size in range(len(host.p.sizes)):
            if size:
                await host.change_size(size)
            for gaps in (0.0, 0.3, 0.7):
                host.gaps = gaps
                host.send(9)
                await host.finish()

    simulate(compiled(Tweaks, **CASES[case]), script)


@pytest.mark.parametrize("sizes", [(), (32,)], ids=["one size", "two sizes"])
def test_words_of_the_banks(sizes: tuple[int, ...]) -> None:
    """As many as cells; in a core for several sizes as many as their addresses can name, and no more."""
    design = compiled("hctr2", sector=48, more_sectors=sizes)
    program = design.core_program
    text = rtlil.convert(engine_of(design, []), name="top")
    found: dict[str, int] = {}
    for name, body in re.findall(r"^module \\top\.bank_(\w+)$(.*?)^end$", text, re.DOTALL | re.MULTILINE):
        found[name] = sum(int(words) for words in re.findall(r"^\s*memory width 128 size (\d+) ", body, re.MULTILINE))
    cells = {name: max(2, bank.cells) for name, bank in program.banks.items()}
    wanted = {name: 1 << (count - 1).bit_length() for name, count in cells.items()} if sizes else cells
    assert found == wanted and len(found) > 3


def test_which_banks_hold_results() -> None:
    """Those are overwritten after a set-up; what the host gives is not."""
    banks = compiled("hctr2", sector=48).core_program.banks.values()
    assert {bank.name for bank in banks if not holds_results(bank)} == {"in0", "tweak"}
