# SPDX-License-Identifier: Apache-2.0
"""The contents of ``core.json`` that all kinds of cores for modes have."""

from __future__ import annotations

from typing import Any

from modeloom.product.description import Files, KeyPart
from modeloom.product.versions import versions
from modeloom.spec.keyed import Definition
from modeloom.version import VERSION

__all__ = ["described", "key_layout"]


def key_layout(mode: type[Definition] | Definition, key_bits: int) -> tuple[KeyPart, ...]:
    """The parts of the key with their positions in its bytes, for cipher keys of ``key_bits`` bits."""
    parts = []
    at = 0
    for part in mode.key_parts:
        length = mode.part_bytes(part, key_bits // 8)
        parts.append(KeyPart(name=part, offset=at, bytes=length))
        at += length
    return tuple(parts)


def described(mode: type[Definition] | Definition, name: str, command: str, files: Files) -> dict[str, Any]:
    """The arguments of a ``Description`` about the definition, the files and the tools."""
    return {
        "version": VERSION, "versions": versions(), "command": command, "name": name, "top": name, "verilog": files.verilog,
        "listing": files.listing, "files": files, "mode": mode.name, "definition": mode.place or mode.name, "title": mode.title,
        "source": mode.source, "security": mode.security, "broken": mode.broken, "key_parts": tuple(mode.key_parts),
        "refused_keys": mode.refused_keys,
    }  # fmt: skip
