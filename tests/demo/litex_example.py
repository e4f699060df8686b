# SPDX-License-Identifier: Apache-2.0
"""The example in demo/litex for the tests: its modules, the cores that it gets, and what it needs."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from tests import built, streamed

from modeloom.cores.front import front_of
from modeloom.cores.sector import SectorCore
from modeloom.cores.stream import StreamCore
from modeloom.emit import emit
from modeloom.modes import find_any
from modeloom.product.core import Core
from modeloom.spec.stream import StreamMode

DEMO = Path(__file__).parents[2] / "demo" / "litex"
DOCUMENT = Path(__file__).parents[2] / "docs" / "packages.md"
MODULES = ("modeloom_litex", "modeloom_packets", "modeloom_dma", "cipher_soc", "initialisers", "sectors", "messages", "run")


@dataclass(frozen=True)
class Form:
    """A core with registers, and the SoC around it."""

    mode: str
    options: dict[str, Any]
    bits: int | None = None
    front: dict[str, Any] = field(default_factory=dict)
    bus_width: int = 32
    crossbar: bool = False


SMALL = {"sector": 64, "key_slots": 2, "cipher_arch": "sequential", "cipher_sbox": "bram", "cipher_stages": 1, "restarts": 50}

QUICK = {"key_bits": 128, "key_slots": 3, "cipher_arch": "multistream", "streams": 1}
"""Options of a core for messages that is built in the least time.  Its mode is one of the tests', so that there is no example for it."""

FORMS = {
    "commands by DMA": Form("xts", {"sector": 512}, bits=32),
    "commands over registers": Form("hctr2", SMALL, front={"commands": "registers"}, bus_width=64, crossbar=True),
    "small": Form("xts", SMALL, bits=64),
    "messages": Form("gcm", {"key_bits": 128, "hold": 2048}, bits=32),
    "messages on the wire": Form(
        "gcm", {**streamed.TINY, "key_bits": 256, "packet": "wire"}, bits=64, front={"commands": "registers"}, bus_width=64, crossbar=True,
    ),
    "quick, messages": Form("no-hash", QUICK, bits=32),
    "small, messages": Form("gcm", streamed.TINY, bits=32),
}  # fmt: skip


@contextmanager
def modules(folder: Path = DEMO, name: str = "run") -> Iterator[ModuleType]:
    """A module of the example, from a folder: other modules of these names are not in its way."""
    before = {one: sys.modules.pop(one) for one in MODULES if one in sys.modules}
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))
        for one in MODULES:
            sys.modules.pop(one, None)
        sys.modules.update(before)


def write_core(folder: Path, form: Form) -> Path:
    """The folder of a core of this form."""
    emit(core_of(form), folder, command=built.COMMAND, front=front_of("registers", form.bits, **form.front))
    return folder


def core_of(form: Form) -> Core:
    """The core itself."""
    if form.mode in streamed.OWN or isinstance(find_any(form.mode), StreamMode):
        return StreamCore(streamed.compiled(form.mode, prove=False, **form.options))
    return SectorCore(built.compiled(form.mode, prove=False, **form.options))


def documented(row: str) -> list[int]:
    """The numbers in a row of a table of docs/packages.md."""
    (line,) = (line for line in DOCUMENT.read_text(encoding="utf-8").splitlines() if line.startswith(f"| {row} |"))
    return [int(cell) for cell in line.split("|") if cell.strip().isdigit()]


Built = tuple[Path, Any, Path]
"""The folder of a core, the SoC around it, and the folder in which its simulation is."""


def build(folder: Path, form: Form) -> Built:
    """Builds the simulation of a core."""
    core = write_core(folder / "core", form)
    with modules() as run:
        soc = run.build_all(core, folder / "build", form.bus_width, form.crossbar)
    return core, soc, folder / "build"


def start(core: Path, folder: Path, *options: str, demo: Path = DEMO) -> subprocess.CompletedProcess[str]:
    """The command line of the example."""
    return subprocess.run([sys.executable, demo / "run.py", core, "--build", folder / "build", *options], capture_output=True, text=True)


def run_command(folder: Path, form: Form) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The command line of the example on a core of this form."""
    core = write_core(folder / "core", form)
    return core, start(core, folder, "--bus-width", str(form.bus_width), *(["--crossbar"] if form.crossbar else []))


def exchange(path: Path, old: str, new: str) -> None:
    """Replaces the only place, or in Verilog each place, that has this text: a core may have several modules with the same table."""
    text = path.read_text()
    assert text.count(old) == 1 or (path.suffix == ".v" and old in text)
    path.write_text(text.replace(old, new))


def run_with_fault(built_soc: Built, folder: Path, name: str, old: str, new: str) -> subprocess.CompletedProcess[str]:
    """The simulation with other firmware: in one of its files, or in a header with its data, a text is replaced."""
    core, soc, place = built_soc
    firmware = shutil.copytree(DEMO / "firmware", folder / "firmware")
    with modules() as run:
        headers = run.headers_of(soc)
        if name in headers:
            assert headers[name].count(old) == 1
            headers[name] = headers[name].replace(old, new)
        else:
            exchange(firmware / name, old, new)
        run.compile_firmware(soc, core, place, headers, firmware)
        return run.simulate(place)


def run_with_other_hardware(core: Path, folder: Path, name: str, old: str, new: str) -> subprocess.CompletedProcess[str]:
    """The command line, after a text is replaced in a file of the example, or in the Verilog of the core if *name* is "core"."""
    copy = shutil.copytree(core, folder / "core")
    demo = shutil.copytree(DEMO, folder / "demo", ignore=shutil.ignore_patterns("__pycache__"))
    exchange(copy / json.loads((copy / "core.json").read_text())["verilog"] if name == "core" else demo / name, old, new)
    return start(copy, folder, demo=demo)

