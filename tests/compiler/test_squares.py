# SPDX-License-Identifier: Apache-2.0
"""``--squares fly``: programs that square key values in each sector are proved, reach their bounds and compute the mode."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from tests.built import slow
from tests.program_runs import computes

import modeloom_golden as golden
from modeloom import compile as compile_mode
from modeloom.compiler.dump import dump
from modeloom.report.chart import chart
from modeloom.spec import CIPHER, InputError, Keys, Mode

BRW = ("heh-brw", "hmch-brw")

CASES = [
    *((mode, {"sector": 16 * blocks}) for mode in BRW for blocks in (4, 5, 31)),
    ("heh-brw", {"sector": 144, "key_bits": 256}),
    ("heh-brw", {"sector": 512, "cipher_cores": 2}),
    ("hmch-brw", {"sector": 256, "direction": "decrypt"}),
    ("heh-brw", {"sector": 80, "registered": False, "overlap": False, "cipher_cores": 2}),
    ("heh-brw", {"sector": 64, "terms": 2}),
    ("heh-brw-pi", {"sector": 128, "direction": "encrypt"}),
    ("hctr2", {"sector": 200}),
    ("heh-poly", {"sector": 256}),
]


@pytest.mark.parametrize(("mode", "changes"), CASES, ids=str)
def test_programs(mode, changes):
    design = compile_mode(mode, squares="fly", restarts=1, **changes)
    stored = compile_mode(mode, restarts=0, **changes)
    figures, before = design.explain(), stored.explain()
    assert figures["proved"] and figures["ii"] == figures["ii_bound"] and figures["uses"]["sqr"] > 0
    assert figures["ii_bound"] <= before["ii_bound"] or not figures["overlap"]
    assert figures["units"]["sqr"] == {"count": 1, "latency": 2 if design.options.registered else 1, "interval": 1}
    assert figures["key_words"] < before["key_words"] and figures["setup_cycles"] < before["setup_cycles"]
    assert computes(design, partial(golden.mode, mode), mode)


@pytest.mark.parametrize("aes", [1, 2])
@pytest.mark.parametrize("mode", BRW)
def test_one_interval_a_sector(mode, aes):
    """32 blocks on one and two pipelines; no word but h in the key memory, and nothing for set-up to do."""
    figures = compile_mode(mode, squares="fly", cipher_cores=aes, restarts=1).explain()
    assert figures["ii"] == figures["ii_bound"] == (33 if aes == 1 else 17)
    assert figures["uses"]["sqr"] == 8 and figures["units"]["sqr"]["count"] == 1
    assert figures["key_words"] == 1 and figures["setup_cycles"] == 0 and figures["proved"]


@slow
def test_long_sectors():
    from modeloom.compiler.compile import compile_mode as steps
    from modeloom.modes import find
    from modeloom.options.sectors import Options

    figures = steps(find("heh-brw"), Options(sector=4096, squares="fly", restarts=1), prove=False).explain()
    assert figures["ii"] == figures["ii_bound"] == 257
    assert figures["uses"]["sqr"] == 14 and figures["key_words"] == 1


@pytest.mark.parametrize("mode", BRW)
def test_sectors_without_squares_need_no_unit(mode):
    """BRW on one block is the block itself."""
    figures = compile_mode(mode, sector=32, squares="fly").explain()
    assert figures == compile_mode(mode, sector=32).explain()
    assert "sqr" not in figures["units"] and figures["proved"]


def test_several_sizes_share_a_unit():
    """One size squares, the other does not; the key memory holds h alone."""
    design = compile_mode("heh-brw", sector=32, more_sectors=(96,), squares="fly", restarts=3)
    assert [one.explain()["uses"].get("sqr", 0) for one in design.sizes] == [0, 4]
    assert design.core_program.key_words == ["h"] and all(one.proved for one in design.sizes)
    assert [unit.name for unit in design.core_program.units if unit.kind == "sqr"] == ["sqr0"]


def test_texts_and_chart():
    design = compile_mode("heh-brw", sector=80, squares="fly", restarts=3)
    assert "= sqr(h)" in dump(design, "graph")
    assert "sqr0" in dump(design, "schedule") and "sqr0.a" in dump(design, "program")
    assert "squarer" in chart(design)


class Unhashed(Mode):
    """A mode without products."""

    name = "unhashed"
    title = source = security = "for tests"
    key_parts = (CIPHER, "h")

    def setup(self, o, key):
        return Keys(h=key.h)

    def encrypt(self, o, k, t, p):
        return [o.enc(x ^ k.h) for x in p]

    def decrypt(self, o, k, t, c):
        return [o.dec(x) ^ k.h for x in c]


def test_a_mode_that_squares_nothing():
    with pytest.raises(InputError, match="^--squares fly: unhashed reads no square of a key value; choose --squares setup$"):
        compile_mode(Unhashed(), sector=64, squares="fly")


def test_unknown_choice():
    with pytest.raises(InputError, match="unknown source of squares 'flight'; did you mean fly?"):
        compile_mode("heh-brw", squares="flight")


def test_the_compiler_knows_no_width_in_it():
    for part in ("ir/pair.py", "ir/expand.py", "rtl/gf128/reduction.py"):
        text = (Path(__file__).parents[2] / "src" / "modeloom" / part).read_text()
        code = "\n".join(line for line in text.split('"""')[2].splitlines() if not line.strip().startswith(("#", "from ", "import ")))
        assert "128" not in code and "aes" not in code.lower()
