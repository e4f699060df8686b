# SPDX-License-Identifier: Apache-2.0
"""Proves that a compiled program computes its mode.

::

    definition ── A: normal forms ── lowered graph ── B: execution on symbols ── program
                                           checkers of graph, schedule and program first

The set-up is part of both.  The proof does not depend on the cipher, which may be any permutation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Protocol

from modeloom.allocate.build import Allocation
from modeloom.allocate.check import CheckError, check_program, check_schedule
from modeloom.ir.check import check_graph
from modeloom.ir.graph import OpGraph, Trace
from modeloom.prove.execute import KEY_DELAY, ProofError, prove_program
from modeloom.prove.rewrite import prove_rewrite
from modeloom.schedule.modulo import Schedule
from modeloom.schedule.problem import UnitSet
from modeloom.spec.kinds import OUT

__all__ = ["CheckError", "ProofError", "ProofReport", "Provable", "check", "prove"]


class Provable(Protocol):
    """The input of the proof: the traced definition of a compiled mode, and the results of the passes."""

    @property
    def source(self) -> Trace: ...
    @property
    def units(self) -> UnitSet: ...
    @property
    def graph(self) -> OpGraph: ...
    @property
    def setup_graph(self) -> OpGraph: ...
    @property
    def schedule(self) -> Schedule: ...
    @property
    def setup_schedule(self) -> Schedule: ...
    @property
    def allocation(self) -> Allocation: ...


@dataclass(frozen=True)
class ProofReport:
    """The extent of a proof.  It is the same for the same program.

    Attributes
    ----------
    sectors, cycles : int
        Sectors and cycles executed on symbols.
    monomials : int
        Number of different monomials in the normal forms.
    """

    sectors: int
    cycles: int
    monomials: int


def check(compiled: Provable) -> None:
    """Runs the legality checkers of graph, schedule and program.  Raises ``CheckError``."""
    source, units, program = compiled.source, compiled.units, compiled.allocation.program
    checked = partial(check_graph, terms=units.terms, block_bytes=source.block_bytes, raw_names=source.raw_names)
    checked(compiled.graph, blocks=source.blocks, tweak_blocks=source.tweak_blocks, cipher_bits=source.cipher_bits)
    checked(compiled.setup_graph, blocks=0, tweak_blocks=0, cipher_bits=source.cipher_bits[: source.host_keys])
    check_schedule(compiled.schedule)
    check_schedule(compiled.setup_schedule)
    facts: dict[str, tuple[object, object]] = {
        "bytes of a sector": (program.nbytes, source.nbytes),
        "bytes of a tweak": (program.tweak_bytes, source.tweak_bytes),
        "bytes of a block": (program.block_bytes, source.block_bytes),
        "directions": (program.directions, tuple(source.outputs)),
        "lanes": (program.lanes, units.lanes),
        "key words": (tuple(program.key_words), tuple(compiled.graph.key_names)),
        "host's key words": (tuple(program.key_words[: program.raw_words]), source.raw_names),
        "cipher keys": (tuple(program.cipher_keys), tuple(source.cipher_keys)),
        "lengths of cipher keys": (tuple(program.cipher_bits), tuple(source.cipher_bits)),
        "cipher keys of set-up": (
            tuple(tuple(program.key_words[i] for i in words) for words in program.derived), compiled.setup_graph.derived,
        ),
        "key words that are not 0": (tuple(program.key_words[i] for i in program.nonzero), compiled.setup_graph.nonzero),
    }
    for what, (got, wanted) in facts.items():
        if got != wanted:
            raise CheckError(f"{program.name}: the program's {what} are {got}, not {wanted}")
    check_program(program, out_delay=units.unit(OUT.unit).latency, key_delay=KEY_DELAY)


def prove(compiled: Provable) -> ProofReport:
    """Proves a ``compiler.compile.Compiled``.

    Raises
    ------
    ProofError
        A checker refuses it, or it computes something other than the definition.  The message is one line that says where.
    """
    try:
        check(compiled)
    except CheckError as error:
        raise ProofError(str(error)) from error
    monomials = prove_rewrite(compiled.source, compiled.graph, compiled.setup_graph)
    units = compiled.units
    executed = prove_program(
        compiled.allocation.program, compiled.graph, compiled.setup_graph,
        out_delay=units.unit(OUT.unit).latency, key_delay=KEY_DELAY,
    )  # fmt: skip
    return ProofReport(executed.sectors, executed.cycles, monomials)
