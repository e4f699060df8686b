# SPDX-License-Identifier: Apache-2.0
"""The components in the units of an engine, for each type of unit (``spec.kinds``) and its operations.

A unit may have a component for each operation, or one component for two operations that are inverse to each other.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from amaranth.back import rtlil
from amaranth.hdl import UnusedElaboratable

from modeloom.ciphers import BlockCipher, CoreRequest, is_own
from modeloom.ciphers.check import check_cipher
from modeloom.product.description import Result, Secret
from modeloom.rtl.cipher_bench import CipherBench
from modeloom.rtl.counter import CounterAdder
from modeloom.rtl.engine.unit import UnitCore
from modeloom.rtl.gf128.architectures import MULTIPLIERS
from modeloom.rtl.gf128.reduction import Squarer
from modeloom.spec import DefinitionError, Field
from modeloom.spec.kinds import BOTH, CIPHER, DEC, ENC, Kind, UnitKind
from modeloom.taint import TimingChannel, check_netlist
from modeloom.taint.graph import netlist_of_rtlil

__all__ = ["COMPONENTS", "ComponentRequest", "check_own_cipher", "check_timing", "unit_cores"]


# -- own cipher ------------------------------------------------------------------------------------------------------------------------

# Checks of a block cipher that a mode brings, before a core is written: its results, its cycles, and that neither depends on time or data.
#
# Simulations compare hardware and software, and find the wrong latency of any block that they send.  A latency that changes for rare blocks
# is found in the netlist: something that data decide would be a control point (``taint.control``).


def check_own_cipher(cipher: BlockCipher, requests: Iterable[CoreRequest]) -> None:
    """Checks the cores of a cipher that a mode brings.  A cipher of this project passes, because its tests check it.

    Raises ``DefinitionError``.
    """
    asked = list(requests)
    check_cipher(cipher, asked)
    if is_own(cipher):
        for request in asked:
            check_timing(cipher, request)


def check_timing(cipher: BlockCipher, request: CoreRequest) -> None:
    """Checks that no block, tweak or key decides when something happens in a core or in its key schedule.

    Raises ``DefinitionError``.  Its line says what is decided, by what, and over which signals.
    """
    core, schedule = cipher.hardware(request), cipher.expander(request.key_sizes)
    bench = CipherBench(request.direction, core, schedule, request.slots, request.form != "pipelined")
    ports = {name: len(getattr(bench, name)) for name in bench.signature.members}
    with warnings.catch_warnings():
        # A port that the core does not have drives nothing.
        warnings.simplefilter("ignore", UnusedElaboratable)
        netlist = netlist_of_rtlil(rtlil.convert(bench, name="bench", emit_src=False), "bench")
    secrets = [Secret(what, name, 0, ports[name], reaches=False) for what, name in (("data", "i"), ("key", "key"))]
    results = [Result(name, ports[name]) for name in ("o", "data", "data_dec")]
    try:
        check_netlist(netlist, secrets, results, users=[".*"])
    except TimingChannel as error:
        raise DefinitionError(
            f"cipher {cipher.name}: {request}: its timing depends on data: {error}; docs/new-mode.md, \"Timing of a cipher\", has the rule"
        ) from None


# -- components ------------------------------------------------------------------------------------------------------------------------


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
    return UnitCore(request.cipher.hardware(asked), does_all, asked.started, timing.interval, timing.blocks)


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
