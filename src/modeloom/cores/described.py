# SPDX-License-Identifier: Apache-2.0
"""The contents of ``core.json`` that all kinds of cores for modes have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypedDict

from modeloom.product.description import Files, KeyPart
from modeloom.product.versions import versions
from modeloom.spec.keyed import Definition
from modeloom.version import VERSION

__all__ = ["described", "key_layout", "refused_keys"]


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
