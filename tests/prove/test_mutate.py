# SPDX-License-Identifier: Apache-2.0
"""Mutants differ from their program in one used field, and are the same for the same seed."""

import random
import re
from dataclasses import fields, replace
from functools import cache

import pytest
from tests.prove.mutate import KINDS, _Maker, copy_program, mutants

from modeloom.compiler.compile import compile_mode
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.heh import HEH
from modeloom.options.sectors import Options


@cache
def program(mode):
    return compile_mode(mode(), Options(tweak=16, restarts=0), prove=False).allocation.program


def facts(made):
    """Everything a program says, as a flat dictionary."""
    found = {f"unit {u.name} {f.name}": getattr(u, f.name) for u in made.units for f in fields(u)}
    found.update({f"bank {b.name}": b.cells for b in made.banks.values()})
    found.update({f"chain {c.id}": c.stride for c in made.chains})
    for name, table in made.tables.items():
        found.update({f"{name} input {i}": cell for i, cell in table.inputs.items()})
        found.update({f"{name} tweak {i}": cell for i, cell in table.tweaks.items()})
        for what in ("nets", "ports", "keys", "writes", "outs", "chains"):
            for key, rows in getattr(table, what).items():
                found.update({f"{name} {what} {key} {slot}": row for slot, row in enumerate(rows)})
    return found


@pytest.mark.parametrize("mode", [HCTR2, HEH])
@pytest.mark.parametrize("direction", ["encrypt", "decrypt", "setup"])
def test_one_field_changes(mode, direction):
    base = facts(program(mode))
    kinds = set()
    texts = set()
    for mutant in mutants(program(mode), direction, 7, 80):
        now = facts(mutant.program)
        changed = {key for key in base | now if base.get(key) != now.get(key)}
        limit = 2 if mutant.kind in ("write", "chain", "latency") else 1
        assert 1 <= len(changed) <= limit, mutant.text
        assert all(direction == "setup" or not key.startswith("setup") for key in changed)
        if direction != "setup":
            other = "decrypt" if direction == "encrypt" else "encrypt"
            for key in changed:
                row = now[key]
                for field in ("select", "cell", "word", "index"):
                    before = getattr(base[key], field, None) if base[key] is not None else None
                    if hasattr(row, field) and before is not None and mutant.kind != "write":
                        assert getattr(row, field).get(other) == before.get(other)
        kinds.add(mutant.kind)
        texts.add(mutant.text)
    assert len(texts) == 80
    if direction != "setup":
        assert kinds >= set(KINDS) - {"batch", "chain"}
    assert facts(program(mode)) == base, "the program itself is not touched"


def test_seeds():
    first, again, other = ([m.text for m in mutants(program(HEH), "encrypt", seed, 30)] for seed in (1, 1, 2))
    assert first == again != other


def test_too_many():
    with pytest.raises(ValueError, match="only .* different mutants of setup"):
        list(mutants(program(HEH), "setup", 1, 5000))


def test_copies_are_apart():
    copy = copy_program(program(HEH))
    assert facts(copy) == facts(program(HEH))
    copy.main.inputs[0] += 1
    copy.main.outs[0].clear()
    copy.key_words.clear()
    assert facts(program(HEH)) != facts(copy) and program(HEH).key_words


@cache
def texts(mode, direction, kind, count=500):
    """What a maker of mutants says of many mutants of one kind."""
    maker = _Maker(program(mode), direction, random.Random(f"{kind} {direction}"))
    return [mutant.text for _ in range(count) if (mutant := maker.make(kind)) is not None]


@pytest.fixture(autouse=True)
def made_anew():
    """Each test makes the mutants that it looks at, and so is seen to run what makes them."""
    texts.cache_clear()


def found(mode, direction, kind, pattern, read=lambda match: int(match[1]) - int(match[2])):
    matches = [re.search(pattern, text) for text in texts(mode, direction, kind)]
    return {read(match) for match in matches if match}


@pytest.mark.parametrize("mode", [HCTR2, HEH])
def test_each_change_has_its_sizes(mode):
    """Every size of a change occurs, and no other."""
    made = program(mode)
    assert found(mode, "encrypt", "rotation", r"has (\d+) cells, not (\d+)") == {-3, -2, -1, 1}
    assert found(mode, "encrypt", "rotation", r"stage (\d+), not (\d+)") == {-1, 1}
    assert found(mode, "encrypt", "rotation", r"stage (\d+), not", lambda m: int(m[1])) == set(range(made.main.stages))
    assert found(mode, "encrypt", "write", r"written ([+-]\d+)", lambda m: int(m[1])) == {-1, 1}
    for field in ("latency", "post_at", "both"):
        assert found(mode, "encrypt", "latency", rf" {field} ([+-]\d+)$", lambda m: int(m[1])) == {-2, -1, 1, 2}
    assert {re.match(r"rotation: (\w+)", text)[1] for text in texts(mode, "encrypt", "rotation")} >= {
        "bank", "nets", "ports", "writes", "outs", "keys"
    }  # fmt: skip
    kept = found(mode, "encrypt", "core", r"keeps (\d+) bytes, not 0", lambda m: int(m[1]))
    assert kept <= set(range(1, 16)) and len(kept) > 12
    assert found(mode, "encrypt", "output", r"gives (\d+), not", lambda m: int(m[1])) == set(range(made.blocks))
    words = found(mode, "setup", "output", r"gives (\d+), not", lambda m: int(m[1]))
    assert words == set(range(len(made.key_words)))


def test_changes_of_constants_and_numbers():
    constants = found(HCTR2, "encrypt", "core", r"constant (\w+), not (\w+)", lambda m: int(m[1], 16) ^ int(m[2], 16))
    assert {c.bit_count() for c in constants} == {1} and len(constants) > 20
    assert 112 < max(constants).bit_length() <= 128, "any bit of a block"
    numbers = {
        (int(match[1]), int(match[2]))
        for text in texts(HCTR2, "encrypt", "number")
        if (match := re.search(r"number (\d+), not (\d+)", text))
    }
    assert numbers and all(new != old for new, old in numbers)


def test_changes_of_operands_and_chains():
    sizes = found(HEH, "encrypt", "operand", r"takes \(([^)]*)\), not \(([^)]*)\)", lambda m: len(m[1].split()) - len(m[2].split()))
    assert sizes == {-1, 0, 1}
    chains = texts(HEH, "encrypt", "chain")
    stride = program(HEH).chains[0].stride
    assert found(HEH, "encrypt", "chain", r"steps by x\^(-?\d+)", lambda m: int(m[1]) - stride) == {-1, 1, 2}
    for what in ("does nothing in encrypt", "does a load", "does a step"):
        assert any(what in text for text in chains), what
    assert not any("decrypt" in text for text in chains)


def test_only_units_in_use_change_their_latency():
    made = program(HCTR2)
    used = {
        unit.name for unit in made.units
        if any(row and "setup" in row.select for row in made.tables["setup"].nets.get(f"{unit.name}.a", []))
    }  # fmt: skip
    named = {re.match(r"latency: (\w+)", text)[1] for text in texts(HCTR2, "setup", "latency", 200)}
    assert named == used and len(used) < len(made.units)


def test_a_unit_of_the_other_direction_keeps_its_latency():
    """A fault in what a direction does not use is none of this direction's."""
    made = copy_program(program(HEH))
    rows = made.main.nets["mul0.a"]
    rows[:] = [row and replace(row, select={"decrypt": row.select["decrypt"]}) for row in rows]
    named = {}
    for direction in ("encrypt", "decrypt"):
        maker = _Maker(made, direction, random.Random(1))
        texts = [mutant.text for _ in range(100) if (mutant := maker.make("latency")) is not None]
        named[direction] = {text.split()[1] for text in texts}
    assert named["decrypt"] - named["encrypt"] == {"mul0"} and named["encrypt"]
