# SPDX-License-Identifier: Apache-2.0
"""What Python programs give of a wrong type or value: one clear line, as ``TypeError`` or ``InputError``."""

import shutil

import numpy as np
import pytest
from tests.built import SMALL, folder
from tests.product.descriptions import sector_description

import modeloom
from modeloom.definition.software import Model
from modeloom.modes.hctr2 import HCTR2
from modeloom.options.sectors import Options
from modeloom.product.simulated import Sector, SimulatedCore
from modeloom.spec import InputError

KEY = bytes(16)


class Silent(SimulatedCore):
    """A core without a simulation: what is wrong is said before anything runs."""

    def __init__(self):
        self.description = sector_description(directions=("encrypt",))
        self.tweak_bytes, self.sizes, self.block_bytes, self._beat = 16, {64: 0}, 16, 16


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: modeloom.model("hctr2", "00" * 16), TypeError, "key must be bytes, not str; bytes.fromhex reads hex digits"),
        (lambda: modeloom.model("hctr2", 16), TypeError, "key must be bytes, not int"),
        (lambda: modeloom.model("hctr2", None), TypeError, "key must be bytes, not NoneType"),
        (lambda: modeloom.model("hctr2", bytes(5)), InputError, "hctr2: a key (cipher) must have 16 or 24 or 32 bytes, not 5"),
        (lambda: modeloom.model(5, KEY), TypeError, "the name of a mode must be str, not 5"),
        (lambda: modeloom.model("htcr2", KEY), InputError, "unknown mode 'htcr2'; did you mean hctr2 or hctr or hch?"),
        (lambda: Model("hctr2", KEY), TypeError, "mode must be an instance of Mode, not 'hctr2'; modeloom.model takes the name of a mode"),
        (lambda: modeloom.model("hctr2", KEY).encrypt("tweak", KEY), TypeError,
         "tweak must be bytes, not str; bytes.fromhex reads hex digits"),
        (lambda: modeloom.model("hctr2", KEY).encrypt(KEY, [0] * 16), TypeError, "data must be bytes, not list"),
        (lambda: modeloom.model("hctr2", KEY).decrypt(0, KEY), TypeError, "tweak must be bytes, not int"),
        (lambda: modeloom.model("hctr2", KEY).decrypt(KEY, bytes(5)), InputError,
         "hctr2: a sector must have at least 16 bytes, not 5; choose a larger --sector"),
        (lambda: modeloom.compile(7), TypeError, "mode must be the name of a mode, a subclass of Mode or an instance of one, not 7"),
        (lambda: modeloom.compile("hctr2", 7), TypeError, "options must be an Options object or the name of a preset, not 7"),
        (lambda: modeloom.compile("hctr2", sector="64"), TypeError, "sector must be int, not '64'"),
        (lambda: modeloom.compile("hctr2", sector=64.0), TypeError, "sector must be int, not 64.0"),
        (lambda: modeloom.compile("hctr2", sector=True), TypeError, "sector must be int, not True"),
        (lambda: modeloom.compile("hctr2", sector=np.int64(64)), TypeError, "sector must be int, not np.int64(64)"),
        (lambda: modeloom.compile("hctr2", sector=(64, 96)), TypeError, "sector must be int, not (64, 96)"),
        (lambda: modeloom.compile("hctr2", more_sectors=96), TypeError, "more_sectors must be a tuple of int, not 96"),
        (lambda: modeloom.compile("hctr2", more_sectors=("96",)), TypeError, "more_sectors must be a tuple of int, not ('96',)"),
        (lambda: modeloom.compile("hctr2", cipher_cores="2"), TypeError, "cipher_cores must be int, not '2'"),
        (lambda: modeloom.compile("hctr2", cipher_cores=None), TypeError, "cipher_cores must be int, not None"),
        (lambda: modeloom.compile("hctr2", mul=2.5), TypeError, "mul must be int or None, not 2.5"),
        (lambda: modeloom.compile("hctr2", direction=1), TypeError, "direction must be str or None, not 1"),
        (lambda: modeloom.compile("hctr2", overlap="no"), TypeError, "overlap must be bool, not 'no'"),
        (lambda: modeloom.compile("hctr2", overlap=0), TypeError, "overlap must be bool, not 0"),
        (lambda: modeloom.compile("hctr2", sektor=64), InputError,
         "unknown option 'sektor'; did you mean sector or storage or more_sectors?"),
        (lambda: modeloom.compile("hctr2", sector=16384), InputError,
         "hctr2: a sector has at most 512 blocks (8192 bytes), but 16384 bytes are 1024; longer sectors are not tested, because twice the "
         "blocks take the compiler two to four times as long; choose a smaller --sector"),
        (lambda: Options(key_slots="1"), TypeError, "key_slots must be int, not '1'"),
        (lambda: modeloom.simulate("nowhere"), InputError,
         "nowhere does not contain a core (core.json is missing); build one with: modeloom build MODE -o nowhere"),
        (lambda: Silent().load_key("00" * 16), TypeError, "key must be bytes, not str; bytes.fromhex reads hex digits"),
        (lambda: Silent().load_key(KEY, "0"), TypeError, "slot is a number, not '0'"),
        (lambda: Silent().load_key(KEY, 2), InputError, "this core has no key slot 2: it has 2, counted from 0"),
        (lambda: Silent().load_key(KEY, -1), InputError, "this core has no key slot -1: it has 2, counted from 0"),
        (lambda: Silent().load_key(bytes(5)), InputError, "hctr2: this core takes keys of 16 bytes (cipher), not 5"),
        (lambda: Silent().erase_key(None), TypeError, "slot is a number, not None"),
        (lambda: Silent().encrypt("tweak", bytes(64)), TypeError, "tweak must be bytes, not str; bytes.fromhex reads hex digits"),
        (lambda: Silent().encrypt(KEY, "data"), TypeError, "data must be bytes, not str; bytes.fromhex reads hex digits"),
        (lambda: Silent().encrypt(KEY, bytes(64), slot=1.5), TypeError, "slot is a number, not 1.5"),
        (lambda: Silent().encrypt(KEY, bytes(65)), InputError, "this core takes sectors of 64 bytes, not 65"),
        (lambda: Silent().encrypt(KEY[1:], bytes(64)), InputError, "this core takes tweaks of 16 bytes, not 15"),
        (lambda: Silent().decrypt(KEY, bytes(64)), InputError, "this core was not built to decrypt; build it with --direction both"),
        (lambda: Silent().run([bytes(64)]), TypeError, "run takes sectors, not bytes"),
        (lambda: Sector(KEY, bytes(64), decrypt=1), TypeError, "decrypt is True or False, not 1"),
    ],
)  # fmt: skip
def test_one_clear_line(call, error, message):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value) == message


def test_a_class_in_the_place_of_an_instance():
    assert modeloom.compile(HCTR2, sector=32, restarts=0).mode.name == "hctr2"
    with pytest.raises(TypeError, match="^mode must be the name of a mode, a subclass of Mode or an instance of one, not the class int$"):
        modeloom.compile(int)


def test_what_holds_bytes_is_taken():
    keyed = modeloom.model("hctr2", bytearray(KEY))
    assert keyed.encrypt(memoryview(KEY), bytearray(64)) == modeloom.model("hctr2", KEY).encrypt(KEY, bytes(64))
    assert Sector(bytearray(KEY), memoryview(bytes(64))) == Sector(KEY, bytes(64))


def test_a_core_without_its_verilog(tmp_path):
    made = folder("hctr2", **SMALL)
    core = shutil.copytree(made, tmp_path / "core")
    for path in core.glob("*.v"):
        path.unlink()
    with pytest.raises(InputError, match=r"hctr2_64_\w+\.v is missing in .*; build the core again"):
        modeloom.simulate(core)
