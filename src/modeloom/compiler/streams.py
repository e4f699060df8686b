# SPDX-License-Identifier: Apache-2.0
"""Compiles the definition of a stream mode to a proved pipeline of tokens, with the units that a user chooses.

The keys that a core derives of master keys: the derivation for each size, and the round cores that it runs on.

::

    calls of a message      0  1 | 2  3 | 4  5        two round cores: a call each in a batch
    batches                   0      1      2         so many cycles apart as a block has rounds
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Self, cast

from modeloom.ciphers import BlockCipher, cipher_of
from modeloom.ciphers.description import SERIAL, CoreRequest, CoreTiming
from modeloom.definition.check import NOT_CHECKED, Checked
from modeloom.definition.messages import derived_under
from modeloom.definition.opened import check_messages
from modeloom.options.messages import MOST_DERIVERS, USUAL, StreamOptions
from modeloom.spec import InputError
from modeloom.spec.cadence import EVERY_CYCLE
from modeloom.spec.kinds import CIPHER, MUL
from modeloom.spec.stream import BETWEEN, StreamMode, variants
from modeloom.streams.derive import Derivation, derivation_of, prove_derivation
from modeloom.streams.plan import MULTIPLIER_REGISTERS, StreamPlan, plan_stream
from modeloom.streams.prove import StreamProof, prove_numbers, prove_setup, prove_stream
from modeloom.streams.prove_open import prove_channels
from modeloom.streams.reservation import ReservationTable
from modeloom.streams.steps import Step, steps_of
from modeloom.streams.trace import trace_stream

__all__ = [
    "DERIVE_TARGET", "CipherNumbers", "CompiledStream", "DerivedKeys", "StreamOptions", "compile_stream",
    "default_sizes", "derived_keys",
]  # fmt: skip

DERIVE_TARGET = 64
"""Cycles of the derivation of a key for which a core has enough round cores if a user names no number: those of a message of 1 KB."""


@dataclass(frozen=True)
class DerivedKeys:
    """How a core derives keys.

    Attributes
    ----------
    derivations : tuple of Derivation
        For each size of master keys, in the order of the sizes of the cipher.
    cores : int
        Round cores.
    request : CoreRequest
        The request for one of them, but for the number of its slots.
    timing : CoreTiming
        Cycles from an operand to its result, and from one batch to the next.
    """

    derivations: tuple[Derivation, ...]
    cores: int
    request: CoreRequest
    timing: CoreTiming

    def batches(self, size: int) -> int:
        """Batches of calls of a key of a size, by its number."""
        return -(-self.derivations[size].calls // self.cores)

    @property
    def cycles(self) -> int:
        """Cycles from the derivation of one key to the next, of the size that takes longest."""
        return max(map(self.batches, range(len(self.derivations)))) * self.timing.interval

    def explain(self) -> dict[str, object]:
        """The figures of ``modeloom explain --json``."""
        return {"calls": [each.calls for each in self.derivations], "cores": self.cores, "cycles": self.cycles}

    def prove(self, mode: StreamMode) -> None:
        """Proves that the derivations are those of the definition.  Raises ``ProofError`` if one is not."""
        for bits, derivation in zip(self.request.key_sizes, self.derivations, strict=True):
            prove_derivation(mode, derivation, partial(derived_under, mode, None, bits // 8))


def derived_keys(mode: StreamMode, cipher: BlockCipher, request: CoreRequest, cores: int | None) -> DerivedKeys:
    """The derivation of the keys of a mode on round cores, so many or as many as it needs.

    Raises
    ------
    InputError
        The cipher has no round core, or the definition derives keys in a way that is not for hardware.
    """
    one = request.but(direction="encrypt", form="multistream", stages=1, streams=1, writers=0, sbox=cipher.sboxes[0])
    if not cipher.makes(one):
        raise InputError(f"--keys derived: {cipher.name} has no round core for one block; build it with --keys inline")
    derivations, timing = tuple(derivation_of(mode, bits // 8) for bits in one.key_sizes), cipher.timing(one.but(slots=1))
    made = [DerivedKeys(derivations, count, one, timing) for count in (range(1, MOST_DERIVERS + 1) if cores is None else (cores,))]
    return next((each for each in made if each.cycles <= DERIVE_TARGET), made[-1])


# -- streams -----------------------------------------------------------------------------------------------------------------------

SCHEMA = "modeloom-explain-stream-1"


@dataclass(frozen=True)
class CompiledStream:
    """A stream mode compiled.

    Attributes
    ----------
    mode : StreamMode
    options : StreamOptions
        The options, with the defaults of the cipher filled in.
    plan : StreamPlan
    cipher_request : CoreRequest
        The request to the cipher.
    proof : StreamProof or None
        The result of the proof; None if it has not run.
    derived : DerivedKeys or None
        How the core derives the keys of messages; None if it does not.
    checked : Checked
        What the checks of the definition found.
    """

    mode: StreamMode
    options: StreamOptions
    plan: StreamPlan
    cipher_request: CoreRequest
    proof: StreamProof | None
    derived: DerivedKeys | None = None
    checked: Checked = Checked(NOT_CHECKED, ())

    def explain(self) -> dict[str, Any]:
        """The figures of ``modeloom explain --json``."""
        plan, placed, table, passes = self.plan, self.plan.placed, self.plan.reservations, len(self.mode.sealing())
        returns = {title: list(uses) for title, uses in plan.uses.items() if title in placed.returns}
        detached = [name for name in ("start", "tag") if table.detached(name)]
        starts = [step for step in plan.steps if step.name == "start"]
        return {
            "schema": SCHEMA,
            "mode": self.mode.name,
            "block_bytes": self.mode.block_bytes,
            "cipher": self.options.cipher,
            "key_bits": self.options.key_bits,
            "blocks_per_cycle": plan.lanes,
            **_unless(EVERY_CYCLE, table.cadence, cadence=self._cadence(table)),
            **_unless(USUAL.channels, self.options.channels, channels=self.options.channels),
            **_unless(USUAL.order, self.options.order, order=self.options.order, shared=dict(plan.shared)),
            "latency": plan.text_stage,
            "latency_tag": placed.outputs["tag"] + placed.passes["tag"][-1].at,
            "tokens": {
                **{name: plan.tokens_of(name) for name in ("start", "associated", "text")},
                "tag": plan.tokens_of("tag") + plan.tokens_of(BETWEEN),
            },
            "starts": [
                {
                    "nonce_bytes": list(self.mode.nonce_bytes[step.nonce_class]), "tokens": len(placed.passes[step.title]),
                    "cycles_ahead": placed.ahead[step.title],
                }
                for step in starts
            ],
            **_unless(1, passes, passes=passes),
            **({} if (derived := self.derived) is None else {"derivation": derived.explain()}),
            **_unless(1, placed.turn, turn=placed.turn),
            **_unless({}, returns, returns=returns),
            **_unless([], detached, **{"beside": detached}),
            "chains": plan.chains if plan.horner else 0,
            "units": {unit: {"stage": stage, "latency": placed.latencies[unit]} for unit, stage in placed.stages.items()},
            "state": {name: {"kind": kind.kind, "stage": placed.homes[name]} for name, kind in plan.kinds.items()},
            "stages": placed.depth,
            "key_words": len(plan.words),
            "proved": self.proof is not None,
            "inverse": self.checked.inverse,
            "warnings": list(self.checked.warnings),
            **({"proof": {name: count for name, count in asdict(self.proof).items() if count is not None}} if self.proof else {}),
        }

    def _cadence(self, table: ReservationTable) -> dict[str, Any]:
        """The figures of a cadence, and for each step its tokens that use the cipher, and its cycles."""
        plan = self.plan
        return {
            "blocks": table.cadence.blocks, "interval": table.cadence.interval,
            "steps": {
                step.title: {
                    "ciphers": list(table.paced(step.title)),
                    "cycles": table.program(step.title).cycles + interleaving(self.options.channels).waits(plan, step),
                }
                for step in plan.steps
            },
        }  # fmt: skip


def _unless(usual: object, value: object, **members: object) -> dict[str, object]:
    """Members of ``explain`` that are said if a value is not the usual one."""
    return {} if value == usual else members


def compile_stream(mode: StreamMode, options: StreamOptions = USUAL, *, prove: bool = True) -> CompiledStream:
    """Compiles a stream mode.

    Raises
    ------
    InputError
        An option has a value that no core supports.
    DefinitionError
        The definition is wrong.
    ProofError
        The pipeline does not compute the definition.
    """
    chosen = cipher_of(mode, options.cipher)
    options = options.of(mode)
    sizes = {options.key_bits, *options.more_key_bits}
    if options.source.expands and sizes == {None}:
        first, *more = default_sizes(mode, chosen)
        options = replace(options, key_bits=first, more_key_bits=tuple(more))
    options = options.on(chosen)
    request, derived = _request(mode, chosen, options), None
    first = request.key_bits
    if options.keys == "derived":
        derived = derived_keys(mode, chosen, request, options.key_derivers)
        options = replace(options, key_derivers=derived.cores)
        if prove:
            derived.prove(mode)
    timing = chosen.timing(request)
    plan, options = _planned(mode, chosen, options, first, timing)
    checked = check_messages(mode, first // 8, options.cipher) if prove else Checked(NOT_CHECKED, ())
    if prove:
        prove_setup(plan)
        prove_numbers(plan)
    proof = interleaving(options.channels).proved(plan, late_ends=options.interface == "lwc") if prove else None
    return CompiledStream(mode, options, plan, request, proof, derived, checked)


def _request(mode: StreamMode, chosen: BlockCipher, options: StreamOptions) -> CoreRequest:
    """The request for the cipher of a core.  Raises ``InputError`` if the cipher has no such core."""
    first = cast(int, options.key_bits)
    needed = cipher_direction(mode, first // 8, options.directions)
    if needed == "both" and not options.source.both_forms:
        raise InputError(f"{mode.name} deciphers blocks, so a core needs the round keys in two forms; leave out --keys {options.keys}")
    if needed == "both" and not chosen.has("both", options.cipher_arch):
        what = "pipeline" if options.cipher_arch == "pipelined" else f"{options.cipher_arch} core"
        raise InputError(f"{mode.name} deciphers blocks, and {chosen.name} has no {what} for both directions; choose another cipher")
    request = CoreRequest(
        direction=needed, form=options.cipher_arch, key_bits=first, stages=options.streams or options.cipher_stages or 1,
        streams=options.streams or 1, batch=options.cipher_arch in SERIAL,
        slots=cast(int, options.slots_inside), sbox=cast(str, options.cipher_sbox),
        more_key_bits=options.more_key_bits, writers=options.writers, networks="lut6" if options.mul_arch == "lut6" else "plain",
    )  # fmt: skip
    for bits in request.key_sizes:
        mode.check_key_bits(bits)
    chosen.check_sizes(request)
    return request


def _planned(
    mode: StreamMode, chosen: BlockCipher, options: StreamOptions, key_bits: int, timing: CoreTiming
) -> tuple[StreamPlan, StreamOptions]:
    """The plan, and the options with its number of ciphers.  Raises ``InputError`` or ``DefinitionError``."""
    latencies: dict[str, int] = {CIPHER: timing.latency, MUL.unit: options.mul_stages + MULTIPLIER_REGISTERS}
    # A round for several blocks has time for both ciphers of a block: its token returns to it.
    apart = mode.two_passes and timing.cadence is None
    cores = max(1, _block_ciphers(steps_of(trace_stream(mode, key_bits // 8)))) if apart else 1
    plan = plan_stream(mode, key_bits // 8, latencies, options.blocks_per_cycle, cores, timing.cadence, options.order)
    options.check_plan(plan)
    for node in plan.trace.nodes:
        if node.operation and node.operation.keyed:
            chosen.check_operation(mode.name, node.operation.name, node.operation.operands)
    numbers, count = CipherNumbers.of(plan, options.channels), options.cipher_cores
    if count is None:
        count = numbers.usual
    elif count not in numbers.allowed:
        raise InputError(f"--cipher-cores{numbers.why.format(count)}")
    if count is not None and count > plan.cores:
        plan = plan_stream(mode, key_bits // 8, latencies, cores=count)
    return plan, replace(options, cipher_cores=count)


class _OneMessage:
    """The messages of a core go through its pipeline one after another."""

    def usual_ciphers(self, most: int) -> int:
        """The usual number of ciphers, if a block needs so many: a lone message waits for its chain in any case."""
        return 1

    def waits(self, plan: StreamPlan, step: Step) -> int:
        """The cycles that the pipeline waits after a step for the next one."""
        return plan.turn_after(step) - 1

    def proved(self, plan: StreamPlan, *, late_ends: bool) -> StreamProof:
        return prove_stream(plan, late_ends=late_ends)


class _Interleaved(_OneMessage):
    """A message of each channel is in the pipeline, so that others use what one leaves free while it waits."""

    def usual_ciphers(self, most: int) -> int:
        return most

    def waits(self, plan: StreamPlan, step: Step) -> int:
        return 0

    def proved(self, plan: StreamPlan, *, late_ends: bool) -> StreamProof:
        return replace(super().proved(plan, late_ends=late_ends), interleaved=prove_channels(plan))


def interleaving(channels: int) -> _OneMessage:
    """How the messages of a core with so many channels share its pipeline."""
    return _Interleaved() if channels > 1 else _OneMessage()


class CipherNumbers(NamedTuple):
    """The numbers of ciphers of a core: the usual one, None if a block never waits for a cipher; all of them; and why it has no other."""

    usual: int | None
    allowed: Collection[int]
    why: str

    @classmethod
    def of(cls, plan: StreamPlan, channels: int) -> Self:
        """The numbers for a plan that was made for as few ciphers as it needs."""
        name, most = plan.mode.name, _block_ciphers(plan.steps)
        if plan.mode.two_passes:
            # A block to open is deciphered, and then absorbed.
            count = "the cipher" if plan.cores == 1 else f"{plan.cores} ciphers"
            usual = plan.cores if plan.cores > 1 else None
            return cls(usual, (plan.cores,), f" {{}}: a block of {name} goes through {count}; leave it out")
        if not plan.chained:
            return cls(None, (), f" is for modes whose blocks wait for the cipher of the one before, unlike {name}; leave it out")
        if plan.cadence is not None:
            return cls(1, (1,), " is for pipelines; a multistream core has one round; leave it out")
        usual = interleaving(channels).usual_ciphers(most)
        return cls(usual, range(1, most + 1), f" of {name} is from 1 to {most}, the ciphers of a block, not {{}}")


def _block_ciphers(steps: Iterable[Step]) -> int:
    """Ciphers that a block needs."""
    return max(sum(made.operation.keyed for made in step.operations) for step in steps if step.name not in ("start", "tag"))


def cipher_direction(mode: StreamMode, key_bytes: int, directions: tuple[str, ...]) -> str:
    """What the cipher of a core does: "encrypt", or "both" if a step that the core has deciphers a block."""
    other = {"encrypt": "decrypt", "decrypt": "encrypt"}
    left_out = {name for way in directions for name in variants(other[way])} if len(directions) == 1 else set()
    steps = [step for step in steps_of(trace_stream(mode, key_bytes)) if step.name not in left_out]
    return "both" if any(made.operation.inverse_keys for step in steps for made in step.operations) else "encrypt"


def default_sizes(mode: StreamMode, cipher: BlockCipher) -> tuple[int, ...]:
    """Key sizes of a core if a user names none, the largest first: all if a core can have them, and otherwise the first of the cipher."""
    allowed = tuple(bits for bits in cipher.key_bits if not mode.cipher_key_bits or bits in mode.cipher_key_bits)
    ends = len(mode.cipher_keys) == 1 and mode.key_parts[-1] in mode.cipher_keys
    if "encrypt" in cipher.several_sizes and ends and len(allowed) > 1:
        return tuple(sorted(allowed, reverse=True))
    return cipher.key_bits[:1]
