# SPDX-License-Identifier: Apache-2.0
"""The machine on numbers computes what the golden models compute, in the cycles of the schedule."""

import random
from functools import cache

import numpy as np
import pytest
from tests.kinds import kind
from tests.program_runs import numeric_machine
from tests.prove.numeric import Numbers, NumericField, NumericMachine

import modeloom_golden as golden
from modeloom.ciphers import AES
from modeloom.compiler.compile import compile_mode
from modeloom.modes.cmc import CMC
from modeloom.modes.eme import EME
from modeloom.modes.eme2 import EME2
from modeloom.modes.hch import HCH, HCHfp
from modeloom.modes.hctr import HCTR
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.heh import HEH, HEHPermuted
from modeloom.modes.tet import TET
from modeloom.modes.xcb import XCB
from modeloom.modes.xcb_1619 import XCB1619
from modeloom.modes.xts import XTS
from modeloom.options.sectors import Options
from modeloom.prove.execute import direction_pattern, entries_with_gaps
from modeloom.spec import GHASH_ORDER, POLYVAL_ORDER, XTS_ORDER, Field

FIELDS = [
    GHASH_ORDER,
    POLYVAL_ORDER,
    XTS_ORDER,
    Field("wide", 256, (1 << 256) | 0x425),
    Field("half", 64, (1 << 64) | 0x1B),
]


@pytest.mark.parametrize("field", FIELDS, ids=lambda f: f.name)
def test_field_operations(field):
    rng = random.Random(field.name)
    batch = NumericField(field)
    size = field.width // 8
    a, b = ([rng.randbytes(size) for _ in range(9)] + [bytes(size), b"\xff" * size] for _ in range(2))

    def numbers(blocks):
        return [int.from_bytes(block, "little") for block in blocks]

    def back(values):
        data = batch.to_bytes(values)
        return numbers(data[i : i + size] for i in range(0, len(data), size))

    va, vb = batch.from_bytes(b"".join(a)), batch.from_bytes(b"".join(b))
    assert back(va) == numbers(a)
    assert back(va ^ vb) == [x ^ y for x, y in zip(numbers(a), numbers(b), strict=True)]
    assert back(batch.mul(va, vb)) == [field.mul(x, y) for x, y in zip(numbers(a), numbers(b), strict=True)]
    assert back(batch.mul(va, vb[:1])) == [field.mul(x, numbers(b)[0]) for x in numbers(a)]
    for k in (0, 1, 3, 4, 5, 64, 200, -1, -70):
        assert back(batch.scale(va, k)) == [field.scale(x, k) for x in numbers(a)]
    for n in (0, 1, size - 1, size):
        assert back(batch.head(va, n)) == [x & (1 << 8 * (n or size)) - 1 for x in numbers(a)]


def test_a_field_of_no_whole_words():
    with pytest.raises(ValueError, match="words of 64 bits"):
        NumericField(Field("odd", 72, (1 << 72) | 0x5))


@cache
def made(mode, **options):
    return compile_mode(mode(), Options(**{"tweak": 16, "restarts": 0, **options}), prove=False)


CASES = [
    (HCTR2, {}),
    (HEH, {}),
    (HEHPermuted, {"cipher_cores": 2}),
    (HCTR2, {"sector": 40, "tweak": 32}),
    (HCTR2, {"sector": 520, "direction": "decrypt"}),
    (HEH, {"sector": 64, "overlap": False, "key_bits": 256}),
    (HCTR2, {"sector": 16, "registered": False, "key_bits": 192}),
    (HCTR, {"sector": 75}),
    (XCB, {"sector": 80}),
    (XCB1619, {"sector": 75, "key_bits": 256}),
    (XCB1619, {"sector": 53, "tweak": 32, "key_bits": 192}),
    (TET, {"sector": 64}),
    (TET, {"sector": 48, "key_bits": 256, "cipher_cores": 2}),
    (XTS, {"sector": 64}),
    (XTS, {"sector": 150, "key_bits": 256}),
    (EME, {"sector": 128}),
    (EME2, {"sector": 103, "tweak": 32}),
    (CMC, {"sector": 80, "key_bits": 192}),
    (HCH, {"sector": 64}),
    (HCHfp, {"sector": 64, "cipher_cores": 2}),
]


@pytest.mark.parametrize(("mode", "options"), CASES, ids=str)
@pytest.mark.parametrize("early", [True, False])
def test_sectors_are_the_golden_models(mode, options, early):
    compiled = made(mode, **options)
    program = compiled.allocation.program
    rng = random.Random(f"{mode.name} {options} {early}")
    key = rng.randbytes(mode.key_bytes(compiled.options.key_bits // 8))
    reference = golden.mode(mode.name, key)
    runs, count = 2, 2 * program.main.stages + 2
    directions = direction_pattern(program.directions, 2, count)[:count]
    entries = (
        [n * program.ii for n in range(count)] if early else entries_with_gaps(count, program.ii, program.main.stages)
    )
    tweaks = [[rng.randbytes(program.tweak_bytes) for _ in range(count)] for _ in range(runs)]
    data = [[rng.randbytes(program.nbytes) for _ in range(count)] for _ in range(runs)]
    made_machine = numeric_machine(compiled, key, runs=runs)
    result = made_machine.run(directions, entries, tweaks, data, early=early, turn=5)
    for run in range(runs):
        for n, direction in enumerate(directions):
            assert result.sectors[run][n] == getattr(reference, direction)(tweaks[run][n], data[run][n])
    assert result.cycles == entries[-1] + compiled.schedule.latency + 1


def test_words_of_the_host():
    with pytest.raises(ValueError, match="loads 1 key words, not 0"):
        NumericMachine(made(HEH).allocation.program, GHASH_ORDER, [], [], out_delay=1, key_delay=3)


def test_cipher_keys_that_set_up_makes_need_a_cipher():
    program = made(XCB, sector=48).allocation.program
    with pytest.raises(ValueError, match="set-up makes cipher keys, and nothing takes them"):
        NumericMachine(program, GHASH_ORDER, [AES.software(bytes(16))], [], out_delay=1, key_delay=3)


def test_a_key_word_that_must_not_be_zero():
    cube_root = GHASH_ORDER.power(GHASH_ORDER.scale(GHASH_ORDER.one, 1), (2**128 - 1) // 3).to_bytes(16, "little")
    for sector, refused in ((32, True), (48, False), (64, False), (80, True)):
        key = bytes(range(32)) + cube_root
        if refused:
            with pytest.raises(ValueError, match="tet: a key word that must not be 0 is"):
                numeric_machine(made(TET, sector=sector), key)
        else:
            numeric_machine(made(TET, sector=sector), key)


def test_added_numbers_wrap():
    values = Numbers(NumericField(GHASH_ORDER), [], 2)
    blocks = bytes(12) + b"\xff\xff\xff\xff" + bytes(range(16))
    added = values.field.to_bytes(values.operate(kind("add"), [values.field.from_bytes(blocks)], 3))
    assert added == bytes(12) + b"\0\0\0\2" + bytes(range(12)) + b"\x0c\x0d\x0e\x12"


def test_what_is_undefined_is_never_the_same():
    values = numeric_machine(made(HCTR2), bytes(16)).values
    assert not np.array_equal(values.undefined("this"), values.undefined("that"))
