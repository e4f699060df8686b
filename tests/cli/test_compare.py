# SPDX-License-Identifier: Apache-2.0
"""``modeloom compare`` and ``modeloom choose``: what they print, and the files that they write."""

import csv
import json
import shlex
from xml.etree import ElementTree

import pytest
from tests.built import slowly

from modeloom.cli import cli


def test_one_table_in_every_form(run, folder):
    arguments = ("compare", "xts", "gcm", "--sector", "64", "--aes", "1,3", "--results", "a.sqlite", "--jobs", "1")
    done = run(*arguments, "--svg", "a.svg", "--csv", "a.csv", "--latex", "a.tex")
    assert done.status == 0 and done.err == ""
    head, first, second, third, fourth, _, *missed = done.out.splitlines()
    heads = ["mode", "options", "bytes", "key", "bits", "cycles", "bytes/cycle", "latency", "storage", "ciphers", "multipliers"]
    assert head.split() == heads
    assert first.split()[:6] == ["xts", "cipher-cores", "1", "64", "128", "5"]
    assert second.split()[:5] == ["xts", "cipher-cores", "3", "64", "-"]
    assert third.split()[:6] == ["gcm", "blocks-per-cycle", "1", "64", "256", "5"]
    assert [line.partition(":")[0] for line in missed] == ["refused", "refused"] and "--blocks-per-cycle must be 1, 2 or 4" in missed[1]
    rows = list(csv.DictReader((folder / "a.csv").open(encoding="utf-8")))
    assert [row["cycles"] for row in rows] == ["5", "", "5", ""] and (folder / "a.tex").read_text(encoding="utf-8").count(r" \\") == 5
    bars = [bar for bar in ElementTree.parse(folder / "a.svg").iter() if bar.tag.endswith("rect")]
    assert [float(bar.get("width")) for bar in bars[1:]] == [380, 0, 380, 0]
    again = json.loads(run(*arguments, "--json", "--target", "xc7").out)
    assert (again["schema"], again["target"]) == ("modeloom-compare-1", "xc7")
    assert [(line["mode"], line["cycles"], line["all_luts"], line["status"]) for line in again["lines"]] == [
        ("xts", 5, None, "ok"), ("xts", None, None, "refused"), ("gcm", 5, None, "ok"), ("gcm", None, None, "refused"),
    ]  # fmt: skip
    # XTS has the first key size of AES, and GCM all sizes.
    assert [line["key_bits"] for line in again["lines"]] == [128, None, 256, None]
    assert [row["key bits"] for row in rows] == ["128", "", "256", ""] and "key bits" in (folder / "a.tex").read_text(encoding="utf-8")


def test_files_name_the_target(run, folder):
    line = ("compare", "gcm", "--key-bits", "128", "--mul-arch", "lut6", "--jobs", "1", "--target", "xc7")
    done = run(*line, "--csv", "a.csv", "--latex", "a.tex")
    (row,) = csv.DictReader((folder / "a.csv").open(encoding="utf-8"))
    assert done.status == 0 and row["target"] == "xc7" and int(row["all LUTs"]) > 1000 and row["area of"] == "docs/aead.md, whole core"
    assert " & target & all LUTs & " in (folder / "a.tex").read_text(encoding="utf-8")


def test_choose_takes_one_sector(run):
    told = " ".join(run("choose", "--help").out.split())
    assert "Bytes of a sector (default: 512), or of a message in a stream mode" in told and "512,4096" not in told


def test_the_smallest_core_and_why(run, folder):
    arguments = ("choose", "xts", "--rate", "32G", "--clock", "250M", "--sector", "128", "--target", "xc7")
    done = run(*arguments)
    assert done.status == 0 and done.err == ""
    assert done.out.splitlines()[:3] == [
        "32 Gbit/s at 250 MHz is 16 bytes per cycle.",
        "too slow  cipher-cores 1, lanes 1: 14.2222 bytes per cycle, 28.4444 Gbit/s (9 cycles per sector, 8 allowed)",
        "enough    cipher-cores 2, lanes 1: 16 bytes per cycle, 32 Gbit/s (8 cycles per sector, 8 allowed)",
    ]
    made = json.loads(run(*arguments, "--json").out)
    assert made["schema"] == "modeloom-choose-1" and made["bytes_per_cycle"] == 16 == made["bytes_per_cycle_needed"]
    assert made["reached"] >= made["rate"] == 32e9 and "six inputs" in made["reasons"][0]
    assert f"$ {made['command']}\n" in done.out and done.out.endswith("$ modeloom synth DIR --target xc7\n")
    name, *options = shlex.split(made["command"])[2:]
    explained = run("explain", name, *options[: options.index("-o")], "--json")
    assert json.loads(explained.out)["cycles_per_sector"] == 8


BROKEN = "modeloom: warning: hmch-brw is broken: "


@pytest.mark.parametrize("line", [
    "explain hmch-brw --sector 32", "sweep grid.toml --jobs 1",
    *slowly("compare hmch-brw xts --sector 32 --jobs 1", "choose hmch-brw --rate 1G --clock 250M --sector 32"),
])  # fmt: skip
def test_broken_modes_are_named(run, folder, line):
    (folder / "grid.toml").write_text('[[grid]]\nmodes = ["hmch-brw"]\nsector = 32\n', encoding="utf-8")
    done = run(*line.split())
    assert done.status == 0 and done.err.startswith(BROKEN) and done.err.count("\n") == 1 + line.startswith("sweep")


def test_other_modes_are_not_called_broken(run):
    assert run("explain", "xts", "--sector", "32").err == ""


def test_nothing_to_compare(run):
    done = run("compare", "xts", "hctr2", "--sector", "8", "--jobs", "1")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("modeloom: no mode has such a core: xts: a sector must have at least 16 bytes") and done.err.count("\n") == 1


def test_results_are_not_overwritten(run, folder):
    """A table in the place of the results would destroy all points of a sweep."""
    line = ("compare", "xts", "--sector", "32", "--jobs", "1", "--results", "a.sqlite")
    assert run(*line).status == 0
    stored = (folder / "a.sqlite").read_bytes()
    for option in ("--svg", "--csv", "--latex"):
        done = run(*line, option, "a.sqlite")
        assert (done.status, done.out, done.err) == (2, "", f"modeloom: a.sqlite is the file of results; give another file for {option}\n")
    done = run(*line, "--svg", "b", "--csv", "c", "--latex", "./b")
    assert (done.status, done.err) == (2, "modeloom: --svg and --latex name the same file ./b; give another output\n")
    assert (folder / "a.sqlite").read_bytes() == stored and not (folder / "b").exists()


def test_options_are_those_of_explain():
    own = {"target", "results", "synth", "jobs", "svg", "csv_file", "latex_file", "as_json", "modes", "mode", "rate", "clock"}
    explain = {one.name for one in cli.commands["explain"].params} - {"mode", "dumps", "data_width", "svg", "as_json"}
    assert {one.name for one in cli.commands["compare"].params} - own == explain
    searched = {"cipher_cores", "lanes", "mul", "blocks_per_cycle", "overlap", "no_overlap"}
    assert {one.name for one in cli.commands["choose"].params} - own == explain - searched
