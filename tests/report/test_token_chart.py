# SPDX-License-Identifier: Apache-2.0
"""The picture of a pipeline of tokens shows what the plan says."""

import re
from xml.etree import ElementTree

import pytest
from tests.streams.modes import NoHash, Padded, WideAEAD

from modeloom.cli import main
from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.modes.gcm import GCM
from modeloom.report.chart import COLOURS
from modeloom.report.token_chart import token_chart

SVG = "{http://www.w3.org/2000/svg}"


def drawn(mode, **options):
    compiled = compile_stream(mode(), StreamOptions(**options), prove=False)
    return compiled, ElementTree.fromstring(token_chart(compiled))


def cells(document, what):
    """(stage, colour) of the cells whose tooltip begins with a text."""
    found = []
    for cell in document.iter(f"{SVG}rect"):
        title = cell.find(f"{SVG}title")
        if title is not None and title.text.startswith(what):
            found.append((int(re.search(r"stage (\d+)", title.text)[1]), cell.get("fill")))
    return found


@pytest.mark.parametrize("lanes", [1, 2, 4])
@pytest.mark.parametrize("mode", [GCM, WideAEAD, NoHash, Padded])
def test_units_stand_at_their_stages(mode, lanes):
    compiled, document = drawn(mode, blocks_per_cycle=lanes, key_slots=2)
    placed = compiled.plan.placed
    for unit, label in (("cipher", "cipher"), ("mul", "multiplier")):
        stages = [stage for stage, _ in cells(document, f"{label}, stage")]
        if unit == "mul" and mode is NoHash:
            assert not stages
            continue
        first = placed.stages[unit]
        assert sorted(stages) == sorted([*range(first, first + placed.latencies[unit])] * lanes)
    for name, home in placed.homes.items():
        assert [stage for stage, _ in cells(document, f"state {name} ")] == [home]


def test_tokens_of_messages_follow_each_other():
    """Each stage has a token, and the tag of a message stands before its text, as the newest is on the left."""
    compiled, document = drawn(GCM, key_bits=128)
    tokens = [title.text for cell in document.iter(f"{SVG}rect") if (title := cell.find(f"{SVG}title")) is not None]
    tokens = [re.fullmatch(r"stage (\d+): (\w+) of message (\d+)", text) for text in tokens]
    order = [(int(found[1]), found[2], int(found[3])) for found in tokens if found]
    assert [stage for stage, _, _ in order] == list(range(compiled.plan.placed.depth))
    messages = [message for _, _, message in order]
    assert messages == sorted(messages, reverse=True) and len(set(messages)) > 3
    assert all(step == "tag" for (_, step, message), (_, _, newer) in zip(order[1:], order, strict=False) if message != newer)


def test_free_cells_have_no_colour_of_a_message():
    """Blocks of associated data leave the cipher free."""
    _, document = drawn(GCM, key_bits=128)
    by_stage = dict(cells(document, "cipher, stage"))
    for cell in document.iter(f"{SVG}rect"):
        title = cell.find(f"{SVG}title")
        if title is not None and (found := re.fullmatch(r"stage (\d+): (\w+) of message \d+", title.text)):
            stage = int(found[1])
            if stage in by_stage:
                assert (by_stage[stage] in COLOURS) == (found[2] != "associated")


def test_command(tmp_path):
    path = tmp_path / "picture.svg"
    with pytest.raises(SystemExit) as ended:
        main(["explain", "gcm", "--key-bits", "128", "--svg", str(path)])
    assert ended.value.code == 0
    assert ElementTree.parse(path).getroot().tag == f"{SVG}svg"
