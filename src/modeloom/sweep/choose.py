# SPDX-License-Identifier: Apache-2.0
"""The smallest configuration of a mode whose compiled throughput reaches a rate at a clock.

The search tries small ciphers first, which compute one round at a time: a sequential one, and then one with several blocks in its round
(multistream).  Stream modes have the second one, with one block.  Then it tries pipelines, lanes and multipliers, or blocks per cycle.

A core needs ``rate / 8 / clock`` bytes per cycle.  A configuration whose bound is below that is rejected without being compiled; others are
compiled, and the search reads what the compiler gives.  The configuration that is chosen is also proved.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import NoReturn

from modeloom.ciphers import cipher_of
from modeloom.compiler.compile import compile_mode
from modeloom.compiler.streams import compile_stream
from modeloom.cycles import ENTRY_CYCLES
from modeloom.modes import find_any
from modeloom.options.messages import BLOCKS_PER_CYCLE, StreamOptions
from modeloom.options.sectors import LANES, Options
from modeloom.spec import InputError, Mode
from modeloom.spec.errors import many
from modeloom.spec.stream import StreamMode
from modeloom.sweep.configuration import Configuration, check_options, mode_options
from modeloom.sweep.point import Figures, Result, figures_of, stream_result
from modeloom.sweep.tables import message_cycles

__all__ = ["MOST_PIPELINES", "Choice", "Step", "choose", "quantity", "scaled"]

MOST_PIPELINES = 64
"""Cipher cores of a core for sectors."""

SEARCHED = {"sector": ("cipher-cores", "lanes", "mul"), "stream": ("blocks-per-cycle",)}
"""Options that the search chooses."""

SMALL: dict[str, tuple[dict[str, int | str], ...]] = {
    "sector": ({"cipher-arch": "sequential"}, {"cipher-arch": "multistream"}), "stream": ({"cipher-arch": "multistream", "streams": 1},),
}
"""Ciphers of one round, the smallest first.  Blocks in a round make a core for messages larger, and not faster."""

OF_SMALL = ("cipher-arch", "cipher-stages", "streams", "preset")
"""Options that choose a cipher, so that the search does not."""


@dataclass(frozen=True)
class Step:
    """A configuration that the search looked at.

    Attributes
    ----------
    options : mapping
        What the search chose.
    bytes_per_cycle : float
        What it gives: compiled, or at most.
    compiled, enough : bool
    why : str
        What the figure follows from.
    """

    options: Mapping[str, int | str]
    bytes_per_cycle: float
    compiled: bool
    enough: bool
    why: str


@dataclass
class Choice:
    """The result of a search.

    Attributes
    ----------
    needed : float
        Bytes per cycle that the rate needs.
    configuration : Configuration
    figures : mapping
        The columns of its row (``sweep.point.figures_of``).
    steps : list of Step
        What the search looked at, in its order.
    """

    needed: float
    configuration: Configuration
    figures: Figures
    steps: list[Step] = field(default_factory=list)


def quantity(text: str, option: str, unit: str, example: str = "100G") -> Fraction:
    """A positive number with an optional suffix k, M or G, such as ``100G`` or ``2.5G``.  Raises ``InputError``."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([kMG]?)", text)
    if match is None or not Fraction(match[1]):
        raise InputError(f"{option} must be a number of {unit} above 0, optionally with k, M or G, such as {example}, not {text}")
    return Fraction(match[1]) * 1000 ** " kMG".index(match[2] or " ")


def scaled(value: Fraction | float, unit: str) -> str:
    """A number with up to six digits and the largest prefix that fits, such as "47.9064 Gbit/s".

    A value without its prefix, such as 250 instead of 250M, then stands out.
    """
    rounded = float(f"{float(value):g}")
    size, prefix = next(((size, prefix) for size, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")) if rounded >= size), (1.0, ""))
    return f"{rounded / size:g} {prefix}{unit}"


def choose(
    name: str, rate: Fraction, clock: Fraction, options: Mapping[str, int | str], folder: Path, *, message: int | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> Choice:  # fmt: skip
    """Finds the smallest configuration.

    Parameters
    ----------
    rate, clock : Fraction
        Bits a second, and cycles a second.
    options : mapping
        Further options of the core.  Those that are searched may not be among them.
    message : int, optional
        For stream modes, the length of messages in bytes, without associated data.  The default is long text.
    tell : callable
        Called with what is compiled.

    Raises
    ------
    InputError
        The mode or an option is wrong, or no configuration reaches the rate.  The message names the largest rate that one reaches.
    """
    mode = find_any(name, folder)
    kind = "stream" if isinstance(mode, StreamMode) else "sector"
    for option in SEARCHED[kind]:
        if option in options:
            raise InputError(f"--{option} is what modeloom choose searches; leave it out")
    check_options(kind, name, options)
    search = _Search(name, kind, mode, dict(options), rate / 8 / clock, clock, message, tell)
    return search.stream() if kind == "stream" else search.sector()


class _Search:
    def __init__(
        self, name: str, kind: str, mode: Mode | StreamMode, options: dict[str, int | str], needed: Fraction, clock: Fraction,
        message: int | None, tell: Callable[[str], None],
    ):  # fmt: skip
        self.name, self.kind, self.mode, self.options, self.needed = name, kind, mode, options, needed
        self.clock, self.message, self.tell = clock, message, tell
        self.steps: list[Step] = []

    def stream(self) -> Choice:
        """Stream modes: blocks per cycle."""
        assert isinstance(self.mode, StreamMode)
        for name, value in self.mode.keying().options.items():
            self.options.setdefault(name, value)
        for small in self._small(Fraction(self.mode.block_bytes)):
            try:
                if self._blocks(small):
                    return self._choice(small)
            except InputError:
                # No core has this cipher and the other options.
                pass
        for blocks in BLOCKS_PER_CYCLE:
            chosen, most = {"blocks-per-cycle": blocks}, Fraction(blocks * self.mode.block_bytes)
            if most < self.needed:
                self._step(chosen, most, False, _enter(blocks))
                continue
            try:
                enough = self._blocks(chosen)
            except InputError as refusal:
                if not self.steps:
                    raise
                self._largest(str(refusal))
            if enough:
                return self._choice(chosen)
        self._largest()

    def _blocks(self, chosen: Mapping[str, int | str]) -> bool:
        """Compiles a pipeline.  Returns whether it is enough."""
        result = self._compiled(chosen)
        long = message_cycles(result, self.message) if self.message else None
        reached = Fraction(str(self._figures(result)["bytes_per_cycle"])) if long is None else Fraction(self.message or 0, long)
        what = "long text" if long is None else f"{long} cycles for a message of {self.message} bytes"
        return self._step(chosen, reached, True, what)

    def _largest(self, why: str = "") -> NoReturn:
        """Raises ``InputError`` with the rate of the largest pipeline that the mode allows."""
        for blocks in reversed(BLOCKS_PER_CYCLE):
            if any(step.compiled and step.options == {"blocks-per-cycle": blocks} for step in self.steps):
                break
            try:
                self._blocks({"blocks-per-cycle": blocks})
                break
            except InputError as refusal:
                why = why or str(refusal)
        # The user has not given the number that such an error tells to leave out.
        self._impossible(why.partition("; leave out")[0])

    def sector(self) -> Choice:
        """Modes on sectors: pipelines, lanes, multipliers."""
        assert isinstance(self.mode, Mode)
        options = mode_options(self.mode, self.options)
        assert isinstance(options, Options)
        self.mode.check_sector(options.sector)
        size, block = options.sector, self.mode.block_bytes
        blocks = -(-size // block)
        most = floor(size / self.needed)
        wide = -(-blocks // LANES[-1])
        if most < wide:
            self._step({"lanes": LANES[-1]}, Fraction(size, wide), False, _enter(LANES[-1]))
            self._impossible()
        for small in self._small(Fraction(size, blocks)):
            chosen = {**small, "cipher-cores": 1, "lanes": 1}
            try:
                result = self._compiled(chosen)
            except InputError:
                continue
            if self._sector_step(chosen, result, most, size):
                return self._fewer_multipliers(chosen, result, most, size)
        for place, lanes in enumerate(count for count in LANES if -(-blocks // count) <= most):
            pipelines, before = 1, None
            while pipelines <= MOST_PIPELINES:
                chosen = {"cipher-cores": pipelines, "lanes": lanes}
                bound = Fraction(size, -(-blocks // pipelines))
                if self.options.get("cipher-arch") in (None, "pipelined", "combined") and bound < self.needed:
                    if before is None and place == 0:
                        self._step(chosen, bound, False, f"each of {blocks} blocks goes through a pipeline")
                    pipelines += 1
                    continue
                result = self._compiled(chosen)
                cycles = result["explain"]["cycles_per_sector"]
                if self._sector_step(chosen, result, most, size):
                    return self._fewer_multipliers(chosen, result, most, size)
                if before is not None and cycles >= before:
                    # Something else than the pipelines takes these cycles.
                    break
                before = cycles
                pipelines = max(pipelines + 1, min(-(-pipelines * cycles // most), 2 * pipelines))
        self._impossible()

    def _small(self, block: Fraction) -> Iterator[dict[str, int | str]]:
        """Small ciphers that may be enough: a block takes a cycle for each round, or as many as a sequential cipher has for one."""
        if any(option in self.options for option in OF_SMALL):
            return
        for small in SMALL[self.kind]:
            options = mode_options(self.mode, {**self.options, **small})
            try:
                cipher = cipher_of(self.mode, options.cipher)
                bits = options.key_bits or cipher.key_bits[0]
                stages = options.on(cipher).cipher_stages or 1 if isinstance(options, Options) else 1
            except InputError:
                continue
            if block / (max(1, cipher.round_keys(bits) - 1) * stages) >= self.needed:
                yield small

    def _sector_step(self, chosen: Mapping[str, int | str], result: Result, most: int, size: int) -> bool:
        """Adds a step for a compiled core.  Returns whether it is enough."""
        cycles = result["explain"]["cycles_per_sector"]
        bus = f": the buses take {ENTRY_CYCLES} cycles for each sector" if most < cycles == ENTRY_CYCLES else ""
        return self._step(chosen, Fraction(size, cycles), True, f"{cycles} cycles per sector, {most} allowed{bus}")

    def _fewer_multipliers(self, chosen: dict[str, int | str], result: Result, most: int, size: int) -> Choice:
        """As many multipliers as the rate needs.  The compiler takes as many as the pipelines need, which may be more."""
        explain = result["explain"]
        given = explain["units"].get("mul", {"count": 0})["count"]
        for count in range(max(1, -(-explain["uses"].get("mul", 0) // most)), given):
            fewer = {**chosen, "mul": count}
            found = self._compiled(fewer)
            cycles = found["explain"]["cycles_per_sector"]
            why = f"{many(count, 'multiplier')} for {explain['uses']['mul']} products: {cycles} cycles per sector, {most} allowed"
            if self._step(fewer, Fraction(size, cycles), True, why):
                return self._choice(fewer)
        return self._choice(chosen)

    def _step(self, chosen: Mapping[str, int | str], reached: Fraction, compiled: bool, why: str) -> bool:
        """Adds a step.  Returns whether it is enough."""
        enough = compiled and reached >= self.needed
        self.steps.append(Step(dict(chosen), round(float(reached), 4), compiled, enough, why))
        return enough

    def _configuration(self, chosen: Mapping[str, int | str]) -> Configuration:
        return Configuration(self.kind, self.name, {**self.options, **chosen})

    def _compiled(self, chosen: Mapping[str, int | str], *, prove: bool = False) -> Result:
        """The result of a point, as ``sweep.point`` has it."""
        self.tell(", ".join(f"{name} {value}" for name, value in chosen.items()) + (", proof" if prove else ""))
        options = mode_options(self.mode, self._configuration(chosen).options)
        if isinstance(self.mode, StreamMode):
            assert isinstance(options, StreamOptions)
            return stream_result(compile_stream(self.mode, options, prove=prove))
        assert isinstance(options, Options)
        return {"explain": compile_mode(self.mode, options, prove=prove).explain()}

    def _figures(self, result: Result) -> Figures:
        return figures_of(self.kind, result)

    def _choice(self, chosen: Mapping[str, int | str]) -> Choice:
        result = self._compiled(chosen, prove=True)
        return Choice(float(self.needed), self._configuration(chosen), self._figures(result), self.steps)

    def _impossible(self, why: str = "") -> NoReturn:
        """Raises ``InputError`` with the largest rate that a configuration reaches."""
        # What was compiled says what is reached, and a bound only what is not.
        best = max(self.steps, key=lambda step: (step.compiled, step.bytes_per_cycle))
        rate = best.bytes_per_cycle * 8 * float(self.clock)
        asked = self.needed * 8 * self.clock
        told = ", ".join(f"{name} {value}" for name, value in best.options.items())
        raise InputError(
            f"no core of {self.name} reaches {scaled(asked, 'bit/s')} at {scaled(self.clock, 'Hz')}: the largest has {told} and reaches "
            f"{'' if best.compiled else 'at most '}{scaled(rate, 'bit/s')} ({best.why})" + (f"; {why}" if why else "")
        )


def _enter(blocks: int) -> str:
    return f"{many(blocks, 'block')} enter{'s' * (blocks == 1)} per cycle"
