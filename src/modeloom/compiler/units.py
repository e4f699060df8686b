# SPDX-License-Identifier: Apache-2.0
"""The unit set that follows from the options and from how often a mode uses each kind of unit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from modeloom.ciphers import BlockCipher, CoreRequest, CoreTiming
from modeloom.ciphers.request import DIRECTION_OF
from modeloom.cycles import ENTRY_CYCLES
from modeloom.options.sectors import Options
from modeloom.schedule.units import Unit, UnitSet
from modeloom.spec import InputError
from modeloom.spec.kinds import (
    ACC,
    BOTH,
    CIPHER,
    DEC,
    ENC,
    MUL,
    OPERATIONS,
    OUT,
    SQR,
    TDEC,
    TENC,
    UNITS,
    Kind,
    UnitKind,
    UnitTiming,
    UnitType,
)  # fmt: skip

__all__ = ["Architecture", "unit_set"]

HALVED = 128
"""Number of bits from which the carry chain of a counter has a register in the middle (docs/model.md)."""

SELDOM = 2
"""Largest number of operations in a sector on a cipher core that is sequential beside pipelines."""

PLANNED = {
    unit.type for unit in (ENC.unit, ENC.shared, DEC.unit, TENC.unit, TDEC.unit, MUL.unit, SQR.unit, ACC.unit, OUT.unit) if unit
}
"""Types of units whose number and timing options decide; there are as many of the others as the pace of these wants."""


OWN_CIPHERS = tuple(kind.operation for kind in (ENC, DEC, TENC, TDEC))
"""Operations of the block cipher of a mode.  Other keyed operations have components of their own."""


@dataclass(frozen=True)
class Architecture:
    """The forms of the cipher cores.

    Attributes
    ----------
    cipher : BlockCipher
    cores : mapping
        The request to the cipher for each core in use, by its operation, or ``BOTH``.  The number of slots in a core follows from the
        program (``cores.sector.core_requests``).
    """

    cipher: BlockCipher
    cores: Mapping[Kind | str, CoreRequest]

    @property
    def forms(self) -> dict[str, str]:
        """ "pipelined", "sequential" or "multistream" for each core."""
        return {name: request.form for name, request in self.cores.items()}


def unit_set(
    options: Options, chosen: BlockCipher, uses: Sequence[Mapping[str, Mapping[Kind, int]]], setup: AbstractSet[Kind],
    cipher_bits: Sequence[int] = (0,),
) -> tuple[UnitSet, Architecture]:
    """The unit set for a cipher, a mode's operation counts, for each sector size in each direction, and the kinds of its set-up.
    ``cipher_bits`` is that of its program: a core for many keys may take longer.

    If both directions are built, both cores of the cipher are behind one operand network.  They are separate in a core for one direction
    that needs both, and for keys whose length the mode fixes.  A core that a sector rarely needs (``SELDOM``) is sequential if there is
    such a form and its interval fits into the initiation interval.  If all cores are to be sequential, combined or multistream, one core
    performs all operations with keys of one length.

    Raises ``InputError`` for several multipliers if the mode has no products, and for a core that the cipher does not have.  A single
    multiplier, as in the presets, is omitted.
    """
    options = options.on(chosen)
    lanes = options.lanes or options.cipher_cores
    kinds = sorted(set(setup).union(*(u for of in uses for u in of.values())))
    others = [kind for kind in kinds if kind.key_bits or kind in (TENC, TDEC)]
    totals = [Counter({kind: max(u.get(kind, 0) for u in of.values()) for kind in kinds}) for of in uses]
    needed = {kind for total in totals for kind, count in total.items() if count} | set(setup)
    alike, in_one = options.cipher_form != "pipelined", options.cipher_arch != "pipelined"
    for kind in sorted(needed):
        if kind.operation.keyed and kind.operation in OWN_CIPHERS:
            chosen.check_operation("this mode", kind.operation.name, kind.operation.operands)
    together = {ENC, DEC} <= needed and (len(uses[0]) > 1 or in_one)
    if (options.mul or 0) > 1 and MUL not in needed:
        raise InputError(f"--mul {options.mul}: the mode has no multiplications; omit --mul")
    names = (BOTH,) if together and in_one else tuple(core for core in (ENC, DEC) if core in needed)
    request = partial(_request, options, chosen, cipher_bits)
    cores = {name: request(name, options.cipher_form) for name in names}
    time = {core: chosen.timing(request) for core, request in cores.items()}
    rate = max(time.values(), key=lambda timing: timing.interval) if time else CoreTiming(1, 1)
    paces = []
    for of, total in zip(uses, totals, strict=True):
        calls = max(u.get(ENC, 0) + u.get(DEC, 0) for u in of.values()) if together else max(total[ENC], total[DEC])
        most = max(calls, *(total[kind] for kind in others), 0)
        paces.append(max(-(-most // (options.cipher_cores * rate.blocks)) * rate.interval, -(-total[OUT] // lanes), 1))
    mul = options.mul or max(max(1, -(-total[MUL] // pace)) for total, pace in zip(totals, paces, strict=True))
    slow: dict[str, Any] = {}
    intervals = [max(pace, -(-total[MUL] // mul)) for total, pace in zip(totals, paces, strict=True)]

    def alone(kind: Kind) -> CoreTiming | None:
        """Timing of a sequential core that keeps up with all sizes of sectors, or None."""
        if not chosen.has(DIRECTION_OF[kind.operation.name], "sequential"):
            return None
        timing = chosen.timing(request(kind, "sequential"))
        seldom = all(total[kind] <= SELDOM for total in totals)
        fits = not options.overlap or all(total[kind] * timing.interval <= ii for total, ii in zip(totals, intervals, strict=True))
        return timing if seldom and fits else None

    for core in (DEC, ENC):
        # Behind a common operand network one core of the two is a pipeline.
        if not alike and core in cores and not (together and slow) and (timing := alone(core)):
            cores[core], time[core] = request(core, "sequential"), timing
            slow = {"slow_core": core, "slow_interval": timing.interval}
    reg = options.registered
    units = []
    if together:
        latency = max(timing.latency for timing in time.values())
        units.append(Unit(CIPHER, options.cipher_cores, latency, post_register=reg, **_rate(options.cipher_form, rate), **slow))
    else:
        for core in (core for core in (ENC, DEC) if core in time):
            timing = time[core]
            count = 1 if cores[core].form != options.cipher_form else options.cipher_cores
            units.append(Unit(core.unit, count, timing.latency, post_register=reg, **_rate(cores[core].form, timing)))
    for kind in others:
        timing = None if alike else alone(kind)
        cores[kind] = request(kind, "sequential" if timing else options.cipher_form)
        timing = timing or chosen.timing(cores[kind])
        busy = [-(-total[kind] // timing.blocks) * timing.interval for total in totals]
        count = max(1, *(-(-cycles // pace) for cycles, pace in zip(busy, paces, strict=True)))
        units.append(Unit(kind.unit, count, timing.latency, post_register=reg, **_rate(cores[kind].form, timing)))
    units.append(Unit(MUL.unit, mul if MUL in needed else 0, options.mul_stages, 1, reg, reg))
    # The circuit is a few XORs deep.  The register behind it, which the paper's squarers have too, lets a square be squared again.
    units.append(Unit(SQR.unit, _squarers(totals, paces, mul) if options.squares == "fly" else 0, 0, 1, reg, True))
    for type in UNITS.values():
        if type not in PLANNED:
            units.append(_paced(type, reg, totals, paces, setup))
    accumulators = max(1, *(-(-total[ACC] // pace) for total, pace in zip(totals, paces, strict=True)))
    units.append(Unit(ACC.unit, options.acc or accumulators, 0, 1, False, reg))
    units.append(Unit(OUT.unit, lanes, 0, 1, False, reg))
    return UnitSet(tuple(units), lanes, options.terms, entry=ENTRY_CYCLES), Architecture(chosen, cores)


def _rate(form: str, timing: CoreTiming) -> dict[str, Any]:
    """When an instance of a unit with a core of this form takes operations: one in each interval, or batches."""
    return {"cadence": timing.cadence} if form == "multistream" else {"interval": timing.interval}


def _request(options: Options, chosen: BlockCipher, cipher_bits: Sequence[int], name: Kind | str, form: str) -> CoreRequest:
    """The request to a cipher for a core of this name.  Raises ``InputError`` if the cipher has none.

    The S-box is the requested one.  A core that is sequential beside pipelines has the default.
    """
    direction = DIRECTION_OF[name.operation.name if isinstance(name, Kind) else name]
    if not chosen.has(direction, form):
        does = "core for both directions in one" if direction == "both" else f"core to {direction}"
        raise InputError(f"--cipher-arch {options.cipher_arch}: {chosen.name} has no {form} {does}; choose another --cipher-arch")
    sbox = options.cipher_sbox if form == options.cipher_form else chosen.sboxes[0]
    own = name.key_bits if isinstance(name, Kind) else 0
    bits, keys = own or options.key_bits, max(1, list(cipher_bits).count(own))
    return CoreRequest(
        direction=direction, form=form, key_bits=cast(int, bits), stages=cast(int, options.streams or options.cipher_stages),
        sbox=cast(str, sbox), streams=options.streams or 1, slots=options.key_slots << (keys - 1).bit_length(),
    )  # fmt: skip


def _paced(
    type: UnitType, registered: bool, totals: Sequence[Mapping[Kind, int]], paces: Sequence[int], setup: AbstractSet[Kind]
) -> Unit:
    """As many units of a type as needed to keep up with the others, for the operations in use.

    An adder is a carry chain between registers.  One of 128 bits has another register in the middle.
    """
    kind = UnitKind(type)
    forms = tuple(Kind(op) for op in OPERATIONS.values() if op.unit is type and (op.name in setup or any(t[Kind(op)] for t in totals)))
    counters = [form.operation.counter for form in forms if form.operation.counter]
    halved = registered and any(counter.bits >= HALVED for counter in counters)
    timing = type.timing or UnitTiming(int(halved))
    needs = [-(-sum(total[form] for form in forms) * timing.interval // pace) for total, pace in zip(totals, paces, strict=True)]
    count = max(*needs, int(bool(setup & set(forms))))
    return Unit(kind, count, timing.core, timing.interval, registered, registered or not timing.core or bool(counters), forms=forms)


def _squarers(totals: Sequence[Mapping[Kind, int]], paces: Sequence[int], mul: int) -> int:
    """As many squaring units as needed to keep up with the pipelines and the multipliers, at least one."""
    intervals = (max(pace, -(-total[MUL] // mul)) for total, pace in zip(totals, paces, strict=True))
    return max(1, *(-(-total[SQR] // ii) for total, ii in zip(totals, intervals, strict=True)))
