# SPDX-License-Identifier: Apache-2.0
"""Each number of the contract is that of the hardware: measured in simulation, of small engines and of buses.

The rest is measured elsewhere: ``ERASE_DELAY`` in ``tests/rtl/engine/test_storage.py``; ``ERASE_OVERHEAD`` and ``OVERWRITE_CYCLES`` in
``tests/core/test_key_erasure.py``; ``SETTLE_CYCLES`` in ``tests/core/test_zeroize.py``; the formulas of the pins, of whole cores in a
Verilog simulator, in ``tests/cores/sector/test_bench.py``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.rtl.bus import bench as buses
from tests.rtl.engine import bench as engines

from modeloom import cycles
from modeloom.compiler import compile as choices
from modeloom.rtl.bus.sector import core as bus_core
from modeloom.rtl.engine import engine as engine_module
from modeloom.rtl.engine import storage as banks
from modeloom.rtl.engine import storage as key_memory


class Recorder:
    """Remembers the parts that an elaboration makes of a class."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, module: Any, name: str):
        self.made: list[Any] = []
        kind, made = getattr(module, name), self.made

        class Recorded(kind):  # type: ignore[misc]
            def __init__(self, *arguments: Any, **named: Any):
                super().__init__(*arguments, **named)
                made.append(self)

        monkeypatch.setattr(module, name, Recorded)


def bank_of(design: Any, recorder: Recorder, writer: str) -> Any:
    """The memory of the bank that something writes: banks are made in the program's order."""
    return recorder.made[[bank.writer for bank in design.core_program.banks.values()].index(writer)]


def test_inputs_and_tweaks_reach_their_banks(monkeypatch: pytest.MonkeyPatch) -> None:
    """FILL_DELAY from the bus to the write, TWEAK_WRITE from cycle 0 of the sector, LEAD cycles after the entry."""
    recorder = Recorder(monkeypatch, banks, "BlockMemory")
    design = engines.compiled("hctr2", sector=48)

    async def script(host: engines.Host) -> None:
        inputs, tweaks = bank_of(design, recorder, "lane0"), bank_of(design, recorder, "tweak")
        await host.load_keys()
        host.send(1)
        seen: dict[str, list[int]] = {"beat": [], "block": [], "tweak": []}
        for _ in range(200):
            # What the host sets is there from the end of its step on: the outputs of a cycle are those before it.
            before = host.written_at
            await host.step()
            if host.written_at != before:
                seen["beat"].append(host.written_at)
            for name, memory in (("block", inputs), ("tweak", tweaks)):
                if host.ctx.get(memory.we):
                    seen[name].append(host.cycle)
        # The bank of input blocks has a cell for each beat.
        assert [at - cycles.FILL_DELAY for at in seen["block"]] == seen["beat"]
        assert seen["tweak"] == [host.entries[0] + cycles.LEAD + cycles.TWEAK_WRITE]
        assert design.core_program.tweak_blocks == 1

    engines.simulate(design, script)


@pytest.mark.parametrize("mode", ["hctr2", "eme2"])
def test_cycle_0_and_the_end_of_a_program(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Operands of the first operation are read LEAD cycles and what the schedule says after the entry; ``done`` comes likewise."""
    recorder = Recorder(monkeypatch, engine_module, "EngineUnit")
    design = engines.compiled(mode, sector=48, cipher_arch="sequential")
    schedule = design.schedule
    first = min(schedule.start[pair.id] for pair in schedule.problem.graph.pairs if pair.kind in ("enc", "dec", "cipher"))

    async def script(host: engines.Host) -> None:
        ciphers = [unit for unit in recorder.made if unit.keyed]
        await host.load_keys()
        host.send(1)
        begins, ends = [], []
        await host.until(lambda: bool(host.entries))
        for _ in range(schedule.latency + 20):
            if any(host.ctx.get(unit.start) for unit in ciphers):
                begins.append(host.cycle)
            if host.ctx.get(host.engine.done.valid):
                ends.append(host.cycle)
            await host.step()
        assert begins[0] == host.entries[0] + cycles.LEAD + first
        assert ends == [host.entries[0] + cycles.LEAD + schedule.latency]

    engines.simulate(design, script)


def test_rows_have_taken_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    """DRAIN cycles after the pointer came to the last row of a set-up, its last key word is written; a cycle of them is spare."""
    memories, sequencers = Recorder(monkeypatch, key_memory, "BlockMemory"), Recorder(monkeypatch, engine_module, "Sequencer")
    design = engines.compiled("hctr2", sector=48)

    async def script(host: engines.Host) -> None:
        for word, value in enumerate((1, 2, 3)[: design.core_program.raw_words]):
            await host.write_word(0, word, value)
        await host.write_round_keys(0, 0, bytes(range(16)))
        await host.steps(4)
        row = sequencers.made[0].row
        last = sum(sequencers.made[0].rows) + sum(sequencers.made[0].setup_rows) - 1
        written, pointed = [], []
        setup = host.engine.preparation.setup
        host.set(setup, request=1, slot=0, scrub=0)
        host.setting_up = True
        for _ in range(design.setup_schedule.latency + 60):
            if host.ctx.get(row) == last and not pointed:
                pointed.append(host.cycle)
            # The memory of keys is made after those of the banks.
            if host.ctx.get(memories.made[-1].we):
                written.append(host.cycle)
            if host.ctx.get(setup.done):
                break
            await host.step()
        # The write is done at the end of its cycle, so that the memory has the word in the next one.
        assert written[-1] + 1 == pointed[0] + cycles.DRAIN - 1

    engines.simulate(design, script)


@pytest.mark.parametrize("less", [0, 1, 2])
def test_key_words_are_there(less: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A set-up that reads its words KEY_DELAY cycles after they leave is right. A cycle of them is spare, and two cycles are too few."""
    unit_set = choices.unit_set

    def hasty(*arguments: Any) -> Any:
        units, architecture = unit_set(*arguments)
        return replace(units, key_delay=cycles.KEY_DELAY - less), architecture

    monkeypatch.setattr(choices, "unit_set", hasty)
    design = engines.compiled.__wrapped__("hctr2", sector=48)

    async def script(host: engines.Host) -> None:
        await host.load_keys()
        host.send(2)
        await host.finish()

    if less > 1:
        with pytest.raises(AssertionError, match="wrong data"):
            engines.simulate(design, script)
    else:
        engines.simulate(design, script)


@pytest.mark.parametrize("blocks", [1, 2, 7])
def test_way_of_a_sector_over_the_buses(blocks: int) -> None:
    """From the last beat, and from the command, to the entry; from ``done`` to the first beat."""

    async def script(host: buses.Host) -> None:
        get, bus = host.ctx.get, host.core.bus
        await host.load_key(0, host.generator.randbytes(host.p.keys.packet_bytes))
        for command_late in (0, 20):
            host.enters.clear()
            host.send_sector()
            command = host.cmds.pop()
            if not command_late:
                host.cmds.append(command)
            beats = len(host.beats)
            taken: dict[str, int] = {}
            for _ in range(200):
                if get(bus.m.valid):
                    break
                if host.cycle and command_late and len(taken) == 1 and host.cycle == taken["s"] + command_late:
                    host.cmds.append(command)
                waiting = len(host.beats), len(host.cmds)
                await host.step()
                if waiting[0] and not host.beats:
                    taken["s"] = host.cycle - 1
                if waiting[1] and not host.cmds:
                    taken["cmd"] = host.cycle - 1
            entry = host.enters[0]
            if command_late:
                assert entry == taken["cmd"] + cycles.COMMAND_TO_ENTRY
            else:
                # The command was taken with the first beat.
                assert entry == max(taken["s"] + cycles.LAST_BEAT_TO_ENTRY, taken["cmd"] + cycles.COMMAND_TO_ENTRY)
                assert taken["cmd"] == taken["s"] - beats + 1
            assert host.cycle == entry + 31 + cycles.DONE_TO_FIRST_BEAT
            await host.finish()

    buses.simulate(script, blocks=blocks, latency=31)


def _distances(latency: int, blocks: int, interval: int, ring_sectors: int | None) -> set[int]:
    """Cycles between the entries of sectors that follow each other, from the one on that may meet the end of the result buffer."""
    found: set[int] = set()

    async def script(host: buses.Host) -> None:
        await host.load_key(0, host.generator.randbytes(host.p.keys.packet_bytes))
        for _ in range(3 * host.p.buffers.ring_sectors + 6):
            host.send_sector(slot=0)
        host.enters.clear()
        await host.until(lambda: not host.beats and not host.cmds and len(host.enters) == 3 * host.p.buffers.ring_sectors + 6)
        found.update(after - before for before, after in zip(host.enters, host.enters[1:]))
        await host.finish()

    buses.simulate(script, blocks=blocks, latency=latency, interval=interval, ring_sectors=ring_sectors)
    return found


def test_fewest_cycles_between_entries() -> None:
    """The buses, in front of an engine that would take a sector in every cycle."""
    assert _distances(20, 1, 1, 16) == {cycles.ENTRY_CYCLES}


@pytest.mark.parametrize("blocks, places", [(5, 4), (1, 5), (8, 3)])
def test_smallest_result_buffer(blocks: int, places: int) -> None:
    """A latency that just fits so many places, and a cycle more, with which sectors wait for one."""
    interval = max(blocks, cycles.ENTRY_CYCLES)
    latency = places * interval - blocks - cycles.RING_OVERHEAD
    assert cycles.ring_depth(latency, interval, blocks) == places < cycles.ring_depth(latency + 1, interval, blocks)
    assert _distances(latency, blocks, interval, places) == {interval}
    assert _distances(latency + 1, blocks, interval, places) != {interval}


def test_sectors_of_a_slot_show_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """However a sector and a key packet meet: after FENCE_CYCLES no sector is admitted any more under the old key."""
    ports, flights = Recorder(monkeypatch, bus_core, "KeyPort"), Recorder(monkeypatch, bus_core, "SlotsInFlight")
    waits: list[int] = []

    def script_for(distance: int) -> Any:
        async def script(host: buses.Host) -> None:
            get = host.ctx.get
            await host.load_key(0, host.generator.randbytes(host.p.keys.packet_bytes))
            host.send_command(tweak=bytes(16), slot=0)
            await host.steps(8)
            host.send_data(host.generator.randbytes(host.p.sector_bytes))
            await host.steps(distance)
            host.send_key(0, host.generator.randbytes(host.p.keys.packet_bytes))
            emptied = shown = None
            for _ in range(40):
                if emptied is None and not get(ports.made[-1].state.loaded) & 1:
                    emptied = host.cycle
                if shown is None and get(flights.made[-1].in_use.busy):
                    shown = host.cycle
                await host.step()
            assert emptied is not None
            if shown is not None and shown >= emptied:
                waits.append(shown - emptied)

        return script

    for distance in range(12):
        buses.simulate(script_for(distance), blocks=2, latency=40)
    # ``loaded`` falls a cycle after the slot is marked empty; the port looks in the last of the cycles.
    assert max(waits) + 1 == cycles.FENCE_CYCLES - 1
