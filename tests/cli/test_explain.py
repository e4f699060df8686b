# SPDX-License-Identifier: Apache-2.0
"""``modeloom explain``."""

import json
import xml.etree.ElementTree as ElementTree

import pytest
from tests.scripts import ROOT
from tests.sweeps import MODE

CONTRACT = {
    "schema", "mode", "sector_bytes", "blocks", "uses", "overlap", "cycles_per_sector", "latency", "first_output", "ii", "ii_bound",
    "optimal", "storage_blocks", "storage_bound", "input_blocks", "output_blocks", "proved",
}  # fmt: skip

SMALL = [("hctr2", "48"), ("heh-brw", "64")]


@pytest.mark.parametrize("overlap", [True, False])
def test_json_keeps_the_contract(run, overlap):
    result = run("explain", "heh-brw", "--sector", "64", "--json", *([] if overlap else ["--no-overlap"]))
    assert result.status == 0 and not result.err
    figures = json.loads(result.out)
    assert CONTRACT <= figures.keys()
    assert (figures["mode"], figures["sector_bytes"], figures["blocks"]) == ("heh-brw", 64, 4)
    assert figures["overlap"] is overlap and figures["proved"] is True
    assert figures["uses"] == {"enc": 5, "mul": 4, "dec": 4}
    assert figures["cycles_per_sector"] == (figures["ii_bound"] if overlap else figures["latency"])
    assert figures["latency_bound"] <= figures["latency"]
    assert figures["storage_bound"] <= figures["storage_blocks"]


def test_same_options_give_the_same_text(run):
    arguments = ("explain", "heh-brw", "--sector", "64", "--json", "--dump", "graph,schedule,program")
    assert run(*arguments) == run(*arguments)


@pytest.mark.parametrize("mode, sector", SMALL)
def test_dumps(run, expected, mode, sector):
    result = run("explain", mode, "--sector", sector, "--dump", "graph,schedule,program")
    assert result.status == 0 and not result.err
    expected(f"explain_{mode}_{sector}.txt", result.out)


def test_a_dump_of_every_pass(run, expected):
    result = run("explain", "heh-brw", "--sector", "48", "--squares", "fly", "--dump", "trace,expand,lower,squares,pair,chains,prove")
    assert result.status == 0 and not result.err
    expected("explain_passes.txt", result.out)


STREAMS = {
    "gcm": "trace,steps,order,retime,lazy,left,recurrences,words,place,tokens,reservations,prove",
    "aes-otr": "left,recurrences,words,place,tokens,reservations", "ccm": "steps,retime,lazy,reservations",
    "ocb3": "order,place,reservations",
}  # fmt: skip


@pytest.mark.parametrize("mode", STREAMS)
def test_dumps_of_stream_modes(run, expected, mode):
    options = ("--cipher-arch", "multistream", "--streams", "1") if mode == "ccm" else ("--cipher-stages", "1", "--mul-stages", "1")
    order = ("--order", "text-first") * (mode == "ocb3")
    result = run("explain", mode, "--key-bits", "128", *options, *order, "--dump", STREAMS[mode])
    assert result.status == 0 and not result.err
    expected(f"explain_{mode}.txt", result.out)


def test_dumps_of_stream_modes_stand_in_the_json(run):
    figures = json.loads(run("explain", "gcm", "--key-bits", "128", "--json", "--dump", "tokens,reservations").out)
    assert list(figures["dumps"]) == ["tokens", "reservations"] and figures["mode"] == "gcm"


def test_a_dump_has_a_short_name(run):
    for names in ("graph,chains", "program,allocate"):
        dumps = json.loads(run("explain", "xts", "--sector", "32", "--json", "--dump", names).out)["dumps"]
        first, second = dumps.values()
        assert first == second and list(dumps) == names.split(",")


def test_dumps_stand_in_the_json(run):
    result = run("explain", "heh-brw", "--sector", "64", "--json", "--dump", "program")
    assert json.loads(result.out)["dumps"]["program"].startswith("program heh-brw: sectors of 64 bytes")


def test_text_names_every_figure(run):
    result = run("explain", "heh-brw", "--sector", "64")
    names = {line.split()[0] for line in result.out.splitlines()}
    assert result.status == 0 and CONTRACT <= names


def test_options_reach_the_unit_set(run):
    result = run(
        "explain", "heh-brw", "--sector", "64", "--json", "--direction", "encrypt", "--key-bits", "256", "--cipher-cores", "2",
        "--cipher-stages", "1", "--mul", "2", "--mul-stages", "2", "--lanes", "1", "--terms", "3", "--no-overlap",
    )  # fmt: skip
    figures = json.loads(result.out)
    assert figures["directions"] == ["encrypt"] and figures["key_bits"] == 256 and not figures["overlap"]
    assert figures["units"]["enc"]["count"] == 2 and figures["units"]["mul"]["count"] == 2 and figures["units"]["out"]["count"] == 1
    # Fourteen rounds of one register and the whitened input, and a register behind the sum.
    assert figures["units"]["enc"]["latency"] == 16


@pytest.mark.parametrize("preset, cores", [("brw2013-1core", 1), ("brw2013-2core", 2)])
def test_presets(run, preset, cores):
    figures = json.loads(run("explain", "heh-brw", "--sector", "64", "--json", "--preset", preset).out)
    assert figures["units"]["cipher"] == {"count": cores, "latency": 11, "interval": 1}
    assert figures["units"]["mul"] == {"count": 1, "latency": 3, "interval": 1}
    assert not figures["overlap"]


def test_svg(run, folder):
    result = run("explain", "heh-brw", "--sector", "64", "--svg", "chart.svg")
    assert result.status == 0 and result.out
    root = ElementTree.parse(folder / "chart.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert [path.name for path in folder.iterdir()] == ["chart.svg"]
    first = (folder / "chart.svg").read_bytes()
    run("explain", "heh-brw", "--sector", "64", "--svg", "chart.svg")
    assert (folder / "chart.svg").read_bytes() == first


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["gcm"], "text and associated data change the same part of the state, y"),
        (["ccm"], "it authenticates lengths"),
        (["deoxys-ii"], "it has two passes"),
        (["ocb3", "--data-width", "64"], "--data-width is for packets that begin with their associated data"),
    ],
)
def test_no_text_first_for_others(run, arguments, told):
    """What only the steps of the mode, or the finished core, can tell gets one line, too."""
    result = run("explain", *arguments, "--order", "text-first")
    assert result.status == 2 and not result.out
    assert told in result.err and result.err.count("\n") == 1


@pytest.mark.parametrize("command", [["explain"], ["compare", "xts", "--jobs", "1"]])
@pytest.mark.parametrize("path", ["mine.py", "./mine.py"])
def test_a_picture_does_not_overwrite_its_mode(run, folder, command, path):
    (folder / "mine.py").write_text(MODE, encoding="utf-8")
    done = run(*command, "mine.py:Mine", "--sector", "32", "--svg", path)
    assert (done.status, done.out, done.err) == (2, "", "modeloom: mine.py is the input; give another output\n")
    assert (folder / "mine.py").read_text(encoding="utf-8") == MODE


def test_a_picture_does_not_overwrite_its_stream_mode(run, folder):
    source = (ROOT / "tests" / "streams" / "modes.py").read_bytes()
    (folder / "modes.py").write_bytes(source)
    done = run("explain", "modes.py:NoHash", "--svg", "modes.py")
    assert (done.status, done.err) == (2, "modeloom: modes.py is the input; give another output\n")
    assert (folder / "modes.py").read_bytes() == source
