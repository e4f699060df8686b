# SPDX-License-Identifier: Apache-2.0
"""What a row is kept under: configuration, hash of the definition, and versions of all that makes its figures."""

from __future__ import annotations

import ast
import hashlib
import json
import platform
from dataclasses import dataclass
from functools import cache
from importlib import metadata, resources
from pathlib import Path

from modeloom.ciphers import cipher_of
from modeloom.compiler.passes import PASSES
from modeloom.compiler.streams import compile_stream
from modeloom.compiler.work import Work
from modeloom.cores.sector.figures import definition_hash as sector_hash
from modeloom.cores.stream.figures import definition_hash as stream_hash
from modeloom.emit.simulators import simulator
from modeloom.modes import BUILT_IN, STREAMS, VARIANTS, find_any
from modeloom.options.messages import StreamOptions
from modeloom.options.sectors import Options
from modeloom.options.spelled import text
from modeloom.spec import InputError, Mode, checked_mode
from modeloom.spec.stream import StreamMode
from modeloom.sweep.configuration import Configuration
from modeloom.sweep.options import mode_options
from modeloom.synth import find_nextpnr
from modeloom.version import VERSION

__all__ = ["Identity", "definition_of", "is_foreign", "mode_of", "sources_hash", "tools_of"]

COMPILER = ("spec", "ciphers", "definition", "ir", "schedule", "allocate", "prove", "streams", "cycles", "compiler")
"""Folders whose sources make the figures of a compiled point."""

HARDWARE = (*COMPILER, "rtl", "front", "interfaces", "cores", "product", "emit", "sim", "synth", "measure")
"""Those of a point that is synthesised or simulated, too."""

CIRCUITS = ("circuits", "rtl", "spec", "synth", "measure")
"""Those of a circuit."""


@dataclass(frozen=True)
class Identity:
    """What a row is kept under.

    Attributes
    ----------
    definition : str
        The SHA-256 of the traced definition, as in ``core.json``.  A circuit has that of its sources.  Empty if the definition cannot be
        traced with these options, or its trace did not end, or a tool is missing.
    tools : mapping
        Versions by name: ``modeloom``, ``sources`` (a hash), ``python``, and what the steps use.  Only the first if a tool is missing.
    """

    configuration: Configuration
    definition: str
    tools: dict[str, str]

    @property
    def key(self) -> str:
        """The SHA-256, in hexadecimal, of configuration, definition and tools."""
        text = json.dumps([self.configuration.as_dict(), self.definition, self.tools], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def is_foreign(configuration: Configuration) -> bool:
    """Whether the definition of a point is not part of modeloom: it is in a file, or in an installed package."""
    return configuration.kind != "circuit" and configuration.name not in _OWN


_OWN = frozenset(mode.name for mode in (*BUILT_IN, *VARIANTS, *STREAMS))


def mode_of(configuration: Configuration, folder: Path) -> Mode | StreamMode:
    """The mode of a point.  Raises ``InputError`` if there is none of this name."""
    return find_any(configuration.name, folder, cipher=text(configuration.options, "cipher"))


def definition_of(configuration: Configuration, folder: Path) -> str:
    """The hash of the definition of a point, or an empty text if the compiler refuses it before it has a trace."""
    if configuration.kind == "circuit":
        return sources_hash(CIRCUITS)
    try:
        mode = mode_of(configuration, folder)
        options = mode_options(mode, configuration.options)
        if isinstance(mode, StreamMode):
            assert isinstance(options, StreamOptions)
            return stream_hash(compile_stream(mode, options, prove=False))
        assert isinstance(options, Options)
        return sector_hash(_traced(checked_mode(mode), options))
    except InputError:
        return ""


def _traced(mode: Mode, options: Options) -> Work:
    """The trace of a mode with what its hash needs, as the first pass of the compiler gives it.  Raises ``InputError``."""
    options = options.of(mode).on(cipher_of(mode, options.cipher))
    tweak = mode.tweak_sizes[0] if options.tweak is None else options.tweak
    mode.check_sector(options.sector)
    mode.check_tweak(tweak, core=True)
    work = Work(mode=mode, options=options, tweak_bytes=tweak, key_bytes=(options.key_bits or 0) // 8)
    return PASSES[0].run(work, lambda share: None)


def tools_of(configuration: Configuration, folder: Path) -> dict[str, str]:
    """The versions of what makes the figures of a point.

    Raises
    ------
    ToolMissing, SynthesisError
        A tool that the point needs is missing.
    """
    hardware = configuration.simulate or configuration.target is not None
    rooms = CIRCUITS if configuration.kind == "circuit" else HARDWARE if hardware else COMPILER
    found = {"modeloom": VERSION, "sources": sources_hash(rooms)[:16], "python": platform.python_version()}
    packages = ["ortools"] if configuration.kind == "sector" else []
    packages += ["amaranth", "pyosys"] if hardware or configuration.kind == "circuit" else []
    found |= {name: metadata.version(name) for name in packages}
    if configuration.pnr:
        found["nextpnr-ecp5"] = find_nextpnr()[1]
    if configuration.simulate:
        found |= _simulator()
    if ":" in configuration.name:
        found["file"] = _files_hash(folder / configuration.name.rpartition(":")[0])[:16]
    if (configuration.target or "").startswith("liberty:"):
        library = folder / (configuration.target or "").removeprefix("liberty:")
        found["liberty"] = hashlib.sha256(library.read_bytes()).hexdigest()[:16]
    return found


@cache
def sources_hash(rooms: tuple[str, ...]) -> str:
    """The SHA-256, in hexadecimal, of the sources in folders of the package."""
    state = hashlib.sha256()
    root = Path(str(resources.files("modeloom")))
    for room in rooms:
        for file in sorted((root / room).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts and "measured" not in file.parts:
                state.update(f"{file.relative_to(root).as_posix()}\0{file.stat().st_size}\0".encode())
                state.update(file.read_bytes())
    return state.hexdigest()


def _files_hash(file: Path) -> str:
    """The hash of a file of a mode and of the files beside it that it imports."""
    seen: dict[str, bytes] = {}
    waiting = [file]
    while waiting:
        if (one := waiting.pop()).name in seen or not one.is_file():
            continue
        seen[one.name] = one.read_bytes()
        for node in ast.walk(ast.parse(seen[one.name])):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            waiting += [file.parent / f"{name.partition('.')[0]}.py" for name in names]
    state = hashlib.sha256()
    for name, data in sorted(seen.items()):
        state.update(f"{name}\0{len(data)}\0".encode() + data)
    return state.hexdigest()


@cache
def _simulator() -> dict[str, str]:
    """The version of the simulator that runs the benches, by the name of its program.  Raises ``ToolMissing``."""
    chosen = simulator()
    return {chosen.tool: chosen.version}
