# SPDX-License-Identifier: Apache-2.0
"""The components in the units of an engine, for each type of unit (``spec.kinds``) and its operations.

A unit may have a component for each operation, or one component for two operations that are inverse to each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from modeloom.ciphers import BlockCipher, CoreRequest
from modeloom.rtl.counter import CounterAdder
from modeloom.rtl.engine.unit import UnitCore
from modeloom.rtl.gf128.architectures import MULTIPLIERS
from modeloom.rtl.gf128.reduction import Squarer
from modeloom.spec import Field
from modeloom.spec.kinds import BOTH, CIPHER, DEC, ENC, Kind, UnitKind

__all__ = ["COMPONENTS", "ComponentRequest", "unit_cores"]


@dataclass(frozen=True, kw_only=True)
class ComponentRequest:
    """The requirements for the components of a unit.

    Attributes
    ----------
    unit : UnitKind
    operations : tuple of Kind
        The operations of the unit.
    field : Field
        The field of the mode.  Its width is the width of a block in bits.
    cycles : int
        Latency of a component in the schedule, in cycles.
    multiplier : str
        Name of the multiplier circuit.
    cipher : BlockCipher
    cipher_cores : mapping
        The requests to the cipher for each of its cores, by operation or ``BOTH``.
    key_bits, slots : int
        Bits of a cipher key, and number of keys that a component holds.
    """

    unit: UnitKind
    operations: tuple[Kind, ...]
    field: Field
    cycles: int
    multiplier: str
    cipher: BlockCipher
    cipher_cores: Mapping[Kind | str, CoreRequest]
    key_bits: int
    slots: int


def _cipher(request: ComponentRequest) -> dict[str, UnitCore]:
    if request.unit == CIPHER and BOTH in request.cipher_cores:
        return {BOTH: _core(request, request.cipher_cores[BOTH], (ENC, DEC))}
    return {kind.operation.name: _core(request, request.cipher_cores[kind], (kind,)) for kind in request.operations}


def _core(request: ComponentRequest, asked: CoreRequest, does: Sequence[Kind]) -> UnitCore:
    timing = request.cipher.timing(asked)
    does_all = tuple(kind.operation for kind in does)
    return UnitCore(request.cipher.hardware(asked), does_all, asked.form == "sequential", timing.interval, timing.blocks)


def _multiplier(request: ComponentRequest) -> dict[str, UnitCore]:
    component = MULTIPLIERS[request.multiplier](request.field, request.cycles)
    return {kind.operation.name: UnitCore(component, (kind.operation,)) for kind in request.operations}


def _squarer(request: ComponentRequest) -> dict[str, UnitCore]:
    return {kind.operation.name: UnitCore(Squarer(request.field), (kind.operation,)) for kind in request.operations}


def _adders(request: ComponentRequest) -> dict[str, UnitCore]:
    made = {}
    for operation in (kind.operation for kind in request.operations):
        assert operation.counter
        made[operation.name] = UnitCore(CounterAdder(request.field.width, operation.counter, request.cycles), (operation,))
    return made


COMPONENTS: dict[str, Callable[[ComponentRequest], dict[str, UnitCore]]] = {
    "enc": _cipher, "dec": _cipher, "tenc": _cipher, "tdec": _cipher, "cipher": _cipher, "mul": _multiplier, "sqr": _squarer,
    "add": _adders,
}  # fmt: skip
"""The functions that make components, by type of unit.  They return components by their names in Verilog."""


def unit_cores(request: ComponentRequest) -> dict[str, UnitCore]:
    """The components of a unit, by their names in Verilog."""
    return COMPONENTS[request.unit.type.name](request)
