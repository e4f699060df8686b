# SPDX-License-Identifier: Apache-2.0
"""Checks of a plan for the hardware of a stream mode: what its steps and lanes cannot be."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from modeloom.spec import DefinitionError, InputError
from modeloom.spec.kinds import DEC, ENC, TDEC, TENC, Operation
from modeloom.spec.stream import BETWEEN, PARTIAL, StreamMode
from modeloom.streams.place import unit_of
from modeloom.streams.recurrences import Recurrence, horner_operation
from modeloom.streams.steps import Source, Step

if TYPE_CHECKING:
    from modeloom.streams.plan import StreamPlan

__all__ = ["check_between", "check_lanes", "check_last", "check_reads", "check_unit", "check_units"]


def check_last(plan: StreamPlan) -> None:
    """Raises ``DefinitionError`` for a last block that takes other tokens than the others."""
    for whole, last in ((whole, each) for whole, others in plan.last_steps.items() for each in others):
        at = [[each.at for each in plan.placed.passes[name]] for name in (whole, last)]
        if at[0] != at[1]:
            what = "partial last" if last.startswith(PARTIAL) else "last"
            tokens = " and ".join(f"{len(each)} of {name}()" for each, name in zip(at, (whole, last), strict=True))
            raise DefinitionError(f"{plan.mode.name}: a {what} block takes as many tokens as a whole one, not {tokens}")
        if (plan.hashed(plan.step(whole)) is None) != (plan.hashed(plan.step(last)) is None):
            raise DefinitionError(f"{plan.mode.name}: the hash takes whole blocks and partial ones of {whole}(), or neither of them")


def check_between(plan: StreamPlan) -> None:
    """Raises ``InputError`` for a step between text and associated data for which the entry has no place."""
    if not plan.text_first:
        return
    passes, name = plan.placed.passes[BETWEEN], plan.mode.name
    if len(passes) > 1:
        raise InputError(f"--order text-first is not for {name}: its tag takes the cipher several times; leave it out")
    if plan.returning and passes[0].at < max(use for uses in plan.placed.returns.values() for use in uses):
        raise InputError(f"--order text-first is not for {name}: blocks return to the cipher after its tag has had it; leave it out")


def check_lanes(plan: StreamPlan) -> None:
    """Raises ``DefinitionError`` or ``InputError`` for steps that cannot run in several lanes."""
    names = ("associated", *plan.mode.text_steps(), "tag")
    first, *texts, last = (plan.hashed(plan.step(name)) is not None for name in names)
    if plan.horner is not None and (len(set(texts)) > 1 or (first and last and not texts[0])):
        raise DefinitionError(f"{plan.mode.name}: the hash takes blocks of text in one direction alone, or leaves them out between others")
    if plan.lanes == 1:
        return
    if plan.pairs or plan.returning:
        why = "takes text in pairs" if plan.pairs else "returns to the cipher with a block"
        raise InputError(f"{plan.mode.name} {why}, which is for one block per cycle; leave out --blocks-per-cycle")
    for name in names[:-1]:
        if len(plan.placed.passes[name]) > 1:
            raise InputError(f"{plan.mode.name}: {name}() needs a unit twice, so that several blocks per cycle are impossible")
    for whole, part in ((whole, each) for whole, others in plan.last_steps.items() for each in others):
        counted = [_counted(plan, plan.step(name)) for name in (whole, part)]
        if all(counted) and counted[0] != counted[1]:
            raise InputError(f"{plan.mode.name}: {part}() adds another number to a counter than {whole}(); it takes one block per cycle")
    for kind in plan.kinds.values():
        if kind.chained:
            raise InputError(f"{plan.mode.name}: each block waits for the result of the one before; it takes one block per cycle at most")
    if plan.cores > 1 or plan.prefixes:
        raise InputError(f"{plan.mode.name}: several ciphers, and a prefix of associated data, are for one block per cycle")


def _counted(plan: StreamPlan, step: Step) -> set[tuple[str, int]]:
    """The counters of the state that a step reads with an adder, and what it adds."""
    found = set()
    for operation in step.operations:
        for term in operation.operands[0]:
            if operation.operation.counter and term.source.kind == "state" and plan.kinds[str(term.source.what)].kind == "counter":
                found.add((str(term.source.what), operation.number))
    return found


def check_units(mode: StreamMode, steps: list[Step], latencies: Collection[str]) -> None:
    """Raises ``DefinitionError`` for an operation of a step that no unit of the pipeline performs."""
    for step in steps:
        for one in step.operations:
            check_unit(mode, step.name, one.operation, latencies)


def check_unit(mode: StreamMode, step: str, operation: Operation, units: Collection[str]) -> None:
    """Raises ``DefinitionError`` for an operation of a step, or of the set-up, that no unit of the pipeline performs."""
    unit = unit_of(operation)
    # Set-up enciphers only, so that the cipher of a core without deciphering steps has one direction.
    ciphers = (ENC,) if step == "setup" else (ENC, DEC, TENC, TDEC)
    if (operation.keyed and operation.name not in ciphers) or (unit and unit not in units):
        raise DefinitionError(f"{mode.name}: {step}() uses o.{operation.name}(), for which the pipeline of a stream mode has no unit")


def check_reads(mode: StreamMode, steps: list[Step], kinds: dict[str, Recurrence]) -> None:
    """Raises ``DefinitionError`` for steps that read a nonce, a key value or the hash where the pipeline has none."""
    nonces = {source.what for step in steps for source in step.sources() if source.kind == "nonce"}
    if len(nonces) > 1:
        raise DefinitionError(f"{mode.name}: start() reads nonce.block and o.pad01(nonce); let it read the nonce in one form")
    for step in steps:
        for name, form in step.updates.items() if step.name == "start" else ():
            if any(term.source.kind == "key" for term in form):
                raise DefinitionError(f"{mode.name}: start() adds a key value to the state {name}; let the steps that read {name} add it")
        for name, kind in kinds.items():
            if kind.kind != "horner":
                continue
            if step.name == "start" and step.updates[name]:
                raise DefinitionError(f"{mode.name}: start() gives the hash {name} a value; let it begin with 0, and hash a first block")
            own = horner_operation(step, kind)
            others = [form for number, one in enumerate(step.operations) if number != own for form in one.operands]
            others += [*step.updates.values(), *step.outputs()]
            if any(term.source == Source("state", name) for form in others for term in form):
                raise DefinitionError(
                    f"{mode.name}: {step.name}() reads the hash {name} without a product; let tag() hash a last block, such as "
                    "o.bit_lengths(n.associated, n.text), and read the product"
                )
