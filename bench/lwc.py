# SPDX-License-Identifier: Apache-2.0
"""Cycles of a message of GCM behind the LWC interface, beside those of the core without it, for docs/lwc.md.

Run: python bench/lwc.py [--interface NAME,...] [--store]           (some minutes per core, most of them for the C++ compiler)

One JSON object a row, as it comes: the mean distance of statuses, in cycles, of messages back to back, and the bytes that go through in a
cycle.  Messages are sealed, have no associated data, and are compared with the ``cryptography`` package.  The row ``gcm2008`` is of the mix
of this thesis, and others are of text of so many bytes.  With ``keys`` "new", each message activates a key of its own.  ``--store`` writes
each row into ``baselines/lwc.json``, in the place of what was known of it; ``tools/readme.py`` makes the table of docs/lwc.md from it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from modeloom.compiler.streams import StreamOptions, compile_stream
from modeloom.cores.lwc import LwcCore
from modeloom.cores.stream import StreamCore
from modeloom.emit import emit
from modeloom.measure.traffic import MIXES
from modeloom.modes.gcm import GCM
from modeloom.product.message import Message
from modeloom.product.simulated import core as simulated

STORED = Path(__file__).resolve().parents[1] / "baselines" / "lwc.json"

SMALL: dict[str, Any] = {"key_bits": 128, "cipher_stages": 1, "mul_stages": 1}
"""A pipeline that is built in little time: cycles of messages back to back do not depend on its depth."""

INTERFACES: dict[str, dict[str, Any]] = {
    "axi": {}, **{f"lwc {bits}": {"interface": "lwc", "interface_bits": bits} for bits in (32, 64, 128)},
}  # fmt: skip
"""The options of each core."""

TEXTS = (0, 16, 64, 256, 1500)
"""Bytes of text of the rows with one size."""

BEFORE, COUNTED = 12, 40
"""Messages that fill the core, and messages whose distances are measured; twice as many are whole rounds of the mix."""


def build(interface: str) -> str:
    """The command that makes the core of a row."""
    options = {**SMALL, **INTERFACES[interface]}
    return "modeloom build gcm" + "".join(f" --{name.replace('_', '-')} {value}" for name, value in options.items())


def sizes_of(what: str, count: int) -> list[int]:
    """The numbers of bytes of text of messages."""
    if what in MIXES:
        return [size.nbytes for size in MIXES[what].packets(count, Random("lwc sizes"))]
    return [int(what)] * count


def measured(core: Any, interface: str, what: str, new_keys: bool) -> dict[str, Any]:
    """A row.  Raises ``SystemExit`` if a message is not sealed as the ``cryptography`` package does."""
    rng = Random(f"lwc {what}")
    sizes = [*sizes_of(what, BEFORE), *sizes_of(what, COUNTED)]
    keys, messages, wanted = rng.randbytes(16), [], []
    core.load_key(keys)
    for nbytes in sizes:
        keys = rng.randbytes(16) if new_keys else keys
        nonce, text = rng.randbytes(12), rng.randbytes(nbytes)
        messages.append(Message(nonce, text, key=keys if new_keys else None))
        wanted.append(AESGCM(keys).encrypt(nonce, text, b""))
    if [outcome.text + outcome.tag for outcome in core.outcomes(messages)] != wanted:
        raise SystemExit(f"{interface}: a message differs from the cryptography package")
    cycles = core.status_cycles[-1] - core.status_cycles[BEFORE - 1]
    return {
        "interface": interface, "text": what, "keys": "new" if new_keys else "one", "messages": COUNTED,
        "cycles": round(cycles / COUNTED, 2), "bytes_per_cycle": round(sum(sizes[BEFORE:]) / cycles, 2), "command": build(interface),
    }  # fmt: skip


def measure(interface: str) -> Iterator[dict[str, Any]]:
    """The rows of a core."""
    compiled = compile_stream(GCM(), StreamOptions(**SMALL, **INTERFACES[interface]), prove=False)
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "core"
        emit((LwcCore if compiled.options.interface == "lwc" else StreamCore)(compiled), folder, command=build(interface))
        core = simulated(folder, optimize=0)
        for new_keys in (False, True) if interface == "lwc 32" else (False,):
            for what in ("gcm2008", *map(str, TEXTS)):
                yield measured(core, interface, what, new_keys)


def place_of(row: dict[str, Any]) -> tuple[str, str, str]:
    """Interface, text and keys of a row."""
    return row["interface"], row["text"], row["keys"]


def store(row: dict[str, Any]) -> None:
    """Writes a row into what is stored."""
    rows = json.loads(STORED.read_text(encoding="utf-8")) if STORED.is_file() else []
    rows = [old for old in rows if place_of(old) != place_of(row)] + [row]
    order, texts = list(INTERFACES), ["gcm2008", *map(str, TEXTS)]
    rows.sort(key=lambda each: (order.index(each["interface"]), each["keys"] == "new", texts.index(each["text"])))
    STORED.write_text("[\n" + ",\n".join(f"  {json.dumps(each)}" for each in rows) + "\n]\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--interface", default=",".join(INTERFACES), help=f"some of {', '.join(INTERFACES)} (default: all)")
    parser.add_argument("--store", action="store_true", help="write the rows into baselines/lwc.json")
    given = parser.parse_args(arguments)
    chosen = given.interface.split(",")
    if unknown := [name for name in chosen if name not in INTERFACES]:
        parser.error(f"no interface is called {unknown[0]!r}; there are {', '.join(INTERFACES)}")
    for interface in chosen:
        for row in measure(interface):
            print(json.dumps(row), flush=True)
            if given.store:
                store(row)


if __name__ == "__main__":
    main()
