# SPDX-License-Identifier: Apache-2.0
"""A request to a block cipher for one of its cores, and the cycles of this core."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NoReturn

from modeloom.ciphers.interface import OLD_MEMBERS
from modeloom.spec.cadence import Cadence
from modeloom.spec.directions import DIRECTIONS
from modeloom.spec.wording import many

__all__ = ["DIRECTION_OF", "FEW_SLOTS", "FORMS", "CoreRequest", "CoreTiming"]

FEW_SLOTS = 64
"""Up to this number, key slots do not change the timing of a core.  With more, round keys may be in block memories."""

FORMS = ("pipelined", "sequential", "multistream")
"""The forms of a core: it takes a block in every cycle, one block after another, or several blocks in successive cycles."""

DIRECTION_OF = {"enc": "encrypt", "dec": "decrypt", "tenc": "encrypt", "tdec": "decrypt", "both": "both"}
"""The direction of a core, by its name in a functional unit, which is the name of its operation."""


@dataclass(frozen=True, kw_only=True)
class CoreRequest:
    """A request for a core of a cipher.

    Attributes
    ----------
    direction : str
        "encrypt", "decrypt" or "both".
    form : str
        "pipelined", "sequential" or "multistream".
    key_bits : int
        Bits of a key.
    stages : int
        Registers in a round of a pipeline, or cycles in a round of a sequential or multistream core, which are its ``streams``.
    slots : int
        Number of keys that the core holds.
    sbox : str
        Form of the S-boxes, one of ``BlockCipher.sboxes``.
    more_key_bits : tuple of int
        Other key sizes that a slot may have.  All sizes have the same timing.
    writers : int
        0, or the number of iterative key schedules that write round keys at the same time.  The core then clears all round keys of a
        slot at once.
    streams : int
        Blocks of a batch in a multistream core, which a round has registers for; otherwise 1.
    networks : str
        "plain", or "lut6": a cipher may divide its XOR networks into LUTs of six inputs, as multipliers for such LUTs do.

    Raises
    ------
    ValueError
        The direction or the form is unknown, a key size occurs twice, or a core of another form has streams.
    """

    direction: str
    form: str
    key_bits: int
    stages: int
    slots: int = 1
    sbox: str = "lut"
    more_key_bits: tuple[int, ...] = ()
    writers: int = 0
    networks: str = "plain"
    streams: int = 1

    def __post_init__(self) -> None:
        if self.direction not in DIRECTIONS:
            raise ValueError(f"direction must be one of {', '.join(DIRECTIONS)}, not {self.direction!r}")
        if self.form not in FORMS:
            raise ValueError(f"form must be one of {', '.join(FORMS)}, not {self.form!r}")
        if self.streams != 1 and self.form != "multistream":
            raise ValueError(f"streams are for multistream cores, and this one is {self.form}")
        if len(set(self.key_sizes)) != len(self.key_sizes):
            raise ValueError(f"key sizes must differ, not {', '.join(map(str, self.key_sizes))}")

    def __getattr__(self, name: str) -> NoReturn:
        """Nothing but the name of the member that replaces one of an earlier version.  Raises ``AttributeError``."""
        now = OLD_MEMBERS.get(name)
        raise AttributeError(
            f"a CoreRequest has no {name}; {f'{name} of interface 1 is now {now}' if now else 'docs/user-api.md lists its members'}"
        )

    def __str__(self) -> str:
        does = {"encrypt": "encrypter", "decrypt": "decrypter", "both": "core for both directions"}[self.direction]
        if self.form == "multistream":
            return f"the {self.form} {does} for {self._sizes}-bit keys with {many(self.streams, 'stream')}"
        what = ("register" if self.form == "pipelined" else "cycle") + "s" * (self.stages != 1)
        return f"the {self.form} {does} for {self._sizes}-bit keys with {self.stages} {what} per round"

    @property
    def _sizes(self) -> str:
        return "- and ".join(filter(None, ("-, ".join(map(str, self.key_sizes[:-1])), str(self.key_sizes[-1]))))

    @property
    def key_sizes(self) -> tuple[int, ...]:
        """Bits of the keys that a slot may have.  Ports named ``key_length`` and ``length`` carry an index into this tuple."""
        return (self.key_bits, *self.more_key_bits)

    @property
    def decrypts(self) -> tuple[bool, ...]:
        """The directions that blocks may have.  True is decryption."""
        return {"encrypt": (False,), "decrypt": (True,), "both": (False, True)}[self.direction]

    def but(self, **changes: object) -> CoreRequest:
        """The same request with some members changed."""
        return replace(self, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True)
class CoreTiming:
    """Cycles from operand to result, and between two operations.

    Attributes
    ----------
    latency, interval : int
    blocks : int
        Blocks that a multistream core takes in successive cycles, in each ``interval``; otherwise 1.
    """

    latency: int
    interval: int
    blocks: int = 1

    @property
    def cadence(self) -> Cadence | None:
        """The cycles in which the core takes blocks; None if it takes one in every cycle."""
        return None if self.interval == 1 else Cadence(self.interval, self.blocks)
