# SPDX-License-Identifier: Apache-2.0
"""One point of a sweep: a mode or a circuit, its options, its target, and what is asked of it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from modeloom.spec import InputError

__all__ = ["AREAS", "KINDS", "Configuration", "flags"]

KINDS = ("sector", "stream", "circuit")
"""What a point is: a mode on sectors, a stream mode, or a circuit."""

AREAS = ("core", "blocks")
"""How a point is mapped: as a whole, or block by block."""


@dataclass(frozen=True)
class Configuration:
    """A point of a sweep.

    Attributes
    ----------
    kind : str
        One of ``KINDS``.
    name : str
        The name of the mode or the circuit, or ``FILE.py:CLASS``.
    options : mapping
        Values by the long names of the options, without hyphens at the front: numbers, texts, and True for a flag.
    target : str or None
        The target of the synthesis.  None if the point is not synthesised.
    area : str or None
        One of ``AREAS``.  None without a target.
    simulate, pnr : bool
        Whether the bench of the core runs, and whether it is placed and routed.
    freq : float or None
        Clock target of place and route, in MHz.
    """

    kind: str
    name: str
    options: Mapping[str, int | str] = field(default_factory=dict)
    target: str | None = None
    area: str | None = None
    simulate: bool = False
    pnr: bool = False
    freq: float | None = None

    def as_dict(self) -> dict[str, object]:
        """The configuration as plain data, with the options in alphabetical order."""
        return {
            "kind": self.kind, "name": self.name, "options": dict(sorted(self.options.items())), "target": self.target,
            "area": self.area, "simulate": self.simulate, "pnr": self.pnr, "freq": self.freq,
        }  # fmt: skip

    @property
    def canonical(self) -> str:
        """The configuration as JSON text, which is equal for equal configurations."""
        return json.dumps(self.as_dict(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @property
    def design(self) -> str:
        """What is built, apart from the target and the steps, as JSON text."""
        return json.dumps([self.kind, self.name, dict(sorted(self.options.items()))], separators=(",", ":"), ensure_ascii=False)

    @property
    def emit_command(self) -> str:
        """The command that ``core.json`` and the Verilog state: that of ``modeloom build`` without its folder."""
        return shlex.join(["modeloom", "build", self.name, *flags(self.options)])

    @property
    def command(self) -> str:
        """The commands that give the point."""
        if self.kind == "circuit":
            more = [] if self.target is None else ["--target", self.target, *self._routing()]
            return shlex.join(["modeloom", "circuit", self.name, *flags(self.options), *more])
        if self.target is None and not self.simulate:
            return shlex.join(["modeloom", "explain", self.name, *flags(self.options)])
        build = f"{self.emit_command} -o DIR"
        if self.target is None:
            return build
        return f"{build} && {shlex.join(['modeloom', 'synth', 'DIR', '--target', self.target, *self._routing()])}"

    def _routing(self) -> list[str]:
        if not self.pnr:
            return []
        return ["--pnr", *([] if self.freq is None else ["--freq", f"{self.freq:g}"])]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Configuration:
        """The inverse of ``as_dict``.  Raises ``TypeError`` for other members."""
        return cls(**data)


def flags(options: Mapping[str, object]) -> list[str]:
    """Options as arguments of a command line, in alphabetical order.

    Raises
    ------
    InputError
        A value is neither a number nor text nor True.
    """
    found: list[str] = []
    for name, value in sorted(options.items()):
        if value is True:
            found.append(f"--{name}")
        elif isinstance(value, (int, str)) and not isinstance(value, bool):
            found += [f"--{name}", str(value)]
        else:
            raise InputError(f"{name} must be a number, a string or true, not {value!r}")
    return found
