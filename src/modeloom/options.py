# SPDX-License-Identifier: Apache-2.0
"""What a user may choose about a core, and the unit set that follows from it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from modeloom.ciphers import BlockCipher, cipher
from modeloom.schedule.units import ENTRY_CYCLES, Unit, UnitSet
from modeloom.spec import InputError, UnknownName

__all__ = ["Options", "PRESETS", "preset", "Architecture", "unit_set"]

LANES = (1, 2, 4, 8)
"""Blocks a beat that the buses can have."""

SIZES = 8
"""Most sector sizes of a core."""

DIRECTIONS = {"both": ("encrypt", "decrypt"), "encrypt": ("encrypt",), "decrypt": ("decrypt",)}


def _or(values: Iterable[int]) -> str:
    *head, last = map(str, values)
    return f"{', '.join(head)} or {last}"


@dataclass(frozen=True)
class Options:
    """Unit options of ``explain`` and ``build``; None takes the default that fits the mode.

    Attributes
    ----------
    sector, tweak : int or None
        Bytes of a sector (default 512) and of a tweak.
    more_sectors : tuple of int
        Further sector sizes of the core, in bytes; commands name them 1, 2, ...
    key_bits : int
        Key size of the cipher in bits.
    direction : str
        "both", "encrypt" or "decrypt".
    aes, mul, acc : int or None
        Cipher pipelines, multipliers (default: as many as the bound wants) and adders.
    aes_arch : str
        "pipelined"; a decrypter that a sector needs once is sequential where its interval fits.
    aes_stages, mul_stages : int
        Registers a round; registers inside the multiplier.
    mul_arch : str
        Multiplier circuit.
    lanes : int or None
        Blocks that enter and leave a cycle (default: the number of pipelines).
    terms : int
        Most terms of an operand.
    key_slots : int
    overlap : bool
        Whether sectors overlap.
    exact : bool
        Whether a solver looks for the least latency, after the search.
    registered : bool
        Registers behind operand networks and result sums, for the clock; the papers' units have none.
    """

    sector: int = 512
    more_sectors: tuple[int, ...] = ()
    tweak: int | None = None
    key_bits: int = 128
    direction: str = "both"
    aes: int = 1
    aes_arch: str = "pipelined"
    aes_stages: int = 2
    mul: int | None = None
    mul_arch: str = "karatsuba"
    mul_stages: int = 3
    acc: int = 1
    lanes: int | None = None
    terms: int = 4
    key_slots: int = 1
    overlap: bool = True
    exact: bool = False
    registered: bool = True
    restarts: int = 900
    cipher: str = "aes"

    def __post_init__(self) -> None:
        object.__setattr__(self, "more_sectors", tuple(self.more_sectors))
        sizes = (self.sector, *self.more_sectors)
        if len(set(sizes)) < len(sizes):
            raise InputError(f"--sector names {next(size for size in sizes if sizes.count(size) > 1)} bytes twice")
        if len(sizes) > SIZES:
            raise InputError(f"--sector takes up to {SIZES} sizes, not {len(sizes)}")
        if self.direction not in DIRECTIONS:
            raise UnknownName("direction", self.direction, DIRECTIONS)
        if self.aes_arch not in ("pipelined",):
            raise UnknownName("AES architecture", self.aes_arch, ("pipelined",))
        if self.mul_arch not in ("karatsuba",):
            raise UnknownName("multiplier", self.mul_arch, ("karatsuba",))
        sizes = cipher(self.cipher).key_bits
        if self.key_bits not in sizes:
            raise InputError(f"--key-bits is {_or(sizes)}, not {self.key_bits}")
        for name, least, most in (
            ("aes", 1, 64), ("aes_stages", 1, 4), ("mul_stages", 1, 8), ("acc", 1, 16), ("terms", 2, 16), ("key_slots", 1, 64),
        ):  # fmt: skip
            value = getattr(self, name)
            if not least <= value <= most:
                raise InputError(f"--{name.replace('_', '-')} is from {least} to {most}, not {value}")
        if self.mul is not None and not 1 <= self.mul <= 64:
            raise InputError(f"--mul is from 1 to 64, not {self.mul}")
        if self.lanes is not None and self.lanes not in LANES:
            raise InputError(f"--lanes is {_or(LANES)}, not {self.lanes}")
        if self.lanes is None and self.aes not in LANES:
            raise InputError(f"--aes {self.aes} gives no default for --lanes, which is {_or(LANES)}; add --lanes")

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions that are built."""
        return DIRECTIONS[self.direction]

    def but(self, **changes: Any) -> Options:
        """The same with some options changed; raises ``UnknownName`` for an option that does not exist."""
        known = [f.name for f in fields(self)]
        for name in changes:
            if name not in known:
                raise UnknownName("option", name, known)
        return replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """Names and values, for the JSON files."""
        return asdict(self)


_BRW2013 = {"aes_stages": 1, "mul": 1, "mul_stages": 3, "registered": False}

PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "brw2013-1core": {**_BRW2013, "aes": 1, "overlap": False},
    "brw2013-2core": {**_BRW2013, "aes": 2, "overlap": False},
}
"""Unit sets by name.  brw2013: one or two AES pipelines of 11 cycles, one three-stage multiplier, plain schedules."""


def preset(name: str) -> Options:
    """The options of a preset; raises ``UnknownName``."""
    if name not in PRESETS:
        raise UnknownName("preset", name, PRESETS)
    return Options(**PRESETS[name])


@dataclass(frozen=True)
class Architecture:
    """How the cipher's cores are built: for each core in use, "pipelined" or "sequential"."""

    cipher: BlockCipher
    cores: Mapping[str, str]


def unit_set(
    options: Options, uses: Sequence[Mapping[str, Mapping[str, int]]], setup: Collection[str]
) -> tuple[UnitSet, Architecture]:
    """The unit set for a mode's operation counts, for each sector size in each direction, and the kinds of operations of its set-up.

    Both cores of the cipher stand behind one operand network where both directions are built; a core for one direction that needs
    both has them apart.  A decrypter that is used once a sector is sequential where its interval fits into the initiation interval.

    Raises ``InputError`` for several multipliers where the mode has no products (one, as presets have it, is left out).
    """
    chosen = cipher(options.cipher)
    lanes = options.lanes or options.aes
    totals = [{kind: max(u.get(kind, 0) for u in of.values()) for kind in ("enc", "dec", "mul", "out", "acc")} for of in uses]
    needed = {kind for total in totals for kind, count in total.items() if count} | set(setup)
    together = len(uses[0]) > 1 and {"enc", "dec"} <= needed
    if (options.mul or 0) > 1 and "mul" not in needed:
        raise InputError(f"--mul {options.mul}: the mode has no products; leave --mul out")
    paces = []
    for of, total in zip(uses, totals, strict=True):
        calls = max(u.get("enc", 0) + u.get("dec", 0) for u in of.values()) if together else max(total["enc"], total["dec"])
        paces.append(max(-(-calls // options.aes), -(-total["out"] // lanes), 1))
    mul = options.mul or max(max(1, -(-total["mul"] // pace)) for total, pace in zip(totals, paces, strict=True))
    cores: dict[str, str] = {core: "pipelined" for core in ("enc", "dec") if core in needed}
    time = {core: chosen.timing(core, "pipelined", options.key_bits, options.aes_stages) for core in cores}
    slow: dict[str, Any] = {}
    if all(total["dec"] == 1 for total in totals) and "dec" not in setup:
        alone = chosen.timing("dec", "sequential", options.key_bits, options.aes_stages)
        ii = min(max(pace, -(-total["mul"] // mul)) for total, pace in zip(totals, paces, strict=True))
        if (not options.overlap) or alone.interval <= ii:
            cores["dec"], time["dec"] = "sequential", alone
            slow = {"slow_core": "dec", "slow_interval": alone.interval}
    reg = options.registered
    units = []
    if together:
        latency = max(time["enc"].latency, time["dec"].latency)
        units.append(Unit("cipher", options.aes, latency, 1, False, reg, **slow))
    else:
        for core, timing in time.items():
            count = 1 if cores[core] == "sequential" else options.aes
            units.append(Unit(core, count, timing.latency, timing.interval, False, reg))
    units.append(Unit("mul", mul if "mul" in needed else 0, options.mul_stages, 1, reg, reg))
    units.append(Unit("acc", options.acc, 0, 1, False, reg))
    units.append(Unit("out", lanes, 0, 1, False, reg))
    return UnitSet(tuple(units), lanes, options.terms, entry=ENTRY_CYCLES), Architecture(chosen, cores)
