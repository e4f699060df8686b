# SPDX-License-Identifier: Apache-2.0
"""The assertions of cores for messages: their limit of commands without a status is what the core holds, and one more is named."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from amaranth.back import rtlil
from tests.built import slow, slowly
from tests.external import needs
from tests.streamed import SMALL, TINY, compiled, folder

from modeloom.cores.stream import StreamCore
from modeloom.emit import run_bench
from modeloom.emit.simulators import Verilator
from modeloom.interfaces.messages import message_command, pack_message_command
from modeloom.product.description import ASSERT_MACRO
from modeloom.sim import Simulation, build

KEY_CYCLES = 600
REST = 900
"""Cycles in which a core takes something, if it takes anything at all."""

CORES: dict[str, tuple[str, dict[str, Any]]] = {
    "starts ahead": ("ocb3", {**TINY, "streams": 4}),
    "plain": ("gcm", TINY),
    "starts ahead, one stream": ("ocb3", TINY),
    "starts ahead, pipelined": ("ocb3", SMALL),
    "starts ahead, held text": ("ocb3", {**TINY, "streams": 4, "hold": 64}),
    "tokens that return": ("aes-otr", {**TINY, "streams": 4}),
    "a chain": ("ccm", TINY),
    "tweaks": ("deoxys-i", {**TINY, "key_bits": None}),
    "many slots": ("gcm", {**TINY, "key_slots": 65}),
    "a hash, pipelined": ("gcm", SMALL),
    "starts ahead, on the wire": ("ocb3", {**SMALL, "packet": "wire"}),
    "packets on the wire": ("gcm", {**SMALL, "packet": "wire"}),
    "keys inline": ("gcm", {**SMALL, "keys": "inline"}),
    "derived keys": ("gcm-siv", {**TINY, "keys": "derived"}),
    "stored messages": ("deoxys-ii", {**TINY, "key_bits": None, "message_buffer": 64}),
    "channels": ("gcm", {**SMALL, "channels": 2}),
    "channels with a chain": ("ccm", {**SMALL, "channels": 2}),
    "channels, starts ahead": ("ocb3", {**SMALL, "channels": 2}),
}
"""Cores whose parts before the pipeline, or behind the port of commands, are not the same."""

SLACK = 3
"""Commands by which the limit of a core with several channels may be above what these messages reach: how many tokens get into the store
before it stops them depends on the cycle in which each comes."""


def limits(text: str) -> tuple[int, int]:
    """The most commands, and the most packets, of which no status has come."""
    commands, packets = (re.findall(rf"^  localparam {name} += (\d+);", text, re.M) for name in ("IN_FLIGHT", "PACKETS"))
    return int(commands[0]), int(packets[0])


def fill(simulation: Simulation, core: StreamCore, beats: int) -> tuple[int, int]:
    """Offers messages of so many beats to a core whose statuses nobody takes; commands and packets that it has taken when it rests.

    Messages without data are refused, as no key is there.
    """
    s, mode = simulation, core.compiled.mode
    for name in ("s_axis_cmd_tvalid", "s_axis_tvalid", "m_axis_status_tready"):
        s.set(name, 0)
    s.set("m_axis_tready", 1)
    s.reset(4)
    while s.get("zeroizing"):
        s.step()
    if beats:
        sizes = core.describe("core", "test").key_lengths
        parts = -(-sizes[0] // 16)
        s.set("s_axis_key_tvalid", 1)
        for part in range(parts):
            s.set("s_axis_key_tkeep", (1 << min(16, sizes[0] - 16 * part)) - 1)
            s.set("s_axis_key_tlast", int(part == parts - 1))
            while not s.get("s_axis_key_tready"):
                s.step()
            s.step()
        s.set("s_axis_key_tvalid", 0)
        s.step(KEY_CYCLES)
    nonce = bytes(mode.nonce_bytes[0][0])
    s.set("s_axis_cmd_tdata", int.from_bytes(pack_message_command(message_command(mode.block_bytes), nonce=nonce, tag_bytes=16), "little"))
    s.set("s_axis_tkeep", (1 << s.width("s_axis_tkeep")) - 1 if beats else 0)
    s.set("s_axis_cmd_tvalid", 1)
    s.set("s_axis_tvalid", 1)
    commands = came = rests = 0
    while rests < REST:
        s.set("s_axis_tlast", int(not beats or came % beats == beats - 1))
        command, beat = s.get("s_axis_cmd_tready"), s.get("s_axis_tready")
        commands, came, rests = commands + command, came + beat, 0 if command | beat else rests + 1
        s.step()
    return commands, came // max(1, beats)


@pytest.mark.parametrize("name", ["starts ahead", *slowly(*[name for name in CORES if name != "starts ahead"])])
def test_a_core_takes_as_many_commands_as_its_rules_allow(name: str) -> None:
    """Not one more, and in a core with one channel not one less: so a command too many is found."""
    mode, options = CORES[name]
    core = StreamCore(compiled(mode, prove=False, **options))
    library = build(rtlil.convert(core.component(), name="top", emit_src=False), "top", optimize=0)
    simulation = Simulation(library, clock="aclk", reset="aresetn")
    most_commands, most_packets = limits(core.rules("core"))
    found = [fill(simulation, core, beats) for beats in (0, 2, 3)]
    slack = SLACK if options.get("channels") else 0
    assert most_commands - slack <= max(commands for commands, _ in found) <= most_commands
    assert max(packets for _, packets in found) <= most_packets
    if name == "packets on the wire":
        assert max(packets for _, packets in found) == most_packets


@slow
@needs("iverilog")
@pytest.mark.parametrize("mode", ["ocb3", "aes-otr"])
def test_a_bench_whose_host_takes_no_results(mode: str) -> None:
    """The bench offers more messages than fit while it takes no results, and the assertions find nothing."""
    run_bench(folder(mode, prove=False, **{**TINY, "streams": 4}))


# -- the rules alone ---------------------------------------------------------------------------------------------------------------


def bench(work: Path) -> list[str]:
    """The command of a bench in which a core takes as many commands, and then packets, as plusargs say, and gives no status."""
    core = StreamCore(compiled("ocb3", prove=False, **TINY))
    module = re.search(r"^module core_rules \(.*?^endmodule", core.rules("core"), re.M | re.S)
    assert module
    inputs = re.findall(r"^    input +wire +(\[\d+:0\])? *(\w+)", module[0], re.M)
    declared = "\n".join(f"  reg {width} {name} = 0;" for width, name in inputs) + "\n  integer commands, packets;"
    erasing = core.describe("core", "test").erase_cycles
    (work / "bench.v").write_text(
        f"{module[0]}\nmodule bench;\n{declared}\n  always #5 aclk = ~aclk;\n"
        f"  core_rules rules ({', '.join(f'.{name}({name})' for _, name in inputs)});\n"
        "  initial begin\n    if (!$value$plusargs(\"commands=%d\", commands)) commands = 0;\n"
        "    if (!$value$plusargs(\"packets=%d\", packets)) packets = 0;\n"
        "    @(negedge aclk); aresetn = 1; zeroizing = 1;\n"
        f"    repeat ({erasing}) @(negedge aclk); zeroizing = 0; @(negedge aclk);\n"
        "    s_axis_cmd_tvalid = 1; s_axis_cmd_tready = 1; repeat (commands) @(negedge aclk); s_axis_cmd_tvalid = 0;\n"
        "    s_axis_tvalid = 1; s_axis_tready = 1; s_axis_tlast = 1; repeat (packets) @(negedge aclk); s_axis_tvalid = 0;\n"
        "    @(negedge aclk); $finish;\n  end\nendmodule\n"
    )
    return Verilator().build("bench", [work / "bench.v"], work, [ASSERT_MACRO])


def said(command: list[str], commands: int, packets: int) -> list[str]:
    """The errors that the module with the rules finds."""
    done = subprocess.run([*command, f"+commands={commands}", f"+packets={packets}"], stdout=subprocess.PIPE, text=True, check=True)
    return re.findall(r"modeloom-assert: error: bench\.rules\.\w+: cycle \d+: (.*)", done.stdout)


def test_a_command_or_packet_too_many_is_named(tmp_path: Path) -> None:
    commands, packets = limits(StreamCore(compiled("ocb3", prove=False, **TINY)).rules("core"))
    command = bench(tmp_path)
    assert said(command, commands, packets) == []
    assert said(command, commands + 1, 0) == ["s_axis_cmd took more commands than it gives statuses for"]
    assert said(command, commands, packets + 1) == ["s_axis took more packets than it gives statuses for"]
