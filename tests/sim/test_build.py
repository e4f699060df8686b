# SPDX-License-Identifier: Apache-2.0
"""Building and caching: compiled once, shared by processes, clear errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.sim.designs import Counter, convert

from modeloom.sim import BuildError, Simulation, build, cache_directory
from modeloom.sim import build as build_function
from modeloom.sim.build import share_tables, split_eval

build_module = sys.modules[build_function.__module__]


@pytest.fixture
def counter() -> str:
    return convert(Counter(), "counter")


def test_second_build_runs_no_tool(counter, monkeypatch):
    first = build(counter, "counter", optimize=0)
    build_module._compiler_version(tuple(build_module.compiler()))

    def forbidden(command, what):
        raise AssertionError(f"{what} was started")

    monkeypatch.setattr(build_module, "_run", forbidden)
    assert build(counter, "counter", optimize=0) == first
    assert first.parent == cache_directory()
    with pytest.raises(AssertionError, match="Yosys was started"):
        build(counter.replace("4'1001", "4'1000"), "counter", optimize=0)


def test_source_locations_do_not_matter(counter):
    moved = counter.replace("designs.py", "elsewhere.py")
    assert moved != counter
    assert build(moved, "counter", optimize=0) == build(counter, "counter", optimize=0)


def test_key_depends_on_design_and_flags(counter):
    changed = counter.replace("4'1001", "4'1000")
    assert changed != counter
    libraries = {build(counter, "counter", optimize=0), build(counter, "counter", optimize=1),
                 build(changed, "counter", optimize=0)}
    assert len(libraries) == 3
    assert Simulation(build(changed, "counter", optimize=0)).get("tied") == 8


def test_two_processes_at_once(counter, tmp_path):
    (tmp_path / "counter.il").write_text(counter)
    script = ("import sys; from pathlib import Path; from modeloom.sim import Simulation, build\n"
              "s = Simulation(build(Path(sys.argv[1]).read_text(), 'counter', optimize=0))\n"
              "s.set('enable', 1); s.step(5)\n"
              "print(s.get('count'))")
    source = str(Path(build_module.__file__).parents[2])
    path = os.pathsep.join([source, *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "MODELOOM_CACHE": str(tmp_path / "cache"), "PYTHONPATH": path}
    children = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "counter.il")], env=environment,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(2)]
    outputs = [child.communicate(timeout=120)[0] for child in children]
    assert outputs == ["8\n", "8\n"]
    left = sorted(path.suffix for path in (tmp_path / "cache").iterdir() if path.suffix != ".lock")
    assert left == ([".gch", ".h"] if build_module._is_gcc(tuple(build_module.compiler())) else []) + [".o", ".so"]


@pytest.mark.parametrize("suffix", [".h", ".h.gch"])
def test_a_header_that_was_removed_is_written_again(counter, tmp_path, monkeypatch, suffix):
    """The cache may be cleaned in part, and the compiler needs the text if the precompiled header does not fit."""
    monkeypatch.setenv("MODELOOM_CACHE", str(tmp_path))
    build(counter, "counter", optimize=0)
    headers = list(tmp_path.glob(f"header-*{suffix}"))
    assert len(headers) == build_module._is_gcc(tuple(build_module.compiler())), "no other compiler has a precompiled header"
    for header in headers:
        header.unlink()
    build(counter, "counter", optimize=0, cache=False)
    assert all(header.exists() for header in headers)


def test_errors_are_one_line(counter, monkeypatch):
    with pytest.raises(ValueError, match="no module named 'missing'"):
        build(counter, "missing")
    with pytest.raises(ValueError, match="optimize"):
        build(counter, "counter", optimize=7)
    with pytest.raises(ValueError, match="plain module name"):
        build(counter, "counter; shell ls")
    with pytest.raises(BuildError, match=r"^Yosys failed.*ERROR") as error:
        build(counter.replace("cell $add", "cell $addd"), "counter")
    assert "\n" not in str(error.value)
    monkeypatch.setenv("CXX", "no-such-compiler -x")
    with pytest.raises(BuildError, match="not on the path"):
        build(counter, "counter", optimize=0)
    monkeypatch.delenv("CXX")
    monkeypatch.setattr(build_module.shutil, "which", lambda name: None)
    monkeypatch.setattr(build_module.util, "find_spec", lambda name: None)
    with pytest.raises(BuildError, match=r"apt-get install g\+\+"):
        build(counter, "counter", optimize=0)


def test_a_design_with_a_module_that_is_kept_is_split(tmp_path):
    """The class of such a module stands in the header before that of the design, which gets the parts."""
    classes = "".join(
        f"struct {name} : public module {{\n\tbool eval(performer *performer = nullptr) override;\n}};\n" for name in ("p_kept", "p_top")
    )
    header, source = tmp_path / "design.h", tmp_path / "design.cc"
    header.write_text(classes)
    statements = "".join(f"\t// cell {n}\n\tstep({n});\n" for n in range(20))
    body = f"bool p_top::eval(performer *performer) {{\n\tbool converged = true;\n{statements}\treturn converged;\n}}\n"
    source.write_text(f'#include "design.h"\n{body}')
    files = split_eval(source, header, "top", 60)
    kept, top = header.read_text().split("struct p_top")
    assert len(files) > 2 and "eval_part_" not in kept and "void eval_part_0(performer *performer);" in top


def test_memories_with_equal_contents_are_filled_from_one_table(tmp_path):
    def table(number, *values):
        words = ", ".join(f"value<8>{{{value}u}}" for value in values)
        return (
            f"\tstatic const value<8> mem_init_{number}[2] {{\n\t\t{words},\n\t}};\n"
            f"\tstd::copy(std::begin(mem_init_{number}), std::end(mem_init_{number}), &memory_{number}.data[0]);\n"
        )

    source = tmp_path / "design.cc"
    one = f"void p_top::reset() {{\n{table(1, 3, 4)}{table(2, 3, 5)}{table(12, 3, 4)}}}\n"
    other = f"void p_kept::reset() {{\n{table(1, 3, 4)}}}\n"
    source.write_text(f"// head\n{one}{other}bool p_top::eval(performer *performer) {{\n}}\n")
    share_tables(source)
    text = source.read_text()
    assert text.count("static const") == 3 and other in text
    assert table(1, 3, 4) in text and table(2, 3, 5) in text
    assert "copy(std::begin(mem_init_1), std::end(mem_init_1), &memory_12.data[0]);" in text and "mem_init_12" not in text
