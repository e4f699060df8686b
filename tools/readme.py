#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what is generated in README.md and docs/: ``python tools/readme.py`` (``--check``: only says what differs).

A generated part stands between markers; what is between them is replaced::

    <!-- generated: NAME -->
    ...
    <!-- end -->

Figures come from the function behind ``modeloom explain``, code from the sources, ports, fields and codes from ``interfaces``.  Pictures
``docs/img/hctr2_512.svg`` and ``docs/img/gcm.svg`` are those of ``modeloom explain hctr2 --svg`` and ``modeloom explain gcm --svg``,
``docs/papers.md`` is what ``modeloom papers`` prints, and ``docs/core.schema.json``, ``docs/stream_core.schema.json`` and
``docs/lwc_core.schema.json`` the forms of ``core.json``.  Tables of
circuits are in ``circuit_tables``, those of docs/scaling.md in ``scaling_tables``.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tools")]

import interface_tables  # noqa: E402
import option_tables  # noqa: E402
import scaling_tables  # noqa: E402
from circuit_tables import TABLES, table  # noqa: E402

from modeloom import compile as compile_mode  # noqa: E402
from modeloom.cli.list import catalogue, sectors  # noqa: E402
from modeloom.compiler.streams import StreamOptions, compile_stream  # noqa: E402
from modeloom.emit.package import to_json  # noqa: E402
from modeloom.ir.trace import trace  # noqa: E402
from modeloom.layers import Stack  # noqa: E402
from modeloom.layers.inline import key_interval  # noqa: E402
from modeloom.measure.aead import cipher_name  # noqa: E402
from modeloom.measure.aead import rows as aead_rows  # noqa: E402
from modeloom.measure.aead import stored as aead_stored  # noqa: E402
from modeloom.modes import all_modes  # noqa: E402
from modeloom.modes.gcm import GCM  # noqa: E402
from modeloom.product.beats import SectorDescription  # noqa: E402
from modeloom.product.message import LwcDescription  # noqa: E402
from modeloom.product.messages import StreamDescription  # noqa: E402
from modeloom.prove.rewrite import prove_inverse  # noqa: E402
from modeloom.report.chart import chart  # noqa: E402
from modeloom.report.token_chart import token_chart  # noqa: E402
from modeloom.rtl.aes.layers import keyed_forward_network  # noqa: E402
from modeloom.synth.targets import DEVICES  # noqa: E402
from modeloom_papers import page as papers_page  # noqa: E402
from modeloom_papers.tables import tables  # noqa: E402

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "baselines" / "README.md")
"""Files that may have generated parts."""

MARKED = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->\n)", re.DOTALL)

PICTURE = "docs/img/hctr2_512.svg"
TOKENS = "docs/img/gcm.svg"

PAPERS_PAGE = "docs/papers.md"
"""Generated as a whole."""

CORE_SCHEMA = "docs/core.schema.json"
"""The JSON Schema of ``core.json``, likewise."""

STREAM_SCHEMA = "docs/stream_core.schema.json"
"""The same of cores for messages."""

LWC_SCHEMA = "docs/lwc_core.schema.json"
"""The same of cores behind the LWC interface."""

SECTORS = {"hctr2": (32, 128, 512, 520), "heh-brw": (32, 512)}

INLINE = ("cycles_lost_per_key", "percent_of_peak")
"""Figures of cores whose keys come with the messages."""

PRESETS = ("brw2013-1core", "brw2013-2core")
"""Unit sets of brw2013 with one and two AES cores."""


@cache
def compiled(mode: str, preset: str = "default", **changes: Any) -> Any:
    """A proved program; each once."""
    return compile_mode(mode, preset, **changes)


def results() -> str:
    """Figures of the default unit set."""
    rows = []
    for mode, sizes in SECTORS.items():
        for size in sizes:
            e = compiled(mode, sector=size).explain()
            if not e["proved"]:
                raise SystemExit(f"{mode} {size}: not proved")
            command = f"`explain {mode}`" if size == 512 else f"`explain {mode} --sector {size}`"
            rows.append(
                (command, e["blocks"], e["units"]["mul"]["count"], e["cycles_per_sector"], e["ii_bound"],
                 f"{size / e['cycles_per_sector']:.1f}", e["latency"], e["latency_bound"], e["storage_blocks"])
            )  # fmt: skip
    head = ("`modeloom …`", "blocks", "multipliers", "cycles per sector", "bound", "bytes per cycle", "latency", "bound", "blocks stored")
    return table(head, rows, 1)


def papers() -> str:
    """Table 2 of tes2010: its cycles, ours of one sector at a time, ours overlapped on the same units, and with units to match."""
    rows = []
    for row in tables(["tes2010-2"])[0]["rows"]:
        ours = row["ours"]
        plain = f"{ours['plain_cycles']}{' =' if ours['plain_minimal'] else ''}"
        matched = f"{ours['matched_cycles']} ({ours['matched_pipelines']}, {ours['matched_multipliers']})"
        rows.append((row["row"], row["printed"]["cycles"], plain, ours["overlapped_cycles"], ours["overlapped_bound"], matched))
    head = ("tes2010, 32 blocks", "paper, cycles", "one at a time", "overlapped", "bound", "more units (AES, multipliers)")
    return table(head, rows, 1)


def squares() -> str:
    """Squares of key values from set-up and on the fly: HEH[BRW], overlapped, and with the paper's units one at a time."""
    rows = []
    for preset in ("default", *PRESETS):
        # The same options for the same programs as in the other tables.
        stored = compiled("heh-brw", sector=512) if preset == "default" else compiled("heh-brw", preset)
        for e, more in ((stored.explain(), ""), (compiled("heh-brw", preset, squares="fly").explain(), " --squares fly")):
            command = f"`explain heh-brw{'' if preset == 'default' else f' --preset {preset}'}{more}`"
            rows.append(
                (command, e["key_words"], e["setup_cycles"], e["uses"].get("sqr", 0), e["cycles_per_sector"], e["latency"],
                 e["first_output"], e["storage_blocks"])
            )  # fmt: skip
    head = ("`modeloom …`", "key words", "set-up, cycles", "squares", "cycles per sector", "latency", "first output", "blocks stored")
    return table(head, rows, 1)


def modes() -> str:
    """The modes of ``modeloom list``."""
    rows = [
        (f"`{e['name']}`{' **broken**' if e['broken'] else ''}", e["source"],
         " ‖ ".join("AES key" if part == "cipher" else part for part in e["key"]),
         " or ".join(map(str, e["tweak_bytes"])), sectors(e), e["field"], e["vectors"])
        for e in catalogue()
    ]  # fmt: skip
    return table(("mode", "source", "key", "tweak, bytes", "sector, bytes", "field order", "published vectors"), rows, 6)


def code(mode: str = "hctr2", first: str = "setup", last: str = "encrypt") -> str:
    """The definition of a mode from the method ``first`` up to the end of ``last``, as it stands in the source."""
    path = ROOT / f"src/modeloom/modes/{mode}.py"
    text = path.read_text(encoding="utf-8")
    found = next(node for node in ast.parse(text).body if isinstance(node, ast.ClassDef))
    methods = {node.name: node for node in found.body if isinstance(node, ast.FunctionDef)}
    lines = text.splitlines()[methods[first].lineno - 1 : methods[last].end_lineno]
    return "```python\n" + "".join(f"{line[4:]}\n" for line in lines) + "```\n"


def inverses() -> str:
    """Sectors of each mode for which its directions are proved to be inverse to each other, or only tested."""
    rows = []
    for name, mode in all_modes().items():
        block = mode.block_bytes
        least = max(mode.min_bytes, block)
        whole = sorted({least, 512})
        parts = [size + more for size in whole for more in (1, block // 2, block - 1)] if mode.partial else []
        found: dict[str, list[int]] = {"proved": [], "tested": []}
        for size in sorted({*whole, *parts}):
            proved = all(prove_inverse(trace(mode(), size, tweak)) is None for tweak in mode.tweak_sizes)
            found["proved" if proved else "tested"].append(size)
        tweaks = " and ".join(map(str, mode.tweak_sizes))
        rows.append((f"`{name}`", tweaks, ", ".join(map(str, found["proved"])), ", ".join(map(str, found["tested"])) or "none"))
    return table(("mode", "tweak, bytes", "sectors proved, bytes", "only tested"), rows, 4)


def changes() -> str:
    """What a change of the sector size costs, as ``bench/size_changes.py`` has measured it."""
    rows = [
        (f"`{core['mode']} --sector {','.join(core['intervals'])}`", change["from"], change["to"], core["intervals"][str(change["to"])],
         change["distance"], change["cost"])
        for core in json.loads((ROOT / "baselines" / "size_changes.json").read_text(encoding="utf-8"))
        for change in core["changes"]
    ]  # fmt: skip
    return table(("core", "from, bytes", "to, bytes", "interval", "distance across the change", "cost, cycles"), rows, 1)


def latency() -> str:
    """Latency at the pins of 4096-byte sectors, as ``bench/latency.py`` has measured it."""
    rows = [
        (f"`{e['mode']} --cipher-cores {e['aes']}`", e["mul"], e["ii"], e["latency"], e["latency_bound"], e["paths_bound"],
         e["latency_pins"],
         e["least_pins"], f"{e['ratio']:.2f}", "yes" if e["optimal"] else "")
        for e in json.loads((ROOT / "baselines" / "latency.json").read_text(encoding="utf-8"))
    ]  # fmt: skip
    head = ("`--sector 4096`", "multipliers", "interval", "latency", "bound", "bound without the interval", "at the pins", "least",
            "ratio", "latency proved minimal")  # fmt: skip
    return table(head, rows, 1)


def own_bounds() -> str:
    """Latency of every mode beside the larger of the directions' own bounds, as ``bench/own_bounds.py`` has measured it."""
    measured = json.loads((ROOT / "baselines" / "own_bounds.json").read_text(encoding="utf-8"))
    found = {(e["mode"], e["sector"], e["aes"]): f"{e['latency']} ({e['latency_bound']})" for e in measured}
    sectors = sorted({sector for _, sector, _ in found})
    rows = [
        (f"`{mode}`", sector, *(found.get((mode, sector, aes), "") for aes in (1, 2, 4, 8)))
        for sector in sectors
        for mode in dict.fromkeys(mode for mode, of, _ in found if of == sector)
    ]
    text = table(("mode", "sector, bytes", *(f"`--cipher-cores {aes}`" for aes in (1, 2, 4, 8))), rows, 1)
    far = [
        f"- `{e['mode']} --sector {e['sector']} --cipher-cores {e['aes']}`: {e['latency_reason']}"
        for e in measured if e["latency_reason"]
    ]  # fmt: skip
    return text + "\n" + "\n".join(["Reasons that `explain` gives for latencies far above their bounds:\n", *far]) + "\n" if far else text


def _clocks() -> tuple[dict[str, Any], dict[str, Any], int, float]:
    """The routed HCTR2 core on ECP5, its AES pipeline alone, cycles per sector, and Gbit/s: ``baselines/``."""
    folder = ROOT / "baselines" / "nextpnr-0.7"
    core, alone = (
        json.loads((folder / f"{name}.ecp5.json").read_text(encoding="utf-8")) for name in ("hctr2_512_bram", "aes_pipeline_bram")
    )
    interval = compiled("hctr2", sector=core["core"]["sector_bytes"]).explain()["cycles_per_sector"]
    return core, alone, interval, 8 * core["core"]["sector_bytes"] * core["clock_mhz"] / interval / 1000


def headline() -> str:
    """Cycles of a sector with HCTR2, and the rate of its routed core."""
    core, _, interval, rate = _clocks()
    size, device = core["core"]["sector_bytes"], core["device"].split(",")[0]
    bound = compiled("hctr2", sector=size).explain()["ii_bound"]
    if interval != bound:
        raise SystemExit(f"hctr2 {size}: {interval} cycles, and the bound is {bound}")
    return (
        f"**A sector of {size} bytes takes {interval} cycles. This is {size / interval:.0f} bytes per cycle, the maximum for one AES "
        f"pipeline, and {rate:.1f} Gbit/s on a low-cost FPGA** (Lattice ECP5 {device}, placed and routed at {core['clock_mhz']:.1f} MHz).\n"
    )


def clock() -> str:
    """The routed clock of the HCTR2 core on ECP5, beside that of its AES pipeline alone."""
    core, alone, _, rate = _clocks()
    return (
        f"Placed and routed on ECP5 ({core['device']}), `{core['core']['command']}` has {core['luts']} LUT4, {core['ffs']} registers and "
        f"{core['memories']['bram_cells']} block memories, and runs at {core['clock_mhz']:.1f} MHz: {rate:.1f} Gbit/s. "
        f"Its AES pipeline alone runs at {alone['clock_mhz']:.1f} MHz. [More](baselines/README.md).\n"
    )


def routed() -> str:
    """What place and route made of each core and pipeline: ``python baselines/make.py pnr``."""
    rows = []
    for path in sorted((ROOT / "baselines").glob("nextpnr-*/*.ecp5.json"), key=lambda path: (path.name, path.parent.name)):
        e = json.loads(path.read_text(encoding="utf-8"))
        core = e.get("core")
        made = f"`{core.get('command', 'modeloom build ' + core['mode'])}`" if core else "AES-128 encrypting pipeline alone"
        tool = f"{path.parent.name.replace('-', ' ')}, {scaling_tables.placed_and_routed(e)}"
        luts = {name: block["luts"] for name, block in (e.get("blocks") or {}).items()}
        rest = sum(count for name, count in luts.items() if name not in ("aes", "multiplier", "multipliers", "storage"))
        rows.append(
            (path.name.split(".")[0], made, tool, e["luts"], e["ffs"], e["memories"]["bram_cells"],
             f"{100 * rest / sum(luts.values()):.1f} %" if luts else "", f"{e['clock_mhz']:.1f}")
        )  # fmt: skip
    head = ("design", "made by", "routed with", "LUT4", "registers", "block memories", "engine, control, buses", "clock, MHz")
    return table(head, rows, 3)


def devices() -> str:
    """What place and route made of small designs on devices of other families than ECP5: ``python baselines/make.py devices``."""
    rows = []
    for target, device in DEVICES.items():
        for path in sorted((ROOT / "baselines").glob(f"nextpnr-*/*.{target}.json")) if device.frame else ():
            e = json.loads(path.read_text(encoding="utf-8"))
            made = e["core"]["command"] if e.get("core") else e["command"].partition(" --target")[0]
            rows.append((
                f"`{made}`", f"`{target}`", e["device"], e["luts"], e["memories"]["lutram_luts"], e["ffs"], e["memories"]["bram_cells"],
                f"{e['clock_mhz']:.1f}",
            ))  # fmt: skip
    head = ("made by", "target", "device", "LUTs", "LUTs as memory", "registers", "block memories", "clock, MHz")
    return table(head, rows, 3)


def pipelines() -> str:
    """Intervals that the plain bench has counted at the pins of cores with 1, 2, 4 and 8 pipelines: ``bench/pipelines.py``."""
    stored = json.loads((ROOT / "baselines" / "pipelines.json").read_text(encoding="utf-8"))
    counts = sorted({e["aes"] for e in stored})
    cores: dict[tuple[str, int], dict[int, str]] = {}
    for e in stored:
        found = f"{e['measured']:g} ({e['ii_bound']}); {e['mul']}"
        cores.setdefault((e["mode"], e["blocks"]), {})[e["aes"]] = found
    rows = [(f"`{mode}`", 16 * blocks, *(row.get(n, "") for n in counts)) for (mode, blocks), row in cores.items()]
    return table(("mode", "sector, bytes", *(f"`--cipher-cores {n}`" for n in counts)), rows, 1)


def faults() -> str:
    """Faults planted in emitted Verilog, by core: ``tools/plant_faults.py``."""
    stored = json.loads((ROOT / "baselines" / "planted_faults.json").read_text(encoding="utf-8"))
    rows = []
    for core in [*dict.fromkeys(row["core"] for row in stored["faults"]), ""]:
        tried = [fault for fault in stored["faults"] if "kind" in fault and core in ("", fault["core"])]
        count = [fault for fault in tried if fault["changes"]]
        found = [fault for fault in count if fault["caught"]]
        by_cycles = sum(fault["caught"] == "cycles" for fault in found)
        rest = [fault for fault in tried if not fault["changes"]]
        rows.append((f"`{core}`" if core else "all", len(tried), len(count), len(found), by_cycles, len(rest),
                     sum(bool(fault["caught"]) for fault in rest)))  # fmt: skip
    head = ("core", "planted", "change an output", "found", "of these by `cycles` alone", "change none", "of these found by erasures")
    return table(head, rows, 1)


def rare_faults() -> str:
    """Rare faults planted in cores for messages, by core: ``tools/plant_rare_faults.py``."""
    stored = json.loads((ROOT / "baselines" / "rare_faults.json").read_text(encoding="utf-8"))
    rows = []
    for core in [*dict.fromkeys(row["core"] for row in stored["faults"]), ""]:
        tried = [fault for fault in stored["faults"] if "kind" in fault and core in ("", fault["core"])]
        found = [fault for fault in tried if fault["caught"]]
        escaped = [fault for fault in tried if not fault["caught"] and fault["changes"]]
        shifted = [fault for fault in tried if fault["shifts"]]
        missed = [fault for fault in tried if not fault["reached"]]
        counts = len(found) + len(escaped)
        rest = len(tried) - counts - len(shifted) - len(missed)
        rows.append((f"`{core}`" if core else "all", len(tried), counts, len(found), len(shifted), rest, len(missed)))
    head = ("core", "planted", "change what comes out", "found", "change cycles alone", "change nothing", "never differ on their line")
    return table(head, rows, 1)


def soak() -> str:
    """What ``bench/cocotb_soak.py`` has stored, and the Verilog that it belongs to."""
    stored = json.loads((ROOT / "bench" / "cocotb_soak.json").read_text(encoding="utf-8"))
    rows = []
    for kind, told in stored.items():
        tools = ", ".join(f"{name} {number}" for name, number in told.get("versions", {told["simulator"]: ""}).items()).strip()
        hashed = f"`{told['sha256']}`"
        rows.append((kind, f"`{told['core']}`", hashed, told["date"], tools, f"{told['sent']:,}".replace(",", " ")))
    return table(("sent", "core", "SHA-256 of its Verilog", "date", "simulated with", "number"), rows, 5)


def _area(name: str) -> dict[str, Any]:
    """What ``python baselines/make.py yosys NAME`` has measured of a core on xc7."""
    (path,) = (ROOT / "baselines").glob(f"yosys-*/{name}.xc7.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _cells(found: dict[str, Any]) -> tuple[Any, ...]:
    memories = found["memories"]
    return found["luts"], memories["lutram_luts"], memories["srl_luts"], memories["bram_cells"], found["ffs"]


AREA_HEAD = ("LUTs of logic", "of memories", "of shift registers", "block memories", "registers")


def gcm_goals() -> str:
    """LUTs of cores of GCM on xc7, each flattened, beside the goals."""
    goals = {"gcm_128_lut6": 13500, "gcm_lut6": 17000, "gcm_128_lut6_bram": 13500, "gcm_lut6_bram": 17000}
    found = {name: _area(name) for name in goals}
    rows = [(f"`{found[name]['core']['command'].removeprefix('modeloom ')}`", goal, *_cells(found[name])) for name, goal in goals.items()]
    return table(("core", "goal", *AREA_HEAD), rows, 1)


def gcm_budget() -> str:
    """What a core of GCM for AES-128 cannot do without, and the rest of its LUTs."""
    e = _area("gcm_128_lut6")
    rounds, sbox, block = 10, 32, 128
    rows = [
        ("160 S-boxes of the cipher, 4 of the key schedule", (16 * rounds + 4) * sbox),
        ("MixColumns with round keys", (rounds - 1) * 4 * keyed_forward_network().luts),
        ("first and last round key", 2 * block),
        ("multiplier", e["blocks"]["multiplier"]["luts"]),
    ]
    rows.append(("all the rest", e["luts"] - sum(number for _, number in rows)))
    return table(("part", "LUTs"), [*rows, ("all, as one", e["luts"])], 1)


def gcm_area() -> str:
    """LUTs of the blocks of a core of GCM on xc7."""
    e = _area("gcm_128_lut6")
    rows = [(name, *_cells(block)) for name, block in e["blocks"].items()]
    rows += [("all, block by block", *_cells(e["blocks_total"])), ("all, as one", *_cells(e))]
    text = table(("block", *AREA_HEAD), rows, 1)
    return f"`{e['core']['command']}`, Yosys {e['tools']['yosys']}, {e['device']}:\n\n{text}"


def traffic() -> str:
    """Shares of the peak rate on mixes of packets, as ``bench/traffic.py`` has measured them."""
    rows = json.loads((ROOT / "baselines" / "traffic.json").read_text(encoding="utf-8"))
    blocks = sorted({row["blocks_per_cycle"] for row in rows})
    cells = {
        (row["mix"], row["associated_bytes"], row["blocks_per_cycle"]): f"{row['percent_of_peak']:.1f} ({row['percent_as_gcm2008']:.1f})"
        for row in rows
    }
    lines = [
        (f"`{mix}`", associated, *(cells[mix, associated, number] for number in blocks))
        for mix, associated in dict.fromkeys((mix, associated) for mix, associated, _ in cells)
    ]
    return table(("mix", "bytes of associated data", *(f"`--blocks-per-cycle {number}`" for number in blocks)), lines, 1)


def multistream() -> str:
    """Area and rate of cores with one round for several blocks, as ``bench/multistream.py`` has measured them."""
    rows = json.loads((ROOT / "baselines" / "multistream.json").read_text(encoding="utf-8"))
    lines = []
    for each in rows:
        mode, _, form = each["core"].partition(" ")
        lines.append((
            f"{mode}, {form}" if form == "pipeline" else f"{mode}, `--streams {form}`",
            each["luts"], each["lutram_luts"], each["srl_luts"], each["ffs"], each["pairs"], each["cycles_a_block"], each["latency"],
            f"{each['bytes_a_cycle']:.2f}", f"{1000 * each['bytes_a_cycle'] / each['luts']:.2f}",
        ))  # fmt: skip
    head = ("core", "LUTs of logic", "of memories", "of shift registers", "registers", "LUT-FF pairs", "cycles per block", "latency",
            "bytes per cycle", "per 1000 LUTs of logic")  # fmt: skip
    return table(head, lines, 1)


def order() -> str:
    """Area of cores in both orders of text and associated data, as ``bench/order.py`` has measured them."""
    rows = {each["core"]: each for each in json.loads((ROOT / "baselines" / "order.json").read_text(encoding="utf-8"))}
    names = ("luts", "lutram_luts", "srl_luts", "ffs", "pairs")
    lines = []
    for name, each in rows.items():
        mode, _, way = name.rpartition(" ")
        lines.append((mode, way, *(each[one] for one in names), *(each["pipeline"][one] for one in ("luts", "ffs", "pairs")),
                      each["cycles_of_tag"]))  # fmt: skip
    head = ("core", "order", "LUTs of logic", "of memories", "of shift registers", "registers", "LUT-FF pairs", "pipeline: LUTs",
            "registers", "pairs", "cycles of the tag")  # fmt: skip
    return table(head, lines, 2)


def aead(target: str) -> str:
    """Area and rate of every stream mode on three kinds of ciphers, as ``bench/aead.py`` has measured them, and why cores are missing."""
    names = ("luts", "lutram_luts", "srl_luts", "ffs", "bram_cells", "cycles_a_block", "tokens", "latency")
    every = aead_rows(aead_stored(), target)
    lines = [
        (
            row["mode"], cipher_name(row["architecture"]), *("-" if row[name] is None else row[name] for name in names),
            *("-" if row[name] is None else f"{row[name]:.2f}" for name in ("bytes_a_cycle", "bytes_a_cycle_per_1000_luts")),
        )
        for row in every
    ]  # fmt: skip
    head = ("mode", "cipher", "LUTs", "memories", "shift registers", "registers", "block memories", "cycles per block", "tokens", "latency",
            "bytes per cycle", "per 1000 LUTs")  # fmt: skip
    reasons: dict[tuple[str, str], list[str]] = {}
    for row in every:
        if row["refused"]:
            reasons.setdefault((row["mode"], row["refused"]), []).append(cipher_name(row["architecture"]))
    # Without the option that is refused, and without what the user should do.
    short = {reason: reason.partition(": ")[2].partition("; ")[0] for _, reason in reasons}
    notes = "".join(f"- {mode}, {' and '.join(ciphers)}: {short[reason]}.\n" for (mode, reason), ciphers in reasons.items())
    return table(head, lines, 2) + (f"\n{notes}" if notes else "")


def inline_keys() -> str:
    """What a new key for every packet costs in GCM, as ``bench/inline_keys.py`` has measured it."""
    rows = json.loads((ROOT / "baselines" / "inline_keys.json").read_text(encoding="utf-8"))
    cells = {(row["mix"], row["core"]): row for row in rows}
    lines = [
        (f"`{mix}`", *(f"{cells[mix, core][name]:.2f}" for core in ("iterative", "word") for name in INLINE))
        for mix in dict.fromkeys(row["mix"] for row in rows)
    ]
    small = "with `--key-schedule word`, AES-128, 16 slots"
    return table(("mix", "cycles lost for each key", "percent of the peak", f"lost {small}", "percent of the peak"), lines, 1)


def derived_keys() -> str:
    """The throughput of GCM-SIV with each origin of keys, as ``bench/inline_keys.py`` has measured it."""
    rows = json.loads((ROOT / "baselines" / "inline_keys.json").read_text(encoding="utf-8"))
    cells = {(row["mix"], row["core"]): f"{row['percent_of_peak']:.2f}" for row in rows}
    cores = ("siv-inline", "siv-derived", "siv-stored")
    lines = [(f"`{mix}`", *(cells.get((mix, core), "") for core in cores)) for mix in dict.fromkeys(row["mix"] for row in rows)]
    return table(("mix", "`--keys inline`", "`--keys derived`", "`--keys derived --message-buffer 2048`"), lines, 1)


def seal_speed() -> str:
    """How fast simulated cores for messages seal, as ``bench/seal_speed.py`` has measured it."""
    rows = json.loads((ROOT / "baselines" / "seal_speed.json").read_text(encoding="utf-8"))
    lines = [
        (f"`{row['command'].split(' -o')[0]}`", f"{row['megabytes_a_second']:.2f}", f"{row['kilocycles_a_second']:.1f}") for row in rows
    ]
    return table(("core", "MB/s", "thousand cycles per second"), lines, 1)


def key_intervals() -> str:
    """The distance of keys that come with messages, for each size of keys."""
    options = ({}, {"mul_stages": 1}, {"key_schedules": 1}, {"key_schedule": "word"})
    lines = []
    for each in options:
        command = "--keys inline" + "".join(f" --{name.replace('_', '-')} {value}" for name, value in each.items())
        cores = [compile_stream(GCM(), StreamOptions(keys="inline", key_bits=bits, **each), prove=False) for bits in (128, 192, 256)]
        lines.append((f"`{command}`", *(key_interval(core, Stack(core).parameters) for core in cores)))
    return table(("options", "AES-128", "AES-192", "AES-256"), lines, 1)


PARTS: dict[str, Callable[[], str]] = {
    "changes": changes,
    "clock": clock,
    "code": lambda: code(last="xctr"),
    "derived_keys": derived_keys,
    "encrypt": lambda: code(first="encrypt"),
    "faults": faults,
    "gcm": lambda: code("gcm", last="tag"),
    "gcm_area": gcm_area,
    "gcm_budget": gcm_budget,
    "gcm_goals": gcm_goals,
    "headline": headline,
    "inline_keys": inline_keys,
    "inverses": inverses,
    "key_intervals": key_intervals,
    "latency": latency,
    "own_bounds": own_bounds,
    "modes": modes,
    "multistream": multistream,
    "order": order,
    "aead_xc7": lambda: aead("xc7"),
    "aead_ecp5": lambda: aead("ecp5"),
    "papers": papers,
    "pipelines": pipelines,
    "rare_faults": rare_faults,
    "results": results,
    "routed": routed,
    "devices": devices,
    "seal_speed": seal_speed,
    "soak": soak,
    "squares": squares,
    "traffic": traffic,
    **TABLES,
    **interface_tables.TABLES,
    **option_tables.TABLES,
    **scaling_tables.TABLES,
}


def generated() -> dict[Path, str]:
    """Every file that has generated parts, the picture and the papers' page, with what they should hold."""
    files = {
        ROOT / PICTURE: chart(compiled("hctr2", sector=512)), ROOT / TOKENS: token_chart(compile_stream(GCM(), prove=False)),
        ROOT / PAPERS_PAGE: papers_page(),
        ROOT / CORE_SCHEMA: to_json(SectorDescription.json_schema()),
        ROOT / STREAM_SCHEMA: to_json(StreamDescription.json_schema()),
        ROOT / LWC_SCHEMA: to_json(LwcDescription.json_schema()),
    }  # fmt: skip
    for path in PAGES:
        if path in files:
            continue
        text = path.read_text(encoding="utf-8")
        for name in (match[2] for match in MARKED.finditer(text)):
            if name not in PARTS:
                raise SystemExit(f"{path.name}: no part is called {name!r}; there are {', '.join(PARTS)}")
        files[path] = MARKED.sub(lambda match: match[1] + PARTS[match[2]]() + match[3], text)
    return files


def main(arguments: Sequence[str]) -> int:
    """Writes, or with ``--check`` says what differs; exit status 1 if something does."""
    if list(arguments) not in ([], ["--check"]):
        print("usage: python tools/readme.py [--check]", file=sys.stderr)
        return 2
    stale = []
    for path, text in generated().items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(path)
            if not arguments:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    for path in stale:
        print(f"{path.relative_to(ROOT)}: {'differs; run python tools/readme.py' if arguments else 'written'}")
    return 1 if arguments and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
