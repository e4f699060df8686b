# SPDX-License-Identifier: Apache-2.0
"""Makes the contents of ``core.json`` for a core for messages."""

from __future__ import annotations

from modeloom.ciphers import cipher_of, is_own
from modeloom.compiler.streams import CompiledStream
from modeloom.cores.described import described, key_layout
from modeloom.cores.stream.buffered import buffered_erase_cycles, buffered_latency, buffered_parameters
from modeloom.cores.stream.derived import (
    derive_interval,
    derive_latency,
    derived_erase_cycles,
    derived_latency,
    derived_parameters,
    master_erase_cycles,
)
from modeloom.cores.stream.figures import definition_hash, directions, key_sizes
from modeloom.cores.stream.hardware import bus_parameters, erase_cycles, key_cycles, key_erase_cycles, key_interval, latency
from modeloom.product.cadence import CadenceFigures
from modeloom.product.description import KeyPart, file_names
from modeloom.product.json_form import read
from modeloom.product.messages import PrefixFigures, StreamDescription, StreamExplain, Tokens, UnusedCycles
from modeloom.product.ports import top_ports
from modeloom.spec.stream import BETWEEN, TEXT_FIRST

__all__ = ["describe"]

MASTER = "master"
"""The part of a key packet in a core that derives the keys of messages."""


def _cycles(compiled: CompiledStream) -> Tokens:
    """The cycles of each step of a message."""
    p, titles = bus_parameters(compiled), {step.title for step in compiled.plan.steps}
    cadence = compiled.plan.cadence
    # The mean number of cycles of a block in a batch.
    a_place = 1 if cadence is None else -(-cadence.interval // cadence.blocks)

    def of(name: str) -> int:
        places = compiled.plan.places_of(name)
        if cadence is None:
            return max(p.program(name).cycles, places)
        own = max(p.program(name).cycles, a_place * max(len(compiled.plan.reservations.paced(name)), places))
        if p.channels == 1 and compiled.plan.chained:
            # Blocks wait for their chain, and then for a batch.
            messages, cycles = read(CadenceFigures, compiled.explain()["cadence"]).steady([[name]])
            own = max(own, -(-cycles // messages))
        return own

    def most(*names: str) -> int:
        return max(of(name) for name in names if name in titles)

    first, plan, texts = next(p.starts), compiled.plan, compiled.mode.text_steps()
    begin = a_place if plan.runs_ahead else of(first) if p.program(first).tokens else 0

    def turn(*names: str) -> int:
        # With several channels, others fill the cycles in which a message waits for its chain.
        if p.channels > 1 or cadence is not None:
            return 0
        return max(plan.turn_after(plan.step(name)) for name in names if name in titles) - 1

    return Tokens(
        start=begin, associated=most("associated") + turn("associated"), text=most(*texts) + turn(*texts),
        tag=_between(compiled) + most("tag"),
    )  # fmt: skip


def _unused(compiled: CompiledStream, second: bool) -> UnusedCycles | None:
    """The cycles in which no token fits.  ``second`` says that commands ask for second passes.

    In a pipeline, a token enters where all its cycles are free, and some free cycles fit no token that comes next.  With a cadence,
    messages fill its places, with two exceptions.  A last block of associated data that has the cipher only when it returns also takes the
    place in which it enters.  A second pass of few blocks may leave a place between its last block and its tag.
    """
    plan = compiled.plan
    if not plan.returning:
        return None
    if plan.cadence is None:
        return UnusedCycles(message=1, associated=1, second=0)
    place = -(-plan.cadence.interval // plan.cadence.blocks)
    alone = any(uses and 0 not in uses for title, uses in plan.uses.items() if title in plan.placed.returns)
    return UnusedCycles(message=0, associated=place * alone, second=place * second)


def _between(compiled: CompiledStream) -> int:
    """The cycles of the step between text and associated data; 0 if associated data come first."""
    plan = compiled.plan
    if not plan.text_first:
        return 0
    cycles, cadence = bus_parameters(compiled).program(BETWEEN).cycles, plan.cadence
    if cadence is None:
        return cycles
    if plan.runs_ahead or plan.returning:
        # It waits for its place, and then the next token does.
        return cycles + 2 * cadence.interval
    figures = read(CadenceFigures, compiled.explain()["cadence"])
    messages, both = figures.steady([[BETWEEN], ["tag"]])
    alone, tags = figures.steady([["tag"]])
    return max(0, -(-both // messages) - -(-tags // alone))


def describe(compiled: CompiledStream, name: str, command: str) -> StreamDescription:
    """The contents of ``core.json``."""
    mode, options = compiled.mode, compiled.options
    explain = read(StreamExplain, compiled.explain())
    p = bus_parameters(compiled)
    derives = compiled.derived is not None
    layout = (KeyPart(name=MASTER, offset=0, bytes=(options.key_bits or 0) // 8),) if derives else key_layout(mode, options.key_bits or 0)
    buffered = options.message_buffer is not None
    shape = buffered_parameters(compiled) if buffered else derived_parameters(compiled) if derives else p
    ports = top_ports(shape.interfaces, shape)
    return StreamDescription(
        schema=StreamDescription.SCHEMA,
        **described(mode, name, command, file_names(name, listing=False)) | {"key_parts": tuple(part.name for part in layout)},
        definition_sha256=definition_hash(compiled),
        options=options.as_dict(),
        cipher=options.cipher or "",
        own_cipher=is_own(cipher_of(mode, options.cipher)) or None,
        key_bytes=sum(part.bytes for part in layout),
        key_layout=layout,
        key_sizes=key_sizes(compiled),
        master_key_sizes=tuple(bits // 8 for bits in compiled.cipher_request.key_sizes) if mode.derives() and not derives else None,
        derive_interval=derive_interval(compiled) if derives else None,
        derive_latency=derive_latency(compiled) if derives else None,
        packet_bytes=p.keys.packet_bytes if p.expanded else None,
        key_slots=shape.key_slots,
        erase_cycles=(buffered_erase_cycles if buffered else derived_erase_cycles if derives else erase_cycles)(compiled),
        key_erase_cycles=(master_erase_cycles if derives else key_erase_cycles)(compiled),
        ports=tuple(port.described for port in ports),
        block_bytes=mode.block_bytes,
        blocks_per_cycle=explain.blocks_per_cycle,
        directions=directions(compiled),
        nonce_bytes=tuple(map(tuple, mode.nonce_bytes)),
        tag_bytes=tuple(mode.tag_bytes),
        most_associated=mode.most_associated,
        most_text=mode.most_text,
        lengths_first=True if mode.lengths_first else None,
        order=TEXT_FIRST if compiled.plan.text_first else None,
        most_text_with_nonce=tuple((n, mode.most_text_with(n)) for n in sorted(mode.most_text_with_nonce)) or None,
        associated_prefix=tuple(
            PrefixFigures(least=each.least, marker=each.marker.hex(), nbytes=each.nbytes) for each in compiled.plan.prefixes
        ) or None,
        key_interval=key_interval(compiled) if p.inline and not derives else None,
        key_cycles=key_cycles(compiled) if p.inline and compiled.plan.cadence else None,
        channels=options.channels,
        hold=options.hold,
        message_buffer=options.message_buffer,
        packet=options.packet,
        latency=(buffered_latency if buffered else derived_latency if derives else latency)(compiled),
        tokens=explain.tokens,
        cycles=_cycles(compiled),
        unused=_unused(compiled, mode.two_passes and not buffered and "encrypt" in directions(compiled)),
        shares_tag=compiled.plan.shares_tag,
        text_blocks=mode.text_blocks if compiled.plan.pairs else None,
        chains=explain.chains,
        explain=explain,
    )
