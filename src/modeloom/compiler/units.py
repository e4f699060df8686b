# SPDX-License-Identifier: Apache-2.0
"""The unit set that follows from what a user chose and from how often a mode uses each kind of unit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from modeloom.ciphers import BlockCipher, CoreTiming
from modeloom.compiler.options import Options
from modeloom.cycles import ENTRY_CYCLES
from modeloom.ir.ops import cipher_core
from modeloom.schedule.units import Unit, UnitSet
from modeloom.spec import COUNTERS, InputError

__all__ = ["Architecture", "unit_set"]

HALVED = 128
"""Bits of a counter from which its chain of carries has a register in the middle (docs/model.md)."""

SELDOM = 2
"""Most operations of a sector on a core of the cipher that is built sequentially beside pipelines."""


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
