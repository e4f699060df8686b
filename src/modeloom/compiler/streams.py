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
from modeloom.spec import InputError, UnknownName
from modeloom.spec.cadence import Cadence
from modeloom.spec.kinds import CIPHER, MUL
from modeloom.spec.stream import StreamMode, variants
from modeloom.streams.plan import MULTIPLIER_REGISTERS, StreamPlan, plan_stream
from modeloom.streams.prove import StreamProof, prove_stream
from modeloom.streams.prove_channels import prove_channels
from modeloom.streams.prove_numbers import prove_numbers
from modeloom.streams.prove_setup import prove_setup
from modeloom.streams.steps import Step, steps_of
from modeloom.streams.trace import trace_stream

__all__ = ["APART", "CompiledStream", "DerivedKeys", "StreamOptions", "compile_stream", "default_cores", "default_sizes"]

PACKETS = ("aligned", "wire")
"""What ``StreamOptions.packet`` may be."""

INTERFACES = ("axi", "lwc")
"""What ``StreamOptions.interface`` may be."""

LWC_BITS = (32, 64, 128)
"""What ``StreamOptions.interface_bits`` may be."""

LWC_SLOTS = 2
"""Key slots behind the LWC interface, which take turns: one key is prepared while another one is in use."""

KEYS = ("expand", "expanded", "inline", "derived")
"""What ``StreamOptions.keys`` may be."""

KEY_SCHEDULES = ("word", "iterative")
"""What ``StreamOptions.key_schedule`` may be."""

MOST_KEY_SCHEDULES = 2
"""Iterative key schedules that work at the same time."""

SCHEMA = "modeloom-explain-stream-1"

DIRECTIONS = ("encrypt", "decrypt", "both")

ARCHITECTURES = ("pipelined", "multistream")
"""What ``StreamOptions.cipher_arch`` may be."""

RING_SLOTS = (3, 64)
"""Key slots of a core whose keys come with the messages, at least and at most."""

SLOTS, RING = 16, 32
"""Key slots of a core if a user names no number, and those of a core whose keys come with the messages."""

MOST_MASTERS = 64
"""Slots for master keys."""

MOST_BUFFER = 1 << 20
"""Bytes of the longest message that a core can store."""

MOST_SLOTS = 1024
"""Key slots that a key port takes."""

MOST_MUL_STAGES = 8
"""Registers in a multiplier.  There may be none, as a core for messages has registers around it."""

MOST_CHANNELS = 256
"""Channels whose number is a byte."""

BLOCKS_PER_CYCLE = (1, 2, 4)
"""Blocks that a core may take in a cycle."""


APART = {
    ("--hold", "--channels"): "each channel would need a buffer of its own",
    ("--keys inline", "--channels"): "keys come in the order of the messages, and messages of several channels have none",
    ("--keys derived", "--channels"): "keys are derived in the order of the messages, and messages of several channels have none",
    ("--packet wire", "--channels"): "the parts of a packet that touch each other are put in order for one message at a time",
    ("--message-buffer", "--hold"): "a message to seal would be limited by both",
    ("--message-buffer", "--channels"): "messages are stored in the order of one channel",
    ("--message-buffer", "--keys inline"): "both passes of a message need its key, which comes once",
    ("--interface lwc", "--channels"): "its words belong to one message at a time",
    ("--interface lwc", "--packet wire"): "its messages come as segments",
    ("--interface lwc", "--keys expanded"): "its keys are those of the mode",
    ("--interface lwc", "--keys inline"): "a key is loaded when an instruction activates it",
    ("--interface lwc", "--keys derived"): "a key is loaded when an instruction activates it",
    ("--interface lwc", "--key-slots"): "an instruction activates a key and names no slot",
}
"""Options that a core does not have both of, and why."""


@dataclass(frozen=True, kw_only=True)
class StreamOptions:
    """The options of a core for a stream mode.

    Attributes
    ----------
    key_bits : int or None
        Key size of the cipher in bits (default: all sizes, each slot having that of its key, if the cipher has pipelines for several
        sizes and the mode's key ends with the cipher's; otherwise the first one).
    more_key_bits : tuple of int
        Other key sizes.  Each key slot has the size of its key.
    cipher : str or None
        Name of the block cipher (default: that of the mode).
    cipher_arch : str
        "pipelined", which takes a block in every cycle, or "multistream": one round, through which ``streams`` blocks go at a time.
    streams : int or None
        Blocks of a multistream cipher, which has as many registers in its round (default: as many as the cipher can have).
    cipher_sbox : str or None
        S-boxes of the cipher (default: the first form of the cipher).
    cipher_stages, mul_stages : int or None, int
        Registers in a round of a pipeline (default: 2, or as many as the cipher has), and in the multiplier, 0 to 8: its product takes a
        cycle more, from the registers of its operands to that of the product.
    mul_arch : str
        Multiplier circuit.  With "lut6", the cipher is made for LUTs of six inputs, too.
    key_slots : int or None
        Key slots (default: 16, or 32 if keys come with the messages).
    hold : int or None
        Bytes of text of a message to open that the core holds back until the tag was checked (default: it releases text before).
    message_buffer : int or None
        Bytes of a message to seal that the core stores for its second pass, in a mode with two passes (default: the host sends both
        passes).
    direction : str
        "both", or "encrypt" or "decrypt" for a core that seals or opens alone.
    blocks_per_cycle : int
        1, 2 or 4.
    channels : int
        Messages that may interleave, 1 to 256.
    keys : str
        "expand" for a core that expands keys, "expanded" for one that takes round keys from the host and has no key schedule, or "inline"
        for one whose keys come with the messages: it expands them, and ``key_slots`` of them are in the core at a time.  "derived" is for
        a mode that derives keys: master keys are in ``key_slots`` slots, and the core derives the key of each message.
    key_derivers : int or None
        Round cores of the cipher that derive keys, 1 to 8 (default: as few as derive the longest key in ``DERIVE_TARGET`` cycles).
    key_schedule : str or None
        "word" for a key schedule that makes a word of a round key in each cycle, or "iterative" for one that makes a round key
        (default: "iterative" for keys that come with the messages, if the cipher has it, and otherwise "word").
    key_schedules : int or None
        1, or 2 iterative key schedules that work at the same time, for keys that come with the messages (default: as many as there
        may be).
    packet : str
        "aligned" if text begins with a beat of its own, or "wire" if header, text and tag touch each other as on the wire.
    interface : str
        "axi" for AXI4-Streams of commands, packets, keys and statuses, or "lwc" for the LWC interface.
    interface_bits : int or None
        Bits of a word of the LWC interface, 32, 64 or 128 (default: 32).
    cipher_cores : int or None
        Ciphers of a mode whose blocks wait for the cipher of the one before, at most as many as a block needs (default: 1 with one
        channel, and as many as a block needs with more).  In a mode with two passes, always as many as a block needs.  None for all
        other modes.
    """

    key_bits: int | None = None
    more_key_bits: tuple[int, ...] = ()
    cipher: str | None = None
    cipher_arch: str = "pipelined"
    streams: int | None = None
    cipher_sbox: str | None = None
    cipher_stages: int | None = None
    mul_arch: str = "karatsuba"
    mul_stages: int = 3
    key_slots: int | None = None
    hold: int | None = None
    message_buffer: int | None = None
    blocks_per_cycle: int = 1
    direction: str = "both"
    keys: str = "expand"
    packet: str = "aligned"
    channels: int = 1
    key_schedule: str | None = None
    key_schedules: int | None = None
    key_derivers: int | None = None
    cipher_cores: int | None = None
    interface: str = "axi"
    interface_bits: int | None = None

    def on_keys(self, cipher: BlockCipher) -> StreamOptions:
        """The options with the defaults for what makes and holds keys filled in.

        Raises
        ------
        InputError
            There are no such key schedules.
        """
        inline = self.in_order
        kind, count = self.key_schedule, self.key_schedules
        if kind is None:
            kind = "iterative" if inline and cipher.iterative_schedule is not None else "word"
        several = inline and kind == "iterative"
        if kind not in KEY_SCHEDULES:
            raise UnknownName("key schedule", kind, KEY_SCHEDULES)
        if kind == "iterative" and cipher.iterative_schedule is None:
            raise InputError(f"{cipher.name} has no iterative key schedule; leave out --key-schedule iterative")
        if self.keys == "expanded" and (self.key_schedule or count):
            option = "--key-schedule" if self.key_schedule else "--key-schedules"
            raise InputError(f"{option} is for cores that expand keys; leave out --keys expanded")
        if count is None:
            count = MOST_KEY_SCHEDULES if several else 1
        if not 1 <= count <= MOST_KEY_SCHEDULES:
            raise InputError(f"--key-schedules is from 1 to {MOST_KEY_SCHEDULES}, not {count}")
        if count > 1 and not several:
            raise InputError(f"--key-schedules {count} is for --keys inline with --key-schedule iterative; leave it out")
        usual = RING if self.keys == "inline" else LWC_SLOTS if self.interface == "lwc" else SLOTS
        slots = usual if self.key_slots is None else self.key_slots
        return replace(self, key_slots=slots, key_schedule=kind, key_schedules=count)

    @property
    def in_order(self) -> bool:
        """Whether each message has the next key: one that comes with it, or one that the core derives."""
        return self.keys in ("inline", "derived")

    @property
    def slots_inside(self) -> int | None:
        """Key slots of the pipeline: those that a host names, or those of the ring."""
        return RING if self.keys == "derived" else self.key_slots

    @property
    def writers(self) -> int:
        """Ports of the cipher for writes of round keys, as ``CoreRequest`` has them."""
        return cast(int, self.key_schedules) if self.in_order and self.key_schedule == "iterative" else 0

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions by name."""
        return ("encrypt", "decrypt") if self.direction == "both" else (self.direction,)


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
    """

    mode: StreamMode
    options: StreamOptions
    plan: StreamPlan
    cipher_request: CoreRequest
    proof: StreamProof | None
    derived: DerivedKeys | None = None

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
            "latency": plan.text_stage,
            "latency_tag": placed.outputs["tag"] + placed.passes["tag"][-1].at,
            "tokens": {name: plan.tokens_of(name) for name in ("start", "associated", "text", "tag")},
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


def compile_stream(mode: StreamMode, options: StreamOptions = StreamOptions(), *, prove: bool = True) -> CompiledStream:
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
    options = _on_architecture(options, chosen)
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
    options = _on_interface(options).on_keys(chosen)
    slots = cast(int, options.key_slots)
    if not 1 <= slots <= MOST_SLOTS:
        raise InputError(f"--key-slots is from 1 to {MOST_SLOTS}, not {slots}")
    if options.packet not in PACKETS:
        raise UnknownName("form of packets", options.packet, PACKETS)
    if not 1 <= options.channels <= MOST_CHANNELS:
        raise InputError(f"--channels is from 1 to {MOST_CHANNELS}, not {options.channels}")
    given = {
        "--hold": options.hold is not None, "--message-buffer": options.message_buffer is not None,
        "--channels": options.channels > 1, "--keys inline": options.keys == "inline",
        "--packet wire": options.packet == "wire", "--interface lwc": options.interface == "lwc",
        "--keys expanded": options.keys == "expanded", "--keys derived": options.keys == "derived",
        "--key-slots": named_slots and options.interface == "lwc" and slots != LWC_SLOTS,
    }  # fmt: skip
    for (left, right), why in APART.items():
        if given[left] and given[right]:
            raise InputError(f"{left} and {right} do not go together: {why}; leave out one of them")
    if mode.two_passes and (options.packet == "wire" or options.interface == "lwc"):
        option = "--packet wire" if options.packet == "wire" else "--interface lwc"
        raise InputError(f"{option} is not for {mode.name}: it has two passes, and the tag of a packet comes last; leave it out")
    if mode.derives() and not options.in_order:
        raise InputError(
            f"{mode.name} has other keys for each nonce; build it with --keys derived, or --keys inline if they come with messages"
        )
    if options.keys == "derived":
        if not mode.derives():
            raise InputError(f"--keys derived is for modes that derive the key of a message of its nonce, unlike {mode.name}; leave it out")
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
    plan = plan_stream(mode, first // 8, latencies, options.blocks_per_cycle, cores, timing.cadence)
    _check_pairs(plan, options)
    for node in plan.trace.nodes:
        if node.operation and node.operation.keyed:
            chosen.check_operation(mode.name, node.operation.name, node.operation.operands)
    options = replace(options, cipher_cores=_cores(plan, options))
    if options.cipher_cores not in (None, 1) and plan.cadence is not None:
        raise InputError("--cipher-cores is for pipelines; a multistream core has one round; leave it out")
    if options.cipher_cores is not None and options.cipher_cores > plan.cores:
        plan = plan_stream(mode, first // 8, latencies, cores=options.cipher_cores)
    if prove:
        prove_setup(plan)
        prove_numbers(plan)
        if derived is not None:
            derived.prove(mode)
    proof = prove_stream(plan) if prove else None
    if proof is not None and options.channels > 1:
        proof = replace(proof, interleaved=prove_channels(plan))
    return CompiledStream(mode, options, plan, request, proof, derived)


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


def _on_interface(options: StreamOptions) -> StreamOptions:
    """The options with the width of words filled in.  Raises ``InputError`` for an interface or a width that there is not."""
    if options.interface not in INTERFACES:
        raise UnknownName("interface", options.interface, INTERFACES)
    if options.interface_bits is not None and options.interface != "lwc":
        raise InputError("--interface-bits is for --interface lwc; leave it out")
    if options.interface == "axi":
        return options
    bits = LWC_BITS[0] if options.interface_bits is None else options.interface_bits
    if bits not in LWC_BITS:
        raise InputError(f"--interface-bits is one of {', '.join(map(str, LWC_BITS))}, not {bits}")
    return replace(options, interface_bits=bits)


def _on_architecture(options: StreamOptions, cipher: BlockCipher) -> StreamOptions:
    """The options with the number of streams filled in.  Raises ``InputError`` for options that do not fit the form of the cipher."""
    if options.cipher_arch not in ARCHITECTURES:
        raise UnknownName("architecture of the cipher of a stream mode", options.cipher_arch, ARCHITECTURES)
    if options.cipher_arch == "pipelined":
        if options.streams is not None:
            raise InputError("--streams is for --cipher-arch multistream; leave it out")
        return options
    if not cipher.multistream:
        raise InputError(f"--cipher-arch multistream: {cipher.name} has no round core for several streams; choose another --cipher-arch")
    streams = cipher.streams[-1] if options.streams is None else options.streams
    if streams not in cipher.streams:
        raise InputError(f"--streams is one of {', '.join(map(str, cipher.streams))}, not {streams}")
    if options.cipher_stages is not None:
        raise InputError("--cipher-stages is for pipelines: --streams is the number of registers in the round; leave it out")
    if options.cipher_sbox not in (None, cipher.sboxes[0]):
        raise InputError(f"--cipher-sbox {options.cipher_sbox} is for pipelines; a multistream core has S-boxes {cipher.sboxes[0]}")
    if options.in_order:
        why = "it clears all round keys of a slot at once"
        raise InputError(f"--keys {options.keys} is for pipelines: {why}; leave out --cipher-arch multistream")
    return replace(options, streams=streams)


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
