# SPDX-License-Identifier: Apache-2.0
"""The pages speak of what there is: links, commands, folders, files, code."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click import Context
from tests.generality.quad256 import QUAD256, Quad256, QuadKeySchedule, QuadPipeline

from modeloom.ciphers import CoreRequest
from modeloom.cli import cli
from modeloom.compiler.compile import compile_mode
from modeloom.definition.software import Model
from modeloom.modes import BUILT_IN
from modeloom.options.messages import StreamOptions
from modeloom.options.sectors import Options
from modeloom.spec import CIPHER
from modeloom.version import VERSION

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]

CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_exist(page):
    for command in re.findall(r"(?:`|\$ )modeloom ([a-z]+)", page.read_text(encoding="utf-8")):
        assert command in cli.commands, f"{page.name} speaks of modeloom {command}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_options_exist(page):
    parameters = [parameter for command in cli.commands.values() for parameter in command.get_params(Context(command))]
    known = {name for parameter in parameters for name in (*parameter.opts, *parameter.secondary_opts)}
    text = re.sub(r"^\$ (?!modeloom).*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for option in set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", text)) - {"--accept", "--check", "--store", "--slow", "--shard"}:
        assert option in known or option in ("--help", "--version"), f"{page.name} speaks of {option}"


def test_readme_lists_every_command():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `modeloom ([a-z]+)", text, flags=re.MULTILINE)) == cli.commands.keys()


def test_layout_lists_every_room_and_file():
    text = (ROOT / "docs" / "layout.md").read_text(encoding="utf-8")
    package = ROOT / "src" / "modeloom"
    rooms = {path.name for path in package.iterdir() if (path / "__init__.py").is_file()}
    named = set(re.findall(r"`([a-z]+)/", text))
    assert rooms <= named
    files = {path.name for path in package.glob("*.py")} - {"version.py"}
    assert files <= set(re.findall(r"`([a-z_]+\.py)`", text))


FOLDERS = {name: ROOT / name for name in ("src", "tests", "tools", "docs", "baselines", "bench")}
FOLDERS |= {path.parent.name: path.parent for place in ("src", "src/modeloom") for path in (ROOT / place).glob("*/__init__.py")}
"""The folders of the project and the rooms of the package, by the names with which paths in documents begin."""


def missing(text: str) -> list[str]:
    """Files and folders that a page names and that are not there.  Words in capitals stand for something, and the test plan names files
    in the folder of the tests."""
    found = {name for name in re.findall(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]*)", text) if not re.search("[A-Z]{3}", name)}
    places = {name: (FOLDERS[name.split("/")[0]].parent, ROOT / "tests") for name in found}
    return sorted(name for name in found if not any((place / name).exists() for place in places[name]))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_sources_that_are_named_exist(page):
    assert missing(page.read_text(encoding="utf-8")) == []


def test_what_is_gone_is_found():
    text = "`compiler/dump.py`, `tests/docs/test_pages.py::missing`, `rtl/`, `compiler/gone.py`, `tests/gone.py::test` and `tests/NAME.py`"
    assert missing(text) == ["compiler/gone.py", "tests/gone.py"]


def test_changes_have_the_version():
    assert f"## {VERSION}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_licence():
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text and "Version 2.0, January 2004" in text and "END OF TERMS AND CONDITIONS" in text


def test_the_mode_of_the_page_works():
    """The mode of the page is proved and invertible, and is as short as the page says."""
    blocks = CODE.findall((ROOT / "docs" / "new-mode.md").read_text(encoding="utf-8"))
    names: dict = {}
    exec(compile(blocks[0], "new-mode.md", "exec"), names)
    mode = names["HEHPoly"]()
    body = blocks[0][blocks[0].index("class ") :]
    assert len([line for line in body.splitlines() if line.strip()]) < 30
    compiled = compile_mode(mode, Options(sector=128))
    assert compiled.proved and compiled.explain()["ii"] == 9
    key, tweak = bytes(range(32)), bytes(range(16))
    for size in (32, 128):
        data = bytes(i * 7 & 255 for i in range(size))
        secret = Model(mode, key).encrypt(tweak, data)
        assert secret != data and Model(mode, key).decrypt(tweak, secret) == data
    assert mode.name not in {built_in.name for built_in in BUILT_IN}
    assert mode.key_parts == (CIPHER, "h")


def test_the_other_code_of_the_page_runs():
    """Each block of code runs after those before it, and the compiler's calls of the cipher's description work."""
    names: dict = {"Quad256": Quad256, "QuadPipeline": QuadPipeline, "QuadKeySchedule": QuadKeySchedule}
    for block in CODE.findall((ROOT / "docs" / "new-mode.md").read_text(encoding="utf-8")):
        exec(compile(block, "new-mode.md", "exec"), names)
    cipher = names["QUAD256"]
    assert names["WideHEH"].cipher is cipher and names["ESSIV"].fixed_key_bits == {"S": 256}
    for stages in (1, 2):
        request = CoreRequest(direction="encrypt", form="pipelined", key_bits=256, stages=stages, slots=2)
        assert cipher.hardware(request).latency == cipher.timing(request).latency
    assert cipher.round_keys(256) == QUAD256.round_keys(256) and isinstance(cipher.key_schedule(256), QuadKeySchedule)


def test_an_installed_mode_is_found(tmp_path):
    """The entry point of the page, in a package that is only on the path."""
    page = (ROOT / "docs" / "new-mode.md").read_text(encoding="utf-8")
    entry = tomllib.loads(re.search(r"```toml\n(.*?)```", page, re.DOTALL)[1])
    (name, target), *_ = entry["project"]["entry-points"]["modeloom.modes"].items()
    module, cls = target.split(":")
    folder = tmp_path.joinpath(*module.split(".")[:-1])
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / f"{module.split('.')[-1]}.py").write_text(CODE.findall(page)[0])
    info = tmp_path / "my_package-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[modeloom.modes]\n{name} = {module}:{cls}\n")
    script = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT / 'src')!r}]; import modeloom.modes as m; print(*m.all_modes())"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert name in result.stdout.split()


def test_options_that_do_not_go_together():
    """The table of the page has the pairs that are refused, with the reasons that the commands give."""
    text = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(--[^`]+)`, `(--[^`]+)` \| (.+)\. \|$", text, re.M)
    assert {(left, right): why[0].lower() + why[1:] for left, right, why in rows} == StreamOptions.pairs()
