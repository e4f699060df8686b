# SPDX-License-Identifier: Apache-2.0
"""Broken programs are refused: what a simulation of 10,000 sectors tells apart, the checkers or the proof refuse."""

import random
from collections import Counter
from functools import cache

import pytest
from tests.built import slowly
from tests.program_runs import numeric_machine
from tests.prove.mutate import KINDS, mutants

import modeloom_golden as golden
from modeloom.allocate.check import CheckError, check_program
from modeloom.compiler.compile import compile_mode
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.heh import HEH
from modeloom.options.sectors import Options
from modeloom.prove import ProofError
from modeloom.prove.execute import Symbols, direction_pattern, entries_with_gaps, prove_program
from modeloom.prove.machine import MachineError

MODES = {"hctr2": HCTR2, "heh-brw": HEH}
SEED = 20131
RUNS = 400
POOL = 150


class Bench:
    """A compiled mode with sectors of which the golden model knows the results."""

    def __init__(self, name: str):
        self.mode = MODES[name]
        self.compiled = compile_mode(self.mode(), Options(sector=512, tweak=16, restarts=3), prove=False)
        self.program = self.compiled.allocation.program
        units = self.compiled.units
        self.delays = {"out_delay": units.unit("out").latency, "key_delay": units.key_delay}
        self.symbols = Symbols()
        self.rng = random.Random(SEED)
        key = self.rng.randbytes(self.mode.key_bytes(16))
        self.key = key
        reference = golden.mode(name, key)
        self.pool = {}
        for direction in self.program.directions:
            self.pool[direction] = []
            for _ in range(POOL):
                tweak, data = self.rng.randbytes(16), self.rng.randbytes(512)
                self.pool[direction].append((tweak, data, getattr(reference, direction)(tweak, data)))

    def refused(self, program) -> str:
        """Who refuses a program, "" for nobody."""
        try:
            check_program(program, **self.delays)
        except CheckError as error:
            assert "\n" not in str(error)
            return "checker"
        return self.refused_by_proof(program)

    def refused_by_proof(self, program) -> str:
        try:
            prove_program(program, self.compiled.graph, self.compiled.setup_graph, symbols=self.symbols, **self.delays)
        except ProofError as error:
            assert "\n" not in str(error)
            return "proof"
        return ""

    def simulated(self, program, runs: int = RUNS) -> int:
        """Simulated sectors, all as the golden model says; a negative number if one is not."""
        count = 0
        machine = numeric_machine(self.compiled, self.key, program=program, runs=runs)
        for length, early in ((18, True), (8, False)):
            directions = direction_pattern(program.directions, program.main.stages + 1, length)[:length]
            steady = [n * program.ii for n in range(length)]
            entries = steady if early else entries_with_gaps(length, program.ii, program.main.stages)
            chosen = [[self.rng.choice(self.pool[d]) for d in directions] for _ in range(runs)]
            stream = machine.stream(
                directions,
                entries,
                [[tweak for tweak, _, _ in row] for row in chosen],
                [[data for _, data, _ in row] for row in chosen],
                early=early,
                turn=-program.main.stages,
            )
            for n, (_, results) in enumerate(stream):
                if any(result != row[n][2] for result, row in zip(results, chosen, strict=True)):
                    return -count - 1
                count += runs
        return count


@cache
def bench(name: str) -> Bench:
    return Bench(name)


_simulated: dict[str, dict[str, int]] = {name: {} for name in MODES}
"""Accepted mutants of both directions: some change both."""


@pytest.mark.parametrize("name", MODES)
def test_the_programs_themselves_pass(name):
    made = bench(name)
    assert made.refused(made.program) == ""
    assert made.simulated(made.program, runs=20) == 20 * 26


@pytest.mark.parametrize("count", [100, *slowly(200)])
@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
@pytest.mark.parametrize("name", MODES)
def test_mutants_are_refused_or_harmless(name, direction, count, record_property):
    """The proof refuses every mutant of a program that does not compute the same."""
    made = bench(name)
    print(f"{name} {direction}: seed {SEED}")
    verdicts = Counter()
    kinds = Counter()
    accepted = []
    for mutant in mutants(made.program, direction, SEED, count):
        verdict = made.refused(mutant.program)
        verdicts[verdict or "accepted"] += 1
        kinds[mutant.kind] += 1
        if not verdict:
            accepted.append(mutant)
    print(f"{name} {direction}: {dict(verdicts)}, accepted {[m.text for m in accepted]}")
    record_property("verdicts", dict(verdicts))
    assert sum(verdicts.values()) == count
    assert set(kinds) >= set(KINDS) - {"batch"} - ({"chain"} if not made.program.chains else set())
    assert len(accepted) <= count // 20
    for mutant in accepted:
        if mutant.text not in _simulated[name]:
            _simulated[name][mutant.text] = made.simulated(mutant.program)
        assert _simulated[name][mutant.text] >= 10_000, f"{mutant.text}: accepted, and it computes something else"


@pytest.mark.parametrize("name", MODES)
def test_mutants_of_the_set_up_are_refused_or_harmless(name):
    made = bench(name)
    accepted = []
    for mutant in mutants(made.program, "setup", SEED, 100):
        if not made.refused(mutant.program):
            accepted.append(mutant)
    assert len(accepted) <= 5
    for mutant in accepted:
        if mutant.text not in _simulated[name]:
            _simulated[name][mutant.text] = made.simulated(mutant.program)
        assert _simulated[name][mutant.text] >= 10_000, mutant.text


@pytest.mark.parametrize("name", MODES)
def test_the_simulation_tells_broken_programs_apart(name):
    """Most mutants compute something else; a simulation that never noticed would say nothing of the accepted ones."""
    made = bench(name)
    noticed = tried = 0
    for mutant in mutants(made.program, "encrypt", SEED + 1, 70):
        if mutant.kind in ("operand", "address", "core", "chain"):
            tried += 1
            try:
                noticed += made.simulated(mutant.program, runs=2) < 0
            except MachineError:
                noticed += 1
    assert tried >= 15
    assert noticed >= 0.9 * tried


@pytest.mark.parametrize("name", MODES)
def test_the_proof_alone_refuses_what_the_checker_refuses(name):
    """Checker and proof are written apart: without the checker the proof still finds the broken programs."""
    made = bench(name)
    missed = [
        mutant.text
        for mutant in mutants(made.program, "decrypt", SEED + 2, 60)
        if made.refused(mutant.program) and not made.refused_by_proof(mutant.program)
    ]
    assert len(missed) <= 2, missed
