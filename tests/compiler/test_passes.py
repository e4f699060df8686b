# SPDX-License-Identifier: Apache-2.0
"""The list of passes: each makes what it says and changes nothing that it is given; choices run the passes that they name."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import fields, replace
from typing import Any

import pytest

from modeloom.ciphers import cipher_of
from modeloom.compiler import compile as choices
from modeloom.compiler.compile import PASSES, STEPS, Choice, Pass, Work, compile_mode, nothing
from modeloom.compiler.dump import DUMPS, dump
from modeloom.modes import find
from modeloom.options.sectors import Options, preset

MODES: dict[str, tuple[str, Options]] = {
    "stealing": ("xts", Options(sector=40, restarts=5)),
    "squares on the fly": ("heh-brw", Options(sector=128, squares="fly", restarts=5)),
    "keys of set-up": ("xcb-1619", Options(sector=48, restarts=5)),
    "several pipelines": ("hctr2", Options(sector=256, aes=2, restarts=5)),
    "exact": ("eme", preset("brw2013-2core").but(sector=96, exact=True, restarts=5)),
    "few sources": ("hctr2", Options(sector=96, restarts=5, wire_effort=10)),
}

GIVEN = ("mode", "options", "architecture")
"""Members that are no data of the passes."""


def start(mode: str, options: Options) -> Work:
    definition = find(mode)
    options = options.of(definition).on(cipher_of(definition))
    assert options.key_bits
    return Work(
        mode=definition, options=options, tweak_bytes=definition.tweak_sizes[0], key_bytes=options.key_bits // 8, longest=options.sector
    )


def data(work: Work) -> dict[str, Any]:
    return {f.name: getattr(work, f.name) for f in fields(work) if f.name not in GIVEN}


def step_of(step: Pass | Choice, work: Work) -> Work:
    """What a step makes of a work; raises ``AssertionError`` if it changes the work that it is given."""
    before = deepcopy(data(work))
    text = repr(data(work))
    (after,) = step.run((work,)) if isinstance(step, Choice) else (step.run(work, nothing),)
    changed = [name for name, value in data(work).items() if value != before[name]]
    assert not changed and repr(data(work)) == text, f"{step.name} changes {', '.join(changed) or 'a part'} of what it is given"
    return after


@pytest.mark.parametrize("case", MODES)
def test_a_step_makes_what_it_says_and_changes_nothing(case: str) -> None:
    """Each pass makes the values that it declares, and leaves all others as they were."""
    work = start(*MODES[case])
    for step in STEPS:
        after = step_of(step, work)
        made = {f.name for f in fields(work) if getattr(after, f.name) is not getattr(work, f.name)}
        if isinstance(step, Pass):
            assert made == set(step.makes), step.name
        else:
            assert made <= set(step.chooses), step.name
        work = after
    assert work.report


def test_a_pass_that_changes_what_it_is_given_is_seen() -> None:
    """A pass that changes its argument is found."""
    work = start(*MODES["stealing"])

    def spoil(work: Work, _: Any) -> Work:
        op = work.paired.pairs[0].ops["encrypt"]
        op.pre = [form[:-1] for form in op.pre]
        return work

    def append(work: Work, _: Any) -> Work:
        work.lowered.directions["decrypt"].append(work.lowered.directions["decrypt"][0])
        return work

    def rename(work: Work, _: Any) -> Work:
        work.setup_graph.key_names.append("h")
        return work

    for step in STEPS[:10]:
        work = step_of(step, work)
    for broken in (spoil, append, rename):
        with pytest.raises(AssertionError, match="changes"):
            step_of(Pass("broken", broken, (), 0.0), work)


def test_the_list() -> None:
    """Passes in the order of the documentation, and choices before the passes that need them."""
    assert [one.name for one in PASSES] == ["trace", "expand", "lower", "squares", "pair", "chains", "schedule", "allocate", "prove"]
    assert abs(sum(one.share for one in PASSES) - 1) < 1e-9
    names = [step.name for step in STEPS]
    assert len(set(names)) == len(names) and [step for step in STEPS if isinstance(step, Pass)] == list(PASSES)
    for step in STEPS:
        if isinstance(step, Choice):
            assert step.tries and set(step.tries) <= {one.name for one in PASSES}


@pytest.mark.parametrize(("case", "choice"), [("several pipelines", "horner"), ("exact", "registers"), ("few sources", "networks")])
def test_a_choice_runs_the_passes_that_it_names(case: str, choice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def spied(one: Pass) -> Pass:
        def run(work: Work, progress: Any) -> Work:
            ran.append(one.name)
            return one.run(work, progress)

        return replace(one, run=run)

    work = start(*MODES[case])
    for step in STEPS:
        if step.name == choice:
            monkeypatch.setattr(choices, "PASSES", tuple(map(spied, PASSES)))
            assert isinstance(step, Choice)
            step.run((work,))
            assert set(ran) <= set(step.tries) and len(ran) > len(set(ran)), "for more than one candidate"
            if choice == "horner":
                assert set(ran) == set(step.tries)
            return
        work = step_of(step, work)
    raise AssertionError(f"there is no choice {choice}")


def test_every_pass_has_a_dump() -> None:
    assert [name for name in DUMPS if name not in ("graph", "program")] == [one.name for one in PASSES]
    compiled = compile_mode(find("hctr2"), Options(sector=32, more_sectors=(48,), restarts=0))
    texts = {name: dump(compiled, name) for name in DUMPS}
    for name in ("trace", "expand", "lower", "squares", "pair", "chains", "allocate", "prove"):
        assert texts[name].count(texts[name].split("\n", 1)[0].split()[0] + " ") >= 2, f"{name}: both sizes"
    assert "sectors of 48 bytes" in texts["prove"] and "not run" not in texts["prove"]
    assert "not run" in dump(compile_mode(find("hctr2"), Options(sector=32, restarts=0), prove=False), "prove")
