# SPDX-License-Identifier: Apache-2.0
"""The IP packager of Vivado as far as the scripts of cores use it: commands that keep objects with properties.

A command, an object or a property that Vivado does not have is an error, so that a script with a slip of the pen does not pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Packager"]

PROPERTIES = {
    "core": {"name", "version", "display_name", "description", "vendor_display_name", "auto_family_support_level"},
    "fileset": {"top"},
    "file": {"USED_IN_SYNTHESIS", "PROCESSING_ORDER"},
    "bus": {"abstraction_type_vlnv", "bus_type_vlnv", "interface_mode", "slave_memory_map_ref"},
    "port map": {"physical_name"},
    "parameter": {"value"},
    "memory map": {"name"},
    "address block": {"usage", "width", "range"},
    "register": {"address_offset", "size", "access", "description"},
}
"""The properties of each kind of object."""

VALUES = {
    "USED_IN_SYNTHESIS": {"true", "false"}, "PROCESSING_ORDER": {"EARLY", "NORMAL", "LATE"}, "interface_mode": {"master", "slave"},
}  # fmt: skip
"""The values of some of them."""

FILESETS = {"sources_1": {".v", ".sv"}, "constrs_1": {".xdc"}}
"""The sets of files of a project, and what belongs there."""

SIGNALS = ("clock", "reset", "interrupt")


@dataclass
class Thing:
    """An object: its kind, its name, where it belongs, and its properties."""

    kind: str
    name: str
    parent: str
    properties: dict[str, str] = field(default_factory=dict)


class Packager:
    """Runs a script.

    Parameters
    ----------
    inferred : iterable of str
        Names of the buses that Vivado infers from the ports.
    """

    def __init__(self, inferred: Iterable[str] = ()):
        self.inferred = tuple(inferred)
        self.things: dict[str, Thing] = {}
        self.files: list[str] = []
        self.constraints: list[str] = []
        self.brought: set[str] = set()
        self.calls: list[str] = []
        self.packaged: dict[str, str] = {}
        self.saved = False
        import tkinter  # which not every Python has

        self.tcl = tkinter.Tcl()
        self.tcl.eval("namespace eval ipx {}")
        for name, command in self._commands().items():
            self.tcl.createcommand(name, self._checked(name, command))

    def run(self, script: Path, *arguments: str) -> None:
        """Runs a script with arguments.  Raises ``tkinter.TclError``."""
        self.tcl.setvar("argc", str(len(arguments)))
        self.tcl.setvar("argv", " ".join(arguments))
        self.tcl.eval(f"source {{{script}}}")

    def of_kind(self, kind: str, parent: str | None = None) -> dict[str, Thing]:
        """The objects of a kind by name, of all parents or of one."""
        return {thing.name: thing for thing in self.things.values() if thing.kind == kind and parent in (None, thing.parent)}

    def children(self, kind: str, bus: str) -> dict[str, Thing]:
        """The objects of a kind that belong to a bus."""
        return self.of_kind(kind, f"bus:core:{bus}")

    def _checked(self, name: str, command: Callable[..., str]) -> Callable[..., str]:
        def call(*arguments: str) -> str:
            self.calls.append(name)
            return command(*arguments)

        return call

    def _new(self, kind: str, name: str, parent: str) -> str:
        if parent not in self.things and parent:
            raise ValueError(f"no object {parent!r}")
        # A list of handles is split at spaces.
        handle = f"{kind}:{parent}:{name}".replace(" ", "_")
        if handle in self.things:
            raise ValueError(f"{handle} is already there")
        self.things[handle] = Thing(kind, name, parent)
        return handle

    def _commands(self) -> dict[str, Callable[..., Any]]:
        def getter(kind: str) -> Callable[..., str]:
            def get(*arguments: str) -> str:
                *names, option, parent = arguments
                assert option == "-of_objects" and len(names) <= 1
                return " ".join(
                    handle for handle, thing in self.things.items()
                    if thing.kind == kind and thing.parent == parent and names in ([], [thing.name])
                )  # fmt: skip

            return get

        def package(*arguments: str) -> str:
            assert arguments[-2:] == ("-import_files", "-force")
            self.packaged = dict(zip(arguments[:-2:2], arguments[1:-2:2], strict=True))
            self.brought = {*self.files, *self.constraints}
            self.things["core"] = Thing("core", "core", "")
            for name in self.inferred:
                self._new("bus", name, "core")
            if "s_axil" in self.inferred:
                self._new("memory map", "s_axil", "core")
            return ""

        def infer(name: str, vlnv: str, core: str) -> str:
            library, signal = vlnv.split(":")[1:3]
            assert library == "signal" and signal.removesuffix("_rtl") in SIGNALS, vlnv
            return self._new("bus", name, core)

        def set_property(name: str, value: str, handle: str) -> str:
            thing = self.things[handle]
            assert name in PROPERTIES[thing.kind], f"{thing.kind} has no property {name}"
            assert name not in VALUES or value in VALUES[name], f"{name} is never {value}"
            thing.properties[name] = value
            return ""

        def save(core: str) -> str:
            assert core == "core"
            self.saved = True
            return ""

        def fileset() -> str:
            self.things.setdefault("sources", Thing("fileset", "sources_1", ""))
            return "sources"

        def add_files(*arguments: str) -> str:
            *options, no_folders, path = arguments
            assert no_folders == "-norecurse" and Path(path).is_file(), path
            assert options in ([], ["-fileset", "constrs_1"]), options
            file = Path(path)
            assert file.suffix in FILESETS[options[1] if options else "sources_1"], path
            (self.constraints if options else self.files).append(file.name)
            self._new("file", file.name, "")
            return ""

        def get_files(name: str) -> str:
            return " ".join(handle for handle, thing in self.things.items() if thing.kind == "file" and thing.name == name)

        def nothing(*arguments: str) -> str:
            return ""

        return {
            "create_project": nothing, "add_files": add_files, "get_files": get_files, "current_fileset": fileset,
            "update_compile_order": nothing,
            "set_property": set_property, "get_property": lambda name, handle: getattr(self.things[handle], name),
            "ipx::package_project": package, "ipx::current_core": lambda: "core",
            "ipx::get_bus_interfaces": getter("bus"), "ipx::add_bus_interface": lambda name, core: self._new("bus", name, core),
            "ipx::infer_bus_interface": infer,
            "ipx::add_port_map": lambda name, bus: self._new("port map", name, bus),
            "ipx::get_bus_parameters": getter("parameter"), "ipx::add_bus_parameter": lambda name, bus: self._new("parameter", name, bus),
            "ipx::get_memory_maps": getter("memory map"), "ipx::add_memory_map": lambda name, core: self._new("memory map", name, core),
            "ipx::remove_memory_map": lambda name, core: self.things.pop(f"memory_map:{core}:{name}") and "",
            "ipx::add_address_block": lambda name, parent: self._new("address block", name, parent),
            "ipx::add_register": lambda name, parent: self._new("register", name, parent),
            "ipx::create_xgui_files": nothing, "ipx::update_checksums": nothing, "ipx::check_integrity": nothing,
            "ipx::save_core": save, "puts": nothing,
        }  # fmt: skip
