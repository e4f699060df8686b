# SPDX-License-Identifier: Apache-2.0
"""The contents of ``core.json`` that all kinds of cores for modes have."""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypedDict

from modeloom.ir.graph import Line, Trace
from modeloom.product.description import Files, KeyPart, versions
from modeloom.product.page import SourceLine, SourceText
from modeloom.spec import Mode
from modeloom.spec.mode import Definition
from modeloom.spec.stream import StreamMode
from modeloom.version import VERSION

__all__ = ["anchor_of", "definition_lines", "described", "gives", "key_layout", "refused_keys"]

# The lines of a definition as the HTML datasheet shows them: those that make operations, and in the mode's own file those between.

NEAR = 12
"""Lines without operations between two lines with operations that are still shown, and before the first one."""


def anchor_of(line: Line, texts: tuple[SourceText, ...]) -> str:
    """The anchor of a line in the page; "" if the operation comes from none, or from one that is not shown."""
    for text in texts:
        if text.own != (not line.file) or (line.file and line.file != text.file):
            continue
        if any(each.number == line.number for each in text.lines):
            return text.anchor(line.number)
    return ""


def definition_lines(*traces: Trace) -> tuple[SourceText, ...]:
    """The lines of each file, the mode's own file first, without the common indent of a file.  There is a trace for each size."""
    files: dict[str, dict[int, SourceLine]] = {}
    for line, text in sorted({line: text for trace in traces for line, text in trace.text.items()}.items()):
        files.setdefault(line.file, {})[line.number] = SourceLine(line.number, text.expandtabs(4))
    own = traces[0].file
    if "" in files and own:
        files[""] |= _between(own, files[""])
    return tuple(
        SourceText(file or Path(own).name, _dedented([lines[number] for number in sorted(lines)]), own=not file)
        for file, lines in sorted(files.items())
    )


def _between(path: str, traced: dict[int, SourceLine]) -> dict[int, SourceLine]:
    """The lines of a file between traced ones, and from the head of the function before a first one, where they are few."""
    every = [text.rstrip().expandtabs(4) for text in linecache.getlines(path)]
    found: dict[int, SourceLine] = {}
    last = 0
    for number in sorted(traced):
        start = last + 1 if last and number - last <= NEAR else _head(every, number, last)
        found |= {n: SourceLine(n, every[n - 1], traced=False) for n in range(start, number) if n <= len(every)}
        last = number
    return {n: line for n, line in found.items() if n not in traced}


def _head(every: list[str], number: int, last: int) -> int:
    """The line with the head of the function around a line, if it is near; the line itself otherwise."""
    for n in range(number, max(last, number - NEAR), -1):
        if n <= len(every) and every[n - 1].lstrip().startswith("def "):
            return n
    return number


def _dedented(lines: list[SourceLine]) -> tuple[SourceLine, ...]:
    indent = min((len(line.text) - len(line.text.lstrip()) for line in lines if line.text.strip()), default=0)
    return tuple(SourceLine(line.number, line.text[indent:], line.traced) for line in lines)


# -- gives -------------------------------------------------------------------------------------------------------------------------

# What a mode gives to those who use it, and what it does not give, in a sentence or two.
#
# ``security`` of a definition has bounds and attacks.  These sentences come before it in the HTML datasheet.

WIDE = (
    "This is a wide-block mode: each bit of the result depends on each bit of the sector, of the tweak and of the key. If one bit of "
    "ciphertext changes, the whole sector decrypts to noise."
)  # fmt: skip

UNTAGGED = (
    "It is deterministic, and it authenticates nothing, because there is no tag. Equal sectors under equal keys and tweaks give equal "
    "results. Anyone who can write to the disk can put an old sector back, and no error tells the host that a sector was changed."
)  # fmt: skip

TAGGED = (
    "This is authenticated encryption: text is hidden, and a message is refused if its text, associated data, nonce or tag has changed."
)  # fmt: skip

NONCE = "**A nonce must never be used twice under a key.** The host must ensure this. The core does not track nonces."

MISUSE = (
    "If a nonce is used twice, no text and no key is revealed. An observer only sees which messages under this nonce are equal. Distinct "
    "nonces are still better."
)  # fmt: skip

MEANT = (
    "This mode was meant to be a wide-block mode, in which each bit of the result depends on each bit of the sector, of the tweak and of "
    "the key."
)  # fmt: skip

NARROW = (
    "This mode encrypts each block of 16 bytes separately. The place of a block in the sector is part of its tweak. It is not a wide-block "
    "mode: each output block depends on one input block, or on the last two blocks with ciphertext stealing."
)  # fmt: skip

OF_MODES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("hctr2", "hctr", "hch", "hchfp", "heh-brw", "heh-brw-pi", "heh-poly", "tet", "eme", "eme2", "cmc"), (WIDE, UNTAGGED)),
    **dict.fromkeys(("xts", "xts-gb", "xts-ieee"), (NARROW, UNTAGGED)),
    **dict.fromkeys(("hmch-brw", "hmch-poly", "xcb", "xcb-1619"), (MEANT, UNTAGGED)),
    **dict.fromkeys(("gcm", "ccm", "ocb3", "aes-otr", "deoxys-i"), (TAGGED, NONCE)),
    **dict.fromkeys(("gcm-siv", "deoxys-ii"), (TAGGED, MISUSE)),
}
"""The sentences by the names of modes.

Wide blocks: HCTR2 (Crowley, Huckleberry, Biggers, eprint 2021/1441), and the papers that ``source`` of each mode names.  XTS: SP 800-38E
and Rogaway's evaluation of 2011, chapter 6.  Nonces: SP 800-38D, SP 800-38C, RFC 7253, RFC 8452, and the Deoxys submission to CAESAR.
"""


def gives(mode: Definition) -> tuple[str, ...]:
    """The sentences for a mode.  A mode that a user brings has those that follow from its class alone, and a line that says so."""
    known = OF_MODES.get(mode.name)
    if known is not None and not mode.place:
        return known
    own = "This definition is not one of modeloom's. Its security properties are those that its author states."
    if isinstance(mode, StreamMode):
        return (own, "It is written as authenticated encryption: its core gives a tag, and refuses messages with another one.")
    if isinstance(mode, Mode):
        return (own, "It preserves the length of a sector and therefore has no tag.")
    return (own,)


# -- described ---------------------------------------------------------------------------------------------------------------------

def key_layout(mode: type[Definition] | Definition, key_bits: int) -> tuple[KeyPart, ...]:
    """The parts of the key with their positions in its bytes, for cipher keys of ``key_bits`` bits."""
    parts = []
    at = 0
    for part in mode.key_parts:
        length = mode.part_bytes(part, key_bits // 8)
        parts.append(KeyPart(name=part, offset=at, bytes=length))
        at += length
    return tuple(parts)


class Described(TypedDict):
    """Arguments of a ``Description``."""

    version: str
    versions: Mapping[str, str]
    command: str
    name: str
    top: str
    verilog: str
    listing: str | None
    files: Files
    mode: str
    definition: str
    title: str
    source: str
    security: str
    broken: bool
    key_parts: tuple[str, ...]
    refused_keys: str


def refused_keys(mode: type[Definition] | Definition, nonzero: Iterable[str]) -> str:
    """Which keys a core refuses: in the words of the mode, or derived from what the hardware compares.

    Empty if the core takes every key.  The check for timing channels lets the verdict on a key out of a core for which this says
    something, so that it must not depend on whether the author of a mode wrote a text.

    Parameters
    ----------
    mode : Definition
    nonzero : iterable of str
        What is inverted in the set-up, as ``o.inverse`` names it.
    """
    reasons = [" = ".join(mode.cipher_keys)] if mode.distinct_keys and len(mode.cipher_keys) > 1 else []
    reasons += [f"{what} is 0" for what in nonzero]
    return (mode.refused_keys or "; ".join(dict.fromkeys(reasons))) if reasons else ""


def described(
    mode: type[Definition] | Definition, name: str, command: str, files: Files, nonzero: Iterable[str] = ()
) -> Described:
    """The arguments of a ``Description`` about the definition, the files and the tools; ``nonzero`` is as in ``refused_keys``."""
    return {
        "version": VERSION, "versions": versions(), "command": command, "name": name, "top": name, "verilog": files.verilog,
        "listing": files.listing, "files": files, "mode": mode.name, "definition": mode.place or mode.name, "title": mode.title,
        "source": mode.source, "security": mode.security, "broken": mode.broken, "key_parts": tuple(mode.key_parts),
        "refused_keys": refused_keys(mode, nonzero),
    }  # fmt: skip
