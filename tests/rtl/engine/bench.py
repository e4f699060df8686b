# SPDX-License-Identifier: Apache-2.0
"""A host for an engine alone, in Amaranth's simulator: it keeps to ``engine_signature``, and expects what stands there.

Inputs that the contract leaves open have random values.  Sectors are compared with the definition run on numbers.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from amaranth.hdl import Module, ResetInserter, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator
from tests.rtl.engine.mix import MIX, round_keys

from modeloom.compiler.compile import Compiled, compile_mode
from modeloom.cores.sector import ModeCore, bus_parameters
from modeloom.cores.sector.hardware import bank_styles
from modeloom.cycles import ENTRY_CYCLES, FILL_AHEAD
from modeloom.definition.software import Model
from modeloom.modes import find
from modeloom.options.sectors import Options
from modeloom.rtl.engine.engine import ModeEngine
from modeloom.rtl.engine.sequencer import pipe
from modeloom.rtl.engine.unit import UnitCore
from modeloom.spec import Field, Mode
from modeloom.spec.kinds import MUL, UnitKind

FIRST_CYCLE = 6
"""Cycles from the entry of a sector to cycle 0 of its schedule."""


class Multiplier(wiring.Component):
    """A product a cycle; ``run`` computes it, which takes less time than gates."""

    def __init__(self, field: Field, latency: int):
        self.field, self.latency = field, latency
        self.product = Signal(field.width)
        super().__init__({"a": In(field.width), "b": In(field.width), "o": Out(field.width)})

    async def run(self, ctx: Any) -> None:
        """A process of the simulator: the first register."""
        async for _, _, a, b in ctx.tick().sample(self.a, self.b):
            ctx.set(self.product, self.field.mul(a, b))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.o.eq(pipe(m, self.product, self.latency - 1, "late"))
        return m


@lru_cache
def compiled(mode: str | type[Mode], **options: Any) -> Compiled:
    """A mode on Mix; a name, or a class of the tests' own."""
    kind: Any = type(find(mode)) if isinstance(mode, str) else mode
    on_mix = type(kind.__name__, (kind,), {"cipher": MIX})
    return compile_mode(on_mix, Options(**{"restarts": 10, **options}), prove=False)


def engine_of(design: Compiled, multipliers: list[Multiplier]) -> ModeEngine:
    """The engine of a compiled mode, as ``ModeCore`` makes it but for its multipliers, which are added to a list."""
    p, options, mode, core = bus_parameters(design), design.options, design.mode, ModeCore(design)

    def cores(kind: UnitKind, operations: Any) -> dict[str, UnitCore]:
        if kind != MUL.unit:
            return core.cores(kind, operations)
        multipliers.append(Multiplier(mode.field, options.mul_stages))
        return {kind.type.name: UnitCore(multipliers[-1], (MUL.operation,))}

    rounds = {bits: (MIX.round_keys(bits or options.key_bits) - 1).bit_length() for bits in design.core_program.cipher_bits}
    return ModeEngine(
        design.core_program, mode.field, cores, {u.kind: (u.operand_register, u.post_register) for u in design.units.units},
        bank_styles(design), options.key_slots, p.ticket_bits, p.erase_bits, p.keys.round_bits, p.keys.round_key_bits,
        {bits: max(1, width) for bits, width in rounds.items()},
    )  # fmt: skip


@dataclass
class Sector:
    """A sector on its way, and what must come of it."""

    slot: int
    decrypt: bool
    tweak: int
    beats: list[int]
    wanted: bytes
    ticket: int = 0
    entered: int = 0
    blocks: dict[int, int] = field(default_factory=dict)


class Host:
    """Drives an engine and watches what it gives.

    Attributes
    ----------
    gaps : float
        Probability that a beat, or a request to enter, waits for a cycle.
    entries : list of int
        Cycles in which sectors entered.
    done : int
        Sectors that are done.
    """

    def __init__(self, ctx: Any, engine: ModeEngine, reset: Signal, design: Compiled, rng: random.Random):
        self.ctx, self.engine, self.reset_signal, self.design, self.rng = ctx, engine, reset, design, rng
        self.p = bus_parameters(design)
        self.gaps = 0.0
        self.cycle = self.size = self.done = 0
        self.models: dict[int, Model] = {}
        self.keys: dict[int, bytes] = {}
        self.words: dict[int, int] = {}
        self.setting_up = False
        self.forget()

    def forget(self) -> None:
        """What a reset takes away: sectors, and what is known of beats and tickets."""
        self.waiting: deque[Sector] = deque()
        self.inside: deque[Sector] = deque()
        self.entries: list[int] = []
        self.asking = False
        self.beat = self.ticket = self.written_at = 0

    # A cycle

    async def step(self) -> None:
        """A cycle: inputs, outputs, clock."""
        e, p = self.engine, self.p
        if not self.asking and self._may_ask():
            self.asking, self.beat = True, 0
        asks = self.waiting[0] if self.asking else None
        tweak = asks.tweak if asks else self._any(e.tweak)
        if asks is None and self.inside and self.inside[-1].entered == self.cycle - 1:
            tweak = self.inside[-1].tweak
        self.ctx.set(e.tweak, tweak)
        self.set(
            e.enter, request=asks is not None, decrypt=asks.decrypt if asks else self._any(e.enter.decrypt),
            slot=asks.slot if asks else self.rng.randrange(p.key_slots),
            ticket=self.ticket if asks else self._any(e.enter.ticket),
        )  # fmt: skip
        self.set(e.fill, ahead=asks is not None)
        self._fill()
        self._watch()
        if self.ctx.get(e.enter.ack):
            assert asks, "an acknowledgement answers a request"
            sector = self.waiting.popleft()
            sector.ticket, sector.entered = self.ticket, self.cycle
            self.inside.append(sector)
            self.entries.append(self.cycle)
            self.ticket = (self.ticket + 1) % p.buffers.ring_sectors
            self.asking = False
        await self.ctx.tick()
        self.cycle += 1

    def set(self, group: Any, **members: int) -> None:
        """Sets members of a group of the engine's ports."""
        for name, value in members.items():
            self.ctx.set(getattr(group, name), int(value))

    def _any(self, port: Signal) -> int:
        return self.rng.getrandbits(len(port))

    def _may_ask(self) -> bool:
        """Whether the first sector is complete, the buses would ask, and have a place for it."""
        if not self.waiting or self.beat < len(self.waiting[0].beats) or self.cycle <= self.written_at:
            return False
        soon = self.entries and self.cycle < self.entries[-1] + ENTRY_CYCLES
        return not soon and len(self.inside) < self.p.buffers.ring_sectors and self.rng.random() >= self.gaps

    def _fill(self) -> None:
        """Perhaps a beat of the first sector that waits, or of the one behind it while the first one asks."""
        e, ahead = self.engine, int(self.asking)
        self.set(e.fill, we=0, beat=0, data=self._any(e.fill.data))
        beats = self.waiting[ahead].beats if len(self.waiting) > ahead else []
        if self.beat < (min(len(beats), FILL_AHEAD) if ahead else len(beats)):
            if self.rng.random() >= self.gaps:
                self.set(e.fill, we=1, beat=self.beat, data=beats[self.beat])
                self.beat += 1
                self.written_at = self.cycle
            elif self.rng.random() < 0.5:
                # A packet that is refused leaves anything in beats that are written again.
                self.set(e.fill, we=1, beat=self.beat)

    def _watch(self) -> None:
        """Blocks, ends of sectors, words of set-up, idleness."""
        get, e, p = self.ctx.get, self.engine, self.p
        at = f"cycle {self.cycle}"
        assert not (self.inside and get(e.size.idle)), f"{at}: idle with {len(self.inside)} sectors inside"
        assert self.setting_up or not get(e.preparation.setup.done), f"{at}: the end of a set-up that nobody asked for"
        size = p.sizes[self.size]
        for lane in range(p.data.lanes):
            if get(e.out.we) >> lane & 1:
                index, ticket = get(e.out.index[lane]), get(e.out.ticket[lane])
                sector = next((s for s in self.inside if s.ticket == ticket), None)
                assert sector is not None, f"{at}: a block of no sector"
                assert index < size.blocks and index % p.data.lanes == lane and index not in sector.blocks, f"{at}: block {index}"
                sector.blocks[index] = get(e.out.data[lane])
        if get(e.done.valid):
            assert self.inside, f"{at}: an end without a sector"
            sector = self.inside.popleft()
            assert get(e.done.ticket) == sector.ticket, f"{at}: sectors end in the order of their entry"
            assert self.cycle - sector.entered == FIRST_CYCLE + self.design.sizes[self.size].schedule.latency, f"{at}: the latency"
            assert sorted(sector.blocks) == list(range(size.blocks)), f"{at}: blocks are missing"
            found = b"".join(block.to_bytes(p.data.block_bytes, "little") for _, block in sorted(sector.blocks.items()))
            assert found[: len(sector.wanted)] == sector.wanted, f"{at}: wrong data of sector {self.done}"
            self.done += 1
        made = e.preparation.made
        if get(made.we):
            assert self.setting_up, f"{at}: a key word outside of a set-up"
            self.words[get(made.index)] = get(made.data)

    async def steps(self, count: int) -> None:
        for _ in range(count):
            await self.step()

    async def until(self, condition: Callable[[], Any], limit: int = 3000) -> None:
        for _ in range(limit):
            if condition():
                return
            await self.step()
        raise AssertionError(f"nothing after {limit} cycles")

    # Keys

    async def write_word(self, slot: int, index: int, value: int) -> None:
        """Writes a word of the key memory."""
        word = self.engine.preparation.word
        self.set(word, we=1, slot=slot, index=index, data=value)
        await self.step()
        self.set(word, we=0, slot=self.rng.randrange(self.p.key_slots), data=self._any(word.data))

    async def write_round_keys(self, slot: int, number: int, key: bytes) -> None:
        """Writes the round keys of a cipher key of a slot."""
        round_key = self.engine.preparation.round_key
        for place, (data, data_dec) in enumerate(round_keys(key)):
            self.set(round_key, we=1, slot=slot, key=number, round=place, data=data, data_dec=data_dec)
            await self.step()
        self.set(round_key, we=0, data=self._any(round_key.data))

    async def set_up(self, slot: int, *, scrub: bool = False) -> None:
        """Asks for a set-up, or for an overwriting in its place, and waits for its end; ``words`` are those that it wrote."""
        self.words.clear()
        setup = self.engine.preparation.setup
        self.set(setup, request=1, slot=slot, scrub=scrub)
        self.setting_up, entered = True, len(self.entries)
        await self.until(lambda: self.ctx.get(setup.done))
        assert not self.inside, "it waits until no sector is in flight"
        await self.step()
        # Those that had been let in when it was asked for, and none while it ran.
        assert len(self.entries) - entered <= 1
        self.set(setup, request=0, scrub=0)
        self.setting_up = False

    def model(self, key: bytes) -> Model:
        """The definition under a whole key."""
        return Model(type(self.design.mode), key)

    async def load_key(self, slot: int, key: bytes) -> None:
        """Loads a key as the key port does: words and round keys, then set-up; for each cipher key that it makes once more."""
        mode, p, model = self.design.mode, self.p, self.model(key)
        parts = mode.split_key(key, (model.cipher_key_bytes,))
        for word, name in enumerate(name for name in mode.key_parts if name not in mode.cipher_keys):
            await self.write_word(slot, word, int.from_bytes(parts[name], "little"))
        for number, name in enumerate(mode.cipher_keys):
            await self.write_round_keys(slot, number, parts[name])
        await self.steps(2)
        for number, words in enumerate(p.keys.derived_keys, p.keys.cipher_keys):
            await self.set_up(slot)
            made = b"".join(self.words[word].to_bytes(p.data.block_bytes, "little") for word in words)
            await self.write_round_keys(slot, number, made[: model.cipher_key_bytes])
            await self.steps(2)
        if not p.keys.derived_keys:
            await self.set_up(slot)
        self.models[slot], self.keys[slot] = model, key

    async def load_keys(self) -> None:
        """Random keys in all slots, in any order."""
        for slot in self.rng.sample(range(self.p.key_slots), self.p.key_slots):
            await self.load_key(slot, self.rng.randbytes(self.p.keys.packet_bytes))

    # Sectors

    def send(self, count: int = 1, *, slots: Sequence[int] = ()) -> None:
        """Queues random sectors of the size that is set, for some slots (default: all with a key)."""
        p, rng = self.p, self.rng
        for _ in range(count):
            slot, way = rng.choice(slots or sorted(self.models)), rng.choice(self.design.core_program.directions)
            tweak, data = rng.randbytes(self.design.source.tweak_bytes), rng.randbytes(p.sizes[self.size].nbytes)
            beats = [int.from_bytes(data[at : at + p.beat_bytes], "little") for at in range(0, len(data), p.beat_bytes)]
            wanted = getattr(self.models[slot], way)(tweak, data)
            self.waiting.append(Sector(slot, way == "decrypt", int.from_bytes(tweak, "little"), beats, wanted))

    async def finish(self) -> None:
        """Runs until all sectors are done and the engine is idle."""
        await self.until(lambda: not self.waiting and not self.inside)
        # The stages turn to the end of a table, and the rows take effect.
        await self.until(lambda: self.ctx.get(self.engine.size.idle), max(table.rows for table in self.design.core_program.mains) + 40)

    async def change_size(self, size: int) -> None:
        """Sectors to come have another size, once the engine is idle."""
        assert not self.waiting
        await self.until(lambda: self.ctx.get(self.engine.size.idle))
        self.size, self.beat = size, 0
        for restart in (0, 1):
            self.set(self.engine.size, number=size, restart=restart)
            await self.step()
        self.set(self.engine.size, restart=0)

    async def reset(self, cycles: int = 1) -> None:
        """A reset, in which nothing is asked for."""
        self.forget()
        preparation = self.engine.preparation
        self.set(preparation.setup, request=0)
        self.set(preparation.word, we=0)
        self.set(preparation.round_key, we=0)
        self.ctx.set(self.reset_signal, 1)
        await self.steps(cycles)
        self.ctx.set(self.reset_signal, 0)


def simulate(design: Compiled, script: Callable[[Host], Awaitable[None]], seed: int = 1) -> None:
    """Runs a script against a new engine."""
    multipliers: list[Multiplier] = []
    engine, reset = engine_of(design, multipliers), Signal()
    m = Module()
    m.submodules.engine = ResetInserter(reset)(engine)

    async def testbench(ctx: Any) -> None:
        await script(Host(ctx, engine, reset, design, random.Random(seed)))

    # The multipliers are there when the engine is elaborated.
    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    for multiplier in multipliers:
        simulator.add_process(multiplier.run)
    simulator.add_testbench(testbench)
    simulator.run()
