# SPDX-License-Identifier: Apache-2.0
"""Coverage of the emitted Verilog of three small cores by the plain bench: toggles, and states of the state machines.

Run: python bench/coverage.py [--store] [CORE ...]      (needs Icarus Verilog; some minutes)

Toggles come from the waveform of every net and register of the core in Icarus Verilog: a bit is covered if it has risen and fallen; words
of memories are not in it.  States come from the same waveform.  Each bit that is not covered gets the reason of the first rule
of ``REASONS`` that fits it.  One JSON object a core; ``--store`` writes them into ``baselines/coverage.json``.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from modeloom.compiler import compile_mode
from modeloom.emit import emit
from modeloom.modes import find
from modeloom.options import Options

STORED = Path(__file__).resolve().parents[1] / "baselines" / "coverage.json"

SMALL: dict[str, Any] = {"aes_arch": "sequential", "aes_stages": 1, "restarts": 50}

CORES: dict[str, tuple[str, dict[str, Any]]] = {
    "sizes": ("hctr2", {"sector": 64, "more_sectors": (16, 40), "key_slots": 3, **SMALL}),
    "two keys": ("xts", {"sector": 40, "key_slots": 2, **SMALL}),
    "one direction": ("heh-brw", {"sector": 32, "direction": "encrypt", "key_slots": 3, **SMALL}),
}
"""Small cores that have between them: several sizes, sectors of one beat, partial blocks, one and both directions, several cipher keys,
keys that are refused."""


@dataclass
class Net:
    """What a net has done: bits that have risen, and that have fallen."""

    name: str
    width: int
    rose: int = 0
    fell: int = 0
    value: int = -1
    known: int = 0
    values: set[int] = field(default_factory=set)

    def change(self, text: str) -> None:
        """Takes a new value in binary digits."""
        if text.isdigit():
            value, known = int(text, 2), -1
        else:
            text = text.lower()
            value = int(re.sub("[xz]", "0", text), 2)
            known = int(re.sub("[01]", "1", re.sub("[xz]", "0", text)), 2)
        if self.value >= 0:
            both = self.known & known
            self.rose |= ~self.value & value & both
            self.fell |= self.value & ~value & both
        self.value, self.known = value, known
        if self.width <= 8 and known == -1:
            self.values.add(value)


def nets(waveform: Path) -> list[Net]:
    """Every net of a waveform (VCD); one that has several names, by the first."""
    found: dict[str, Net] = {}
    scope: list[str] = []
    with waveform.open(encoding="ascii") as lines:
        for line in lines:
            if line.startswith("$scope"):
                scope.append(line.split()[2])
            elif line.startswith("$upscope"):
                scope.pop()
            elif line.startswith("$var"):
                _, kind, width, code, name, *_ = line.split()
                if kind in ("wire", "reg"):
                    found.setdefault(code, Net(".".join([*scope[1:], name]), int(width)))
            elif line[0] == "b":
                text, code = line[1:].split()
                if code in found:
                    found[code].change(text)
            elif line[0] in "01xz":
                if line[1:-1] in found:
                    found[line[1:-1]].change(line[0])
    return list(found.values())


REASONS = (
    (r"cmd_tdata|cmd_payload|command\.(taken_reg|_\d+_)", "bytes of a command that the core does not read, of which the bench sends zeros"),
    (r"status_(t|pay)|queue|m_axis_status", "bits of a status that are always zero, and counts that only more commands in flight reach"),
    (r"key_(payload|port)|s_axis_key", "slots that the core does not have, and tkeep of beats that end no key"),
    (r"cipher|key_schedule", "bits of tables, of constants and of zero-extended words in the cipher"),
    (r".", "not looked into"),
)
"""Where bits are that are not covered, and why."""

STATES = {"dut.core.bus.key_port.fsm_state": 12}
"""State registers and the number of their states; other machines are flags of one bit, which are covered if they rise and fall."""


def measure(name: str) -> dict[str, Any]:
    """Emits a core, runs its bench in Icarus Verilog, and looks at the waveform."""
    mode, changes = CORES[name]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        top = emit(compile_mode(find(mode), Options(**changes)), work / "core", command="bench/coverage.py")["name"]
        sources = [work / "core" / f"{top}.v", work / "core" / f"{top}_tb.sv"]
        subprocess.run(["iverilog", "-g2012", "-s", f"{top}_tb", "-o", work / "bench.vvp", *sources], check=True)
        subprocess.run(["vvp", "-n", work / "bench.vvp", f"+dump={work / 'wave.vcd'}"], check=True, stdout=subprocess.DEVNULL)
        found = [net for net in nets(work / "wave.vcd") if net.name.startswith("dut.core.")]
    return {"core": name, "mode": mode, "options": changes, "command": f"python bench/coverage.py --store '{name}'", **summary(found)}


def summary(found: list[Net]) -> dict[str, Any]:
    """Bits and states, and those that are not covered by their reasons."""
    left: Counter[str] = Counter()
    for net in found:
        missing = net.width - (net.rose & net.fell & (1 << net.width) - 1).bit_count()
        if missing:
            left[next(reason for pattern, reason in REASONS if re.search(pattern, net.name))] += missing
    bits = sum(net.width for net in found)
    states = {net.name: [len(net.values), STATES[net.name]] for net in found if net.name in STATES}
    return {"bits": bits, "toggled": bits - left.total(), "not_toggled": dict(left), "states": states}


def main() -> None:
    """Measures the cores."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cores", nargs="*", default=list(CORES))
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    known = {row["core"]: row for row in json.loads(STORED.read_text())} if STORED.exists() else {}
    for name in options.cores:
        known[name] = result = measure(name)
        print(json.dumps(result), flush=True)
        if options.store:
            STORED.write_text(json.dumps([known[name] for name in CORES if name in known], indent=1) + "\n")


if __name__ == "__main__":
    main()
