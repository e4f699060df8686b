# SPDX-License-Identifier: Apache-2.0
"""Coverage of Verilog: what does not toggle, run or come is told, and so is what never could, on a module with one of each."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.built import SEQUENTIAL, compiled, folder
from tests.emit import emitted
from tests.external import needs
from tests.scripts import ROOT

from modeloom.product.folder import read_description

sys.path.append(str(ROOT / "bench"))

from verilog_coverage.constants import constants, gates_of  # noqa: E402
from verilog_coverage.invariants import Invariant  # noqa: E402
from verilog_coverage.machines import SOMETIMES, Machine, instrumented, machines_of, missing, together  # noqa: E402
from verilog_coverage.simulate import VerilatorFailed, counts, verilate  # noqa: E402
from verilog_coverage.stimulus import Pin, Stimulus, scramble  # noqa: E402
from verilog_coverage.summary import CoverageError, lines, states, toggles, unexplained  # noqa: E402

pytestmark = pytest.mark.slow

# Reset is high in the first cycle alone, and data[3] never rises.
TINY = """\
module tiny (input wire aclk, input wire rst, input wire [3:0] data, output wire [3:0] echo);
  tiny_core core (.clk(aclk), .rst(rst), .data(data), .echo(echo));
endmodule

module tiny_core (clk, rst, data, echo);
  input clk, rst;
  input [3:0] data;
  output [3:0] echo;
  reg [3:0] echo = 4'h0;
  reg [1:0] state = 2'h0;
  reg [1:0] turn = 2'h0;
  reg once = 1'h0;
  reg fresh = 1'h1;
  reg errors = 1'h0;
  wire where;
  wire [3:0] word;
  wire [4:0] wide;
  wire [2:0] more;
  wire [1:0] next;
  reg [3:0] words [1:0];
  initial begin
    words[0] = 4'h0;
    words[1] = 4'h0;
  end
  always @(posedge clk)
    words[where] <= data;
  assign where = 1'h0;
  assign word = words[turn[0]];
  assign wide = { 1'h0, data };
  assign more = { 1'h0, turn } + 3'h1;
  assign next = data[3] ? 2'h2 : data[1:0] == 2'h1 ? 2'h1 : 2'h0;
  always @(posedge clk)
    echo <= data;
  always @(posedge clk)
    state <= rst ? 2'h0 : next;
  always @(posedge clk)
    turn <= turn == 2'h2 ? 2'h0 : more[1:0];
  always @(posedge clk)
    once <= once | data[0];
  always @(posedge clk)
    fresh <= fresh & ~data[0];
  always @(posedge clk) begin
    if (state == 2'h2)
      errors <= data[1];
  end
  tiny_leaf left (.clk(clk), .d(data[0]));
  tiny_leaf right (.clk(clk), .d(data[3]));
endmodule

module tiny_leaf (clk, d);
  input clk, d;
  reg q = 1'h0;
  always @(posedge clk)
    q <= d;
endmodule
"""

PINS = [Pin("data", 4, True), Pin("rst", 1, True), Pin("echo", 4, False)]

MACHINE = Machine("core", "states", ("state",), {"idle": "state == 0", "runs": "state == 1", "fails": "state == 2"})

NOT_TOGGLED = {"data[3]", "core.data[3]", "core.wide[3]", "core.echo[3]", "echo[3]", "core.words[0][3]", "core.word[3]", "core.state[1]",
               "core.next[1]", "core.once", "core.fresh", "core.errors", "core.right.d", "core.right.q"}  # fmt: skip
"""Bits that could: data that never rise and what follows them, what only rises or falls."""

CONSTANT = {"core.wide[4]", "core.where", *(f"core.words[1][{bit}]" for bit in range(4))}
"""Bits that nothing could move: an extension with zero, a word that nobody writes."""

UNREACHABLE = {"core.more[2]"}
"""One that no state moves: the carry of a counter that goes to 2."""


BEAT = ("xts", {"sector": 32, "more_sectors": (16,), "cipher_arch": "sequential"})
"""A core in which the sectors of one size are a single beat."""


def given(data: list[int]) -> Stimulus:
    rows = [(value, int(number == 0), before) for number, (value, before) in enumerate(zip(data, [0, *data]))]
    return Stimulus(PINS, np.array(rows, dtype=np.uint8), np.ones(len(rows), dtype=bool))


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "tiny.v").write_text(TINY, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def text() -> str:
    return instrumented(TINY, "tiny", [MACHINE])


@pytest.fixture(scope="module")
def program(work: Path, text: str) -> Path:
    return verilate(text, "tiny", PINS, work)


@pytest.fixture(scope="module")
def found(program: Path, work: Path) -> list:
    return counts(program, given([number * 5 % 8 for number in range(40)]), work)


@pytest.fixture(scope="module")
def gates(work: Path):
    return gates_of(work / "tiny.v", "tiny")


@needs("verilator")
def test_bits_that_did_not_toggle_and_those_that_cannot(found, gates):
    bits = {f"{one.path}.{one.what}".lstrip("."): one.count for one in found if one.kind == "toggle"}
    result = toggles(found, gates)
    assert {place.removeprefix("no reason: ").lstrip(".") for place in result["not_toggled"]} == NOT_TOGGLED
    assert (result["constant"], result["unreachable"]) == (len(CONSTANT), len(UNREACHABLE))
    assert {bit for bit, count in bits.items() if count < 2} == NOT_TOGGLED | CONSTANT | UNREACHABLE
    assert result["bits"] == len(bits) == result["can_toggle"] + len(CONSTANT | UNREACHABLE)
    assert result["toggled"] == result["can_toggle"] - len(NOT_TOGGLED)


@needs("verilator")
def test_a_line_that_did_not_run(found, text):
    result = lines(found, text)
    assert list(result["not_run"].values()) == [1] and result["run"] == result["lines"] - 1 > 10
    (place,) = result["not_run"]
    assert place == "no reason: core: if (state == 2'h2)"


@needs("verilator")
def test_a_state_that_was_not_reached(found):
    reason = "no reason: core.states.fails"
    assert states(found, [MACHINE]) == {"core.states": {"reached": 2, "states": 3, "not_reached": {"fails": reason}}}


@needs("verilator")
def test_what_has_a_reason_is_explained(found, gates, text):
    reasons = [(r".*\[3\]", "never rises"), (r"core\.states\.fails|core: if .*", "needs data[3]"), (r".*", "once")]
    result = {
        "toggles": toggles(found, gates, (), reasons), "lines": lines(found, text, reasons), "states": states(found, [MACHINE], reasons),
    }  # fmt: skip
    assert unexplained(result) == 0
    assert result["toggles"]["not_toggled"] == {"never rises": 7, "once": len(NOT_TOGGLED) - 7}
    assert result["lines"]["not_run"] == {"needs data[3]": 1}
    assert unexplained({**result, "lines": lines(found, text)}) == 1


@needs("verilator")
def test_everything_is_covered_by_a_longer_run(program, work, gates, text):
    longer = counts(program, given([number * 5 % 16 for number in range(80)]), work)
    result = toggles(longer, gates)
    assert {place.removeprefix("no reason: ").lstrip(".") for place in result["not_toggled"]} == {"core.once", "core.fresh"}
    assert not lines(longer, text)["not_run"] and states(longer, [MACHINE])["core.states"]["reached"] == 3


@needs("verilator")
def test_a_wrong_proof_is_noticed(found, gates):
    for bit in sorted(CONSTANT):
        path, _, what = bit.partition(".")
        wrong = [replace(one, count=2) if (one.path, one.what) == (path, what) else one for one in found]
        with pytest.raises(CoverageError, match="is called constant, and has toggled"):
            toggles(wrong, gates)
    (bit,) = UNREACHABLE
    wrong = [replace(one, count=2) if f"{one.path}.{one.what}" == bit else one for one in found]
    with pytest.raises(CoverageError, match="is called unreachable, and has toggled"):
        toggles(wrong, gates)


@needs("verilator")
def test_a_state_that_nobody_named_is_noticed(found):
    seen = [replace(one, count=3) if one.what == "states_other" else one for one in found]
    with pytest.raises(CoverageError, match="in none of its states in 3 cycles"):
        states(seen, [MACHINE])
    with pytest.raises(CoverageError, match="counts no state ends"):
        states(found, [replace(MACHINE, states={**MACHINE.states, "ends": "state == 3"})])


@needs("verilator")
def test_a_wrong_output_is_noticed(program, work):
    wrong = given([1, 2, 3, 4])
    wrong.rows[2, 2] ^= 1
    with pytest.raises(VerilatorFailed, match="echo differs in cycle 2"):
        counts(program, wrong, work)
    wrong.compared[2] = False
    assert counts(program, wrong, work)


def test_what_nothing_reads_is_random():
    names = {
        "s_axis_cmd_tdata": 320, "s_axis_cmd_tvalid": 1, "s_axis_tdata": 128, "s_axis_tkeep": 16, "s_axis_tlast": 1,
        "s_axis_tvalid": 1, "s_axis_key_tdata": 128, "s_axis_key_tdest": 8, "s_axis_key_tkeep": 16, "s_axis_key_tlast": 1,
        "s_axis_key_tuser": 1, "s_axis_key_tvalid": 1,
    }  # fmt: skip
    pins = [Pin(name, width, True) for name, width in names.items()]
    size = sum(pin.bytes for pin in pins)
    rows = np.zeros((600, size), dtype=np.uint8)
    places = dict(zip(names, np.cumsum([0, *(pin.bytes for pin in pins)])[:-1], strict=True))
    rows[200:400, [places[name] for name in names if name.endswith("tvalid")]] = 1
    rows[300:, places["s_axis_cmd_tdata"]] = 5  # the second of two commands
    before = rows.copy()
    scramble(rows, pins, 16, np.random.default_rng(1))
    for pin in pins:
        now = rows[:, places[pin.name] : places[pin.name] + pin.bytes]
        bits = np.unpackbits(now, axis=1, bitorder="little")
        if pin.name.endswith("tvalid"):
            assert (now[:, 0] == before[:, places[pin.name]]).all()
            continue
        for part in (bits[:200], bits[400:]):
            assert part[:, : pin.width].any(axis=0).all() and not part[:, : pin.width].all(axis=0).any() and not part[:, pin.width :].any()
        if pin.name != "s_axis_cmd_tdata":
            assert not bits[200:400].any()
            continue
        # Tweak, tag, slot, size and direction are what they were; the rest stays for as long as a command waits.
        read = [*range(128), *range(256, 289)]
        wanted = np.unpackbits(before[200:400, : pin.bytes], axis=1, bitorder="little")
        assert (bits[200:400, read] == wanted[:, read]).all()
        assert (now[200:300] == now[200]).all() and (now[300:400] == now[300]).all()
        assert (bits[200, 128:256] != bits[300, 128:256]).any() and (bits[200, 289:] != bits[300, 289:]).any()


def test_the_machines_of_a_core_are_in_its_verilog():
    options = {"sector": 32, "cipher_arch": "sequential", "cipher_stages": 1, "key_slots": 1, "restarts": 50}
    directory, one = folder("xts", **options), compiled("xts", **options)
    description = read_description(directory)
    machines = machines_of(one)
    text = instrumented((directory / description.verilog).read_text(encoding="utf-8"), description.top, machines)
    assert text.count("cover property") == sum(len(machine.states) + 1 for machine in machines) > 100
    places = {machine.path for machine in machines}
    assert {"core.zeroizer", "core.bus.key_port", "core.engine.sequencer", "core.engine.cipher0.both"} <= places
    (port,) = [machine for machine in machines if machine.path == "core.bus.key_port"]
    assert len(port.states) == 12 and port.states["IDLE"] == "fsm_state == 0"
    assert len(set(port.states.values())) == 12
    followed = {register.rpartition(".")[0] for group in together(one) for register in group}
    assert followed <= places | {"core.bus.ring", "core.engine.control"}


def test_registers_that_are_followed_together_are_in_the_verilog():
    """A register that no core has would be left out of the invariant without a word."""
    absent = []
    for choice in (("hctr2", SEQUENTIAL), BEAT):
        directory, one = emitted.folder(choice), emitted.core(choice)
        description = read_description(directory)
        verilog, top = (directory / description.verilog).read_text(encoding="utf-8"), description.top
        absent.append(missing(verilog, top, together(one)))
    assert absent[0] <= SOMETIMES and absent[1] <= SOMETIMES and not absent[0] & absent[1]
    assert missing(verilog, top, [("core.zeroizer.hold", "core.zeroizer.held"), ("core.clock.hold",)]) == {
        "core.zeroizer.held", "core.clock.hold",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "moves"),
    [
        ("{ 1'h0, data }", "{ data[0], data }", {"core.fresh", "core.wide[4]"}),
        ("where = 1'h0", "where = data[0]", {"core.fresh", "core.where", *(f"core.words[1][{bit}]" for bit in range(4))}),
        ("fresh & ~data[0]", "fresh | data[0]", set()),
    ],
)
def test_constants(tmp_path, old, new, moves):
    assert TINY.count(old) == 1
    path = tmp_path / "tiny.v"
    path.write_text(TINY.replace(old, new), encoding="utf-8")
    gates = gates_of(path, "tiny")
    fixed = constants(gates)
    moving = {bit for bit in CONSTANT | {"core.fresh"} if not gates.still("core", bit.removeprefix("core."), fixed)}
    assert moving == moves


AHEAD = """\
module ahead (clk, go, word, more);
  input clk, go;
  output [1:0] word;
  output [2:0] more;
  reg [1:0] turn = 2'h0;
  reg last = 1'h0;
  reg [1:0] words [1:0];
  initial begin
    words[0] = 2'h0;
    words[1] = 2'h0;
  end
  wire odd;
  wire [1:0] data;
  assign odd = turn == 2'h3;
  assign data = odd ? { go, 1'h1 } : 2'h2;
  assign more = { 1'h0, turn } + 3'h1;
  assign word = words[go];
  always @(posedge clk)
    turn <= last ? 2'h0 : go ? more[1:0] : turn;
  always @(posedge clk)
    last <= go ? ~last & turn == 2'h1 : last;
  always @(posedge clk)
    if (go)
      words[odd] <= data;
endmodule
"""


@pytest.mark.parametrize(
    ("old", "new", "joint", "unreachable"),
    [
        ("", "", True, {"more[2]", "words[1][0]", "words[1][1]", "words[0][0]"}),
        # One by one the registers may be anything; but what is written to word 0 says so itself.
        ("", "", False, {"words[0][0]"}),
        # The flag comes a cycle too late, too soon, or says nothing.
        ("turn == 2'h1 : last", "turn == 2'h2 : last", True, {"words[0][0]"}),
        ("turn == 2'h1 : last", "turn == 2'h0 : last", True, {"more[2]", "words[1][0]", "words[1][1]", "words[0][0]"}),
        ("turn <= last ? 2'h0 :", "turn <=", True, {"words[0][0]"}),
        # The other word is written, and never the first.
        ("words[odd]", "words[go]", True, {"more[2]", "words[1][0]", "words[0][0]", "words[0][1]"}),
    ],
)
def test_values_that_registers_cannot_have(tmp_path, old, new, joint, unreachable):
    path = tmp_path / "ahead.v"
    assert not old or AHEAD.count(old) == 1
    path.write_text(AHEAD.replace(old, new) if old else AHEAD, encoding="utf-8")
    invariant = Invariant(gates_of(path, "ahead"), [("turn", "last")] if joint else [])
    bits = ["more[0]", "more[1]", "more[2]", "word[1]", *(f"words[{word}][{bit}]" for word in (0, 1) for bit in (0, 1))]
    assert {bit for bit in bits if invariant.still("", bit)} == unreachable


def test_what_no_core_has_is_refused(tmp_path):
    path = tmp_path / "tiny.v"
    path.write_text(TINY.replace("errors = 1'h0", "errors = 1'hx"), encoding="utf-8")
    with pytest.raises(ValueError, match="tiny.v has an unknown value: 'hx"):
        gates_of(path, "tiny")
    path.write_text(TINY.replace("posedge clk)\n    once", "negedge clk)\n    once"), encoding="utf-8")
    with pytest.raises(ValueError, match="_DFF_N_"):
        gates_of(path, "tiny")
    with pytest.raises(ValueError, match="there is no module tiny_core_more"):
        instrumented(TINY, "tiny", [replace(MACHINE, path="core.more")])
    with pytest.raises(ValueError, match="tiny_core has no register phase"):
        instrumented(TINY, "tiny", [replace(MACHINE, registers=("phase",))])
