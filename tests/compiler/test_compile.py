# SPDX-License-Identifier: Apache-2.0
"""The compiler as a whole: intervals, latencies, storage, proofs; definitions and options that are wrong."""

from __future__ import annotations

import pytest
from tests.built import slow

from modeloom import compile as compile_mode
from modeloom.allocate.program import listing
from modeloom.compiler.dump import dump
from modeloom.modes.hctr2 import HCTR2
from modeloom.modes.heh import HEH
from modeloom.options.sectors import Options, preset
from modeloom.spec import DefinitionError, InputError, Keys, Mode, UnknownName


@pytest.mark.parametrize(
    ("mode", "changes", "ii"),
    [
        ("hctr2", {}, 32),
        ("hctr2", {"sector": 520}, 33),
        ("heh-brw", {}, 33),
        ("heh-brw-pi", {}, 33),
        pytest.param("hctr2", {"tweak": 32}, 32, marks=slow),
        pytest.param("hctr2", {"key_bits": 256, "direction": "encrypt"}, 32, marks=slow),
        pytest.param("heh-brw", {"key_bits": 192}, 33, marks=slow),
    ],
)
def test_overlapped_at_32_blocks(mode: str, changes: dict, ii: int) -> None:
    design = compile_mode(mode, **changes)
    figures = design.explain()
    plain = compile_mode(mode, overlap=False, **changes).explain()
    assert figures["ii"] == figures["ii_bound"] == figures["cycles_per_sector"] == ii
    assert figures["latency"] <= 1.2 * plain["latency"]
    assert figures["storage_blocks"] <= 1.25 * figures["storage_bound"]
    assert figures["proved"] and plain["proved"]
    assert figures["first_output"] <= figures["latency"]


@pytest.mark.parametrize(("name", "cycles"), [("brw2013-1core", 69), ("brw2013-2core", 55)])
def test_plain_schedules_of_the_paper(name: str, cycles: int) -> None:
    figures = compile_mode("heh-brw", name).explain()
    assert figures["cycles_per_sector"] <= cycles and not figures["overlap"] and figures["proved"]


@pytest.mark.parametrize("blocks", [2, 3, 5, 17, 64])
@pytest.mark.parametrize("mode", ["hctr2", "heh-brw"])
def test_every_size_is_proved_and_reaches_its_bound(mode: str, blocks: int) -> None:
    figures = compile_mode(mode, sector=16 * blocks, restarts=20).explain()
    assert figures["ii"] == figures["ii_bound"] and figures["proved"]


@pytest.mark.parametrize("nbytes", [17, 40, 63, 520])
def test_partial_last_blocks(nbytes: int) -> None:
    for direction in ("both", "encrypt", "decrypt"):
        assert compile_mode("hctr2", sector=nbytes, direction=direction, restarts=20).proved


def test_the_same_input_gives_the_same_program() -> None:
    first, second = compile_mode("heh-brw", sector=128), compile_mode("heh-brw", sector=128)
    for what in ("graph", "schedule", "program"):
        assert dump(first, what) == dump(second, what)
    assert listing(first.allocation.program) == dump(first, "program")


def test_a_mode_of_ones_own() -> None:
    class Twice(Mode):
        """ECB with a whitening key: E(P xor h x^i) xor h."""

        name = "twice"
        key_parts = ("cipher", "h")
        title = source = security = "a test"

        def setup(self, o, key):
            return Keys(h=key.h, g=o.mul(key.h, key.h))

        def encrypt(self, o, k, t, p):
            return [o.enc(x ^ o.double(k.h, i) ^ t[0]) ^ k.g for i, x in enumerate(p)]

        def decrypt(self, o, k, t, c):
            return [o.dec(x ^ k.g) ^ o.double(k.h, i) ^ t[0] for i, x in enumerate(c)]

    assert compile_mode(Twice(), sector=64).explain()["ii"] == 4


class _Broken(Mode):
    name = "broken"
    title = source = security = "a test"

    def setup(self, o, key):
        return Keys(h=o.enc(o.const(0)))

    def encrypt(self, o, k, t, p):
        return [o.enc(x) for x in p]

    def decrypt(self, o, k, t, c):
        return [o.dec(x) for x in c]


def test_wrong_definitions() -> None:
    class Unwritten(_Broken):
        def encrypt(self, o, k, t, p):
            return [x ^ k.L for x in p]

    class TooFew(_Broken):
        def encrypt(self, o, k, t, p):
            return [o.enc(x) for x in p[1:]]

    class NoBlock(_Broken):
        def encrypt(self, o, k, t, p):
            return [o.enc(3) for x in p]

    class NoKeys(_Broken):
        def setup(self, o, key):
            return None

    for mode, message in (
        (Unwritten, "reads key value 'L' that the set-up never wrote"),
        (TooFew, "returns 3 blocks for a sector of 4"),
        (NoBlock, "which is not a block"),
        (NoKeys, r"test_compile.py, line \d+: setup\(\): it returns None, not Keys"),
    ):
        with pytest.raises(DefinitionError, match=message):
            compile_mode(mode(), sector=64)


@pytest.mark.parametrize(
    ("mode", "changes", "message"),
    [
        ("hctr2", {"sector": 8}, "at least 16 bytes"),
        ("heh-brw", {"sector": 16}, "at least 32 bytes"),
        ("heh-brw", {"sector": 520}, "must be a whole number of blocks"),
        ("hctr2", {"tweak": 20}, "16 or 32 bytes"),
        ("hctr2", {"key_bits": 100}, "128, 192 or 256"),
        ("hctr2", {"cipher_cores": 0}, "--cipher-cores"),
        ("hctr2", {"direction": "sideways"}, "direction"),
        ("hctr2", {"mul_arch": "karatsub"}, "karatsuba"),
    ],
)
def test_wrong_options(mode: str, changes: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compile_mode(mode, **changes)


def test_unknown_names() -> None:
    with pytest.raises(UnknownName, match="brw2013-1core"):
        preset("brw2013-1cor")
    with pytest.raises(UnknownName, match="sector"):
        Options().but(sectr=512)
    assert HCTR2.check_sector(17) is None and HEH.check_sector(32) is None
