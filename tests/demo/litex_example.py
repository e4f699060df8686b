# SPDX-License-Identifier: Apache-2.0
"""The example in demo/litex for the tests: its modules, the cores that it gets, and what it needs."""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests import built

from modeloom.cores.front import front_of
from modeloom.cores.sector import SectorCore
from modeloom.emit import emit

DEMO = Path(__file__).parents[2] / "demo" / "litex"
MODULES = ("modeloom_litex", "cipher_soc", "sectors", "run")


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

FORMS = {
    "commands by DMA": Form("xts", {"sector": 512}, bits=32),
    "commands over registers": Form("hctr2", SMALL, front={"commands": "registers"}, bus_width=64, crossbar=True),
    "small": Form("xts", SMALL, bits=64),
}


@contextmanager
def modules(folder: Path = DEMO) -> Iterator[ModuleType]:
    """``run`` of the example, from a folder: other modules of these names are not in its way."""
    before = {name: sys.modules.pop(name) for name in MODULES if name in sys.modules}
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module("run")
    finally:
        sys.path.remove(str(folder))
        for name in MODULES:
            sys.modules.pop(name, None)
        sys.modules.update(before)


def write_core(folder: Path, form: Form) -> Path:
    """The folder of a core of this form."""
    front = front_of("registers", form.bits, **form.front)
    emit(SectorCore(built.compiled(form.mode, prove=False, **form.options)), folder, command=built.COMMAND, front=front)
    return folder


def need_litex() -> None:
    """Skips a test without LiteX or its CPU."""
    for package in ("litex", "pythondata_cpu_vexriscv"):
        pytest.importorskip(package, reason=f"{package} is not installed: pip install 'modeloom[litex]'")


def need_tools() -> None:
    """Skips a test without LiteX, or without one of the programs that a simulation needs."""
    need_litex()
    for program, package in (("riscv64-unknown-elf-gcc", "gcc-riscv64-unknown-elf"), ("verilator", "verilator")):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed: apt-get install {package}")
