# SPDX-License-Identifier: Apache-2.0
"""The modules below the top.  Amaranth's RTLIL gets plain names, is pruned and shared, and is then written as Verilog.

::

    component ──Amaranth──▶ RTLIL ──names, prune, share──▶ RTLIL ──circuits, simplify──▶ Verilog
"""

from __future__ import annotations

import contextlib
import gc
import textwrap
from collections.abc import Iterable, Iterator, Mapping

from amaranth.back import rtlil

from modeloom.product.core import CLOCK, Core, D, Sections
from modeloom.product.description import ASSERT_MACRO, MemoryDescription
from modeloom.spec import blame
from modeloom.verilog.circuit import check_loops, circuit_of
from modeloom.verilog.memories import memories_of, name_memories, use_ultra
from modeloom.verilog.names import name_registers, plain_design
from modeloom.verilog.ports import name_ports, name_the_unnamed
from modeloom.verilog.rtlil import parse, render
from modeloom.verilog.sharing import copy_modules, share, table_modules
from modeloom.verilog.simplify import drop_unused, name_the_rest, prune, rename, simplify
from modeloom.verilog.writer import verilog_of

__all__ = ["component_rtlil", "core_rtlil", "header", "inner_verilog", "rules_instance", "top_module"]


# -- top -------------------------------------------------------------------------------------------------------------------------------

# The top of an emitted core: the header of the file, and a module with its ports in a fixed order and a comment for each stream.


def _comment(text: str, indent: str = "") -> Iterator[str]:
    for line in textwrap.wrap(text, 116 - len(indent)) or [""]:
        yield f"{indent}// {line}".rstrip()


def header(core: Core[D], description: D) -> str:
    """The comment at the head of the Verilog file."""
    warning = "WARNING, this mode is BROKEN: " if description.broken else ""
    lines = ["// SPDX-License-Identifier: Apache-2.0", "//"]
    facts = [
        f"{description.name}: {core.headline}",
        "",
        f"Made by modeloom {description.version}: {description.command}",
        f"Definition: sha256 {description.definition_sha256}",
        f"Source: {description.source}",
        f"Security: {warning}{description.security}. Not protected against power and fault attacks.",
        "",
        core.figures,
    ]
    for fact in facts:
        lines += _comment(fact)
    return "\n".join(lines) + "\n"


def rules_instance(core: Core[D], name: str) -> str:
    """The instance of the module with the assertions, for the top module."""
    ports = [port.name for port in core.ports]
    lines = [f"`ifdef {ASSERT_MACRO}", f"  {name}_rules rules ("]
    lines += [f"    .{port}({port}){'' if port == ports[-1] else ','}" for port in ports]
    return "\n".join([*lines, "  );", "`endif"]) + "\n"


def top_module(core: Core[D], name: str, watch: str = "") -> str:
    """The module NAME, which contains an instance of NAME_core.  ``watch`` is text before its end, for checks of its ports."""
    ports = core.ports
    lines = [f"module {name} (", "    // clock, and synchronous active-low reset"]
    stream = CLOCK
    comments = {interface.name: interface.comment for interface in core.interfaces}
    for i, port in enumerate(ports):
        if port.stream != stream:
            stream = port.stream
            lines += ["", *_comment(comments[stream], "    ")]
        lines.append(f"    {port.declaration}{'' if i == len(ports) - 1 else ','}")
    lines += [");", "", f"  {name}_core core ("]
    lines += [f"    .{port.name}({port.name}){'' if i == len(ports) - 1 else ','}" for i, port in enumerate(ports)]
    lines += ["  );", "", *watch.splitlines(), *[""][: bool(watch)], "endmodule", ""]
    return "\n".join(lines)


# -- modules ---------------------------------------------------------------------------------------------------------------------------


def core_rtlil(core: Core[D], top: str) -> str:
    """RTLIL of a core.  The modules are named TOP, TOP_engine, TOP_engine_cipher0, ...

    Equal modules occur once, dead objects are removed, and every public name is a plain Verilog name.

    Parameters
    ----------
    core : Core
    top : str
        Name of the top module.
    """
    with blame(core.brought) if core.brought else contextlib.nullcontext():
        return component_rtlil(core.component(), top)


def component_rtlil(component: object, top: str) -> str:
    """RTLIL of an Amaranth component in the same form.  Module names begin with ``top``."""
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
