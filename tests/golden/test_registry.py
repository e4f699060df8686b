# SPDX-License-Identifier: Apache-2.0
"""The references by name, and the room's independence."""

import ast
from pathlib import Path

import pytest

import modeloom_golden as golden


def test_names_give_their_modes():
    data, tweak = bytes(range(256)) * 2, bytes(16)
    key = bytes(range(32))
    assert golden.mode_names() == tuple(sorted(golden.mode_names()))
    assert {"hctr2", "heh-brw", "heh-brw-pi", "heh-poly", "hmch-brw", "hmch-poly"} <= set(golden.mode_names())
    assert golden.mode("hctr2", key).encrypt(tweak, data) == golden.HCTR2(key).encrypt(tweak, data)
    assert golden.mode("heh-brw", key).encrypt(tweak, data) == golden.HEH(key).encrypt(tweak, data)
    for name, reference, size in (
        ("cmc", golden.CMC, 32),
        ("eme", golden.EME, 16),
        ("eme2", golden.EME2, 64),
        ("hch", golden.HCH, 32),
        ("hchfp", golden.HCHfp, 32),
        ("hctr", golden.HCTR, 32),
        ("tet", golden.TET, 48),
        ("xcb", golden.XCB, 16),
        ("xcb-1619", golden.XCB1619, 32),
        ("xts", golden.XTS, 32),
    ):
        of_size = bytes(range(size))
        assert golden.mode(name, of_size).encrypt(tweak, data) == reference(of_size).encrypt(tweak, data)
    printed = golden.HEH(key, golden.permutation(31))
    assert golden.mode("heh-brw-pi", key).encrypt(tweak, data) == printed.encrypt(tweak, data)


def test_modes_on_sm4():
    data, tweak = bytes(range(64)), bytes(16)
    assert set(golden.mode_names("sm4")) < set(golden.mode_names())
    assert golden.mode_names("des") == ()
    for name, size in {"cmc": 32, "eme": 16, "eme2": 48, "hch": 16, "hchfp": 32, "hctr": 32, "tet": 48, "xcb": 16, "xts": 32}.items():
        key = bytes(range(size))
        mode = golden.mode(name, key, "sm4")
        assert mode.decrypt(tweak, mode.encrypt(tweak, data)) == data
        assert mode.encrypt(tweak, data) != golden.mode(name, key).encrypt(tweak, data)
    with pytest.raises(ValueError, match="no reference for mode 'hctr2' with cipher 'sm4'; there are cmc, "):
        golden.mode("hctr2", bytes(32), "sm4")


@pytest.mark.parametrize("blocks", [2, 3, 17, 32, 64])
def test_permutation_fits_each_size(blocks):
    mode = golden.mode("heh-brw-pi", bytes(range(32)))
    data = bytes(range(16)) * blocks
    assert mode.decrypt(bytes(16), mode.encrypt(bytes(16), data)) == data


def test_unknown_name():
    with pytest.raises(ValueError, match="no reference for mode 'nonesuch'; there are .*hctr2"):
        golden.mode("nonesuch", bytes(32))


def test_golden_imports_nothing_of_ours():
    for path in sorted(Path(golden.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level <= 1, path.name
                modules = [] if node.level else [node.module]
            else:
                continue
            assert not any(module.split(".")[0] in ("modeloom", "amaranth") for module in modules), path.name
