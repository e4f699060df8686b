# SPDX-License-Identifier: Apache-2.0
"""The unit set that follows from what a user chose and from how often a mode uses each kind of unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, cast

from modeloom.ciphers import BlockCipher, CoreRequest, CoreTiming
from modeloom.ciphers.request import DIRECTION_OF
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
    """How the cipher's cores are built.

    Attributes
    ----------
    cipher : BlockCipher
    cores : mapping
        What is asked of the cipher for each core in use, by its name in a unit: "enc", "dec", or "both" in one; "enc256" for keys of
        another length than most.  How many slots a core has follows from the program (``cores.sector.core_requests``).
    """

    cipher: BlockCipher
    cores: Mapping[str, CoreRequest]

    @property
    def forms(self) -> dict[str, str]:
        """ "pipelined" or "sequential" for each core."""
        return {name: request.form for name, request in self.cores.items()}


def unit_set(
    options: Options, chosen: BlockCipher, uses: Sequence[Mapping[str, Mapping[str, int]]], setup: AbstractSet[str]
) -> tuple[UnitSet, Architecture]:
    """The unit set for a cipher, a mode's operation counts, for each sector size in each direction, and the kinds of its set-up.

    Both cores of the cipher stand behind one operand network where both directions are built; a core for one direction that needs
    both has them apart, and so have keys of another length than most.  A core that a sector needs seldom (``SELDOM``) is sequential
    where there is such a form and its interval fits into the initiation interval.  Where all cores are to be sequential or combined, one
    core does what is needed under keys of a length.

    Raises ``InputError`` for several multipliers where the mode has no products (one, as presets have it, is left out), and for a
    core that the cipher lacks.
    """
    options = options.on(chosen)
    lanes = options.lanes or options.aes
    others = sorted({kind for of in (*(u for direction in uses for u in direction.values()), setup) for kind in of if _fixed_bits(kind)})
    kinds = ("enc", "dec", *others, "mul", "sqr", *COUNTERS, "acc", "out")
    totals = [{kind: max(u.get(kind, 0) for u in of.values()) for kind in kinds} for of in uses]
    needed = {kind for total in totals for kind, count in total.items() if count} | set(setup)
    sequential, in_one = options.aes_arch == "sequential", options.aes_arch != "pipelined"
    together = {"enc", "dec"} <= needed and (len(uses[0]) > 1 or in_one)
    if (options.mul or 0) > 1 and "mul" not in needed:
        raise InputError(f"--mul {options.mul}: the mode has no multiplications; omit --mul")
    names = ("both",) if together and in_one else tuple(core for core in ("enc", "dec") if core in needed)
    cores = {name: _request(options, chosen, name, options.cipher_form) for name in names}
    time = {core: chosen.timing(request) for core, request in cores.items()}
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
        if not chosen.has(DIRECTION_OF[kind[:3]], "sequential"):
            return None
        timing = chosen.timing(_request(options, chosen, kind, "sequential"))
        seldom = all(total[kind] <= SELDOM for total in totals)
        fits = not options.overlap or all(total[kind] * timing.interval <= ii for total, ii in zip(totals, intervals, strict=True))
        return timing if seldom and fits else None

    for core in ("dec", "enc"):
        # Behind a common operand network one core of the two is a pipeline.
        if not sequential and core in cores and not (together and slow) and (timing := alone(core)):
            cores[core], time[core] = _request(options, chosen, core, "sequential"), timing
            slow = {"slow_core": core, "slow_interval": timing.interval}
    reg = options.registered
    units = []
    if together:
        latency = max(timing.latency for timing in time.values())
        units.append(Unit("cipher", options.aes, latency, rate, False, reg, **slow))
    else:
        for core, timing in time.items():
            count = 1 if cores[core].form != options.cipher_form else options.aes
            units.append(Unit(core, count, timing.latency, timing.interval, False, reg))
    for kind in others:
        timing = None if sequential else alone(kind)
        cores[kind] = _request(options, chosen, kind, "sequential" if timing else options.cipher_form)
        timing = timing or chosen.timing(cores[kind])
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


def _request(options: Options, chosen: BlockCipher, name: str, form: str) -> CoreRequest:
    """What is asked of a cipher for a core of this name; raises ``InputError`` if it has none.

    The S-box is that of the form that was asked for; a core that is sequential beside pipelines has the default.
    """
    direction = DIRECTION_OF[name.rstrip("0123456789")]
    if not chosen.has(direction, form):
        does = "core for both directions in one" if direction == "both" else f"core to {direction}"
        raise InputError(f"--aes-arch {options.aes_arch}: {chosen.name} has no {form} {does}; choose another --aes-arch")
    sbox = options.aes_sbox if form == options.cipher_form else chosen.sboxes[0]
    bits = _fixed_bits(name) or options.key_bits
    return CoreRequest(direction=direction, form=form, key_bits=cast(int, bits), stages=cast(int, options.aes_stages), sbox=cast(str, sbox))


def _fixed_bits(kind: str) -> int:
    """Bits of the keys of a cipher core for keys of another length than most; 0 for other kinds."""
    return int(kind[3:]) if cipher_core(kind) and kind[3:] else 0


def _squarers(totals: Sequence[Mapping[str, int]], paces: Sequence[int], mul: int) -> int:
    """Squaring units that keep up with the pipelines and the multipliers, at least one."""
    intervals = (max(pace, -(-total["mul"] // mul)) for total, pace in zip(totals, paces, strict=True))
    return max(1, *(-(-total["sqr"] // ii) for total, ii in zip(totals, intervals, strict=True)))
