# SPDX-License-Identifier: Apache-2.0
"""Test vectors of a core behind the LWC interface as text, in the form that test benches of the development package of LWC read.

::

    pdi.txt    # instructions and segments       sdi.txt    # keys            do.txt    # segments and statuses
               INS = 20000000                               INS = 40000000              HDR = 52000005
               HDR = D200000C                               HDR = C7000010              DAT = 0102030405000000
               DAT = 0001020304050607...                    DAT = 00010203...           STT = E0000000
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from modeloom.compiler.streams import CompiledStream
from modeloom.cores.lwc.vectors import LwcItem, lwc_items
from modeloom.product.lwc import LwcDescription
from modeloom.protocol.segments import Piece
from modeloom.spec import InputError

__all__ = ["vector_texts", "write_vectors"]

WORDS_A_LINE = 8
"""Words of data in a line."""

END = "###EOF"


def _lines(pieces: Iterable[Piece], digits: int) -> Iterator[str]:
    for piece in pieces:
        head, *data = (f"{word:0{digits}X}" for word in piece.words)
        yield f"{piece.kind} = {head}"
        for at in range(0, len(data), WORDS_A_LINE):
            yield f"DAT = {''.join(data[at : at + WORDS_A_LINE])}"


def _title(number: int, item: LwcItem) -> Iterator[str]:
    """The comment before a message."""
    message = item.message
    if message is None:
        return
    yield ""
    yield f"#### Authenticated {'Decryption' if message.decrypt else 'Encryption'}"
    yield f"#### MsgID={number:3}, KeyID={item.key:3}, associated data: {len(message.ad)} bytes, data: {len(message.data)} bytes"


def vector_texts(compiled: CompiledStream, d: LwcDescription) -> dict[str, str]:
    """The texts of ``pdi.txt``, ``sdi.txt`` and ``do.txt``: messages of every direction around the size of a block, with several segments,
    new keys and wrong tags."""
    digits = d.interface_bits // 4
    lines: dict[str, list[str]] = {
        name: [f"# {name}: {d.title}, test vectors of {d.name}", f"# Made by modeloom {d.version}; results come from its software model"]
        for name in ("pdi.txt", "sdi.txt", "do.txt")
    }
    for number, item in enumerate(lwc_items(compiled, d), 1):
        for name, pieces in (("pdi.txt", item.pdi), ("sdi.txt", item.sdi), ("do.txt", item.do)):
            if pieces:
                lines[name] += [*_title(number, item), *_lines(pieces, digits)]
    return {name: "\n".join([*found, "", END, ""]) for name, found in lines.items()}


def write_vectors(folder: str | Path, compiled: CompiledStream, d: LwcDescription) -> None:
    """Writes these files into a folder, which is created if it does not exist.  Raises ``InputError`` if this cannot be done."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, text in vector_texts(compiled, d).items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder}: the test vectors cannot be written: {error.strerror or error}") from None
