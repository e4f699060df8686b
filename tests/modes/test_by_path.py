# SPDX-License-Identifier: Apache-2.0
"""Modes of files outside the project, from the page on new modes and broken ones."""

import json
import re
import sys
import types
from pathlib import Path

import pytest

import modeloom_golden as golden
from modeloom.compiler.compile import compile_mode
from modeloom.compiler.dump import dump
from modeloom.cores.sector import SectorCore
from modeloom.definition.software import Model
from modeloom.emit import emit
from modeloom.ir.trace import trace
from modeloom.modes import find
from modeloom.options.sectors import Options
from modeloom.spec import InputError
from modeloom.verification import verify_core

PAGE = Path(__file__).parents[2] / "docs" / "new-mode.md"
DEFINITION = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
HEAD = "from modeloom.spec import Mode\n"


@pytest.fixture
def mode_file(tmp_path):
    path = tmp_path / "mymode.py"
    path.write_text(DEFINITION, encoding="utf-8")
    return path


def test_the_page_is_short():
    assert len([line for line in DEFINITION.splitlines() if line.strip()]) < 30


@pytest.mark.slow
def test_a_file_goes_all_the_way(mode_file, tmp_path, monkeypatch):
    """From the folder of the file to a core that is verified from another one."""
    monkeypatch.chdir(tmp_path)
    place = f"./{mode_file.name}:HEHPoly"
    mode = find(place)
    assert mode.place == place
    key = bytes(range(32))
    tweak, text = bytes(range(16)), bytes(range(64))
    assert Model(mode, key).encrypt(tweak, text) == golden.mode("heh-poly", key).encrypt(tweak, text)
    options = Options(sector=64, mul=1, direction="encrypt", cipher_arch="sequential", cipher_stages=1, restarts=50)
    emit(SectorCore(compile_mode(mode, options)), tmp_path / "core", command=f"modeloom build {place} --sector 64")
    monkeypatch.chdir("/")
    assert {"files", "proof", "engine", "sectors"} <= {step.name for step in verify_core(tmp_path / "core", sectors=40, optimize=0)}


def test_its_operations_name_its_lines(mode_file):
    compiled = compile_mode(find(f"{mode_file}:HEHPoly"), Options(sector=64, mul=1, restarts=0), prove=False)
    assert Path(compiled.source.file) == mode_file
    named = set(re.findall(r"; line (\S+)", dump(compiled, "graph")))
    written = DEFINITION.splitlines()
    assert named and all("o." in written[int(line) - 1] or "^" in written[int(line) - 1] for line in named)


@pytest.mark.parametrize(
    "text, name, message",
    [
        ("x = 1\n", "M", "defines no mode"),
        (HEAD + "class Mine(Mode):\n    name = 'm'\n", "Mime", "did you mean Mine"),
        (HEAD + "class Mine(Mode):\n    name = 'm'\n", "Mine", "has no title"),
        ("x = = 1\n", "M", "line 1: SyntaxError"),
        ("\nx = 1 / 0\n", "M", "line 2: ZeroDivisionError"),
        ("import no_such_module\n", "M", "line 1: ModuleNotFoundError"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path, text, name, message):
    path = tmp_path / "broken.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        find(f"{path}:{name}")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("place", ["nowhere.py:Mode", "./folder:Mode", ":Mode"])
def test_a_file_that_is_not_there(place):
    with pytest.raises(InputError, match="there is no Python file"):
        find(place)


HELPED = """\
from helper import title
from modeloom.spec import Keys, Mode


class Mine(Mode):
    name = "mine"
    source = security = "a test"
    title = title
    tweak_sizes = (16,)

    def setup(self, o, key):
        return Keys()

    def encrypt(self, o, k, t, p):
        from later import mask
        return [o.enc(x ^ mask(o, t, i)) for i, x in enumerate(p)]

    def decrypt(self, o, k, t, c):
        from later import mask
        return [o.dec(x) ^ mask(o, t, i) for i, x in enumerate(c)]
"""


OWN = HELPED.replace("from helper import title", "title = 'own'")


def helped(folder, title, step):
    """A definition in a folder with two modules beside it, one that it imports at once and one when it runs."""
    folder.mkdir()
    (folder / "mine.py").write_text(HELPED)
    (folder / "helper.py").write_text(f"title = {title!r}\n")
    (folder / "later.py").write_text(f"def mask(o, t, i):\n    return o.double(t[0], {step} * i)\n")
    return f"{folder / 'mine.py'}:Mine"


def test_definitions_import_what_stands_beside_them(tmp_path):
    """Two folders, modules of one name in each: nothing of either is seen by the other, or outside."""
    places = [helped(tmp_path / name, name, step) for step, name in enumerate("ab", 1)]
    before = list(sys.path), set(sys.modules)
    modes = [find(place) for place in places]
    assert [mode.title for mode in modes] == ["a", "b"]
    for turn in range(2):
        keyed = [Model(mode, bytes(16)).encrypt(bytes(range(16)), bytes(48)) for mode in modes]
        assert keyed[0][:16] == keyed[1][:16] and keyed[0][16:] != keyed[1][16:], turn
        hashes = [trace(mode, 48, 16).nodes for mode in modes]
        assert hashes[0] != hashes[1]
    assert compile_mode(modes[1], Options(sector=48, restarts=0)).explain()["inverse"] == "proved"
    new = {name for name in set(sys.modules) - before[1] if not name.startswith(("modeloom", "ortools", "numpy", "scipy", "pandas"))}
    assert sys.path == before[0] and not new & {"helper", "later", "mine"}
    assert not list(tmp_path.rglob("*.pyc"))


def test_a_module_of_the_same_name_stays_what_it_was(tmp_path, monkeypatch):
    own = types.ModuleType("helper")
    monkeypatch.setitem(sys.modules, "helper", own)
    assert find(helped(tmp_path / "a", "beside", 1)).title == "beside"
    assert sys.modules["helper"] is own


def test_a_changed_helper_is_read_again(tmp_path):
    place = helped(tmp_path / "a", "old", 1)
    assert find(place).title == "old"
    (tmp_path / "a" / "helper.py").write_text("title = 'new'\n")
    assert find(place).title == "new"


@pytest.mark.parametrize(
    ("helper", "message"),
    [
        ("x = = 1\n", "helper.py, line 1: SyntaxError: invalid syntax"),
        ("title = 1 / 0\n", "mine.py, line 1: ZeroDivisionError: division by zero"),
        ("import no_such_module\n", "mine.py, line 1: ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit(3)\n", "mine.py, line 1: the file ends the program; it must only define modes"),
    ],
)
def test_a_wrong_helper_is_said_in_one_line(tmp_path, helper, message):
    place = helped(tmp_path / "a", "a", 1)
    (tmp_path / "a" / "helper.py").write_text(helper)
    with pytest.raises(InputError) as caught:
        find(place)
    assert str(caught.value).endswith(message)


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("def Mine():\n    pass\n", "Mine", "mine.py: Mine is a function and not a mode; name a subclass of modeloom.spec.Mode"),
        ("class Mine:\n    pass\n", "Mine", "mine.py: Mine is a class and not a mode; name a subclass of modeloom.spec.Mode"),
        (OWN + "\n\nmine = Mine()\n", "mine", "mine.py: mine is an instance of Mine; name the class: mine.py:Mine"),
        ("Mine = 5\n", "Mine", "mine.py: Mine is of type int and not a mode; name a subclass"),
        ("from modeloom.spec import Mode\n", "Mode", "Mode: Mode has no name"),
    ],
)
def test_names_that_are_no_class_of_modes(tmp_path, monkeypatch, text, name, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(InputError) as caught:
        find(f"mine.py:{name}")
    assert str(caught.value).startswith(message) and "\n" not in str(caught.value)


def test_an_imported_mode_may_be_named(tmp_path):
    place = helped(tmp_path / "a", "a", 1)
    (tmp_path / "a" / "other.py").write_text("from mine import Mine\n")
    assert find(place.replace("mine.py", "other.py")).title == "a"


def test_a_core_finds_its_definition_from_any_folder(tmp_path, monkeypatch):
    """``core.json`` names the file as seen from the core, so that it says nothing of the folders above both."""
    stored = []
    for root in (tmp_path / "one", tmp_path / "two" / "deeper"):
        root.mkdir(parents=True)
        place = helped(root / "definitions", "a", 1)
        monkeypatch.chdir(root)
        options = Options(sector=48, direction="encrypt", cipher_arch="sequential", cipher_stages=1, restarts=0)
        for given in ("definitions/mine.py:Mine", place):
            emit(SectorCore(compile_mode(find(given), options)), "cores/mine", command="modeloom build")
            stored.append((root / "cores" / "mine" / "core.json").read_bytes())
    assert len(set(stored)) == 1
    description = json.loads(stored[0])
    assert description["definition"] == "../../definitions/mine.py:Mine"
    monkeypatch.chdir("/")
    core = tmp_path / "one" / "cores" / "mine"
    assert find(description["definition"], core).title == "a"
    with pytest.raises(InputError, match="there is no Python file ../../definitions/mine.py in /"):
        find(description["definition"], "/")
