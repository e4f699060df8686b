# SPDX-License-Identifier: Apache-2.0
"""Mutation testing itself: a hole in the tests of a small package is told, good tests leave none, and a checker's mutants die."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.built import slow
from tests.scripts import ROOT

sys.path.append(str(ROOT / "tools"))

from mutants.campaign import choose, equivalents, load, summary  # noqa: E402
from mutants.operators import changes, mutations, statements  # noqa: E402
from mutants.probes import probed  # noqa: E402

SOURCE = '''"""A document with 3 < 4."""

from __future__ import annotations


def within(x: int, low: int = 0, high: int = 10) -> bool:
    """Whether low <= x < high."""
    if x is None:
        raise ValueError(f"{low} < {high}")
    if low >= high:
        return False
    return low <= x < high
'''

GOOD = """
import pytest
from tiny.spec.limit import within


def test_within():
    assert [within(x) for x in (-1, 0, 9, 10)] == [False, True, True, False]
    assert not within(3, 4, 2)
    with pytest.raises(ValueError):
        within(None)
"""

HOLE = """
from tiny.spec.limit import within


def test_within():
    assert within(5) and not within(-1)
"""


def project(root: Path, tests: str) -> Path:
    """A small project."""
    for path, text in {
        "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "--import-mode=importlib"\n',
        "src/tiny/__init__.py": "", "src/tiny/spec/__init__.py": "", "src/tiny/spec/limit.py": SOURCE,
        "tests/spec/test_limit.py": tests, "baselines/.keep": "",
    }.items():  # fmt: skip
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def run(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """``tools/mutate.py`` for a project."""
    command = [sys.executable, ROOT / "tools/mutate.py", "--project", root, "--jobs", "1", *options]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def results(root: Path) -> dict[str, str]:
    """What has become of each mutant."""
    return {entry["what"]: entry["outcome"] for entry in json.loads((root / "baselines/mutation.json").read_text())["mutants"]}


SAME = "within: >= in low >= high -> >"


def test_operators() -> None:
    found = mutations(SOURCE)
    assert {m.what for m in found} == {
        ": 0 -> 1", ": 10 -> 9", ": 10 -> 11", "within: is in x is None -> is not",
        'within: raise ValueError(f"{low} < {high}") -> pass', SAME, "within: >= in low >= high -> <", "within: False -> True",
        "within: <= in low <= x < high -> <", "within: <= in low <= x < high -> >", "within: < in low <= x < high -> <=",
        "within: < in low <= x < high -> >=",
    }  # fmt: skip
    assert all(changes(m, SOURCE) for m in found)
    assert {m.line for m in found} == {6, 8, 9, 10, 11, 12}, "no document, no annotation, no message"


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("a and not b", {"a or not b", "((a))", "((not b))", "a and (b)"}),
        ("f(a, b)", {"f(b, a)"}),
        ("min(a, 3)", {"max(a, 3)", "min(a, 4)", "min(a, 2)"}),
        ("a[1:b]", {"a[:b]", "a[1:]", "a[2:b]", "a[0:b]"}),
        ("a + b << c", {"a - b << c", "a + b >> c"}),
        ("a if b else c", {"a if (not (b)) else c"}),
        ("[a for a in b if a]", {"[a for a in b if (not (a))]", "[a for a in b if True]"}),
        ("m.If(a)", {"m.If((a) == 0)"}),
        ("f'{a < b}' + 'c'", set()),
        ("a is not None", {"a is None"}),
    ],
)  # fmt: skip
def test_operators_of_expressions(source: str, wanted: set[str]) -> None:
    whole = f"def g():\n    return {source}\n"
    assert {m.apply(whole).split("return ")[1].strip() for m in mutations(whole)} == wanted


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("a.b = c\nd.e()", {"return\na.b = c\nd.e()", "pass\nd.e()", "a.b = c\npass"}),
        ("self.fail(a < b)", {"pass"}),
        ("a += b", {"pass", "a -= b"}),
        ("m.d.comb += a", {"pass"}),
        ("for a in b:\n    continue", {"for a in b:\n    break"}),
        ("while a < b:\n    break", {"while a <= b:\n    break", "while a >= b:\n    break", "while a < b:\n    continue"}),
    ],
)  # fmt: skip
def test_operators_of_statements(body: str, wanted: set[str]) -> None:
    def shifted(text: str) -> str:
        return "\n".join(f"    {line}" for line in text.splitlines())

    whole = f"def g():\n{shifted(body)}\n"
    assert {m.apply(whole) for m in mutations(whole)} == {f"def g():\n{shifted(text)}\n" for text in wanted}


def test_names_of_mutants_stay_when_lines_move() -> None:
    moved = SOURCE.replace("def within", "LIMIT = ()\n\n\ndef within")
    assert {m.what for m in mutations(SOURCE)} == {m.what for m in mutations(moved)}


def test_probes_move_no_line() -> None:
    for path in ("src/modeloom/ir/lower.py", "src/modeloom/spec/field.py", "src/modeloom/prove/execute.py"):
        source = (ROOT / path).read_text(encoding="utf-8")
        text, count = probed(source, 5)
        assert count == len(statements(source)) > 10
        assert len(text.splitlines()) == len(source.splitlines())
        compile(text, path, "exec")


def test_the_choice_of_mutants_depends_on_the_seed_alone() -> None:
    package = ROOT / "src/modeloom"
    first, again, other = (choose(package, "spec", 12, seed) for seed in (1, 1, 2))
    assert [m.key for m in first] == [m.key for m in again] != [m.key for m in other]
    assert [m.key for m in choose(package, "spec", 5, 1)] == [m.key for m in first[:5]]
    # What was drawn before stays, in whatever other files there are; only what is missing is drawn.
    kept = {other[-1].key, ("modeloom/spec/gone.py", "f: 1 -> 0")}
    assert [m.key for m in choose(package, "spec", 12, 1, kept=kept)] == [other[-1].key, *(m.key for m in first if m.key not in kept)][:12]


def test_good_tests_kill_all(tmp_path: Path) -> None:
    """But the one mutant that computes the same, which has a reason."""
    root = project(tmp_path, GOOD)
    reason = {"file": "tiny/spec/limit.py", "what": SAME, "reason": "nothing lies in an interval whose ends are equal"}
    (root / "equivalent.json").write_text(json.dumps([reason]))
    done = run(root, "--equivalent", str(root / "equivalent.json"))
    assert done.returncode == 0, done.stdout + done.stderr
    found = results(root)
    assert found.pop(SAME) == "equivalent" and len(found) == 11
    assert set(found.values()) == {"killed"}
    assert "| spec | 12 | 1 | 11 | 0 | 100.0 % |" in done.stdout
    assert run(root, "--summary").stdout in done.stdout


def test_a_hole_is_told_and_closed(tmp_path: Path) -> None:
    root = project(tmp_path, HOLE)
    done = run(root)
    found = results(root)
    assert done.returncode == 1, done.stdout + done.stderr
    assert {what for what, outcome in found.items() if outcome == "survived"} >= {
        "within: < in low <= x < high -> <=", "within: <= in low <= x < high -> <", 'within: raise ValueError(f"{low} < {high}") -> pass',
    }  # fmt: skip
    assert found["within: <= in low <= x < high -> >"] == "killed"
    (root / "tests/spec/test_limit.py").write_text(GOOD)
    again = run(root, "--again")
    left = [what for what, outcome in results(root).items() if outcome == "survived"]
    assert left == [SAME], again.stdout
    assert "killed tiny/spec/limit.py:12" in again.stdout


def test_tools_that_a_test_starts_run_the_mutant(tmp_path: Path) -> None:
    tests = """
import subprocess
import sys


def test_within():
    script = "from tiny.spec.limit import within; raise SystemExit(not within(9) or within(10))"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0
"""
    root = project(tmp_path, tests)
    run(root)
    found = results(root)
    assert found["within: < in low <= x < high -> <="] == "killed"
    assert found["within: <= in low <= x < high -> <"] == "survived", "the test is silent on 0"


def test_what_one_test_has_made_is_looked_at_by_others(tmp_path: Path) -> None:
    """The second test does not run the source any more, but meets its mutants."""
    tests = """
from functools import cache

from tiny.spec.limit import within


@cache
def made():
    return [within(x) for x in range(12)]


def test_first():
    assert len(made()) == 12


def test_second():
    assert made() == [True] * 10 + [False] * 2
"""
    root = project(tmp_path, tests)
    run(root)
    assert results(root)["within: < in low <= x < high -> <="] == "killed"


def test_a_test_does_not_compare_the_mutant_with_its_source(tmp_path: Path) -> None:
    """Its own path, from which it starts a process, is that of the copy with the mutant."""
    tests = """
import subprocess
import sys
from pathlib import Path

from tiny.spec.limit import within


def test_within():
    source = Path(__file__).parents[2] / "src"
    script = f"import sys; sys.path.insert(0, {str(source)!r}); from tiny.spec.limit import within; print(within(9), within(10))"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout
    assert said == f"{within(9)} {within(10)}\\n"
"""
    root = project(tmp_path, tests)
    run(root)
    assert results(root)["within: < in low <= x < high -> <="] == "survived"


@slow
def test_mutants_that_do_not_end_are_killed(tmp_path: Path) -> None:
    root = project(tmp_path, "from tiny.spec.count import down\n\n\ndef test_down():\n    assert down(3) == 0\n")
    (root / "src/tiny/spec/count.py").write_text("def down(n):\n    while n > 0:\n        n -= 1\n    return n\n")
    done = run(root, "--at", "spec/count.py:3", "--patience", "2")
    assert done.stdout.count("killed") == 4 and "[out of time]" in done.stdout, done.stdout + done.stderr
    assert not (root / "baselines/mutation.json").exists()


def test_mutants_of_a_checker_are_killed(tmp_path: Path) -> None:
    """The check of timing channels that takes a part of the tweak for public, or other bits of a command for secret."""
    for path in ("pyproject.toml", "src", "tests/taint/made.py", "tests/taint/test_control.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / path).is_dir() else shutil.copy2)(ROOT / path, tmp_path / path)
    source = (ROOT / "src/modeloom/taint/check.py").read_text(encoding="utf-8").splitlines()
    for text, count in (("port[secret.low : ", 5),):
        line = next(n for n, found in enumerate(source, 1) if text in found)
        done = run(tmp_path, "--at", f"taint/check.py:{line}")
        assert done.returncode == 0 and done.stdout.count("killed modeloom/taint/check.py") == count, done.stdout + done.stderr


def test_stored_results_are_those_of_the_page() -> None:
    """Every equivalent mutant has its reason, and every killed one its test."""
    stored = load(ROOT / "baselines/mutation.json")
    text = (ROOT / "docs/development.md").read_text(encoding="utf-8")
    assert summary(list(stored.values())) in text
    reasons = equivalents(ROOT / "tools/mutants/equivalent.json")
    for key, result in stored.items():
        assert result.outcome in ("killed", "survived", "equivalent")
        assert (result.outcome == "equivalent") == (key in reasons), key
        assert result.by or result.outcome == "survived", key
    assert all(len(reason) > 20 for reason in reasons.values())
