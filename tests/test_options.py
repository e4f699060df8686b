# SPDX-License-Identifier: Apache-2.0
"""Options, presets and the unit set that follows from them."""

import pytest

from modeloom.ciphers import AES, cipher_of
from modeloom.compiler import compile_mode
from modeloom.options import PRESETS, Options, preset, unit_set
from modeloom.schedule.units import Unit, UnitSet
from modeloom.spec import InputError, Keys, Mode, UnknownName


class Masked(Mode):
    """A mode without products: each block under a mask, inside and outside of the cipher."""

    name = "masked"
    title = source = security = "for tests"
    tweak_sizes = (16,)

    def setup(self, o, key):
        return Keys()

    def encrypt(self, o, k, t, p):
        mask = o.enc(t[0])
        return [o.enc(x ^ o.double(mask, i)) ^ o.double(mask, i + 1) for i, x in enumerate(p)]

    def decrypt(self, o, k, t, c):
        mask = o.enc(t[0])
        return [o.dec(x ^ o.double(mask, i + 1)) ^ o.double(mask, i) for i, x in enumerate(c)]


def test_a_mode_without_products_has_no_multiplier():
    compiled = compile_mode(Masked(), Options(sector=64))
    figures = compiled.explain()
    assert "mul" not in figures["units"] and "mul" not in figures["uses"]
    assert figures["ii"] == figures["ii_bound"] == 5 and figures["proved"]


def test_a_mode_without_products_runs_with_presets():
    for name in PRESETS:
        assert "mul" not in compile_mode(Masked(), preset(name).but(sector=64, restarts=0)).explain()["units"]


def test_a_mode_without_products_refuses_multipliers():
    with pytest.raises(InputError, match="^--mul 2: the mode has no products; leave --mul out$"):
        compile_mode(Masked(), Options(sector=64, mul=2))


def test_a_unit_set_that_cannot_run_the_mode():
    units = UnitSet((Unit("enc", 1, 11), Unit("mul", 0, 3)))
    for kind in ("mul", "dec"):
        with pytest.raises(InputError, match=f"has no {kind} unit, and the mode needs one"):
            units.unit(kind)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"aes": 0}, "--aes is from 1 to 64, not 0"),
        ({"aes_stages": 5}, "--aes-stages is from 1 to 4, not 5"),
        ({"mul_stages": 9}, "--mul-stages is from 1 to 8, not 9"),
        ({"mul": 65}, "--mul is from 1 to 64, not 65"),
        ({"key_slots": 0}, "--key-slots is from 1 to 64, not 0"),
        ({"key_bits": 64}, "--key-bits is 128, 192 or 256, not 64"),
        ({"aes_sbox": "ram"}, "unknown S-box 'ram'; did you mean bram?"),
        ({"lanes": 16}, "--lanes is 1, 2, 4 or 8, not 16"),
        ({"aes": 5}, "--aes 5 gives no default for --lanes, which is 1, 2, 4 or 8; add --lanes"),
    ],
)
def test_ranges(changes, message):
    with pytest.raises(InputError) as error:
        Options(**changes).on(AES)
    assert str(error.value) == message


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: preset("tes"), "unknown preset 'tes'"),
        (lambda: preset("brw2013-1cores"), "did you mean brw2013-1core or brw2013-2core"),
        (lambda: Options(direction="bothe"), "unknown direction 'bothe'; did you mean both?"),
        (lambda: cipher_of(Masked(), "aes2"), "unknown cipher 'aes2'; did you mean aes?"),
        (lambda: Options().but(sektor=4096), "unknown option 'sektor'; did you mean sector or more_sectors?"),
    ],
)
def test_unknown_names(make, message):
    with pytest.raises(UnknownName) as error:
        make()
    assert message in str(error.value)


def test_lanes_follow_the_pipelines():
    uses = {"encrypt": {"enc": 32, "mul": 63, "out": 32}}
    assert unit_set(Options(aes=4), AES, [uses], {"enc"})[0].lanes == 4
    assert unit_set(Options(aes=4, lanes=2), AES, [uses], {"enc"})[0].lanes == 2
    assert unit_set(Options(aes=3, lanes=2), AES, [uses], {"enc"})[0].lanes == 2


def test_multipliers_keep_up_with_the_pipelines():
    for direction in ("encrypt", "both"):
        uses = {d: {"enc": 32, "mul": 63, "out": 32} for d in ("encrypt", "decrypt")[: 1 + (direction == "both")]}
        assert unit_set(Options(direction=direction), AES, [uses], {"enc"})[0].unit("mul").count == 2


def test_the_scheduler_knows_the_pace_of_the_buses():
    from modeloom.rtl.bus import parameters
    from modeloom.schedule import units

    assert units.ENTRY_CYCLES == parameters.ENTRY_CYCLES
