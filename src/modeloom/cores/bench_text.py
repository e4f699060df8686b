# SPDX-License-Identifier: Apache-2.0
"""Vectors for the benches of all kinds of cores: bytes from labels, packets of beats, and numbers in Verilog."""

from __future__ import annotations

import hashlib
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources

from modeloom.ciphers import AES, cipher_of
from modeloom.compiler.compile import Compiled
from modeloom.compiler.streams import CipherNumbers, CompiledStream, default_sizes
from modeloom.interfaces.shared import KEY_BEAT_BYTES
from modeloom.options.messages import StreamOptions
from modeloom.options.sectors import Options

__all__ = [
    "Beat", "BenchKey", "beats_of", "bench_bytes", "filled", "first_keys", "hexadecimal", "keep_text", "key_lines", "packet_lines",
    "phase_lines", "sector_words", "stream_words", "template", "wanted_lines", "without",
]  # fmt: skip


# -- template --------------------------------------------------------------------------------------------------------------------------

# Fills in the placeholders of a text: ``@NAME@`` in a file of ``templates``.
#
# If a placeholder is the first in its line, all lines of its value get its indentation.  A line with ``include`` is replaced by a file that
# the benches of all kinds of cores share::
#
#     (indented) @RULES@     ──▶    (indented) the first line
#                                   (indented) the second
#     @include keys.sv@      ──▶    the text of cores/templates/keys.sv, with its placeholders

_PLACE = re.compile(r"(^ +)?@([A-Z_]+)@", re.M)

_INCLUDE = re.compile(r"^@include ([\w.]+)@\n", re.M)


def template(package: str, name: str) -> str:
    """The text of a file in the ``templates`` of a package, with the files that it includes."""
    text = _read(package, name)
    return _INCLUDE.sub(lambda line: _read(__package__ or "", line[1]), text)


def without(text: str, word: str) -> str:
    """A text without the lines that have a word."""
    return "".join(line for line in text.splitlines(keepends=True) if word not in line)


def _read(package: str, name: str) -> str:
    return resources.files(package).joinpath("templates", name).read_text(encoding="utf-8")


def filled(package: str, name: str, values: Mapping[str, object]) -> str:
    """The text of a template with the values filled in.

    Parameters
    ----------
    package : str
        The package that has the template.
    name : str
        A file in its ``templates``.
    values : mapping
        A value for each placeholder, which may be text of several lines.

    Raises
    ------
    KeyError
        A placeholder has no value.
    """
    return _PLACE.sub(lambda place: textwrap.indent(str(values[place[2]]), place[1] or ""), template(package, name))


# -- words -----------------------------------------------------------------------------------------------------------------------------

# Words of the name of a core: the mode, its sector sizes, and a word for each option that differs from its default.

FIRST_OF_SECTORS = ("cipher", "key_bits", "direction", "tweak", "cipher_cores", "cipher_arch", "cipher_sbox", "streams", "cipher_stages")
FIRST_OF_MESSAGES = (
    "cipher", "cipher_arch", "streams", "key_bits", "direction", "blocks_per_cycle", "cipher_sbox", "cipher_stages", "mul_arch",
    "mul_stages", "key_slots", "hold", "channels", "keys", "packet", "order", "key_schedule", "key_schedules", "key_derivers",
    "message_buffer",
)  # fmt: skip
"""The options whose words come first.  Words of other options follow in the order of their rows."""


def sector_words(compiled: Compiled) -> tuple[str, ...]:
    """The words of a core for sectors."""
    mode, options = compiled.mode, compiled.options
    usual = replace(Options().of(mode).on(cipher_of(mode, options.cipher)), cipher=cipher_of(mode).name)
    other = {} if options.cipher == AES.name else {"cipher_cores": "cores{}"}
    return mode.name, *(str(one.source.nbytes) for one in compiled.sizes), *options.words(usual, FIRST_OF_SECTORS, **other)


def stream_words(compiled: CompiledStream) -> tuple[str, ...]:
    """The words of a core for messages."""
    mode, options = compiled.mode, compiled.options
    cipher = cipher_of(mode, options.cipher)
    first, *more = default_sizes(mode, cipher)
    # What follows from where keys come from, and from the interface, needs no word of its own.
    usual = replace(
        StreamOptions(key_bits=first, keys=options.keys, interface=options.interface).on(cipher), more_key_bits=tuple(more),
        cipher=cipher_of(mode).name, keys=StreamOptions.keys, interface=StreamOptions.interface,
        cipher_cores=CipherNumbers.of(compiled.plan, options.channels).usual,
    )  # fmt: skip
    return mode.name, *options.words(usual, FIRST_OF_MESSAGES)


# -- bench text ------------------------------------------------------------------------------------------------------------------------

Beat = tuple[bytes, int]
"""Bytes of a beat, and its ``tkeep``."""


def bench_bytes(label: str, length: int) -> bytes:
    """Pseudorandom bytes that depend only on the label."""
    return hashlib.shake_128(f"modeloom bench {label}".encode()).digest(length)


def beats_of(data: bytes, size: int) -> tuple[Beat, ...]:
    """The beats of a packet, each with its ``tkeep``."""
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    return tuple((chunk.ljust(size, b"\0"), (1 << len(chunk)) - 1) for chunk in chunks)


def hexadecimal(data: bytes, bits: int) -> str:
    """Bytes as a number in Verilog, with byte 0 in the lowest bits."""
    return f"{bits}'h{int.from_bytes(data, 'little'):0{-(-bits // 4)}x}"


@dataclass(frozen=True)
class BenchKey:
    """A key for a slot."""

    slot: int
    key: bytes

    @property
    def beats(self) -> tuple[Beat, ...]:
        """The beats of its packet."""
        return beats_of(self.key, KEY_BEAT_BYTES)


def first_keys(keys: Iterable[BenchKey]) -> list[tuple[int, bytes]]:
    """The first key of each slot."""
    found: dict[int, bytes] = {}
    for key in keys:
        found.setdefault(key.slot, key.key)
    return list(found.items())


def key_lines(keys: Sequence[BenchKey], most_beats: int) -> Iterator[str]:
    """The keys of a bench, in beats of which each key has at most so many."""
    for number, key in enumerate(keys):
        yield f"key_slot[{number}] = {key.slot};"
        for i, (beat, _) in enumerate(key.beats):
            yield f"key[{number * most_beats + i}] = {hexadecimal(beat[: len(key.key) - i * KEY_BEAT_BYTES], 8 * KEY_BEAT_BYTES)};"


def keep_text(value: int, beat_bytes: int) -> str:
    """A tkeep of a beat of data."""
    return "{BEAT_BYTES{1'b1}}" if value == (1 << beat_bytes) - 1 else f"{beat_bytes}'h{value:x}"


def packet_lines(number: int, command: bytes, beats: Sequence[Beat], sent: int, beat_bytes: int) -> Iterator[str]:
    """A command and its packet, behind so many beats of others."""
    yield f"command[{number}] = {hexadecimal(command, 8 * len(command))};"
    for i, (beat, mask) in enumerate(beats, sent):
        last, keep = int(i - sent == len(beats) - 1), keep_text(mask, beat_bytes)
        yield f"sent[{i}] = {hexadecimal(beat, 8 * beat_bytes)}; sent_keep[{i}] = {keep}; sent_last[{i}] = {last};"


def wanted_lines(beats: Iterable[Beat], wanted: int, beat_bytes: int) -> Iterator[str]:
    """Beats that must come back, behind so many others."""
    for i, (beat, mask) in enumerate(beats, wanted):
        yield f"wanted[{i}] = {hexadecimal(beat, 8 * beat_bytes)}; wanted_keep[{i}] = {keep_text(mask, beat_bytes)};"


def phase_lines(phases: Mapping[str, int]) -> str:
    """The numbers of commands by the ends of phases."""
    width = max(map(len, phases))
    return "\n".join(f"localparam PHASE_{phase.upper():<{width}} = {end};" for phase, end in phases.items())
