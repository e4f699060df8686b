# SPDX-License-Identifier: Apache-2.0
"""The arithmetic and cipher circuits by name.  ``modeloom circuit`` builds them, and ``docs/circuits.md`` compares them."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from modeloom.spec import UnknownName
from modeloom_circuits.contract import Built, Circuit, Gates, Operation, Option

__all__ = ["Built", "Circuit", "Gates", "Operation", "Option", "all_circuits", "find_circuit"]

FAMILIES = ("multipliers", "polynomials", "sboxes", "linear", "aes", "key_schedule", "sm4", "deoxys", "lut6", "led")
"""Modules of ``catalogue``.  Each has a tuple ``CIRCUITS``."""


@cache
def all_circuits() -> dict[str, Circuit]:
    """All circuits by name, in the order of the families."""
    modules = [import_module(f"modeloom_circuits.catalogue.{family}") for family in FAMILIES]
    return {circuit.name: circuit for module in modules for circuit in module.CIRCUITS}


def find_circuit(name: str) -> Circuit:
    """The circuit with this name.  Raises ``UnknownName``."""
    circuits = all_circuits()
    if name not in circuits:
        raise UnknownName("circuit", name, circuits)
    return circuits[name]
