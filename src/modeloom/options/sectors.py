# SPDX-License-Identifier: Apache-2.0
"""The options of cores for sectors, and named sets of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from operator import attrgetter
from typing import Protocol, Self, TypeVar

from modeloom.ciphers import CIPHERS, BlockCipher
from modeloom.ciphers.description import FORMS, SERIAL
from modeloom.options.row import Choices, Terms, Value, option, row, series
from modeloom.spec import InputError, Mode, UnknownName
from modeloom.spec.mode import ONE_BY_ONE

__all__ = [
    "LANES", "LONGER_SECTORS", "MOST_BLOCKS", "MOST_MESSAGE_SLOTS", "MOST_SLOTS", "MULTIPLIERS", "PRESETS", "RING", "SIZES", "SLOTS",
    "OfCipher", "Options", "check_blocks", "cipher", "cipher_arch", "cipher_sbox", "cipher_stages", "mul_arch", "on_cipher", "preset",
    "streams",
]  # fmt: skip

# The largest sectors that cores are built for, and the most keys that they hold.  Sectors are checked first, so that one that is too large
# is refused at once.

MOST_BLOCKS = 512
"""Blocks of a sector.  The hardware refuses more, too (``rtl.bus.sector.parameters``)."""

LONGER_SECTORS = "longer sectors are not tested, because twice the blocks take the compiler two to four times as long"
"""Why there are no more, for messages.  ``docs/scaling.md`` has measurements.  Memories and counters could be larger."""

MOST_SLOTS = 256
"""Key slots of a core for sectors: a command has eight bits for the number of one."""

MOST_MESSAGE_SLOTS = 1024
"""Key slots of a core for messages, which its key port takes."""

SLOTS, RING = 16, 32
"""Key slots of a core for messages if a user names no number, and those of one whose keys come with the messages."""


def check_blocks(mode: Mode, sizes: Iterable[int]) -> None:
    """Raises ``InputError`` for a sector size, in bytes, of too many blocks."""
    for nbytes in sizes:
        blocks = -(-nbytes // mode.block_bytes)
        if blocks > MOST_BLOCKS:
            raise InputError(
                f"{mode.name}: a sector has at most {MOST_BLOCKS} blocks ({MOST_BLOCKS * mode.block_bytes} bytes), but "
                f"{nbytes} bytes are {blocks}; {LONGER_SECTORS}; choose a smaller --sector"
            )



# -- ciphers ---------------------------------------------------------------------------------------------------------------------------

# The options of the cipher that cores of all kinds have: their rows, and what a cipher makes of them.

MULTIPLIERS = ("karatsuba", "fan-hasan", "mastrovito", "lut6")
"""Multiplier circuits in ``rtl.gf128.multiplier``."""

STAGES = 2
"""Default number of registers in a round, if the cipher supports as many."""


def cipher() -> str | None:
    """The field of the cipher."""
    return row(None, f"Block cipher: {', '.join(CIPHERS)} (default: that of the mode, usually AES).", word="{}")


def cipher_arch(values: tuple[str, ...], noun: str) -> str:
    """The field of the form of the cipher cores."""
    return row(
        "pipelined",
        "pipelined (except for a core that a sector uses once or twice), combined (one pipeline for both directions), sequential, "
        "multistream: one round for several blocks at a time, or, for AES, serial32 and serial8: a data path of 32 or 8 bits (default: "
        "pipelined). Stream modes take all but combined and sequential.",
        noun=noun, values=values, word="{}", older="aes_arch",
    )  # fmt: skip


def cipher_sbox() -> str | None:
    """The field of the S-boxes."""
    return row(
        None, "S-boxes of the cipher: lut; AES also has bram (block memories), composite, bdd and compact.", word="{}_sbox",
        older="aes_sbox",
    )  # fmt: skip


def cipher_stages() -> int | None:
    """The field of the registers in a round."""
    return row(
        None, "Registers in a round, or cycles for a round of a sequential core: 1 to 4 for AES, 1 or 2 for SM4 (default: 2).",
        word="round{}", older="aes_stages",
    )  # fmt: skip


def streams(sparse: bool = False) -> int | None:
    """The field of the blocks in a multistream core."""
    return row(
        None, "With --cipher-arch multistream: blocks in one round, 1, 2 or 4 (default: 4).", word="streams{}",
        terms=Terms(needs="--cipher-arch multistream"), sparse=sparse,
    )  # fmt: skip


def mul_arch() -> str:
    """The field of the multiplier circuit."""
    return row(
        "karatsuba",
        "Multiplier: karatsuba, fan-hasan, mastrovito, or lut6 for 6-input LUTs, which also affects S-boxes and MixColumns "
        "(default: karatsuba).",
        noun="multiplier", values=MULTIPLIERS, word="{}",
    )  # fmt: skip


class OfCipher(Protocol):
    """Options that have those of a cipher."""

    @property
    def key_bits(self) -> int | None: ...
    @property
    def cipher_arch(self) -> str: ...
    @property
    def cipher_sbox(self) -> str | None: ...
    @property
    def cipher_stages(self) -> int | None: ...
    @property
    def streams(self) -> int | None: ...

    def but(self, **changes: Value) -> Self:
        """A copy with some options changed."""


Some = TypeVar("Some", bound=OfCipher)


def on_cipher(options: Some, chosen: BlockCipher) -> Some:
    """A copy with the properties of a cipher filled in.  Raises ``InputError`` for options that the cipher does not support."""
    streams, stages = PARTS.get(options.cipher_arch, _in_stages)(options, chosen)
    key_bits = _one_of("key_bits", options.key_bits, chosen.key_bits, chosen.key_bits[0])
    sbox = chosen.sboxes[0] if options.cipher_sbox is None else options.cipher_sbox
    if sbox not in chosen.sboxes:
        raise UnknownName("S-box", sbox, chosen.sboxes)
    return options.but(cipher=chosen.name, key_bits=key_bits, cipher_stages=stages, cipher_sbox=sbox, streams=streams)


Parts = tuple[int | None, int | None]
"""The streams of a core, and the registers in a round; None for what it does not have."""


def _in_stages(options: OfCipher, chosen: BlockCipher) -> Parts:
    """The number of registers in a round of a pipeline, or of cycles in one of a sequential core."""
    stages = min(STAGES, chosen.most_stages) if options.cipher_stages is None else options.cipher_stages
    if not 1 <= stages <= chosen.most_stages:
        raise InputError(f"--cipher-stages must be from 1 to {chosen.most_stages}, not {stages}")
    return None, stages


def _in_streams(options: OfCipher, chosen: BlockCipher) -> Parts:
    """The number of streams of a multistream core."""
    if not any(chosen.has(does, options.cipher_arch) for does in ONE_BY_ONE):
        raise InputError(f"--cipher-arch multistream: {chosen.name} has no round core for several streams; choose another --cipher-arch")
    count = _one_of("streams", options.streams, chosen.streams, chosen.streams[-1])
    if options.cipher_stages is not None:
        raise InputError("--cipher-stages is for pipelines: --streams is the number of registers in the round; leave it out")
    if options.cipher_sbox not in (None, chosen.sboxes[0]):
        raise InputError(f"--cipher-sbox {options.cipher_sbox} is for pipelines; a multistream core has S-boxes {chosen.sboxes[0]}")
    return count, None


def _serial(options: OfCipher, chosen: BlockCipher) -> Parts:
    """Nothing.  Raises ``InputError`` if the cipher has no such core, and for choices that it does not have."""
    form = options.cipher_arch
    if not any(chosen.has(does, form) for does in ONE_BY_ONE):
        raise InputError(f"--cipher-arch {form}: {chosen.name} has no core with a serial data path; choose another --cipher-arch")
    if options.cipher_stages is not None:
        raise InputError(f"--cipher-stages is for pipelines and sequential cores, not for {form}; leave it out")
    if options.cipher_sbox not in (None, chosen.sboxes[0]):
        raise InputError(f"--cipher-sbox {options.cipher_sbox} is not for {form}, which has S-boxes {chosen.sboxes[0]}; leave it out")
    return None, None


PARTS: dict[str, Callable[[OfCipher, BlockCipher], Parts]] = {"multistream": _in_streams, **dict.fromkeys(SERIAL, _serial)}
"""What the forms of cores are made of that have no registers in a round."""


def _one_of(name: str, value: int | None, known: Sequence[int], usual: int) -> int:
    """The value of an option, or the usual one.  Raises ``InputError`` for one that the cipher does not have."""
    made = usual if value is None else value
    if made not in known:
        raise InputError(f"{option(name)} must be {series(known)}, not {made}")
    return made


# -- sectors ---------------------------------------------------------------------------------------------------------------------------

LANES = (1, 2, 4, 8)
"""Numbers of blocks in a beat that the buses support."""

SIZES = 8
"""Largest number of sector sizes in a core."""

ARCHITECTURES = ("pipelined", "combined", "sequential", "multistream", *SERIAL)
"""Forms of the cipher cores: "pipelined" has separate pipelines for encryption and decryption, and a core that a sector needs only once or
twice is sequential if its interval fits.  In a "combined" core, each pipeline does both directions.  A "sequential" core takes one block
after another, and a "multistream" core is one round, through which several blocks go at a time.  "serial32" and "serial8" also take one
block after another, with a data path of so many bits.  All but the first do all directions."""


@dataclass(frozen=True)
class Options(Choices):
    """The options of a core for sectors.  None stands for the default that fits the mode.

    Raises
    ------
    InputError
        No core supports a value.
    TypeError
        A value has the wrong type.
    """

    stored_older = True

    sector: int = row(
        512,
        f"Sector size in bytes (default: 512). Give several sizes as 512,4096. A sector has at most {MOST_BLOCKS} blocks, which are "
        f"{16 * MOST_BLOCKS} bytes with AES; {LONGER_SECTORS}.",
    )
    more_sectors: tuple[int, ...] = row(())
    tweak: int | None = row(None, "Tweak size in bytes (default: the first size of the mode).", word="t{}")
    key_bits: int | None = row(
        None,
        "Key size of the cipher in bits; AES has 128, 192 and 256 (default for sectors: the first size of the cipher). Stream modes also "
        "take all, so that each key slot has the size of its key (default for messages: all sizes of the mode, if the cipher has cores "
        "for several sizes).",
        word="k{}",
    )
    direction: str | None = row(
        None, "encrypt, decrypt or both (default: all directions of the mode).", noun="direction", values=tuple(ONE_BY_ONE), word="{}"
    )  # fmt: skip
    cipher_cores: int = row(1, "Number of cipher cores (default: 1).", least=1, most=64, word="aes{}", older="aes")
    cipher_arch: str = cipher_arch(ARCHITECTURES, "architecture of the cipher cores")
    cipher_sbox: str | None = cipher_sbox()
    cipher_stages: int | None = cipher_stages()
    streams: int | None = streams(sparse=True)
    mul: int | None = row(
        None, "Number of multipliers (default: as many as the initiation interval needs).", least=1, most=64, word="mul{}"
    )  # fmt: skip
    mul_arch: str = mul_arch()
    mul_stages: int = row(
        3, "Pipeline registers in a multiplier, 1 to 8; stream modes also take 0 (default: 3).", least=1, most=8, word="mulstages{}"
    )  # fmt: skip
    squares: str = row(
        "setup", "Squares of key values: setup computes them once for each key, fly in every sector (default: setup).",
        noun="source of squares", values=("setup", "fly"), word="{}",
    )  # fmt: skip
    acc: int | None = row(
        None, "Number of adders of terms (default: as many as the initiation interval needs).", least=1, most=16, word="acc{}"
    )  # fmt: skip
    lanes: int | None = row(
        None, "Blocks per cycle at the input and at the output (default: the number of cipher cores).", values=LANES, like="cipher_cores",
        word="lanes{}",
    )  # fmt: skip
    terms: int = row(4, "Largest number of terms in an operand (default: 4).", least=2, most=16, word="terms{}")
    storage: str = row(
        "lut", "lut, bram or auto: bram makes banks of more than 64 blocks block memories, for long sectors; auto lets the tool for "
        "synthesis choose for buffers of more than 32 blocks, and makes memories of a few words registers (default: lut).",
        noun="storage", values=("lut", "bram", "auto"), word="{}",
    )  # fmt: skip
    key_slots: int = row(
        1,
        f"Number of keys that the core holds (default: 1; for messages {SLOTS}, or {RING} with --keys inline). A core for sectors "
        f"holds at most {MOST_SLOTS}, because a command has eight bits for the slot, and a core for messages at most "
        f"{MOST_MESSAGE_SLOTS}.",
        least=1, most=MOST_SLOTS, word="slots{}",
    )  # fmt: skip
    overlap: bool = row(
        True, "Overlap sectors, even with a preset of a paper.", off="Process one sector at a time, as in the papers.", word="plain"
    )  # fmt: skip
    exact: bool = row(False, "Search for the minimal latency with a solver.", word="exact")
    registered: bool = row(True, word="unregistered")
    """Whether registers follow operand networks and result sums, for a faster clock.  The units of the papers have none."""
    wire_effort: int = row(
        0, "Effort of the search for fewer sources of operands and fewer read ports, in moves for each operation (default: 0).",
        least=0, most=100_000, word="wires{}", sparse=True,
    )  # fmt: skip
    restarts: int = row(900, word="search{}")
    """Searches for a schedule, each from another start."""
    cipher: str | None = cipher()

    def __post_init__(self) -> None:
        self.check()
        object.__setattr__(self, "more_sectors", tuple(self.more_sectors))
        sizes = self.sectors
        if len(set(sizes)) < len(sizes):
            raise InputError(f"--sector names {next(size for size in sizes if sizes.count(size) > 1)} bytes twice")
        if len(sizes) > SIZES:
            raise InputError(f"--sector takes at most {SIZES} sizes, not {len(sizes)}")

    @property
    def sectors(self) -> tuple[int, ...]:
        """All sector sizes in bytes."""
        return (self.sector, *self.more_sectors)

    @property
    def cipher_form(self) -> str:
        """The form of the cipher cores (``ciphers.description.FORMS``), except for a core that a sector rarely needs."""
        return self.cipher_arch if self.cipher_arch in FORMS else "pipelined"

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions that are built."""
        return ONE_BY_ONE[self.direction or "both"]

    def named(self) -> dict[str, Value]:
        """The values that may have a word in the name of a core, which has the sizes of sectors before them."""
        return {name: value for name, value in super().named().items() if name not in ("sector", "more_sectors")}

    def on(self, chosen: BlockCipher) -> Options:
        """A copy with the properties of the cipher filled in.

        Raises ``InputError`` for options that the cipher does not support.
        """
        self.check_together()
        return on_cipher(self, chosen)

    def of(self, mode: Mode) -> Options:
        """A copy with the directions of the mode filled in.  Raises ``InputError`` for a direction that it does not have."""
        made = replace(self, direction=self.direction or mode.one_direction or "both")
        if set(made.directions) - set(mode.directions()):
            raise InputError(f"--direction {made.direction}: {mode.name} has one direction only, {mode.one_direction}; omit --direction")
        return made


def _take_older_names() -> None:
    """``Options(aes=2)`` and its member ``aes`` are ``Options(cipher_cores=2)`` and its member ``cipher_cores``."""
    make: Callable[..., None] = Options.__init__

    @wraps(make)
    def init(self: Options, *values: Value, **named: Value) -> None:
        make(self, *values, **Options.today(named))

    older = {old: property(attrgetter(new), doc=f"An older name of ``{new}``.") for old, new in Options.older().items()}
    for name, member in {"__init__": init, **older}.items():
        setattr(Options, name, member)


_take_older_names()

_PAPERS: dict[str, Value] = {"cipher_stages": 1, "mul": 1, "registered": False, "overlap": False}
_TES2010 = {**_PAPERS, "mul_stages": 1, "lanes": 1, "cipher_sbox": "bram"}
_BRW2013 = {**_PAPERS, "mul_stages": 3}
_FLY, _SETUP = {"squares": "fly"}, {"squares": "setup"}

PRESETS: dict[str, dict[str, Value]] = {
    "default": {},
    "tes2010-full": _TES2010,
    "tes2010-encrypt-only": {**_TES2010, "direction": "encrypt"},
    "tes2010-sequential": {**_TES2010, "cipher_arch": "sequential"},
    "brw2013-1core": {**_BRW2013, "cipher_cores": 1},
    "brw2013-2core": {**_BRW2013, "cipher_cores": 2},
    "brw2013-hmch-brw-1": {**_BRW2013, "cipher_cores": 2, **_FLY},
    "brw2013-hmch-brw-2": {**_BRW2013, "cipher_cores": 2, **_SETUP},
    "brw2013-hmch-brw-3": {**_BRW2013, "cipher_cores": 1, **_FLY},
    "brw2013-heh-brw-1": {**_BRW2013, "cipher_cores": 2, **_FLY},
    "brw2013-heh-brw-2": {**_BRW2013, "cipher_cores": 2, **_SETUP},
    "brw2013-heh-brw-3": {**_BRW2013, "cipher_cores": 1, **_FLY},
    "brw2013-hmch-poly": {**_BRW2013, "cipher_cores": 1},
    "brw2013-heh-poly": {**_BRW2013, "cipher_cores": 1},
}
"""Options by name.  All except the default have plain schedules.

- tes2010: an AES pipeline of 11 cycles or a core that does one round in each cycle, S-boxes in block memories as in the paper, a
  multiplier of one cycle, and an adder.
- brw2013: one or two AES pipelines of 11 cycles, a three-stage multiplier.  The ones for a mode are the rows of table 3: HMCH
  with a sequential decrypter beside the pipelines, and squares computed on the fly in the variants 1 and 3.
"""


def preset(name: str) -> Options:
    """The options of a preset.  Raises ``UnknownName``."""
    if name not in PRESETS:
        raise UnknownName("preset", name, PRESETS)
    return Options().but(**PRESETS[name])
