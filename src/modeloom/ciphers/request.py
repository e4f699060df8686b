# SPDX-License-Identifier: Apache-2.0
"""A request to a block cipher for one of its cores, and the cycles of this core."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NoReturn

from modeloom.spec import DefinitionError
from modeloom.spec.cadence import Cadence
from modeloom.spec.mode import DIRECTIONS
from modeloom.spec.wording import many

__all__ = [
    "CALLS", "DIRECTION_OF", "FEW_SLOTS", "FORMS", "INTERFACE", "OLD_DIRECTIONS", "OLD_MEMBERS", "CoreRequest", "CoreTiming",
    "old_form", "refuse_call",
]  # fmt: skip

# The version of what a file of a user may import and call, and the new form of each call that has changed.
#
# ``docs/user-api.md`` lists the interface, and a test compares it with the code.  A change of a call is a new version, an entry below, and
# a row on the page.

INTERFACE = 2
"""Version of the interface."""

CALLS = {
    "timing": "timing(request)", "hardware": "hardware(request)", "round_keys": "round_keys(key_bits)", "software": "software(key)",
    "key_schedule": "key_schedule(key_bits)", "key_schedule_for": "key_schedule_for(key_sizes)",
    "iterative_schedule": "iterative_schedule(key_sizes)", "expand": "expand(key)",
}  # fmt: skip
"""The functions of a description in their form of today."""

_REQUEST = "a CoreRequest with direction, form, key_bits, stages, slots and sbox"

_OLD = {
    "timing": {4: f"timing(core, architecture, key_bits, stages) of interface 1 is now timing(request), {_REQUEST}"},
    "hardware": {
        count: f"hardware(core, architecture, key_bits, stages, slots{more}) of interface 1 is now hardware(request), {_REQUEST}"
        for count, more in ((5, ""), (6, ", sbox"))
    },
}
"""Functions of earlier versions, by the number of their arguments, with their new form."""

OLD_DIRECTIONS = {"enc": "encrypt", "dec": "decrypt"}
"""Names of directions in interface 1."""

OLD_MEMBERS = {"core": "direction", "architecture": "form"}
"""Arguments of interface 1, and the members of a request that replace them."""


def old_form(word: str, arguments: int) -> str | None:
    """The new form of a function that takes this number of arguments; None if no earlier version had such a function."""
    return _OLD.get(word, {}).get(arguments)


def refuse_call(name: str, members: Mapping[str, bool], values: tuple[object, ...], given: Mapping[str, object]) -> None:
    """Raises ``DefinitionError`` for a call with other arguments than keywords of today.

    Parameters
    ----------
    name : str
        What is called.
    members : mapping
        Its keywords, and whether each is needed.
    values, given : tuple, mapping
        The arguments without and with keywords.
    """
    form = f"{name}({', '.join(f'{word}=...' for word, needed in members.items() if needed)})"
    if values:
        raise DefinitionError(f"{name}() takes keywords only since interface 2: {form}; docs/user-api.md lists them")
    unknown = [word for word in given if word not in members]
    if unknown:
        raise DefinitionError(f"{name}() has no {unknown[0]}; docs/user-api.md lists its members, of which {form} are needed")
    missing = [word for word, needed in members.items() if needed and word not in given]
    if missing:
        raise DefinitionError(f"{name}() lacks {', '.join(missing)}: {form}; docs/user-api.md describes them")


def arguments_of(function: Callable[..., object]) -> int | None:
    """The number of arguments that a function needs, as far as this is known."""
    import inspect

    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return sum(one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) and one.default is one.empty for one in found)


# -- request -----------------------------------------------------------------------------------------------------------------------

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
        for name, value, known in (("direction", self.direction, DIRECTIONS), ("form", self.form, FORMS)):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, not {value!r}")
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

    @property
    def choice(self) -> tuple[str, ...]:
        """The port of a core for both directions that tells the direction of a block."""
        return {"encrypt": (), "decrypt": (), "both": ("decrypt",)}[self.direction]

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
