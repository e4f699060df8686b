# SPDX-License-Identifier: Apache-2.0
"""The options of a core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import wraps
from operator import attrgetter
from typing import Any

from modeloom.ciphers import BlockCipher
from modeloom.compiler.limits import MOST_SLOTS
from modeloom.spec import InputError, Mode, UnknownName

__all__ = ["OLD_NAMES", "Options", "streams_of"]

OLD_NAMES = {"aes": "cipher_cores", "aes_arch": "cipher_arch", "aes_sbox": "cipher_sbox", "aes_stages": "cipher_stages"}
"""Names of options from the time when AES was the only cipher.  Python and the command line accept them, and core.json keeps them."""

LANES = (1, 2, 4, 8)
"""Numbers of blocks in a beat that the buses support."""

SIZES = 8
"""Largest number of sector sizes in a core."""

SQUARES = ("setup", "fly")
"""Where squares of key values come from: key words that the set-up computes, or a squaring unit that computes them in each sector."""

ARCHITECTURES = ("pipelined", "combined", "sequential", "multistream")
"""Forms of the cipher cores."""

MULTIPLIERS = ("karatsuba", "fan-hasan", "mastrovito", "lut6")
"""Multiplier circuits in ``rtl.gf128.architectures``."""

STORAGE = ("lut", "bram")
"""Memories that hold the blocks of sectors."""

_TYPES = {"int": int, "str": str, "bool": bool}

STAGES = 2
"""Default number of registers in a round, if the cipher supports as many."""

DIRECTIONS = {"both": ("encrypt", "decrypt"), "encrypt": ("encrypt",), "decrypt": ("decrypt",)}


def streams_of(cipher: BlockCipher, architecture: str, streams: int | None, stages: int | None, sbox: str | None) -> int | None:
    """The number of streams of a multistream core, which is None for other forms.

    Raises ``InputError`` for options that do not fit the form of the cipher.
    """
    if architecture != "multistream":
        if streams is not None:
            raise InputError("--streams is for --cipher-arch multistream; leave it out")
        return None
    if not cipher.multistream:
        raise InputError(f"--cipher-arch multistream: {cipher.name} has no round core for several streams; choose another --cipher-arch")
    streams = cipher.streams[-1] if streams is None else streams
    if streams not in cipher.streams:
        raise InputError(f"--streams is one of {', '.join(map(str, cipher.streams))}, not {streams}")
    if stages is not None:
        raise InputError("--cipher-stages is for pipelines: --streams is the number of registers in the round; leave it out")
    if sbox not in (None, cipher.sboxes[0]):
        raise InputError(f"--cipher-sbox {sbox} is for pipelines; a multistream core has S-boxes {cipher.sboxes[0]}")
    return streams


def _or(values: Iterable[int]) -> str:
    *head, last = map(str, values)
    return f"{', '.join(head)} or {last}" if head else last


@dataclass(frozen=True)
class Options:
    """Options of ``explain`` and ``build``.  None stands for the default that fits the mode.

    Attributes
    ----------
    sector, tweak : int or None
        Bytes in a sector (default: 512) and in a tweak.
    more_sectors : tuple of int
        Further sector sizes of the core, in bytes.  Commands refer to them as 1, 2, ...
    key_bits : int or None
        Key size of the cipher in bits (default: the first one of the cipher).
    direction : str or None
        "both", "encrypt" or "decrypt" (default: all that the mode has).
    cipher_cores, mul, acc : int or None
        Number of cipher cores, multipliers and adders (default: as many as the bound requires).
    cipher_arch : str
        "pipelined": separate pipelines for encryption and decryption.  A core that a sector needs only once or twice is sequential if its
        interval fits.  "combined": if both directions are needed, each pipeline does both.  "sequential": each core takes one block
        after another, and does both directions if both are needed.  "multistream": each core is one round, through which ``streams``
        blocks go at a time, and does both directions if both are needed.
    streams : int or None
        Blocks of a multistream core, which has as many registers in its round (default: as many as the cipher can have).
    cipher_sbox : str or None
        S-boxes of these cores (default: the first form of the cipher).  For AES: "lut"; "bram" for block memories; "composite", "bdd"
        or "compact" for standard cells.
    cipher_stages, mul_stages : int
        Registers in a round, or cycles for a round of a sequential core (default: 2, or 1 if the cipher supports no more; AES
        supports 4); registers in a multiplier.
    mul_arch : str
        Multiplier circuit.
    squares : str
        "setup" or "fly" (brw2013, section 3): squares of key values are key words, or squaring units compute them in each sector.  There
        are as many units as the initiation interval needs, and none if no sector of the core reads a square.
    lanes : int or None
        Blocks that enter and leave in each cycle (default: the number of cipher cores).
    terms : int
        Largest number of terms in an operand.
    storage : str
        "lut": LUT memories, which are faster.  "bram": block memories for banks of more than 64 blocks, as long sectors have them.  The
        schedule is the same.
    key_slots : int
        Keys that the core holds, 1 to 256: the number of a slot in a command has eight bits.
    overlap : bool
        Whether sectors overlap.
    exact : bool
        Whether a solver looks for the minimal latency after the search.
    registered : bool
        Whether registers follow operand networks and result sums, for a faster clock.  The units of the papers have none.
    cipher : str or None
        Name of the block cipher (default: that of the mode).

    Raises
    ------
    InputError
        No core supports a value.
    TypeError
        A value has the wrong type.
    """

    sector: int = 512
    more_sectors: tuple[int, ...] = ()
    tweak: int | None = None
    key_bits: int | None = None
    direction: str | None = None
    cipher_cores: int = 1
    cipher_arch: str = "pipelined"
    cipher_sbox: str | None = None
    cipher_stages: int | None = None
    streams: int | None = None
    mul: int | None = None
    mul_arch: str = "karatsuba"
    mul_stages: int = 3
    squares: str = "setup"
    acc: int | None = None
    lanes: int | None = None
    terms: int = 4
    storage: str = "lut"
    key_slots: int = 1
    overlap: bool = True
    exact: bool = False
    registered: bool = True
    restarts: int = 900
    cipher: str | None = None

    def __post_init__(self) -> None:
        self._check_types()
        object.__setattr__(self, "more_sectors", tuple(self.more_sectors))
        sizes = (self.sector, *self.more_sectors)
        if len(set(sizes)) < len(sizes):
            raise InputError(f"--sector names {next(size for size in sizes if sizes.count(size) > 1)} bytes twice")
        if len(sizes) > SIZES:
            raise InputError(f"--sector takes at most {SIZES} sizes, not {len(sizes)}")
        if self.direction is not None and self.direction not in DIRECTIONS:
            raise UnknownName("direction", self.direction, DIRECTIONS)
        if self.cipher_arch not in ARCHITECTURES:
            raise UnknownName("architecture of the cipher cores", self.cipher_arch, ARCHITECTURES)
        if self.mul_arch not in MULTIPLIERS:
            raise UnknownName("multiplier", self.mul_arch, MULTIPLIERS)
        if self.squares not in SQUARES:
            raise UnknownName("source of squares", self.squares, SQUARES)
        if self.storage not in STORAGE:
            raise UnknownName("storage", self.storage, STORAGE)
        for name, least, most in (
            ("cipher_cores", 1, 64), ("mul_stages", 1, 8), ("acc", 1, 16), ("terms", 2, 16), ("key_slots", 1, MOST_SLOTS),
        ):  # fmt: skip
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise InputError(f"--{name.replace('_', '-')} must be from {least} to {most}, not {value}")
        if self.mul is not None and not 1 <= self.mul <= 64:
            raise InputError(f"--mul must be from 1 to 64, not {self.mul}")
        if self.lanes is not None and self.lanes not in LANES:
            raise InputError(f"--lanes must be {_or(LANES)}, not {self.lanes}")
        if self.lanes is None and self.cipher_cores not in LANES:
            raise InputError(f"--cipher-cores {self.cipher_cores} gives no default for --lanes, which must be {_or(LANES)}; add --lanes")

    def _check_types(self) -> None:
        """Raises ``TypeError`` for a value of the wrong type.  A bool does not count as a number."""
        sizes = self.more_sectors
        if not isinstance(sizes, (tuple, list)) or any(type(size) is not int for size in sizes):
            raise TypeError(f"more_sectors must be a tuple of int, not {sizes!r}")
        for option in fields(self):
            kind, _, other = str(option.type).partition(" | ")
            value = getattr(self, option.name)
            if kind in _TYPES and type(value) is not _TYPES[kind] and (value is not None or not other):
                raise TypeError(f"{option.name} must be {kind}{' or None' * bool(other)}, not {value!r}")

    @property
    def cipher_form(self) -> str:
        """The form of the cipher cores, except for a core that a sector rarely needs: "pipelined", "sequential" or "multistream"."""
        return self.cipher_arch if self.cipher_arch in ("sequential", "multistream") else "pipelined"

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions that are built."""
        return DIRECTIONS[self.direction or "both"]

    def but(self, **changes: Any) -> Options:
        """A copy with some options changed.  Raises ``UnknownName`` for an unknown option."""
        changes = _renamed(changes)
        known = [f.name for f in fields(self)]
        for name in changes:
            if name not in known:
                raise UnknownName("option", name, known)
        return replace(self, **changes)

    def on(self, chosen: BlockCipher) -> Options:
        """A copy with the properties of the cipher filled in.

        Raises ``InputError`` for options that the cipher does not support.
        """
        streams = streams_of(chosen, self.cipher_arch, self.streams, self.cipher_stages, self.cipher_sbox)
        key_bits = chosen.key_bits[0] if self.key_bits is None else self.key_bits
        if key_bits not in chosen.key_bits:
            raise InputError(f"--key-bits must be {_or(chosen.key_bits)}, not {key_bits}")
        stages = streams or (min(STAGES, chosen.most_stages) if self.cipher_stages is None else self.cipher_stages)
        if not streams and not 1 <= stages <= chosen.most_stages:
            raise InputError(f"--cipher-stages must be from 1 to {chosen.most_stages}, not {stages}")
        sbox = chosen.sboxes[0] if self.cipher_sbox is None else self.cipher_sbox
        if sbox not in chosen.sboxes:
            raise UnknownName("S-box", sbox, chosen.sboxes)
        stated = None if streams else stages
        return replace(self, cipher=chosen.name, key_bits=key_bits, cipher_stages=stated, cipher_sbox=sbox, streams=streams)

    def of(self, mode: Mode) -> Options:
        """A copy with the directions of the mode filled in.  Raises ``InputError`` for a direction that it does not have."""
        direction = self.direction or mode.one_direction or "both"
        if mode.one_direction not in ("", direction):
            raise InputError(f"--direction {direction}: {mode.name} has one direction only, {mode.one_direction}; omit --direction")
        return replace(self, direction=direction)

    def as_dict(self) -> dict[str, Any]:
        """Names and values, for the JSON files, whose schema keeps ``OLD_NAMES``."""
        old = {new: name for name, new in OLD_NAMES.items()}
        values = {**asdict(self), "more_sectors": list(self.more_sectors)}
        # The files of cores of other forms are as they were before this form was.
        return {old.get(name, name): value for name, value in values.items() if name != "streams" or value is not None}


def _renamed(values: Mapping[str, Any]) -> dict[str, Any]:
    """Replaces old names of options by current ones.  Raises ``TypeError`` if an option is given by both."""
    for old, new in OLD_NAMES.items():
        if old in values and new in values:
            raise TypeError(f"{old} is an older name of {new}; give one of them")
    return {OLD_NAMES.get(name, name): value for name, value in values.items()}


def _take_old_names() -> None:
    """``Options(aes=2)`` and ``options.aes`` are ``Options(cipher_cores=2)`` and ``options.cipher_cores``."""
    make = Options.__init__

    @wraps(make)
    def init(self: Options, *values: Any, **named: Any) -> None:
        make(self, *values, **_renamed(named))

    Options.__init__ = init  # type: ignore[method-assign]
    for old, new in OLD_NAMES.items():
        setattr(Options, old, property(attrgetter(new), doc=f"An older name of ``{new}``."))


_take_old_names()
