# SPDX-License-Identifier: Apache-2.0
"""``modeloom circuit``: figures, Verilog, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.built import slow
from tests.synth.designs import Rom, convert

from modeloom.measure import area as circuit
from modeloom.sim.build import verilog_to_rtlil
from modeloom.spec import InputError, UnknownName
from modeloom.synth import synthesize
from modeloom_circuits import Built, Circuit, Gates, Operation, Option, all_circuits


def test_gates_of_the_thesis(run):
    """gcm2008, Table 3.1, halt 4."""
    done = run("circuit", "karatsuba", "--halt", "4", "--json")
    figures = json.loads(done.out)
    assert done.status == 0 and figures["schema"] == "modeloom-circuit-1"
    assert (figures["xor"], figures["and"], figures["total"], figures["depth"], figures["nand2"]) == (8455, 3888, 12343, 18, 41596)
    assert figures["options"]["halt"] == 4 and figures["gates_of"] == "structure"
    assert (figures["latency"], figures["interval"]) == (0, 1)


def test_text_has_the_same_figures(run):
    lines = dict(line.split(None, 1) for line in run("circuit", "karatsuba", "--halt", "8").out.splitlines())
    assert (lines["and"], lines["xor"], lines["depth"]) == ("5184", "7969", "16")


def test_a_target(run):
    """A table of 256 bytes takes 32 LUT6: eight functions of eight inputs, four LUTs each and multiplexers that are not LUTs."""
    figures = json.loads(run("circuit", "sbox-lut", "--target", "xc6v", "--json").out)
    assert (figures["luts"], figures["levels"], figures["ffs"]) == (32, 1, 0)
    assert figures["gates_of"] == "mapping" and figures["total"] == figures["and"] + figures["xor"] > 100


def test_the_target_decides_what_nobody_has_chosen(monkeypatch):
    mapped = synthesize(convert(Rom(), "rom"), "rom", "xc6v")
    monkeypatch.setattr(circuit, "synthesize", lambda *arguments, **more: mapped)
    figures = [circuit.measure_circuit("karatsuba-refined", gates=False, **options) for options in ({}, {"target": "xc6v"})]
    assert [each["options"]["structure"] for each in figures] == ["gates", "lut6"]
    assert figures[1]["luts"] == mapped.luts and figures[1]["structure_luts"] <= 4000
    with pytest.raises(UnknownName, match="did you mean xc6v"):
        circuit.measure_circuit("karatsuba-refined", target="xc6")


def test_place_and_route_is_told_how(monkeypatch, run):
    given = []
    mapped = synthesize(convert(Rom(), "rom"), "rom", "ecp5")
    monkeypatch.setattr(circuit, "find_nextpnr", lambda device: None)
    monkeypatch.setattr(circuit, "synthesize", lambda *arguments, **more: given.append(more) or mapped)
    for options in ((), ("--router", "router2", "--timing-weight", "10"), ("--placer", "static")):
        assert run("circuit", "karatsuba", "--target", "ecp5", "--pnr", *options).status == 0
    assert [(each["placer"], each["router"], each["timing_weight"]) for each in given] == [
        ("heap", None, None), ("heap", "router2", 10), ("static", None, None),
    ]  # fmt: skip


@slow
def test_a_structure_for_luts_is_mapped_as_it_is(run):
    plain = json.loads(run("circuit", "karatsuba-refined", "--json").out)
    made = json.loads(run("circuit", "karatsuba-refined", "--target", "xc6v", "--json").out)
    assert (plain["options"]["structure"], made["options"]["structure"]) == ("gates", "lut6")
    assert made["luts"] == made["structure_luts"] <= 4000
    assert plain["total"] == made["total"] <= 11620


def test_verilog(run, folder: Path):
    done = run("circuit", "square", "--stages", "0", "-o", "squarer.v") if "stages" in _options("square") else None
    done = done or run("circuit", "square", "-o", "squarer.v")
    assert done.status == 0
    text = (folder / "squarer.v").read_text()
    assert text.startswith("// squarer: ") and "module squarer (" in text and "modeloom circuit square" in text
    assert "squarer" in verilog_to_rtlil(folder / "squarer.v", "squarer")


def _options(name: str) -> set[str]:
    return {option.name for option in all_circuits()[name].options}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("karatsuba", "--target", "ecp5", "--router", "router2"), "--router needs --pnr"),
        (("karatsuba", "--target", "ecp5", "--pnr", "--router", "router3"), "unknown router 'router3'; did you mean router"),
        (("karatsuba", "--target", "ecp5", "--pnr", "--placer", "static", "--timing-weight", "9"), "works with --placer heap only"),
        (("karatsba",), "unknown circuit 'karatsba'; did you mean karatsuba"),
        (("karatsuba", "--halt", "3"), "--halt must be one of 2, 4, 8, 16, 32, 64, not 3"),
        (("karatsuba", "--stages", "many"), "--stages must be a number, not many"),
        (("karatsuba", "--stages", "99"), "--stages must be from 0 to 16, not 99"),
        (("mastrovito", "--halt", "4"), "unknown option of mastrovito 'halt'"),
        (("karatsuba", "--hat", "4"), "unknown option '--hat'; did you mean --halt"),
        (("karatsuba", "--target", "xc6"), "unknown target 'xc6'; did you mean xc6v"),
        (("karatsuba", "--target", "liberty:none.lib"), "there is no Liberty file none.lib"),
        (("karatsuba", "--target", "xc7", "--pnr"), "--pnr works for ecp5, nexus, ice40, gowin, gatemate only, not for xc7"),
        (("karatsuba", "--pnr"), "need a --target"),
        (("karatsuba", "--target", "gates", "--mapper", "compact"), "--mapper compact does not work for gates"),
        (("karatsuba", "-o", "a-b.v"), "a-b is not a name for a Verilog module"),
        (("karatsuba", "-o", "none/a.v"), "there is no folder none for the output"),
        ((), "NAME is missing"),
    ],
)
def test_refused(run, folder: Path, arguments, message):
    done = run("circuit", *arguments)
    assert done.status == 2 and done.out == "" and not list(folder.iterdir())
    assert message in done.err and done.err.count("\n") == 1


def test_list_has_the_circuits(run):
    entries = {entry["name"]: entry for entry in json.loads(run("list", "--json").out)["entries"]}
    assert entries["karatsuba"]["kind"] == "circuit" and entries["karatsuba"]["options"]["halt"] == [2, 4, 8, 16, 32, 64]
    assert {entry["kind"] for entry in entries.values()} == {"mode", "stream", "circuit"}
    text = run("list").out
    assert all(name in text for name in entries)


def test_every_circuit_of_the_papers_has_its_name():
    forms = [f"{prefix}sbox-{form}" for prefix in ("", "inv-") for form in ("lut", "bram", "composite", "bdd", "compact")]
    assert {
        "serial", "mastrovito", "karatsuba", "karatsuba-refined", "fan-hasan", "square", "brw", "poly", *forms, "mixcolumns",
        "inv-mixcolumns", "aes-round", "aes-pipeline", "aes-multistream", "aes-sequential", "aes-serial", "aes-serial-core",
        "aes-key-schedule", "sm4-pipeline", "sm4-sequential",
    } <= all_circuits().keys()  # fmt: skip


def test_options_are_checked():
    made = Circuit("made", "", "", (Option("size", 4, "", low=1, high=8), Option("kind", "a", "", choices=("a", "b"))), _made)
    assert made.build().figures == {"size": 4, "kind": "a"}
    assert made.build(size="8", kind="b").figures == {"size": 8, "kind": "b"}
    assert made.build(size=None).figures["size"] == 4
    with pytest.raises(InputError, match="--size must be from 1 to 8, not 9"):
        made.build(size=9)
    with pytest.raises(UnknownName, match="unknown option of made 'sise'; did you mean size"):
        made.build(sise=1)


def _made(**options) -> Built:
    return Built(None, lambda random: Operation([], []), Gates(1, 2, 3), options)
