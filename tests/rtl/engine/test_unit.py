# SPDX-License-Identifier: Apache-2.0
"""Units of every kind by themselves: each operation gives its result in the cycle that the schedule counts on."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator
from tests.kinds import unit_kind
from tests.rtl.engine.mix import BITS, KEY_BITS, MASK, Mix, MixCore, round_keys

from modeloom.rtl.counter import CounterAdder
from modeloom.rtl.engine.sequencer import pipe
from modeloom.rtl.engine.unit import EngineUnit, UnitCore
from modeloom.spec import COUNTERS
from modeloom.spec.kinds import BOTH, OPERATIONS, UnitKind

SLOTS, ROUNDS, CYCLES = 3, 2, 120
KEEPS = (-9, 3, 8)


class Sum(wiring.Component):
    """In place of a multiplier, with other operands changed places: a + 2 b, some cycles later."""

    def __init__(self, latency: int):
        self.latency = latency
        super().__init__({"a": In(BITS), "b": In(BITS), "o": Out(BITS)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.o.eq(pipe(m, (self.a + (self.b << 1))[:BITS], self.latency, "sum"))
        return m


class Complement(wiring.Component):
    """In place of a squarer."""

    latency = 0

    def __init__(self) -> None:
        super().__init__({"i": In(BITS), "o": Out(BITS)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.o.eq(~self.i)
        return m


def kept(value: int, keep: int) -> int:
    """The first bytes of a block, or all but the first."""
    data = value.to_bytes(16, "little")
    part = data[:keep].ljust(16, b"\0") if keep > 0 else data[-keep:].rjust(16, b"\0")
    return int.from_bytes(part if keep else data, "little")


FORM_NAMES = ("add", "add64le")
FORMS = tuple(COUNTERS[name] for name in FORM_NAMES)

Operation = dict[str, int]

CIPHERS = [Mix(random.Random(slot).randbytes(ROUNDS * KEY_BITS // 8)) for slot in range(SLOTS)]


def crypted(operation: Operation) -> int:
    """What a cipher unit gives for an operation."""
    cipher = CIPHERS[operation["slot"]]
    data = operation["a"].to_bytes(16, "little")
    return int.from_bytes((cipher.decrypt if operation["decrypt"] else cipher.encrypt)(data), "little")


def mix(core: str, latency: int, sequential: bool = False) -> MixCore:
    return MixCore(core, sequential, ROUNDS, latency, SLOTS)


def core(name: str, component: Any) -> UnitCore:
    """A component for the operation of its name, or for both of the cipher."""
    does = ("enc", "dec") if name == BOTH else (name,)
    return UnitCore(component, tuple(OPERATIONS[each] for each in does), getattr(component, "sequential", False))


def cores(**components: Any) -> dict[str, UnitCore]:
    return {name: core(name, component) for name, component in components.items()}


UNITS: dict[str, tuple[UnitKind, Callable[[], dict[str, UnitCore]], bool, bool, int, int, Callable[[Operation], int]]] = {
    "acc": (unit_kind("acc"), dict, False, True, 0, 1, lambda op: op["a"]),
    "acc, no register": (unit_kind("acc"), dict, False, False, 0, 1, lambda op: op["a"]),
    "mul": (unit_kind("mul"), lambda: cores(mul=Sum(2)), True, True, 2, 1, lambda op: op["a"] + 2 * op["b"] & MASK),
    "mul, no registers": (unit_kind("mul"), lambda: cores(mul=Sum(1)), False, False, 1, 1, lambda op: op["a"] + 2 * op["b"] & MASK),
    "mul, faster than it is counted": (
        unit_kind("mul"), lambda: cores(mul=Sum(1)), True, True, 3, 1, lambda op: op["a"] + 2 * op["b"] & MASK,
    ),
    "sqr": (unit_kind("sqr"), lambda: cores(sqr=Complement()), True, True, 0, 1, lambda op: op["a"] ^ MASK),
    "add": (
        unit_kind("add"), lambda: cores(add=CounterAdder(BITS, FORMS[0], 1)), True, True, 1, 1,
        lambda op: FORMS[0].add(op["a"], op["number"], BITS // 8),
    ),
    "add, two forms": (
        unit_kind("add"), lambda: {name: core(name, CounterAdder(BITS, COUNTERS[name], 1)) for name in FORM_NAMES}, True, True, 1, 1,
        lambda op: FORMS[op["form"]].add(op["a"], op["number"], BITS // 8),
    ),
    "enc": (unit_kind("enc"), lambda: cores(enc=mix("enc", 3)), False, True, 3, 1, crypted),
    "dec256": (unit_kind("dec", 256), lambda: cores(dec=mix("dec", 3)), False, False, 3, 1, crypted),
    "cipher, the encrypter waits": (
        unit_kind("cipher"), lambda: cores(enc=mix("enc", 2), dec=mix("dec", 5)), False, True, 5, 1, crypted,
    ),
    "cipher, the decrypter is sequential": (
        unit_kind("cipher"), lambda: cores(enc=mix("enc", 3), dec=mix("dec", 4, True)), True, True, 4, 1, crypted,
    ),
    "cipher, both in one": (unit_kind("cipher"), lambda: cores(both=mix("both", 4, True)), True, True, 4, 3, crypted),
    "cipher, both in one pipeline": (unit_kind("cipher"), lambda: cores(both=mix("both", 4)), False, True, 4, 1, crypted),
    "cipher, sequential": (
        unit_kind("cipher"), lambda: cores(enc=mix("enc", 3, True), dec=mix("dec", 3, True)), False, True, 3, 3, crypted,
    ),
}  # fmt: skip
"""Kind, cores, operand and post register, cycles of the cores, cycles between operations, and what an operation gives."""


def unit_of(name: str, keeps: Sequence[int] = KEEPS) -> EngineUnit:
    kind, components, front, back, latency, _, _ = UNITS[name]
    return EngineUnit(BITS, kind, components(), front, back, latency, tuple(keeps), SLOTS, 1, KEY_BITS)


class Drive:
    """Sets the ports of a unit; those that nothing is said of have random values."""

    def __init__(self, ctx: Any, unit: EngineUnit, rng: random.Random):
        self.ctx, self.unit, self.rng = ctx, unit, rng
        self.ports = [name for name in unit.signature.members if name not in ("y", "clear", "rk_we", "start", "keep", "form")]
        self.has = unit.signature.members.keys()

    async def cycle(self, **values: int) -> None:
        """One cycle; enables are low if they are not given."""
        for name in self.ports:
            self.ctx.set(getattr(self.unit, name), self.rng.getrandbits(len(getattr(self.unit, name))))
        for name in ("clear", "rk_we", "start"):
            values.setdefault(name, 0)
        for name, value in values.items():
            if name in self.has:
                self.ctx.set(getattr(self.unit, name), value)
        await self.ctx.tick()

    async def write_keys(self) -> None:
        """The round keys of all slots; ``dec`` and ``both`` have a form of their own for decryption."""
        if "rk_we" not in self.has:
            return
        for slot in range(SLOTS):
            for place, (data, other) in enumerate(round_keys(random.Random(slot).randbytes(ROUNDS * KEY_BITS // 8))):
                await self.cycle(rk_we=1, rk_slot=slot, rk_round=place, rk_data=data, rk_data_dec=other)


def run(unit: EngineUnit, bench: Callable[[Any], Any]) -> None:
    m = Module()
    m.submodules.unit = unit
    m.d.sync += Signal().eq(0)
    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize("name", UNITS)
def test_results_come_when_they_are_counted_on(name: str) -> None:
    """Operations as close as the interval allows, of all directions, slots, forms and parts, with terms behind them."""
    kind, _, front, back, latency, interval, result = UNITS[name]
    unit, rng = unit_of(name), random.Random(name)
    alone = {"enc": 0, "dec": 1}.get(kind.type.name)

    async def bench(ctx: Any) -> None:
        drive = Drive(ctx, unit, rng)
        await drive.write_keys()
        issued: dict[int, Operation] = {}
        free = 0
        for cycle in range(CYCLES):
            values: dict[str, int] = {}
            if cycle >= free and rng.random() < 0.8:
                # At its ends a number shows that it wraps.
                block = rng.choice((rng.getrandbits(BITS), MASK))
                operation = {
                    "a": block, "b": rng.getrandbits(BITS),
                    "number": rng.getrandbits(8), "form": rng.randrange(len(unit.cores) if unit.formed else 1),
                    "decrypt": rng.getrandbits(1) if alone is None else alone, "slot": rng.randrange(SLOTS), "start": 1,
                    "post": rng.getrandbits(BITS), "keep": rng.randrange(len(KEEPS) + 1),
                }  # fmt: skip
                issued[cycle + front + latency] = operation
                values = {key: operation[key] for key in ("a", "b", "number", "decrypt", "slot", "start")}
                slow = "sequential" in name and operation["decrypt"] and interval == 1
                free = cycle + (4 if slow else interval)
            done = issued.get(cycle)
            if done:
                values |= {"post": done["post"], "keep": done["keep"], "form": done["form"], "post_decrypt": done["decrypt"]}
            if not back and done:
                # Without a register the result is there in this cycle.
                for key, value in values.items():
                    if key in drive.has:
                        ctx.set(getattr(unit, key), value)
                assert ctx.get(unit.y) == kept(result(done), (0, *KEEPS)[done["keep"]]) ^ done["post"], f"cycle {cycle}"
            await drive.cycle(**values)
            if back and done:
                assert ctx.get(unit.y) == kept(result(done), (0, *KEEPS)[done["keep"]]) ^ done["post"], f"cycle {cycle}"

    run(unit, bench)


@pytest.mark.parametrize("name", ["acc", "cipher, sequential", "cipher, both in one"])
def test_clear(name: str) -> None:
    """The result is zero in the next cycle, whatever was computed, and a sequential core has forgotten its own."""
    unit, rng = unit_of(name, ()), random.Random(name)

    async def bench(ctx: Any) -> None:
        drive = Drive(ctx, unit, rng)
        await drive.write_keys()
        for _ in range(10):
            await drive.cycle(start=1, decrypt=rng.getrandbits(1), slot=rng.randrange(SLOTS))
        await drive.cycle(clear=1)
        assert ctx.get(unit.y) == 0
        if unit.keyed:
            await drive.cycle(post=0, post_decrypt=rng.getrandbits(1))
            assert ctx.get(unit.y) == 0

    run(unit, bench)


def test_cores_that_do_not_fit() -> None:
    enc = unit_kind("enc")
    with pytest.raises(ValueError, match="mul: the mul core takes 3 cycles, the schedule counts 2"):
        EngineUnit(BITS, unit_kind("mul"), cores(mul=Sum(3)), True, True, 2, (), SLOTS, 1, KEY_BITS)
    with pytest.raises(ValueError, match="enc: key_data of MixCore has 64 bits, not 72"):
        EngineUnit(BITS, enc, cores(enc=mix("enc", 3)), True, True, 3, (), SLOTS, 1, 72)
    with pytest.raises(ValueError, match="enc: key_round of MixCore has 1 bits, not 2"):
        EngineUnit(BITS, enc, cores(enc=mix("enc", 3)), True, True, 3, (), SLOTS, 2, KEY_BITS)
    with pytest.raises(ValueError, match="enc: i of MixCore has 128 bits, not 64"):
        EngineUnit(64, enc, cores(enc=mix("enc", 3)), True, True, 3, (), SLOTS, 1, KEY_BITS)
    with pytest.raises(ValueError, match="add: the add core waits to be started, and stands beside others"):
        started = {name: UnitCore(CounterAdder(BITS, COUNTERS[name], 1), (OPERATIONS[name],), started=True) for name in FORM_NAMES}
        EngineUnit(BITS, unit_kind("add"), started, True, True, 1, (), SLOTS, 1, KEY_BITS)
