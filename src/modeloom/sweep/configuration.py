# SPDX-License-Identifier: Apache-2.0
"""A point of a sweep: a mode or a circuit with its options and target, and the identity under which its row is stored."""

from __future__ import annotations

import ast
import hashlib
import json
import platform
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import Any

from modeloom.ciphers import cipher_of
from modeloom.compiler.compile import PASSES, Work
from modeloom.compiler.streams import compile_stream
from modeloom.cores.sector.describe import definition_hash as sector_hash
from modeloom.cores.stream.describe import definition_hash as stream_hash
from modeloom.emit.simulators import simulator
from modeloom.modes import BUILT_IN, STREAMS, VARIANTS, find_any
from modeloom.options.messages import StreamOptions
from modeloom.options.row import Value
from modeloom.options.sectors import Options
from modeloom.options.spelled import message_options, read, sector_options, spelled, text
from modeloom.spec import InputError, Mode, UnknownName, checked_mode
from modeloom.spec.stream import StreamMode
from modeloom.synth import find_nextpnr
from modeloom.synth.targets import DEVICES
from modeloom.version import VERSION
from modeloom_circuits import find_circuit

__all__ = [
    "AREAS", "KINDS", "Configuration", "Identity", "check_options", "definition_of", "flags", "is_foreign", "mode_of",
    "mode_options", "option_name", "option_names", "sources_hash", "tools_of",
]  # fmt: skip

ONE, MANY = {"sector": "a mode for sectors", "stream": "a stream mode"}, {"sector": "modes for sectors", "stream": "stream modes"}


# The options of the points of a sweep: those of cores for modes, and those of each circuit.

@cache
def option_names(kind: str, name: str = "") -> dict[str, str]:
    """Every spelling of the options of a kind of points, or of a circuit, each with its name in a configuration."""
    if kind == "circuit":
        return {option.name.replace("_", "-"): option.name.replace("_", "-") for option in find_circuit(name).options}
    return {
        spelling.removeprefix("--"): one.spellings[0].removeprefix("--")
        for one in spelled().values() if kind in one.kinds
        for spelling in one.spellings
    }  # fmt: skip


def option_name(kind: str, name: str, given: str) -> str:
    """The name of an option in a configuration.  Underscores may stand for hyphens.

    Raises
    ------
    InputError
        The option is one of another kind of modes.
    UnknownName
        There is no such option.
    """
    spelling, known = given.replace("_", "-"), option_names(kind, name)
    if spelling in known:
        return known[spelling]
    other = {"sector": "stream", "stream": "sector"}.get(kind)
    if other and spelling in option_names(other):
        raise InputError(f"{given} is an option of {MANY[other]}, but {name} is {ONE[kind]}; put {name} into a grid of its own")
    raise UnknownName("option", given, known, f"of {name}" if kind == "circuit" else "")


def check_options(kind: str, name: str, options: Mapping[str, int | str]) -> None:
    """Raises ``InputError`` for values that no option takes, whatever the mode, such as a text for a number."""
    if kind == "circuit":
        for each in find_circuit(name).options:
            if (value := options.get(each.name.replace("_", "-"))) is not None:
                each.checked(value)
        return
    _read(options)


def mode_options(mode: Mode | StreamMode, options: Mapping[str, int | str]) -> Options | StreamOptions:
    """The options of a mode as the compiler has them.  Raises ``InputError`` if no core has them."""
    values = _read(options)
    return message_options(mode, values) if isinstance(mode, StreamMode) else sector_options(values)


def _read(options: Mapping[str, int | str]) -> dict[str, Value]:
    """Values by the names in Python.  Raises ``InputError``."""
    by_name = {one.spellings[0].removeprefix("--"): one for one in spelled().values()}
    values: dict[str, Value] = {}
    for name, value in options.items():
        one = by_name[name]
        if (value is True) != (one.type == "flag"):
            raise InputError(f"{name} must be {'true or false' if value is not True else 'a value'}, not {str(value).lower()}")
        try:
            values[one.name] = read(one, value)
        except ValueError as error:
            raise InputError(f"--{name}: {error}") from None
    return values


# -- configuration -----------------------------------------------------------------------------------------------------------------

KINDS = ("sector", "stream", "circuit")
"""What a point is: a mode on sectors, a stream mode, or a circuit."""

AREAS = ("core", "blocks")
"""How a point is mapped: as a whole, or block by block."""


@dataclass(frozen=True)
class Configuration:
    """A point of a sweep.

    Attributes
    ----------
    kind : str
        One of ``KINDS``.
    name : str
        The name of the mode or the circuit, or ``FILE.py:CLASS``.
    options : mapping
        Values by the long names of the options, without hyphens at the front: numbers, texts, and True for a flag.
    target : str or None
        The target of the synthesis.  None if the point is not synthesised.
    area : str or None
        One of ``AREAS``.  None without a target.
    simulate, pnr : bool
        Whether the bench of the core runs, and whether it is placed and routed.
    freq : float or None
        Clock target of place and route, in MHz.
    """

    kind: str
    name: str
    options: Mapping[str, int | str] = field(default_factory=dict)
    target: str | None = None
    area: str | None = None
    simulate: bool = False
    pnr: bool = False
    freq: float | None = None

    def as_dict(self) -> dict[str, object]:
        """The configuration as plain data, with the options in alphabetical order."""
        return {
            "kind": self.kind, "name": self.name, "options": dict(sorted(self.options.items())), "target": self.target,
            "area": self.area, "simulate": self.simulate, "pnr": self.pnr, "freq": self.freq,
        }  # fmt: skip

    @property
    def canonical(self) -> str:
        """The configuration as JSON text, which is equal for equal configurations."""
        return json.dumps(self.as_dict(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @property
    def design(self) -> str:
        """What is built, apart from the target and the steps, as JSON text."""
        return json.dumps([self.kind, self.name, dict(sorted(self.options.items()))], separators=(",", ":"), ensure_ascii=False)

    @property
    def emit_command(self) -> str:
        """The command that ``core.json`` and the Verilog state: that of ``modeloom build`` without its folder."""
        return shlex.join(["modeloom", "build", self.name, *flags(self.options)])

    @property
    def command(self) -> str:
        """The commands that give the point."""
        if self.kind == "circuit":
            more = [] if self.target is None else ["--target", self.target, *self._routing()]
            return shlex.join(["modeloom", "circuit", self.name, *flags(self.options), *more])
        if self.target is None and not self.simulate:
            return shlex.join(["modeloom", "explain", self.name, *flags(self.options)])
        build = f"{self.emit_command} -o DIR"
        if self.target is None:
            return build
        return f"{build} && {shlex.join(['modeloom', 'synth', 'DIR', '--target', self.target, *self._routing()])}"

    def _routing(self) -> list[str]:
        if not self.pnr:
            return []
        return ["--pnr", *([] if self.freq is None else ["--freq", f"{self.freq:g}"])]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Configuration:
        """The inverse of ``as_dict``.  Raises ``TypeError`` for other members."""
        return cls(**data)


def flags(options: Mapping[str, object]) -> list[str]:
    """Options as arguments of a command line, in alphabetical order.

    Raises
    ------
    InputError
        A value is neither a number nor text nor True.
    """
    found: list[str] = []
    for name, value in sorted(options.items()):
        if value is True:
            found.append(f"--{name}")
        elif isinstance(value, (int, str)) and not isinstance(value, bool):
            found += [f"--{name}", str(value)]
        else:
            raise InputError(f"{name} must be a number, a string or true, not {value!r}")
    return found


# -- identity ----------------------------------------------------------------------------------------------------------------------

# What a row is kept under: configuration, hash of the definition, and versions of all that makes its figures.

COMPILER = (
    "spec", "options", "ciphers", "definition", "ir", "schedule", "allocate", "prove", "streams", "cycles", "compiler", "interfaces",
    "rtl", "front",
)  # fmt: skip
"""Folders whose sources make the figures of a compiled point."""

HARDWARE = (*COMPILER, "protocol", "layers", "cores", "product", "emit", "sim", "synth", "measure", "../modeloom_verilog")
"""Those of a point that is synthesised or simulated, too."""

CIRCUITS = ("rtl", "spec", "../modeloom_golden", "synth", "measure", "../modeloom_circuits", "../modeloom_verilog")
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
    work = Work(
        mode=mode, options=options, tweak_bytes=tweak, key_bytes=(options.key_bits or 0) // 8, longest=max(options.sectors)
    )
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
        device = DEVICES[str(configuration.target)]
        found[device.tool] = find_nextpnr(device)[1]
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
    """The SHA-256, in hexadecimal, of the sources in folders, which are named from the package on."""
    state = hashlib.sha256()
    root = Path(str(resources.files("modeloom")))
    for room in rooms:
        for file in sorted((root / room).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts and "measured" not in file.parts:
                state.update(f"{room}/{file.relative_to(root / room).as_posix()}\0{file.stat().st_size}\0".encode())
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
