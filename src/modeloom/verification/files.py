# SPDX-License-Identifier: Apache-2.0
"""Compares the files of a core with their hashes in ``core.json`` and with the files of the current definition."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from modeloom.cores.front import chosen_clocks, front_of
from modeloom.emit.files import contents
from modeloom.emit.package.manifest import read_manifest
from modeloom.emit.tools import CheckFailed
from modeloom.product.core import Core, D
from modeloom.product.description import Description
from modeloom.product.versions import EXACT_TOOLS, FRONT_TOOLS, versions
from modeloom.spec import InputError
from modeloom.verification.datasheet import measured_in

__all__ = ["changed_files", "check_emission", "check_hashes", "newer_tools", "today"]

_TOOLS = {"yosys": "Yosys", "amaranth": "Amaranth", "ortools": "OR-Tools"}
"""The names of tools in messages, if they have another one."""


def changed_files(directory: Path, description: Description) -> list[str]:
    """Files that are missing, or do not have the SHA-256 in ``core.json`` or in the manifest.

    Raises ``InputError`` if there is no SHA-256.
    """
    if description.sha256 is None:
        raise InputError(f"{directory}/core.json has no hashes: an older version wrote it; build the core again, or add --no-hashes")
    changed = [file for file, wanted in description.sha256.items() if _hash(directory / file) != wanted]
    files = description.files
    if files.manifest is None:
        return changed
    try:
        hashes = read_manifest((directory / files.manifest).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        hashes = {}
    if hashes.keys() != {*description.sha256, files.description}:
        return [*changed, files.manifest]
    return [*changed, *(file for file, wanted in hashes.items() if file not in changed and _hash(directory / file) != wanted)]


def _hash(path: Path) -> str | None:
    """SHA-256 of a file; None if it is missing."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def check_hashes(directory: Path, description: Description) -> None:
    """Raises ``CheckFailed`` if files are missing or changed.  The message is one line with their names."""
    if changed := changed_files(directory, description):
        names = ", ".join(file if (directory / file).is_file() else f"{file} (missing)" for file in changed)
        raise CheckFailed(
            f"{directory}: changed since modeloom build: {names}; build the core again, or add --no-hashes to test it as it lies there"
        )


def newer_tools(description: Description) -> list[str]:
    """The tools whose versions differ from those that built the core, in words."""
    before = description.versions or {}
    more = (name for name in before if name in (*EXACT_TOOLS, *FRONT_TOOLS))
    return [
        f"{_TOOLS.get(name, name)} {before.get(name, 'unknown')}, here {version}"
        for name, version in versions(*more).items() if before.get(name) != version
    ]  # fmt: skip


def today(core: Core[D], description: D, directory: Path | None = None) -> dict[str, str]:
    """The texts of all files as they are emitted today, with the name and the command of the core.

    Measurements in the HTML datasheet of ``directory``, if it is given, are in that of today, too: its pictures are drawn of them again.
    """
    front = description.front
    end = None
    if front is not None:
        width = None if front.width is None else front.width.bits
        clocks = None if front.clocks is None else chosen_clocks(front.clocks)
        end = front_of("registers" if front.registers else None, width, clocks, bus=front.bus, commands=front.commands)
    measured = None if directory is None else measured_in(directory, description)
    cocotb = description.files.cocotb is not None
    return contents(core, description.name, description.command, end, cocotb=cocotb, ram=description.ram, measured=measured)[1]


def check_emission(directory: Path, texts: Mapping[str, str]) -> None:
    """Raises ``CheckFailed`` if a file differs in any byte from the one that is emitted for the current definition."""
    different = [file for file, text in texts.items() if not _same(directory / file, text)]
    if different:
        differ = f"{', '.join(different)} differ{'s' * (len(different) == 1)}"
        raise CheckFailed(f"{directory}: {differ} from the current definition; build the core again")


def _same(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()
