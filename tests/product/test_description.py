# SPDX-License-Identifier: Apache-2.0
"""``core.json``: what is written is read again byte for byte, and what is broken in it is told in one line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.emit.emitted import PARTIAL, SIZES, SLOTS, folder, made
from tests.product.descriptions import sector_description
from tests.streamed import compiled

from modeloom.cores.lwc import LwcCore
from modeloom.emit.package import to_json
from modeloom.product.beats import SectorDescription
from modeloom.product.description import Result, Secret
from modeloom.product.folder import files_of, read_description, read_sectors, verilog_of
from modeloom.product.message import LwcDescription
from modeloom.spec import InputError

CORES = {"partial block": PARTIAL, "sizes": SIZES, "slots": SLOTS}


def write(path: Path, value: object) -> Path:
    path.mkdir(exist_ok=True)
    (path / "core.json").write_text(json.dumps(value))
    return path


@pytest.mark.parametrize("name", CORES)
def test_bytes_there_and_back(name: str) -> None:
    text = (folder(CORES[name]) / "core.json").read_text(encoding="utf-8")
    description = read_description(folder(CORES[name]))
    assert isinstance(description, SectorDescription)
    assert to_json(description.as_json()) == text


@pytest.mark.parametrize("name", CORES)
def test_nothing_is_written_that_the_schema_lacks(name: str) -> None:
    """Every name in the file, at any depth, is in the schema."""
    schema = SectorDescription.json_schema()

    def lacking(value: Any, form: dict[str, Any], where: str) -> Iterator[str]:
        form = schema["$defs"][form["$ref"].rpartition("/")[2]] if "$ref" in form else form
        if isinstance(value, list) and "items" in form:
            for item in value:
                yield from lacking(item, form["items"], where)
        elif isinstance(value, dict) and "properties" in form:
            for key, item in value.items():
                if key not in form["properties"]:
                    yield f"{where}.{key}"
                else:
                    yield from lacking(item, form["properties"][key], f"{where}.{key}")

    value = json.loads((folder(CORES[name]) / "core.json").read_text(encoding="utf-8"))
    assert not list(lacking(value, schema, "core"))
    assert list(lacking({**value, "extra": 1, "pins": {"odd": 1}}, schema, "core")) == ["core.pins.odd", "core.extra"]


def test_what_the_schema_says() -> None:
    schema = SectorDescription.json_schema()
    assert schema["properties"]["schema"]["const"] == "modeloom-core-1"
    assert schema["properties"]["sizes"]["items"] == {"$ref": "#/$defs/SizeFigures"}
    untold = [name for name, form in schema["properties"].items() if "description" not in form and "$ref" not in form]
    assert not untold, "every field says what it means"


def without(*path: str) -> Callable[[dict[str, Any]], None]:
    def change(value: dict[str, Any]) -> None:
        for name in path[:-1]:
            value = value[name]
        del value[path[-1]]

    return change


BROKEN: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "no schema": (without("schema"), "schema is missing"),
    "another schema": (lambda d: d.update(schema="modeloom-core-9"), "its schema is not .*modeloom-core-1.*"),
    "a schema that is no text": (lambda d: d.update(schema=[]), "its schema is not .*modeloom-core-1.*"),
    "a name lacking": (without("erase_cycles"), "erase_cycles is missing"),
    "a name lacking inside": (without("pins", "overhead"), r"pins\.overhead is missing"),
    "text for a number": (lambda d: d.update(lanes="1"), "lanes is not a whole number from 0 on"),
    "a number for text": (lambda d: d["files"].update(bench=3), r"files\.bench is not text"),
    "no sizes": (lambda d: d.update(sizes=[]), "sizes does not begin with sector_bytes"),
    "sizes of another core": (lambda d: d.update(sector_bytes=1), "sizes does not begin with sector_bytes"),
    "an interval of 0": (lambda d: d["sizes"][0].update(interval=0), r"sizes\[0\]: blocks, beats and interval are not 0"),
    "a direction that there is not": (lambda d: d.update(directions=["sideways"]), "directions is not some of encrypt, decrypt"),
    "no direction": (lambda d: d.update(directions=[]), "directions is not some of encrypt, decrypt"),
    "no lanes": (lambda d: d.update(lanes=0), "lanes, block_bytes and key_slots are not 0"),
    "a file elsewhere": (lambda d: d["files"].update(bench="../../secret"), "files: bench is not the name of a file in the folder"),
    "another Verilog": (lambda d: d.update(verilog="other.v"), "verilog and listing are not those of files"),
    "a key of another length": (lambda d: d.update(key_bytes=17), "key_layout does not end with key_bytes"),
    "a key of other parts": (lambda d: d.update(key_parts=["K"]), "key_layout has other parts than key_parts"),
    "a port of no direction": (lambda d: d["ports"][0].update(direction="inout"), r'ports\[0\]: direction is not "input" or "output"'),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_told_in_one_line(name: str, tmp_path: Path) -> None:
    """A broken ``core.json`` is refused with one line that says what is wrong."""
    change, message = BROKEN[name]
    value = sector_description().as_json()
    value = json.loads(json.dumps(value))
    change(value)
    told = rf"core\.json does not belong to a core of this version \({message}\); build the core again$"
    with pytest.raises(InputError, match=told) as caught:
        read_description(write(tmp_path / "core", value))
    assert "\n" not in str(caught.value)


WRONG_MESSAGES: dict[str, tuple[dict[str, Any], str]] = {
    "a direction that there is not": ({"directions": ("sideways",)}, "directions is not some of encrypt, decrypt"),
    "no direction": ({"directions": ()}, "directions is not some of encrypt, decrypt"),
    "no channels": ({"channels": 0}, "blocks_per_cycle, block_bytes, key_slots and channels are not 0"),
    "no blocks": ({"blocks_per_cycle": 0}, "blocks_per_cycle, block_bytes, key_slots and channels are not 0"),
    "a form that there is not": ({"packet": "segments"}, "packet is not one of aligned, wire"),
    "an order that there is not": ({"order": "associated-first"}, "order is text-first, or not there"),
    "no tags": ({"tag_bytes": ()}, "nonce_bytes and tag_bytes are not empty"),
    "no nonces": ({"nonce_bytes": ()}, "nonce_bytes and tag_bytes are not empty"),
    "a class without nonces": ({"nonce_bytes": ((12,), ())}, "nonce_bytes and tag_bytes are not empty"),
    "sizes of other keys": ({"key_sizes": (16, 32)}, "key_bytes is not the largest of key_sizes"),
    "a word that there is not": ({"interface_bits": 16}, "interface_bits is not one of 32, 64, 128"),
}


@pytest.fixture(scope="module")
def messages() -> LwcDescription:
    """The description of a core for messages, which nobody has emitted."""
    made = compiled(prove=False, key_bits=128, cipher_arch="multistream", streams=1, mul_stages=0, interface="lwc")
    found = LwcCore(made).describe("core", "modeloom build")
    assert isinstance(found, LwcDescription)
    return found


@pytest.mark.parametrize("name", WRONG_MESSAGES)
def test_what_must_hold_of_a_core_for_messages(name: str, messages: LwcDescription) -> None:
    changes, message = WRONG_MESSAGES[name]
    with pytest.raises(ValueError, match=f"^{message}$"):
        replace(messages, **changes)


@pytest.mark.parametrize("text", ['{"schema": [', "", "\x00", "[" * 100_000])
def test_no_json_at_all(text: str, tmp_path: Path) -> None:
    (tmp_path / "core.json").write_text(text)
    with pytest.raises(InputError, match="core.json cannot be read .*; build the core again"):
        read_description(tmp_path)


def test_a_whole_one_is_taken(tmp_path: Path) -> None:
    description = sector_description()
    found = read_sectors(write(tmp_path / "core", description.as_json()))
    assert found == description
    with pytest.raises(InputError, match=r"disk\.v is missing in .*; build the core again"):
        verilog_of(tmp_path / "core", found)


def test_files_of_a_folder(tmp_path: Path) -> None:
    """What a build may replace: also files of an older version, but never one that lies elsewhere."""
    value = sector_description().as_json()
    assert files_of(tmp_path) is None
    assert files_of(write(tmp_path / "core", value)) == frozenset(value["files"].values())
    old = {"schema": value["schema"], "files": {"verilog": "disk.v", "odd": "../elsewhere", "worse": 3}}
    assert files_of(write(tmp_path / "core", old)) == {"disk.v"}
    for other in ([], {"schema": "others", "files": {}}, {"schema": [], "files": {}}, {"files": {}}, {**old, "files": ["disk.v"]}):
        assert files_of(write(tmp_path / "core", other)) is None


def test_secrets_are_those_of_the_ports() -> None:
    """All of the data and of the key bus, and of a command the bytes of the tweak; results depend on a tweak if there is one."""
    description = made(PARTIAL).describe("core", "modeloom")
    assert description.secrets == (
        Secret("data", "s_axis_tdata", 0, 128), Secret("key", "s_axis_key_tdata", 0, 128), Secret("tweak", "s_axis_cmd_tdata", 0, 256),
    )  # fmt: skip
    assert description.results == (Result("m_axis_tdata", 128),)
    small = sector_description(tweak_bytes=0, lanes=8)
    assert [secret.reaches for secret in small.secrets] == [True, True, False]
    assert small.results[0].width == 8 * 128 and sector_description(lanes=64).results[0].width == 8 * 512


def test_figures_of_the_bench() -> None:
    description = sector_description()
    assert description.bench_figures == {"latency": 1, "interval": 1, "latency_pins": 1, "cycles_per_sector": 1}
    assert re.fullmatch("HCTR2, sectors of 512 bytes", description.summary)
    assert [(rate.what, rate.bytes, rate.interval) for rate in description.rates] == [("sector", 512, 32)]
