# SPDX-License-Identifier: Apache-2.0
"""Provokes every status code, alone and together with others, and every refusal of the key port."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

from modeloom.emit.simulators import CheckFailed
from modeloom.interfaces.sector import NAMED_SLOTS, StatusCode
from modeloom.product.simulated import SimulatedCore
from modeloom.verification.host import BUSES, key_packets
from modeloom.verification.sector.host import FAULTS, Host, Subject, sample_slots

__all__ = ["ROUNDS", "Recording", "check_pace", "check_reloads", "check_statuses", "compare_cycles", "possible_codes"]


# -- pace ------------------------------------------------------------------------------------------------------------------------------

# Measures the figures in ``core.json`` at the pins: latency of a lone sector, and interval between successive sectors.


def check_pace(subject: Subject) -> tuple[str, dict[str, object]]:
    """Measures latency and interval for each size in each direction, and with alternating directions."""
    rng = subject.rng("pace")
    host = Host(subject, rng)
    host.load_slots()
    stages = max(one.explain.latency // one.interval + 1 for one in subject.description.sizes)
    ways = [(way,) for way in subject.ways] + ([tuple(subject.ways)] if len(subject.ways) > 1 else [])
    for number, size in enumerate(subject.description.sizes):
        # The first sector of a size switches the engine to this size.
        _run(host, [subject.ways[0]], number)
        for way in subject.ways:
            # The engine finishes its rows and is idle: a sector goes through as many stages as one of any size needs.
            host.run(size.interval * stages + size.latency_pins)
            sent, taken = _run(host, [way], number)
            if (latency := taken[-1] - sent[0]) != size.latency_pins:
                host.fail(f"takes {latency} cycles for {size.sector_bytes} bytes, core.json states {size.latency_pins}")
        for pattern in ways:
            # This is longer than the result buffer, so it would reveal waiting for a place in the buffer.
            held = -(-size.explain.output_blocks // size.blocks)
            count = max(12, held + 8)
            _, taken = _run(host, [pattern[i % len(pattern)] for i in range(count)], number)
            firsts = taken[:: size.beats][count // 2 :]
            steps = {b - a for a, b in zip(firsts, firsts[1:])}
            if steps != {size.interval}:
                every = " or ".join(map(str, sorted(steps)))
                host.fail(f"gives {size.sector_bytes} bytes every {every} cycles, core.json states {size.interval}")
    pins = ", ".join(f"{size.sector_bytes} bytes every {size.interval} cycles" for size in subject.description.sizes)
    return f"latency and interval are those of core.json ({pins})", {"sectors": host.sectors}


def _run(host: Host, ways: list[bool], size: int) -> tuple[list[int], list[int]]:
    """Runs sectors.  Returns the cycles of the beats in and of the beats out."""
    host.runner.accepted("s_axis")
    for number, way in enumerate(ways):
        host.job(slot=number % host.slots, decrypt=way, size=size)
    host.settle()
    return list(host.runner.accepted("s_axis")), host.output_cycles()


# -- cycles ------------------------------------------------------------------------------------------------------------------------

# Compares edited Verilog with the emitted core: the same checks run on both, and all outputs are compared in every cycle.
#
# Functional checks see what a core computes and the figures that ``core.json`` states; a cycle more in a place that no figure covers is
# seen here only.

Check = Callable[[Subject], object]


class Recording(Subject):
    """A subject whose cores record all outputs in every cycle."""

    def core(self, *, seed: int = 0) -> SimulatedCore:
        """A new core after a reset, recorded from its first cycle."""
        core = super().core(seed=seed)
        core.simulation.watch(outputs(core))
        return core


def outputs(core: SimulatedCore) -> list[str]:
    """Names of the outputs."""
    return [name for name, port in core.simulation.ports.items() if port.kind == "output"]


def compare_cycles(edited: Recording, original: Recording, checks: Sequence[tuple[str, Check]]) -> int:
    """Runs checks on both cores and compares them.  Returns the number of cycles.

    Raises
    ------
    CheckFailed
        For the first cycle in which an output differs.
    """
    total = 0
    for name, check in checks:
        for subject in (edited, original):
            check(subject)
        for first, second in zip(edited.cores, original.cores, strict=True):
            total += _compare(edited.directory, name, first, second)
        edited.cores, original.cores = [], []
    return total


def _compare(directory: Path, name: str, first: SimulatedCore, second: SimulatedCore) -> int:
    found, wanted = first.simulation.watched(), second.simulation.watched()
    widths = [(port, first.simulation.ports[port].bytes) for port in outputs(first)]
    row = sum(width for _, width in widths)
    if found == wanted:
        return len(found) // row
    at = next((i for i, (a, b) in enumerate(zip(found, wanted)) if a != b), min(len(found), len(wanted)))
    cycle, place = divmod(at, row)
    ends = itertools.accumulate(width for _, width in widths)
    port = next(port for (port, _), end in zip(widths, ends, strict=True) if place < end)
    raise CheckFailed(f"{directory}: in the {name} check {port} differs from the definition's core in cycle {cycle}")


# -- statuses --------------------------------------------------------------------------------------------------------------------------


def possible_codes(subject: Subject) -> set[StatusCode]:
    """The codes that a core with these options can return."""
    codes = set(StatusCode)
    return codes if len(subject.ways) == 1 else codes - {StatusCode.NO_DIRECTION}


def check_statuses(subject: Subject) -> tuple[str, dict[str, object]]:
    """Makes each error that a host can make.  Each must give one status and no data, and the next sector must be correct.

    Without pauses, and with those that let commands, packets and statuses wait for each other.
    """
    rng = subject.rng("statuses")
    host = Host(subject, rng)
    _commands_without_keys(host)
    for gaps in ({}, {"s_axis_cmd": 0.98}, {"s_axis": 0.9}, {"m_axis_status": 0.98}):
        host.set_gaps({})
        host.load_slots()
        host.set_gaps(gaps)
        _faulty_packets(host)
        _faulty_commands(host)
    host.set_gaps({})
    refusals = _refused_keys(host)
    possible = possible_codes(subject)
    if host.codes != possible:
        host.fail(f"never gave {', '.join(sorted(code.name for code in possible - host.codes))}")
    never = "" if possible == set(StatusCode) else "; NO_DIRECTION cannot occur in a core for both directions"
    text = f"{', '.join(code.name for code in sorted(possible))} are returned when they must be{never}; {refusals} key packets refused"
    return text, {"sectors": host.sectors, "codes": [code.name for code in sorted(possible)], "refused_key_packets": refusals}


def _good(host: Host, count: int = 1) -> None:
    """Runs correct sectors, which would reveal a wrong state after a refusal."""
    for _ in range(count):
        sizes, ways = len(host.subject.sizes), host.subject.ways
        host.job(slot=host.rng.randrange(host.slots), decrypt=host.rng.choice(ways), size=host.rng.randrange(sizes))


def _commands_without_keys(host: Host) -> None:
    """Sends sectors before any key, and then to all slots while only one slot is loaded, for each slot or for some of many."""
    for slot in range(host.slots):
        host.job(slot=slot, decrypt=host.subject.ways[0])
    host.settle()
    for slot in sample_slots(host.slots):
        host.load_slots(slot)
        for other in range(host.slots):
            host.job(slot=other, decrypt=host.rng.choice(host.subject.ways))
        host.settle()
        host.erase(slot)
    host.settle()


def _faulty_packets(host: Host) -> None:
    """Sends each faulty packet in each size between correct sectors, alone and several in a row."""
    for size in range(len(host.subject.sizes)):
        for fault in FAULTS:
            for decrypt in host.subject.ways:
                host.job(slot=host.rng.randrange(host.slots), decrypt=decrypt, size=size, fault=fault)
                if host.rng.random() < 0.7:
                    _good(host)
        _good(host, 2)
        host.settle()


def _faulty_commands(host: Host) -> None:
    """Uses sizes, slots and directions that the core does not have, with correct and faulty packets.  The highest code must come."""
    rng, subject = host.rng, host.subject
    sizes = [len(subject.sizes), 255, *(1 << bit for bit in range(8) if 1 << bit >= len(subject.sizes))]
    slots = [slot for slot in (host.slots, 255, *(1 << bit for bit in range(8))) if host.slots <= slot < NAMED_SLOTS]
    absent = [way for way in (False, True) if way not in subject.ways]
    for fault in (None, rng.choice(FAULTS)):
        for size in sizes:
            host.job(slot=rng.choice([0, *slots[:1]]), decrypt=rng.random() < 0.5, size=size, nbytes=rng.choice(subject.sizes), fault=fault)
            _good(host)
        for slot in slots:
            host.job(slot=slot, decrypt=rng.choice(subject.ways), size=rng.randrange(len(subject.sizes)), fault=fault)
            _good(host)
        for way in absent:
            for slot in (0, *slots[:1]):
                host.job(slot=slot, decrypt=way, size=rng.randrange(len(subject.sizes)), fault=fault)
                _good(host)
        host.settle()
    # An empty slot together with other errors.
    slot = rng.randrange(host.slots)
    host.erase(slot)
    host.settle()
    for fault in (None, *FAULTS):
        host.job(slot=slot, decrypt=rng.choice(subject.ways), size=rng.randrange(len(subject.sizes)), fault=fault)
    host.settle()
    host.load_slots(slot)


def _refused_keys(host: Host) -> int:
    """Sends key packets of wrong lengths, with gaps, and for missing slots.  A correct packet and sectors follow each of them."""
    rng, subject = host.rng, host.subject
    total = subject.description.key_bytes
    beats = -(-total // 16)
    lengths = sorted({1, total - 1, total + 1, total + 16, 16 * (beats - 1), 16 * beats + 1, 16 * (beats + 3)} - {0, total})
    count = 0
    for length in lengths:
        slot = rng.randrange(host.slots)
        host.wrong_key(rng.randbytes(length), slot)
        host.settle()
        host.job(slot=slot, decrypt=subject.ways[0])
        host.load_slots(slot)
        _good(host, 2)
        host.settle()
        count += 1
    full, last = (1 << 16) - 1, (1 << total - 16 * (beats - 1)) - 1
    keeps = [(full,) * (beats - 1) + (last & ~1,), (full,) * (beats - 1) + (last >> 2,)]
    keeps += [(full,) * beat + (full & ~(1 << rng.randrange(16)),) + (full,) * (beats - 2 - beat) + (last,) for beat in range(beats - 1)]
    for keep in keeps:
        slot = rng.randrange(host.slots)
        host.wrong_key(rng.randbytes(total), slot, keep)
        host.settle()
        host.load_slots(slot)
        count += 1
    for slot in sorted({host.slots, 255, *(1 << bit for bit in range(8))}):
        if host.slots <= slot < NAMED_SLOTS:
            host.wrong_key(rng.randbytes(total), slot)
            host.settle()
            # The keys that the core has are not touched.
            for other in sample_slots(host.slots):
                host.job(slot=other, decrypt=rng.choice(subject.ways))
            host.settle()
            count += 1
    # A correct packet clears the error.
    host.load_slots(0)
    host.key_packets_alone()
    return count


# -- reloads -----------------------------------------------------------------------------------------------------------------------

# Loads, replaces and erases keys in all slots while sectors of all slots are in flight.

MOST_PLACES = 64
"""Number of places of the result buffer that are tried separately."""

ROUNDS = 60
"""Number of rounds of traffic.  A key comes in the middle of each round."""


def check_reloads(subject: Subject, rounds: int | None = None) -> tuple[str, dict[str, int]]:
    """Runs rounds in which sectors fill the core, half of them for one slot.  At a random time, a key packet for this slot comes, followed
    by more sectors.  The results of this slot must use the old key, be ``NO_KEY``, or use the new key, in this order.  Other slots must not
    be affected."""
    rng = subject.rng("reloads")
    host = Host(subject, rng)
    description = subject.description
    host.load_slots()
    loads = erasures = 0
    kinds = key_packets(rng)
    in_flight = max(2, max(-(-size.latency_pins // size.interval) for size in description.sizes))
    for number in range(ROUNDS if rounds is None else rounds):
        slot = number % host.slots
        # Most rounds run at full speed, with the largest number of sectors in flight.
        host.set_gaps({} if number % 3 else {rng.choice(BUSES): rng.choice((0.3, 0.9))})
        size = rng.randrange(len(subject.sizes))

        def traffic(count: int, size: int = size, slot: int = slot) -> None:
            for _ in range(count):
                target = slot if rng.random() < 0.5 else rng.randrange(host.slots)
                fault = rng.choice(FAULTS) if rng.random() < 0.03 else None
                host.job(slot=target, decrypt=rng.choice(subject.ways), size=size, fault=fault)

        traffic(in_flight + rng.randrange(4))
        host.run(rng.randrange(1, (in_flight + 2) * description.sizes[size].interval + description.sizes[size].latency_pins))
        for _ in range(rng.choice((1, 1, 2))):
            kind = next(kinds)
            if kind == "erase":
                host.erase(slot)
                erasures += 1
            elif kind == "wrong":
                host.wrong_key(rng.randbytes(rng.choice((5, description.key_bytes + 1))), slot)
            else:
                host.load(subject.good_key(rng), slot)
                loads += 1
        traffic(rng.randrange(2, in_flight + 4))
        host.run(rng.randrange(1, 2 * host.key_cycles // 3))
        traffic(rng.randrange(2, in_flight + 4))
        host.settle()
        if rng.random() < 0.5:
            host.load(subject.good_key(rng), slot)
            loads += 1
            traffic(2)
            host.settle()
    loads += _each_place(host)
    text = f"{loads} keys loaded and {erasures} erased while {host.sectors} sectors of all slots were in flight"
    return text, {"loads": loads, "erasures": erasures, "sectors": host.sectors}


def _each_place(host: Host) -> int:
    """Sends a key for a slot while a single sector of this slot is in flight, in each possible place of such a sector.  If there were other
    sectors of the slot, an unrecorded one would not be noticed.  Returns the number of keys."""
    rng, subject, description = host.rng, host.subject, host.description
    host.set_gaps({})
    size = max(range(len(subject.sizes)), key=lambda number: description.sizes[number].latency_pins)
    figures = description.sizes[size]
    places = max(-(-one.explain.output_blocks // one.blocks) for one in description.sizes)
    count = min(places, MOST_PLACES)
    for number in range(count + 1):
        slot = number % host.slots
        host.load_slots(slot)
        host.job(slot=slot, decrypt=rng.choice(subject.ways), size=size)
        # The key comes after the entry of the sector, and early enough that the sector would still need the overwritten key.
        host.run(figures.beats + rng.randrange(4, 4 + max(1, figures.latency_pins // 3)))
        host.load_slots(slot)
    return 2 * (count + 1)
