# SPDX-License-Identifier: Apache-2.0
"""All modules of a design.  Amaranth's RTLIL gets plain names, is pruned and shared, and is then written as Verilog.

::

    component ──Amaranth──▶ RTLIL ──names, prune, share──▶ RTLIL ──circuits, simplify──▶ Verilog
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterable, Iterator, Mapping

from amaranth.back import rtlil

from modeloom_verilog.circuit import check_loops, circuit_of
from modeloom_verilog.memories import MemoryDescription, memories_of, name_memories, use_ultra
from modeloom_verilog.names import name_ports, name_registers, name_the_unnamed, plain_design
from modeloom_verilog.rtlil import parse, render
from modeloom_verilog.sharing import copy_modules, share, table_modules
from modeloom_verilog.simplify import drop_unused, name_the_rest, prune, rename, simplify
from modeloom_verilog.writer import Sections, verilog_of

__all__ = ["component_rtlil", "inner_verilog"]


def component_rtlil(component: object, top: str) -> str:
    """RTLIL of an Amaranth component.  The modules are named TOP, TOP_engine, TOP_engine_cipher0, ...

    Equal modules occur once, dead objects are removed, and every public name is a plain Verilog name.
    """
    with _no_collection():
        text = rtlil.convert(component, name=top, emit_src=False)
    modules = parse(text)
    name_registers(modules)
    name_ports(modules, "\\" + top)
    name_the_unnamed(modules, "\\" + top)
    modules = prune(modules, "\\" + top)
    plain_design(modules)
    return render(share(modules, "\\" + top))


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Turns off garbage collection.  Amaranth makes millions of values and keeps them all; collection takes a third of its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def inner_verilog(
    text: str, top: str, sections: Mapping[str, Sections] | None = None, titles: Mapping[str, Iterable[str]] | None = None,
    memories: list[MemoryDescription] | None = None, ram: str | None = None,
) -> str:  # fmt: skip
    """Verilog of all modules of a design in RTLIL.

    Parameters
    ----------
    text : str
        RTLIL with plain names, as from ``component_rtlil``.
    top : str
    sections : mapping, optional
        The sections of modules, by the names of the modules without the name of the top ("engine").
    titles : mapping, optional
        Lines of the comment before each module.
    memories : list, optional
        The memories of the design are added to it.
    ram : str, optional
        "ultra": large memories become UltraRAM (``memories``).

    Raises
    ------
    ValueError
        The design contains something that no hardware of this project contains, such as an instance of a missing module, or a loop without
        a register.
    """
    modules = parse(text)
    directions = {module.name: module.ports() for module in modules}
    missing = sorted({one.type for module in modules for one in module.of_kind("cell") if one.instance} - set(directions))
    if missing:
        raise ValueError(f"there is no module {missing[0].removeprefix(chr(92))}")
    circuits = [circuit_of(module, directions) for module in modules]
    circuits = copy_modules(circuits, top)
    circuits += table_modules(circuits, top)
    for circuit in circuits:
        simplify(circuit)
    circuits = drop_unused(circuits, "\\" + top)
    if ram is not None:
        use_ultra(circuits)
    name_memories(circuits, "\\" + top)
    texts = []
    for circuit in circuits:
        rename(circuit, name_the_rest(circuit))
        check_loops(circuit)
        below = circuit.name.removeprefix("\\" + top).removeprefix("_")
        texts.append(verilog_of(circuit, (sections or {}).get(below, _no_sections), (titles or {}).get(below, ())))
    if memories is not None:
        memories += memories_of(circuits, "\\" + top)
    return "\n".join(texts)


def _no_sections(name: str) -> tuple[int, str]:
    return 0, ""
