# SPDX-License-Identifier: Apache-2.0
"""The rules of streams and keys are proved of the emitted buses, for ever; each can fail, and then a run from the reset shows how."""

from __future__ import annotations

from functools import lru_cache

import pytest
from tests.built import slowly
from tests.formal.bits import Bits, constant
from tests.formal.broken import FAULTS, Fault, broken
from tests.formal.emitted_bus import KEYED, SINGLE, SIZES, bus_verilog, machine_of
from tests.formal.key_rules import KEY_INVARIANTS, KEY_RULES, VERDICT_RULES
from tests.formal.machine import Machine
from tests.formal.proof import Counterexample, check_invariants, check_rule, never_stuck, search
from tests.formal.size_rules import SIZE_INVARIANTS, SIZE_RULES
from tests.formal.stream_rules import (
    INVARIANTS,
    OK,
    RULES,
    BusState,
    host_takes,
    longest_wait,
    result_is_offered,
    result_is_there,
    status_given,
    status_is_offered,
    status_is_there,
    waits_for_the_host_only,
)
from tests.verilog_edit import edit_module

from modeloom.rtl.bus.sector import BusParameters
from modeloom.taint import combinational_paths

ALL_RULES = (*RULES, *KEY_RULES)

@lru_cache
def machine(size: str) -> Machine:
    return machine_of(bus_verilog(KEYED[size]))


@pytest.mark.parametrize("size", KEYED)
def test_invariants(size: str) -> None:
    check_invariants(machine(size), KEYED[size])


RULES_OF_SIZES = [
    *((size, rule) for size in SIZES for rule in ALL_RULES),
    *(("cipher keys", rule) for rule in (*KEY_RULES, *VERDICT_RULES)),
    *(("two lengths", rule) for rule in KEY_RULES),
    *(("key sizes", rule) for rule in (*KEY_RULES, *SIZE_RULES)),
]


@pytest.mark.parametrize(("size", "rule"), RULES_OF_SIZES, ids=[f"{size}-{rule.__name__}" for size, rule in RULES_OF_SIZES])
def test_rule(size: str, rule) -> None:
    """The rule is proved for the buses of this size, for runs of any length."""
    check_rule(machine(size), KEYED[size], rule)


@pytest.mark.parametrize("size", [*(size for size in SIZES if size != "512 bytes"), *slowly("512 bytes")])
def test_status_comes_in_time(size: str) -> None:
    p = SIZES[size]
    wait = longest_wait(p)
    assert never_stuck(machine(size), p, waits_for_the_host_only, host_takes, status_given, wait)
    if p.beats < 8:
        assert not never_stuck(machine(size), p, waits_for_the_host_only, host_takes, status_given, wait - 1), "too generous"


def _offered_whatever_ready_is(machine: Machine, p: BusParameters) -> tuple[bool, bool]:
    """Whether results are on the bus in the second cycle after they are there, and statuses in the next one, without a word on ready."""

    def always(s: BusState) -> Bits:
        return constant(1, 1)

    return (
        never_stuck(machine, p, result_is_there, always, result_is_offered, 3),
        never_stuck(machine, p, status_is_there, always, status_is_offered, 2),
    )


@pytest.mark.parametrize("size", SIZES)
def test_valid_does_not_wait_for_ready(size: str) -> None:
    assert _offered_whatever_ready_is(machine(size), SIZES[size]) == (True, True)


@pytest.mark.parametrize(
    ("module", "pattern", "replacement", "holds"),
    [
        ("bus_ring_out", r"else valid_reg <= put", "else valid_reg <= put & o_ready", (False, True)),
        ("bus_queue", r"\(~valid_reg \| status_ready\)", "status_ready", (True, False)),
    ],
)  # fmt: skip
def test_a_valid_that_waits_for_ready_is_found(module: str, pattern: str, replacement: str, holds: tuple[bool, bool]) -> None:
    broken = machine_of(edit_module(bus_verilog(SIZES["small"]), module, pattern, replacement))
    assert _offered_whatever_ready_is(broken, SIZES["small"]) == holds


@pytest.mark.parametrize("size", SIZES)
def test_no_combinational_path_through_the_buses(size: str) -> None:
    """No input from the host reaches an output to the host without a register, whatever the engine does."""
    host = ("cmd_", "s_", "m_", "status_", "key_")
    paths = combinational_paths(machine(size).netlist)
    assert [pair for pair in paths if pair[0].startswith(host) and pair[1].startswith(host)] == []
    # The inputs for erasure come from registers of the core, and go on to the engine.
    allowed = {"engine_enter_ack", "erase_we", "erase_address"}
    assert {source for source, _ in paths} <= allowed, "an input of the engine's reaches an output"


def test_good_sectors_are_possible() -> None:
    """The proofs are not empty: from the reset there is a run with a good status, so that the assumptions allow one."""

    def none_is_good(s: BusState, t: BusState) -> Bits:
        return ~(s.shake("status") & s["queue.status_payload"][16:].equals(OK))

    trace = search(machine("single"), SINGLE, none_is_good, 16)
    assert trace is not None and trace.cycles[-1]["queue.valid_reg"] == trace.cycles[-1]["queue.status_ready"] == 1
    assert "ring.done_valid" in str(trace)


def _refuted(faulty: Machine, p: BusParameters) -> set[str]:
    """Rules and the first invariant that can not be proved any more."""
    names = set()
    for rule in [rule for size, rule in RULES_OF_SIZES if KEYED[size] is p]:
        try:
            check_rule(faulty, p, rule)
        except Counterexample:
            names.add(rule.__name__)
    try:
        check_invariants(faulty, p)
    except Counterexample as error:
        names.add(str(error).split()[0])
    return names


DEAR = (
    "the size changes while a key is expanded", "the size changes while sectors are in the engine", "a sector enters without a place",
)  # fmt: skip
"""Faults whose runs are long."""

SOME = [fault if number % 3 == 0 and fault.what not in DEAR else slowly(fault)[0] for number, fault in enumerate(FAULTS)]
"""Each takes some seconds: every third one by default, but for those that take the longest."""


@pytest.mark.parametrize("fault", SOME, ids=[fault.what for fault in FAULTS])
def test_faults_are_refuted_with_a_run(fault: Fault) -> None:
    """For each planted fault there is a run that breaks a rule, and the proof is refused."""
    p = KEYED[fault.size]
    faulty = machine_of(broken(bus_verilog(p), fault))
    assert _refuted(faulty, p)
    if fault.rule in (*INVARIANTS, *KEY_INVARIANTS, *SIZE_INVARIANTS):

        def rule(s: BusState, t: BusState) -> Bits:
            return fault.rule(t)

    else:
        rule = fault.rule
    trace = search(faulty, p, rule, fault.cycles)
    assert trace is not None, f"no run of {fault.cycles} cycles"
    print(trace)
    assert search(machine(fault.size), p, rule, min(len(trace.cycles), 12)) is None, "without the fault there is no such run"
