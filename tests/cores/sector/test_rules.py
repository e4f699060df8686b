# SPDX-License-Identifier: Apache-2.0
"""The assertions that stand in an emitted core for simulation: each mistake of a host, and each fault of a core, is named.

The module with the assertions sees ports alone, so here it is alone: the test plays host and core.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from tests.built import RUN_FOLDER, slow
from tests.emit.emitted import SIZES, SLOTS, core, folder, made
from tests.external import needs

from modeloom.cores.sector import bus_parameters, erase_cycles, interval_pins, latency_pins
from modeloom.cores.sector.bench import rules_module
from modeloom.emit import core_name
from modeloom.emit.simulators import Icarus, Simulator, Verilator
from modeloom.interfaces.sector import pack_command
from modeloom.product.description import ASSERT_MACRO

NAME = core_name(made(SLOTS))

Step = dict[str, str]
"""Values of ports from a cycle on."""

LOW: Step = {
    **{
        f"{stream}_{name}": "0"
        for stream in ("s_axis_cmd", "s_axis", "s_axis_key", "m_axis", "m_axis_status")
        for name in ("tvalid", "tready")
    },
    "s_axis_cmd_tdata": "0",
    "s_axis_tdata": "0",
    "s_axis_tkeep": "0",
    "s_axis_tlast": "0",
    "m_axis_tdata": "0",
    "m_axis_tkeep": "0",
    "m_axis_tlast": "0",
    "m_axis_status_tdata": "0",
    "s_axis_key_tdata": "0",
    "s_axis_key_tkeep": "0",
    "s_axis_key_tlast": "0",
    "s_axis_key_tdest": "0",
    "s_axis_key_tuser": "0",
    "key_loaded": "0",
    "key_busy": "0",
    "key_error": "0",
    "zeroize": "0",
    "zeroizing": "0",
    "aresetn": "1",
}

FULL = "16'hffff"


def command(tag: int, **more: str) -> Step:
    value = int.from_bytes(pack_command(tag=tag), "little")
    return {"s_axis_cmd_tvalid": "1", "s_axis_cmd_tready": "1", "s_axis_cmd_tdata": f"320'h{value:x}", **more}


def beat(last: int = 0, keep: str = FULL, data: str = "7", stream: str = "s_axis") -> Step:
    ports = {"tvalid": "1", "tready": "1", "tdata": data, "tkeep": keep, "tlast": str(last)}
    return {f"{stream}_{name}": value for name, value in ports.items()}


def status(tag: int, code: int = 0) -> Step:
    return {"m_axis_status_tvalid": "1", "m_axis_status_tready": "1", "m_axis_status_tdata": f"32'h{code << 16 | tag:x}"}


def key(last: int = 0, keep: str = FULL, slot: int = 1, erase: int = 0) -> Step:
    ports = {"tvalid": "1", "tready": "1", "tdata": "5", "tkeep": keep, "tlast": str(last), "tdest": str(slot), "tuser": str(erase)}
    return {f"s_axis_key_{name}": value for name, value in ports.items()}


def wait(step: Step, stream: str, **changed: str) -> list[Step]:
    """A beat that is not taken, and what becomes of it in the next cycle."""
    waiting = {**step, f"{stream}_tready": "0"}
    return [waiting, {**waiting, **changed}, {}]


RESET: list[Step] = [{"aresetn": "0"}, *[{"zeroizing": "1"}] * erase_cycles(core(SLOTS)), {}]
PACKET = [beat(), beat(), beat(1)]
SECTOR = [command(5), *PACKET, {}, beat(stream="m_axis"), beat(stream="m_axis"), beat(1, stream="m_axis"), status(5), {}]
KEY = [key(), key(), key(1, "16'h00ff"), {"key_busy": "1"}, {"key_loaded": "2"}]
KNOWN_X = "128'hx"
LATEST = 2 * (interval_pins(core(SLOTS)) + latency_pins(core(SLOTS))) + 200
"""Cycles in which a status comes: those of two sectors, as sizes may change between them, and some more."""


@dataclass(frozen=True)
class Case:
    """Steps after a reset, and what is said of them; nothing if they are right."""

    steps: list[Step]
    said: tuple[str, ...] = ()
    reset: list[Step] = field(default_factory=lambda: RESET)


ERROR, WARNING = "error", "warning"

CASES: dict[str, Case] = {
    "a sector": Case([*SECTOR, *SECTOR]),
    "a key": Case([*KEY, {}, key(1, "16'h0", erase=1), {"key_busy": "1"}, {}]),
    "beats that wait": Case([*wait(command(5), "s_axis_cmd")[:2], command(5), *wait(beat(), "s_axis")[:2], beat()]),
    "unknown bytes outside tkeep": Case(
        [command(5), beat(), beat(), beat(1, "16'h000f", "{96'hx, 32'h1}"), {}], ("warning: s_axis: the length",)
    ),
    "unknown tweak": Case([command(5, s_axis_cmd_tdata="{192'h0, 128'hx}")], ("error: s_axis_cmd_tdata has unknown bits",)),
    "unknown bits that the core does not read": Case([command(5, s_axis_cmd_tdata="{24'hx, 24'h0, 16'h5, 128'hx, 128'h1}")]),
    # The host.
    "a command is withdrawn": Case(
        wait(command(5), "s_axis_cmd", s_axis_cmd_tvalid="0"), ("error: s_axis_cmd_tvalid fell before s_axis_cmd_tready",)
    ),
    "a command changes": Case(
        wait(command(5), "s_axis_cmd", s_axis_cmd_tdata="320'h9")[:2], ("error: s_axis_cmd_tdata changed before s_axis_cmd_tready",)
    ),
    "data are withdrawn": Case(wait(beat(), "s_axis", s_axis_tvalid="0"), ("error: s_axis_tvalid fell before s_axis_tready",)),
    "data change": Case(wait(beat(), "s_axis", s_axis_tdata="8")[:2], ("error: s_axis_tdata changed before s_axis_tready",)),
    "tkeep changes": Case(wait(beat(), "s_axis", s_axis_tkeep="1")[:2], ("error: s_axis_tkeep changed before s_axis_tready",)),
    "tlast changes": Case(wait(beat(), "s_axis", s_axis_tlast="1")[:2], ("error: s_axis_tlast changed before s_axis_tready",)),
    "unknown data": Case([beat(data=KNOWN_X)], ("error: s_axis_tdata has unknown bits",)),
    "unknown tlast": Case([{**beat(), "s_axis_tlast": "1'bx"}], ("error: s_axis_tlast has unknown bits",)),
    "unknown tvalid": Case([{"s_axis_tvalid": "1'bz"}], ("error: s_axis_tvalid is unknown",)),
    "unknown tready": Case([{"m_axis_tready": "1'bx"}], ("error: m_axis_tready or m_axis_status_tready is unknown",)),
    "unknown zeroize": Case([{"zeroize": "1'bx"}, {}], ("error: aresetn or zeroize is unknown",)),
    "valid in the reset": Case(
        [], ("error: s_axis_key_tvalid is not low during the reset",), [{"aresetn": "0", "s_axis_key_tvalid": "1"}, *RESET[1:]]
    ),
    "a gap in tkeep": Case(
        [*PACKET[:2], beat(1, "16'hfffd")], ("warning: s_axis_tkeep is not ones from bit 0 on in the last beat",)
    ),
    "no byte in the last beat": Case(
        [*PACKET, beat(1, "0")], ("warning: s_axis_tkeep is not ones from bit 0 on in the last beat",)
    ),
    "tkeep before the last beat": Case([beat(0, "16'h7fff")], ("warning: s_axis_tkeep is not all ones before the last beat",)),
    "a short packet": Case([beat(), beat(1)], ("warning: s_axis: the length of the packet is not a sector size",)),
    "a long packet": Case([*PACKET[:2], beat(), beat(1)], ("warning: s_axis: the length of the packet is not a sector size",)),
    "a short key": Case([key(), key(1)], ("warning: s_axis_key: the packet does not have the length of a key",)),
    "a long key": Case([key(), key(), key(), key(1)], ("warning: s_axis_key: the packet does not have the length of a key",)),
    "padding of a key in tkeep": Case([key(), key(), key(1)], ("warning: s_axis_key: the packet does not have the length of a key",)),
    "a slot that is not there": Case(
        [key(slot=3), key(slot=3), key(1, "16'h00ff", 3)], ("warning: s_axis_key_tdest is not a key slot",)
    ),
    "a slot that changes in a packet": Case(
        [key(), key(slot=2)], ("error: s_axis_key_tdest or s_axis_key_tuser changed in a packet",)
    ),
    "a key is withdrawn": Case(
        wait(key(), "s_axis_key", s_axis_key_tvalid="0"), ("error: s_axis_key_tvalid fell before s_axis_key_tready",)
    ),
    "a key is refused": Case([*KEY[:3], {"key_error": "1"}], ("warning: key_error: the core refused the packet on s_axis_key",)),
    "no key": Case(
        [command(5), *PACKET, status(5, 4)],
        ("warning: m_axis_status: NO_KEY: the key slot is empty, is being loaded, or does not exist",),
    ),
    # The core.
    "data are withdrawn by the core": Case(
        [command(5), *wait(beat(stream="m_axis"), "m_axis", **dict.fromkeys(beat(stream="m_axis"), "0"))],
        ("error: m_axis_tvalid fell before m_axis_tready",),
    ),
    "a status changes": Case(
        [command(5), *wait(status(5, 4), "m_axis_status", m_axis_status_tdata="32'h00040006")[:2]],
        ("error: m_axis_status_tdata changed before m_axis_status_tready",),
    ),
    "unknown data of the core": Case(
        [{**beat(stream="m_axis", data=KNOWN_X), "m_axis_tready": "0"}], ("error: m_axis_tdata has unknown bits",)
    ),
    "an unknown ready of the core": Case([{"s_axis_tready": "1'bx"}], ("error: s_axis_tready is unknown",)),
    "a status without a command": Case(
        [*SECTOR, status(5, 4)], ("error: m_axis_status: there is no command for this status", "warning: m_axis_status: NO_KEY")
    ),
    "a second status": Case(
        [command(5), command(6), status(5, 4), status(5, 4)],
        ("warning", "error: m_axis_status: the tag is not that of the oldest command", "warning"),
    ),
    "a status before its data": Case(
        [command(5), *PACKET, status(5)], ("error: m_axis_status: the status OK came before the data of the sector",)
    ),
    "an unknown code": Case([command(5), status(5, 9)], ("error: m_axis_status: unknown code",)),
    "data that nobody asked for": Case([*(SECTOR[5:8]), {}], ("error: m_axis: there is no command for this sector",)),
    "a sector of the wrong length": Case(
        [command(5), beat(1, stream="m_axis")], ("error: m_axis: the length of the packet is not a sector size",)
    ),
    "a gap in tkeep of the core": Case(
        [{**beat(1, "16'hfffd", "0", stream="m_axis"), "m_axis_tready": "0"}], ("error: m_axis_tkeep has a gap",)
    ),
    "data outside tkeep": Case(
        [{**beat(1, "16'h0001", "16'h100", stream="m_axis"), "m_axis_tready": "0"}],
        ("error: m_axis_tdata is not zero outside m_axis_tkeep",),
    ),
    "data while not valid": Case([{"m_axis_tdata": "1"}], ("error: m_axis: the payload is not zero while tvalid is low",)),
    "a late status": Case([command(5), *PACKET, *[{}] * (LATEST - 2), status(5, 4)], ("warning: m_axis_status: NO_KEY",)),
    "no status": Case([command(5), *PACKET, *[{}] * LATEST], ("error: m_axis_status: an expected status did not come",)),
    "a short erasure": Case(
        [{"zeroize": "1"}, *RESET[1:-2], {}], ("error: zeroizing was not high for the stated number of cycles",)
    ),
    "a bus that is busy in an erasure": Case(
        [{"zeroize": "1"}, RESET[1], {**RESET[1], "s_axis_tready": "1"}, *RESET[3:]],
        ("error: an output is not low during an erasure",),
    ),
    "commands are forgotten in an erasure": Case([command(5), {"zeroize": "1"}, *RESET[1:], *SECTOR]),
}


WITHOUT_UNKNOWN = [name for name, case in CASES.items() if not any({"x", "z"} & {*value} for step in case.steps for value in step.values())]
"""Verilator knows no unknown bits."""


def module() -> str:
    """The module with the assertions, without its ``ifdef``."""
    return re.search(rf"^module {NAME}_rules \(.*?^endmodule", rules_module(core(SLOTS), NAME), re.M | re.S)[0]


def ports() -> dict[str, str]:
    """The inputs of the module without the clock, and their widths as Verilog writes them."""
    found = re.findall(r"^    input +wire +(\[\d+:0\])? *(\w+)", module(), re.M)
    return {name: width for width, name in found if name != "aclk"}


def steps_of(case: Case) -> list[Step]:
    return [*case.reset, *case.steps]


def bits_of(value: str, width: str) -> str:
    """A value as Verilog writes it in binary, with unknown bits."""
    bits = int(width[1:].partition(":")[0]) + 1 if width else 1
    if "'" not in value:
        return f"{int(value):0{bits}b}"
    made = ""
    for size, base, digits in re.findall(r"(\d+)'([hb])(\w+)", value):  # one number, or several in braces
        made += digits * int(size) if digits in ("x", "z") else f"{int(digits, 16 if base == 'h' else 2):0{size}b}"
    return made.rjust(bits, "0")


def bench(work: Path) -> str:
    """A bench for the module, which plays the steps of a case from a file; a plusarg tells their number.

    It is compiled once for all cases, whose steps lie beside it, in files with the numbers of the cases.
    """
    p = bus_parameters(core(SLOTS))
    assert p.sizes[0].nbytes == 48 and p.key_slots == 3 and p.keys.packet_bytes == 40
    widths = ports()
    lengths = set()
    for number, case in enumerate(CASES.values()):
        lines = ["".join(bits_of({**LOW, **step}[name], width) for name, width in widths.items()) for step in steps_of(case)]
        (work / f"{number}.txt").write_text("\n".join([*lines, ""]))
        lengths |= set(map(len, lines))
    (bits,) = lengths
    longest = max(len(steps_of(case)) for case in CASES.values())
    declared = "\n".join(f"  reg {width} {name};" for name, width in widths.items())
    return (
        f"{module()}\nmodule bench;\n  reg aclk;\n{declared}\n  reg [{bits - 1}:0] steps [0:{longest - 1}];\n"
        "  reg [8*400-1:0] file;\n  integer i, count;\n  always #5 aclk = ~aclk;\n"
        f"  {NAME}_rules rules (.aclk(aclk), {', '.join(f'.{name}({name})' for name in widths)});\n"
        '  initial begin\n    if (!$value$plusargs("file=%s", file)) $finish;\n    if (!$value$plusargs("count=%d", count)) count = 0;\n'
        "    $readmemb(file, steps, 0, count - 1);\n"
        f"    aclk = 0;\n    for (i = 0; i < count; i = i + 1) begin\n      {{{', '.join(widths)}}} = steps[i];\n"
        "      @(negedge aclk);\n    end\n    $finish;\n  end\nendmodule\n"
    )


@cache
def program(kind: type[Simulator], *defines: str) -> tuple[Path, list[str]]:
    """The folder with the steps, and the command that runs the bench."""
    work = Path(tempfile.mkdtemp(dir=os.environ[RUN_FOLDER]))
    (work / "bench.v").write_text(bench(work))
    return work, kind().build("bench", [work / "bench.v"], work, [ASSERT_MACRO, *defines])


def simulated(name: str, kind: type[Simulator] = Verilator, *defines: str) -> subprocess.CompletedProcess[str]:
    """A run with the steps of a case."""
    work, command = program(kind, *defines)
    chosen = [f"+file={work / str(list(CASES).index(name))}.txt", f"+count={len(steps_of(CASES[name]))}"]
    return subprocess.run([*command, *chosen], stdout=subprocess.PIPE, text=True, check=False)


def check_case(name: str, kind: type[Simulator]) -> None:
    """The module says what the case has, and nothing else."""
    case, done = CASES[name], simulated(name, kind)
    lines = [line for line in done.stdout.splitlines() if line.startswith("modeloom-assert: ")]
    said = [re.sub(r"modeloom-assert: (\w+): bench\.rules\.\w+: cycle \d+: ", r"\1: ", line) for line in lines]
    assert done.returncode == 0 and len(said) == len(case.said), said
    assert all(line.startswith(start) for line, start in zip(said, case.said, strict=True)), said


def test_bits_of_a_command_that_are_read() -> None:
    """The tweak of the mode, tag, slot and size in the bytes 32 to 35, and bit 0 of byte 36."""
    for choice in (SLOTS, SIZES):
        text = rules_module(core(choice), "disk")
        (value,) = re.findall(r"COMMAND_READ = 320'h(\w+);", text)
        tweak = 8 * core(choice).source.tweak_bytes
        assert len(value) == 80 and int(value, 16) == (1 << tweak) - 1 | 0x1_FFFF_FFFF << 256


def test_patience_is_that_of_the_longest_sector() -> None:
    (value,) = re.findall(r"PATIENCE     = (\d+);", rules_module(core(SIZES), "disk"))
    assert int(value) == 2 * max(interval_pins(one) + latency_pins(one) for one in core(SIZES).sizes) + 200


@pytest.mark.parametrize("name", WITHOUT_UNKNOWN)
def test_what_is_said(name: str) -> None:
    check_case(name, Verilator)


@needs("iverilog")
def test_icarus_says_the_same() -> None:
    for name in CASES:
        check_case(name, Icarus)


def test_every_message_has_a_case() -> None:
    """Each text of the module comes up above, but for those that differ in the name of a port or code alone."""
    texts = set(re.findall(r'(?:broken|refused)\((?:[^"()]* \? )?"([^"]+)"', module())) | set(
        re.findall(r': "([^"]+)"\);', module())
    )
    named = [start.partition(": ")[2] for case in CASES.values() for start in case.said if ": " in start]

    def shape(text: str) -> str:
        return re.sub(r"\b[sm]_axis(_\w+)?|[A-Z_]{4,}.*", "PORT", text)

    known = {shape(text) for text in named}
    missing = {text for text in texts if not any(shape(text).startswith(start) for start in known)}
    assert missing <= {
        "m_axis_status: too many commands have no status",
        "key_loaded, key_busy or key_error is unknown",
        "zeroizing is unknown",
    }


@pytest.mark.parametrize("kind", [pytest.param(Icarus, marks=needs("iverilog")), pytest.param(Verilator, marks=slow)])
def test_the_first_error_can_end_the_simulation(kind: type[Simulator]) -> None:
    done = simulated("data that nobody asked for", kind, f"{ASSERT_MACRO}_FATAL")
    assert done.returncode != 0 and "m_axis: there is no command" in done.stdout


def test_without_the_macro_nothing_is_there() -> None:
    """Every line of the assertions stands between the macro's."""
    text = (folder(SLOTS) / f"{NAME}.v").read_text()
    assert rules_module(core(SLOTS), NAME) in text
    depth, left = 0, []
    for line in text.splitlines():
        depth += line.startswith("`ifdef")
        if not depth:
            left.append(line)
        depth -= line.startswith("`endif")
    assert len(left) > 1000 and not [line for line in left if "rules" in line or "$display" in line or "`" in line]
