# SPDX-License-Identifier: Apache-2.0
"""The buffer that holds text until its tag was right, alone: packets, verdicts that come early or late, hosts that read or do not."""

import inspect
from dataclasses import dataclass
from random import Random

import pytest
from amaranth.sim import Simulator

from modeloom.rtl.stream import hold
from modeloom.rtl.stream.hold import HoldBuffer

BITS = 16


@dataclass(frozen=True)
class Packet:
    """Beats; ``right`` is None for a packet that is not held, and ``cut`` adds a beat that is not stored."""

    beats: list[int]
    right: bool | None = None
    cut: bool = False


@dataclass(frozen=True)
class Pace:
    """Chances of a beat, of a verdict once its packet has ended, of one before, and of a host that reads."""

    offer: float = 1.0
    late: float = 1.0
    early: float = 0.0
    ready: float = 1.0


def drive(buffer, packets, pace, seed=1):
    """Runs packets through a buffer; the beats that leave with their cycles, and the cycles of verdicts and drops."""
    rng = Random(seed)
    beats, ends = [], []
    for packet in packets:
        held = packet.right is not None
        made = [(value, 1) for value in packet.beats] + [(0, 0)] * packet.cut
        beats += [(value, int(at == len(made) - 1), int(held), stored) for at, (value, stored) in enumerate(made)]
        if held:
            ends.append(len(beats))
    verdicts = [packet.right for packet in packets if packet.right is not None]
    got, told, drops = [], [], []

    async def testbench(ctx):
        sent, waiting, offered, quiet = 0, 0, False, 0
        for cycle in range(60 + 30 * len(beats)):
            quiet = 0 if ctx.get(buffer.o.valid) or sent < len(beats) or len(told) < len(verdicts) else quiet + 1
            if quiet == 20:
                break
            offered = offered or rng.random() < pace.offer
            valid = sent < len(beats) and offered
            value, last, held, stored = beats[sent] if valid else (0, 0, 0, 0)
            ctx.set(buffer.i.valid, valid)
            ctx.set(buffer.i.payload.beat, value)
            for name, bit in (("last", last), ("held", held), ("stored", stored)):
                ctx.set(getattr(buffer.i.payload, name), bit)
            if waiting == 0 and len(told) < len(verdicts):
                waiting = int(rng.random() < (pace.late if sent >= ends[len(told)] else pace.early))
            ctx.set(buffer.verdict.valid, waiting)
            ctx.set(buffer.verdict.payload, int(waiting and verdicts[len(told)]))
            ctx.set(buffer.o.ready, rng.random() < pace.ready)
            if ctx.get(buffer.dropped):
                drops.append(cycle)
            if ctx.get(buffer.o.valid):
                undecided = _number(packets, len(told) + bool(waiting))
                assert ctx.get(buffer.o.payload) >> 8 < undecided, "it leaves before its verdict"
                if ctx.get(buffer.o.ready):
                    got.append((ctx.get(buffer.o.payload), cycle))
            if waiting and ctx.get(buffer.verdict.ready):
                told.append(cycle)
                waiting = 0
            if valid and ctx.get(buffer.i.ready):
                sent, offered = sent + 1, False
            await ctx.tick()
        assert sent == len(beats) and len(told) == len(verdicts), "it has come to a standstill"

    simulator = Simulator(buffer)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()
    return got, told, drops


def _number(packets, verdict):
    """The number of the packet that a verdict is about."""
    return [*(n for n, packet in enumerate(packets) if packet.right is not None), len(packets)][verdict]


def some(rng, depth, count):
    """Packets of all kinds; a beat has the number of its packet in its upper half."""
    made = []
    for number in range(count):
        held = rng.random() < 0.6
        most = depth if held else 2 * depth + 3
        length = min(most, rng.choice([1, 2, most, rng.randint(1, most)]))
        right = rng.random() < 0.5 if held else None
        cut = bool(held and not right and rng.random() < 0.5)
        made.append(Packet([number << 8 | at & 0xFF for at in range(length)], right, cut))
    return made


def expected(packets):
    return [beat for packet in packets if packet.right is not False for beat in packet.beats]


def check(buffer, packets, pace, seed=1):
    got, told, drops = drive(buffer, packets, pace, seed)
    assert [value for value, _ in got] == expected(packets)
    assert len(drops) == sum(packet.right is False for packet in packets)
    return got, told


PACES = {
    "no pause": Pace(),
    "verdicts come early": Pace(early=0.5),
    "verdicts come late": Pace(late=0.1),
    "gaps": Pace(offer=0.4, late=0.3, early=0.1),
    "the host reads seldom": Pace(late=0.5, early=0.2, ready=0.3),
}


@pytest.mark.parametrize("depth", [1, 4, 7])
@pytest.mark.parametrize("pace", PACES)
def test_only_packets_that_are_let_go_leave(depth, pace):
    check(HoldBuffer(BITS, depth, 3), some(Random(f"{depth} {pace}"), depth, 40), PACES[pace])


@pytest.mark.parametrize("depth", [4, 5])
def test_a_dropped_packet_gives_its_places_back(depth):
    """As long as the buffer, wrong and right in turn, and one that is cut when all places are taken."""
    packets = [Packet([number << 8 | at for at in range(depth)], number % 3 == 2, cut=number % 3 == 1) for number in range(9)]
    check(HoldBuffer(BITS, depth, 3), packets, Pace(late=0.3))


@pytest.mark.parametrize("length", [1, 3, 8])
def test_no_cycle_is_lost(length):
    """Packets back to back, as many beats as the buffer at most, and verdicts that need no time of their own."""
    packets = [Packet([number << 8 | at for at in range(length)], True) for number in range(20)]
    got, _ = check(HoldBuffer(BITS, 8, 3), packets, Pace(early=1.0))
    assert got[-1][1] - got[0][1] == 20 * length - 1


def test_packets_that_are_not_held_pass_at_a_beat_a_cycle():
    got, _ = check(HoldBuffer(BITS, 4, 3), [Packet([number << 8] * 5) for number in range(20)], Pace())
    assert [after - before for (_, before), (_, after) in zip(got, got[1:], strict=False)] == [1] * 99


MUTANTS = {
    "a wrong verdict is forgotten": ("wrong.eq(held & self.verdict.valid & ~self.verdict.payload)", "wrong.eq(0)"),
    "a verdict is about the packet behind": ("self.verdict.ready.eq(held & done)", "self.verdict.ready.eq(1)"),
    "written is visible": ("hidden.eq(held & ~right)", "hidden.eq(0)"),
    "the first beat is visible": ("hidden.eq(held & ~right)", "hidden.eq(held_reg & ~right)"),
    "places do not come back": ("used.eq(Mux(wrong, shown, used_reg + store - pop))", "used.eq(used_reg + store - pop)"),
    "put does not go back": ("put.eq(Mux(wrong, begin_reg, self._next(put_reg, store)))", "put.eq(self._next(put_reg, store))"),
    "the next packet does not wait": ("~ended_reg & (~full_reg", "(~full_reg"),
    "the end needs a place": ("(~full_reg | (beat.held & ~beat.stored))", "~full_reg"),
    "full is not seen": ("full_reg.eq(used == self.depth)", "full_reg.eq(0)"),
}  # fmt: skip


@pytest.mark.parametrize("what", MUTANTS)
def test_what_is_broken_on_purpose_is_seen(what):
    """The tests above are run on copies of the buffer, each with one mistake."""
    before, after = MUTANTS[what]
    source = inspect.getsource(hold)
    assert source.count(before) == 1
    names = {"__name__": "mutant"}
    exec(compile(source.replace(before, after), "mutant", "exec"), names)
    mutant = names["HoldBuffer"]
    for depth, pace in ((4, "verdicts come late"), (4, "verdicts come early"), (1, "gaps"), (4, "the host reads seldom")):
        packets = some(Random(f"{depth} {pace}"), depth, 40)
        try:
            check(mutant(BITS, depth, 3), packets, PACES[pace])
        except AssertionError:
            return
    raise AssertionError("nothing has seen it")


def test_a_buffer_has_places():
    with pytest.raises(ValueError, match="at least 1"):
        HoldBuffer(BITS, 0, 3)
