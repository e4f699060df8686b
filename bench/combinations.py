# SPDX-License-Identifier: Apache-2.0
"""Build and verify cores with random combinations of options: what tests of one option at a time do not meet.

Run: python bench/combinations.py [--seed 1] [--minutes 60] [-o FOLDER]

One JSON object a line.  A combination is ``refused`` if ``modeloom build`` names the reason in one line with exit status 2, ``passed`` if
the core was built and ``modeloom verify`` found no fault in it, and ``failed`` otherwise; the folder of a failed core stays.  Exit status
1 if a combination failed.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from modeloom.modes import all_modes, all_streams

SECTOR_MODES = (*all_modes(), "xts-gb", "xts-ieee")
STREAM_MODES = (*all_streams(),)

MODELOOM = str(Path(sys.executable).with_name("modeloom"))

SIZES = (16, 32, 40, 48, 64, 72, 96, 128)
"""Bytes of a sector, with partial blocks: small, because what is looked for is not in the length."""

Choice = tuple[float, tuple[str, ...]]
"""How often an option is given, from 0 to 1, and what is given then, each as likely."""

BOTH: tuple[Choice, ...] = (
    (0.3, ("--key-slots 2", "--key-slots 3", "--key-slots 4", "--key-slots 70")),
    (0.2, ("--direction encrypt", "--direction decrypt")),
    (0.2, ("--key-bits 192", "--key-bits 256")),
    (
        0.4,
        (
            "--front registers", "--front registers --register-bus apb", "--front registers --commands registers",
            "--front registers --commands registers --register-bus apb", "--front registers --clock registers=clk_r",
            "--front registers --commands registers --clock registers=clk_r",
        ),
    ),
    (0.25, ("--data-width 32", "--data-width 64", "--data-width 256", "--data-width 512", "--data-width 1024")),
    (
        0.2,
        (
            "--clock all=clk_h", "--clock data=clk_d", "--clock data-in=clk_i,data-out=clk_o", "--clock key=clk_k",
            "--clock command=clk_c,status=clk_s",
        ),
    ),
    (0.15, ("--reset high", "--reset async-low", "--reset async-high")),
    (0.1, ("--mul-arch fan-hasan", "--mul-arch mastrovito", "--mul-arch lut6")),
    (0.15, ("--mul-stages 1", "--mul-stages 2", "--mul-stages 5", "--mul-stages 8")),
    (0.1, ("--cipher-sbox bram", "--cipher-sbox composite", "--cipher-sbox bdd", "--cipher-sbox compact")),
)  # fmt: skip

SECTOR: tuple[Choice, ...] = (
    (
        0.8,
        (
            "--cipher-arch sequential", "--cipher-arch sequential --cipher-stages 1", "--cipher-arch sequential --cipher-stages 4",
            "--cipher-arch pipelined", "--cipher-arch pipelined --cipher-stages 1", "--cipher-arch combined",
            "--cipher-arch multistream", "--cipher-arch multistream --streams 2", "--cipher-arch multistream --streams 1",
        ),
    ),
    (0.2, ("--cipher-cores 2", "--cipher-cores 3")),
    (0.1, ("--mul 2",)),
    (0.1, ("--lanes 1", "--lanes 2")),
    (0.1, ("--terms 2", "--terms 3")),
    (0.1, ("--acc 2",)),
    (0.1, ("--squares fly",)),
    (0.1, ("--storage bram",)),
    (0.1, ("--cipher sm4",)),
)  # fmt: skip

STREAM: tuple[Choice, ...] = (
    (
        0.7,
        (
            "--cipher-arch multistream", "--cipher-arch multistream --streams 1", "--cipher-arch multistream --streams 2",
            "--cipher-stages 1", "--blocks-per-cycle 2", "--blocks-per-cycle 4",
        ),
    ),
    (0.1, ("--key-bits all",)),
    (0.15, ("--hold 40", "--hold 100")),
    (0.25, ("--keys inline", "--keys inline --key-schedules 1", "--keys expanded", "--keys derived", "--key-schedule iterative")),
    (0.15, ("--packet wire",)),
    (0.15, ("--channels 2", "--channels 3", "--channels 20")),
    (0.15, ("--message-buffer 256",)),
    (0.1, ("--order text-first",)),
    (0.05, ("--interface lwc",)),
)  # fmt: skip


def combination(chance: random.Random) -> list[str]:
    """Arguments of ``modeloom build`` for a random core, without its folder."""
    sector = chance.random() < 0.5
    words = [chance.choice(SECTOR_MODES if sector else STREAM_MODES)]
    if sector:
        words += ["--sector", ",".join(map(str, chance.sample(SIZES, chance.choice((1, 1, 1, 2, 3)))))]
    for often, options in (*BOTH, *(SECTOR if sector else STREAM)):
        if chance.random() < often:
            words += chance.choice(options).split()
    return words


def reason(output: str) -> list[str]:
    """Lines of an error, without progress and warnings."""
    return [line for line in output.splitlines() if line.strip() and "warning" not in line.lower()]


def run(words: Iterable[str], minutes: float) -> tuple[int, list[str]]:
    """Exit status of a command, and the last lines of its errors."""
    try:
        done = subprocess.run([MODELOOM, *words], capture_output=True, text=True, timeout=60 * minutes, check=False)
    except subprocess.TimeoutExpired:
        return -1, [f"not done after {minutes:g} minutes"]
    return done.returncode, reason(done.stderr)


def attempt(words: list[str], folder: Path, minutes: float) -> dict[str, Any]:
    """Build and verify one core, and say what happened."""
    shutil.rmtree(folder, ignore_errors=True)
    start = time.monotonic()
    status, lines = run(["build", *words, "-o", str(folder)], minutes)
    if status == 2 and len(lines) == 1 and not folder.exists():
        return {"result": "refused", "build": words, "why": lines[0]}
    step = "build"
    if status == 0:
        step, (status, lines) = "verify", run(["verify", str(folder), "--optimize", "1"], minutes)
    seconds = round(time.monotonic() - start)
    if status == 0:
        return {"result": "passed", "build": words, "seconds": seconds}
    return {"result": "failed", "build": words, "seconds": seconds, "step": step, "status": status, "why": lines[-3:]}


def main() -> int:
    """Try combinations until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="first number of the random choices; each core has the next one")
    parser.add_argument("--minutes", type=float, default=60, help="no core begins after these minutes")
    parser.add_argument("--each", type=float, default=15, help="minutes for one build or one verification")
    parser.add_argument("-o", "--output", type=Path, default=Path("combinations"), help="folder for the cores")
    chosen = parser.parse_args()
    end = time.monotonic() + 60 * chosen.minutes
    failed = 0
    seed = chosen.seed
    while time.monotonic() < end:
        folder = chosen.output / str(seed)
        result = attempt(combination(random.Random(seed)), folder, chosen.each)
        print(json.dumps({"seed": seed, **result}), flush=True)
        if result["result"] == "failed":
            failed += 1
        else:
            shutil.rmtree(folder, ignore_errors=True)
        seed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
