# SPDX-License-Identifier: Apache-2.0
"""Provokes every status code, alone and together with others, and every refusal of the key port."""

from __future__ import annotations

from modeloom.interfaces.sector import NAMED_SLOTS, StatusCode
from modeloom.verification.sector.host import Host
from modeloom.verification.sector.packet import FAULTS
from modeloom.verification.sector.subject import Subject, sample_slots

__all__ = ["check_statuses", "possible_codes"]


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
    refusals = _commands_without_keys(host)
    for gaps in ({}, {"s_axis_cmd": 0.98}, {"s_axis": 0.9}, {"m_axis_status": 0.98}):
        host.set_gaps({})
        _load_all(host)
        host.set_gaps(gaps)
        _faulty_packets(host)
        _faulty_commands(host)
    host.set_gaps({})
    refusals += _refused_keys(host)
    possible = possible_codes(subject)
    if host.codes != possible:
        host.fail(f"never gave {', '.join(sorted(code.name for code in possible - host.codes))}")
    never = "" if possible == set(StatusCode) else "; NO_DIRECTION cannot occur in a core for both directions"
    text = f"{', '.join(code.name for code in sorted(possible))} are returned when they must be{never}; {refusals} key packets refused"
    return text, {"sectors": host.sectors, "codes": [code.name for code in sorted(possible)], "refused_key_packets": refusals}


def _load_all(host: Host) -> None:
    for slot in range(host.slots):
        host.load(host.subject.good_key(host.rng), slot)
    host.settle()


def _good(host: Host, count: int = 1) -> None:
    """Runs correct sectors, which would reveal a wrong state after a refusal."""
    for _ in range(count):
        sizes, ways = len(host.subject.sizes), host.subject.ways
        host.job(slot=host.rng.randrange(host.slots), decrypt=host.rng.choice(ways), size=host.rng.randrange(sizes))


def _commands_without_keys(host: Host) -> int:
    """Sends sectors before any key, and then to all slots while only one slot is loaded, for each slot or for some of many."""
    for slot in range(host.slots):
        host.job(slot=slot, decrypt=host.subject.ways[0])
    host.settle()
    for slot in sample_slots(host.slots):
        host.load(host.subject.good_key(host.rng), slot)
        host.settle()
        for other in range(host.slots):
            host.job(slot=other, decrypt=host.rng.choice(host.subject.ways))
        host.settle()
        host.erase(slot)
    host.settle()
    return 0


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
    host.load(subject.good_key(rng), slot)
    host.settle()


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
        host.load(subject.good_key(rng), slot)
        host.settle()
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
        host.load(subject.good_key(rng), slot)
        host.settle()
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
    host.load(subject.good_key(rng), 0)
    host.settle()
    host.key_packets_alone()
    return count
