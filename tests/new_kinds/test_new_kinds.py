# SPDX-License-Identifier: Apache-2.0
"""A new kind is an entry and its component: definitions with kinds of the tests' own, all the way to a core."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.new_kinds.kinds_of_tests import KINDS, Rotated, Tweaked, registered, turned
from tests.program_runs import computes
from tests.prove.mutate import mutants
from tests.rtl.engine.bench import Host, simulate
from tests.rtl.engine.mix import MIX

from modeloom.compiler.compile import Compiled, compile_mode
from modeloom.compiler.dump import dump
from modeloom.cores.sector import SectorCore
from modeloom.definition.software import Model
from modeloom.emit.files import emit
from modeloom.equivalence import prove_engine
from modeloom.options.sectors import Options
from modeloom.product.description import sector_groups
from modeloom.prove import ProofError, prove
from modeloom.spec import CipherKey, DefinitionError, Mode
from modeloom.spec.kinds import OPERATIONS, Kind, register


@pytest.fixture(autouse=True)
def kinds() -> Iterator[None]:
    with registered():
        yield


def compiled(mode: type[Mode], **options: Any) -> Compiled:
    on_mix = type(mode.__name__, (mode,), {"cipher": MIX})
    return compile_mode(on_mix(), Options(**{"sector": 64, "restarts": 10, **options}))


CASES: dict[str, tuple[type[Mode], dict[str, Any]]] = {
    "a tweakable cipher": (Tweaked, {}),
    "a tweakable cipher, two lanes": (Tweaked, {"aes": 2, "key_slots": 2}),
    "a rotation": (Rotated, {}),
    "a rotation, plain": (Rotated, {"overlap": False, "registered": False, "direction": "decrypt"}),
}


@pytest.mark.parametrize("case", CASES)
def test_from_the_definition_to_the_engine(case: str) -> None:
    """The program is proved, and gives on numbers and in the simulated engine what the definition gives."""
    mode, options = CASES[case]
    design = compiled(mode, **options)
    problem = design.schedule.problem
    assert design.proved and design.schedule.ii == (problem.ii_bound() if design.options.overlap else design.schedule.latency + 1)
    assert computes(design, lambda key: Model(type(design.mode), key), case)

    async def script(host: Host) -> None:
        await host.load_keys()
        for gaps in (0.0, 0.5):
            host.gaps = gaps
            host.send(8)
            await host.finish()

    simulate(design, script)


def test_what_is_known_of_an_inverse_and_what_is_not() -> None:
    """``xdec`` undoes ``xenc`` under the same key and tweak, whatever the cipher; of a rotation only values are tried."""
    assert compiled(Tweaked, aes=2).checked.inverse == "proved"
    assert compiled(Rotated).checked.inverse == "tested"

    class OtherTweak(Tweaked):
        def decrypt(self, o: Any, k: Any, tweak: Any, c: Any) -> list[Any]:
            t = o.xenc(tweak[0], k.w)
            return [o.xdec(x ^ o.double(t, i), tweak[0]) ^ o.double(t, i) for i, x in enumerate(c)]

    with pytest.raises(DefinitionError, match="decrypt does not invert encrypt"):
        compiled(OtherTweak)


def test_texts_name_it() -> None:
    design = compiled(Tweaked)
    assert "xdec(" in dump(design, "graph") and "tweakable0" in dump(design, "schedule")
    assert "unit tweakable0: xenc, xdec; post at" in dump(design, "program")
    design = compiled(Rotated)
    assert " 127 rotate " in dump(design, "program") and design.explain()["units"]["rotator"] == {"count": 2, "latency": 3, "interval": 1}


@pytest.mark.parametrize("mode", [Tweaked, Rotated])
def test_broken_graphs_and_programs_are_refused(mode: type[Mode]) -> None:
    """The other operation of the unit, operands that change places, another number; and mutants of the program."""
    design = compiled(mode)
    for i, op in list(design.graph.ops("decrypt")):
        changes: list[dict[str, Any]] = []
        if op.kind.operation in KINDS[:2]:
            changes = [{"kind": Kind(OPERATIONS[op.kind.operation.inverse])}, {"pre": op.pre[::-1]}]
        elif op.kind.operation is KINDS[2]:
            changes = [{"number": op.number - 1}]
        for change in changes:
            pairs = list(design.graph.pairs)
            pairs[i] = replace(pairs[i], ops={**pairs[i].ops, "decrypt": replace(op, **change)})
            with pytest.raises(ProofError):
                prove(replace(design, graph=replace(design.graph, pairs=pairs)))
    found = 0
    for mutant in mutants(design.allocation.program, "encrypt", 1, 60):
        broken = replace(design, allocation=replace(design.allocation, program=mutant.program))
        try:
            prove(broken)
        except ProofError:
            found += 1
    assert found >= 54, f"{found} of 60"


def test_words_that_a_definition_gets_wrong() -> None:
    class Alone(Tweaked):
        def encrypt(self, o: Any, k: Any, tweak: Any, p: Any) -> list[Any]:
            return [o.xenc(x) for x in p]

    class Far(Rotated):
        def encrypt(self, o: Any, k: Any, tweak: Any, p: Any) -> list[Any]:
            return [o.rotate(x, 128) for x in p]

    class Keyed(Rotated):
        def encrypt(self, o: Any, k: Any, tweak: Any, p: Any) -> list[Any]:
            return [o.rotate(x, 5, key=CipherKey(0)) for x in p]

    for mode, message in (
        (Alone, r"o.xenc\(\) takes 2 blocks"), (Far, r"o.rotate\(\) takes 1 to 127, not 128"),
        (Keyed, r"o.rotate\(\) takes 1 block and a number"),
    ):
        with pytest.raises(DefinitionError, match=message):
            compiled(mode)


def test_what_cannot_be_registered() -> None:
    first = KINDS[2]
    for changes, message in (
        ({}, "there is a kind 'rotate' already"),
        ({"name": "mul"}, "there is a kind 'mul' already"),
        ({"name": "rot13"}, "names of kinds are words of letters"),
        ({"name": "other", "unit": replace(first.unit, name="mul")}, "there is a kind 'mul' already"),
        ({"name": "other", "unit": replace(first.unit, name="wide", ports=tuple("iabcd"))}, "other takes 5 operands"),
        ({"name": "other", "inverse": "rotate"}, "other: rotate is not its inverse"),
    ):
        known = dict(OPERATIONS)
        with pytest.raises(ValueError, match=message):
            register(replace(first, **changes))
        assert known == OPERATIONS


def test_an_emitted_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Verilog of a core with rotators is executed on symbols and computes the graph.

    A rotator that does something else is refused.
    """
    design = compile_mode(Rotated(), Options(sector=32, aes_arch="sequential", aes_stages=1, restarts=5))
    made = SectorCore(design)
    emit(made, tmp_path / "core", command="test")
    report = prove_engine(tmp_path / "core", made)
    assert report.whole and report.blocks == 2 * report.sectors
    paths = ["core.engine.rotator0.rotate", "core.engine.cipher0.both"]
    assert sector_groups(paths)["rotators"] == ["core.engine.rotator0."]
    # A circuit that does something else is no rotator; where only its bits are in another order, what leaves is wrong.
    for wrong, message in ((1, "is not what the definition says"), (-1, "is no bit of the result of rotate")):
        by = (lambda n: n + 1) if wrong > 0 else (lambda n: n ^ 1)
        monkeypatch.setitem(OPERATIONS, "rotate", replace(KINDS[2], on_numbers=lambda o, x, n, by=by: turned(x[0], by(n))))
        with pytest.raises(ProofError, match=message):
            prove_engine(tmp_path / "core", made)
