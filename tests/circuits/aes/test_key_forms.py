# SPDX-License-Identifier: Apache-2.0
"""Key schedules of all forms: FIPS 197 appendix A, random keys against a plain model, declared cycles, what is left after erasing."""

import random

import pytest
from amaranth.back import rtlil
from tests.built import slowly
from tests.rtl.aes.bench import INV_MIX, expand_key, from_bytes, multiply, multiply_columns, to_bytes
from tests.rtl.aes.kept import held, leaves_nothing, simulation
from tests.rtl.aes.keys.fips_197 import FIPS_197_A

from modeloom.rtl.aes.iterative_schedule import ALL, SIZE_CODES, IterativeKeySchedule, constant, phase
from modeloom_circuits.aes.agile_pipeline import UnrolledKeySchedule
from modeloom_circuits.aes.rounds import KeyRing, KeyStore, ShiftedKeySchedule

SIZES = (128, 192, 256)


def inverse_keys(key):
    first, *inner, last = expand_key(key)
    return [first, *(multiply_columns(INV_MIX, k) for k in inner), last]


def give(unit, key, **others):
    unit.set("key", from_bytes(key))
    if "key_size" in unit.ports:
        unit.set("key_size", SIZE_CODES[len(key) * 8])
    for name, value in others.items():
        unit.set(name, value)


def writes(unit, key, cycles):
    """A start in this cycle, and what is written in the *cycles* after it: (cycle, round, data, data_dec)."""
    give(unit, key, start=1)
    unit.step()
    unit.set("start", 0)
    seen = []
    for cycle in range(1, cycles + 1):
        if unit.get("we"):
            seen.append((cycle, unit.get("round"), to_bytes(unit.get("data")), to_bytes(unit.get("data_dec"))))
        if cycle < cycles:
            unit.step()
    return seen


@pytest.mark.parametrize("key_bits", [ALL, *slowly(*SIZES)])
def test_iterative(key_bits):
    component = IterativeKeySchedule(key_bits)
    unit = simulation(component)
    rng = random.Random(1)
    sizes = SIZES if key_bits == ALL else (key_bits,)
    keys = [bytes.fromhex(FIPS_197_A[bits][0]) for bits in sizes]
    keys += [rng.randbytes(bits // 8) for bits in (*sizes, *reversed(sizes))]
    for key in keys:
        rounds = len(key) // 4 + 6
        # The next key comes in the cycle of ``done``, and none before it is taken.
        expected = [(r + 1, r, a, b) for r, (a, b) in enumerate(zip(expand_key(key), inverse_keys(key), strict=True))]
        assert writes(unit, key, rounds + 1) == expected
        assert unit.get("done")
    assert expand_key(keys[0])[-1].hex() == FIPS_197_A[sizes[0]][2]


def test_iterative_ignores_starts_and_erases():
    component = IterativeKeySchedule(ALL)
    unit = simulation(component)
    keys = [bytes(range(n, n + 32)) for n in (1, 2)]
    give(unit, keys[0], start=1)
    unit.step()
    give(unit, keys[1])  # start stays high: ignored until the cycle of done
    for data in expand_key(keys[0]):
        assert to_bytes(unit.get("data")) == data
        unit.step()
    assert unit.get("round") == 0 and to_bytes(unit.get("data")) == keys[1][:16]
    unit.step(3)
    unit.set("start", 1)
    unit.set("erase", 1)  # goes first
    unit.step()
    unit.set("start", 0)
    unit.set("erase", 0)
    for r in range(component.erase_latency):
        assert (unit.get("we"), unit.get("round"), unit.get("data"), unit.get("data_dec")) == (1, r, 0, 0)
        assert unit.get("done") == (r == component.rounds)
        unit.step()
    assert not unit.get("busy")
    assert writes(unit, bytes(16), 11)[-1][2] == expand_key(bytes(16))[-1]


@pytest.mark.parametrize(("key_bits", "stages"), [(128, 1), *slowly((ALL, 2), (192, 4), (256, 3), (ALL, 1), (192, 1), (256, 1))])
def test_unrolled(key_bits, stages):
    component = UnrolledKeySchedule(key_bits, stages)
    unit = simulation(component)
    rng = random.Random(2)
    expected = {}
    for cycle in range(2 * component.rounds * stages):
        key = rng.randbytes(rng.choice(component.sizes) // 8)
        give(unit, key)
        expected |= {(cycle + component.latency + r * stages, r): k for r, k in enumerate(expand_key(key))}
        for r in range(component.rounds + 1):
            if (cycle, r) in expected:
                assert to_bytes(unit.get(f"key_{r}")) == expected[cycle, r]
        unit.step()


@pytest.mark.parametrize(
    ("key_bits", "streams"), [(128, 4), *slowly((192, 1), (192, 2), (256, 3), (128, 1), (128, 2), (192, 4), (256, 1), (256, 17))]
)
def test_shifted_streams_have_their_own_keys_and_starts(key_bits, streams):
    component = ShiftedKeySchedule(key_bits, streams)
    unit = simulation(component)
    rng = random.Random(3)
    expected = {}
    # The next start of each stream: as early as it may, or some turns later.
    turn = [stream + streams * rng.randrange(3) for stream in range(streams)]
    checked = 0
    for cycle in range(3 * component.interval + 4 * streams):
        stream = cycle % streams
        key = rng.randbytes(key_bits // 8)
        give(unit, key, start=cycle == turn[stream])
        if cycle == turn[stream]:
            turn[stream] += component.interval + streams * rng.choice((0, 0, 5))
            expected |= {cycle + streams * r: k for r, k in enumerate(expand_key(key)) if r}
        if cycle in expected:
            assert to_bytes(unit.get("data")) == expected[cycle]
            checked += 1
        unit.step()
    assert checked >= 2 * component.rounds * streams


@pytest.mark.parametrize(
    ("key_bits", "inverse"), [(192, True), *slowly((128, False), (128, True), (192, False), (256, False), (256, True))]
)
def test_ring(key_bits, inverse):
    component = KeyRing(key_bits, inverse=inverse)
    unit = simulation(component)
    rng = random.Random(4)
    for _ in range(2):
        key = rng.randbytes(key_bits // 8)
        give(unit, key, start=1)
        unit.step()
        give(unit, bytes(key_bits // 8))  # start stays high, and is ignored
        for _ in range(component.latency - 2):
            assert unit.get("busy")
            unit.step()
        unit.set("start", 0)
        unit.set("advance", 1)  # ignored, too
        unit.step()
        assert not unit.get("busy")
        first, *others = inverse_keys(key)[::-1] if inverse else expand_key(key)
        # Two streams: two cycles for each round; and twice around, with a pause.
        for n, data in enumerate(2 * others):
            for advance in (0, 1):
                unit.set("advance", advance)
                assert to_bytes(unit.get("data")) == data and to_bytes(unit.get("first")) == first
                unit.step()
            if n == 5:
                unit.set("advance", 0)
                unit.step(7)
        unit.set("advance", 0)


@pytest.mark.parametrize(("key_bits", "slots", "inverse"), [(128, 3, False), *slowly((256, 1, True), (192, 4, True))])
def test_store(key_bits, slots, inverse):
    component = KeyStore(key_bits, slots, inverse=inverse)
    unit = simulation(component)
    rng = random.Random(5)
    keys = [rng.randbytes(key_bits // 8) for _ in range(slots)]

    def read(slot):
        seen = []
        for r in range(component.rounds + 1):
            unit.set("read_slot", slot)
            unit.set("read_round", r)
            unit.step()
            seen.append(to_bytes(unit.get("data")))
        return seen

    def request(**values):
        for name, value in values.items():
            unit.set(name, value)
        unit.step()
        for name in values:
            unit.set(name, 0)
        while unit.get("busy"):
            unit.step()

    for slot, key in enumerate(keys):
        request(start=1, slot=slot, key=from_bytes(key))
    expand = inverse_keys if inverse else expand_key
    for slot in rng.sample(range(slots), slots):
        assert read(slot) == expand(keys[slot])
    request(erase=1, start=1, slot=slots - 1, key=1)
    assert read(slots - 1) == [bytes(16)] * (component.rounds + 1)
    if slots > 1:
        assert read(0) == expand(keys[0])


# Component, cycles between the key and the erasure, cycles from the erasure to nothing.
KEEPERS = [
    (lambda: IterativeKeySchedule(ALL), 9, 1),
    (lambda: ShiftedKeySchedule(128, 4), 30, 5),
    (lambda: UnrolledKeySchedule(128), 5, 1),
    (lambda: KeyRing(192, inverse=True), 60, 13),
    *slowly((lambda: KeyRing(128), 30, 11)),
    (lambda: KeyStore(128, 3), 60, 13),
]


def keyed(unit, component, slot):
    """``use`` of :func:`leaves_nothing`: key n, then some cycles."""

    def use(n, cycles):
        bits = 256 if component.key_bits == ALL else component.key_bits
        give(unit, bytes([n + 1] * (bits // 8)), **slot, **({"start": 1} if "start" in unit.ports else {}))
        unit.step()
        unit.set("key", 0)
        if "start" in unit.ports:
            unit.set("start", 0)
        unit.step(cycles)

    return use


@pytest.mark.parametrize(("make", "used", "cycles"), KEEPERS, ids=lambda value: str(value) if isinstance(value, int) else "")
def test_nothing_is_left_of_an_erased_key(make, used, cycles):
    component = make()
    unit = simulation(component)
    # An iterative schedule forgets at once, and writes zeros for some cycles more.
    assert cycles == (1 if isinstance(component, IterativeKeySchedule) else component.erase_latency)
    use = keyed(unit, component, {"slot": 2} if "slot" in unit.ports else {})

    def erase():
        unit.set("erase", 1)
        # The shifted form has its streams erased one after the other.
        unit.step(component.streams if isinstance(component, ShiftedKeySchedule) else 1)
        unit.set("erase", 0)

    assert leaves_nothing(unit, lambda n: use(n, used), erase, cycles)


def test_an_iterative_schedule_keeps_nothing_when_it_is_done():
    component = IterativeKeySchedule(ALL)
    unit = simulation(component)
    use = keyed(unit, component, {})
    states = []
    for n in range(2):
        unit.reset()
        use(n, component.interval - 1)
        assert unit.get("done") and unit.get("data")
        unit.step()
        states.append(held(unit))
    assert states[0] == states[1]


def test_the_pattern_of_fig_2_8():
    # gcm2008, Fig. 2.8: which steps have S-boxes, and where; the round constants in their order.
    assert [constant(128, step) for step in range(10)] == [1, 2, 4, 8, 16, 32, 64, 128, 0x1B, 0x36]
    # Section 2.2.5: rcon(i) is x^(254 + i), i from 1.
    power = 1
    for exponent in range(1, 265):
        power = multiply(power, 2)
        if exponent >= 255:
            assert power == constant(128, exponent - 255)
    assert [constant(192, step) for step in range(12)] == [1, 2, 0, 4, 8, 0, 16, 32, 0, 64, 128, 0]
    assert [constant(256, step) for step in range(14)] == [1, 0, 2, 0, 4, 0, 8, 0, 16, 0, 32, 0, 64, 0]
    assert [phase(192, step).middle for step in range(6)] == [False, True, False] * 2
    assert [phase(256, step).plain for step in range(4)] == [False, True] * 2


def test_shift_registers_have_no_reset():
    """With one, FPGAs could not keep them in LUTs."""
    text = rtlil.convert(ShiftedKeySchedule(192, 4), name="shifted")
    assert text.count("\\clk") > 1 and text.count("\\rst") == 1, "the port alone"


@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
def test_declared_cycles():
    assert [IterativeKeySchedule(bits).interval for bits in (*SIZES, ALL)] == [11, 13, 15, 15]
    assert [KeyRing(bits, inverse=True).latency for bits in SIZES] == [92, 134, 184]
    assert [ShiftedKeySchedule(bits, 4).interval for bits in SIZES] == [40, 48, 56]


@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: IterativeKeySchedule("128"), TypeError, "key_bits must be an integer"),
        (lambda: IterativeKeySchedule(100), ValueError, "key_bits must be 128, 192 or 256, not 100"),
        (lambda: IterativeKeySchedule(128, inverse=1), TypeError, "inverse must be True or False"),
        (lambda: UnrolledKeySchedule(128, 5), ValueError, "registers_per_round must be from 1 to 4, not 5"),
        (lambda: ShiftedKeySchedule(ALL), TypeError, "key_bits must be an integer"),
        (lambda: ShiftedKeySchedule(128, 0), ValueError, "streams must be from 1 to 32, not 0"),
        (lambda: KeyRing(128, inverse=None), TypeError, "inverse must be True or False"),
        (lambda: KeyStore(128, 0), ValueError, "slots must be at least 1, not 0"),
    ],
)
def test_parameters_are_checked(make, error, message):
    with pytest.raises(error, match=message):
        make()
