# SPDX-License-Identifier: Apache-2.0
"""A core for messages in its folder: the bench passes and finds faults, Verilator is content, and no timing channel is there."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.built import slow, slowly
from tests.external import needs
from tests.streamed import SMALL, TINY, compiled, folder

from modeloom.compiler.streams import compile_stream
from modeloom.cores.lwc import LwcCore
from modeloom.cores.stream import StreamCore, same_stream, stream_options_of
from modeloom.emit import CheckFailed, lint, run_bench
from modeloom.product.folder import read_messages
from modeloom.product.messages import TAG_VERDICT, StreamDescription
from modeloom.taint import TimingChannel, check_core


def test_the_folder_says_what_the_core_is() -> None:
    d = read_messages(folder(**TINY))
    assert d.schema == "modeloom-stream-core-1" and d.mode == "gcm" and d.directions == ("encrypt", "decrypt")
    assert (d.block_bytes, d.blocks_per_cycle, d.channels, d.key_slots, d.key_sizes) == (16, 1, 1, 3, (16,))
    assert d.nonces[0] == 12 and sorted(d.nonces) == list(range(1, 17)) and d.tag_bytes == (16, 15, 14, 13, 12, 8, 4)
    assert d.most_text == (1 << 36) - 32 and d.explain.proved and d.releases
    # A block goes through one round ten times, and associated data are hashed in the meantime.
    assert (d.cycles.start, d.cycles.associated, d.cycles.text, d.cycles.tag) == (0, 1, 10, 10)
    assert d.cycles_of(17, 33) == 30 + 10 and d.cycles_of(0, 0) == 10


def test_it_is_told_that_plaintext_is_released() -> None:
    d = read_messages(folder(**TINY))
    texts = [(folder(**TINY) / name).read_text() for name in (d.files.verilog, d.files.datasheet)]
    unverified = StreamCore(compiled(**TINY)).stack.unverified
    assert "before its status is OK" in unverified
    for text in texts:
        assert unverified in re.sub(r"\s+(// )?", " ", text)
    sealing = StreamCore(compiled(direction="encrypt", **TINY))
    assert "plaintext" not in sealing.figures and not sealing.describe("a", "b").releases


OF_FILES = ("memories", "sha256")
"""What ``core.json`` says of the other files."""


def test_the_same_core_again() -> None:
    d = read_messages(folder(**TINY))
    again = same_stream(d, folder(**TINY))
    assert again.describe(d.name, d.command).as_json() == {k: v for k, v in d.as_json().items() if k not in OF_FILES}
    assert again.bench(d.name) == (folder(**TINY) / d.files.bench).read_text()


@pytest.mark.parametrize("mode, options", [
    ("gcm", {"keys": "expanded", "key_bits": 128}), ("gcm", {"keys": "inline"}), ("gcm", {"keys": "inline", "key_schedule": "word"}),
    ("gcm", {"hold": 64, "packet": "wire"}), ("gcm", {"blocks_per_cycle": 2, "direction": "encrypt"}), ("gcm", {"channels": 3}),
    ("gcm", {"interface": "lwc", "interface_bits": 64}), ("gcm", {"cipher_arch": "multistream", "streams": 2}),
    ("ccm", {"channels": 2}), ("ocb3", {}), ("aes-otr", {}), ("deoxys-i", {"order": "text-first"}), ("deoxys-ii", {"message_buffer": 1024}),
    ("gcm-siv", {"keys": "inline"}), ("gcm-siv", {"keys": "derived", "key_derivers": 2}),
])  # fmt: skip
def test_the_options_in_core_json_are_those_of_the_core(mode: str, options: dict) -> None:
    """They may be given again, defaults and all, so that ``verify`` makes the same core."""
    made = compiled(mode, prove=False, **options)
    core = (LwcCore if made.options.interface == "lwc" else StreamCore)(made)
    description = core.describe("core", "modeloom build")
    given = stream_options_of(replace(description, options=json.loads(json.dumps(description.as_json()))["options"]))
    assert given == made.options and compile_stream(made.mode, given, prove=False).options == made.options


def test_names() -> None:
    assert StreamCore(compiled(**SMALL)).words == ("gcm", "k128", "round1", "mulstages1", "slots3")
    assert StreamCore(compiled(prove=False)).words == ("gcm",)
    assert StreamCore(compiled(prove=False, key_bits=256, direction="decrypt")).words == ("gcm", "k256", "dec")


@needs("iverilog")
def test_the_bench_measures_what_is_stated() -> None:
    assert run_bench(folder(**SMALL)) == {"messages": 275, "cycles_per_message": 5, "latency": 22}


@slow
@needs("iverilog")
@pytest.mark.parametrize(
    "options", [{"hold": 100}, {"hold": 20}, {"key_slots": 256}, {"key_slots": 300}, {"direction": "encrypt"}, {"direction": "decrypt"}],
    ids=lambda options: "-".join(map(str, *options.items())),
)  # fmt: skip
def test_the_bench_of_other_options(options: dict) -> None:
    assert run_bench(folder(**{**SMALL, **options}))


FAULTS = {
    "a tag is never wrong": (r"wrong_reg <= \|parts_reg;", "wrong_reg <= 1'b0;", "wrong status or order"),
    "a byte of the tag is not compared": (r"\|different_reg\[47:42\]", "|different_reg[47:45]", "wrong status or order"),
    "a message that fails tells its tag": (r"(assign shown =[^;]*?)\s& \{16\{[^;]*;", r"\1;", "wrong tag|gave a tag"),
}
"""Faults that the bench must find: what is replaced in the Verilog, and what is said."""


def broken(tmp_path: Path, pattern: str, text: str) -> Path:
    """The core with a fault, in a folder of its own."""
    shutil.copytree(folder(**SMALL), tmp_path / "core")
    verilog = tmp_path / "core" / read_messages(tmp_path / "core").files.verilog
    changed, count = re.subn(pattern, text, verilog.read_text(), count=1)
    assert count, "the fault has no place in the Verilog any more"
    verilog.write_text(changed)
    return tmp_path / "core"


@needs("iverilog")
@pytest.mark.parametrize("name", ["a tag is never wrong", *slowly(*list(FAULTS)[1:])])
def test_the_bench_finds_faults(name: str, tmp_path: Path) -> None:
    pattern, text, says = FAULTS[name]
    with pytest.raises(CheckFailed, match=says):
        run_bench(broken(tmp_path, pattern, text))


def test_lint() -> None:
    lint(folder(**TINY))


@pytest.mark.parametrize("options", [TINY, *slowly(SMALL)], ids=["round core", "pipeline"])
def test_no_timing_channel(options: dict) -> None:
    report = check_core(folder(**options))
    assert report.declassified == {TAG_VERDICT: 1} and report.exempt.keys() == {"S-box"}
    assert report.points > 1000 and min(report.secret.values()) > 10_000
    d = read_messages(folder(**options))
    assert [(result.port, len(result.bits)) for result in d.results] == [("m_axis_tdata", 128), ("m_axis_status_tdata", 128)]
    (verdict,) = d.verdicts
    assert verdict.about == TAG_VERDICT and [len(output.bits) for output in verdict.outputs] == [8]


def test_descriptions_that_are_wrong() -> None:
    value = json.loads((folder(**TINY) / "core.json").read_text())
    from modeloom.product.json_form import FormError, read

    assert read(StreamDescription, value).as_json() == value
    for change in ({"directions": ["both"]}, {"tag_bytes": []}, {"key_sizes": [32]}, {"channels": 0}, {"nonce_bytes": [[]]}):
        with pytest.raises(FormError):
            read(StreamDescription, {**value, **change})


@slow
def test_a_leak_of_the_tag_is_caught(tmp_path: Path) -> None:
    """A status that waits for a bit of the tag that is compared."""
    built = broken(tmp_path, r"(assign status_may_leave = statuses_o_valid)", r"\1 & ~different_reg[0]")
    with pytest.raises(TimingChannel, match="depends on the"):
        check_core(built)
