# SPDX-License-Identifier: Apache-2.0
"""Provokes every status code, alone and together with others, and every refusal of the key port."""

from __future__ import annotations

from modeloom.interfaces.sector import NAMED_SLOTS, StatusCode
from modeloom.verification.host import BUSES
from modeloom.verification.sector.host import FAULTS, Host
from modeloom.verification.sector.subject import Subject, sample_slots

__all__ = ["ROUNDS", "check_reloads", "check_statuses", "possible_codes"]


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
            kind = rng.random()
            if kind < 0.25:
                host.erase(slot)
                erasures += 1
            elif kind < 0.32:
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
