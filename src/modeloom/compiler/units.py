# SPDX-License-Identifier: Apache-2.0
"""The unit set that follows from the options and from how often a mode uses each kind of unit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from modeloom.ciphers import BlockCipher, CoreRequest, CoreTiming
from modeloom.ciphers.description import DIRECTION_OF
from modeloom.cycles import ENTRY_CYCLES
from modeloom.options.sectors import Options
from modeloom.schedule.problem import Unit, UnitSet
from modeloom.spec import InputError
from modeloom.spec.cadence import EVERY_CYCLE
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

PLANNED = {unit.type for unit in (ENC.unit, ENC.shared, DEC.unit, TENC.unit, TDEC.unit, MUL.unit, SQR.unit, ACC.unit, OUT.unit) if unit}
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
        """The form of each core, one of ``FORMS`` (``ciphers.description``)."""
        return {name: request.form for name, request in self.cores.items()}


def unit_set(
    options: Options, chosen: BlockCipher, uses: Sequence[Mapping[str, Mapping[Kind, int]]], setup: AbstractSet[Kind],
    cipher_bits: Sequence[int] = (0,),
) -> tuple[UnitSet, Architecture]:
    """The unit set for a cipher, a mode's operation counts, for each sector size in each direction, and the kinds of its set-up.
    ``cipher_bits`` is that of its program: a core for many keys may take longer.

    If both directions are built, both cores of the cipher are behind one operand network.  They are separate in a core for one direction
    that needs both, and for keys whose length the mode fixes.  A core that a sector rarely needs (``SELDOM``) is sequential if there is
    such a form and its interval fits into the initiation interval.  If all cores are to have another form, or a combined one, one core
    performs all operations with keys of one length.

    Raises ``InputError`` for several multipliers if the mode has no products, and for a core that the cipher does not have.  A single
    multiplier, as in the presets, is omitted.
    """
    sizing = _Sizing(options.on(chosen), chosen, uses, setup, cipher_bits)
    units = UnitSet(tuple(sizing.units()), sizing.lanes, options.terms, entry=ENTRY_CYCLES)
    return units, Architecture(chosen, sizing.cores)


class _Sizing:
    """The pace of the ciphers, and as many of all other units as keep up with it.

    Attributes
    ----------
    totals : list of Counter
        For each sector size, the operations of the direction that has most.
    together : bool
        Whether both directions of the cipher are behind one operand network.
    cores, time : dict
        The request for each core of the cipher, and its timing.
    paces : list of int
        For each sector size, the initiation interval that ciphers and outputs allow.
    """

    def __init__(
        self, options: Options, chosen: BlockCipher, uses: Sequence[Mapping[str, Mapping[Kind, int]]], setup: AbstractSet[Kind],
        cipher_bits: Sequence[int],
    ):  # fmt: skip
        self.options, self.chosen, self.setup = options, chosen, setup
        self.lanes = options.lanes or options.cipher_cores
        self.request = partial(_request, options, chosen, cipher_bits)
        kinds = sorted(set(setup).union(*(u for of in uses for u in of.values())))
        self.totals = [Counter({kind: max(u.get(kind, 0) for u in of.values()) for kind in kinds}) for of in uses]
        self.needed = {kind for total in self.totals for kind, count in total.items() if count} | set(setup)
        self.others = [kind for kind in kinds if kind.key_bits or kind in (TENC, TDEC)]
        in_one = options.cipher_arch != "pipelined"
        self.together = {ENC, DEC} <= self.needed and (len(uses[0]) > 1 or in_one)
        self._check()
        names = (BOTH,) if self.together and in_one else tuple(core for core in (ENC, DEC) if core in self.needed)
        self.cores: dict[Kind | str, CoreRequest] = {name: self.request(name, options.cipher_form) for name in names}
        self.time = {core: chosen.timing(request) for core, request in self.cores.items()}
        self.rate = max(self.time.values(), key=lambda timing: timing.interval) if self.time else CoreTiming(1, 1)
        self.paces = [self._pace(of, total) for of, total in zip(uses, self.totals, strict=True)]
        self.mul = options.mul or max(max(1, -(-total[MUL] // pace)) for total, pace in zip(self.totals, self.paces, strict=True))

    def _check(self) -> None:
        """Raises ``InputError`` for operations that the cipher does not have, and for multipliers without products."""
        for kind in sorted(self.needed):
            if kind.operation.keyed and kind.operation in OWN_CIPHERS:
                self.chosen.check_operation("this mode", kind.operation.name, kind.operation.operands)
        if (self.options.mul or 0) > 1 and MUL not in self.needed:
            raise InputError(f"--mul {self.options.mul}: the mode has no multiplications; omit --mul")

    def _pace(self, of: Mapping[str, Mapping[Kind, int]], total: Counter[Kind]) -> int:
        calls = max(u.get(ENC, 0) + u.get(DEC, 0) for u in of.values()) if self.together else max(total[ENC], total[DEC])
        most = max(calls, *(total[kind] for kind in self.others), 0)
        blocks = self.options.cipher_cores * self.rate.blocks
        return max(-(-most // blocks) * self.rate.interval, -(-total[OUT] // self.lanes), 1)

    def _sequential(self, kind: Kind) -> CoreTiming | None:
        """Timing of a sequential core that keeps up with all sizes of sectors, or None."""
        if self.options.cipher_form != "pipelined" or not self.chosen.has(DIRECTION_OF[kind.operation.name], "sequential"):
            return None
        timing = self.chosen.timing(self.request(kind, "sequential"))
        intervals = [max(pace, -(-total[MUL] // self.mul)) for total, pace in zip(self.totals, self.paces, strict=True)]
        seldom = all(total[kind] <= SELDOM for total in self.totals)
        fits = all(total[kind] * timing.interval <= ii for total, ii in zip(self.totals, intervals, strict=True))
        return timing if seldom and (fits or not self.options.overlap) else None

    def units(self) -> Iterator[Unit]:
        """The ciphers, those with keys of their own lengths, arithmetic, counters, and adders and outputs."""
        options, reg = self.options, self.options.registered
        yield from self._ciphers()
        yield from map(self._other_cipher, self.others)
        yield Unit(MUL.unit, self.mul if MUL in self.needed else 0, options.mul_stages, 1, reg, reg)
        # The circuit is a few XORs deep.  The register behind it, which the paper's squarers have too, lets a square be squared again.
        yield Unit(SQR.unit, _squarers(self.totals, self.paces, self.mul) if options.squares == "fly" else 0, 0, 1, reg, True)
        for type in UNITS.values():
            if type not in PLANNED:
                yield _paced(type, reg, self.totals, self.paces, self.setup)
        accumulators = max(1, *(-(-total[ACC] // pace) for total, pace in zip(self.totals, self.paces, strict=True)))
        yield Unit(ACC.unit, options.acc or accumulators, 0, 1, False, reg)
        yield Unit(OUT.unit, self.lanes, 0, 1, False, reg)

    def _ciphers(self) -> Iterator[Unit]:
        """The units of the cipher: one for both directions, or one for each."""
        slow: Kind | None = None
        for core in (DEC, ENC):
            # Behind a common operand network one core of the two is a pipeline.
            if core in self.cores and not (self.together and slow) and (timing := self._sequential(core)):
                self.cores[core], self.time[core], slow = self.request(core, "sequential"), timing, core
        form, count = self.options.cipher_form, self.options.cipher_cores
        if self.together:
            latency = max(timing.latency for timing in self.time.values())
            interval = 0 if slow is None else self.time[slow].interval
            yield replace(self._unit(CIPHER, count, form, self.rate), core=latency, slow_core=slow, slow_interval=interval)
            return
        for core in (core for core in (ENC, DEC) if core in self.time):
            own = self.cores[core].form
            yield self._unit(core.unit, count if own == form else 1, own, self.time[core])

    def _other_cipher(self, kind: Kind) -> Unit:
        """The unit of a cipher with a tweak, or with keys whose length the mode fixes."""
        timing = self._sequential(kind)
        self.cores[kind] = self.request(kind, "sequential" if timing else self.options.cipher_form)
        timing = timing or self.chosen.timing(self.cores[kind])
        busy = [-(-total[kind] // timing.blocks) * timing.interval for total in self.totals]
        count = max(1, *(-(-cycles // pace) for cycles, pace in zip(busy, self.paces, strict=True)))
        return self._unit(kind.unit, count, self.cores[kind].form, timing)

    def _unit(self, kind: UnitKind, count: int, form: str, timing: CoreTiming) -> Unit:
        """A unit whose core has this form.  It takes an operation in each interval, or batches."""
        reg = self.options.registered
        if form == "multistream":
            return Unit(kind, count, timing.latency, post_register=reg, cadence=timing.cadence or EVERY_CYCLE)
        return Unit(kind, count, timing.latency, timing.interval, post_register=reg)


DOES = {"encrypt": "core to encrypt", "decrypt": "core to decrypt", "both": "core for both directions in one"}
"""What a core of a cipher does, by its direction."""


def _request(options: Options, chosen: BlockCipher, cipher_bits: Sequence[int], name: Kind | str, form: str) -> CoreRequest:
    """The request to a cipher for a core of this name.  Raises ``InputError`` if the cipher has none.

    The S-box is the requested one.  A core that is sequential beside pipelines has the default.
    """
    direction = DIRECTION_OF[name.operation.name if isinstance(name, Kind) else name]
    sbox = options.cipher_sbox if form == options.cipher_form else chosen.sboxes[0]
    own = name.key_bits if isinstance(name, Kind) else 0
    bits, keys = own or options.key_bits, max(1, list(cipher_bits).count(own))
    request = CoreRequest(
        direction=direction, form=form, key_bits=cast(int, bits), stages=options.streams or options.cipher_stages or 1,
        sbox=cast(str, sbox), streams=options.streams or 1, slots=options.key_slots << (keys - 1).bit_length(),
    )  # fmt: skip
    if not chosen.makes(request):
        what = f"{chosen.name} has no {form} {DOES[direction]}"
        raise InputError(f"--cipher-arch {options.cipher_arch}: {what}; choose another --cipher-arch")
    return request


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
