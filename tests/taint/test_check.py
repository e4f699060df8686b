# SPDX-License-Identifier: Apache-2.0
"""Cores have no timing channel; each planted one is found, with its path.

By default these are three small cores: both directions with a partial block, one sequential cipher core for both, and a mode that
refuses some keys.  The slow run adds the other shapes and a core of every mode.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests import built
from tests.built import slow, slowly
from tests.emit.emitted import PARTIAL, SLOTS, folder
from tests.taint.planted import EARLY, OTHER_VERDICT, PLANTS, WAITING, Plant, planted
from tests.verilog_edit import edit_module

from modeloom.modes import all_modes, find
from modeloom.product.description import KEY_DUE, KEY_VERDICT, Result, Secret, Verdict
from modeloom.product.folder import read_description
from modeloom.taint import TimingChannel, check_core, check_netlist, combinational_paths, flat_netlist, graph
from modeloom.taint.check import secret_bits
from modeloom.taint.graph import dependences

MODES = sorted(all_modes())

SEQUENTIAL = ("hctr2", {"sector": 192, "cipher_sbox": "bram"})
"""A core whose decrypter is sequential, with the S-boxes of the encrypter in block memories."""

REFUSING = {
    "equal keys": ("xts", {"sector": 32, "direction": "encrypt"}),
    "no inverse": ("tet", {"sector": 32, "direction": "encrypt"}),
}
"""Cores of modes that refuse some keys."""

SHAPES = {
    "both": PARTIAL,
    "sequential": SEQUENTIAL,
    "slots": SLOTS,
    "one core": ("hctr2", built.SEQUENTIAL),
    "lanes": ("hctr2", {"sector": 64, "cipher_cores": 2, "direction": "encrypt"}),
    **REFUSING,
    "stages": ("heh-brw", {"sector": 64, "cipher_stages": 4, "direction": "encrypt", "squares": "fly"}),
}

SMALLEST = REFUSING["equal keys"]
"""The core that is read in the least time."""

FEW = ("both", "one core", "equal keys")
"""Shapes that are checked by default; the other cores share their structure with one of these."""

CORES = {name: (name, {"sector": 32, "direction": "encrypt"}) for name in MODES} | SHAPES


def arrives(secret: Mapping[str, int], bits: int) -> bool:
    """Whether each secret reaches what it must: the data path, which is more than half of all bits.  Tweaks and keys reach all of it
    but the registers in which blocks wait.

    The least share is 52 % (XTS), and the least part of what data reach is 95 % (four registers in a round).
    ``test_a_check_that_overlooks_cells_fails`` shows that less arrives if one kind of cells is overlooked.
    """
    return min(secret.values()) > bits / 2 and min(secret["tweak"], secret["key"]) > 0.9 * secret["data"]


@pytest.mark.parametrize("choice", [pytest.param(core, id=name, marks=() if name in FEW else slow) for name, core in CORES.items()])
def test_no_timing_channel(choice: tuple[str, dict]) -> None:
    report = check_core(folder(choice))
    assert set(report.secret) == {"data", "key", "tweak"}
    assert arrives(report.secret, report.bits)
    assert report.control > 500 and report.points > 500
    four = choice[1].get("cipher_stages") == 4
    assert set(report.exempt) == ({"S-box", "S-box in two steps"} if four else {"S-box"})
    mode = find(choice[0])
    refuses = mode.distinct_keys or mode.name == "tet"
    assert report.declassified == ({KEY_VERDICT: 1} if refuses else {})


@pytest.mark.parametrize("overlooked", ["$and", "$dff", "$mem_v2", "$mux", "$xor"])
def test_a_check_that_overlooks_cells_fails(overlooked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Secrets that stop at one kind of cells of the data path miss most of the core."""
    built = folder(REFUSING["equal keys"])
    description = read_description(built)
    netlist = flat_netlist(built / description.files.verilog, description.top)
    monkeypatch.setattr(graph, "dependences", lambda cell, one: None if cell.type == overlooked else dependences(cell, one))
    nodes = graph.BitGraph(netlist)
    reached = {name: nodes.reached(bits).count() for name, bits in secret_bits(netlist, description.secrets).items()}
    assert set(reached) == {"data", "key", "tweak"} and not arrives(reached, nodes.size)
    assert any(cell.type == overlooked for cell in netlist.cells)


def told(choice: tuple[str, dict]) -> tuple[tuple[Secret, ...], tuple[Result, ...], tuple[Verdict, ...]]:
    """What is secret in a core, where its results leave, and what tells that a key is refused."""
    description = read_description(folder(choice))
    return description.secrets, description.results, description.verdicts


def netlist_with(plant: Plant, choice: tuple[str, dict], directory: Path):
    """A planted core."""
    built = folder(choice)
    description = read_description(built)
    return planted(built / description.files.verilog, description.top, plant, directory)


def assert_caught(plant: Plant, choice: tuple[str, dict], directory: Path) -> str:
    netlist = netlist_with(plant, choice, directory)
    with pytest.raises(TimingChannel) as caught:
        check_netlist(netlist, *told(choice))
    message = str(caught.value)
    assert re.match(plant.caught, message) and "\n" not in message
    names = message.split(": ", 1)[1].split(" -> ")
    assert names[0].startswith(("s_axis_tdata[", "s_axis_key_tdata[", "s_axis_cmd_tdata[")), "the path starts at a secret"
    at = 0
    for name in plant.passes:
        at = next((i for i in range(at, len(names)) if names[i].startswith(name)), -1)
        assert at >= 0, f"{name} is not on the path: {message}"
    return message


SOME = [plant if number % 4 == 0 else slowly(plant)[0] for number, plant in enumerate(PLANTS)]
"""Each takes some seconds: every fourth one by default."""


@pytest.mark.parametrize("plant", SOME, ids=[plant.what for plant in PLANTS])
def test_planted_dependency_is_caught(plant: Plant, tmp_path: Path) -> None:
    print(assert_caught(plant, PARTIAL, tmp_path))


def test_planted_dependency_of_a_sequential_core_is_caught(tmp_path: Path) -> None:
    """The core that is checked by default, too."""
    plant = next(plant for plant in PLANTS if plant.what.startswith("the status code"))
    print(assert_caught(plant, SHAPES["one core"], tmp_path))


def test_only_the_verdict_on_a_key_is_told(tmp_path: Path) -> None:
    """What the key port has found of a key may decide; the cipher key beside it may not, nor does another register tell it."""
    print(assert_caught(OTHER_VERDICT, REFUSING["equal keys"], tmp_path))


def test_the_verdict_on_a_key_is_told_when_it_is_due(tmp_path: Path) -> None:
    """The register of the verdict is a secret in all other cycles."""
    netlist = netlist_with(WAITING, SMALLEST, tmp_path)
    with pytest.raises(TimingChannel, match=WAITING.caught):
        check_netlist(netlist, *told(SMALLEST))


def test_early_termination_is_caught(tmp_path: Path) -> None:
    print(assert_caught(EARLY, SHAPES["one core"], tmp_path))


def test_a_check_of_nothing_fails(tmp_path: Path) -> None:
    plant = Plant("no data arrive", "core_bus_sector", r"    fill_data <= ([^;]*);", r"    fill_data <= 128'd0;", "")
    with pytest.raises(TimingChannel, match=r"m_axis_tdata\[0\] does not depend on the data"):
        check_netlist(netlist_with(plant, SMALLEST, tmp_path), *told(SMALLEST))


def test_no_pin_reaches_another_without_a_register(tmp_path: Path) -> None:
    """No output depends on an input of the same cycle, and a planted dependency is found."""
    description = read_description(folder(SMALLEST))
    netlist = flat_netlist(folder(SMALLEST) / description.files.verilog, description.top)
    assert combinational_paths(netlist) == {}
    waits = Plant(
        "readiness for keys waits for a key", "core_bus_key_port", r"  assign key_ready =\s([^;]*);",
        r"  assign key_ready = (\1) & key_valid;", "",
    )  # fmt: skip
    found = combinational_paths(netlist_with(waits, SMALLEST, tmp_path))
    assert set(found) == {("s_axis_key_tvalid", "s_axis_key_tready")}
    assert found["s_axis_key_tvalid", "s_axis_key_tready"] == ("s_axis_key_tvalid", "s_axis_key_tready")


RENAMED = r"\b(\w*?)(unusable|error|loaded|chosen|quarter|column|key_schedule|cipher0|enc|both|ring)(\w*)\b"
"""Names of registers, modules and instances on which a check might lean; the ports of the core keep theirs."""


def renamed(choice: tuple[str, dict], directory: Path, plant: Plant | None = None) -> tuple[Path, str]:
    """The Verilog of a core with other names inside, and the name of its top."""
    built = folder(choice)
    description = read_description(built)
    text = (built / description.files.verilog).read_text(encoding="utf-8")
    if plant is not None:
        text = edit_module(text, f"{description.top}_{plant.module}", plant.pattern, plant.replacement)
    ports = {port.name for port in description.ports}
    text = text.replace(description.top, "top")
    changed = re.sub(RENAMED, lambda name: name[0] if name[0] in ports else f"{name[1]}qq{len(name[2])}{name[2][-1]}{name[3]}", text)
    path = directory / "renamed.v"
    path.write_text(changed, encoding="utf-8")
    assert changed != text and "unusable" not in changed and "chosen" not in changed
    return path, "top"


@pytest.mark.parametrize("name", ["equal keys", *slowly("stages")])
def test_names_do_not_matter(name: str, tmp_path: Path) -> None:
    """The verdict and all its figures are the same for a core in which registers and instances have other names."""
    path, top = renamed(SHAPES[name], tmp_path)
    assert check_netlist(flat_netlist(path, top), *told(SHAPES[name])) == check_core(folder(SHAPES[name]))


def test_a_leak_under_other_names_is_caught(tmp_path: Path) -> None:
    path, top = renamed(REFUSING["equal keys"], tmp_path, OTHER_VERDICT)
    with pytest.raises(TimingChannel, match="^output key_error depends on the key"):
        check_netlist(flat_netlist(path, top), *told(REFUSING["equal keys"]))


def test_a_mode_that_takes_every_key_tells_no_verdict() -> None:
    """The same netlist, if its mode is said to refuse nothing."""
    built = folder(REFUSING["equal keys"])
    description = read_description(built)
    told = Verdict(KEY_VERDICT, (Result("key_loaded", description.key_slots), Result("key_error", 1)), KEY_DUE)
    assert description.verdicts == (told,) and read_description(folder(PARTIAL)).verdicts == ()
    with pytest.raises(TimingChannel, match="depends on the key"):
        check_netlist(flat_netlist(built / description.files.verilog, description.top), description.secrets, description.results)
