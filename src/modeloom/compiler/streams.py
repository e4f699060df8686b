# SPDX-License-Identifier: Apache-2.0
"""Compiles the definition of a stream mode to a proved pipeline of tokens, with the units that a user chooses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

from modeloom.ciphers import BlockCipher, cipher_of
from modeloom.ciphers.request import CoreRequest
from modeloom.compiler.derived import DerivedKeys, derived_keys
from modeloom.compiler.options import MULTIPLIERS, Options
from modeloom.compiler.stream_options import (
    APART,
    BLOCKS_PER_CYCLE,
    DIRECTIONS,
    KEYS,
    LWC_SLOTS,
    MOST_BUFFER,
    MOST_CHANNELS,
    MOST_MASTERS,
    MOST_MUL_STAGES,
    MOST_SLOTS,
    PACKETS,
    RING_SLOTS,
    USUAL,
    StreamOptions,
    on_architecture,
    on_interface,
)  # fmt: skip
from modeloom.definition.check import NOT_CHECKED, Checked
from modeloom.definition.message_check import check_messages
from modeloom.spec import InputError, UnknownName
from modeloom.spec.cadence import Cadence
from modeloom.spec.kinds import CIPHER, MUL
from modeloom.spec.stream import BETWEEN, ORDERS, TEXT_FIRST, StreamMode, variants
from modeloom.streams.plan import MULTIPLIER_REGISTERS, StreamPlan, plan_stream
from modeloom.streams.prove import StreamProof, prove_stream
from modeloom.streams.prove_channels import prove_channels
from modeloom.streams.prove_numbers import prove_numbers
from modeloom.streams.prove_setup import prove_setup
from modeloom.streams.steps import Step, steps_of
from modeloom.streams.trace import trace_stream

__all__ = ["APART", "CompiledStream", "DerivedKeys", "StreamOptions", "compile_stream", "default_cores", "default_sizes"]

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
        plan, placed = self.plan, self.plan.placed
        starts = [step for step in plan.steps if step.name == "start"]
        return {
            "schema": SCHEMA,
            "mode": self.mode.name,
            "block_bytes": self.mode.block_bytes,
            "cipher": self.options.cipher,
            "key_bits": self.options.key_bits,
            "blocks_per_cycle": plan.lanes,
            **({"cadence": self._cadence(plan.cadence)} if plan.cadence is not None else {}),
            **({"channels": self.options.channels} if self.options.channels > 1 else {}),
            **({"order": self.options.order, "shared": dict(plan.shared)} if plan.text_first else {}),
            "latency": plan.text_stage,
            "latency_tag": placed.outputs["tag"] + placed.passes["tag"][-1].at,
            "tokens": {
                **{name: plan.tokens_of(name) for name in ("start", "associated", "text")},
                "tag": plan.tokens_of("tag") + (plan.tokens_of(BETWEEN) if plan.text_first else 0),
            },
            "starts": [
                {
                    "nonce_bytes": list(self.mode.nonce_bytes[step.nonce_class]), "tokens": len(placed.passes[step.title]),
                    "cycles_ahead": placed.ahead[step.title],
                }
                for step in starts
            ],
            **({"passes": 2} if self.mode.two_passes else {}),
            **({"derivation": self.derived.explain()} if self.derived is not None else {}),
            **({"turn": placed.turn} if plan.chained else {}),
            **({"returns": {title: list(uses) for title, uses in plan.uses.items() if title in placed.returns}} if plan.returning else {}),
            **({"beside": [*["start"] * plan.runs_ahead, *["tag"] * plan.follows]} if plan.runs_ahead or plan.follows else {}),
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


    def _cadence(self, cadence: Cadence) -> dict[str, Any]:
        """The figures of a cadence, and for each step its tokens that use the cipher, and its cycles."""
        plan = self.plan
        return {
            "blocks": cadence.blocks, "interval": cadence.interval,
            "steps": {
                step.title: {
                    "ciphers": list(plan.ciphers(step.title)),
                    # A block of a channel waits for the one before it, and with several channels others do not.
                    "cycles": plan.program_cycles(step.title) + (plan.turn_after(step) - 1 if self.options.channels == 1 else 0),
                }
                for step in plan.steps
            },
        }  # fmt: skip


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
    if options.key_bits is None and not options.more_key_bits and options.keys != "expanded":
        first, *more = default_sizes(mode, chosen)
        options = replace(options, key_bits=first, more_key_bits=tuple(more))
    options = on_architecture(options, chosen)
    # The options of both kinds of cores are checked in one place.
    shared = Options(
        key_bits=options.key_bits, cipher=options.cipher, cipher_sbox=options.cipher_sbox, cipher_stages=options.cipher_stages,
        mul_arch=options.mul_arch,
    ).on(chosen)  # fmt: skip
    if not 0 <= options.mul_stages <= MOST_MUL_STAGES:
        raise InputError(f"--mul-stages of a stream mode is from 0 to {MOST_MUL_STAGES}, not {options.mul_stages}")
    if options.blocks_per_cycle not in BLOCKS_PER_CYCLE:
        known = ", ".join(map(str, BLOCKS_PER_CYCLE))
        raise InputError(f"--blocks-per-cycle is one of {known}, not {options.blocks_per_cycle}")
    if options.mul_arch not in MULTIPLIERS:
        raise InputError(f"unknown multiplier {options.mul_arch!r}")
    if options.direction not in DIRECTIONS:
        raise UnknownName("direction", options.direction, DIRECTIONS)
    if options.hold is not None and (options.hold < 1 or options.direction == "encrypt"):
        why = f"takes at least 1 byte, not {options.hold}" if options.hold < 1 else "is for cores that open messages; leave it out"
        raise InputError(f"--hold {why}")
    if options.keys not in KEYS:
        raise UnknownName("kind of keys", options.keys, KEYS)
    named_slots = options.key_slots is not None
    options = on_interface(options).on_keys(chosen)
    slots = cast(int, options.key_slots)
    if not 1 <= slots <= MOST_SLOTS:
        raise InputError(f"--key-slots is from 1 to {MOST_SLOTS}, not {slots}")
    if options.packet not in PACKETS:
        raise UnknownName("form of packets", options.packet, PACKETS)
    if options.order not in ORDERS:
        raise UnknownName("order", options.order, ORDERS)
    if not 1 <= options.channels <= MOST_CHANNELS:
        raise InputError(f"--channels is from 1 to {MOST_CHANNELS}, not {options.channels}")
    given = {
        "--hold": options.hold is not None, "--message-buffer": options.message_buffer is not None,
        "--channels": options.channels > 1, "--keys inline": options.keys == "inline",
        "--packet wire": options.packet == "wire", "--interface lwc": options.interface == "lwc",
        "--keys expanded": options.keys == "expanded", "--keys derived": options.keys == "derived",
        "--order text-first": options.order == TEXT_FIRST, "--blocks-per-cycle": options.blocks_per_cycle > 1,
        "--key-slots": named_slots and options.interface == "lwc" and slots != LWC_SLOTS,
    }  # fmt: skip
    for (left, right), why in APART.items():
        if given[left] and given[right]:
            raise InputError(f"{left} and {right} cannot be combined: {why}; leave out one of them")
    if mode.two_passes and (options.packet == "wire" or options.interface == "lwc"):
        option = "--packet wire" if options.packet == "wire" else "--interface lwc"
        raise InputError(f"{option} is not for {mode.name}: it has two passes, and the tag of a packet comes last; leave it out")
    if mode.lengths_first and options.packet == "wire":
        raise InputError(f"--packet wire is not for {mode.name}, which knows lengths before a message begins; leave it out")
    if mode.derives() and not options.in_order:
        raise InputError(
            f"{mode.name} has new keys for each nonce; build it with --keys derived, or --keys inline if they come with messages"
        )
    if options.keys == "derived":
        if not mode.derives():
            raise InputError(f"--keys derived is for modes that derive message keys from the nonce, unlike {mode.name}; leave it out")
        if slots > MOST_MASTERS:
            raise InputError(f"--key-slots is from 1 to {MOST_MASTERS} with --keys derived, not {slots}")
    if options.message_buffer is not None:
        if not mode.two_passes:
            raise InputError(f"--message-buffer is for modes with two passes, unlike {mode.name}; leave it out")
        if options.direction == "decrypt":
            raise InputError("--message-buffer is for cores that seal messages; leave it out")
        if mode.lengths_first:
            raise InputError(f"--message-buffer is not for {mode.name}, which knows lengths before a message begins; leave it out")
        if not 1 <= options.message_buffer <= MOST_BUFFER:
            raise InputError(f"--message-buffer takes 1 to {MOST_BUFFER} bytes, not {options.message_buffer}")
    if options.key_derivers is not None and options.keys != "derived":
        raise InputError("--key-derivers is for --keys derived; leave it out")
    if options.keys == "inline" and not RING_SLOTS[0] <= slots <= RING_SLOTS[1]:
        raise InputError(f"--key-slots is from {RING_SLOTS[0]} to {RING_SLOTS[1]} with --keys inline, not {slots}")
    if options.keys == "expanded" and chosen.expand is None:
        raise InputError(f"--keys expanded is not for {chosen.name}: its description has no expand, the software that makes round keys")
    if options.keys == "expanded" and options.more_key_bits:
        raise InputError("--keys expanded takes keys of one size; give one --key-bits")
    first, *more = sorted({cast(int, shared.key_bits), *options.more_key_bits}, reverse=True)
    options = replace(
        options, more_key_bits=tuple(more), key_bits=first, cipher=shared.cipher, cipher_sbox=shared.cipher_sbox,
        cipher_stages=None if options.streams else shared.cipher_stages,
    )  # fmt: skip
    needed = cipher_direction(mode, first // 8, options.directions)
    if needed == "both" and options.keys != "expand":
        raise InputError(f"{mode.name} deciphers blocks, so a core needs the round keys in two forms; leave out --keys {options.keys}")
    if needed == "both" and not chosen.has("both", options.cipher_arch):
        what = "pipeline" if options.cipher_arch == "pipelined" else f"{options.cipher_arch} core"
        raise InputError(f"{mode.name} deciphers blocks, and {chosen.name} has no {what} for both directions; choose another cipher")
    request = CoreRequest(
        direction=needed, form=options.cipher_arch, key_bits=first, stages=options.streams or cast(int, shared.cipher_stages),
        streams=options.streams or 1,
        slots=cast(int, options.slots_inside), sbox=cast(str, shared.cipher_sbox),
        more_key_bits=options.more_key_bits, writers=options.writers, networks="lut6" if options.mul_arch == "lut6" else "plain",
    )  # fmt: skip
    for bits in request.key_sizes:
        mode.check_key_bits(bits)
    chosen.check_sizes(request)
    derived = derived_keys(mode, chosen, request, options.key_derivers) if options.keys == "derived" else None
    if derived is not None:
        options = replace(options, key_derivers=derived.cores)
    timing = chosen.timing(request)
    latencies: dict[str, int] = {CIPHER: timing.latency, MUL.unit: options.mul_stages + MULTIPLIER_REGISTERS}
    needs = _block_ciphers(steps_of(trace_stream(mode, first // 8))) if mode.two_passes else 1
    # A round for several blocks has time for both ciphers of a block: its token returns to it.
    cores = max(1, needs) if timing.cadence is None else 1
    plan = plan_stream(mode, first // 8, latencies, options.blocks_per_cycle, cores, timing.cadence, options.order)
    _check_pairs(plan, options)
    for node in plan.trace.nodes:
        if node.operation and node.operation.keyed:
            chosen.check_operation(mode.name, node.operation.name, node.operation.operands)
    options = replace(options, cipher_cores=_cores(plan, options))
    if options.cipher_cores not in (None, 1) and plan.cadence is not None:
        raise InputError("--cipher-cores is for pipelines; a multistream core has one round; leave it out")
    if options.cipher_cores is not None and options.cipher_cores > plan.cores:
        plan = plan_stream(mode, first // 8, latencies, cores=options.cipher_cores)
    checked = check_messages(mode, first // 8, options.cipher) if prove else Checked(NOT_CHECKED, ())
    if prove:
        prove_setup(plan)
        prove_numbers(plan)
        if derived is not None:
            derived.prove(mode)
    proof = prove_stream(plan, late_ends=options.interface == "lwc") if prove else None
    if proof is not None and options.channels > 1:
        proof = replace(proof, interleaved=prove_channels(plan))
    return CompiledStream(mode, options, plan, request, proof, derived, checked)


def _check_pairs(plan: StreamPlan, options: StreamOptions) -> None:
    """Raises ``InputError`` for options that do not go with pairs of blocks, or with tokens that return to the cipher."""
    if options.channels > 1 and (plan.pairs or plan.returning):
        why = "pairs are put together for one message at a time" if plan.pairs else "a token returns to the cipher of one message"
        raise InputError(f"--channels is not for {plan.mode.name}: {why}; leave it out")
    if options.packet == "wire" and (plan.pairs or plan.ends):
        why = "where a packet ends too early, the core would take its text for a whole one"
        raise InputError(f"--packet wire is not for {plan.mode.name}, which has steps for last blocks: {why}; leave it out")


def default_cores(plan: StreamPlan, channels: int) -> int | None:
    """Ciphers of a core if a user names no number; None if a block never waits for a cipher."""
    if plan.mode.two_passes:
        # A block to open is deciphered, and then absorbed.
        return plan.cores if plan.cores > 1 else None
    if not plan.chained:
        return None
    # A lone message waits for its chain in any case, and several fill all ciphers that a block needs.
    return 1 if channels == 1 or plan.cadence is not None else _block_ciphers(plan.steps)


def _block_ciphers(steps: Iterable[Step]) -> int:
    """Ciphers that a block needs."""
    return max(sum(made.operation.keyed for made in step.operations) for step in steps if step.name not in ("start", "tag"))


def _cores(plan: StreamPlan, options: StreamOptions) -> int | None:
    """The number of ciphers of a core.  Raises ``InputError`` for one that it cannot have."""
    given, mode = options.cipher_cores, plan.mode.name
    if given is None:
        return default_cores(plan, options.channels)
    if plan.mode.two_passes and given != plan.cores:
        count = "the cipher" if plan.cores == 1 else f"{plan.cores} ciphers"
        raise InputError(f"--cipher-cores {given}: a block of {mode} goes through {count}; leave it out")
    if not plan.chained and not plan.mode.two_passes:
        raise InputError(f"--cipher-cores is for modes whose blocks wait for the cipher of the one before, unlike {mode}; leave it out")
    if not 1 <= given <= (most := _block_ciphers(plan.steps)):
        raise InputError(f"--cipher-cores of {mode} is from 1 to {most}, the ciphers of a block, not {given}")
    return given


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
