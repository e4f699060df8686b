# SPDX-License-Identifier: Apache-2.0
"""The sections of the datasheet that only cores for messages have: pipeline, commands and packets, keys, cycles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from modeloom.cores.stream.describe import cipher_name
from modeloom.interfaces.messages import MessageCode
from modeloom.layers import Stack
from modeloom.layers.texts import Texts
from modeloom.product.core import Sheet
from modeloom.product.messages import StreamDescription
from modeloom.product.page import code_table, command_table, status_line, table
from modeloom.spec.wording import numbers

__all__ = ["sheet"]

INVERSE = {
    "proved": "A proof shows that opening inverts sealing in the definition, for all lengths and any permutation as the cipher.",
    "tested": "Tests with random and chosen values show that opening inverts sealing in the definition.",
    "not checked": "**It was not checked that opening inverts sealing**: the core was built without the proof.",
}
"""Sentences for the values of ``inverse`` in ``core.json``."""


def sheet(stack: Stack, d: StreamDescription) -> Sheet:
    """The sections of the datasheet."""
    t = stack.texts(d)
    does = " and ".join({"encrypt": "seal", "decrypt": "open"}[way] for way in d.directions)
    return Sheet(
        summary=(
            f"{d.title} with {cipher_name(stack.compiled)}, to {does} messages of any length with associated data, "
            f"{d.pace}, {t.key_places}.{t.protected(f' of {t.counted}')}"
        ),
        theory=tuple(_theory(t, d)),
        payloads=tuple(_payloads(t, d)),
        use=tuple(_use(t)),
        figures=tuple(_figures(t, d, stack.top.varies)),
        timing=(
            "- Timing does not depend on keys, nonces, data or tags. The comparison of a tag always takes the same cycles.",
            *t.protection_item,
        ),
        kept=("- Round keys and set-up values cannot be read from the ports. Erasing or loading a slot overwrites them.",),
        checked=(
            "- The pipeline was proved equal to the definition, on symbols: "
            f"{d.explain.proof.messages} messages one after another, and by induction those of any length."
            if d.explain.proof
            else "- **The pipeline was not proved**: the core was built without the proof.",
            f"- {INVERSE[d.explain.inverse]}",
        ),
        bench=(
            "It checks text, tags, order and status codes, the interval between messages and the latency against this datasheet; results "
            "come from the software model."
        ),
    )


def _theory(t: Texts, d: StreamDescription) -> Iterator[str]:
    e = d.explain
    yield (
        f"The core is a pipeline of {e.stages} stages that never stalls. A token enters in a cycle: a block of a message with what has to "
        "be done with it. Units and state stand at fixed stages, so tokens of different messages, key slots and directions follow each "
        f"other{t.gap}. A token of text enters only when the output has a place for it."
    )
    yield ""
    yield from t.cadence_theory
    yield from table(["unit", "stage", "cycles"], [[name, unit.stage, unit.latency] for name, unit in e.units.items()])
    if d.chains:
        yield (
            f"The polynomial hash runs in {d.chains} chains. Block i goes to chain i mod {d.chains}, and is multiplied with a power of the "
            "hash key that depends on the blocks to come. Set-up computes these powers once for each key."
        )
        yield ""
    yield from t.key_theory


def _payloads(t: Texts, d: StreamDescription) -> Iterator[str]:
    groups = {group.name: group for group in d.interfaces}
    own = {
        "nonce": f"nonce of {numbers(d.nonces)} bytes, zeros behind it",
        "nonce_bytes": f"bytes of the nonce: {numbers(d.nonces)}",
        "tag_bytes": f"bytes of the tag: {numbers(d.tag_bytes)}",
        "slot": "key slot, always 0" if d.key_slots == 1 else f"key slot, 0 to {d.key_slots - 1}",
        "channel": t.channel,
    }
    yield from command_table(groups["s_axis_cmd"], own)
    yield from status_line(groups["m_axis_status"], t.zero_fields)
    yield from t.packets


def _use(t: Texts) -> Iterator[str]:
    yield from (*t.key_packets, *t.key_use, *t.sealing)
    yield (
        "**Messages.** Send a command and a packet for each message, in the same order; either may come first. Text comes back in that "
        f"order, and one status for each command follows its text. {t.tags}"
    )
    yield ""
    yield from code_table(MessageCode)
    yield from t.faults
    yield (
        "If several things are wrong with a command, the highest code is given, and its packet is not checked. In a packet, the first "
        "wrong beat decides. A host that does not take text or statuses holds up the entry of further blocks; nothing is lost."
    )
    yield ""
    yield t.nonces
    yield ""


def _unused_rows(d: StreamDescription) -> list[list[object]]:
    """The cycles of the distance in which no token fits."""
    if d.unused is None:
        return []
    parts = {
        "each message": d.unused.message, "a message with associated data, beside these": d.unused.associated,
        "a second pass, beside these": d.unused.second,
    }  # fmt: skip
    what = "maximum average number of cycles in which no token of {} fits"
    return [[what.format(which), cycles, "cycles"] for which, cycles in parts.items() if cycles]


def _figures(t: Texts, d: StreamDescription, varies: bool) -> Iterator[str]:
    usual, *others = d.explain.starts
    shape = d.bench_shape
    most = "maximum " if varies else ""
    of_messages = "maximum average " if d.unused else ""
    rows: list[Sequence[object]] = [
        *t.cadence_rows,
        [f"{t.average}cycles per block of associated data, and of text", f"{d.cycles.associated}, {d.cycles.text}", "cycles"],
        [f"{t.average}cycles per tag", d.cycles.tag, "cycles"],
        [f"start of a message with a nonce of {numbers(usual.nonce_bytes)} bytes", d.cycles.start, "cycles"],
        *([f"start of a message with a nonce of {numbers(start.nonce_bytes)} bytes", d.start_cycles(start), "cycles"] for start in others),
        [
            f"{of_messages}interval between messages with {shape.associated} bytes of associated data and {shape.text} bytes of text",
            d.cycles_of(shape.associated, shape.text), "cycles",
        ],
        *t.message_rows,
        *_unused_rows(d),
        [f"{most}latency at the pins, from the first input beat of text to the first output beat", d.latency, "cycles"],
        *t.key_rows,
        *t.limit_rows,
        *t.held_rows,
    ]  # fmt: skip
    yield from table(["figure", "value", "unit"], rows)
    yield f"The latency holds for {t.alone} that is alone, without associated data, whose command comes with its text."
    yield from t.latency_notes
    yield from t.beat_notes
    yield ""
