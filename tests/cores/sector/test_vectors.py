# SPDX-License-Identifier: Apache-2.0
"""What a bench sends and expects: the keys that each phase works with, and each wrong thing that a host may do."""

from __future__ import annotations

import re
from itertools import groupby, pairwise

import pytest
from tests.emit.emitted import PARTIAL, SIZES, core
from tests.rtl.bus.codes import Case, status_code

from modeloom.cores.sector import bus_parameters
from modeloom.cores.sector.bench import BenchSector, BenchVectors, bench_vectors, bench_verilog
from modeloom.cores.sector.describe import interval_pins, latency_pins
from modeloom.definition.software import Model
from modeloom.interfaces.sector import StatusCode
from modeloom.rtl.bus.sector import BusParameters
from modeloom.spec import InputError

SMALLEST = ("heh-brw", {"sector": 32, "direction": "encrypt", "cipher_arch": "sequential"})
CHOICES = {"sizes": SIZES, "partial": PARTIAL, "smallest": SMALLEST}

FIRST, SECOND, THIRD, NONE = 0, 1, 2, None

KEYS = {
    "empty": (NONE, NONE), "burst": (FIRST, FIRST), "alone": (FIRST, FIRST), "wrong": (FIRST, FIRST), "stalls": (FIRST, FIRST),
    "statuses": (FIRST, FIRST), "renewed": (SECOND, SECOND), "reload": (SECOND, SECOND), "reloaded": (THIRD, SECOND),
    "refused": (NONE, SECOND), "erasure": (FIRST, SECOND), "erased": (NONE, SECOND), "zeroize": (FIRST, FIRST),
    "zeroized": (NONE, NONE), "started": (FIRST, FIRST), "reset": (FIRST, FIRST), "unkeyed": (NONE, NONE),
    "restarted": (FIRST, FIRST),
}  # fmt: skip
"""For each phase the key of the first slot and that of the others: the first, second or third that the bench has for the slot."""


def phases(vectors: BenchVectors) -> list[tuple[str, list[BenchSector]]]:
    """Each phase with its commands."""
    bounds = [0, *vectors.phases.values()]
    return [(name, list(vectors.sectors[low:high])) for name, (low, high) in zip(vectors.phases, pairwise(bounds), strict=True)]


def data(beats: tuple[tuple[bytes, int], ...]) -> bytes:
    """The bytes that tkeep counts."""
    return bytes(byte for beat, keep in beats for n, byte in enumerate(beat) if keep >> n & 1)


def case_of(sector: BenchSector, p: BusParameters, key: bool) -> Case:
    """What docs/interfaces.md asks of a command and its packet."""
    size, decrypt = sector.command[35], sector.command[36] & 1
    return Case(
        tuple(keep for _, keep in sector.beats), p.beat_bytes, p.sizes[size if size < len(p.sizes) else 0].nbytes,
        key=key and sector.command[34] < p.key_slots, direction=p.sectors.decrypt if decrypt else p.sectors.encrypt,
        size=size < len(p.sizes),
    )  # fmt: skip


@pytest.mark.parametrize("name", CHOICES)
def test_results_and_codes_of_each_phase(name: str) -> None:
    """Results are those of the key that the slot has in the phase; a command gets the code that the document has for it."""
    compiled = core(CHOICES[name])
    vectors, p = bench_vectors(compiled), bus_parameters(compiled)
    assert list(vectors.phases) == list(KEYS)
    slots = sorted({key.slot for key in vectors.keys})
    assert slots == sorted({0, p.key_slots - 1})
    found = {slot: [Model(compiled.mode, key.key) for key in vectors.keys if key.slot == slot] for slot in slots}
    assert [len(found[slot]) for slot in slots] == [3, 2][: len(slots)]
    for phase, sectors in phases(vectors):
        for sector in sectors:
            slot, decrypt = sector.command[34], sector.command[36] & 1
            number = KEYS[phase][slot != slots[0]]
            assert sector.code == status_code(case_of(sector, p, number is not None)), phase
            assert bool(sector.wanted) == (sector.code == StatusCode.OK), phase
            assert sector.changes == (phase in ("reload", "erasure") and slot == slots[0]), phase
            assert bool(sector.renewed) == (phase == "reload" and sector.changes), phase
            for beats, key in ((sector.wanted, number), (sector.renewed, THIRD)):
                if beats:
                    model = found[slot][key or 0]
                    way = model.decrypt if decrypt else model.encrypt
                    assert data(beats) == way(sector.command[: compiled.source.tweak_bytes], data(sector.beats)), phase


def test_sectors_before_and_behind_a_change_of_the_key() -> None:
    """While a key changes, there are sectors of its slot, and of the others between them."""
    for choice in (SIZES, SMALLEST):
        vectors = bench_vectors(core(choice))
        for phase, sectors in phases(vectors):
            if phase in ("reload", "erasure"):
                slots = [sector.command[34] for sector in sectors]
                assert slots.count(0) >= 4 and len(set(slots)) == len({key.slot for key in vectors.keys})


@pytest.mark.parametrize("name", CHOICES)
def test_a_key_that_the_mode_refuses(name: str) -> None:
    compiled = core(CHOICES[name])
    refused = bench_vectors(compiled).refused
    if name != "sizes":
        assert refused is None
        return
    assert refused.slot == 0 and len(refused.key) == 32
    with pytest.raises(InputError):
        Model(compiled.mode, refused.key).set_up(compiled.source.blocks)


@pytest.mark.parametrize("name", CHOICES)
def test_each_wrong_thing_is_there(name: str) -> None:
    """Every way in which a packet can be wrong, a good sector behind it sooner or later, and each number that is out of range."""
    compiled = core(CHOICES[name])
    p = bus_parameters(compiled)
    sectors = dict(phases(bench_vectors(compiled)))["wrong"]
    found = set()
    for sector in sectors:
        case = case_of(sector, p, True)
        *before, last = case.keeps
        over = case.nbytes - case.sector_bytes
        beats = len(case.keeps) + -case.sector_bytes // p.beat_bytes
        found |= {
            ("bytes", sector.code, over), ("beats", sector.code, beats), ("code", sector.code),
            *(("keep before", keep) for keep in before if keep + 1 != 1 << p.beat_bytes and not beats),
            *(("last", last.bit_count(), beats) for _ in before if case.bad_keep),
            ("slot", sector.command[34]), ("size", sector.command[35]),
        }  # fmt: skip
    tail = p.sizes[0].nbytes % p.beat_bytes or p.beat_bytes
    full = 1 << p.beat_bytes
    # One byte too few and too many, a beat alone, two beats too many.
    short, long = int(StatusCode.TOO_SHORT), int(StatusCode.TOO_LONG)
    assert {("bytes", short, -1), ("bytes", long, 1), ("beats", short, 1 - p.sizes[0].beats), ("beats", long, 2)} <= found
    # A gap at the end of a beat before the last; one at the begin of the last beat, of a sector and of a longer packet; no byte.
    assert ("keep before", full // 2 - 1) in found
    assert {("last", tail - 1, 0), ("last", tail - 1, 1), ("last", 0, 0)} <= found
    assert {("slot", slot) for slot in (p.key_slots, 254, 255)} <= found and {("size", len(p.sizes)), ("size", 255)} <= found
    codes = {int(code) for code in StatusCode} - ({int(StatusCode.NO_DIRECTION)} if p.sectors.encrypt and p.sectors.decrypt else set())
    assert {entry[1] for entry in found if entry[0] == "code"} == codes
    assert not any(sector.changes for sector in sectors) and sum(sector.code == StatusCode.OK for sector in sectors) >= 3


def test_each_size_before_and_behind_each_other() -> None:
    compiled = core(SIZES)
    p = bus_parameters(compiled)
    sectors = dict(phases(bench_vectors(compiled)))["wrong"]
    good = [sector.command[35] for sector in sectors if sector.code == StatusCode.OK]
    assert set(pairwise(good)) >= {(a, b) for a in range(3) for b in range(3) if a != b}
    over = [(sector.command[35], case_of(sector, p, True)) for sector in sectors]
    assert {size for size, case in over if case.nbytes == case.sector_bytes + 1} == {0, 1, 2}


def test_runs_of_one_two_and_three_sectors_in_a_direction() -> None:
    for choice in (SIZES, PARTIAL):
        flags = [sector.command[36] for sector in bench_vectors(core(choice)).sectors]
        runs = [len(list(run)) for _, run in groupby(flags)]
        assert flags[0] == 0 and runs[:-1] == ([1, 1, 2, 2, 3, 3] * len(runs))[: len(runs) - 1]
    assert not any(sector.command[36] for sector in bench_vectors(core(SMALLEST)).sectors if sector.code != StatusCode.NO_DIRECTION)


@pytest.mark.parametrize("name", CHOICES)
def test_the_text_of_the_bench_has_the_vectors(name: str) -> None:
    """Every assignment, read back: keys, commands, beats with tkeep and tlast, and where each command's beats stand."""
    compiled = core(CHOICES[name])
    vectors, p = bench_vectors(compiled), bus_parameters(compiled)
    text = bench_verilog(compiled, "top")
    full = (1 << p.beat_bytes) - 1
    values: dict[str, list[int]] = {}
    for array, at, value in re.findall(r"(\w+)\[(\d+)\] = (\{BEAT_BYTES\{1'b1\}\}|[\w']+);", text[text.index("task vectors;") :]):
        there = values.setdefault(array, [])
        assert int(at) == len(there), f"{array}[{at}] has its place"
        there.append(full if value.startswith("{") else int(value.partition("'h")[2], 16) if "'" in value else int(value))
    keys = [*vectors.keys, *([vectors.refused] if vectors.refused else [])]
    assert values["key_slot"] == [key.slot for key in keys]
    size = len(values["key"]) // len(keys)
    words = [b"".join(word.to_bytes(16, "little") for word in values["key"][size * n : size * n + size]) for n in range(len(keys))]
    assert [word[: len(key.key)] for word, key in zip(words, keys, strict=True)] == [key.key for key in keys]
    assert not any(any(word[p.keys.packet_bytes :]) for word in words)
    assert values["command"] == [int.from_bytes(sector.command, "little") for sector in vectors.sectors]
    sent = [beat for sector in vectors.sectors for beat in sector.beats]
    assert values["sent"] == [int.from_bytes(beat, "little") for beat, _ in sent]
    assert values["sent_keep"] == [keep for _, keep in sent]
    assert values["sent_last"] == [int(beat is sector.beats[-1]) for sector in vectors.sectors for beat in sector.beats]
    wanted = [beat for sector in vectors.sectors for beat in (*sector.wanted, *sector.renewed)]
    assert values["wanted"] == [int.from_bytes(beat, "little") for beat, _ in wanted]
    assert values["wanted_keep"] == [keep for _, keep in wanted]
    assert values["code"] == [sector.code for sector in vectors.sectors]
    assert values["changes"] == [sector.changes for sector in vectors.sectors]
    places = zip(vectors.sectors, values["ends"], values["want_from"], values["want_to"], values["renew_to"], strict=True)
    ends = at = 0
    for sector, end, low, middle, high in places:
        assert (end - ends, low, middle - low, high - middle) == (len(sector.beats), at, len(sector.wanted), len(sector.renewed))
        ends, at = end, high
    numbers = {key: int(value) for key, value in re.findall(r"localparam (\w+) += (\d+);", text)}
    assert numbers["COMMANDS"] == len(vectors.sectors) and numbers["SENT"] == len(sent) and numbers["WANTED"] == len(wanted)
    assert {key: numbers[f"PHASE_{key.upper()}"] for key in vectors.phases} == vectors.phases
    # Distances are judged in the second half of the burst.
    burst = vectors.phases["burst"] - vectors.phases["empty"]
    assert 0 <= burst - 2 * numbers["FIRST_STEADY"] <= 1
    assert numbers["SENT_BEFORE"] == values["ends"][vectors.phases["burst"] - 1]


@pytest.mark.parametrize("choice", [SIZES, ("xts", {"sector": 512, "cipher_arch": "sequential"})], ids=["short", "long"])
def test_the_bench_does_not_give_up_early(choice: tuple) -> None:
    """Each command may have the time of a sector that is alone."""
    compiled = core(choice)
    (limit,) = re.findall(r"localparam LIMIT += (\d+);", bench_verilog(compiled, "top"))
    commands = len(bench_vectors(compiled).sectors)
    assert int(limit) > commands * max(interval_pins(one) + latency_pins(one) for one in compiled.sizes)
