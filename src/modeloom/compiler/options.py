# SPDX-License-Identifier: Apache-2.0
"""What a user may choose about a core, and the unit set that follows from it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, cast

from modeloom.ciphers import BlockCipher, CoreTiming
from modeloom.ir.ops import cipher_core
from modeloom.schedule.units import ENTRY_CYCLES, Unit, UnitSet
from modeloom.spec import COUNTERS, InputError, Mode, UnknownName

__all__ = ["Options", "PRESETS", "preset", "Architecture", "unit_set"]

LANES = (1, 2, 4, 8)
"""Blocks a beat that the buses can have."""

SIZES = 8
"""Most sector sizes of a core."""

SQUARES = ("setup", "fly")
"""Where squares of key values come from: key words that set-up computes, or a squaring unit that makes them in each sector."""

AES_ARCHITECTURES = ("pipelined", "sequential")
"""Forms of the cipher cores."""

MULTIPLIERS = ("karatsuba", "fan-hasan", "mastrovito", "lut6")
"""Multiplier circuits, as ``rtl.gf128.architectures`` has them."""

STORAGE = ("lut", "bram")
"""What holds the blocks of sectors."""

HALVED = 128
"""Bits of a counter from which its chain of carries has a register in the middle (docs/model.md)."""

SELDOM = 2
"""Most operations of a sector on a core of the cipher that is built sequentially beside pipelines."""

_TYPES = {"int": int, "str": str, "bool": bool}

STAGES = 2
"""Registers a round, if the cipher has as many."""

DIRECTIONS = {"both": ("encrypt", "decrypt"), "encrypt": ("encrypt",), "decrypt": ("decrypt",)}


def _or(values: Iterable[int]) -> str:
    *head, last = map(str, values)
    return f"{', '.join(head)} or {last}" if head else last


@dataclass(frozen=True)
class Options:
    """Unit options of ``explain`` and ``build``; None takes the default that fits the mode.

    Attributes
    ----------
    sector, tweak : int or None
        Bytes of a sector (default 512) and of a tweak.
    more_sectors : tuple of int
        Further sector sizes of the core, in bytes; commands name them 1, 2, ...
    key_bits : int or None
        Key size of the cipher in bits (default: the cipher's first).
    direction : str or None
        "both", "encrypt" or "decrypt" (default: all that the mode has).
    aes, mul, acc : int or None
        Cipher cores, multipliers and adders (default: as many as the bound wants).
    aes_arch : str
        "pipelined": a core that a sector needs once or twice is sequential where its interval fits.  "sequential": all cores are, and
        one does both directions where both are needed.
    aes_sbox : str or None
        S-boxes of these cores (default: the cipher's first form; AES: "lut"; "bram" for block memories; "composite", "bdd" or
        "compact" for gates).
    aes_stages, mul_stages : int
        Registers a round, which are cycles a round of a sequential core (at most what the cipher has, 4 for AES; default: 2, or 1 if it
        has no more); registers inside the multiplier.
    mul_arch : str
        Multiplier circuit.
    squares : str
        "setup" or "fly" (brw2013, section 3): squares of key values are key words, or made in each sector by squaring units, as many as
        the initiation interval needs; none where no sector of the core reads a square.
    lanes : int or None
        Blocks that enter and leave a cycle (default: the number of cipher cores).
    terms : int
        Most terms of an operand.
    storage : str
        "lut": LUT memories, which are faster.  "bram": block memories for banks of more than 64 blocks, as those of long sectors are.
        The schedule is the same.
    key_slots : int
    overlap : bool
        Whether sectors overlap.
    exact : bool
        Whether a solver looks for the least latency, after the search.
    registered : bool
        Registers behind operand networks and result sums, for the clock; the papers' units have none.
    cipher : str or None
        Name of the block cipher (default: the mode's).  It is what the ``aes`` options are about, whatever its name.
    """

    sector: int = 512
    more_sectors: tuple[int, ...] = ()
    tweak: int | None = None
    key_bits: int | None = None
    direction: str | None = None
    aes: int = 1
    aes_arch: str = "pipelined"
    aes_sbox: str | None = None
    aes_stages: int | None = None
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
            raise InputError(f"--sector takes up to {SIZES} sizes, not {len(sizes)}")
        if self.direction is not None and self.direction not in DIRECTIONS:
            raise UnknownName("direction", self.direction, DIRECTIONS)
        if self.aes_arch not in AES_ARCHITECTURES:
            raise UnknownName("AES architecture", self.aes_arch, AES_ARCHITECTURES)
        if self.mul_arch not in MULTIPLIERS:
            raise UnknownName("multiplier", self.mul_arch, MULTIPLIERS)
        if self.squares not in SQUARES:
            raise UnknownName("source of squares", self.squares, SQUARES)
        if self.storage not in STORAGE:
            raise UnknownName("storage", self.storage, STORAGE)
        for name, least, most in (
            ("aes", 1, 64), ("mul_stages", 1, 8), ("acc", 1, 16), ("terms", 2, 16), ("key_slots", 1, 64),
        ):  # fmt: skip
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise InputError(f"--{name.replace('_', '-')} is from {least} to {most}, not {value}")
        if self.mul is not None and not 1 <= self.mul <= 64:
            raise InputError(f"--mul is from 1 to 64, not {self.mul}")
        if self.lanes is not None and self.lanes not in LANES:
            raise InputError(f"--lanes is {_or(LANES)}, not {self.lanes}")
        if self.lanes is None and self.aes not in LANES:
            raise InputError(f"--aes {self.aes} gives no default for --lanes, which is {_or(LANES)}; add --lanes")

    def _check_types(self) -> None:
        """Raises ``TypeError`` for a value that is not of its option's type; a bool is no number."""
        sizes = self.more_sectors
        if not isinstance(sizes, (tuple, list)) or any(type(size) is not int for size in sizes):
            raise TypeError(f"more_sectors is a tuple of int, not {sizes!r}")
        for option in fields(self):
            kind, _, other = str(option.type).partition(" | ")
            value = getattr(self, option.name)
            if kind in _TYPES and type(value) is not _TYPES[kind] and (value is not None or not other):
                raise TypeError(f"{option.name} is {kind}{' or None' * bool(other)}, not {value!r}")

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions that are built."""
        return DIRECTIONS[self.direction or "both"]

    def but(self, **changes: Any) -> Options:
        """The same with some options changed; raises ``UnknownName`` for an option that does not exist."""
        known = [f.name for f in fields(self)]
        for name in changes:
            if name not in known:
                raise UnknownName("option", name, known)
        return replace(self, **changes)

    def on(self, chosen: BlockCipher) -> Options:
        """The same with name, key size, registers a round and S-box of the cipher filled in; raises ``InputError`` for what it lacks."""
        key_bits = chosen.key_bits[0] if self.key_bits is None else self.key_bits
        if key_bits not in chosen.key_bits:
            raise InputError(f"--key-bits is {_or(chosen.key_bits)}, not {key_bits}")
        stages = min(STAGES, chosen.most_stages) if self.aes_stages is None else self.aes_stages
        if not 1 <= stages <= chosen.most_stages:
            raise InputError(f"--aes-stages is from 1 to {chosen.most_stages}, not {stages}")
        sbox = chosen.sboxes[0] if self.aes_sbox is None else self.aes_sbox
        if sbox not in chosen.sboxes:
            raise UnknownName("S-box", sbox, chosen.sboxes)
        return replace(self, cipher=chosen.name, key_bits=key_bits, aes_stages=stages, aes_sbox=sbox)

    def of(self, mode: Mode) -> Options:
        """The same with the directions of the mode filled in; raises ``InputError`` for one that it does not have."""
        direction = self.direction or mode.one_direction or "both"
        if mode.one_direction not in ("", direction):
            raise InputError(f"--direction {direction}: {mode.name} has one direction, {mode.one_direction}; leave --direction out")
        return replace(self, direction=direction)

    def as_dict(self) -> dict[str, Any]:
        """Names and values, for the JSON files."""
        return {**asdict(self), "more_sectors": list(self.more_sectors)}


_PAPERS: dict[str, Any] = {"aes_stages": 1, "mul": 1, "registered": False, "overlap": False}
_TES2010 = {**_PAPERS, "mul_stages": 1, "lanes": 1, "aes_sbox": "bram"}
_BRW2013 = {**_PAPERS, "mul_stages": 3}
_FLY, _SETUP = {"squares": "fly"}, {"squares": "setup"}

PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "tes2010-full": _TES2010,
    "tes2010-encrypt-only": {**_TES2010, "direction": "encrypt"},
    "tes2010-sequential": {**_TES2010, "aes_arch": "sequential"},
    "brw2013-1core": {**_BRW2013, "aes": 1},
    "brw2013-2core": {**_BRW2013, "aes": 2},
    "brw2013-hmch-brw-1": {**_BRW2013, "aes": 2, **_FLY},
    "brw2013-hmch-brw-2": {**_BRW2013, "aes": 2, **_SETUP},
    "brw2013-hmch-brw-3": {**_BRW2013, "aes": 1, **_FLY},
    "brw2013-heh-brw-1": {**_BRW2013, "aes": 2, **_FLY},
    "brw2013-heh-brw-2": {**_BRW2013, "aes": 2, **_SETUP},
    "brw2013-heh-brw-3": {**_BRW2013, "aes": 1, **_FLY},
    "brw2013-hmch-poly": {**_BRW2013, "aes": 1},
    "brw2013-heh-poly": {**_BRW2013, "aes": 1},
}
"""Unit sets by name; plain schedules, but for the default.

- tes2010: an AES pipeline of 11 cycles, or a core that does a round a cycle, S-boxes in block memories as in the paper, and a multiplier
  of one cycle with an adder.
- brw2013: one or two AES pipelines of 11 cycles, a three-stage multiplier.  Those of a mode are the rows of table 3: HMCH with a sequential
  decrypter beside the pipelines, squares computed on the fly in the variants 1 and 3.
"""


def preset(name: str) -> Options:
    """The options of a preset; raises ``UnknownName``."""
    if name not in PRESETS:
        raise UnknownName("preset", name, PRESETS)
    return Options(**PRESETS[name])


@dataclass(frozen=True)
class Architecture:
    """How the cipher's cores are built: for each core in use ("enc", "dec", or "both" in one; "enc256" for keys of another length than
    most), "pipelined" or "sequential"."""

    cipher: BlockCipher
    cores: Mapping[str, str]


def unit_set(
    options: Options, chosen: BlockCipher, uses: Sequence[Mapping[str, Mapping[str, int]]], setup: Collection[str]
) -> tuple[UnitSet, Architecture]:
    """The unit set for a cipher, a mode's operation counts, for each sector size in each direction, and the kinds of its set-up.

    Both cores of the cipher stand behind one operand network where both directions are built; a core for one direction that needs
    both has them apart, and so have keys of another length than most.  A core that a sector needs seldom (``SELDOM``) is sequential
    where there is such a form and its interval fits into the initiation interval.  Where all cores are to be sequential, one core does
    what is needed under keys of a length.

    Raises ``InputError`` for several multipliers where the mode has no products (one, as presets have it, is left out), and for a
    sequential core that the cipher lacks.
    """
    options = options.on(chosen)
    key_bits, stages = cast(int, options.key_bits), cast(int, options.aes_stages)
    lanes = options.lanes or options.aes
    others = sorted({kind for of in (*(u for direction in uses for u in direction.values()), setup) for kind in of if _fixed_bits(kind)})
    kinds = ("enc", "dec", *others, "mul", "sqr", *COUNTERS, "acc", "out")
    totals = [{kind: max(u.get(kind, 0) for u in of.values()) for kind in kinds} for of in uses]
    needed = {kind for total in totals for kind, count in total.items() if count} | set(setup)
    sequential = options.aes_arch == "sequential"
    together = {"enc", "dec"} <= needed and (len(uses[0]) > 1 or sequential)
    if (options.mul or 0) > 1 and "mul" not in needed:
        raise InputError(f"--mul {options.mul}: the mode has no products; leave --mul out")
    names = ("both",) if together and sequential else tuple(core for core in ("enc", "dec") if core in needed)
    cores: dict[str, str] = dict.fromkeys(names, options.aes_arch)
    if sequential and not cores.keys() <= set(chosen.sequential):
        raise InputError(f"--aes-arch sequential: {chosen.name} has no sequential core for this; leave --aes-arch out")
    time = {core: chosen.timing(core, form, key_bits, stages) for core, form in cores.items()}
    rate = max(timing.interval for timing in time.values()) if time else 1
    paces = []
    for of, total in zip(uses, totals, strict=True):
        calls = max(u.get("enc", 0) + u.get("dec", 0) for u in of.values()) if together else max(total["enc"], total["dec"])
        paces.append(max(-(-max(calls, *(total[kind] for kind in others), 0) // options.aes) * rate, -(-total["out"] // lanes), 1))
    mul = options.mul or max(max(1, -(-total["mul"] // pace)) for total, pace in zip(totals, paces, strict=True))
    slow: dict[str, Any] = {}
    intervals = [max(pace, -(-total["mul"] // mul)) for total, pace in zip(totals, paces, strict=True)]

    def alone(kind: str) -> CoreTiming | None:
        """Timing of a sequential core that keeps up with all sizes of sectors, or None."""
        core, bits = kind[:3], _fixed_bits(kind) or key_bits
        if core not in chosen.sequential:
            return None
        timing = chosen.timing(core, "sequential", bits, stages)
        seldom = all(total[kind] <= SELDOM for total in totals)
        fits = not options.overlap or all(total[kind] * timing.interval <= ii for total, ii in zip(totals, intervals, strict=True))
        return timing if seldom and fits else None

    for core in ("dec", "enc"):
        # Behind a common operand network one core of the two is a pipeline.
        if not sequential and core in cores and not (together and slow) and (timing := alone(core)):
            cores[core], time[core] = "sequential", timing
            slow = {"slow_core": core, "slow_interval": timing.interval}
    reg = options.registered
    units = []
    if together:
        latency = max(timing.latency for timing in time.values())
        units.append(Unit("cipher", options.aes, latency, rate, False, reg, **slow))
    else:
        for core, timing in time.items():
            count = 1 if cores[core] != options.aes_arch else options.aes
            units.append(Unit(core, count, timing.latency, timing.interval, False, reg))
    for kind in others:
        timing = None if sequential else alone(kind)
        cores[kind] = "sequential" if timing else options.aes_arch
        if cores[kind] == "sequential" and kind[:3] not in chosen.sequential:
            raise InputError(f"--aes-arch sequential: {chosen.name} has no sequential core for this; leave --aes-arch out")
        timing = timing or chosen.timing(kind[:3], options.aes_arch, _fixed_bits(kind), stages)
        count = max(1, *(-(-total[kind] * timing.interval // pace) for total, pace in zip(totals, paces, strict=True)))
        units.append(Unit(kind, count, timing.latency, timing.interval, False, reg))
    units.append(Unit("mul", mul if "mul" in needed else 0, options.mul_stages, 1, reg, reg))
    # The circuit is a few XORs deep.  The register behind it, which the paper's squarers have too, lets a square be squared again.
    units.append(Unit("sqr", _squarers(totals, paces, mul) if options.squares == "fly" else 0, 0, 1, reg, True))
    # The adder is a chain of carries, and stands between registers; one of 128 has a register in the middle.
    forms = tuple(name for name in COUNTERS if name in needed)
    adders = max(-(-sum(total[name] for name in forms) // pace) for total, pace in zip(totals, paces, strict=True))
    halved = int(reg and any(COUNTERS[name].bits >= HALVED for name in forms))
    units.append(Unit("add", max(adders, bool(setup & set(forms))), halved, 1, reg, True, forms=forms))
    accumulators = max(1, *(-(-total["acc"] // pace) for total, pace in zip(totals, paces, strict=True)))
    units.append(Unit("acc", options.acc or accumulators, 0, 1, False, reg))
    units.append(Unit("out", lanes, 0, 1, False, reg))
    return UnitSet(tuple(units), lanes, options.terms, entry=ENTRY_CYCLES), Architecture(chosen, cores)


def _fixed_bits(kind: str) -> int:
    """Bits of the keys of a cipher core for keys of another length than most; 0 for other kinds."""
    return int(kind[3:]) if cipher_core(kind) and kind[3:] else 0


def _squarers(totals: Sequence[Mapping[str, int]], paces: Sequence[int], mul: int) -> int:
    """Squaring units that keep up with the pipelines and the multipliers, at least one."""
    intervals = (max(pace, -(-total["mul"] // mul)) for total, pace in zip(totals, paces, strict=True))
    return max(1, *(-(-total["sqr"] // ii) for total, ii in zip(totals, intervals, strict=True)))
