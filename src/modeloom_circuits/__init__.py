# SPDX-License-Identifier: Apache-2.0
"""The arithmetic and cipher circuits by name.  ``modeloom circuit`` builds them, and ``docs/circuits.md`` compares them."""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module, resources
from typing import Any

from modeloom.spec import UnknownName
from modeloom_circuits.contract import Built, Circuit, Gates, Operation, Option

__all__ = ["Built", "Circuit", "Gates", "Operation", "Option", "all_circuits", "find_circuit", "printed"]

FAMILIES = (
    ("fields", "MULTIPLIERS"), ("fields", "HASHES"), ("parts_of_aes", "SBOX_CIRCUITS"), ("parts_of_aes", "COLUMN_CIRCUITS"),
    ("aes", "AES_CIRCUITS"), ("parts_of_aes", "KEY_SCHEDULES"), ("ciphers", "SM4_CIRCUITS"), ("ciphers", "DEOXYS_CIRCUITS"),
    ("fields", "LUT_MULTIPLIERS"), ("ciphers", "LED_CIRCUITS"),
)  # fmt: skip
"""Modules of ``catalogue``, and the tuple of circuits in each."""


@cache
def all_circuits() -> dict[str, Circuit]:
    """All circuits by name, in the order of the families."""
    families = [getattr(import_module(f"modeloom_circuits.catalogue.{module}"), family) for module, family in FAMILIES]
    return {circuit.name: circuit for family in families for circuit in family}


def find_circuit(name: str) -> Circuit:
    """The circuit with this name.  Raises ``UnknownName``."""
    circuits = all_circuits()
    if name not in circuits:
        raise UnknownName("circuit", name, circuits)
    return circuits[name]


def printed(paper: str, table: str | None = None) -> list[dict[str, Any]]:
    """The rows of a paper (its short name), or of one of its tables, in the printed order.

    ``printed/`` has a JSON file for each paper, a list of rows::

        {"table": "2", "row": "AES-PEC", "values": {"slices": 2859, "cycles": 1}, "units": {"slices": "Virtex-5 slices"}}

    ``table`` is the number of a table or figure, or a word; ``row`` is unique in it.

    Raises
    ------
    FileNotFoundError
        Nothing is stored of that paper.
    """
    text = (resources.files(__name__) / "printed" / f"{paper}.json").read_text(encoding="utf-8")
    return [row for row in json.loads(text) if table in (None, row["table"])]
