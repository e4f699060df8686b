# SPDX-License-Identifier: Apache-2.0
"""``modeloom sweep``: what it prints, the files that it writes, and its exit status."""

import csv
import io
import json
import re
import sqlite3
import sys
from contextlib import closing
from functools import partial

import pytest
from rich.console import Console
from tests.sweeps import CIRCUITS, contents, stopping, write

from modeloom.cli.sweeps import sweep_progress
from modeloom.emit import CheckFailed
from modeloom.synth import SynthesisError

sweep_command = sys.modules["modeloom.cli.sweeps"]

PROGRESS = re.compile(r"(?:\d+/5 .*\n)*5/(5) .*\n")
"""What a sweep of five points prints on standard error, if that is no terminal."""

GRID = CIRCUITS + '[[grid]]\nmodes = ["xts"]\nsector = 16\naes = 3\n'


@pytest.fixture
def grid(folder):
    (folder / "grid.toml").write_text(GRID, encoding="utf-8")
    return folder


def test_points_and_files(run, grid):
    done = run("sweep", "grid.toml", "--jobs", "1", "--csv", "a.csv", "--latex", "a.tex")
    assert done.status == 0 and PROGRESS.fullmatch(done.err)[1] == "5"
    lines = done.out.splitlines()
    assert lines[0].split()[:2] == ["name", "options"] and sum(line.startswith("karatsuba ") and " halt " in line for line in lines) == 3
    assert lines[-2].startswith("refused: modeloom explain xts --cipher-cores 3 --sector 16: --cipher-cores 3 gives no default for --lanes")
    assert lines[-1] == "5 points in grid.sqlite: 0 reused, 5 run, 1 without results"
    rows = list(csv.DictReader((grid / "a.csv").open(encoding="utf-8")))
    assert [row["option:halt"] for row in rows] == ["2", "4", "8", "", ""] and rows[-1]["status"] == "refused"
    assert rows[-1]["command"] == "modeloom explain xts --cipher-cores 3 --sector 16"
    tex = (grid / "a.tex").read_text(encoding="utf-8")
    assert tex.startswith(r"\begin{tabular}{") and tex.count(r" \\") == 5 and "karatsuba & halt 2 & " in tex
    again = run("sweep", "grid.toml", "--json")
    report = json.loads(again.out)
    assert (report["schema"], report["known"], report["ran"]) == ("modeloom-sweep-report-1", 5, 0)
    assert [point["status"] for point in report["points"]] == ["ok"] * 4 + ["refused"]
    assert len(contents(grid / "grid.sqlite")) == 5


def test_a_failing_point_is_told(run, grid, monkeypatch):
    monkeypatch.setattr("modeloom.sweep.configuration.VERSION", "9.9.9")
    done = run("sweep", "grid.toml", "--results", "other.sqlite")
    assert done.status == 1 and "error: modeloom circuit karatsuba --halt 2: the worker has modeloom 0.1.0" in done.out
    assert done.err.splitlines()[-1] == "modeloom: 5 points did not finish; the next run repeats them"
    assert "\n5/5 xts, cipher-cores 3, sector 16: error: the worker has modeloom 0.1.0" in done.err


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_failed_check_is_the_exit_status(run, grid, more):
    """The other points and all files are there nevertheless, and the next run says it again."""
    assert run("sweep", "grid.toml", "--jobs", "1").status == 0
    with closing(sqlite3.connect(grid / "grid.sqlite")) as base, base:
        base.execute("update points set status = 'failed', error = 'the proof failed' where command like '%halt 4'")
    done = run("sweep", "grid.toml", "--csv", "a.csv", *more)
    # The next run does not repeat this point, so no warning says so.
    assert done.status == 1 and done.err == "modeloom: 1 point failed a check\n"
    assert "the proof failed" in done.out and "halt" in done.out and len((grid / "a.csv").read_text(encoding="utf-8").splitlines()) == 6


def test_a_bench_that_fails_is_the_exit_status(run, folder):
    """Where the point runs, a byte of the S-box of the key schedule is changed after the core has been emitted, so that its bench fails."""
    does = """
import modeloom.emit
import modeloom.sweep.point as point
def emit(core, directory, **more):
    modeloom.emit.emit(core, directory, **more)
    (file,) = directory.glob("*.v")
    text = file.read_text()
    assert text.count("aes_sbox[0] = 8'h63;") == 1
    file.write_text(text.replace("aes_sbox[0] = 8'h63;", "aes_sbox[0] = 8'h62;"))
point.emit = emit
"""
    grid = '[[grid]]\nmodes = ["mine.py:Mine"]\nsimulate = true\nsector = 32\naes-arch = "sequential"\ndirection = "encrypt"\n'
    write(folder, CIRCUITS + grid, stopping(does))
    done = run("sweep", "a.toml", "--jobs", "1")
    assert done.status == 1 and done.err.endswith("\nmodeloom: 1 point failed a check\n")
    assert ": failed: " in done.err
    assert "\nfailed: modeloom build mine.py:Mine" in done.out and "5 points in a.sqlite: 0 reused, 5 run, 1 without results" in done.out
    assert sorted((row["status"], row["simulated"]) for row in contents(folder / "a.sqlite")) == [("failed", None)] + [("ok", None)] * 4
    again = run("sweep", "a.toml")
    assert (again.status, again.err) == (1, "modeloom: 1 point failed a check\n") and "5 reused, 0 run" in again.out


def test_a_missing_tool_is_told(run, folder, monkeypatch):
    """One line before anything runs if all points need it, and a point without figures if others do not."""

    def missing(device):
        raise SynthesisError("nextpnr is missing: install it")

    monkeypatch.setattr("modeloom.sweep.configuration.find_nextpnr", missing)
    routed = '[[grid]]\ncircuits = ["karatsuba"]\ntargets = ["ecp5"]\npnr = true\n'
    write(folder, routed)
    done = run("sweep", "a.toml")
    assert (done.status, done.out, done.err) == (2, "", "modeloom: nextpnr is missing: install it\n")
    write(folder, routed + CIRCUITS)
    done = run("sweep", "a.toml")
    command = "modeloom circuit karatsuba --target ecp5 --pnr"
    assert done.status == 1 and f"\nerror: {command}: nextpnr is missing: install it\n" in done.out
    assert done.err.endswith("\nmodeloom: 1 point did not finish; the next run repeats it\n")


def test_the_exit_status_counts_what_has_no_result():
    """What no core can have is a result.  Every other point without figures is an error."""
    def rows(*statuses):
        return [{"status": status} for status in statuses]

    sweep_command._checked(rows("ok", "refused"))
    for status in ("error", "crashed", "timeout"):
        with pytest.raises(CheckFailed, match="^1 point did not finish; the next run repeats it$"):
            sweep_command._checked(rows("ok", "refused", status))
    with pytest.raises(CheckFailed, match="^1 point failed a check; 2 points did not finish; the next run repeats them$"):
        sweep_command._checked(rows("failed", "crashed", "timeout"))


def test_a_log_has_a_line_for_each_point(monkeypatch, capsys):
    """Without a terminal, such as with nohup: what has ended, and the time that is left."""
    seconds = [0.0]
    monkeypatch.setattr(sweep_command, "monotonic", lambda: seconds[0])
    row = {"status": "ok", "name": "karatsuba", "options": '{"halt": 2}', "target": "xc7", "error": None}
    with sweep_progress("grid", lines=True) as progress:
        progress(0, 3, None)
        for done, more in enumerate(({}, {"status": "crashed", "error": "exit status 3"}, {"options": "{}", "target": None}), 1):
            seconds[0] += 60
            progress(done, 3, {**row, **more})
            assert capsys.readouterr().err == (
                "1/3 karatsuba, halt 2, xc7: ok; 0:02:00 left\n", "2/3 karatsuba, halt 2, xc7: crashed: exit status 3; 0:01:00 left\n",
                "3/3 karatsuba: ok\n",
            )[done - 1]


def test_the_progress_shows_the_time_left(monkeypatch):
    """On a terminal whose clock is that of the test: points that take a minute each."""
    screen, seconds = io.StringIO(), [0.0]
    terminal = partial(Console, file=screen, force_terminal=True, width=120, get_time=lambda: seconds[0])
    monkeypatch.setattr("rich.console.Console", lambda *, stderr: terminal())
    row = {"status": "ok", "name": "karatsuba", "command": "", "error": None}
    with sweep_progress("grid") as progress:
        progress(0, 5, None)
        for done in (1, 2):
            seconds[0] += 60
            progress(done, 5, row)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue())
    assert re.search(r"grid: karatsuba +\S+ +2/5 +0:02:00 +left +0:03:00", shown)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["none.toml"], "there is no file none.toml"),
        (["grid.toml", "--results", "x.parquet"], "x.parquet: the results are an SQLite database; give a name such as x.sqlite"),
        (["grid.toml", "--results", "grid.toml"], "grid.toml is not a file of results, or it is damaged"),
        (["grid.toml", "--csv", "none/a.csv"], "there is no folder none for the output"),
        (["grid.toml", "--latex", "grid.toml"], "grid.toml is the input"),
        (["grid.toml", "--csv", "grid.sqlite"], "grid.sqlite is the file of results; give another file for --csv"),
        (["grid.toml", "--results", "b.sqlite", "--latex", "./b.sqlite"], "b.sqlite is the file of results; give another file for --latex"),
        (["grid.toml", "--csv", "a", "--latex", "a"], "--csv and --latex name the same file a;"),
        (["grid.toml", "--jobs", "2", "--scheduler", "tcp://127.0.0.1:1"], "leave out one of them"),
        (["grid.toml", "--scheduler", "127.0.0.1:x"], "no Dask scheduler answers at 127.0.0.1:x"),
    ],
)  # fmt: skip
def test_wrong_inputs(run, grid, arguments, told):
    before = {path.name: path.read_bytes() for path in grid.iterdir()}
    done = run("sweep", *arguments)
    assert (done.status, done.out) == (2, "") and done.err.startswith("modeloom: ") and done.err.count("\n") == 1
    assert told in done.err and {path.name: path.read_bytes() for path in grid.iterdir()} == before


def test_a_missing_dask_is_named(run, grid, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = run("sweep", "grid.toml", "--scheduler", "tcp://127.0.0.1:1")
    assert done.status == 2 and done.err == "modeloom: Dask is not installed; install it with: pip install 'modeloom[cluster]'\n"
