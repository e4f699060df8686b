# SPDX-License-Identifier: Apache-2.0
"""Options, presets and the unit set that follows from them."""

from dataclasses import fields, replace

import pytest
from tests.kinds import kind, unit_kind

from modeloom.ciphers import AES, cipher_of
from modeloom.compiler.compile import compile_mode
from modeloom.compiler.units import unit_set
from modeloom.modes import find
from modeloom.options.sectors import PRESETS, Options, preset
from modeloom.schedule.problem import Unit, UnitSet
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
        if PRESETS[name].get("squares") == "fly":
            with pytest.raises(InputError, match="^--squares fly: masked reads no square of a key value; choose --squares setup$"):
                compile_mode(Masked(), preset(name).but(sector=64, restarts=0))
            continue
        assert "mul" not in compile_mode(Masked(), preset(name).but(sector=64, restarts=0)).explain()["units"]


def test_a_mode_without_products_refuses_multipliers():
    with pytest.raises(InputError, match="^--mul 2: the mode has no multiplications; omit --mul$"):
        compile_mode(Masked(), Options(sector=64, mul=2))


def test_a_unit_set_that_cannot_run_the_mode():
    units = UnitSet((Unit("enc", 1, 11), Unit("mul", 0, 3)))
    for name in ("mul", "dec"):
        with pytest.raises(InputError, match=f"has no {name} unit, but the mode needs one"):
            units.unit(unit_kind(name))


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"cipher_cores": 0}, "--cipher-cores must be from 1 to 64, not 0"),
        ({"cipher_stages": 5}, "--cipher-stages must be from 1 to 4, not 5"),
        ({"mul_stages": 9}, "--mul-stages must be from 1 to 8, not 9"),
        ({"mul": 65}, "--mul must be from 1 to 64, not 65"),
        ({"key_slots": 0}, "--key-slots must be from 1 to 256, not 0"),
        ({"key_bits": 64}, "--key-bits must be 128, 192 or 256, not 64"),
        ({"cipher_sbox": "ram"}, "unknown S-box 'ram'; did you mean bram?"),
        ({"lanes": 16}, "--lanes must be 1, 2, 4 or 8, not 16"),
        ({"cipher_cores": 5}, "--cipher-cores 5 gives no default for --lanes, which must be 1, 2, 4 or 8; add --lanes"),
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
        (lambda: Options(cipher_arch="serial"), "cipher cores 'serial'; did you mean serial8 or serial32 or sequential?"),
        (lambda: preset("tes2010"), "did you mean tes2010-full"),
        (lambda: Options(storage="brams"), "unknown storage 'brams'; did you mean bram?"),
        (lambda: Options(direction="bothe"), "unknown direction 'bothe'; did you mean both?"),
        (lambda: cipher_of(Masked(), "aes2"), "unknown cipher 'aes2'; did you mean aes?"),
        (lambda: Options().but(sektor=4096), "unknown option 'sektor'; did you mean sector or storage or more_sectors?"),
    ],
)
def test_unknown_names(make, message):
    with pytest.raises(UnknownName) as error:
        make()
    assert message in str(error.value)


# Table 3 of brw2013: cipher cores, whether squares are computed on the fly, the cycles it prints.
TABLE_3 = {
    "hmch-brw-1": (2, True, 66), "hmch-brw-2": (2, False, 66), "hmch-brw-3": (1, True, 80),
    "heh-brw-1": (2, True, 55), "heh-brw-2": (2, False, 55), "heh-brw-3": (1, True, 69),
    "hmch-poly": (1, False, 94), "heh-poly": (1, False, 83),
}  # fmt: skip


@pytest.mark.parametrize("row", TABLE_3)
def test_presets_of_brw2013(row):
    cores, fly, printed = TABLE_3[row]
    mode = row.rstrip("-123")
    compiled = compile_mode(find(mode), preset(f"brw2013-{row}").but(sector=512, restarts=200), prove=False)
    units = compiled.explain()["units"]
    assert units["cipher"] == {"count": cores, "latency": 11, "interval": 1} and units["out"]["count"] == cores
    assert units["mul"] == {"count": 1, "latency": 3, "interval": 1} and units["acc"]["count"] == 1
    assert ("sqr" in units) == fly
    # HMCH decrypts one block of a sector, HEH all of them.
    assert compiled.architecture.forms == {"enc": "pipelined", "dec": "sequential" if "hmch" in mode else "pipelined"}
    assert compiled.schedule.latency <= printed


@pytest.mark.parametrize(
    ("name", "direction", "cipher", "latency", "first"),
    [
        ("tes2010-full", "both", {"count": 1, "latency": 11, "interval": 1}, 74, 43),
        ("tes2010-encrypt-only", "encrypt", {"count": 1, "latency": 11, "interval": 1}, 74, 43),
        # The paper has 384, with a block every 11 cycles.
        ("tes2010-sequential", "both", {"count": 1, "latency": 11, "interval": 10}, 353, 52),
    ],
)
def test_presets_of_tes2010(name, direction, cipher, latency, first):
    compiled = compile_mode(find("heh-poly"), preset(name), prove=False)
    figures = compiled.explain()
    units = figures["units"]
    assert compiled.options.direction == direction and compiled.units.lanes == 1 and not compiled.options.overlap
    assert units["enc" if direction == "encrypt" else "cipher"] == cipher
    assert units["mul"] == {"count": 1, "latency": 1, "interval": 1} and units["acc"] == {"count": 1, "latency": 0, "interval": 1}
    assert (figures["latency"], figures["first_output"], figures["optimal"]) == (latency, first, True)


def test_an_option_goes_over_a_preset():
    assert preset("tes2010-sequential").but(cipher_arch="pipelined", overlap=True) == preset("tes2010-full").but(overlap=True)


ENC, ENC256, DEC, DEC256, MUL, OUT = (kind(*of) for of in (("enc",), ("enc", 256), ("dec",), ("dec", 256), ("mul",), ("out",)))


def test_sequential_cores_that_a_cipher_lacks():
    uses = {d: {ENC: 32, DEC: 1, MUL: 63, OUT: 32} for d in ("encrypt", "decrypt")}
    wanted = "aes has no sequential core for both directions in one; choose another --cipher-arch$"
    for lacking in (("encrypt", "decrypt"), ("encrypt",), ()):
        with pytest.raises(InputError, match=f"^--cipher-arch sequential: {wanted}"):
            unit_set(Options(cipher_arch="sequential"), replace(AES, sequential=lacking), [uses], {ENC})


SEQUENTIAL_UNITS = [
    # Uses in a sector, whether there is one direction, and the cores that are sequential.  Ten rounds take 10 cycles.
    ({ENC: 1, DEC: 32}, 1, [ENC]),
    ({ENC: 32, DEC: 1}, 1, [DEC]),
    ({ENC: 32, DEC: 1}, 2, [DEC]),
    ({ENC: 1, DEC: 32}, 2, [ENC]),
    ({ENC: 2, DEC: 20}, 1, [ENC]),
    ({ENC: 2, DEC: 19}, 1, []),
    ({ENC: 3, DEC: 32}, 1, []),
    ({ENC: 1, DEC: 9}, 1, []),
    ({DEC: 32}, 1, [ENC]),
    ({ENC: 32, ENC256: 1, DEC: 32}, 2, [ENC256]),
    ({ENC: 7, ENC256: 1, DEC: 6}, 2, []),
    ({DEC: 32, ENC256: 1, DEC256: 3}, 1, [ENC, ENC256]),
]


@pytest.mark.parametrize(("uses", "directions", "sequential"), SEQUENTIAL_UNITS, ids=str)
def test_what_is_seldom_needed_is_sequential(uses, directions, sequential):
    """Where its interval fits as often as a sector needs it; set-up needs the encrypter here."""
    of = {d: {OUT: 2, **uses} for d in ("encrypt", "decrypt")[-directions:]}
    options = Options(direction="both" if directions == 2 else "decrypt", cipher_stages=1)
    units, architecture = unit_set(options, AES, [of], {ENC})
    assert {core for core, form in architecture.forms.items() if form == "sequential"} == set(sequential)
    for core in (*sequential, *uses):
        unit = units.doing(core)
        rate = 14 if core.key_bits else 10
        assert unit.count == 1
        if core in sequential and unit.kind == "cipher":
            assert (unit.interval, unit.slow_core, unit.slow_interval) == (1, core, rate)
        else:
            assert unit.interval == (rate if core in sequential else 1) and unit.latency == rate + 2


def test_of_several_sizes_the_shortest_decides():
    long, short = ({"decrypt": {ENC: 1, DEC: blocks, OUT: blocks}} for blocks in (32, 9))
    options = Options(direction="decrypt", cipher_stages=1)
    assert unit_set(options, AES, [long], set())[1].forms == {"enc": "sequential", "dec": "pipelined"}
    assert unit_set(options, AES, [long, short], set())[1].forms == {"enc": "pipelined", "dec": "pipelined"}
    lacking = replace(AES, sequential=("decrypt",))
    assert unit_set(options, lacking, [long], set())[1].forms == {"enc": "pipelined", "dec": "pipelined"}


@pytest.mark.parametrize(("mode", "changes"), [
    ("heh-brw", {}), ("xts", {}), ("cmc", {}), ("tet", {}), ("eme", {}), ("eme2", {"tweak": 32}), ("heh-poly", {"sector": 192}),
])  # fmt: skip
def test_decrypting_cores_have_a_sequential_encrypter(mode, changes):
    compiled = compile_mode(find(mode), Options(**{"sector": 512, "direction": "decrypt", "restarts": 2, "cipher_stages": 1, **changes}))
    assert compiled.architecture.forms == {"enc": "sequential", "dec": "pipelined"}
    assert compiled.schedule.ii == compiled.schedule.problem.ii_bound()


@pytest.mark.parametrize(("aes", "mul"), [(1, 1), (16, 4)])
def test_multipliers_keep_up_with_sequential_cores(aes, mul):
    uses = {"encrypt": {ENC: 32, MUL: 63, OUT: 32}}
    options = Options(cipher_arch="sequential", cipher_cores=aes, lanes=8, direction="encrypt", cipher_stages=1)
    units, architecture = unit_set(options, AES, [uses], {ENC})
    assert (units.doing(ENC).count, units.doing(ENC).interval, units.doing(MUL).count) == (aes, 10, mul)
    assert architecture.forms == {"enc": "sequential"}


def test_lanes_follow_the_pipelines():
    uses = {"encrypt": {ENC: 32, MUL: 63, OUT: 32}}
    assert unit_set(Options(cipher_cores=4), AES, [uses], {ENC})[0].lanes == 4
    assert unit_set(Options(cipher_cores=4, lanes=2), AES, [uses], {ENC})[0].lanes == 2
    assert unit_set(Options(cipher_cores=3, lanes=2), AES, [uses], {ENC})[0].lanes == 2


def test_multipliers_keep_up_with_the_pipelines():
    for direction in ("encrypt", "both"):
        uses = {d: {ENC: 32, MUL: 63, OUT: 32} for d in ("encrypt", "decrypt")[: 1 + (direction == "both")]}
        assert unit_set(Options(direction=direction), AES, [uses], {ENC})[0].doing(MUL).count == 2


def test_older_names_of_options():
    """Those of the time when AES was the only cipher, in Python; ``core.json`` has them still."""
    new = Options(cipher_cores=2, cipher_arch="combined", cipher_sbox="bram", cipher_stages=3)
    old = {"aes": 2, "aes_arch": "combined", "aes_sbox": "bram", "aes_stages": 3}
    assert Options(**old) == new == Options().but(**old)
    assert {name: getattr(new, name) for name in old} == old
    assert old.items() <= new.as_dict().items() and not Options.older().keys() & {field.name for field in fields(Options)}
    assert Options(**{**new.as_dict(), "more_sectors": ()}) == new
    for both in (lambda: Options(aes=2, cipher_cores=2), lambda: Options().but(aes_arch="combined", cipher_arch="combined")):
        with pytest.raises(TypeError, match="^aes(_arch)? is an older name of cipher_(cores|arch); give one of them$"):
            both()
