# SPDX-License-Identifier: Apache-2.0
"""Emitted Verilog is for readers: parts can be found by their names, and nothing stands there that says nothing."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from tests import streamed
from tests.built import slowly
from tests.emit.emitted import PARTIAL, PLAIN, SLOTS, core, folder, made
from tests.emit.package import folders

from modeloom.cores.sector.core import engine_sections, module_titles
from modeloom.emit import core_name
from modeloom.emit.package import outside
from modeloom.product.folder import read_description
from modeloom.rtl.engine.layout import engine_fields

CHOICES = [PARTIAL, PLAIN, SLOTS]


def verilog(choice: tuple) -> str:
    return (folder(choice) / f"{core_name(made(choice))}.v").read_text()


def modules(text: str) -> dict[str, str]:
    """Bodies of the modules below the top, and of no assertions."""
    top, end, rest = text.partition("\nendmodule")
    text = top + end + rest.partition("`ifdef")[0]
    return dict(re.findall(r"^module (\w+) ?(\(.*?^endmodule)", text, re.M | re.S))


def module(choice: tuple, name: str) -> str:
    return modules(verilog(choice))[f"{core_name(made(choice))}_core_{name}"]


@pytest.mark.parametrize("choice", CHOICES)
def test_lines_are_short(choice: tuple) -> None:
    assert [line for line in verilog(choice).splitlines() if len(line) > 160] == []


def nameless(body: str) -> list[str]:
    """Names that are a number, or a word for any port, net or memory with a number."""
    names = set(re.findall(r"\b[A-Za-z_]\w*\b", body))
    wrong = r"_\d+_|[pwu]\d+(_\w+)?|net(_\w+)?|port|(\w+_)?port(_\d+)+|mem(ory)?\d+(_\w+)?"
    return sorted(one for one in names if re.fullmatch(wrong, one))


@pytest.mark.parametrize("choice", CHOICES)
def test_nothing_is_without_a_name(choice: tuple) -> None:
    """No number in the place of a name, and no port or net that was named by nothing but its place."""
    assert not {name: found for name, body in modules(verilog(choice)).items() if (found := nameless(body))}


def gcm() -> Path:
    """A message core with a multiplier and a sum of counters, whose ports are slices."""
    return streamed.folder("gcm", prove=False, key_bits=128, cipher_arch="multistream", streams=1, key_slots=3)


@pytest.mark.parametrize("kind", ["registers", "apb", *slowly("messages", "gcm", "lwc")])
def test_nothing_is_without_a_name_in_cores_of_other_kinds(kind: str) -> None:
    """The same in cores with registers, in cores for messages, and in what lies beside them."""
    path = gcm() if kind == "gcm" else folders.folder(kind)
    description = read_description(path)
    found = {name: body for file in outside(description).verilog for name, body in modules((path / file).read_text()).items()}
    assert len(found) > 10 and (kind not in ("registers", "apb") or any("_front" in name for name in found))
    assert not {name: names for name, body in found.items() if (names := nameless(body))}
    memories = description.memories or ()
    assert memories and not [one for one in memories if re.fullmatch(r"mem(ory)?\d*|words", one.name)]


@pytest.mark.parametrize("choice", CHOICES)
def test_nets_that_are_named_by_what_they_go_into_are_few(choice: tuple) -> None:
    """Outside of circuits that are made from lists of gates (multipliers, S-boxes, layers), a tenth of the nets at most."""
    words = "and|or|xor|sum|difference|product|complement|is|is_not|below|up_to|above|from|all|any|parity|choice|shifted|word|mask|late"
    declared, derived = 0, []
    for name, body in modules(verilog(choice)).items():
        if re.search(r"_core_engine_\w+_(mul|enc|dec|both|sqr)$|_core_engine_mul_mul$|key_schedule", name):
            continue
        nets = re.findall(r"^  (?:reg|wire) (?:\[\d+:0\] )?(\w+)", body, re.M)
        declared += len(nets)
        derived += [f"{name}.{net}" for net in nets if re.search(rf"_({words})(_\d+)?$", net)]
    assert declared > 300 and len(derived) < declared / 10, derived


@pytest.mark.parametrize("choice", CHOICES)
def test_no_choice_has_equal_arms(choice: tuple) -> None:
    text = verilog(choice)
    assert not re.search(r"\? ([^?:;]+?) : \1[;,)\s]", text)
    assert not re.search(r"if \([^;\n]*\) (\w+ <= [^;]*;)\n\s*else \1", text)
    assert not re.search(r"& 1'h1\b|\^ \d+'h0\b|\| 1'h0\b", text)


@pytest.mark.parametrize("choice", CHOICES)
def test_a_table_is_one_module_that_is_instanced(choice: tuple) -> None:
    """Every table that is read without a clock: one module for each, one read in it, and instances wherever a byte is looked up."""
    text = verilog(choice)
    tables = {name: body for name, body in modules(text).items() if re.search(r"^  assign data = \w+\[address\];$", body, re.M)}
    assert tables, "a core has at least the S-box of its key schedule"
    words = {name: tuple(re.findall(r"\w+\[\d+\] = (\S+);", body)) for name, body in tables.items()}
    assert len(set(words.values())) == len(words) and all(len(some) >= 64 for some in words.values())
    assert any(name.endswith("_aes_sbox") for name in tables)
    for name in tables:
        assert len(re.findall(rf"^  {name} \w+ \($", text, re.M)) >= 4
    # Nobody else has a table that is read without a clock.
    for name, body in modules(text).items():
        memories = re.findall(r"^  reg (?:\[\d+:0\] )?(\w+) \[\d+:0\];", body, re.M)
        for memory in memories if name not in tables else ():
            written = re.search(rf"\b{memory}\[[^\n]*\]( ?\[[\d:]+\])? <=", body)
            clocked = re.search(rf"<= {memory}\[", body)
            assert written or clocked, (name, memory)


@pytest.mark.parametrize("choice", CHOICES)
def test_memories_tell_each_tool_what_they_are(choice: tuple) -> None:
    """Of every memory that Yosys and Vivado are told about, Quartus is told the same."""
    lines = verilog(choice).splitlines()
    kinds: Counter[str] = Counter()
    for attribute, line in zip(lines, lines[1:]):
        if re.match(r"  reg (\[\d+:0\] )?\w+ \[\d+:0\];", line) and attribute.startswith("  (*"):
            kinds[attribute.strip()] += 1
    known = {
        '(* ram_style = "distributed", ramstyle = "MLAB" *)',
        '(* ram_style = "registers", rom_style = "distributed", romstyle = "logic" *)',
        '(* rom_style = "block" *)',
        '(* ram_style = "block", no_rw_check = 1, ramstyle = "no_rw_check", rw_addr_collision = "no" *)',
        # The tool chooses.
        '(* no_rw_check = 1, ramstyle = "no_rw_check", rw_addr_collision = "no" *)',
    }
    assert kinds and set(kinds) <= known
    assert kinds['(* ram_style = "registers", rom_style = "distributed", romstyle = "logic" *)']


@pytest.mark.parametrize("choice", CHOICES)
def test_each_part_of_the_program_has_its_section(choice: tuple) -> None:
    body, program = module(choice, "engine"), core(choice).core_program
    heads = re.findall(r"^  // -{60,}\n  // (.+)$", body, re.M)
    for bank in program.banks:
        assert any(head.startswith(f"bank {bank}:") for head in heads), bank
    # A unit that no operation uses is not there.
    used = [unit.name for unit in program.units if re.search(rf"^  \w+ {unit.name} \($", body, re.M)]
    assert len(used) >= 2
    assert all(f"unit {name}" in heads for name in used)
    for lane in range(program.lanes):
        assert f"results of lane {lane}" in heads
    shown = [name for name in program.nets if f"operand network {name}" in heads]
    assert {name.split(".")[0] for name in shown} >= set(used)
    assert heads.count("control store") == 1 and len(heads) == len(set(heads))


def test_sections_of_names() -> None:
    section = engine_sections(core(PARTIAL).core_program)
    for name, title in {
        "row_mul0_a_select_reg": "operand network mul0.a", "mul0_a": "operand network mul0.a", "mul0_y": "unit mul0",
        "bank_in0_rdata_1": "bank in0: blocks of sectors", "in0_r1_addr_reg": "bank in0: blocks of sectors",
        "control_data": "control store", "sequencer": "sequencer: rows, stages, end of a sector, erasure", "erase": "",
    }.items():  # fmt: skip
        assert section(name)[1] == title, name


@pytest.mark.parametrize("choice", [SLOTS, *slowly((PARTIAL,))], ids=["slots", "partial"])
def test_the_control_store_names_the_fields_of_its_rows(choice: tuple) -> None:
    """The comment before it says for each field which bits of a row it is: those of the columns that the engine reads."""
    fields = engine_fields(core(choice).core_program).columns.fields
    lines = module_titles(core(choice).core_program)["engine_control"]
    joined = "\n".join(lines).replace("\n    ", " ").splitlines()
    shown = dict(line.strip().split(" = ", 1) for line in joined if " = " in line)
    assert set(shown) <= set(fields) and len(shown) > 30
    for name, text in shown.items():
        bits: list[int | None] = []
        for part in text.split(", "):
            if match := re.fullmatch(r"data\[(\d+)(?::(\d+))?\]", part):
                high, low = int(match[1]), int(match[2] or match[1])
                bits += range(high, low - 1, -1)
            else:
                bits.append({"0": None, "1": -1}[part])
        assert bits[::-1] == list(fields[name]), name
    for name, columns in fields.items():
        if columns and name not in shown:
            assert name.endswith(".dec") and fields[name.removesuffix(".dec")] == columns
    text = verilog(choice)
    assert all(f"// {line}" in text for line in lines)
