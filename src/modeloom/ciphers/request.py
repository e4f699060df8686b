# SPDX-License-Identifier: Apache-2.0
"""What is asked of a block cipher for one of its cores, and the cycles that the core takes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from modeloom.spec.directions import DIRECTIONS

__all__ = ["DIRECTION_OF", "FORMS", "CoreRequest", "CoreTiming"]

FORMS = ("pipelined", "sequential")
"""A core takes a block every cycle, or one after the other."""

DIRECTION_OF = {"enc": "encrypt", "dec": "decrypt", "both": "both"}
"""The direction of a core by its name in a functional unit, which is the name of the operation that it does."""


@dataclass(frozen=True, kw_only=True)
class CoreRequest:
    """A core of a cipher.

    Attributes
    ----------
    direction : str
        "encrypt", "decrypt" or "both".
    form : str
        "pipelined" or "sequential".
    key_bits : int
        Bits of a key.
    stages : int
        Registers a round of a pipeline, cycles a round of a sequential core.
    slots : int
        Keys that the core holds.
    sbox : str
        Form of the S-boxes, one of ``BlockCipher.sboxes``.

    Raises
    ------
    ValueError
        The direction or the form is none of these.
    """

    direction: str
    form: str
    key_bits: int
    stages: int
    slots: int = 1
    sbox: str = "lut"

    def __post_init__(self) -> None:
        if self.direction not in DIRECTIONS:
            raise ValueError(f"direction must be one of {', '.join(DIRECTIONS)}, not {self.direction!r}")
        if self.form not in FORMS:
            raise ValueError(f"form must be one of {', '.join(FORMS)}, not {self.form!r}")

    def __str__(self) -> str:
        does = {"encrypt": "encrypter", "decrypt": "decrypter", "both": "core for both directions"}[self.direction]
        what = ("register" if self.form == "pipelined" else "cycle") + "s" * (self.stages != 1)
        return f"the {self.form} {does} for {self.key_bits}-bit keys with {self.stages} {what} a round"

    @property
    def decrypts(self) -> tuple[bool, ...]:
        """The directions that blocks may have; True is decryption."""
        return {"encrypt": (False,), "decrypt": (True,), "both": (False, True)}[self.direction]

    def but(self, **changes: object) -> CoreRequest:
        """The same with some members changed."""
        return replace(self, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True)
class CoreTiming:
    """Cycles from operand to result, and between two operations."""

    latency: int
    interval: int
