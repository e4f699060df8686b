# SPDX-License-Identifier: Apache-2.0
"""Reads the folder of a core: its description and its Verilog."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from modeloom.product import beats as sectors
from modeloom.product import messages
from modeloom.product.description import Description, description_class, schemas
from modeloom.product.json_form import FormError, read
from modeloom.spec import InputError

__all__ = ["files_of", "other_kind", "read_as", "read_description", "read_messages", "read_sectors", "verilog_of"]

D = TypeVar("D", bound=Description)


def read_description(directory: str | Path) -> Description:
    """Reads and checks ``core.json`` of a core of any kind.

    Raises
    ------
    InputError
        The file is missing, cannot be read, belongs to another version, or has wrong contents.
    """
    path = Path(directory) / "core.json"
    if not path.is_file():
        raise InputError(f"{directory} does not contain a core (core.json is missing); build one with: modeloom build MODE -o {directory}")
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} cannot be read ({error}); build the core again") from None
    try:
        if not isinstance(value, dict) or "schema" not in value:
            raise FormError("schema is missing" if isinstance(value, dict) else "it is not an object")
        kind = description_class(value["schema"])
        if kind is None:
            raise FormError(f"its schema is not {' or '.join(sorted(schemas()))}")
        return read(kind, value)
    except FormError as error:
        raise InputError(f"{path} does not belong to a core of this version ({error}); build the core again") from None


def read_as(kind: type[D], directory: str | Path, what: str) -> D:
    """``core.json`` of a core of one kind.

    Raises ``InputError`` also for other kinds.  The message names the required kind, ``what``.
    """
    description = read_description(directory)
    if not isinstance(description, kind):
        raise other_kind(directory, description, what)
    return description


def other_kind(directory: str | Path, description: Description, what: str) -> InputError:
    """The error for a core of the wrong kind.  ``what`` is the kind that is needed."""
    return InputError(f"{directory} contains a core of a different type ({description.schema}); this needs {what}")


def read_sectors(directory: str | Path) -> sectors.SectorDescription:
    """``core.json`` of a core for sectors.  Raises ``InputError`` like ``read_description``, and also for other cores."""
    return read_as(sectors.SectorDescription, directory, "a core for sectors")


def read_messages(directory: str | Path) -> messages.StreamDescription:
    """``core.json`` of a core for messages.  Raises ``InputError`` like ``read_description``, and also for other cores."""
    return read_as(messages.StreamDescription, directory, "a core for messages")


def verilog_of(directory: str | Path, description: Description) -> Path:
    """The Verilog file of a core.  Raises ``InputError`` if it is missing."""
    verilog = Path(directory) / description.verilog
    if not verilog.is_file():
        raise InputError(f"{verilog.name} is missing in {directory}; build the core again")
    return verilog


def files_of(directory: str | Path) -> frozenset[str] | None:
    """Names of the files that this or an older version wrote into the folder of a core; None if the folder holds no core."""
    try:
        value = json.loads((Path(directory) / "core.json").read_text(encoding="utf-8"))
        files = value["files"] if value["schema"] in schemas() else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(files, dict):
        return None
    return frozenset(name for name in files.values() if isinstance(name, str) and Path(name).name == name)
