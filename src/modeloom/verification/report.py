# SPDX-License-Identifier: Apache-2.0
"""The result of a verification: a line for each step, and a report as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from modeloom.product.description import Description

__all__ = ["SCHEMA", "Step", "as_json"]

SCHEMA = "modeloom-verify-1"


@dataclass(frozen=True)
class Step:
    """A step that passed, or was skipped.

    Attributes
    ----------
    name : str
        One word.
    text : str
        The result, on one line.
    figures : dict
        The same as numbers.
    skipped : tuple of str
        The parts that were skipped, each with its reason.
    """

    name: str
    text: str
    figures: Mapping[str, object] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: {self.text}"


def as_json(description: Description, seed: int, used: dict[str, str], steps: Sequence[Step], failure: str = "") -> dict[str, object]:
    """The report: the core, the old and new versions, the steps with their figures, the skipped parts, and the verdict."""
    core = description.as_json()
    return {
        "schema": SCHEMA,
        "core": {key: core.get(key) for key in ("name", "mode", "definition", "definition_sha256", "command", "sha256", "options")},
        "versions": {"built_with": core.get("versions", {}), "verified_with": used},
        "seed": seed,
        "steps": [{"step": step.name, "text": step.text, **step.figures} for step in steps if step.name != "skipped"],
        "skipped": [what for step in steps if step.name != "skipped" for what in step.skipped],
        "passed": not failure,
        **({"failure": failure} if failure else {}),
    }
