# SPDX-License-Identifier: Apache-2.0
"""Kinds that the project does not have: a tweakable cipher with two operands, and a rotation with a number.

What stands here is all that a kind is: an entry for each operation, and a component for each unit::

    o.xenc(x, t)      E_K(x ^ (t <<< 1))              o.xdec its inverse under the same key and tweak
    o.rotate(x, n)    the bits of x, n places up
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from tests.rtl.engine.mix import BITS, KEY_BITS, MASK, MixCore

from modeloom.cores.components import COMPONENTS, ComponentRequest
from modeloom.rtl.engine.sequencer import pipe
from modeloom.rtl.engine.unit import UnitCore
from modeloom.spec import CipherKey, Keys, Mode
from modeloom.spec.kinds import OPERATIONS, UNITS, Operation, UnitTiming, UnitType, register

__all__ = ["KINDS", "Rotated", "Tweaked", "registered", "turned"]


def turned(block: int, places: int) -> int:
    """A block with its bits ``places`` places up."""
    return (block << places | block >> BITS - places) & MASK


TWEAKABLE = UnitType(name="tweakable", ports=("i", "tweak"), keyed=True, laned=True, group="cipher", timing=UnitTiming(4))
ROTATOR = UnitType(name="rotator", group="rotators", timing=UnitTiming(1))


def _xenc(o: Any, x: Sequence[int], number: int) -> int:
    return o.enc(x[0] ^ turned(x[1], 1), CipherKey(number))


def _xdec(o: Any, x: Sequence[int], number: int) -> int:
    return o.dec(x[0], CipherKey(number)) ^ turned(x[1], 1)


KINDS = (
    Operation(name="xenc", unit=TWEAKABLE, inverse="xdec", on_numbers=_xenc),
    Operation(name="xdec", unit=TWEAKABLE, inverse="xenc", inverse_keys=True, on_numbers=_xdec),
    Operation(name="rotate", unit=ROTATOR, numbers=range(1, BITS), on_numbers=lambda o, x, n: turned(x[0], n)),
)


class Tweakable(wiring.Component):
    """Mix with its block masked by a tweak, in front (``xenc``) or behind (``xdec``)."""

    latency = 4

    def __init__(self, core: str, rounds: int, slots: int):
        self.core, self.mix = core, MixCore(core, False, rounds, self.latency, slots)
        keys = {name: In(len(getattr(self.mix, name))) for name in ("slot", "key_we", "key_slot", "key_round", "key_data")}
        super().__init__({"i": In(BITS), "tweak": In(BITS), "o": Out(BITS), **keys})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.mix = mix = self.mix
        mask = Value.cast(self.tweak).rotate_left(1)
        m.d.comb += [getattr(mix, name).eq(getattr(self, name)) for name in ("slot", "key_we", "key_slot", "key_round", "key_data")]
        if self.core == "enc":
            m.d.comb += [mix.i.eq(self.i ^ mask), self.o.eq(mix.o)]
        else:
            m.d.comb += [mix.i.eq(self.i), self.o.eq(mix.o ^ pipe(m, mask, self.latency, "mask"))]
        return m


class Rotator(wiring.Component):
    """A barrel shifter, with a register behind it."""

    latency = 1

    def __init__(self) -> None:
        super().__init__({"i": In(BITS), "number": In(7), "o": Out(BITS)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        word: Value = self.i
        for stage in range(7):
            turned = Signal(BITS, name=f"turned{stage}")
            m.d.comb += turned.eq(Mux(self.number[stage], word.rotate_left(1 << stage), word))
            word = turned
        m.d.comb += self.o.eq(pipe(m, word, 1, "turned"))
        return m


def _tweakable(request: ComponentRequest) -> dict[str, UnitCore]:
    rounds = request.key_bits // KEY_BITS
    components = {kind.operation: Tweakable(kind.operation.name[1:], rounds, request.slots) for kind in request.operations}
    return {operation.name: UnitCore(component, (operation,)) for operation, component in components.items()}


def _rotator(request: ComponentRequest) -> dict[str, UnitCore]:
    return {kind.operation.name: UnitCore(Rotator(), (kind.operation,)) for kind in request.operations}


@contextmanager
def registered() -> Iterator[None]:
    """The kinds are there, with their components."""
    register(*KINDS)
    COMPONENTS.update({"tweakable": _tweakable, "rotator": _rotator})
    try:
        yield
    finally:
        for operation in KINDS:
            del OPERATIONS[operation.name]
        for unit in (TWEAKABLE, ROTATOR):
            del UNITS[unit.name], COMPONENTS[unit.name]


class Tweaked(Mode):
    """Each block under a tweak of its own, which comes from the sector's."""

    name = title = source = security = "test-tweaked"
    wide = False

    def setup(self, o: Any, key: Any) -> Keys:
        return Keys(w=o.xenc(o.const(5), o.const(1)))

    def encrypt(self, o: Any, k: Any, tweak: Any, p: Any) -> list[Any]:
        t = o.xenc(tweak[0], k.w)
        return [o.xenc(x ^ o.double(t, i), t) ^ o.double(t, i) for i, x in enumerate(p)]

    def decrypt(self, o: Any, k: Any, tweak: Any, c: Any) -> list[Any]:
        t = o.xenc(tweak[0], k.w)
        return [o.xdec(x ^ o.double(t, i), t) ^ o.double(t, i) for i, x in enumerate(c)]


class Rotated(Mode):
    """Each block is turned by places of its own, on both sides of a cipher."""

    name = title = source = security = "test-rotated"
    wide = False

    def setup(self, o: Any, key: Any) -> Keys:
        return Keys(w=o.rotate(o.enc(o.const(1)), 77))

    def encrypt(self, o: Any, k: Any, tweak: Any, p: Any) -> list[Any]:
        return [o.rotate(o.enc(o.rotate(x, 3 * i + 1) ^ k.w ^ tweak[0]), 127) for i, x in enumerate(p)]

    def decrypt(self, o: Any, k: Any, tweak: Any, c: Any) -> list[Any]:
        return [o.rotate(o.dec(o.rotate(x, 1)) ^ k.w ^ tweak[0], 127 - 3 * i) for i, x in enumerate(c)]
