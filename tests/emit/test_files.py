# SPDX-License-Identifier: Apache-2.0
"""The folder of a core: what is in it, that it is the same every time, and what is left alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.built import hollow
from tests.emit.emitted import COMMAND, PARTIAL, PLAIN, SIZES, SLOTS, SMALLEST, core, folder, made

from modeloom.ciphers import AES
from modeloom.cores.bench_text import sector_words
from modeloom.cores.sector import CORE_PORTS
from modeloom.cores.sector.describe import definition_hash
from modeloom.emit import check_directory, core_name, emit
from modeloom.emit.package.system_verilog import APB_INTERFACE, AXI_INTERFACES
from modeloom.modes import find
from modeloom.options.sectors import Options, preset
from modeloom.product.core import INTERFACE_NAMES
from modeloom.spec import InputError
from modeloom_verilog.names import KEYWORDS

_AGAIN = """
import sys
from tests.emit.emitted import COMMAND, PLAIN, made
from modeloom.emit import emit
emit(made(PLAIN), sys.argv[1], command=COMMAND)
"""


@pytest.fixture
def quick() -> Iterator[None]:
    """For tests of the folder alone."""
    with hollow():
        yield


def contents(path: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in sorted(path.iterdir())}


def test_same_every_time(tmp_path: Path) -> None:
    """Another process with another hash seed, time zone and locale writes the same bytes."""
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    root = Path(__file__).parents[2]
    environment["PYTHONPATH"] = os.pathsep.join([str(root / "src"), str(root)])
    subprocess.run([sys.executable, "-c", _AGAIN, tmp_path / "again"], check=True, env=environment, cwd=tmp_path)
    assert contents(tmp_path / "again") == contents(folder(PLAIN))


def test_files() -> None:
    description = json.loads((folder(SMALLEST) / "core.json").read_text())
    assert description["schema"] == "modeloom-core-1"
    assert description["name"] == description["top"] == core_name(made(SMALLEST)) == "xts_32_enc_seq_round1_search50"
    assert sorted(description["files"].values()) == sorted(contents(folder(SMALLEST)))
    assert description["command"] == COMMAND
    assert description["definition_sha256"] == definition_hash(core(SMALLEST))
    assert description["options"] == core(SMALLEST).options.as_dict()
    assert [port["name"] for port in description["ports"]] == ["aclk", "aresetn", *(port.name for port in CORE_PORTS)]
    assert sum(part["bytes"] for part in description["key_layout"]) == description["key_bytes"] == 32
    slots = json.loads((folder(SLOTS) / "core.json").read_text())
    assert slots["key_layout"] == [
        {"name": "cipher", "offset": 0, "bytes": 24}, {"name": "h", "offset": 24, "bytes": 16},
    ]  # fmt: skip
    assert slots["directions"] == ["encrypt"]


@pytest.mark.parametrize("choice", [PARTIAL, PLAIN, SLOTS])
def test_verilog(choice: tuple) -> None:
    path = folder(choice)
    name = json.loads((path / "core.json").read_text())["name"]
    text = (path / f"{name}.v").read_text()
    assert text.startswith("// SPDX-License-Identifier: Apache-2.0\n")
    modules = re.findall(r"^module (\w+)", text, re.M)
    assert modules[0] == name
    assert modules[-1] == f"{name}_rules" and all(module.startswith(f"{name}_core") for module in modules[1:-1])
    assert len(set(modules)) == len(modules)
    assert "\\" not in text and "$auto" not in text and "always @*" not in text
    assert not re.search(r"/(work|tmp|usr|home|root)/", text)
    declared = set(re.findall(r"^  (?:input +wire|output (?:wire|reg )|wire|reg) (?:\[[\d:]+\] )?(\w+)", text, re.M))
    assert len(declared) > 100
    assert not declared & KEYWORDS
    ports = re.findall(r"^    (?:input|output) +wire +(?:\[\d+:0\] +)?(\w+)", text[: text.index("\n);")], re.M)
    assert ports == ["aclk", "aresetn", *(port.name for port in CORE_PORTS)]


def test_equal_multipliers_stand_once() -> None:
    name = core_name(made(PARTIAL))
    text = (folder(PARTIAL) / f"{name}.v").read_text()
    units = core(PARTIAL).explain()["units"]
    assert units["mul"]["count"] == 2
    assert len(re.findall(rf"^module {name}_core_engine_mul\w*_mul \(", text, re.M)) == 1
    assert len(re.findall(rf"^  {name}_core_engine_mul mul\d ", text, re.M)) == 2


def test_names() -> None:
    assert core_name(made(PLAIN)) == "heh_brw_32_enc_round1_plain_search50"
    usual = SimpleNamespace(mode=find("hctr2"), options=preset("default").of(find("hctr2")).on(AES), sizes=core(PARTIAL).sizes)
    assert core_name(SimpleNamespace(words=sector_words(usual))) == "hctr2_40"


CHANGES: dict[str, object] = {
    "sector": 512, "more_sectors": (64,), "tweak": 32, "key_bits": 256, "direction": "encrypt", "cipher_cores": 2,
    "cipher_arch": "sequential", "cipher_sbox": "bram", "cipher_stages": 1, "mul": 3, "mul_arch": "lut6", "mul_stages": 2,
    "squares": "fly", "acc": 2, "lanes": 4, "terms": 3, "storage": "bram", "key_slots": 5, "overlap": False,
    "exact": True, "registered": False, "wire_effort": 3, "restarts": 7, "cipher": "serpent", "streams": 2,
}  # fmt: skip
"""Another value for each option."""


def test_other_options_have_another_name() -> None:
    """Each option, and all of them together: no two cores of one mode have modules of one name."""
    assert CHANGES.keys() == {field.name for field in fields(Options)}

    def name(**changes: object) -> str:
        options = preset("default").of(find("hctr2")).on(AES).but(**changes)
        sizes = [SimpleNamespace(source=SimpleNamespace(nbytes=size)) for size in (options.sector, *options.more_sectors)]
        return core_name(SimpleNamespace(words=sector_words(SimpleNamespace(mode=find("hctr2"), options=options, sizes=sizes))))

    changes = {key: value for key, value in CHANGES.items() if key not in ("sector", "cipher")}
    names = [name(), name(sector=64), name(**changes), name(**changes, sector=32)]
    names += [name(**{key: value}) for key, value in changes.items()]
    names += [name(cipher_arch=form) for form in ("multistream", "serial32", "serial8")]
    assert len(set(names)) == len(names) and names[0] == "hctr2_512"
    assert name(key_bits=256, cipher_cores=2, more_sectors=(64,)) == "hctr2_512_64_k256_aes2"
    assert all(len(one) <= 48 for one in names)


def test_two_cores_of_one_mode_share_no_module() -> None:
    modules = []
    for choice in (SMALLEST, SIZES):
        name = core_name(made(choice))
        found = re.findall(r"^module (\w+)", (folder(choice) / f"{name}.v").read_text(), re.M)
        modules += [set(found)]
        assert all(module.startswith(name) for module in found)
    assert not modules[0] & modules[1]


def test_wrong_names() -> None:
    assert core_name(made(PLAIN), "disk") == "disk"
    for name in ("2nd", "a-b", "", "module", "final", "a" * 64):
        with pytest.raises(InputError, match="cannot be the name of a core"):
            core_name(made(PLAIN), name)
    assert core_name(made(PLAIN), "a" * 63)
    with pytest.raises(InputError, match="^a text of 64 characters cannot be the name of a core; use at most 63$"):
        core_name(made(PLAIN), "a" * 64)


def test_interfaces_are_no_names() -> None:
    """A module with the name of an interface beside it does not compile."""
    names = re.findall(r"^interface (\w+)", AXI_INTERFACES + APB_INTERFACE, re.M)
    assert names == ["modeloom_axi_stream", "modeloom_axi_lite", "modeloom_apb"]
    for name in names:
        with pytest.raises(InputError, match=f"^'{name}' cannot be the name of a core: it is that of a SystemVerilog interface"):
            core_name(made(PLAIN), name)
        assert core_name(made(PLAIN), f"{name}_core") == f"{name}_core"


def test_the_head_of_the_interfaces_lists_all() -> None:
    head = AXI_INTERFACES.partition("`ifndef")[0]
    assert re.findall(r"^//   (modeloom_\w+) ", head, re.M) == list(INTERFACE_NAMES)


def test_foreign_folders_are_refused(tmp_path: Path, quick: None) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    for path in (tmp_path, tmp_path / "notes.txt"):
        with pytest.raises(InputError):
            check_directory(path)
        with pytest.raises(InputError):
            emit(made(PLAIN), path, command=COMMAND)
    (tmp_path / "core.json").write_text('{"schema": "something else"}')
    with pytest.raises(InputError, match="does not contain a core"):
        emit(made(PLAIN), tmp_path, command=COMMAND)
    assert sorted(contents(tmp_path)) == ["core.json", "notes.txt"]


def test_a_core_is_replaced_and_other_files_stay(tmp_path: Path, quick: None) -> None:
    path = tmp_path / "deep" / "core"
    emit(made(PLAIN), path, name="first", command=COMMAND)
    (path / "notes.txt").write_text("mine")
    (path / "runs").mkdir()
    (path / "runs" / "log").write_text("mine too")
    (path / "second.v").write_text("module mine;\nendmodule\n")
    emit(made(PLAIN), path, name="second", command=COMMAND)
    assert "module mine" not in (path / "second.v").read_text(), "a file of the new core has its name"
    names = {entry.name for entry in path.iterdir()}
    assert names == {"notes.txt", "runs", *json.loads((path / "core.json").read_text())["files"].values()}
    assert (path / "runs" / "log").read_text() == "mine too"
    assert not any(name.startswith("first") for name in names)
    assert [entry.name for entry in path.parent.iterdir()] == ["core"], "nothing is left beside it"


def test_a_failure_leaves_what_was_there(tmp_path: Path, quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "core"
    emit(made(PLAIN), path, name="first", command=COMMAND)
    before = contents(path)
    real = os.replace

    def refuse(source: Path, target: Path) -> None:
        if Path(source).name == "new":
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(InputError, match="No space left"):
        emit(made(PLAIN), path, name="second", command=COMMAND)
    assert contents(path) == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["core"]


def test_datasheet_and_package() -> None:
    text = (folder(SLOTS) / "datasheet.md").read_text()
    for head in ("Theory of operation", "Interfaces", "Programmer's guide", "Figures", "Security status", "Verification"):
        assert f"\n## {head}\n" in text
    for port in CORE_PORTS:
        assert f"`{port.name}`" in text
    assert "not protected against power" in text and "was not proved" in text
    name = core_name(made(SLOTS))
    package = (folder(SLOTS) / f"{name}.core").read_text()
    assert package.startswith("CAPI=2:\n") and f"toplevel: {name}_tb" in package and f"name: modeloom:modes:{name}:" in package
