# SPDX-License-Identifier: Apache-2.0
"""Cores with data streams of other widths, of both kinds: their files, their checks, and faults that the checks find."""

from __future__ import annotations

import json

import pytest
from tests import built, streamed
from tests.built import slow
from tests.cores.front.checks import changed
from tests.cores.front.cores import MESSAGES, SECTORS, message_core, sector_core

from modeloom.cli import main
from modeloom.cores.front import front_of
from modeloom.cores.sector import SectorCore
from modeloom.cores.stream import StreamCore
from modeloom.emit import CheckFailed, emit, lint
from modeloom.product.driven import CoreFault
from modeloom.product.folder import read_description
from modeloom.product.message import MessageError
from modeloom.product.simulated import Sector, SimulatedCore
from modeloom.product.simulated_messages import SimulatedStreamCore
from modeloom.taint import TimingChannel
from modeloom.verification.front import check_width, front_steps
from modeloom.verification.sector import SectorWork
from modeloom.verification.sector.host import Subject
from modeloom.verification.steps import today
from modeloom.verification.stream import MessageWork
from modeloom.verification.stream.host import StreamSubject


def test_the_core_stays_as_it_is(narrow_messages, tmp_path):
    emit(message_core(), tmp_path / "bare", command="modeloom build ccm --data-width 32")
    bare, both = ({path.name for path in folder.iterdir()} for folder in (tmp_path / "bare", narrow_messages))
    name = read_description(narrow_messages).name
    made = (".xml", "_ip.tcl", "_vivado.tcl", "_sv.sv")
    assert both - bare == {f"{name}_width{ending}" for ending in (*made, ".v")} and bare - both == {f"{name}{ending}" for ending in made}
    for file in (f"{name}.v", f"{name}_tb.sv", "modeloom_interfaces.sv"):
        assert (narrow_messages / file).read_bytes() == (tmp_path / "bare" / file).read_bytes(), file


def test_the_files_are_made_again(wide_sectors, narrow_messages):
    """``verify`` makes them of ``core.json``, and compares them byte for byte."""
    for folder, core in ((wide_sectors, sector_core()), (narrow_messages, message_core())):
        for file, text in today(core, read_description(folder)).items():
            assert (folder / file).read_text(encoding="utf-8") == text, file


def test_lint(wide_sectors, narrow_messages):
    lint(wide_sectors)
    lint(narrow_messages)


def test_core_json_tells_of_it(wide_sectors, narrow_messages):
    wide, narrow = (json.loads((folder / "core.json").read_text())["front"] for folder in (wide_sectors, narrow_messages))
    ports = {port["name"]: port["width"] for port in wide["ports"]}
    assert (ports["s_axis_tdata"], ports["m_axis_tkeep"], "s_axil_awaddr" in ports) == (512, 64, True)
    assert (wide["kind"], wide["width"]["bits"], wide["top"], wide["width"]["top"]) == (
        "registers", 512, "xts_64_seq_bram_sbox_slots3_registers", "xts_64_seq_bram_sbox_slots3_width"
    )  # fmt: skip
    ports = {port["name"]: port["width"] for port in narrow["ports"]}
    assert (ports["s_axis_tdata"], ports["m_axis_tkeep"], ports["s_axis_key_tdata"]) == (32, 4, 128)
    assert (narrow["kind"], narrow["registers"], "address_bits" in narrow) == ("width", {}, False)
    text = (narrow_messages / "datasheet.md").read_text()
    assert "have 32 bits. Those of the core have 128." in text and "takes 30 cycles" in text


def test_sectors_with_converters(wide_sectors):
    work = SectorWork(Subject(wide_sectors, optimize=1))
    front, width, registers = (make() for make in front_steps(work))
    assert front.figures["control_signals"] > 500 and width.figures["sectors"] >= 400 and registers.figures["sectors"] == 72


def test_messages_with_converters(narrow_messages):
    work = MessageWork(StreamSubject(narrow_messages, optimize=1))
    front, width = (make() for make in front_steps(work))
    assert front.figures["control_signals"] > 100 and width.figures["messages"] == 400


def test_a_simulated_core_is_the_bare_one_unless_it_is_asked_for(wide_sectors):
    """The folder has three: the bare core, that with converters, and that with registers too."""
    key, job = bytes(range(32)), Sector(bytes(16), bytes(range(64)))
    results, beats = [], []
    for options in ({}, {"converters": True}, {"front": True}):
        core = SimulatedCore(wide_sectors, optimize=0, **options)
        core.load_key(key)
        results.append(core.run([job]))
        beats.append(len(core.output_cycles))
    assert results[0] == results[1] == results[2] and beats == [4, 1, 1]


WIDE = {
    "gcm wire 512": ("gcm", {"packet": "wire", "key_bits": 128}, 512), "gcm wire 32": ("gcm", {"packet": "wire", "key_bits": 128}, 32),
    "ccm 1024": ("ccm", {}, 1024), "gcm channels 64": ("gcm", {"channels": 3, "key_bits": 128}, 64),
    "gcm channels 512": ("gcm", {"channels": 3, "key_bits": 128}, 512), "gcm hold 256": ("gcm", {"hold": 256, "key_bits": 128}, 256),
    "gcm inline 64": ("gcm", {"keys": "inline", "key_bits": 128}, 64),
}  # fmt: skip
"""Mode, options and width."""


@slow
@pytest.mark.parametrize("name", WIDE)
def test_messages_of_all_forms(name, tmp_path):
    mode, options, bits = WIDE[name]
    common = {key: value for key, value in MESSAGES.items() if not (key == "key_slots" and "keys" in options)}
    core = StreamCore(streamed.compiled(mode, prove=False, **{**common, **options}))
    emit(core, tmp_path / "core", command="modeloom build", front=front_of(None, bits))
    lint(tmp_path / "core")
    steps = [make() for make in front_steps(MessageWork(StreamSubject(tmp_path / "core", optimize=1)))]
    assert steps[1].figures["messages"] >= 400


@slow
@pytest.mark.parametrize("bits", [32, 64, 128, 1024])
def test_sectors_of_several_sizes(bits, tmp_path):
    """Lanes for 256 bits, and sectors that end within a beat."""
    options = {**SECTORS, "sector": 64, "more_sectors": (40, 160), "lanes": 2}
    core = SectorCore(built.compiled("hctr2", prove=False, **options))
    emit(core, tmp_path / "core", command="modeloom build", front=front_of(None, bits))
    steps = [make() for make in front_steps(SectorWork(Subject(tmp_path / "core", optimize=1)))]
    assert steps[1].figures["sectors"] >= 400


FAULTS = {
    "the end of associated data is not seen": (r"(assign complete = beat_reg\[36\] \| )beat_reg\[37\] \| ", r"\1"),
    "a beat is taken with its first part": (r"(assign i_ready = o_ready) & final_v;", r"\1;"),
    "a wrong beat is passed on": (r"beat_reg\[38\] \? 4'h2", r"1'b0 ? 4'h2"),
    "what was gathered stays": (r"if \(reset_all\) (kept_reg <= 98'h0;)", r"if (1'b0) \1"),
}
"""Regular expressions with what stands there instead."""


@slow
@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_found(narrow_messages, tmp_path, name):
    folder = changed(narrow_messages, tmp_path / "core", *FAULTS[name])
    with pytest.raises((CheckFailed, CoreFault, MessageError)):
        check_width(MessageWork(StreamSubject(folder, optimize=1)))


def test_a_leak_is_found(narrow_messages, tmp_path):
    """A handshake that depends on data."""
    folder = changed(narrow_messages, tmp_path / "core", r"(assign core_s_axis_cmd_tvalid = )", r"\1 s_axis_tdata[3] & ")
    front = next(iter(front_steps(MessageWork(StreamSubject(folder, optimize=1)))))
    with pytest.raises(TimingChannel, match="core_s_axis_cmd_tvalid"):
        front()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["build", "xts", "--data-width", "48", "-o", "new"], "--data-width must be 32, 64, 128, 256, 512 or 1024, not 48"),
        (["build", "xts", "--data-width", "2048", "-o", "new"], "--data-width must be 32"),
        (["build", "gcm", "--data-width", "64", "--interface", "lwc", "-o", "new"], "--data-width is for cores with AXI4-Streams"),
        (["explain", "xts", "--sector", "64", "--data-width", "128"], "--data-width 128 is the width that this core has"),
        (["explain", "gcm", "--data-width", "16"], "--data-width must be 32"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(tmp_path, capsys, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    told = capsys.readouterr().err
    assert stop.value.code == 2 and message in told and told.count("\n") == 1 and not (tmp_path / "new").exists()


def test_explain_says_the_throughput(capsys):
    def explained(*arguments: str) -> str:
        with pytest.raises(SystemExit) as stop:
            main(["explain", *arguments])
        assert not stop.value.code
        return capsys.readouterr().out

    assert "With 32 bits of data a cycle, 128 cycles for a sector of 512 bytes (the streams are the limit: " in explained(
        "xts", "--data-width", "32"
    )
    figures = json.loads(explained("gcm", "--data-width", "32", "--json"))
    assert figures["data_width"]["rates"] == [{"what": "beat", "bytes": 16, "interval": 4}]
    assert "With 512 bits of data a cycle, 1 cycle for a beat of 16 bytes (the core is the limit)." in explained(
        "gcm", "--data-width", "512"
    )


def test_messages_through_narrow_streams(narrow_messages):
    core = SimulatedStreamCore(narrow_messages, front=True, optimize=0)
    core.load_key(bytes(16))
    nonce = bytes(core.description.nonces[0])
    for ad, text in ((0, 0), (5, 20), (16, 33), (70, 100)):
        sealed = core.seal(nonce, bytes(range(text)), bytes(range(ad)))
        assert core.open(nonce, sealed, bytes(range(ad))) == bytes(range(text))
