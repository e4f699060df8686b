# SPDX-License-Identifier: Apache-2.0
"""The modules below the top: Amaranth's RTLIL with plain names, pruned and shared; Yosys writes it as Verilog."""

from __future__ import annotations

import contextlib
import gc
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from amaranth.back import rtlil

from modeloom.emit.names import plain_design
from modeloom.emit.prune import prune
from modeloom.emit.rtlil import parse, render
from modeloom.emit.share import share
from modeloom.emit.widths import level_widths
from modeloom.product.core import Core, D
from modeloom.spec import blame

__all__ = ["component_rtlil", "core_rtlil", "inner_verilog"]

# The Yosys library keeps its design in globals, so each run has a process of its own.
_SCRIPT = """
import sys
from pyosys import libyosys as ys
design = ys.Design()
for command in sys.argv[1:]:
    ys.run_pass("tee -q " + command, design)
"""

# Without processes there are no always @* blocks, which need tricks to run at time 0; without parallel multiplexers there
# are no functions.
_EXPAND = ("proc -noopt", "pmuxtree", "opt_clean -purge")

_KEPT_ATTRIBUTE = re.compile(r"(rom|ram)_style = |(keep|mapped_apart|no_rw_check) = ")


def core_rtlil(core: Core[D], top: str) -> str:
    """RTLIL of a core; modules are named TOP, TOP_engine, TOP_engine_cipher0, ...

    Equal modules stand once, nothing dead is left, and every public name is a plain Verilog name.

    Parameters
    ----------
    core : Core
    top : str
        Name of the top module.
    """
    with blame(core.brought) if core.brought else contextlib.nullcontext():
        return component_rtlil(core.component(), top)


def component_rtlil(component: Any, top: str) -> str:
    """RTLIL of an Amaranth component, in the same shape; module names begin with ``top``."""
    with _no_collection():
        text = rtlil.convert(component, name=top, emit_src=False)
    modules = prune(parse(text), "\\" + top)
    plain_design(modules)
    return render(share(modules, "\\" + top))


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Millions of values that all stay until the end: looking for garbage among them takes a third of Amaranth's time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def inner_verilog(text: str, top: str) -> str:
    """Verilog of all modules of a design in RTLIL; raises ``RuntimeError`` if Yosys refuses it."""
    modules = parse(_yosys(text, top, _EXPAND, "write_rtlil"))
    # Cases that can not happen are gone now, and so are the last readers of some ports.
    modules = prune(modules, "\\" + top)
    level_widths(modules)
    return _cleaned(_yosys(render(modules), top, ("check -assert",), "write_verilog"))


def _yosys(text: str, top: str, commands: tuple[str, ...], writer: str) -> str:
    with tempfile.TemporaryDirectory(prefix="modeloom-") as work:
        source, result = Path(work) / "design.il", Path(work) / "design.out"
        source.write_text(text)
        script = (f"read_rtlil {source}", f"hierarchy -check -top {top}", *commands, f"{writer} {result}")
        run = subprocess.run(
            [sys.executable, "-P", "-c", _SCRIPT, *script], capture_output=True, text=True, check=False
        )
        if run.returncode or not result.exists():
            raise RuntimeError("Yosys failed to write the core: " + (run.stdout + run.stderr).strip()[-500:])
        return result.read_text()


def _cleaned(verilog: str) -> str:
    """Without Yosys' own header and without attributes but those that choose memories or hold a cut into LUTs."""
    verilog = re.sub(r"^/\*.*?\*/\n", "", verilog, flags=re.S).lstrip("\n")
    lines = []
    for line in verilog.split("\n"):
        bare = line.strip()
        if bare.startswith("(*") and bare.endswith("*)") and not _KEPT_ATTRIBUTE.match(bare[2:].strip()):
            continue
        lines.append(line)
    return "\n".join(lines)
