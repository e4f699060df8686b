# SPDX-License-Identifier: Apache-2.0
"""The Verilog bench: passes on cores, measures what the schedule says and what CXXRTL measures, fails on broken cores."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from functools import cache
from itertools import chain
from pathlib import Path

import pytest
from tests.built import slow, slowly
from tests.emit.emitted import PARTIAL, PLAIN, SLOTS, SMALLEST, core, folder, made
from tests.external import needs
from tests.rtl.bus.codes import Case, status_code

from modeloom.cores.sector import bus_parameters, interval_pins, latency_pins
from modeloom.cores.sector.bench import bench_vectors
from modeloom.emit import CheckFailed, ToolMissing, core_name, run_bench, simulators
from modeloom.emit.simulators import Tool
from modeloom.options.sectors import MOST_SLOTS
from modeloom.product.simulated import Sector, SimulatedCore
from modeloom.verification import verify_core

SEQUENTIAL_PARTIAL = ("hctr2", {"sector": 40, "cipher_arch": "sequential", "key_slots": 2})
"""Both directions, a partial last block, two slots; small, as Icarus Verilog is slow."""

ALL_SLOTS = ("xts", {"sector": 64, "cipher_arch": "sequential", "key_slots": MOST_SLOTS})
"""A core with a slot for each number that a command can name: there is none that is missing."""

CHOICES = {"partial": SEQUENTIAL_PARTIAL, "plain": PLAIN, "slots": SLOTS, "all slots": ALL_SLOTS}

NAME = core_name(made(SMALLEST))


@cache
def measured(name: str) -> dict:
    """What the bench of one of ``CHOICES`` says."""
    return run_bench(folder(CHOICES[name]))


def copied(tmp_path: Path, choice: tuple[str, dict] = SMALLEST) -> Path:
    """A core, the smallest one if not told otherwise, to be broken."""
    return Path(shutil.copytree(folder(choice), tmp_path / "core")) / f"{core_name(made(choice))}.v"


@needs("iverilog")
@pytest.mark.parametrize("name", ["partial", "plain", "slots", *slowly("all slots")])
def test_passes_with_the_figures_of_the_schedule(name: str) -> None:
    compiled = core(CHOICES[name])
    explain = compiled.explain()
    figures = measured(name)
    # Those that meet the change of a key, or the end of everything, may or may not come.
    most = sum(bool(sector.wanted) for sector in bench_vectors(compiled).sectors)
    assert most - 40 < figures["sectors"] <= most and figures["sectors"] >= 30
    assert figures["cycles_per_sector"] == explain["cycles_per_sector"]
    assert figures["latency"] == explain["latency"]
    assert figures["interval"] == explain["ii"] == interval_pins(compiled)
    assert figures["latency_pins"] == latency_pins(compiled)


@slow
def test_verify_with_as_many_slots_as_a_command_can_name() -> None:
    """Its checks take some of the slots where they take time, and say which."""
    steps = list(verify_core(folder(ALL_SLOTS), optimize=0))
    assert any("slots 0, 1, 63, 64, 255 of 256" in step.text for step in steps)


@needs("iverilog")
def test_same_cycles_as_cxxrtl() -> None:
    simulated = SimulatedCore(folder(SLOTS), optimize=0)
    beats = simulated.description.beats
    vectors = bench_vectors(core(SLOTS))
    for key in vectors.keys[:2]:
        simulated.load_key(key.key, key.slot)
    burst = vectors.sectors[vectors.phases["empty"] : vectors.phases["burst"]]
    tweak = simulated.tweak_bytes
    sectors = [Sector(sector.command[:tweak], b"".join(beat for beat, _ in sector.beats), slot=sector.command[34]) for sector in burst]
    results = simulated.run(sectors)
    assert results == [b"".join(beat for beat, _ in sector.wanted) for sector in burst]
    first = list(simulated.output_cycles)[::beats]
    distances = {later - earlier for earlier, later in zip(first, first[1:], strict=False)}
    simulated.runner.run(max_cycles=200)
    simulated.runner.accepted("s_axis")
    simulated.run(sectors[:1])
    lone = simulated.output_cycles[-1] - simulated.runner.accepted("s_axis")[0]
    figures = measured("slots")
    assert distances == {figures["interval"]}
    assert lone == figures["latency_pins"]


@needs("iverilog")
@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"aes_sbox\[37\] = 8'h3f", "aes_sbox[37] = 8'h3e"),  # an entry of an S-box
        (r"assign m_axis_tlast = (\w+)", r"assign m_axis_tlast = ~\1"),
        (r"\.m_axis_status_tdata\(m_axis_status_tdata\)", ".m_axis_status_tdata({m_axis_status_tdata[31:1], m_axis_status_tdata[1]})"),
        (r"\.key_error\(key_error\)", ".key_error()"),
    ],
    ids=["s-box", "tlast", "tag", "floating"],
)
def test_a_broken_core_fails(tmp_path: Path, pattern: str, replacement: str) -> None:
    verilog = copied(tmp_path)
    text = verilog.read_text()
    broken = re.sub(pattern, replacement, text)
    assert broken != text
    verilog.write_text(broken)
    with pytest.raises(CheckFailed, match=f"^FAIL {NAME}"):
        run_bench(verilog.parent)


@needs("iverilog")
def test_a_slower_core_fails(tmp_path: Path) -> None:
    """A register more for the sectors that come in: right data, another latency."""
    verilog = copied(tmp_path)
    text = verilog.read_text()
    slower = """
  wire early_tvalid, late_tready;
  reg [1:0] held = 2'd0;
  reg [144:0] beat0, beat1;
  assign early_tvalid = held != 2'd0;
  assign s_axis_tready = held != 2'd2 && !zeroizing;
  wire push = s_axis_tvalid && s_axis_tready, pop = early_tvalid && late_tready;
  always @(posedge aclk) begin
    held <= !aresetn || zeroize || zeroizing ? 2'd0 : held + {1'b0, push} - {1'b0, pop};
    if (pop || held == 2'd0) beat0 <= held == 2'd2 ? beat1 : {s_axis_tdata, s_axis_tkeep, s_axis_tlast};
    if (held != 2'd2) beat1 <= {s_axis_tdata, s_axis_tkeep, s_axis_tlast};
  end
"""
    for port, inner in (
        ("s_axis_tvalid", "early_tvalid"), ("s_axis_tready", "late_tready"), ("s_axis_tdata", "beat0[144:17]"),
        ("s_axis_tkeep", "beat0[16:1]"), ("s_axis_tlast", "beat0[0]"),
    ):  # fmt: skip
        text = text.replace(f".{port}({port})", f".{port}({inner})", 1)
    verilog.write_text(text.replace(f");\n\n  {NAME}_core core (", f");\n{slower}\n  {NAME}_core core (", 1))
    with pytest.raises(CheckFailed, match="1 errors.*latency is not as stated"):
        run_bench(verilog.parent)


@needs("iverilog")
def test_other_figures_in_the_description_fail(tmp_path: Path) -> None:
    verilog = copied(tmp_path, PLAIN)
    path = verilog.parent / "core.json"
    description = json.loads(path.read_text())
    description["explain"]["cycles_per_sector"] -= 1
    path.write_text(json.dumps(description))
    with pytest.raises(CheckFailed, match="core.json states"):
        run_bench(verilog.parent)


@needs("iverilog")
def test_a_core_that_does_not_compile_fails(tmp_path: Path) -> None:
    verilog = copied(tmp_path)
    verilog.write_text(verilog.read_text() + "module\n")
    with pytest.raises(CheckFailed, match="iverilog"):
        run_bench(verilog.parent)


@pytest.mark.parametrize(
    ("compiled", "ran", "message"),
    [
        (["core.v:1: warning: odd", "core.v:2: Error: bad", "core.v:3: error: worse"], None, "iverilog: core.v:2: Error: bad"),
        (["it is broken", "quite"], None, "iverilog: it is broken"),
        ([], None, "iverilog: no message"),
        (None, (0, "hello"), "FAIL: the bench did not end"),
        (None, (1, "bench: wrong data", "bench: late", "bench: FAIL c: 2 errors"), "FAIL c: 2 errors; first: wrong data"),
        (None, (1, "assert: error: a", "bench: late", "assert: error: b", "bench: FAIL c: 1"), "FAIL c: 1; first: error: a"),
        (None, (1, "assert: warning: a", "bench: FAIL c: 1 errors"), "FAIL c: 1 errors"),
        (None, (2, f"bench: {NAME} ok sectors=1"), f"{NAME} ok sectors=1"),
        (None, (0, f"bench: {NAME} ok sectors=1 latency=1"), "the bench measures latency=1, core.json states "),
    ],
)  # fmt: skip
def test_what_is_said_of_a_failure(
    monkeypatch: pytest.MonkeyPatch, compiled: list[str] | None, ran: tuple[int | str, ...] | None, message: str
) -> None:
    """The first error of the compiler; what the assertions found first, or else the bench; a figure that is not the stated one."""
    said = iter([(int(compiled is not None), "\n".join(compiled or ()))])
    if ran is not None:
        status, *lines = ran
        said = chain(said, [(status, "".join(f"modeloom-{line}\n" for line in lines))])
    monkeypatch.setattr(simulators, "icarus", lambda: (Tool("iverilog"), Tool("vvp")))
    for module in (simulators, simulators):
        monkeypatch.setattr(module, "run", lambda command, work: next(said))
    with pytest.raises(CheckFailed) as caught:
        run_bench(folder(SMALLEST))
    assert str(caught.value) == message or (message.endswith(" ") and str(caught.value).startswith(message))


def test_no_simulator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("modeloom.emit.simulators.util.find_spec", lambda name: None)
    with pytest.raises(ToolMissing, match="apt-get install iverilog"):
        run_bench(folder(SMALLEST))


@needs("iverilog")
def test_a_host_that_breaks_a_rule_is_named(tmp_path: Path) -> None:
    """The bench itself, with a command that is withdrawn: the assertions in the core say so, and the bench fails."""
    verilog = copied(tmp_path)
    simulators = verilog.parent / f"{NAME}_tb.sv"
    text = simulators.read_text()
    assert text.count("cmd_tvalid && !halt;") == 1
    simulators.write_text(text.replace("cmd_tvalid && !halt;", "cmd_tvalid && !halt && cycle % 5 != 0;"))
    with pytest.raises(CheckFailed, match=r"rules\.broken: cycle \d+: s_axis_cmd_tvalid fell before s_axis_cmd_tready"):
        run_bench(verilog.parent)


@needs("iverilog")
def test_a_reload_meets_sectors_before_while_and_after(tmp_path: Path) -> None:
    """While the key of a slot is replaced, some of its sectors get the old key, some none, and some the new one."""
    choice = ("xts", {"sector": 64, "cipher_arch": "sequential", "key_slots": 2})
    path = Path(shutil.copytree(folder(choice), tmp_path / "core"))
    bench_file = path / f"{core_name(made(choice))}_tb.sv"
    text = bench_file.read_text()
    for line in ("key_state = 0;\n        else", "key_state = 1;", "key_state = 2;"):
        assert text.count(line) == 1
        set_state, rest = line[:14], line[14:]
        text = text.replace(line, f'begin {set_state} $display("%0d: %0d", statuses, key_state); end{rest}')
    bench_file.write_text(text)
    program = tmp_path / "bench.vvp"
    command = ["iverilog", "-g2012", "-s", bench_file.stem, "-o", program, path / f"{bench_file.stem[:-3]}.v", bench_file]
    subprocess.run(command, check=True)
    said = subprocess.run(["vvp", "-n", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    states = [(int(number), int(state)) for number, state in re.findall(r"^(\d+): (\d)$", said, re.M)]
    phases = bench_vectors(core(choice)).phases
    met = [state for number, state in states if phases["renewed"] <= number < phases["reload"]]
    assert met == sorted(met) and set(met) == {0, 1, 2}
    gone = [state for number, state in states if phases["refused"] <= number < phases["erasure"]]
    assert gone == sorted(gone) and set(gone) == {0, 1}


def test_vectors() -> None:
    """Both directions next to each other, all slots in use, a burst longer than the result buffer, all codes, the same each time."""
    compiled = core(PARTIAL)
    vectors = bench_vectors(compiled)
    phases = vectors.phases
    assert vectors == bench_vectors(compiled)
    flags = [sector.command[36] for sector in vectors.sectors if sector.wanted]
    assert {(a, b) for a, b in zip(flags, flags[1:], strict=False)} == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert phases["burst"] - phases["empty"] > compiled.result_sectors
    assert phases["stalls"] - phases["wrong"] > compiled.result_sectors
    assert {sector.code for sector in vectors.sectors} == {0, 1, 2, 3, 4, 6}
    assert {sector.code for sector in bench_vectors(core(SLOTS)).sectors} == {0, 1, 2, 3, 4, 5, 6}
    assert len({sector.command[32:34] for sector in vectors.sectors}) == len(vectors.sectors)
    slots = bench_vectors(core(SLOTS))
    assert {sector.command[34] for sector in slots.sectors if sector.wanted} == {0, 2} == {key.slot for key in slots.keys}
    assert len({key.key for key in slots.keys}) == len(slots.keys) == 5


def test_codes_are_those_of_the_document() -> None:
    """What the bench wants for a packet is what docs/interfaces.md says, as the tests of the buses read it."""
    for choice in CHOICES.values():
        p, vectors = bus_parameters(core(choice)), bench_vectors(core(choice))
        # Other slots never get a key.
        used = {key.slot for key in vectors.keys}
        for number, sector in enumerate(vectors.sectors):
            slot, size, decrypt = sector.command[34], sector.command[35], sector.command[36] & 1
            known = size < len(p.sizes)
            case = Case(
                tuple(keep for _, keep in sector.beats), p.beat_bytes, p.sizes[size if known else 0].nbytes,
                key=slot in used, direction=p.sectors.decrypt if decrypt else p.sectors.encrypt, size=known,
            )  # fmt: skip
            code = status_code(case)
            # A slot without a key is the phase's matter.
            assert sector.code == code or (code, sector.code) == (0, 4), f"command {number}"
