# SPDX-License-Identifier: Apache-2.0
"""Gates, area and depth of the circuits, as ``modeloom circuit`` gives them.

Run: python bench/circuits.py [FAMILY ...] [--store] [--missing]

A family is a list of circuits with options and targets, below.  One JSON object a line.  ``--store`` writes
``baselines/circuits/FAMILY.json``, from which ``tools/readme.py`` makes the tables of docs/circuits.md; ``--missing`` measures only what
is not stored yet.  Large circuits take minutes each; all of them take some hours of one core.

The Liberty file of the target ``osu018`` is ``osu018_stdcells.lib`` of Debian's package ``qflow-tech-osu018``: install it, or name the
file in the environment variable ``OSU018``.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from modeloom.measure.area import measure_circuit

STORED = Path(__file__).resolve().parents[1] / "baselines" / "circuits"

OSU018 = os.environ.get("OSU018", "/usr/share/qflow/tech/osu018/osu018_stdcells.lib")

Row = tuple[str, dict[str, Any], str | None]
"""Circuit, options, target."""


def rows(name: str, targets: str, *several: dict[str, Any]) -> Iterator[Row]:
    """The circuit with each of the sets of options on each of the targets; "-" is none."""
    for options in several or ({},):
        for target in targets.split():
            yield name, options, None if target == "-" else target


def _each(name: str, *values: Any, **more: Any) -> list[dict[str, Any]]:
    return [{name: value, **more} for value in values]


_BOTH_WAYS = _each("direction", "encrypt", "decrypt", "both")
_SCHEDULES = ("offline", "iterative", "unrolled")

FAMILIES: dict[str, list[Row]] = {
    "multipliers": [
        *rows("mastrovito", "xc4v xc6v osu018"),
        *rows("karatsuba", "xc4v osu018", {"halt": 4}),
        *rows("karatsuba", "xc6v", *_each("halt", 4, 8, 16, 32)),
        *rows("karatsuba-refined", "xc4v osu018", {"halt": 4}),
        *rows("karatsuba-refined", "xc6v", *_each("halt", 4, 8)),
        *rows("karatsuba-refined", "ecp5", *_each("halt", 8, 16)),
        *rows("fan-hasan", "xc4v osu018", {"halt": 4}),
        *rows("fan-hasan", "osu018", {"halt": 4, "form": "key"}),
        *rows("fan-hasan", "xc6v", *_each("halt", 4, 8)),
        *rows("lut6", "xc6v", {}),
        *rows("lut6", "xc6v", {"stages": 3}),
        *rows("lut6", "ecp5", {"lut_inputs": 4}),
        *rows("serial", "xc6v", *_each("digit", 1, 8)),
        *rows("square", "xc6v ecp5"),
    ],
    "polynomials": [
        *rows("brw", "xc5v", *_each("squares", "setup", "fly", times_h="yes")),
        *rows("poly", "xc5v", {"times_h": "yes"}),
        *rows("poly", "xc4v", {"stages": 1}),
    ],
    "sboxes": [
        *rows("sbox-lut", "xc6v xc3se ecp5 gates osu018"),
        *rows("sbox-bram", "xc6v ecp5"),
        *[row for form in ("composite", "bdd", "compact") for row in rows(f"sbox-{form}", "xc6v ecp5 osu018")],
        *[row for form in ("lut", "composite", "bdd", "compact") for row in rows(f"inv-sbox-{form}", "xc6v osu018")],
        *[row for form in ("lut", "composite", "compact") for row in rows(f"sbox-{form}", "xc6v osu018", {"direction": "both"})],
    ],
    "linear": [
        *rows("mixcolumns", "xc6v ecp5"),
        *rows("inv-mixcolumns", "xc6v ecp5"),
    ],
    "aes": [
        *rows("aes-round", "xc6v", *_BOTH_WAYS),
        *rows("aes-round", "xc4v", *_each("direction", "encrypt", "both", sbox="bram")),
        *rows("aes-multistream", "xc6v xc5v", *_each("streams", 1, 2, 4)),
        *rows("aes-multistream", "xc5v", {"direction": "decrypt", "streams": 4}),
        *rows("aes-sequential", "xc6v", *_BOTH_WAYS),
        *rows("aes-sequential", "xc6v", *_each("key_bits", 192, 256)),
        *rows("aes-sequential", "xc5v", {"direction": "decrypt", "sbox": "table"}),
        *rows("aes-sequential", "xc4v", {"direction": "both", "sbox": "bram"}),
        *rows("aes-serial", "xc7", *_each("bits", 32, 8)),
        *[row for bits in (32, 8) for row in rows("aes-serial-core", "xc7", *_each("direction", "encrypt", "decrypt", "both", bits=bits))],
        *rows("aes-pipeline", "xc4v", *_each("direction", "encrypt", "both", sbox="bram")),
        *rows("aes-pipeline", "xc5v", {"direction": "encrypt"}),
        *rows("aes-pipeline", "xc7", {}),
    ],
    "deoxys": [
        *rows("deoxys-bc", "xc6v", *_each("streams", 1, 2, 4), {"direction": "decrypt", "streams": 4}),
        *rows("deoxys-bc", "xc6v", *_each("streams", 1, 2, 4, direction="both")),
        *rows("deoxys-bc", "xc6v", *_each("streams", 1, 4, schedule="srl")),
        *rows("deoxys-bc", "xc7", *_each("direction", "encrypt", "decrypt", "both", form="pipeline")),
        *rows("deoxys-key-schedule", "xc6v xc7"),
    ],
    "ciphers": [
        *[
            row for cipher in ("aes", "sm4") for form in ("sequential", "pipeline")
            for row in rows(f"{cipher}-{form}", "ecp5 xc7", *_BOTH_WAYS)
        ],
    ],
    "led": [
        *rows("led", "xc3se xc7", *_each("key_bits", 64, 128)),
        *rows("led-multistream", "xc3se xc7", *[{"key_bits": bits, "streams": streams} for bits in (64, 128) for streams in (2, 3)]),
    ],
    "keys": [
        *rows("aes-key-schedule", "xc7", *[{"form": form, "key_bits": bits} for form in _SCHEDULES for bits in (128, 256)]),
        *rows("aes-key-schedule", "xc7", {"form": "iterative", "key_bits": "all"}),
        *rows("aes-key-schedule", "xc7", {"form": "iterative", "key_bits": 128, "direction": "decrypt"}),
        *rows("aes-key-schedule", "xc6v", *[{"form": "srl", "key_bits": 128, "streams": streams} for streams in (1, 2, 4)]),
        *rows("aes-key-schedule", "xc6v ecp5", {"form": "ring", "key_bits": 128}),
        *rows("aes-pipeline-agile", "xc7", {"key_bits": 128}),
        *rows("aes-pipeline", "xc7", {"key_bits": "all", "stages": 2, "slots": 16}),
        *rows("aes-pipeline", "xc7", {"key_bits": "all", "stages": 2, "slots": 1024, "key_memory": "block"}),
    ],
}


def command(name: str, options: dict[str, Any], target: str | None) -> str:
    """What makes the figures again."""
    flags = "".join(f" --{option.replace('_', '-')} {value}" for option, value in options.items())
    return f"modeloom circuit {name}{flags}" + (f" --target {target}" if target else "")


def measure(name: str, options: dict[str, Any], target: str | None) -> dict[str, Any]:
    """The figures of one circuit, with the command that gives them."""
    wanted = {} if target is None else {"target": f"liberty:{OSU018}" if target == "osu018" else target}
    figures = measure_circuit(name, **wanted, gates=target in (None, "gates"), **options)
    if target is not None:
        figures["target"] = target
    return {"command": command(name, options, target), **figures}


def main() -> None:
    """Prints the figures, and stores them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*", default=list(FAMILIES), metavar="FAMILY")
    parser.add_argument("--store", action="store_true")
    parser.add_argument("--missing", action="store_true")
    arguments = parser.parse_args()
    for family in arguments.families:
        path = STORED / f"{family}.json"
        stored = {row["command"]: row for row in json.loads(path.read_text(encoding="utf-8"))} if path.is_file() else {}
        for row in FAMILIES[family]:
            if arguments.missing and command(*row) in stored:
                continue
            stored[command(*row)] = measure(*row)
            print(json.dumps(stored[command(*row)]), flush=True)
            if arguments.store:
                # After each, so that nothing is lost if the next one is stopped.
                path.parent.mkdir(parents=True, exist_ok=True)
                kept = [stored[command(*known)] for known in FAMILIES[family] if command(*known) in stored]
                path.write_text("[\n" + ",\n".join(f" {json.dumps(each)}" for each in kept) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
