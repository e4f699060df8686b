# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/circuits.md: what ``bench/circuits.py`` has stored, gates from the circuits themselves, and the papers' figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from modeloom_circuits import find_circuit, printed

ROOT = Path(__file__).resolve().parents[1]

HALTS = (2, 4, 8, 16, 32, 64)

Row = dict[str, Any]


def table(head: Sequence[str], rows: Sequence[Sequence[object]], right: int) -> str:
    """A Markdown table; columns from number ``right`` on hold figures."""
    lines = [head, ["---" if i < right else "---:" for i in range(len(head))], *rows]
    return "".join(f"| {' | '.join(map(str, row))} |\n" for row in lines)


@cache
def stored(family: str) -> list[Row]:
    """Rows that ``bench/circuits.py`` has measured."""
    return json.loads((ROOT / "baselines" / "circuits" / f"{family}.json").read_text(encoding="utf-8"))


def find(family: str, command: str) -> Row:
    """The row of a command, as ``modeloom circuit`` takes it without the first two words."""
    return next(row for row in stored(family) if row["command"] == f"modeloom circuit {command}")


def luts(row: Row | None) -> str:
    """LUTs and levels of a mapping."""
    return "" if row is None else f"{row['luts']} ({row['levels']})"


def cells(row: Row | None) -> str:
    """Area in NAND2 gates and delay in standard cells, mapped for area and for delay."""
    if row is None:
        return ""
    fast = row["fast"]
    return f"{row['area_nand2']:.0f}, {row['delay_ns']:.2f} ns; {fast['area_nand2']:.0f}, {fast['delay_ns']:.2f} ns"


def mapped(family: str, targets: dict[str, Callable[[Row | None], str]], gates: bool = True) -> str:
    """A family with a line for each circuit and choice of options, and a column for each target."""
    lines: dict[str, dict[str, Row]] = {}
    for row in stored(family):
        command, _, target = row["command"].removeprefix("modeloom circuit ").partition(" --target ")
        lines.setdefault(command, {})[target] = row
    rows = []
    for command, by_target in lines.items():
        one = next(iter(by_target.values()))
        own = one.get("gates_of") == "structure"
        counts = (one["and"], one["xor"], one["depth"]) if own else ("", "", "")
        time = (one["latency"], one["interval"])
        rows.append((f"`{command}`", *(counts if gates else time), *(show(by_target.get(name)) for name, show in targets.items())))
    columns = ("AND", "XOR", "depth") if gates else ("latency", "interval")
    return table(("`modeloom circuit …`", *columns, *targets), rows, 1)


@cache
def halting() -> str:
    """gcm2008, Tables 3.1 and 3.2, beside the gates of the circuits, and those of the refined Karatsuba multiplier."""
    rows = []
    for halt in HALTS:
        line: list[object] = [halt]
        for name, number in (("karatsuba", "3.1"), ("fan-hasan", "3.2")):
            gates = find_circuit(name).build(halt=halt).gates
            values = next(row["values"] for row in printed("gcm2008", number) if row["row"] == str(halt))
            assert gates is not None
            delay = values["delay_and"] + values["delay_xor"]
            line += [f"{values['xor']} + {values['and']}", f"{gates.xors} + {gates.ands}", delay, gates.depth]
        refined = find_circuit("karatsuba-refined").build(halt=halt).gates
        assert refined is not None
        rows.append((*line, f"{refined.xors} + {refined.ands}", refined.depth))
    head = ["halt"]
    for name in ("Karatsuba", "Fan-Hasan"):
        head += [f"{name}, printed: XOR + AND", "ours", "delay, printed", "ours"]
    return table((*head, "refined: XOR + AND", "delay"), rows, 0)


def asic_multipliers() -> str:
    """gcm2008, Table 3.3, beside the same multipliers in standard cells."""
    rows = []
    for name, command in (("FH", "fan-hasan --halt 4"), ("KA", "karatsuba --halt 4"), ("Mastrovito", "mastrovito")):
        ours = find("multipliers", f"{command} --target osu018")
        for goal, area, delay in (
            ("area", ours["area_nand2"], ours["delay_ns"]), ("speed", ours["fast"]["area_nand2"], ours["fast"]["delay_ns"]),
        ):  # fmt: skip
            values = next(row["values"] for row in printed("gcm2008", "3.3") if row["row"] == f"{name}, {goal}")
            rows.append((f"{name}, {goal}", f"{values['area']}", f"{values['delay']}", f"{area:.0f}", f"{delay:.2f}"))
    head = ("multiplier", "130 nm, printed: area, µm²", "delay, ns", "osu018, ours: area, NAND2", "delay, ns")
    return table(head, rows, 1)


def fpga_multipliers() -> str:
    """gcm2008, Table 3.4, beside the same multipliers on Virtex-4."""
    rows = []
    for name, command in (("FH", "fan-hasan --halt 4"), ("KA", "karatsuba --halt 4"), ("Mastrovito", "mastrovito")):
        values = next(row["values"] for row in printed("gcm2008", "3.4") if row["row"] == name)
        ours = find("multipliers", f"{command} --target xc4v")
        rows.append((name, values["lut4"], values["slices"], values["delay"], ours["luts"], ours["levels"]))
    head = ("multiplier", "Virtex-4, printed: LUT4", "slices", "delay, ns", "xc4v, ours: LUT4", "levels")
    return table(head, rows, 1)


def multipliers() -> str:
    """The multipliers mapped."""
    return mapped("multipliers", {"xc6v": luts, "ecp5": luts, "xc4v": luts, "osu018": cells})


def sboxes() -> str:
    """The S-boxes mapped."""
    return mapped("sboxes", {"xc6v": luts, "xc3se": luts, "ecp5": luts, "osu018": cells})


def linear() -> str:
    """MixColumns of one column mapped."""
    return mapped("linear", {"xc6v": luts, "ecp5": luts})


def full(row: Row | None) -> str:
    """LUTs with memories, registers and levels of a mapping."""
    if row is None:
        return ""
    memories = row["memories"]
    more = "".join(
        f" + {memories[name]} {text}"
        for name, text in (("lutram_luts", "LUT memory"), ("srl_luts", "SRL"), ("bram_cells", "BRAM"))
        if memories[name]
    )
    return f"{row['luts']}{more} / {row['ffs']} / {row['levels']}"


def aes() -> str:
    """AES cores mapped."""
    return mapped("aes", dict.fromkeys(("xc7", "xc6v", "xc5v", "xc4v"), full), gates=False)


def ciphers() -> str:
    """AES beside SM4: what each direction takes, and a core for both beside one for each."""
    rows = []
    for form, target in ((form, target) for form in ("pipeline", "sequential") for target in ("ecp5", "xc7")):
        for cipher in ("aes", "sm4"):
            alone, other, both = (
                find("ciphers", f"{cipher}-{form} --direction {way} --target {target}") for way in ("encrypt", "decrypt", "both")
            )
            share = f"{100 * total_luts(both) / (total_luts(alone) + total_luts(other)):.0f} %"
            rows.append((f"`{cipher}-{form}`", target, alone["latency"], alone["interval"], full(alone), full(other), full(both), share))
    ways = ("`--direction encrypt`", "`decrypt`", "`both`", "LUTs of both in one")
    head = ("`modeloom circuit …`", "`--target`", "latency", "interval", *ways)
    return table(head, rows, 2)


def total_luts(row: Row) -> int:
    """LUTs with those of memories."""
    return int(row["luts"]) + int(row["memories"]["lutram_luts"]) + int(row["memories"]["srl_luts"])


def combined() -> str:
    """Whole cores with one pipeline for both directions beside the same with two."""
    rows: dict[str, dict[str, Row]] = {}
    for row in json.loads((ROOT / "baselines" / "combined.json").read_text(encoding="utf-8")):
        rows.setdefault(row["command"].rpartition(" --cipher-arch ")[0], {})[row["form"]] = row
    lines = []
    for command, forms in rows.items():
        if len(forms) == 2:
            two, one = forms["pipelined"], forms["combined"]
            share = f"{100 * total_luts(one) / total_luts(two):.0f} %"
            cipher = two["cipher"]
            lines.append((f"`{command}`", two["target"], full(two), full(one), two["blocks"][cipher], one["blocks"][cipher], share))
    ways = ("two pipelines", "`--cipher-arch combined`", "cipher: two", "one", "LUTs of the core")
    return table(("core", "`--target`", *ways), lines, 2)


def pairs(row: Row | None) -> str:
    """LUTs, LUT-FF pairs, registers and levels of a mapping."""
    return "" if row is None else f"{row['luts']} / {row['pairs']} / {row['ffs']} / {row['levels']}"


def led() -> str:
    """The round cores of LED for one to three streams, with LUT-FF pairs."""
    return mapped("led", {"xc3se": pairs, "xc7": pairs}, gates=False)


def deoxys() -> str:
    """Deoxys-BC-256 mapped, with LUT-FF pairs.  The LUTs of memories and of shift registers are among the LUTs."""

    def all_luts(row: Row | None) -> str:
        if row is None:
            return ""
        memories = row["memories"]
        return pairs({**row, "luts": row["luts"] + memories["lutram_luts"] + memories["srl_luts"]})

    return mapped("deoxys", {"xc6v": all_luts, "xc7": all_luts}, gates=False)


def keys() -> str:
    """Key schedules mapped."""
    return mapped("keys", {"xc7": full, "xc6v": full, "ecp5": full}, gates=False)


def polynomials() -> str:
    """The hash circuits mapped, with the cycles of brw2013, Table 2."""
    return mapped("polynomials", {"xc5v": full, "xc4v": full}, gates=False)


def beside(paper: str, tables: Sequence[str], ours: dict[str, tuple[str, str]], show: Sequence[str]) -> str:
    """Rows of a paper's tables with what they print, and beside some of them a circuit of ours.

    Parameters
    ----------
    paper, tables : str, sequence of str
    ours : dict
        "TABLE: ROW" to family and command.
    show : sequence of str
        Which printed values.
    """
    rows = []
    for number in tables:
        for row in printed(paper, number):
            family, command = ours.get(f"{number}: {row['row']}", ("", ""))
            figures = full(find(family, command)) if command else ""
            values = ["" if row["values"].get(name) is None else row["values"][name] for name in show]
            rows.append((number, row["row"], *values, f"`{command}`" if command else "", figures))
    return table(("table", "print", *show, "ours: `modeloom circuit …`", "LUTs / registers / levels"), rows, 2)


def tes2010_blocks() -> str:
    """tes2010, Tables 4 and 5, beside the circuits of the same function on Virtex-4."""
    ours = {
        "4: full AES round (encryption, decryption and keys)": ("aes", "aes-round --direction both --sbox bram --target xc4v"),
        "4: encryption-only AES round": ("aes", "aes-round --direction encrypt --sbox bram --target xc4v"),
        "4: 128-bit fully parallel Karatsuba multiplier": ("multipliers", "karatsuba-refined --halt 4 --target xc4v"),
        "5: full-core AES, sequential": ("aes", "aes-sequential --direction both --sbox bram --target xc4v"),
        "5: full-core AES, pipeline": ("aes", "aes-pipeline --direction both --sbox bram --target xc4v"),
        "5: encryption-only AES, pipeline": ("aes", "aes-pipeline --direction encrypt --sbox bram --target xc4v"),
        "5: hash function": ("polynomials", "poly --stages 1 --target xc4v"),
    }
    return beside("tes2010", ("4", "5"), ours, ("slices", "block_rams", "critical_path", "frequency", "cycles"))


def brw2013_blocks() -> str:
    """brw2013, Table 2, beside the circuits of the same function on Virtex-5."""
    ours = {
        "2: AES-PEC": ("aes", "aes-pipeline --direction encrypt --target xc5v"),
        "2: AES-SDC": ("aes", "aes-sequential --direction decrypt --sbox table --target xc5v"),
        "2: hPoly_h(P_1, ..., P_31)": ("polynomials", "poly --times-h yes --target xc5v"),
        "2: hBRW_h(P_1, ..., P_31)": ("polynomials", "brw --squares fly --times-h yes --target xc5v"),
    }
    return beside("brw2013", ("2",), ours, ("slices", "cycles", "frequency"))


def luts2017_blocks() -> str:
    """luts2017, Tables 2 and 3, beside the round for several streams, and its LUT counts in the text."""
    ours = {
        "Fig. 1: one output bit of an 8-bit table, 6-input LUTs with multiplexers of the slice": ("sboxes", "sbox-lut --target xc6v"),
        "1: AES encryption, Virtex 5, section 4.1": ("aes", "aes-multistream --streams 4 --target xc5v"),
        "1: AES encryption, Virtex 6, section 4.1": ("aes", "aes-multistream --streams 4 --target xc6v"),
        "1: AES decryption, Virtex 5, section 4.1": ("aes", "aes-multistream --direction decrypt --streams 4 --target xc5v"),
        "2: Virtex 5, ours, 2 streams, key schedule offline": ("aes", "aes-multistream --streams 2 --target xc5v"),
        "2: Virtex 5, ours, 4 streams, key schedule offline": ("aes", "aes-multistream --streams 4 --target xc5v"),
        "2: Virtex 6, ours, 4 streams, key schedule none": ("aes", "aes-multistream --streams 4 --target xc6v"),
        "3: Virtex 5, ours, 4 streams, key schedule none": ("aes", "aes-multistream --direction decrypt --streams 4 --target xc5v"),
        "Section 3.2: MixColumns of a column, decomposition 2": ("linear", "mixcolumns --target xc6v"),
        "Section 3.2: InvMixColumns of a column, equation 3": ("linear", "inv-mixcolumns --target xc6v"),
        "Section 4.1: data path of the encrypting round, 2 or 4 streams, without key schedule": (
            "aes",
            "aes-multistream --streams 4 --target xc6v",
        ),
    }
    tables = ("Fig. 1", "1", "2", "3", "Section 3.2", "Section 4.1")
    return beside("luts2017", tables, ours, ("luts_per_output_bit", "luts", "slices", "frequency", "throughput"))


FUNCTIONS = {
    "multiplier": ("multipliers", ("mastrovito", "karatsuba", "karatsuba-refined", "fan-hasan", "lut6")),
    "S-box": ("sboxes", ("sbox-lut", "sbox-composite", "sbox-bdd", "sbox-compact")),
    "inverse S-box": ("sboxes", ("inv-sbox-lut", "inv-sbox-composite", "inv-sbox-bdd", "inv-sbox-compact")),
}
"""What a circuit computes: the family with those that compute it without registers."""


def choices() -> str:
    """For each function and target the smallest circuit and the quickest one that were measured."""
    rows = []
    for function, (family, names) in FUNCTIONS.items():
        for target in ("xc6v", "ecp5", "osu018"):
            candidates = [row for row in stored(family) if row.get("target") == target and row["circuit"] in names and not row["latency"]]
            candidates = [row for row in candidates if row["options"].get("direction") != "both"]
            if not candidates:
                continue
            if target == "osu018":
                points = [(row["area_nand2"], row["delay_ns"], row) for row in candidates]
                points += [(row["fast"]["area_nand2"], row["fast"]["delay_ns"], row) for row in candidates]
                shown = "{:.0f} NAND2, {:.2f} ns"
            else:
                points = [(row["luts"], row["levels"], row) for row in candidates]
                shown = "{} LUTs, {} levels"
            smallest, quickest = min(points, key=lambda p: (p[0], p[1])), min(points, key=lambda p: (p[1], p[0]))
            cells = [
                f"`{row['command'].removeprefix('modeloom circuit ').partition(' --target')[0]}`: {shown.format(size, time)}"
                for size, time, row in (smallest, quickest)
            ]
            rows.append((function, target, *cells))
    return table(("function", "target", "smallest", "quickest"), rows, 4)


TABLES: dict[str, Callable[[], str]] = {
    "aes_circuits": aes,
    "asic_multipliers": asic_multipliers,
    "brw2013_blocks": brw2013_blocks,
    "choices": choices,
    "ciphers": ciphers,
    "combined": combined,
    "deoxys_circuits": deoxys,
    "fpga_multipliers": fpga_multipliers,
    "halting": halting,
    "keys": keys,
    "led": led,
    "linear": linear,
    "luts2017_blocks": luts2017_blocks,
    "multipliers": multipliers,
    "polynomials": polynomials,
    "sboxes": sboxes,
    "tes2010_blocks": tes2010_blocks,
}
