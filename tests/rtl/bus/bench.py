# SPDX-License-Identifier: Apache-2.0
"""A host for a core of CoreBus and mock engine: queues for its input buses, records of its outputs, protocol checks."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from amaranth.hdl import Elaboratable, Module, ResetInserter, Signal
from amaranth.lib import wiring
from amaranth.sim import Simulator
from tests.rtl.bus.codes import Case, status_code
from tests.rtl.bus.mock_engine import VIOLATIONS, MockEngine, MockSchedule, expected_sector, setup_words
from tests.rtl.bus.parameters import bus_sizes

from modeloom.cycles import ring_depth
from modeloom.interfaces.sector import StatusCode, pack_command, unpack_status
from modeloom.interfaces.table import LISTED_SLOTS
from modeloom.rtl.bus.sector import BusParameters, CoreBus

Beat = tuple[int, int, int]


class Core(Elaboratable):
    """CoreBus on a mock engine, with a reset of their own."""

    def __init__(self, p: BusParameters, *, latency: int, interval: int, schedule: wiring.Component, empty: bool = True):
        self.bus = CoreBus(p, schedule)
        self.engine = MockEngine(p, latency=latency, interval=interval, rounds=len(schedule.round_keys(0)), empty=empty)
        self.reset = Signal()

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.bus = ResetInserter(self.reset)(self.bus)
        m.submodules.engine = ResetInserter(self.reset)(self.engine)
        wiring.connect(m, self.bus.engine, self.engine)
        return m


@dataclass
class Sent:
    """A command with what the host expects of it; ``data`` is None for a refused one."""

    tag: int
    code: StatusCode
    data: bytes | None


@dataclass
class Traffic:
    """Probabilities that an input offers its next beat and that an output is ready, each cycle."""

    cmd: float = 1.0
    s: float = 1.0
    key: float = 1.0
    m: float = 1.0
    status: float = 1.0

    @classmethod
    def draw(cls, generator: random.Random) -> Traffic:
        return cls(*(generator.choice((0.1, 0.5, 0.9, 1.0)) for _ in range(5)))


@dataclass
class Host:
    """Drives a core cycle by cycle; ``step`` is one cycle."""

    ctx: object
    core: Core
    p: BusParameters
    generator: random.Random
    traffic: Traffic
    cmds: deque = field(default_factory=deque)
    beats: deque = field(default_factory=deque)
    key_beats: deque = field(default_factory=deque)
    sent: deque = field(default_factory=deque)
    statuses: list = field(default_factory=list)
    packets: list = field(default_factory=list)
    packet_ends: list = field(default_factory=list)
    packet: bytes = b""
    cycle: int = 0
    keys: dict = field(default_factory=dict)
    enters: list = field(default_factory=list)
    reset_next: bool = False

    def __post_init__(self) -> None:
        bus = self.core.bus
        self.inputs = [
            (bus.cmd, self.cmds, "cmd"),
            (bus.s, self.beats, "s"),
            (bus.key, self.key_beats, "key"),
        ]
        self.held = {"cmd": False, "s": False, "key": False}
        self.before = {"m": None, "status": None}
        self.tag = 0

    async def step(self) -> None:
        ctx, bus = self.ctx, self.core.bus
        get = ctx.get
        for channel, queue, name in self.inputs:
            if not self.held[name] and queue and self.generator.random() < getattr(self.traffic, name):
                ctx.set(channel.payload.as_value(), queue[0])
                ctx.set(channel.valid, 1)
                self.held[name] = True
        for channel, name in ((bus.m, "m"), (bus.status, "status")):
            ctx.set(channel.ready, self.generator.random() < getattr(self.traffic, name))
        taken = []
        for channel, queue, name in self.inputs:
            if self.held[name] and get(channel.ready):
                queue.popleft()
                taken.append((channel, name))
        for channel, name, sink in ((bus.m, "m", self._take_beat), (bus.status, "status", self._take_status)):
            valid, payload = get(channel.valid), get(channel.payload.as_value())
            before = self.before[name]
            if before is not None:
                assert valid and payload == before, f"{name} changed before it was taken"
            if not valid:
                assert payload == 0, f"{name} shows {payload:#x} while not valid"
            self.before[name] = payload if valid and not get(channel.ready) else None
            if valid and get(channel.ready):
                sink(payload)
        if get(self.core.engine.enter.ack):
            self.enters.append(self.cycle)
        violation = get(self.core.engine.violation)
        assert not violation, [text for bit, text in enumerate(VIOLATIONS) if violation >> bit & 1]
        await ctx.tick()
        self.cycle += 1
        for channel, name in taken:
            ctx.set(channel.valid, 0)
            self.held[name] = False

    def _take_beat(self, payload: int) -> None:
        p = self.p
        data = payload & (1 << p.data.beat_bits) - 1
        keep = payload >> p.data.beat_bits & (1 << p.beat_bytes) - 1
        last = payload >> p.data.beat_bits + p.beat_bytes
        raw = data.to_bytes(p.beat_bytes, "little")
        count = keep.bit_length()
        assert keep == (1 << count) - 1 and not any(raw[count:])
        assert last or count == p.beat_bytes
        self.packet += raw[:count]
        if last:
            self.packets.append(self.packet)
            self.packet_ends.append(self.cycle)
            self.packet = b""

    def _take_status(self, payload: int) -> None:
        tag, code = unpack_status(payload.to_bytes(4, "little"))
        self.statuses.append((tag, code))
        good = sum(c == StatusCode.OK for _, c in self.statuses)
        assert len(self.packets) >= good, "a status came before its data"

    async def steps(self, count: int) -> None:
        for _ in range(count):
            await self.step()

    async def until(self, condition: Callable[[], bool], limit: int = 20000) -> None:
        for _ in range(limit):
            if condition():
                return
            await self.step()
        raise AssertionError(f"nothing after {limit} cycles")

    async def reset(self) -> None:
        """One cycle of reset, with the inputs idle in it, as AXI4-Stream wants; the queues are emptied."""
        for channel, queue, name in self.inputs:
            queue.clear()
            self.ctx.set(channel.valid, 0)
            self.held[name] = False
        self.before = {"m": None, "status": None}
        self.ctx.set(self.core.bus.m.ready, 0)
        self.ctx.set(self.core.bus.status.ready, 0)
        self.ctx.set(self.core.reset, 1)
        await self.ctx.tick()
        self.ctx.set(self.core.reset, 0)
        self.sent.clear()
        self.statuses.clear()
        self.packets.clear()
        self.packet = b""
        self.keys.clear()

    # Keys

    def send_key(self, slot: int, key: bytes, *, erase: bool = False, keep: int | None = None) -> None:
        """Queues a key packet; ``keep`` overrides tkeep of its last beat."""
        chunks = [key[at : at + 16] for at in range(0, len(key), 16)] or [b""]
        for number, chunk in enumerate(chunks):
            last = number == len(chunks) - 1
            mask = keep if last and keep is not None else (1 << len(chunk)) - 1
            value = int.from_bytes(chunk.ljust(16, b"\0"), "little")
            self.key_beats.append(value | mask << 128 | last << 144 | slot << 145 | erase << 153)

    def key_idle(self) -> bool:
        return not self.key_beats and not self.held["key"] and not self.ctx.get(self.core.bus.key_state.busy)

    async def load_key(self, slot: int, key: bytes) -> None:
        self.send_key(slot, key)
        await self.step()
        await self.until(self.key_idle)
        # With many slots there is one flag, of the slot of the last packet.
        flag = slot if self.p.key_slots <= LISTED_SLOTS else 0
        assert self.ctx.get(self.core.bus.key_state.loaded) >> flag & 1 and not self.ctx.get(self.core.bus.key_state.error)
        self.keys[slot] = key

    async def reset_in_key_packets(self, cycles: Iterable[int]) -> None:
        """Resets so many cycles after the first beat of a packet leave no key, and the core takes the next one."""
        for count in cycles:
            self.send_key(1, self.generator.randbytes(self.p.keys.packet_bytes))
            await self.steps(count)
            await self.reset()
            await self.steps(2)
            assert self.ctx.get(self.core.bus.key_state.loaded) == 0 and self.key_idle()
        await self.load_key(1, self.generator.randbytes(self.p.keys.packet_bytes))
        self.send_sector()
        await self.finish()

    # Sectors

    def expect(self, key: bytes, tweak: bytes, decrypt: bool, data: bytes) -> bytes:
        p = self.p
        at, size = p.keys.raw_words_before * p.data.block_bytes, p.keys.cipher_key_bits // 8
        end = at + p.keys.cipher_keys * size
        raw = key[:at] + key[end:]
        words = [int.from_bytes(raw[i : i + p.data.block_bytes], "little") for i in range(0, len(raw), p.data.block_bytes)]
        expand = self.core.bus.key_schedule.round_keys
        round_keys = [expand(int.from_bytes(key[i : i + size], "little")) for i in range(at, end, size)]
        words += setup_words(p, round_keys[0][0][0])
        for derived in p.keys.derived_keys:
            made = b"".join(words[i].to_bytes(p.data.block_bytes, "little") for i in derived)[:size]
            round_keys.append(expand(int.from_bytes(made, "little")))
        return expected_sector(p, words=words, round_keys=round_keys, tweak=tweak, decrypt=decrypt, data=data)

    def send_data(self, data: bytes, keeps: dict[int, int] | None = None) -> tuple[int, ...]:
        """Queues a packet and gives the tkeep of its beats; ``keeps`` overrides that of single beats."""
        sent = []
        size = self.p.beat_bytes
        chunks = [data[at : at + size] for at in range(0, len(data), size)]
        for number, chunk in enumerate(chunks):
            keep = (keeps or {}).get(number, (1 << len(chunk)) - 1)
            sent.append(keep)
            # Bytes outside tkeep are anything, and must not matter.
            filled = chunk + self.generator.randbytes(size - len(chunk))
            last = number == len(chunks) - 1
            value = int.from_bytes(filled, "little")
            self.beats.append(value | keep << self.p.data.beat_bits | last << self.p.data.beat_bits + self.p.beat_bytes)
        return tuple(sent)

    def send_command(self, **fields) -> int:
        self.tag = (self.tag + 0x1235) & 0xFFFF
        self.cmds.append(int.from_bytes(pack_command(tag=self.tag, **fields), "little"))
        return self.tag

    def send_sector(self, fault: str = "", *, slot: int | None = None, decrypt: bool | None = None) -> None:
        """Queues command and packet of a random sector with the named fault, and what is expected of it.

        ``code`` says what, by the document; a packet of "any form" may be a good one.
        """
        p, generator = self.p, self.generator
        data = generator.randbytes(p.sector_bytes)
        tweak = generator.randbytes(32)
        size, keeps = 0, {}
        full = (1 << p.beat_bytes) - 1
        if decrypt is None:
            decrypt = bool(generator.getrandbits(1)) if p.sectors.encrypt and p.sectors.decrypt else p.sectors.decrypt
        if slot is None:
            slot = generator.choice(sorted(self.keys))
        if fault == "short":
            data = data[: generator.randrange(1, p.sector_bytes)]
        elif fault == "long":
            data += generator.randbytes(generator.randrange(1, 3 * p.beat_bytes))
        elif fault == "gap":
            keeps[generator.randrange(p.beats - 1)] = full ^ 1 << generator.randrange(p.beat_bytes)
        elif fault == "wrong end":
            keeps[p.beats - 1] = generator.choice((p.last_keep << 1 & full, 0, p.last_keep & ~1, generator.getrandbits(p.beat_bytes)))
        elif fault == "any form":
            count = generator.choice((p.beats, p.beats, p.beats + 1, generator.randrange(1, p.beats + 3)))
            data = generator.randbytes(p.beat_bytes * count)
            keeps[count - 1] = (1 << generator.choice((p.last_keep.bit_length(), generator.randrange(p.beat_bytes + 1)))) - 1
            if generator.random() < 0.3:
                keeps[generator.randrange(count)] = generator.getrandbits(p.beat_bytes)
        elif fault == "no key":
            slot = generator.choice([n for n in (*range(p.key_slots), 64, 128, 255) if n not in self.keys])
        elif fault == "size":
            size = generator.randrange(1, 256)
        elif fault == "direction":
            decrypt = not p.sectors.decrypt
        elif fault:
            raise ValueError(fault)
        tag = self.send_command(tweak=tweak, slot=slot, size=size, decrypt=decrypt)
        sent = self.send_data(data, keeps)
        built = p.sectors.decrypt if decrypt else p.sectors.encrypt
        case = Case(sent, p.beat_bytes, p.sector_bytes, key=slot in self.keys, direction=built, size=size < len(p.sizes))
        code = StatusCode(status_code(case))
        assert (code == StatusCode.OK) <= (fault in ("", "wrong end", "any form")), f"{fault} is none"
        good = code == StatusCode.OK
        self.sent.append(Sent(tag, code, self.expect(self.keys[slot], tweak, decrypt, data[: p.sector_bytes]) if good else None))

    async def finish(self, limit: int = 50000) -> None:
        """Runs until each command sent has its status, and compares everything."""
        await self.until(lambda: len(self.statuses) >= len(self.sent), limit)
        await self.steps(30)
        expected = [(sent.tag, sent.code) for sent in self.sent]
        assert self.statuses == expected, f"{self.statuses}, expected {expected}"
        assert self.packets == [sent.data for sent in self.sent if sent.data is not None], "wrong data"
        assert not self.packet and not self.beats and not self.cmds
        self.sent.clear()
        self.statuses.clear()
        self.packets.clear()
        self.packet_ends.clear()
        self.enters.clear()


def simulate(
    script: Callable[[Host], Awaitable[None]],
    *,
    latency: int | None = None,
    interval: int | None = None,
    ring_sectors: int | None = None,
    seed: int = 1,
    traffic: Traffic | None = None,
    schedule: wiring.Component | None = None,
    empty: bool = True,
    **sizes,
) -> None:
    """Runs a script against a new core; the seed is in the output of a failing test."""
    sizes = {"key_slots": 3, "raw_words_after": 1, "blocks": 7} | sizes
    words = sizes.get("raw_words_before", 0) + sizes["raw_words_after"]
    beats = -(-sizes["blocks"] // sizes.get("lanes", 1))
    interval = interval or beats
    latency = latency or 3 * interval + 5
    sizes = {"key_words": words + 1} | sizes
    p = bus_sizes(ring_sectors=ring_sectors or ring_depth(latency, interval, beats), **sizes)
    schedule = schedule or MockSchedule(p.keys.cipher_key_bits)
    core = Core(p, latency=latency, interval=interval, schedule=schedule, empty=empty)
    generator = random.Random(seed)
    traffic = traffic or Traffic()
    print(f"seed {seed}, {traffic}, {p}, latency {latency}, interval {interval}")

    async def testbench(ctx) -> None:
        await script(Host(ctx, core, p, generator, traffic))

    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()
