# SPDX-License-Identifier: Apache-2.0
"""Emitted files are the same bytes as those that are stored."""

import json

import pytest
from tests.built import slow
from tests.scripts import script

from modeloom.modes import BUILT_IN, STREAMS
from modeloom.options.sectors import PRESETS

emitted = script("tools/emitted.py")

QUICK = ("xts", "two sizes", "brw2013-heh-poly")


def test_the_list_has_every_mode_and_preset():
    arguments = [text.split() for text in emitted.CORES.values()]
    assert {words[0] for words in arguments} == {mode.name for mode in (*BUILT_IN, *STREAMS)}
    assert {words[words.index("--preset") + 1] for words in arguments if "--preset" in words} == set(PRESETS)
    assert json.loads(emitted.STORED.read_text(encoding="utf-8"))["cores"].keys() == emitted.CORES.keys()


@pytest.mark.parametrize("name", [name if name in QUICK else pytest.param(name, marks=slow) for name in emitted.CORES])
def test_files_are_the_stored_ones(name, capsys):
    """The files of the core have the stored hashes."""
    assert emitted.main([name]) == 0, capsys.readouterr().out


def test_each_difference_has_a_line(monkeypatch, tmp_path, capsys):
    good = {"a.v": "1", "core.json": "2"}
    stored = tmp_path / "emitted.json"
    monkeypatch.setattr(emitted, "STORED", stored)
    monkeypatch.setattr(emitted, "versions", lambda folder: {"yosys": "1"})
    monkeypatch.setattr(emitted, "build", lambda name, folder: good)
    assert emitted.main(["--store", "xts", "hctr"]) == 0 and emitted.main(["xts"]) == 0
    for changed, line in (
        ({**good, "a.v": "3"}, "xts: a.v differs"),
        ({**good, "b.v": "3"}, "xts: b.v is new"),
        ({"a.v": "1"}, "xts: core.json is not emitted"),
    ):
        monkeypatch.setattr(emitted, "build", lambda name, folder, files=changed: files if name == "xts" else good)
        capsys.readouterr()
        assert emitted.main(["xts", "hctr"]) == 1
        assert capsys.readouterr().out.splitlines() == [line]
    monkeypatch.setattr(emitted, "versions", lambda folder: {"yosys": "2"})
    assert emitted.main(["xts"]) == 2 and "nothing to compare" in capsys.readouterr().err


def test_a_core_that_is_not_in_the_list(capsys):
    with pytest.raises(SystemExit) as stop:
        emitted.main(["gmac"])
    assert stop.value.code == 2 and "unknown core 'gmac'" in capsys.readouterr().err
